// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Small record sets made by Kafka's own writer. The classes moved to another package in 4.x, hence no imports of them.
 */
final class Batches {
    private static final long NO_TIMESTAMP = -1;

    private final Class<?> memoryRecords;
    private final Class<?> simpleRecord;
    private final Class<?> compression;
    private final Values values;

    Batches(Values values) {
        this.values = values;
        memoryRecords = recordClass("MemoryRecords");
        simpleRecord = recordClass("SimpleRecord");
        compression = Reflect.find("org.apache.kafka.common.compress.Compression");
    }

    private static Class<?> recordClass(String name) {
        try {
            return Class.forName("org.apache.kafka.common.record.internal." + name);
        } catch (ClassNotFoundException e) {
            return Reflect.find("org.apache.kafka.common.record." + name);
        }
    }

    Object empty() {
        return readable(ByteBuffer.allocate(0));
    }

    /** One to three whole batches, or as many message sets where the version is too old for batches. */
    Object some(byte magic) {
        int count = 1 + values.below(3);
        ByteBuffer all = ByteBuffer.allocate(4096);
        long offset = values.below(1000);
        for (int i = 0; i < count; i++) {
            int records = 1 + values.below(3);
            all.put(batch(magic, offset, records));
            offset += records;
        }
        all.flip();
        return readable(all.slice());
    }

    private Object readable(ByteBuffer buffer) {
        try {
            return memoryRecords.getMethod("readableRecords", ByteBuffer.class).invoke(null, buffer);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private ByteBuffer batch(byte magic, long baseOffset, int count) {
        try {
            Object records = Array.newInstance(simpleRecord, count);
            for (int i = 0; i < count; i++) {
                byte[] key = values.bool() ? null : text("key-" + i);
                long time = magic == 0 ? NO_TIMESTAMP : 1_700_000_000_000L + values.below(100_000);
                Array.set(records, i, simpleRecord.getConstructor(long.class, byte[].class, byte[].class)
                        .newInstance(time, key, text(values.ordinaryString())));
            }
            Class<?> type = Reflect.find("org.apache.kafka.common.record.TimestampType");
            Method write = memoryRecords.getMethod("withRecords", byte.class, long.class, compression, type,
                    records.getClass());
            Object built = write.invoke(null, magic, baseOffset, compression.getField("NONE").get(null),
                    type.getField(magic == 0 ? "NO_TIMESTAMP_TYPE" : "CREATE_TIME").get(null), records);
            return ((ByteBuffer) memoryRecords.getMethod("buffer").invoke(built));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] text(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }
}
