/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts bytes together for unit tests: Kafka's primitives, record batches and messages with their lengths and checksums.
 */
#ifndef KAFKA_TESTS_UNIT_BUILDER_H
#define KAFKA_TESTS_UNIT_BUILDER_H

/* cmocka.h wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "wire/batch.h"
#include "wire/crc.h"
#include "wire/cursor.h"

struct builder {
    uint8_t data[1 << 16];
    size_t size;
};

static inline void put_bytes(struct builder *builder, const void *bytes, size_t size)
{
    assert_true(size <= sizeof builder->data - builder->size);
    if (size > 0) {
        memcpy(builder->data + builder->size, bytes, size);
    }
    builder->size += size;
}

static inline void put_big_endian(struct builder *builder, uint64_t value, unsigned size)
{
    for (unsigned i = size; i-- > 0;) {
        uint8_t byte = (uint8_t)(value >> (8 * i));
        put_bytes(builder, &byte, 1);
    }
}

static inline void put8(struct builder *builder, int value)
{
    put_big_endian(builder, (uint64_t)value, 1);
}

static inline void put16(struct builder *builder, int value)
{
    put_big_endian(builder, (uint64_t)value, 2);
}

static inline void put32(struct builder *builder, int64_t value)
{
    put_big_endian(builder, (uint64_t)value, 4);
}

static inline void put64(struct builder *builder, int64_t value)
{
    put_big_endian(builder, (uint64_t)value, 8);
}

static inline void put_uvarint(struct builder *builder, uint64_t value)
{
    while (value >= 0x80) {
        put8(builder, (int)(value & 0x7f) | 0x80);
        value >>= 7;
    }
    put8(builder, (int)value);
}

/* Zigzag varint or varlong. */
static inline void put_varint(struct builder *builder, int64_t value)
{
    put_uvarint(builder, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static inline void put_text(struct builder *builder, const char *text)
{
    put_bytes(builder, text, strlen(text));
}

/* Key, value and header strings: a varint length and the text, or null. */
static inline void put_varint_text(struct builder *builder, const char *text)
{
    put_varint(builder, text == NULL ? -1 : (int64_t)strlen(text));
    if (text != NULL) {
        put_text(builder, text);
    }
}

static inline void put32_text(struct builder *builder, const char *text)
{
    put32(builder, text == NULL ? -1 : (int64_t)strlen(text));
    if (text != NULL) {
        put_text(builder, text);
    }
}

static inline void set_big_endian(struct builder *builder, size_t offset, uint64_t value, unsigned size)
{
    struct builder patch = {.size = 0};

    put_big_endian(&patch, value, size);
    memcpy(builder->data + offset, patch.data, size);
}

/* What follows a record's length, without headers. */
static inline void put_record_fields(struct builder *builder, int64_t timestamp_delta, int64_t offset_delta,
                                     const char *key, const char *value)
{
    put8(builder, 0);
    put_varint(builder, timestamp_delta);
    put_varint(builder, offset_delta);
    put_varint_text(builder, key);
    put_varint_text(builder, value);
}

/* A record around a body that put_record_fields and more have made. */
static inline void put_record_around(struct builder *builder, const struct builder *body)
{
    put_varint(builder, (int64_t)body->size);
    put_bytes(builder, body->data, body->size);
}

/* A record without headers. */
static inline void put_record(struct builder *builder, int64_t timestamp_delta, int64_t offset_delta, const char *key,
                              const char *value)
{
    struct builder body = {.size = 0};

    put_record_fields(&body, timestamp_delta, offset_delta, key, value);
    put_varint(&body, 0);
    put_record_around(builder, &body);
}

struct batch_values {
    int64_t base_offset;
    int attributes;
    int32_t last_offset_delta;
    int64_t base_timestamp;
    int64_t max_timestamp;
    int64_t producer_id;
    int producer_epoch;
    int32_t base_sequence;
    int32_t record_count;
};

/* A batch of magic 2 with leader epoch 7 around those records, its length and checksum right. */
static inline void put_batch(struct builder *builder, const struct batch_values *values, const void *records,
                             size_t records_size)
{
    size_t start = builder->size;

    put64(builder, values->base_offset);
    put32(builder, (int64_t)records_size + 49);
    put32(builder, 7);
    put8(builder, 2);
    put32(builder, 0);
    put16(builder, values->attributes);
    put32(builder, values->last_offset_delta);
    put64(builder, values->base_timestamp);
    put64(builder, values->max_timestamp);
    put64(builder, values->producer_id);
    put16(builder, values->producer_epoch);
    put32(builder, values->base_sequence);
    put32(builder, values->record_count);
    put_bytes(builder, records, records_size);
    set_big_endian(builder, start + 17, kafka_crc(KAFKA_CRC32C, builder->data + start + 21, builder->size - start - 21),
                   4);
}

/* A message of magic 0 or 1, its size and checksum right; value_size −1 for null. */
static inline void put_old_message(struct builder *builder, int magic, int64_t offset, int attributes,
                                   int64_t timestamp, const char *key, const void *value, int value_size)
{
    size_t start = builder->size;

    put64(builder, offset);
    put32(builder, 0);
    put32(builder, 0);
    put8(builder, magic);
    put8(builder, attributes);
    if (magic > 0) {
        put64(builder, timestamp);
    }
    put32_text(builder, key);
    put32(builder, value_size);
    if (value_size > 0) {
        put_bytes(builder, value, (size_t)value_size);
    }
    set_big_endian(builder, start + 8, builder->size - start - 12, 4);
    set_big_endian(builder, start + 12, kafka_crc(KAFKA_CRC32, builder->data + start + 16, builder->size - start - 16),
                   4);
}

/* A cursor over a copy of the first `captured` bytes, in memory of just that size, so that sanitizers see any read past
 * it. */
static inline struct kafka_cursor open_cut(const struct builder *builder, size_t captured)
{
    uint8_t *copy = test_malloc(captured > 0 ? captured : 1);

    memcpy(copy, builder->data, captured);
    return (struct kafka_cursor){.data = copy, .offset = 0, .limit = builder->size, .captured = captured};
}

static inline struct kafka_cursor open_whole(const struct builder *builder)
{
    return open_cut(builder, builder->size);
}

static inline void close_cursor(struct kafka_cursor *cursor)
{
    test_free((void *)cursor->data);
    cursor->data = NULL;
}

/* Asserts that a span holds that text; NULL for null. */
static inline void assert_span(const uint8_t *data, const struct kafka_span *span, const char *text)
{
    assert_int_equal(span->is_null, text == NULL);
    assert_int_equal(span->length, text == NULL ? 0 : strlen(text));
    if (text != NULL) {
        assert_memory_equal(data + span->offset, text, span->length);
    }
}

#endif
