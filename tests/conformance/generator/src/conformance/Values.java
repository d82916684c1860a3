// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import org.apache.kafka.common.Uuid;

import java.util.Random;

/** Random values of Kafka's scalar types: ordinary ones, and those at which a reader may stumble. */
final class Values {
    private static final String[] ORDINARY = {
        "orders", "payments.eu-west-1", "consumer-group-7", "client_0", "__consumer_offsets", "rack-a", "PLAINTEXT",
        "broker1.example.org", "192.0.2.17", "a", "User:alice", "retention.ms", "true", "42", "x".repeat(64),
    };
    private static final String[] ODD = {
        "\0", "a\0b", "\0\0end", "start\0",
        "\u0001\u0002\u0007\b\u000b\f\u001b[31mred\u001b[0m\u007f", "tab\there", "two\nlines",
        "win\r\nlines", "\r", "\n",
        "next\u0085line\u2028sep\u00a0nbsp\u200b\u202ertl", "\ufeffbom", "\ufffd", "\uffff", "\ufffe", "\u2400",
        "<a href=\"x\">&amp;'</a>", "back\\slash\\x1\\n\\0", "%s%n%d%%", " lead and trail ", "[ Null ]", "\"quoted\"",
        "Grüße aus München", "日本語のトピック", "Ω≈ç√∫˜µ≤≥÷", "e\u0301 combining", "\ud834\udd1e\ud83c\udf89", "ÿ",
    };
    private static final long[] EDGES_64 = {
        0, 1, -1, -2, -3, -4, -5, 127, -128, 255, 256, 32767, -32768, 65535, Integer.MAX_VALUE, Integer.MIN_VALUE,
        1L << 32, (1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE, 1_500_000_000_123L, 1_760_000_000_999L, 999, -999,
    };
    private static final double[] EDGES_DOUBLE = {
        0.0, -0.0, 1.0, -1.5, 0.1, 1e10, 1048576.0, 1e300, -1e-300, Double.MAX_VALUE, Double.MIN_VALUE,
        Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN, 123456789.123456789,
    };
    /** The ids that Kafka keeps for itself are (0, 0) to (0, 99). */
    private static final int RESERVED_UUIDS = 3;

    private final Random random;

    Values(Random random) {
        this.random = random;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean bool() {
        return random.nextBoolean();
    }

    /** A signed or unsigned integer of so many bits: small, random over the whole range, or an edge. */
    long integer(int bits, boolean unsigned) {
        long value = switch (random.nextInt(3)) {
            case 0 -> random.nextInt(10);
            case 1 -> random.nextLong();
            default -> EDGES_64[random.nextInt(EDGES_64.length)];
        };
        int unused = 64 - bits;
        return unsigned ? value << unused >>> unused : value << unused >> unused;
    }

    double float64() {
        return chance(0.5) ? EDGES_DOUBLE[random.nextInt(EDGES_DOUBLE.length)] : random.nextGaussian() * 1000;
    }

    Uuid uuid() {
        if (chance(0.25)) {
            return new Uuid(0, random.nextInt(RESERVED_UUIDS));
        }
        return new Uuid(random.nextLong(), random.nextLong());
    }

    String ordinaryString() {
        return ORDINARY[random.nextInt(ORDINARY.length)];
    }

    /** Any string but the empty one. */
    String string() {
        int kind = random.nextInt(100);
        if (kind < 55) {
            return ordinaryString();
        }
        if (kind < 90) {
            return ODD[random.nextInt(ODD.length)];
        }
        if (kind < 98) {
            // The lengths at which a one-byte length, a label of Wireshark and a buffer of it come to an end.
            int[] lengths = {62, 63, 125, 126, 127, 128, 239, 240, 241, 255, 256, 257, 300};
            return repeated("0123456789", lengths[random.nextInt(lengths.length)]);
        }
        return repeated("lang-äöü€𝄞-", 1000 + random.nextInt(3000));
    }

    /** The longest string that an int16 length can hold. */
    static String longestString() {
        return repeated("max.", Short.MAX_VALUE);
    }

    private static String repeated(String unit, int length) {
        StringBuilder out = new StringBuilder(length);
        while (out.length() + unit.length() <= length) {
            out.append(unit);
        }
        // A unit of one-char letters is cut anywhere; one with surrogates only at its end.
        if (unit.chars().noneMatch(c -> Character.isSurrogate((char) c))) {
            out.append(unit, 0, length - out.length());
        }
        return out.toString();
    }

    /** Any byte string but the empty one. */
    byte[] bytes() {
        int[] lengths = {1, 2, 3, 16, 20, 48, 126, 127, 128, 300};
        int kind = random.nextInt(100);
        byte[] result = new byte[kind < 60 ? 1 + random.nextInt(12) : lengths[random.nextInt(lengths.length)]];
        random.nextBytes(result);
        return result;
    }

    /** A tag that a message does not know: next to the known ones, or with a longer varint. Kafka keeps 2^31-1. */
    int unknownTag() {
        int[] tags = {
            0, 1, 2, 3, 4, 5, 6, 7, 9, 63, 126, 127, 128, 129, 1000, 16383, 16384, 2097152, Integer.MAX_VALUE - 1,
        };
        return tags[random.nextInt(tags.length)];
    }
}
