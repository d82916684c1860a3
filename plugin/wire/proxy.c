/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proxy.h"

#include <string.h>

#include "cursor.h"

#define LINE_MAX_LENGTH 107

#define BINARY_FIXED_SIZE  16
#define VERSION_OFFSET     12
#define FAMILY_OFFSET      13
#define REST_LENGTH_OFFSET 14

static const uint8_t line_start[] = {'P', 'R', 'O', 'X', 'Y', ' '};
static const uint8_t signature[VERSION_OFFSET] = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};

static size_t line_length(const uint8_t *data, size_t length)
{
    size_t limit = length < LINE_MAX_LENGTH ? length : LINE_MAX_LENGTH;

    if (length < sizeof line_start || memcmp(data, line_start, sizeof line_start) != 0) {
        return 0;
    }
    for (size_t i = sizeof line_start; i + 1 < limit; i++) {
        if (data[i] == '\r') {
            return data[i + 1] == '\n' ? i + 2 : 0;
        }
    }
    return 0;
}

/* The high half of the family is that of the addresses, the low half the transport; TCP is 1. */
static size_t address_length_of(uint8_t family)
{
    return family == 0x11 ? 4 : family == 0x21 ? 16 : 0;
}

size_t kafka_proxy_header_read(const uint8_t *data, size_t length, struct kafka_proxy_header *header)
{
    size_t line = line_length(data, length);

    if (line > 0) {
        *header = (struct kafka_proxy_header){.length = line, .version = 1};
        return line;
    }
    if (length < BINARY_FIXED_SIZE || memcmp(data, signature, sizeof signature) != 0 ||
        data[VERSION_OFFSET] >> 4 != 2) {
        return 0;
    }
    size_t rest = kafka_load16(data + REST_LENGTH_OFFSET);
    if (rest > length - BINARY_FIXED_SIZE) {
        return 0;
    }
    *header = (struct kafka_proxy_header){.length = BINARY_FIXED_SIZE + rest, .version = 2};
    size_t size = address_length_of(data[FAMILY_OFFSET]);
    if (size > 0 && rest >= 2 * size + sizeof header->ports) {
        header->address_length = size;
        header->addresses = data + BINARY_FIXED_SIZE;
        header->ports[0] = kafka_load16(header->addresses + 2 * size);
        header->ports[1] = kafka_load16(header->addresses + 2 * size + 2);
    }
    return header->length;
}
