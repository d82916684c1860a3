/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cursor.h"

enum kafka_status kafka_read_int8(struct kafka_cursor *cursor, int8_t *value)
{
    enum kafka_status status = kafka_need(cursor, 1);

    if (status == KAFKA_OK) {
        *value = (int8_t)cursor->data[cursor->offset];
        cursor->offset += 1;
    }
    return status;
}

enum kafka_status kafka_read_int16(struct kafka_cursor *cursor, int16_t *value)
{
    enum kafka_status status = kafka_need(cursor, 2);

    if (status == KAFKA_OK) {
        *value = (int16_t)kafka_load16(cursor->data + cursor->offset);
        cursor->offset += 2;
    }
    return status;
}

enum kafka_status kafka_read_int32(struct kafka_cursor *cursor, int32_t *value)
{
    enum kafka_status status = kafka_need(cursor, 4);

    if (status == KAFKA_OK) {
        *value = (int32_t)kafka_load32(cursor->data + cursor->offset);
        cursor->offset += 4;
    }
    return status;
}

enum kafka_status kafka_read_int64(struct kafka_cursor *cursor, int64_t *value)
{
    enum kafka_status status = kafka_need(cursor, 8);

    if (status == KAFKA_OK) {
        *value = (int64_t)kafka_load64(cursor->data + cursor->offset);
        cursor->offset += 8;
    }
    return status;
}

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

enum kafka_status kafka_read_uvarint(struct kafka_cursor *cursor, uint32_t *value)
{
    /* Nearly every length and count is one byte long. */
    if (kafka_need(cursor, 1) == KAFKA_OK && cursor->data[cursor->offset] < 0x80U) {
        *value = cursor->data[cursor->offset++];
        return KAFKA_OK;
    }
    uint64_t raw;
    enum kafka_status status = read_base128(cursor, KAFKA_VARINT_MAX_BYTES, 32, &raw);

    if (status == KAFKA_OK) {
        *value = (uint32_t)raw;
    }
    return status;
}

enum kafka_status kafka_read_varint(struct kafka_cursor *cursor, int32_t *value)
{
    uint64_t raw;
    enum kafka_status status = read_base128(cursor, KAFKA_VARINT_MAX_BYTES, 32, &raw);

    if (status == KAFKA_OK) {
        *value = (int32_t)((uint32_t)(raw >> 1) ^ (0U - (uint32_t)(raw & 1)));
    }
    return status;
}

enum kafka_status kafka_read_varlong(struct kafka_cursor *cursor, int64_t *value)
{
    uint64_t raw;
    enum kafka_status status = read_base128(cursor, KAFKA_VARLONG_MAX_BYTES, 64, &raw);

    if (status == KAFKA_OK) {
        *value = (int64_t)((raw >> 1) ^ (0U - (raw & 1)));
    }
    return status;
}

static bool length_is_valid(int64_t length, bool nullable)
{
    return length <= INT32_MAX && length >= (nullable ? -1 : 0);
}

enum kafka_status kafka_read_length16(struct kafka_cursor *cursor, bool nullable, int32_t *length)
{
    enum kafka_status status = kafka_need(cursor, 2);
    if (status != KAFKA_OK) {
        return status;
    }
    int16_t raw = (int16_t)kafka_load16(cursor->data + cursor->offset);
    if (!length_is_valid(raw, nullable)) {
        return KAFKA_BAD_LENGTH;
    }
    cursor->offset += 2;
    *length = raw;
    return KAFKA_OK;
}

enum kafka_status kafka_read_length32(struct kafka_cursor *cursor, bool nullable, int32_t *length)
{
    enum kafka_status status = kafka_need(cursor, 4);
    if (status != KAFKA_OK) {
        return status;
    }
    int32_t raw = (int32_t)kafka_load32(cursor->data + cursor->offset);
    if (!length_is_valid(raw, nullable)) {
        return KAFKA_BAD_LENGTH;
    }
    cursor->offset += 4;
    *length = raw;
    return KAFKA_OK;
}

enum kafka_status kafka_read_length_compact(struct kafka_cursor *cursor, bool nullable, int32_t *length)
{
    struct kafka_cursor after = *cursor;
    uint32_t raw;
    enum kafka_status status = kafka_read_uvarint(&after, &raw);
    if (status != KAFKA_OK) {
        return status;
    }
    if (!length_is_valid((int64_t)raw - 1, nullable)) {
        return KAFKA_BAD_LENGTH;
    }
    cursor->offset = after.offset;
    *length = (int32_t)((int64_t)raw - 1);
    return KAFKA_OK;
}
