// SPDX-License-Identifier: GPL-2.0-or-later
package records;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.ByteBufferOutputStream;
import org.apache.kafka.common.utils.Crc32C;

/** One batch, or message set of an old magic, in the making: Kafka's builder with names for its many parameters. */
final class Batch {
    private static final int CRC_OFFSET = 17;
    private static final int ATTRIBUTES_OFFSET = 21;

    private byte magic = RecordBatch.MAGIC_VALUE_V2;
    private CompressionType codec = CompressionType.NONE;
    private TimestampType timestampType = TimestampType.CREATE_TIME;
    private long logAppendTime = RecordBatch.NO_TIMESTAMP;
    private long baseOffset;
    private long producerId = RecordBatch.NO_PRODUCER_ID;
    private short producerEpoch = RecordBatch.NO_PRODUCER_EPOCH;
    private int baseSequence = RecordBatch.NO_SEQUENCE;
    private boolean isTransactional;
    private int leaderEpoch = 5;
    private long deleteHorizon = RecordBatch.NO_TIMESTAMP;

    Batch magic(int value) {
        magic = (byte) value;
        return this;
    }

    Batch codec(CompressionType value) {
        codec = value;
        return this;
    }

    Batch logAppendTime(long value) {
        timestampType = TimestampType.LOG_APPEND_TIME;
        logAppendTime = value;
        return this;
    }

    Batch baseOffset(long value) {
        baseOffset = value;
        return this;
    }

    Batch producer(long id, int epoch, int sequence) {
        producerId = id;
        producerEpoch = (short) epoch;
        baseSequence = sequence;
        return this;
    }

    Batch transactional() {
        isTransactional = true;
        return this;
    }

    Batch leaderEpoch(int value) {
        leaderEpoch = value;
        return this;
    }

    Batch deleteHorizon(long value) {
        deleteHorizon = value;
        return this;
    }

    /** Records at consecutive offsets. */
    byte[] of(SimpleRecord... records) {
        long[] offsets = new long[records.length];
        Arrays.setAll(offsets, i -> baseOffset + i);
        return at(offsets, records);
    }

    /** Records at those offsets, as compaction leaves them. */
    byte[] at(long[] offsets, SimpleRecord... records) {
        MemoryRecordsBuilder builder = builder(false);
        for (int i = 0; i < records.length; i++) {
            builder.appendWithOffset(offsets[i], records[i]);
        }
        return bytes(builder.build().buffer());
    }

    /** A control batch of one record. */
    byte[] control(long timestamp, ControlRecordType type, ByteBuffer value) {
        MemoryRecordsBuilder builder = builder(true);
        builder.appendControlRecord(timestamp, type, value);
        return bytes(builder.build().buffer());
    }

    private MemoryRecordsBuilder builder(boolean isControl) {
        return new MemoryRecordsBuilder(new ByteBufferOutputStream(1024), magic, Compression.of(codec).build(),
                timestampType, baseOffset, logAppendTime, producerId, producerEpoch, baseSequence, isTransactional,
                isControl, leaderEpoch, Integer.MAX_VALUE, deleteHorizon);
    }

    static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    /** Makes the checksum of a batch right again after a change that the builder does not allow. */
    static byte[] sealed(byte[] batch) {
        long crc = Crc32C.compute(batch, ATTRIBUTES_OFFSET, batch.length - ATTRIBUTES_OFFSET);
        ByteBuffer.wrap(batch).putInt(CRC_OFFSET, (int) crc);
        return batch;
    }

    static SimpleRecord record(long timestamp, byte[] key, byte[] value, Header... headers) {
        return new SimpleRecord(timestamp, key, value, headers);
    }
}
