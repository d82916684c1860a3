/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How reading a batch, message or record ended, and what was wrong with it. */
#ifndef KAFKA_WIRE_FAULT_H
#define KAFKA_WIRE_FAULT_H

enum kafka_item_status {
    KAFKA_ITEM_COMPLETE,
    KAFKA_ITEM_CUT,       /* the capture ends inside */
    KAFKA_ITEM_PARTIAL,   /* the record set ends inside: normal for the last one at a fetch limit */
    KAFKA_ITEM_MALFORMED, /* a fault says why, and where */
    KAFKA_ITEM_END,       /* there is no further item */
};

/* X(name, text for people) */
#define KAFKA_FAULTS(X)                                                                                                \
    X(NONE, "no fault")                                                                                                \
    X(LENGTH_TOO_SMALL, "the length is less than the header needs")                                                    \
    X(UNKNOWN_MAGIC, "unknown magic")                                                                                  \
    X(VARINT, "a varint is too long for its type")                                                                     \
    X(RECORD_LENGTH, "the record's length is negative")                                                                \
    X(RECORD_TOO_LONG, "the record is longer than what is left of the batch")                                          \
    X(RECORD_TOO_SHORT, "the record ends before its fields do")                                                        \
    X(KEY_LENGTH, "the key's length is negative or exceeds what is left of the record")                                \
    X(VALUE_LENGTH, "the value's length is negative or exceeds what is left of the record")                            \
    X(HEADER_COUNT, "the number of headers is negative or exceeds what is left of the record")                         \
    X(HEADER_KEY_LENGTH, "a header's key is null or exceeds what is left of the record")                               \
    X(HEADER_VALUE_LENGTH, "a header's value exceeds what is left of the record")                                      \
    X(LEFT_OVER, "bytes are left over after the last field")

enum kafka_fault {
#define KAFKA_FAULT_ENUM(name, text) KAFKA_FAULT_##name,
    KAFKA_FAULTS(KAFKA_FAULT_ENUM)
#undef KAFKA_FAULT_ENUM
};

/* Returns the fault in words, without a full stop; a static string. */
const char *kafka_fault_text(enum kafka_fault fault);

#endif
