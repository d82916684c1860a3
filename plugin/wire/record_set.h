/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of record batches and messages, of any magic each, as records fields and segment files hold it, and as a
 * wrapper's value is when it is unpacked.
 */
#ifndef KAFKA_WIRE_RECORD_SET_H
#define KAFKA_WIRE_RECORD_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "cursor.h"
#include "fault.h"
#include "message_set.h"

enum kafka_entry_kind {
    KAFKA_ENTRY_BATCH,       /* magic 2 */
    KAFKA_ENTRY_OLD_MESSAGE, /* magic 0 or 1 */
    KAFKA_ENTRY_OTHER,       /* the magic is another one, or was not there to read */
};

struct kafka_record_set_entry {
    enum kafka_entry_kind kind;
    enum kafka_item_status status;
    enum kafka_fault fault;
    size_t fault_offset;
    size_t offset;   /* of the first byte */
    size_t size;     /* of the whole entry, as its length says; 0 when that is wrong or not there */
    size_t present;  /* bytes of it in the record set */
    size_t captured; /* bytes of it that are there to read */
    union {
        struct kafka_batch batch; /* also of KAFKA_ENTRY_OTHER: its first three fields are in all magics alike */
        struct kafka_old_message old_message; /* of KAFKA_ENTRY_OLD_MESSAGE */
    };
};

/*
 * Reads the entry at the cursor and moves past it: to the end of what the record set has of it. The cursor's limit is
 * the end of the record set. After an entry whose length makes no sense, the cursor stands at the limit.
 * KAFKA_ITEM_END: nothing is left, or nothing that was captured (cursor->offset is then below the limit).
 */
enum kafka_item_status kafka_record_set_next(struct kafka_cursor *cursor, struct kafka_record_set_entry *entry);

/*
 * Where a record set starts anywhere (a part of a snapshot), or went on past a broken length: finds the next batch of
 * magic 2 that begins at or after the cursor and before end, is there whole, and whose checksum is right. Returns false
 * when there is none; else moves the cursor there. What is read and checksummed on the way is taken from *budget, in
 * bytes, and the search ends where that does: bytes made for it cannot make this slow.
 */
bool kafka_record_set_find_batch(struct kafka_cursor *cursor, size_t end, size_t *budget);

/* A budget for all searches in a packet. */
#define KAFKA_FIND_MAX_BYTES ((size_t)64 << 20)

#endif
