/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading Kafka's primitive types out of bytes that nobody has checked.
 *
 * A cursor stands in a run of bytes that ends at `limit`, of which the capture holds the first `captured`. A read past
 * the limit is a fault of the message; a read within the limit but past what was captured is a fault of the capture.
 * Either way the cursor stays where it is. Sizes and offsets are in bytes and count from `data`.
 */
#ifndef KAFKA_WIRE_CURSOR_H
#define KAFKA_WIRE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kafka_status {
    KAFKA_OK,
    KAFKA_CUT,        /* the capture ends before the value does */
    KAFKA_SHORT,      /* the message ends before the value does */
    KAFKA_BAD_VARINT, /* a varint goes on for more bytes than its type can have, or overflows it */
    KAFKA_BAD_LENGTH, /* a length or count is negative, null where null is not allowed, or more than the bytes that
                         remain */
};

struct kafka_cursor {
    const uint8_t *data;
    size_t offset;   /* where the next read begins; offset <= limit */
    size_t limit;    /* where the message, or the part of it that is being read, ends */
    size_t captured; /* how many bytes stand behind data; may be above the limit or below it */
};

/* A run of bytes inside a message: the value of a string or bytes field without its length prefix. */
struct kafka_span {
    size_t offset;
    size_t length;
    bool is_null; /* then length is 0 */
};

/* The longest a varint of the Kafka protocol may be: uvarint and varint 5 bytes, varlong 10 (KIP-482, KIP-98). */
#define KAFKA_VARINT_MAX_BYTES  5
#define KAFKA_VARLONG_MAX_BYTES 10

/* Returns the number of bytes from the cursor to its limit. */
static inline size_t kafka_remaining(const struct kafka_cursor *cursor)
{
    return cursor->limit - cursor->offset;
}

/* Returns KAFKA_OK when the next size bytes can be read, else KAFKA_SHORT or KAFKA_CUT. */
static inline enum kafka_status kafka_need(const struct kafka_cursor *cursor, size_t size)
{
    if (size > cursor->limit - cursor->offset) {
        return KAFKA_SHORT;
    }
    if (cursor->offset + size > cursor->captured) {
        return KAFKA_CUT;
    }
    return KAFKA_OK;
}

/* Big-endian integers at p, which has as many bytes. */
static inline uint16_t kafka_load16(const uint8_t *p)
{
    return (uint16_t)((unsigned)p[0] << 8 | p[1]);
}

static inline uint32_t kafka_load32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t kafka_load64(const uint8_t *p)
{
    return (uint64_t)kafka_load32(p) << 32 | kafka_load32(p + 4);
}

/* Fixed-size big-endian integers: store the value and move past it; on any other status the cursor does not move. */
static inline enum kafka_status kafka_read_int8(struct kafka_cursor *cursor, int8_t *value)
{
    enum kafka_status status = kafka_need(cursor, 1);

    if (status == KAFKA_OK) {
        *value = (int8_t)cursor->data[cursor->offset];
        cursor->offset += 1;
    }
    return status;
}

static inline enum kafka_status kafka_read_int16(struct kafka_cursor *cursor, int16_t *value)
{
    enum kafka_status status = kafka_need(cursor, 2);

    if (status == KAFKA_OK) {
        *value = (int16_t)kafka_load16(cursor->data + cursor->offset);
        cursor->offset += 2;
    }
    return status;
}

static inline enum kafka_status kafka_read_int32(struct kafka_cursor *cursor, int32_t *value)
{
    enum kafka_status status = kafka_need(cursor, 4);

    if (status == KAFKA_OK) {
        *value = (int32_t)kafka_load32(cursor->data + cursor->offset);
        cursor->offset += 4;
    }
    return status;
}

static inline enum kafka_status kafka_read_int64(struct kafka_cursor *cursor, int64_t *value)
{
    enum kafka_status status = kafka_need(cursor, 8);

    if (status == KAFKA_OK) {
        *value = (int64_t)kafka_load64(cursor->data + cursor->offset);
        cursor->offset += 8;
    }
    return status;
}

