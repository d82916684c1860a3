/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cursor.h"

/* Base-128 number of at most max_bytes whose value fits in bits bits; moves the cursor only on KAFKA_OK. */
static enum kafka_status read_base128(struct kafka_cursor *cursor, size_t max_bytes, unsigned bits, uint64_t *value)
{
    uint64_t result = 0;

    for (size_t i = 0; i < max_bytes; i++) {
        enum kafka_status status = kafka_need(cursor, i + 1);
        if (status != KAFKA_OK) {
            return status;
        }
        uint8_t byte = cursor->data[cursor->offset + i];
        unsigned shift = (unsigned)(7 * i);
        uint64_t group = byte & 0x7fU;
        if (shift + 7 > bits && group >> (bits - shift) != 0) {
            return KAFKA_BAD_VARINT;
        }
        result |= group << shift;
        if ((byte & 0x80U) == 0) {
            *value = result;
            cursor->offset += i + 1;
            return KAFKA_OK;
        }
    }
    return KAFKA_BAD_VARINT;
}

enum kafka_status kafka_read_long_uvarint(struct kafka_cursor *cursor, uint32_t *value)
{
    uint64_t raw;
    enum kafka_status status = read_base128(cursor, KAFKA_VARINT_MAX_BYTES, 32, &raw);

    if (status == KAFKA_OK) {
        *value = (uint32_t)raw;
    }
    return status;
}

/* Lengths of records, keys and values, and deltas, mostly take two bytes where they take more than one. */
static inline bool read_two_bytes(struct kafka_cursor *cursor, int32_t *value)
{
    const uint8_t *p = cursor->data + cursor->offset;

    if (kafka_need(cursor, 2) != KAFKA_OK || p[0] < 0x80U || p[1] >= 0x80U) {
        return false;
    }
    uint32_t raw = (p[0] & 0x7fU) | (uint32_t)p[1] << 7;
    cursor->offset += 2;
    *value = (int32_t)(raw >> 1 ^ (0U - (raw & 1U)));
    return true;
}

enum kafka_status kafka_read_long_varint(struct kafka_cursor *cursor, int32_t *value)
{
    uint64_t raw;

    if (read_two_bytes(cursor, value)) {
        return KAFKA_OK;
    }
    enum kafka_status status = read_base128(cursor, KAFKA_VARINT_MAX_BYTES, 32, &raw);

    if (status == KAFKA_OK) {
        *value = (int32_t)((uint32_t)(raw >> 1) ^ (0U - (uint32_t)(raw & 1)));
    }
    return status;
}

enum kafka_status kafka_read_long_varlong(struct kafka_cursor *cursor, int64_t *value)
{
    uint64_t raw;
    int32_t small;

    if (read_two_bytes(cursor, &small)) {
        *value = small;
        return KAFKA_OK;
    }
    enum kafka_status status = read_base128(cursor, KAFKA_VARLONG_MAX_BYTES, 64, &raw);

    if (status == KAFKA_OK) {
        *value = (int64_t)((raw >> 1) ^ (0U - (raw & 1)));
    }
    return status;
}

enum kafka_status kafka_read_length_compact(struct kafka_cursor *cursor, bool nullable, int32_t *length)
{
    struct kafka_cursor after = *cursor;
    uint32_t raw;
    enum kafka_status status = kafka_read_uvarint(&after, &raw);
    if (status != KAFKA_OK) {
        return status;
    }
    if (!kafka_is_length((int64_t)raw - 1, nullable)) {
        return KAFKA_BAD_LENGTH;
    }
    cursor->offset = after.offset;
    *length = (int32_t)((int64_t)raw - 1);
    return KAFKA_OK;
}
