/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record.h"

#include <string.h>

/* Further than any byte that is there, without an offset beyond it overflowing. */
#define NO_LIMIT (SIZE_MAX / 2)

static void init(struct kafka_record_iterator *iterator, const struct kafka_batch *batch, struct kafka_cursor cursor)
{
    *iterator = (struct kafka_record_iterator){.cursor = cursor, .batch = batch};
    iterator->seen.last_offset_delta = -1;
    iterator->seen.is_ascending = true;
    iterator->seen.max_create_timestamp = INT64_MIN;
    iterator->seen.status = KAFKA_ITEM_END;
}

void kafka_records_init(struct kafka_record_iterator *iterator, const struct kafka_batch *batch,
                        const struct kafka_cursor *cursor)
{
    struct kafka_cursor records = {
        .data = cursor->data,
        .offset = batch->offset + KAFKA_BATCH_RECORDS,
        .limit = batch->offset + batch->size,
        .captured = batch->offset + batch->captured,
    };

    init(iterator, batch, records);
}

void kafka_records_init_unpacked(struct kafka_record_iterator *iterator, const struct kafka_batch *batch,
                                 const uint8_t *data, size_t size, bool is_whole)
{
    struct kafka_cursor records = {.data = data, .offset = 0, .limit = is_whole ? size : NO_LIMIT, .captured = size};

    init(iterator, batch, records);
}

static enum kafka_item_status fail(struct kafka_record *record, enum kafka_fault fault, size_t offset)
{
    record->fault = fault;
    record->fault_offset = offset;
    record->status = KAFKA_ITEM_MALFORMED;
    return record->status;
}

/* Turns the status of a read at the cursor, which did not succeed, into that of the record. */
static enum kafka_item_status fail_read(struct kafka_record *record, const struct kafka_cursor *cursor,
                                        enum kafka_status status)
{
    if (status == KAFKA_CUT) {
        record->fault_offset = cursor->offset;
        record->status = KAFKA_ITEM_CUT;
        return record->status;
    }
    return fail(record, status == KAFKA_BAD_VARINT ? KAFKA_FAULT_VARINT : KAFKA_FAULT_RECORD_TOO_SHORT, cursor->offset);
}

static void end_part(struct kafka_record *record, const struct kafka_cursor *cursor)
{
    record->parts++;
    record->begin[record->parts] = cursor->offset;
}

/* Whether a key or value of that length fits below the limit; null does when it is allowed. */
static bool length_fits(const struct kafka_cursor *cursor, int32_t length, int32_t smallest)
{
    return length >= smallest && (length < 0 || (size_t)length <= kafka_remaining(cursor));
}

/* Reads a length and the bytes that it counts into span. On any status but KAFKA_ITEM_COMPLETE the record says why. */
static enum kafka_item_status read_bytes(struct kafka_record *record, struct kafka_cursor *cursor,
                                         enum kafka_fault fault, struct kafka_span *span)
{
    size_t start = cursor->offset;
    int32_t length;
    enum kafka_status status = kafka_read_varint(cursor, &length);

    if (status != KAFKA_OK) {
        return fail_read(record, cursor, status);
    }
    if (!length_fits(cursor, length, -1)) {
        return fail(record, fault, start);
    }
    end_part(record, cursor);
    span->is_null = length < 0;
    span->offset = cursor->offset;
    span->length = length < 0 ? 0 : (size_t)length;
    if (kafka_need(cursor, span->length) != KAFKA_OK) {
        span->length = cursor->captured - cursor->offset;
        return fail_read(record, cursor, KAFKA_CUT);
    }
    cursor->offset += span->length;
    end_part(record, cursor);
    return KAFKA_ITEM_COMPLETE;
}

/* One header at the cursor. KAFKA_ITEM_MALFORMED stores the fault and where; KAFKA_ITEM_CUT stores where. */
static enum kafka_item_status read_header(struct kafka_cursor *cursor, struct kafka_record_header *header,
                                          enum kafka_fault *fault, size_t *fault_offset)
{
    struct kafka_span *spans[] = {&header->key, &header->value};
    static const enum kafka_fault faults[] = {KAFKA_FAULT_HEADER_KEY_LENGTH, KAFKA_FAULT_HEADER_VALUE_LENGTH};
    static const int32_t smallest[] = {0, -1};

