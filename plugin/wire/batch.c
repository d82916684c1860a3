/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch.h"

#include "crc.h"
#include "placement.h"

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Fills in the fields that lie wholly in the first `size` bytes at p. */
static void read_fields(const uint8_t *p, size_t size, struct kafka_batch *batch)
{
    /* The field that ends at `end` is there; fields follow each other, so one missing field ends the reading. */
#define READ(member, begin, end, value)                                                                                \
    if (size < (end)) {                                                                                                \
        return;                                                                                                        \
    }                                                                                                                  \
    batch->member = value(p + (begin))
#define LOAD8(at)  ((int8_t)(at)[0])
#define LOAD16(at) ((int16_t)kafka_load16(at))
#define LOAD32(at) ((int32_t)kafka_load32(at))
#define LOAD64(at) ((int64_t)kafka_load64(at))

    READ(base_offset, KAFKA_BATCH_BASE_OFFSET, KAFKA_BATCH_LENGTH, LOAD64);
    READ(length, KAFKA_BATCH_LENGTH, KAFKA_BATCH_LEADER_EPOCH, LOAD32);
    READ(leader_epoch, KAFKA_BATCH_LEADER_EPOCH, KAFKA_BATCH_MAGIC, LOAD32);
    READ(magic, KAFKA_BATCH_MAGIC, KAFKA_BATCH_CRC, LOAD8);
    READ(crc, KAFKA_BATCH_CRC, KAFKA_BATCH_ATTRIBUTES, kafka_load32);
    READ(attributes, KAFKA_BATCH_ATTRIBUTES, KAFKA_BATCH_LAST_OFFSET_DELTA, kafka_load16);
    READ(last_offset_delta, KAFKA_BATCH_LAST_OFFSET_DELTA, KAFKA_BATCH_BASE_TIMESTAMP, LOAD32);
    READ(base_timestamp, KAFKA_BATCH_BASE_TIMESTAMP, KAFKA_BATCH_MAX_TIMESTAMP, LOAD64);
    READ(max_timestamp, KAFKA_BATCH_MAX_TIMESTAMP, KAFKA_BATCH_PRODUCER_ID, LOAD64);
    READ(producer_id, KAFKA_BATCH_PRODUCER_ID, KAFKA_BATCH_PRODUCER_EPOCH, LOAD64);
    READ(producer_epoch, KAFKA_BATCH_PRODUCER_EPOCH, KAFKA_BATCH_BASE_SEQUENCE, LOAD16);
    READ(base_sequence, KAFKA_BATCH_BASE_SEQUENCE, KAFKA_BATCH_RECORD_COUNT, LOAD32);
    READ(record_count, KAFKA_BATCH_RECORD_COUNT, KAFKA_BATCH_RECORDS, LOAD32);

#undef LOAD64
#undef LOAD32
#undef LOAD16
#undef LOAD8
#undef READ
}

/* Ends the batch where its length says, of what is present and captured from its first byte on. */
static enum kafka_item_status measure(struct kafka_batch *batch)
{
    if (batch->length < KAFKA_BATCH_RECORDS - KAFKA_BATCH_LEADER_EPOCH) {
        batch->fault = KAFKA_FAULT_LENGTH_TOO_SMALL;
        batch->status = KAFKA_ITEM_MALFORMED;
        return batch->status;
    }
    batch->size = (size_t)batch->length + KAFKA_BATCH_LEADER_EPOCH;
    batch->present = min_size(batch->present, batch->size);
    batch->captured = min_size(batch->captured, batch->size);
    if (batch->present < batch->size) {
        batch->status = KAFKA_ITEM_PARTIAL;
    } else {
        batch->status = batch->captured < batch->size ? KAFKA_ITEM_CUT : KAFKA_ITEM_COMPLETE;
    }
    return batch->status;
}

/* Reads what is there of a header that is not whole. */
KAFKA_COLD static enum kafka_item_status read_short(const struct kafka_cursor *cursor, size_t present, size_t captured,
                                                    struct kafka_batch *batch)
{
    *batch = (struct kafka_batch){.offset = cursor->offset, .present = present, .captured = captured};
    if (captured > 0) {
        read_fields(cursor->data + cursor->offset, captured, batch);
    }
    if (captured >= KAFKA_BATCH_LEADER_EPOCH) {
        return measure(batch);
    }
    batch->status = captured < present ? KAFKA_ITEM_CUT : KAFKA_ITEM_PARTIAL;
    return batch->status;
}

enum kafka_item_status kafka_batch_read(const struct kafka_cursor *cursor, struct kafka_batch *batch)
{
    size_t present = kafka_remaining(cursor);
    size_t captured = cursor->captured > cursor->offset ? cursor->captured - cursor->offset : 0;

    captured = min_size(captured, present);
    if (captured < KAFKA_BATCH_RECORDS) {
        return read_short(cursor, present, captured, batch);
    }
    const uint8_t *p = cursor->data + cursor->offset;
    batch->fault = KAFKA_FAULT_NONE;
    batch->offset = cursor->offset;
    batch->size = 0;
    batch->present = present;
    batch->captured = captured;
    read_fields(p, KAFKA_BATCH_RECORDS, batch);
    return measure(batch);
}

uint32_t kafka_batch_compute_crc(const struct kafka_batch *batch, const uint8_t *data)
{
    return kafka_crc(KAFKA_CRC32C, data + batch->offset + KAFKA_BATCH_ATTRIBUTES, batch->size - KAFKA_BATCH_ATTRIBUTES);
}

int32_t kafka_sequence_add(int32_t sequence, int32_t delta)
{
    if (sequence < 0) {
        return sequence;
    }
    return (int32_t)(((uint32_t)sequence + (uint32_t)delta) & INT32_MAX);
}
