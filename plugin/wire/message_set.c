/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "message_set.h"

#include "batch.h"
#include "crc.h"

/* The bytes of a message that its size does not count. */
#define UNCOUNTED 12

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void end_part(struct kafka_old_message *message, const struct kafka_cursor *cursor)
{
    message->parts++;
    message->begin[message->parts] = cursor->offset;
}

static bool read_int8(struct kafka_old_message *message, struct kafka_cursor *cursor, int8_t *value)
{
    if (kafka_read_int8(cursor, value) != KAFKA_OK) {
        return false;
    }
    end_part(message, cursor);
    return true;
}

static bool read_int32(struct kafka_old_message *message, struct kafka_cursor *cursor, int32_t *value)
{
    if (kafka_read_int32(cursor, value) != KAFKA_OK) {
        return false;
    }
    end_part(message, cursor);
    return true;
}

static bool read_int64(struct kafka_old_message *message, struct kafka_cursor *cursor, int64_t *value)
{
    if (kafka_read_int64(cursor, value) != KAFKA_OK) {
        return false;
    }
    end_part(message, cursor);
    return true;
}

static bool fail(struct kafka_old_message *message, enum kafka_fault fault, size_t offset)
{
    message->fault = fault;
    message->fault_offset = offset;
    message->status = KAFKA_ITEM_MALFORMED;
    return false;
}

/* A length and the bytes that it counts. Returns false when not all are there; a fault is then stored unless they are
 * cut. */
static bool read_bytes(struct kafka_old_message *message, struct kafka_cursor *cursor, enum kafka_fault fault,
                       struct kafka_span *span)
{
    size_t start = cursor->offset;
    int32_t length;
    enum kafka_status status = kafka_read_int32(cursor, &length);

    if (status == KAFKA_SHORT ||
        (status == KAFKA_OK && (length < -1 || (length > 0 && (size_t)length > kafka_remaining(cursor))))) {
        return fail(message, fault, start);
    }
    if (status != KAFKA_OK) {
        return false;
    }
    end_part(message, cursor);
    *span = (struct kafka_span){cursor->offset, length < 0 ? 0 : (size_t)length, length < 0};
    if (kafka_need(cursor, span->length) != KAFKA_OK) {
        span->length = cursor->captured - cursor->offset;
        return false;
    }
    cursor->offset += span->length;
    end_part(message, cursor);
    return true;
}

/* From the checksum on; the cursor's limit is the end of the message as its size says. */
static void read_body(struct kafka_old_message *message, struct kafka_cursor *cursor)
{
    int32_t crc;
    int8_t attributes;

    if (!read_int32(message, cursor, &crc)) {
        return;
    }
    message->crc = (uint32_t)crc;
    if (!read_int8(message, cursor, &message->magic)) {
        return;
    }
    if (message->magic > 0 && message->size < KAFKA_OLD_MIN_SIZE_V1) {
        (void)fail(message, KAFKA_FAULT_LENGTH_TOO_SMALL, message->begin[KAFKA_OLD_SIZE]);
        return;
    }
    if (!read_int8(message, cursor, &attributes)) {
        return;
    }
    message->attributes = (uint8_t)attributes;
    if (message->magic == 0) {
        end_part(message, cursor);
    } else if (!read_int64(message, cursor, &message->timestamp)) {
        return;
    }
    if (read_bytes(message, cursor, KAFKA_FAULT_KEY_LENGTH, &message->key) &&
        read_bytes(message, cursor, KAFKA_FAULT_VALUE_LENGTH, &message->value) && kafka_remaining(cursor) > 0) {
        (void)fail(message, KAFKA_FAULT_LEFT_OVER, cursor->offset);
    }
}

enum kafka_item_status kafka_old_message_read(const struct kafka_cursor *cursor, struct kafka_old_message *message)
{
    struct kafka_cursor body = *cursor;
    size_t present = kafka_remaining(cursor);
    size_t captured = cursor->captured > cursor->offset ? cursor->captured - cursor->offset : 0;

