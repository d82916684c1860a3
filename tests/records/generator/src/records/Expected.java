// SPDX-License-Identifier: GPL-2.0-or-later
package records;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MutableRecordBatch;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;

/** What Kafka's reader says of a record set, as lines of JSON: each whole batch or message, and its records after it. */
final class Expected {
    /** Longer values are given by their hash. */
    private static final int MAX_HEX_BYTES = 128;

    private Expected() {
    }

    static List<String> of(byte[] bytes) {
        List<String> lines = new ArrayList<>();
        MemoryRecords records = MemoryRecords.readableRecords(ByteBuffer.wrap(bytes));
        int position = 0;
        for (MutableRecordBatch batch : records.batches()) {
            boolean isValid = batch.isValid();
            lines.add(batch(batch, position, isValid));
            position += batch.sizeInBytes();
            if (isValid) {
                for (Record record : batch) {
                    lines.add(record(record));
                }
            }
        }
        lines.add("{\"what\": \"rest\", \"size\": " + (bytes.length - position) + "}");
        return lines;
    }

    private static String batch(RecordBatch batch, int position, boolean isValid) {
        StringBuilder json = new StringBuilder("{\"what\": \"batch\", \"position\": ").append(position);
        json.append(", \"size\": ").append(batch.sizeInBytes());
        json.append(", \"magic\": ").append(batch.magic());
        json.append(", \"crc\": ").append(batch.checksum());
        json.append(", \"crc_good\": ").append(isValid);
        json.append(", \"codec\": \"").append(batch.compressionType().name).append('"');
        json.append(", \"max_timestamp\": ").append(batch.maxTimestamp());
        json.append(", \"log_append_time\": ").append("LogAppendTime".equals(batch.timestampType().name));
        json.append(", \"last_offset\": ").append(batch.lastOffset());
        if (batch.magic() >= RecordBatch.MAGIC_VALUE_V2) {
            json.append(", \"base_offset\": ").append(batch.baseOffset());
            json.append(", \"count\": ").append(batch.countOrNull());
            json.append(", \"leader_epoch\": ").append(batch.partitionLeaderEpoch());
            json.append(", \"producer_id\": ").append(batch.producerId());
            json.append(", \"producer_epoch\": ").append(batch.producerEpoch());
            json.append(", \"base_sequence\": ").append(batch.baseSequence());
            json.append(", \"last_sequence\": ").append(batch.lastSequence());
            json.append(", \"transactional\": ").append(batch.isTransactional());
            json.append(", \"control\": ").append(batch.isControlBatch());
            json.append(", \"delete_horizon\": ")
                    .append(batch.deleteHorizonMs().isPresent() ? batch.deleteHorizonMs().getAsLong() : null);
        }
        return json.append('}').toString();
    }

    private static String record(Record record) {
        StringBuilder json = new StringBuilder("{\"what\": \"record\", \"offset\": ").append(record.offset());
        json.append(", \"timestamp\": ").append(record.timestamp());
        json.append(", \"sequence\": ").append(record.sequence());
        json.append(", \"key\": ").append(bytes(record.key()));
        json.append(", \"value\": ").append(bytes(record.value()));
        json.append(", \"headers\": [");
        String separator = "";
        for (Header header : record.headers()) {
            byte[] value = header.value();
            json.append(separator).append('[').append(bytes(utf8(header.key()))).append(", ")
                    .append(bytes(value == null ? null : ByteBuffer.wrap(value))).append(']');
            separator = ", ";
        }
        return json.append("]}").toString();
    }

    private static ByteBuffer utf8(String text) {
        return ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    private static String bytes(ByteBuffer buffer) {
        if (buffer == null) {
            return "null";
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        if (bytes.length <= MAX_HEX_BYTES) {
            return '"' + HexFormat.of().formatHex(bytes) + '"';
        }
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return "\"sha256:" + bytes.length + ':' + HexFormat.of().formatHex(hash) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