    header->offset = cursor->offset;
    for (int i = 0; i < 2; i++) {
        int32_t length;
        *fault_offset = cursor->offset;
        if (i == 1) {
            header->value_offset = cursor->offset;
        }
        enum kafka_status status = kafka_read_varint(cursor, &length);
        if (status == KAFKA_OK && !length_fits(cursor, length, smallest[i])) {
            *fault = faults[i];
            return KAFKA_ITEM_MALFORMED;
        }
        if (status == KAFKA_OK) {
            *spans[i] = (struct kafka_span){cursor->offset, length < 0 ? 0 : (size_t)length, length < 0};
            status = kafka_need(cursor, spans[i]->length);
        }
        if (status == KAFKA_CUT) {
            return KAFKA_ITEM_CUT;
        }
        if (status != KAFKA_OK) {
            *fault = status == KAFKA_BAD_VARINT ? KAFKA_FAULT_VARINT : KAFKA_FAULT_RECORD_TOO_SHORT;
            return KAFKA_ITEM_MALFORMED;
        }
        cursor->offset += spans[i]->length;
    }
    header->end = cursor->offset;
    return KAFKA_ITEM_COMPLETE;
}

static enum kafka_item_status read_headers(struct kafka_record *record, struct kafka_cursor *cursor)
{
    struct kafka_record_header header;

    for (int32_t i = 0; i < record->header_count; i++) {
        record->status = read_header(cursor, &header, &record->fault, &record->fault_offset);
        if (record->status != KAFKA_ITEM_COMPLETE) {
            return record->status;
        }
    }
    end_part(record, cursor);
    return KAFKA_ITEM_COMPLETE;
}

/* What follows the record's length; the cursor's limit is the end of the record. */
static enum kafka_item_status read_body(struct kafka_record *record, struct kafka_cursor *cursor)
{
    enum kafka_status status = kafka_read_int8(cursor, &record->attributes);
    if (status != KAFKA_OK) {
        return fail_read(record, cursor, status);
    }
    end_part(record, cursor);
    status = kafka_read_varlong(cursor, &record->timestamp_delta);
    if (status != KAFKA_OK) {
        return fail_read(record, cursor, status);
    }
    end_part(record, cursor);
    status = kafka_read_varint(cursor, &record->offset_delta);
    if (status != KAFKA_OK) {
        return fail_read(record, cursor, status);
    }
    end_part(record, cursor);
    if (read_bytes(record, cursor, KAFKA_FAULT_KEY_LENGTH, &record->key) != KAFKA_ITEM_COMPLETE ||
        read_bytes(record, cursor, KAFKA_FAULT_VALUE_LENGTH, &record->value) != KAFKA_ITEM_COMPLETE) {
        return record->status;
    }
    size_t start = cursor->offset;
    status = kafka_read_varint(cursor, &record->header_count);
    if (status != KAFKA_OK) {
        return fail_read(record, cursor, status);
    }
    end_part(record, cursor);
    /* A header takes two bytes at least, so this bounds the loop by the bytes that are there. */
    if (record->header_count < 0 || (size_t)record->header_count > kafka_remaining(cursor) / 2) {
        return fail(record, KAFKA_FAULT_HEADER_COUNT, start);
    }
    if (read_headers(record, cursor) != KAFKA_ITEM_COMPLETE) {
        return record->status;
    }
    if (kafka_remaining(cursor) > 0) {
        return fail(record, KAFKA_FAULT_LEFT_OVER, cursor->offset);
    }
    return KAFKA_ITEM_COMPLETE;
}

/* Empties a record. Where parts begin is set as they are read. */
static void begin_record(struct kafka_record *record, size_t offset)
{
    memset(record, 0, offsetof(struct kafka_record, begin));
    record->status = KAFKA_ITEM_COMPLETE;
    record->begin[0] = offset;
}

/* Reads the record at the cursor and moves past it as far as its length can be trusted; stores whether it can. */
static enum kafka_item_status read_record(struct kafka_cursor *cursor, struct kafka_record *record, bool *has_end)
{
    begin_record(record, cursor->offset);
    record->end = cursor->limit < cursor->captured ? cursor->limit : cursor->captured;
    *has_end = false;