    captured = min_size(captured, present);
    *message = (struct kafka_old_message){.present = present, .captured = captured, .timestamp = -1};
    message->begin[0] = cursor->offset;
    message->status = captured < present ? KAFKA_ITEM_CUT : KAFKA_ITEM_PARTIAL;
    if (!read_int64(message, &body, &message->offset) || !read_int32(message, &body, &message->size)) {
        return message->status;
    }
    if (message->size < KAFKA_OLD_MIN_SIZE_V0) {
        (void)fail(message, KAFKA_FAULT_LENGTH_TOO_SMALL, message->begin[KAFKA_OLD_SIZE]);
        return message->status;
    }
    message->whole_size = (size_t)message->size + UNCOUNTED;
    message->present = min_size(present, message->whole_size);
    message->captured = min_size(captured, message->whole_size);
    if (message->present < message->whole_size) {
        message->status = KAFKA_ITEM_PARTIAL;
    } else {
        message->status = message->captured < message->whole_size ? KAFKA_ITEM_CUT : KAFKA_ITEM_COMPLETE;
    }
    /* The limit is where the message says that it ends, which may be past the end of the set: what is missing is then
     * cut. */
    body.limit = cursor->offset + message->whole_size;
    body.captured = cursor->offset + message->captured;
    read_body(message, &body);
    if (message->present < message->whole_size) {
        /* Brokers that convert for old consumers end a set with an empty message that says it is longer than what is
         * left: whatever stands in a message that is not whole, nobody reads it. */
        message->status = KAFKA_ITEM_PARTIAL;
        message->fault = KAFKA_FAULT_NONE;
    }
    return message->status;
}

bool kafka_old_message_has_crc(const struct kafka_old_message *message)
{
    return message->whole_size > 0 && message->captured == message->whole_size;
}

uint32_t kafka_old_message_compute_crc(const struct kafka_old_message *message, const uint8_t *data)
{
    return kafka_crc(KAFKA_CRC32, data + message->begin[0] + KAFKA_BATCH_MAGIC,
                     message->whole_size - KAFKA_BATCH_MAGIC);
}

void kafka_wrapper_read(struct kafka_wrapper *wrapper, const struct kafka_old_message *outer, const uint8_t *inner,
                        size_t inner_size, bool is_whole)
{
    struct kafka_cursor cursor = {.data = inner, .offset = 0, .limit = inner_size, .captured = inner_size};
    struct kafka_old_message message;
    int64_t last_offset = 0;
    uint8_t codec = outer->attributes & KAFKA_ATTRIBUTE_CODEC;

    *wrapper = (struct kafka_wrapper){.append_time = outer->timestamp};
    wrapper->has_append_time = outer->magic > 0 && (outer->attributes & KAFKA_ATTRIBUTE_LOG_APPEND_TIME) != 0;
    if (outer->value.is_null) {
        wrapper->problems |= KAFKA_WRAPPER_NULL_VALUE;
    }
    if (codec >= KAFKA_CODEC_ZSTD) {
        wrapper->problems |= KAFKA_WRAPPER_BAD_CODEC;
    }
    while (kafka_remaining(&cursor) > 0 && kafka_old_message_read(&cursor, &message) == KAFKA_ITEM_COMPLETE) {
        last_offset = message.offset;
        wrapper->count++;
        wrapper->problems |= message.magic != outer->magic ? KAFKA_WRAPPER_MAGIC_DIFFERS : 0U;
        wrapper->problems |= (message.attributes & KAFKA_ATTRIBUTE_CODEC) != 0 ? KAFKA_WRAPPER_NESTED : 0U;
        cursor.offset += message.whole_size;
    }
    if (wrapper->count == 0) {
        wrapper->problems |= is_whole && !outer->value.is_null ? KAFKA_WRAPPER_EMPTY : 0U;
        return;
    }
    /* A producer may leave the wrapper's offset at 0 (librdkafka does): the inner offsets then start where they say. */
    if (outer->magic > 0 && outer->offset != 0 && is_whole) {
        wrapper->base_offset = kafka_add64(outer->offset, -last_offset);
        wrapper->problems |= outer->offset < last_offset ? KAFKA_WRAPPER_OFFSET_TOO_LOW : 0U;
    }
}

int64_t kafka_wrapper_offset(const struct kafka_wrapper *wrapper, const struct kafka_old_message *inner)
{
    return kafka_add64(wrapper->base_offset, inner->offset);
}

int64_t kafka_wrapper_timestamp(const struct kafka_wrapper *wrapper, const struct kafka_old_message *inner)
{
    return wrapper->has_append_time ? wrapper->append_time : inner->timestamp;
}
