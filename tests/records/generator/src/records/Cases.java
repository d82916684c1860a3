// SPDX-License-Identifier: GPL-2.0-or-later
package records;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.EndTransactionMarker;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.record.TimestampType;
import org.xerial.snappy.Snappy;

/** The record sets by name: each codec × magic × size, and each shape. */
final class Cases {
    private static final long TIME = 1_700_000_000_000L;
    private static final int[] SIZES = {0, 1, 100, 10_000, 100_000, 1_000_000};
    private static final int HEADER_SIZE = 61;

    private final Random random;
    private final Map<String, byte[]> cases = new LinkedHashMap<>();

    Cases(long seed) {
        random = new Random(seed);
    }

    Map<String, byte[]> all() {
        for (int magic = 0; magic <= 2; magic++) {
            for (CompressionType codec : CompressionType.values()) {
                if (magic == 2 || codec != CompressionType.ZSTD) {
                    sizes(magic, codec);
                    shapes(magic, codec);
                }
            }
        }
        for (CompressionType codec : CompressionType.values()) {
            batchShapes(codec);
        }
        control();
        emptyBatches();
        rawSnappy();
        sets();
        return cases;
    }

    private void add(String name, byte[] bytes) {
        if (cases.put(name, bytes) != null) {
            throw new IllegalStateException("two cases of the name " + name);
        }
    }

