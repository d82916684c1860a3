/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The readers of primitives: each moves the cursor only on success, and never past the limit or what was captured. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor cursor;
    int8_t value8;
    int16_t value16;
    int32_t value32;
    uint32_t unsigned32;
    int64_t value64;

    if (!open_input(data, size, &cursor)) {
        return 0;
    }
    enum kafka_status status = KAFKA_OK;
    while (status == KAFKA_OK && kafka_read_int8(&cursor, &value8) == KAFKA_OK) {
        size_t start = cursor.offset;
        switch (value8 & 7) {
        case 0:
            status = kafka_read_int16(&cursor, &value16);
            break;
        case 1:
            status = kafka_read_int64(&cursor, &value64);
            break;
        case 2:
            status = kafka_read_uvarint(&cursor, &unsigned32);
            break;
        case 3:
            status = kafka_read_varint(&cursor, &value32);
            break;
        case 4:
            status = kafka_read_varlong(&cursor, &value64);
            break;
        case 5:
            status = kafka_read_length16(&cursor, (value8 & 8) != 0, &value32);
            break;
        case 6:
            status = kafka_read_length32(&cursor, (value8 & 8) != 0, &value32);
            break;
        default:
            status = kafka_read_length_compact(&cursor, (value8 & 8) != 0, &value32);
            break;
        }
        if (status != KAFKA_OK) {
            REQUIRE(cursor.offset == start);
        } else {
            REQUIRE(cursor.offset > start && cursor.offset <= cursor.limit && cursor.offset <= cursor.captured);
            REQUIRE((value8 & 7) < 5 || value32 >= ((value8 & 8) != 0 ? -1 : 0));
        }
    }
    return 0;
}
