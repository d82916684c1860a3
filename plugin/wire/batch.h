/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a record batch of magic 2 (KIP-98), and what it says about the records that follow it. */
#ifndef KAFKA_WIRE_BATCH_H
#define KAFKA_WIRE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec.h"
#include "cursor.h"
#include "fault.h"

/* Where each field begins, from the batch's first byte; a field ends where the next begins. */
enum kafka_batch_layout {
    KAFKA_BATCH_BASE_OFFSET = 0,
    KAFKA_BATCH_LENGTH = 8, /* counts what follows it */
    KAFKA_BATCH_LEADER_EPOCH = 12,
    KAFKA_BATCH_MAGIC = 16, /* in the same place in messages of magic 0 and 1 */
    KAFKA_BATCH_CRC = 17,
    KAFKA_BATCH_ATTRIBUTES = 21, /* the checksum covers from here to the end */
    KAFKA_BATCH_LAST_OFFSET_DELTA = 23,
    KAFKA_BATCH_BASE_TIMESTAMP = 27,
    KAFKA_BATCH_MAX_TIMESTAMP = 35,
    KAFKA_BATCH_PRODUCER_ID = 43,
    KAFKA_BATCH_PRODUCER_EPOCH = 51,
    KAFKA_BATCH_BASE_SEQUENCE = 53,
    KAFKA_BATCH_RECORD_COUNT = 57,
    KAFKA_BATCH_RECORDS = 61,
};

/* Bits of the attributes; the same bits 0 to 3 in messages of magic 0 and 1. */
enum kafka_attributes {
    KAFKA_ATTRIBUTE_CODEC = 0x0007,
    KAFKA_ATTRIBUTE_LOG_APPEND_TIME = 0x0008,
    KAFKA_ATTRIBUTE_TRANSACTIONAL = 0x0010,
    KAFKA_ATTRIBUTE_CONTROL = 0x0020,
    KAFKA_ATTRIBUTE_DELETE_HORIZON = 0x0040, /* the base timestamp is then the delete horizon as well */
    KAFKA_ATTRIBUTE_UNUSED = 0xff80,
};

struct kafka_batch {
    enum kafka_item_status status;
    enum kafka_fault fault;
    size_t offset;   /* of the first byte, in the data of the cursor */
    size_t size;     /* of the whole batch, as its length field says; 0 when that was not read or is wrong */
    size_t present;  /* bytes of it in the record set: below size when the status is partial */
    size_t captured; /* bytes of it that are there to read; fields up to here are set, the others are 0 */

    int64_t base_offset;
    int32_t length;
    int32_t leader_epoch;
    int8_t magic;
    uint32_t crc;
    uint16_t attributes;
    int32_t last_offset_delta;
    int64_t base_timestamp;
    int64_t max_timestamp;
    int64_t producer_id;
    int16_t producer_epoch;
    int32_t base_sequence;
    int32_t record_count;
};

/*
 * Reads the batch that begins at the cursor; its magic is not looked at. The cursor's limit is the end of the record
 * set. Never returns KAFKA_ITEM_END. Even when the status is not complete, what was there is in the fields.
 */
enum kafka_item_status kafka_batch_read(const struct kafka_cursor *cursor, struct kafka_batch *batch);

/* Returns the checksum of a batch whose status is complete; data is that of the cursor it was read from. */
uint32_t kafka_batch_compute_crc(const struct kafka_batch *batch, const uint8_t *data);

/* Returns sequence + delta, which goes on at 0 after INT32_MAX; −1, for no sequence, stays. */
int32_t kafka_sequence_add(int32_t sequence, int32_t delta);

/* Returns a + b, which wraps around instead of overflowing: both come from bytes that nobody has checked. */
static inline int64_t kafka_add64(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Whether the header was there to its end. */
static inline bool kafka_batch_has_header(const struct kafka_batch *batch)
{
    return batch->captured >= KAFKA_BATCH_RECORDS;
}

static inline enum kafka_codec kafka_attributes_codec(uint16_t attributes)
{
    return (enum kafka_codec)(attributes & KAFKA_ATTRIBUTE_CODEC);
}

static inline int64_t kafka_batch_last_offset(const struct kafka_batch *batch)
{
    return kafka_add64(batch->base_offset, batch->last_offset_delta);
}

static inline int32_t kafka_batch_last_sequence(const struct kafka_batch *batch)
{
    return kafka_sequence_add(batch->base_sequence, batch->last_offset_delta);
}

#endif