    size_t start = cursor->offset;
    enum kafka_status status = kafka_read_varint(cursor, &record->length);
    if (status != KAFKA_OK) {
        return fail_read(record, cursor, status);
    }
    end_part(record, cursor);
    if (record->length < 0) {
        return fail(record, KAFKA_FAULT_RECORD_LENGTH, start);
    }
    bool is_too_long = (size_t)record->length > kafka_remaining(cursor);
    struct kafka_cursor body = *cursor;
    if (!is_too_long) {
        body.limit = cursor->offset + (size_t)record->length;
        record->end = body.limit;
        *has_end = body.limit <= cursor->captured;
    }
    enum kafka_item_status result = read_body(record, &body);
    if (is_too_long) {
        result = fail(record, KAFKA_FAULT_RECORD_TOO_LONG, start);
    }
    cursor->offset = *has_end ? record->end : body.offset;
    return result;
}

static void note_seen(struct kafka_record_iterator *iterator, const struct kafka_record *record)
{
    struct kafka_records_seen *seen = &iterator->seen;

    if (record->parts > KAFKA_RECORD_OFFSET_DELTA) {
        if (seen->count > 0 && record->offset_delta <= seen->last_offset_delta && seen->is_ascending) {
            seen->is_ascending = false;
            seen->not_ascending_offset = record->begin[0];
        }
        seen->last_offset_delta = record->offset_delta;
        int64_t timestamp = kafka_add64(iterator->batch->base_timestamp, record->timestamp_delta);
        if (timestamp > seen->max_create_timestamp) {
            seen->max_create_timestamp = timestamp;
            seen->max_timestamp_offset = record->begin[0];
        }
    }
    seen->count++;
    seen->malformed += record->status == KAFKA_ITEM_MALFORMED ? 1 : 0;
}

/* Gives the record what its batch makes of it. */
static void derive(struct kafka_record *record, const struct kafka_batch *batch)
{
    record->timestamp = (batch->attributes & KAFKA_ATTRIBUTE_LOG_APPEND_TIME) != 0
                            ? batch->max_timestamp
                            : kafka_add64(batch->base_timestamp, record->timestamp_delta);
    record->offset = kafka_add64(batch->base_offset, record->offset_delta);
    record->sequence = kafka_sequence_add(batch->base_sequence, record->offset_delta);
}

enum kafka_item_status kafka_records_next(struct kafka_record_iterator *iterator, struct kafka_record *record)
{
    struct kafka_cursor *cursor = &iterator->cursor;
    struct kafka_records_seen *seen = &iterator->seen;
    struct kafka_cursor start = *cursor;
    bool has_end;

    if (iterator->is_done || kafka_remaining(cursor) == 0) {
        iterator->is_done = true;
        return KAFKA_ITEM_END;
    }
    if (cursor->offset >= cursor->captured) {
        seen->status = KAFKA_ITEM_CUT;
        iterator->is_done = true;
        return KAFKA_ITEM_END;
    }
    enum kafka_item_status status = read_record(cursor, record, &has_end);
    if (status != KAFKA_ITEM_COMPLETE && seen->count >= iterator->batch->record_count) {
        seen->left_over_offset = start.offset;
        seen->left_over = (start.limit < start.captured ? start.limit : start.captured) - start.offset;
        iterator->is_done = true;
        return KAFKA_ITEM_END;
    }
    if (!has_end) {
        seen->status = status;
        iterator->is_done = true;
    }
    derive(record, iterator->batch);
    note_seen(iterator, record);
    return status;
}

void kafka_record_headers_init(struct kafka_record_headers *headers, const struct kafka_record *record,
                               const uint8_t *data)
{
    bool has_headers = record->parts >= KAFKA_RECORD_HEADERS;
    size_t end = record->end;

    /* Up to the fault, if there is one: what lies before it was read once and holds. */
    if (record->status != KAFKA_ITEM_COMPLETE) {
        end = record->fault_offset;
    }
    *headers = (struct kafka_record_headers){.left = has_headers ? record->header_count : 0};
    headers->cursor.data = data;
    headers->cursor.offset = has_headers ? record->begin[KAFKA_RECORD_HEADERS] : end;
    headers->cursor.limit = end > headers->cursor.offset ? end : headers->cursor.offset;
    headers->cursor.captured = headers->cursor.limit;
}

bool kafka_record_headers_next(struct kafka_record_headers *headers, struct kafka_record_header *header)
{
    enum kafka_fault fault;
    size_t fault_offset;

    if (headers->left <= 0) {
        return false;
    }
    headers->left--;
    if (read_header(&headers->cursor, header, &fault, &fault_offset) != KAFKA_ITEM_COMPLETE) {
        headers->left = 0;
        return false;
    }
    return true;
}
