/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of magic 0 and 1, which came before record batches, and the wrappers whose value holds further messages when
 * it is unpacked. Every length is an int32, also inside flexible versions.
 */
#ifndef KAFKA_WIRE_MESSAGE_SET_H
#define KAFKA_WIRE_MESSAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec.h"
#include "cursor.h"
#include "fault.h"

/* The parts of a message in the order of the bytes. */
enum kafka_old_message_part {
    KAFKA_OLD_OFFSET,
    KAFKA_OLD_SIZE, /* counts what follows it */
    KAFKA_OLD_CRC,
    KAFKA_OLD_MAGIC, /* the checksum covers from here to the end */
    KAFKA_OLD_ATTRIBUTES,
    KAFKA_OLD_TIMESTAMP, /* no bytes in magic 0 */
    KAFKA_OLD_KEY_LENGTH,
    KAFKA_OLD_KEY,
    KAFKA_OLD_VALUE_LENGTH,
    KAFKA_OLD_VALUE,
    KAFKA_OLD_PARTS
};

/* The least that the size of a message can be: all lengths −1. */
#define KAFKA_OLD_MIN_SIZE_V0 14
#define KAFKA_OLD_MIN_SIZE_V1 22

struct kafka_old_message {
    enum kafka_item_status status;
    enum kafka_fault fault;
    size_t fault_offset;
    size_t begin[KAFKA_OLD_PARTS + 1]; /* part p is begin[p] to begin[p + 1]; set up to begin[parts] */
    unsigned parts;                    /* how many parts were read; all of them when complete */
    size_t
        whole_size;  /* of the message with its offset and size, as its size says; 0 when that is wrong or not there */
    size_t present;  /* bytes of it in the message set: below whole_size when the status is partial */
    size_t captured; /* bytes of it that are there to read */

    int64_t offset;
    int32_t size;
    uint32_t crc;
    int8_t magic;
    uint8_t attributes;    /* bits 0 to 3 as in a batch */
    int64_t timestamp;     /* −1 in magic 0 */
    struct kafka_span key; /* what is there of it when the capture ends inside */
    struct kafka_span value;
};

/*
 * Reads the message that begins at the cursor, whose magic is 0 or 1 if it is there at all. The cursor's limit is the
 * end of the message set. Never returns KAFKA_ITEM_END. Even when the status is not complete, what was there is in the
 * fields.
 */
enum kafka_item_status kafka_old_message_read(const struct kafka_cursor *cursor, struct kafka_old_message *message);

/* Whether the bytes that the checksum covers are all there. */
bool kafka_old_message_has_crc(const struct kafka_old_message *message);

/* Returns the checksum of such a message; data is that of the cursor it was read from. */
uint32_t kafka_old_message_compute_crc(const struct kafka_old_message *message, const uint8_t *data);

enum kafka_wrapper_problem {
    KAFKA_WRAPPER_NULL_VALUE = 1 << 0,     /* nothing to unpack */
    KAFKA_WRAPPER_MAGIC_DIFFERS = 1 << 1,  /* an inner message has another magic than the wrapper */
    KAFKA_WRAPPER_NESTED = 1 << 2,         /* an inner message is compressed again */
    KAFKA_WRAPPER_OFFSET_TOO_LOW = 1 << 3, /* the wrapper's offset is below that of its last inner message */
    KAFKA_WRAPPER_BAD_CODEC = 1 << 4,      /* zstd and unknown codecs, which messages cannot have */
    KAFKA_WRAPPER_EMPTY = 1 << 5,          /* no inner message */
};

/* A compressed message, seen together with the messages inside it. */
struct kafka_wrapper {
    unsigned problems;    /* of enum kafka_wrapper_problem */
    int32_t count;        /* complete inner messages */
    int64_t base_offset;  /* what is added to the inner offsets of magic 1; 0 in magic 0, whose offsets are absolute */
    bool has_append_time; /* the wrapper's time replaces that of its messages */
    int64_t append_time;
};

/*
 * Walks over the inner messages once, to learn their last offset and what is wrong. inner may be NULL with inner_size 0
 * when the value is null or could not be unpacked; is_whole is false when unpacking stopped at a fault, and no base
 * offset can then be told for magic 1: inner offsets stay as they are.
 */
void kafka_wrapper_read(struct kafka_wrapper *wrapper, const struct kafka_old_message *outer, const uint8_t *inner,
                        size_t inner_size, bool is_whole);

/* The absolute offset and the time of an inner message. */
int64_t kafka_wrapper_offset(const struct kafka_wrapper *wrapper, const struct kafka_old_message *inner);
int64_t kafka_wrapper_timestamp(const struct kafka_wrapper *wrapper, const struct kafka_old_message *inner);

#endif