/* The same as the three functions below, for numbers of any length. */
enum kafka_status kafka_read_long_uvarint(struct kafka_cursor *cursor, uint32_t *value);
enum kafka_status kafka_read_long_varint(struct kafka_cursor *cursor, int32_t *value);
enum kafka_status kafka_read_long_varlong(struct kafka_cursor *cursor, int64_t *value);

/* Returns whether a varint of one byte, as most are, is at the cursor. */
static inline bool kafka_is_short_varint(const struct kafka_cursor *cursor)
{
    return kafka_need(cursor, 1) == KAFKA_OK && cursor->data[cursor->offset] < 0x80U;
}

/* Unsigned varint, at most 5 bytes (KIP-482). KAFKA_BAD_VARINT when it is longer or above UINT32_MAX. */
static inline enum kafka_status kafka_read_uvarint(struct kafka_cursor *cursor, uint32_t *value)
{
    if (kafka_is_short_varint(cursor)) {
        *value = cursor->data[cursor->offset++];
        return KAFKA_OK;
    }
    return kafka_read_long_uvarint(cursor, value);
}

/* Moves the cursor behind an empty tag section, as most are (KIP-482). False when another one, or the end, is there. */
static inline bool kafka_pass_no_tags(struct kafka_cursor *cursor)
{
    if (kafka_need(cursor, 1) != KAFKA_OK || cursor->data[cursor->offset] != 0) {
        return false;
    }
    cursor->offset++;
    return true;
}

/* Zigzag varint of at most 5 bytes and varlong of at most 10 (record fields, KIP-98). */
static inline enum kafka_status kafka_read_varint(struct kafka_cursor *cursor, int32_t *value)
{
    if (kafka_is_short_varint(cursor)) {
        uint8_t raw = cursor->data[cursor->offset++];
        *value = (raw >> 1) ^ -(raw & 1);
        return KAFKA_OK;
    }
    return kafka_read_long_varint(cursor, value);
}

static inline enum kafka_status kafka_read_varlong(struct kafka_cursor *cursor, int64_t *value)
{
    int32_t small;

    if (kafka_is_short_varint(cursor) && kafka_read_varint(cursor, &small) == KAFKA_OK) {
        *value = small;
        return KAFKA_OK;
    }
    return kafka_read_long_varlong(cursor, value);
}

/* Returns whether a length or count may have that value: none is above INT32_MAX, and null is −1. */
static inline bool kafka_is_length(int64_t length, bool nullable)
{
    return length <= INT32_MAX && length >= (nullable ? -1 : 0);
}

/*
 * The length prefixes of strings, bytes, records and arrays: a signed integer of 2 or 4 bytes, or, compact, a uvarint
 * of the length plus one. Stores −1 for null. KAFKA_BAD_LENGTH when the length is below −1 or above INT32_MAX, or null
 * where nullable is false; the cursor then does not move.
 */
static inline enum kafka_status kafka_read_length16(struct kafka_cursor *cursor, bool nullable, int32_t *length)
{
    enum kafka_status status = kafka_need(cursor, 2);
    if (status != KAFKA_OK) {
        return status;
    }
    int16_t raw = (int16_t)kafka_load16(cursor->data + cursor->offset);
    if (!kafka_is_length(raw, nullable)) {
        return KAFKA_BAD_LENGTH;
    }
    cursor->offset += 2;
    *length = raw;
    return KAFKA_OK;
}

static inline enum kafka_status kafka_read_length32(struct kafka_cursor *cursor, bool nullable, int32_t *length)
{
    enum kafka_status status = kafka_need(cursor, 4);
    if (status != KAFKA_OK) {
        return status;
    }
    int32_t raw = (int32_t)kafka_load32(cursor->data + cursor->offset);
    if (!kafka_is_length(raw, nullable)) {
        return KAFKA_BAD_LENGTH;
    }
    cursor->offset += 4;
    *length = raw;
    return KAFKA_OK;
}

enum kafka_status kafka_read_length_compact(struct kafka_cursor *cursor, bool nullable, int32_t *length);

#endif
