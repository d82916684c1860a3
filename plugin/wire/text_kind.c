/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text_kind.h"

#include <string.h>

/* Sixteen bytes that the processor looks at together; as signed numbers, those that are not ASCII are negative. */
typedef int8_t lanes __attribute__((vector_size(16)));

/* Returns −1 in the lane of each byte that is printable ASCII, 0 in the others. */
static lanes printable_lanes(const uint8_t *bytes)
{
    lanes sixteen;

    memcpy(&sixteen, bytes, sizeof sixteen);
    return (lanes)(sixteen >= ' ') & (lanes)(sixteen != 0x7f);
}

/* Returns whether every lane is −1. */
static bool is_all(lanes sixteen)
{
    uint64_t halves[2];

    memcpy(halves, &sixteen, sizeof halves);
    return (halves[0] & halves[1]) == UINT64_MAX;
}

/* Returns how many bytes at the beginning are printable ASCII. */
static size_t printable_length(const uint8_t *bytes, size_t length)
{
    size_t i = 0;

    for (; length - i >= 4 * sizeof(lanes); i += 4 * sizeof(lanes)) {
        const uint8_t *at = bytes + i;
        lanes all = printable_lanes(at) & printable_lanes(at + sizeof(lanes)) &
                    printable_lanes(at + 2 * sizeof(lanes)) & printable_lanes(at + 3 * sizeof(lanes));
        if (!is_all(all)) {
            break;
        }
    }
    for (; length - i >= sizeof(lanes); i += sizeof(lanes)) {
        if (!is_all(printable_lanes(bytes + i))) {
            break;
        }
    }
    /* The last few together with bytes before them, which are printable. */
    if (i > 0 && length - i < sizeof(lanes) && is_all(printable_lanes(bytes + length - sizeof(lanes)))) {
        return length;
    }
    while (i < length && bytes[i] >= ' ' && bytes[i] < 0x7f) {
        i++;
    }
    return i;
}

/*
 * Returns the length of the character in UTF-8 at bytes, of which there are length; 0 when there is none. The second
 * byte tells forms that are longer than they need be, surrogates, and what is beyond U+10FFFF.
 */
static size_t character_length(const uint8_t *bytes, size_t length)
{
    uint8_t first = bytes[0];
    size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (first < 0xc2 || first > 0xf4 || size > length) {
        return 0;
    }
    uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (bytes[1] < least || bytes[1] > most) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return size;
}

enum kafka_text_kind kafka_text_kind(const uint8_t *bytes, size_t length)
{
    size_t i = printable_length(bytes, length);

    if (i == length) {
        return KAFKA_TEXT_PRINTABLE;
    }
    while (i < length) {
        uint8_t byte = bytes[i];
        size_t size = 1;
        if (byte >= 0x80) {
            size = character_length(bytes + i, length - i);
        } else if (byte != '\t' && byte != '\n' && byte != '\r') {
            size = 0;
        }
        if (size == 0) {
            return KAFKA_NOT_TEXT;
        }
        i += size;
        i += printable_length(bytes + i, length - i);
    }
    return KAFKA_TEXT;
}
