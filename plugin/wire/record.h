/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a batch of magic 2 and their headers, out of the batch itself or out of what was unpacked from it. */
#ifndef KAFKA_WIRE_RECORD_H
#define KAFKA_WIRE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "cursor.h"
#include "fault.h"

/* The parts of a record in the order of the bytes. */
enum kafka_record_part {
    KAFKA_RECORD_LENGTH,
    KAFKA_RECORD_ATTRIBUTES,
    KAFKA_RECORD_TIMESTAMP_DELTA,
    KAFKA_RECORD_OFFSET_DELTA,
    KAFKA_RECORD_KEY_LENGTH,
    KAFKA_RECORD_KEY,
    KAFKA_RECORD_VALUE_LENGTH,
    KAFKA_RECORD_VALUE,
    KAFKA_RECORD_HEADER_COUNT,
    KAFKA_RECORD_HEADERS,
    KAFKA_RECORD_PARTS
};

struct kafka_record {
    enum kafka_item_status status; /* complete, cut or malformed */
    enum kafka_fault fault;
    size_t fault_offset; /* of the part, or the header, that is wrong */
    unsigned parts;      /* how many parts were read; all of them when complete */
    size_t end;          /* where the record ends as its length says; where it was left when that is wrong */

    int32_t length;
    int8_t attributes; /* no bit has a meaning */
    int64_t timestamp_delta;
    int32_t offset_delta;
    struct kafka_span key; /* what is there of it when the capture ends inside */
    struct kafka_span value;
    int32_t header_count;

    /* What the batch makes of them. */
    int64_t timestamp;
    int64_t offset;
    int32_t sequence;

    size_t begin[KAFKA_RECORD_PARTS + 1]; /* part p is begin[p] to begin[p + 1]; set up to begin[parts] */
};

/* What a walk over the records saw, for kafka_batch_check_records. Offsets are in the bytes that were walked. */
struct kafka_records_seen {
    int32_t count;                 /* records, malformed ones too */
    int32_t malformed;             /* of these */
    int32_t last_offset_delta;     /* of the last record whose offset delta was read, −1 before */
    bool is_ascending;             /* each offset delta so far was above the one before */
    size_t not_ascending_offset;   /* of the first record for which that was not so */
    int64_t max_create_timestamp;  /* base timestamp plus the largest delta; INT64_MIN before the first */
    size_t max_timestamp_offset;   /* of the record that has it */
    size_t left_over_offset;       /* bytes after the last record that are not a record */
    size_t left_over;              /* how many */
    enum kafka_item_status status; /* END while nothing ended the walk early; else CUT or MALFORMED */
};

struct kafka_record_iterator {
    struct kafka_cursor cursor;
    const struct kafka_batch *batch; /* the caller keeps it while the iterator is used */
    struct kafka_records_seen seen;
    bool is_done;
};

/* Over the records of a batch that is not compressed; cursor is the one the batch was read from, its header was
 * complete. */
void kafka_records_init(struct kafka_record_iterator *iterator, const struct kafka_batch *batch,
                        const struct kafka_cursor *cursor);

/* Over the records unpacked from a batch; is_whole is false when unpacking stopped at a fault. */
void kafka_records_init_unpacked(struct kafka_record_iterator *iterator, const struct kafka_batch *batch,
                                 const uint8_t *data, size_t size, bool is_whole);

/*
 * Reads the next record. A malformed record whose length makes sense does not end the walk. What remains after as many
 * records as the batch counts and is not a record counts as left over. KAFKA_ITEM_END: there is none, see
 * iterator->seen.
 */
enum kafka_item_status kafka_records_next(struct kafka_record_iterator *iterator, struct kafka_record *record);

struct kafka_record_header {
    size_t offset;       /* where the key's length begins */
    size_t value_offset; /* where the value's length begins */
    size_t end;
    struct kafka_span key; /* never null */
    struct kafka_span value;
};

struct kafka_record_headers {
    struct kafka_cursor cursor;
    int32_t left;
};

/*
 * Over the headers of a record whose header count was read. Of a malformed or cut record, the headers before the fault.
 * data is that of the record's iterator.
 */
void kafka_record_headers_init(struct kafka_record_headers *headers, const struct kafka_record *record,
                               const uint8_t *data);

/* Returns false when there is no further header. */
bool kafka_record_headers_next(struct kafka_record_headers *headers, struct kafka_record_header *header);

#endif
