/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record_set.h"

#include <string.h>

static void take_batch(struct kafka_record_set_entry *entry)
{
    entry->status = entry->batch.status;
    entry->fault = entry->batch.fault;
    entry->fault_offset = entry->batch.offset + KAFKA_BATCH_LENGTH;
    entry->size = entry->batch.size;
    entry->present = entry->batch.present;
    entry->captured = entry->batch.captured;
}

static void take_old_message(struct kafka_record_set_entry *entry)
{
    entry->status = entry->old_message.status;
    entry->fault = entry->old_message.fault;
    entry->fault_offset = entry->old_message.fault_offset;
    entry->size = entry->old_message.whole_size;
    entry->present = entry->old_message.present;
    entry->captured = entry->old_message.captured;
}

/* An entry whose layout nobody knows. Its length is where it always was, so what follows it can still be read. */
static void take_other(struct kafka_record_set_entry *entry)
{
    struct kafka_batch *batch = &entry->batch;

    if (batch->captured >= KAFKA_BATCH_LEADER_EPOCH && batch->length >= KAFKA_OLD_MIN_SIZE_V0) {
        /* Too short for a batch of magic 2, perhaps, but not for every magic. */
        size_t size = (size_t)batch->length + KAFKA_BATCH_LEADER_EPOCH;
        batch->size = size;
        batch->present = batch->present < size ? batch->present : size;
        batch->captured = batch->captured < size ? batch->captured : size;
        batch->fault = KAFKA_FAULT_NONE;
        batch->status = batch->present < size ? KAFKA_ITEM_PARTIAL : KAFKA_ITEM_CUT;
    }
    take_batch(entry);
    if (batch->captured > KAFKA_BATCH_MAGIC) {
        entry->status = KAFKA_ITEM_MALFORMED;
        entry->fault = KAFKA_FAULT_UNKNOWN_MAGIC;
        entry->fault_offset = entry->offset + KAFKA_BATCH_MAGIC;
    }
}

enum kafka_item_status kafka_record_set_next(struct kafka_cursor *cursor, struct kafka_record_set_entry *entry)
{
    if (kafka_remaining(cursor) == 0 || cursor->offset >= cursor->captured) {
        return KAFKA_ITEM_END;
    }
    entry->offset = cursor->offset;
    int magic = kafka_need(cursor, KAFKA_BATCH_MAGIC + 1) == KAFKA_OK
                    ? (int8_t)cursor->data[cursor->offset + KAFKA_BATCH_MAGIC]
                    : -1;
    if (magic == 0 || magic == 1) {
        entry->kind = KAFKA_ENTRY_OLD_MESSAGE;
        (void)kafka_old_message_read(cursor, &entry->old_message);
        take_old_message(entry);
    } else {
        (void)kafka_batch_read(cursor, &entry->batch);
        if (magic == 2) {
            entry->kind = KAFKA_ENTRY_BATCH;
            take_batch(entry);
        } else {
            entry->kind = KAFKA_ENTRY_OTHER;
            take_other(entry);
        }
    }
    cursor->offset += entry->present;
    return entry->status;
}

/* Takes what was done from the budget; false when it does not suffice, and then nothing is left of it. */
static bool charge(size_t *budget, size_t bytes)
{
    bool suffices = bytes <= *budget;

    *budget = suffices ? *budget - bytes : 0;
    return suffices;
}

bool kafka_record_set_find_batch(struct kafka_cursor *cursor, size_t end, size_t *budget)
{
    struct kafka_cursor at = *cursor;
    size_t captured = cursor->limit < cursor->captured ? cursor->limit : cursor->captured;
    struct kafka_batch batch;

    while (at.offset < end && at.offset < captured && captured - at.offset >= KAFKA_BATCH_RECORDS) {
        size_t last = captured - KAFKA_BATCH_RECORDS;
        const uint8_t *magic = at.data + at.offset + KAFKA_BATCH_MAGIC;
        const uint8_t *found = memchr(magic, 2, (last < end - 1 ? last : end - 1) - at.offset + 1);
        size_t passed = found != NULL ? (size_t)(found - magic) : last - at.offset;
        if (!charge(budget, passed) || found == NULL) {
            return false;
        }
        at.offset += passed;
        if (!charge(budget, KAFKA_BATCH_RECORDS)) {
            return false;
        }
        if (kafka_batch_read(&at, &batch) == KAFKA_ITEM_COMPLETE) {
            if (!charge(budget, batch.size)) {
                return false;
            }
            if (kafka_batch_compute_crc(&batch, at.data) == batch.crc) {
                cursor->offset = at.offset;
                return true;
            }
        }
        at.offset++;
    }
    return false;
}