    private static String prefix(int magic, CompressionType codec) {
        return "v" + magic + "-" + codec.name + "-";
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Text that packs well: small in the corpus, and with repetitions both near and far for the codecs. */
    private byte[] text(int size) {
        byte[][] words = new byte[64][];
        for (int i = 0; i < words.length; i++) {
            words[i] = utf8(Long.toString(random.nextLong() >>> (i % 40), 36) + ' ');
        }
        byte[] text = new byte[size];
        int filled = 0;
        while (filled < size) {
            byte[] word = words[filled < 8000 ? random.nextInt(words.length) : filled / 97 % words.length];
            int part = Math.min(word.length, size - filled);
            System.arraycopy(word, 0, text, filled, part);
            filled += part;
        }
        return text;
    }

    private byte[] noise(int size) {
        byte[] noise = new byte[size];
        random.nextBytes(noise);
        return noise;
    }

    private void sizes(int magic, CompressionType codec) {
        for (int size : SIZES) {
            add(prefix(magic, codec) + "size-" + size, new Batch().magic(magic).codec(codec).baseOffset(10)
                    .of(Batch.record(TIME, utf8("key"), text(size)), Batch.record(TIME + 1, null, text(size / 2))));
        }
        add(prefix(magic, codec) + "noise", new Batch().magic(magic).codec(codec)
                .of(Batch.record(TIME, noise(20), noise(5000)), Batch.record(TIME + 1, noise(1), noise(300))));
    }

    /** What every magic can hold. */
    private void shapes(int magic, CompressionType codec) {
        String prefix = prefix(magic, codec);
        byte[] value = utf8("value");
        add(prefix + "nulls", new Batch().magic(magic).codec(codec).baseOffset(7).of(Batch.record(TIME, null, null),
                Batch.record(TIME, new byte[0], new byte[0]), Batch.record(TIME, null, value),
                Batch.record(TIME, utf8("tombstone"), null)));
        add(prefix + "gaps", new Batch().magic(magic).codec(codec).baseOffset(1000)
                .at(new long[] {1003, 1004, 1010, 3000}, Batch.record(TIME, null, value),
                        Batch.record(TIME, utf8("b"), value), Batch.record(TIME, null, value),
                        Batch.record(TIME, utf8("d"), value)));
        add(prefix + "large-offset", new Batch().magic(magic).codec(codec).baseOffset(Long.MAX_VALUE - 10)
                .of(Batch.record(TIME, null, value), Batch.record(TIME, null, value)));
        SimpleRecord[] many = new SimpleRecord[200];
        for (int i = 0; i < many.length; i++) {
            many[i] = Batch.record(TIME + i, utf8("key-" + i), utf8("value-" + i));
        }
        add(prefix + "many", new Batch().magic(magic).codec(codec).baseOffset(50).of(many));
        if (magic > 0) {
            add(prefix + "log-append", new Batch().magic(magic).codec(codec).logAppendTime(TIME + 5000)
                    .of(Batch.record(TIME, null, value), Batch.record(TIME + 9000, null, value)));
            add(prefix + "no-timestamp", new Batch().magic(magic).codec(codec).of(Batch.record(-1, null, value)));
            add(prefix + "times", new Batch().magic(magic).codec(codec).of(Batch.record(TIME, null, value),
                    Batch.record(TIME - 100_000_000_000L, null, value), Batch.record(0, null, value),
                    Batch.record(Long.MAX_VALUE, null, value)));
        }
    }

    /** What only batches can hold. */
    private void batchShapes(CompressionType codec) {
        String prefix = prefix(2, codec);
        byte[] value = utf8("value");
        Header[] headers = new Header[20];
        for (int i = 0; i < headers.length; i++) {
            headers[i] = new RecordHeader(i % 5 == 0 ? "trace" : "header-" + i,
                    i % 4 == 0 ? null : i % 4 == 1 ? new byte[0] : noise(i));
        }
        add(prefix + "headers", new Batch().codec(codec).of(Batch.record(TIME, utf8("k"), value, headers),
                Batch.record(TIME, null, value, new RecordHeader("", new byte[0])),
                Batch.record(TIME, null, value, new RecordHeader("größe", text(10_000)))));
        add(prefix + "transactional", new Batch().codec(codec).producer(4711, 3, 100).transactional()
                .of(Batch.record(TIME, null, value), Batch.record(TIME, null, value)));
        add(prefix + "idempotent", new Batch().codec(codec).producer(Long.MAX_VALUE, Short.MAX_VALUE, 0)
                .leaderEpoch(-1).of(Batch.record(TIME, null, value)));
        add(prefix + "sequence-wrap", new Batch().codec(codec).producer(1, 0, Integer.MAX_VALUE - 2)
                .of(Batch.record(TIME, null, value), Batch.record(TIME, null, value), Batch.record(TIME, null, value),
                        Batch.record(TIME, null, value), Batch.record(TIME, null, value)));
        add(prefix + "delete-horizon", new Batch().codec(codec).deleteHorizon(TIME + 777)
                .of(Batch.record(TIME, null, value), Batch.record(TIME + 5, null, null)));
        /* The builder takes no time before 1970 but −1, a reader any. */
        byte[] early = new Batch().codec(codec).of(Batch.record(TIME, null, value), Batch.record(TIME + 5, null, value));
        ByteBuffer.wrap(early).putLong(27, -62_135_596_800_000L).putLong(35, -62_135_596_799_995L);
        add(prefix + "early-times", Batch.sealed(early));
        byte[] bad = new Batch().codec(codec).of(Batch.record(TIME, null, value));
        bad[bad.length - 1] ^= 1;
        add(prefix + "bad-crc", concat(bad, new Batch().codec(codec).baseOffset(1).of(Batch.record(TIME, null, value))));
    }

    private void control() {
        for (ControlRecordType type : List.of(ControlRecordType.ABORT, ControlRecordType.COMMIT)) {
            for (int epoch : new int[] {-1, 0, 12, Integer.MAX_VALUE}) {
                add("control-" + type.name().toLowerCase() + "-" + epoch, Batch.bytes(MemoryRecords
                        .withEndTransactionMarker(99, TIME, 4, 1000L, (short) 2, new EndTransactionMarker(type, epoch))
                        .buffer()));
            }
        }
        ByteBuffer room = ByteBuffer.allocate(4096);
        for (short version = 0; version <= LeaderChangeMessage.HIGHEST_SUPPORTED_VERSION; version++) {
            List<LeaderChangeMessage.Voter> voters = List.of(voter(1, version), voter(2, version), voter(3, version));
            LeaderChangeMessage message = new LeaderChangeMessage().setVersion(version).setLeaderId(2).setVoters(voters)
                    .setGrantingVoters(voters.subList(1, 3));
            add("control-leader-change-" + version, new Batch().baseOffset(20)
                    .control(TIME, ControlRecordType.LEADER_CHANGE, MessageUtil.toByteBuffer(message, version)));
        }
        add("control-snapshot-header", Batch.bytes(MemoryRecords.withSnapshotHeaderRecord(0, TIME, 1, room.clear(),
                new SnapshotHeaderRecord().setVersion((short) 0).setLastContainedLogTimestamp(TIME - 5)).buffer()));
        add("control-snapshot-footer", Batch.bytes(MemoryRecords.withSnapshotFooterRecord(9, TIME, 1, room.clear(),
                new SnapshotFooterRecord().setVersion((short) 0)).buffer()));
        add("control-kraft-version", Batch.bytes(MemoryRecords.withKRaftVersionRecord(1, TIME, 1, room.clear(),
                new KRaftVersionRecord().setVersion((short) 0).setKRaftVersion((short) 1)).buffer()));
        VotersRecord.EndpointCollection endpoints = new VotersRecord.EndpointCollection();
        endpoints.add(new VotersRecord.Endpoint().setName("CONTROLLER").setHost("::1").setPort(65535));
        add("control-voters", Batch.bytes(MemoryRecords.withVotersRecord(2, TIME, 1, room.clear(),
                new VotersRecord().setVersion((short) 0)
                        .setVoters(List.of(new VotersRecord.Voter().setVoterId(1)
                                .setVoterDirectoryId(new Uuid(random.nextLong(), random.nextLong())).setEndpoints(endpoints)
                                .setKRaftVersionFeature(new VotersRecord.KRaftVersionFeature()
                                        .setMinSupportedVersion((short) 0).setMaxSupportedVersion((short) 1)))))
                .buffer()));
    }

    private LeaderChangeMessage.Voter voter(int id, short version) {
        LeaderChangeMessage.Voter voter = new LeaderChangeMessage.Voter().setVoterId(id);
        return version > 0 ? voter.setVoterDirectoryId(new Uuid(random.nextLong(), random.nextLong())) : voter;
    }

    /** What compaction leaves of a batch whose records are all gone, but whose sequence the broker has to keep. */
    private void emptyBatches() {
        for (TimestampType type : List.of(TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME)) {
            ByteBuffer buffer = ByteBuffer.allocate(HEADER_SIZE);
            DefaultRecordBatch.writeEmptyHeader(buffer, (byte) 2, 55, (short) 1, 10, 500, 540, 3, type, TIME, true, false);
            buffer.flip();
            add("empty-" + type.name, Batch.bytes(buffer));
        }
    }

    /** Java writes snappy in blocks; other clients write one raw block. */
    private void rawSnappy() {
        for (int size : SIZES) {
            byte[] plain = new Batch().baseOffset(3).of(Batch.record(TIME, utf8("raw"), text(size)));
            try {
                byte[] packed = Snappy.compress(Arrays.copyOfRange(plain, HEADER_SIZE, plain.length));
                byte[] batch = Arrays.copyOf(plain, HEADER_SIZE + packed.length);
                System.arraycopy(packed, 0, batch, HEADER_SIZE, packed.length);
                ByteBuffer.wrap(batch).putInt(8, batch.length - 12).putShort(21, (short) CompressionType.SNAPPY.id);
                add("raw-snappy-" + size, Batch.sealed(batch));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Several batches of several magics, whole and cut off. */
    private void sets() {
        byte[] value = utf8("value");
        byte[] all = new byte[0];
        long offset = 0;
        for (int magic = 0; magic <= 2; magic++) {
            for (CompressionType codec : List.of(CompressionType.NONE, CompressionType.GZIP, CompressionType.LZ4)) {
                all = concat(all, new Batch().magic(magic).codec(codec).baseOffset(offset)
                        .of(Batch.record(TIME, utf8("k"), value), Batch.record(TIME, null, value)));
                offset += 2;
            }
        }
        add("set-mixed", all);
        add("set-empty", new byte[0]);
        byte[] first = new Batch().of(Batch.record(TIME, null, value));
        for (int magic = 0; magic <= 2; magic++) {
            byte[] last = new Batch().magic(magic).baseOffset(1).of(Batch.record(TIME, null, text(200)));
            for (int size : new int[] {1, 8, 11, 12, 16, 17, 25, 60, 61, 100, last.length - 1}) {
                add("set-cut-v" + magic + "-" + size, concat(first, Arrays.copyOf(last, Math.min(size, last.length - 1))));
            }
        }
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
