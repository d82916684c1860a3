/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snappy: one raw block, or the blocks with a header of their own that snappy-java ("xerial") writes. */
#include "codec_internal.h"

#include <snappy-c.h>
#include <string.h>

#include "cursor.h"

/* Magic, version and oldest compatible version; then blocks, each after its length as an int32. */
static const uint8_t xerial_magic[] = {0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
#define XERIAL_HEADER_SIZE 16
#define XERIAL_LENGTH_SIZE 4

/* The first chunk of snappy's framing format: a stream identifier. */
static const uint8_t framing_magic[] = {0xff, 0x06, 0x00, 0x00, 's', 'N', 'a', 'P', 'p', 'Y'};

/* An element of a raw block makes at most 64 bytes of output out of 3: a block that says it makes more lies. */
#define MAX_RATIO 22

static bool begins_with(const struct kafka_unpacking *unpacking, const uint8_t *magic, size_t size)
{
    return unpacking->size - unpacking->offset >= size &&
           memcmp(unpacking->input + unpacking->offset, magic, size) == 0;
}

/* One raw block of size bytes at the offset. */
static bool unpack_block(struct kafka_unpacking *unpacking, size_t size)
{
    const char *block = (const char *)unpacking->input + unpacking->offset;
    struct kafka_buffer *output = unpacking->output;
    size_t made;

    if (snappy_uncompressed_length(block, size, &made) != SNAPPY_OK || made / MAX_RATIO > size) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_CORRUPT, unpacking->offset, "bad length of a snappy block");
    }
    if (!kafka_unpacking_fits(unpacking, made) || kafka_unpacking_room(unpacking, made + 1) == 0) {
        return false;
    }
    if (snappy_uncompress(block, size, (char *)output->data + output->size, &made) != SNAPPY_OK) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_CORRUPT, unpacking->offset, "bad snappy block");
    }
    output->size += made;
    unpacking->offset += size;
    unpacking->result->parts++;
    return true;
}

/* The header of xerial's format, at the offset. */
static bool skip_header(struct kafka_unpacking *unpacking)
{
    const uint8_t *header = unpacking->input + unpacking->offset;

    if (unpacking->size - unpacking->offset < XERIAL_HEADER_SIZE) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, unpacking->offset, NULL);
    }
    /* Versions are small numbers, so one with its low half empty is in the other byte order. */
    uint32_t version = kafka_load32(header + sizeof xerial_magic);
    if (version != 0 && (version & UINT16_MAX) == 0) {
        unpacking->result->notes |= KAFKA_UNPACK_NOTE_XERIAL_SWAPPED;
    }
    unpacking->offset += XERIAL_HEADER_SIZE;
    return true;
}

static bool unpack_xerial(struct kafka_unpacking *unpacking)
{
    unpacking->result->notes |= KAFKA_UNPACK_NOTE_XERIAL;
    while (unpacking->offset < unpacking->size) {
        /* Streams put one after the other: a header may stand where a block could. */
        if (begins_with(unpacking, xerial_magic, sizeof xerial_magic)) {
            if (!skip_header(unpacking)) {
                return false;
            }
            continue;
        }
        size_t left = unpacking->size - unpacking->offset;
        if (left < XERIAL_LENGTH_SIZE) {
            return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, unpacking->offset, NULL);
        }
        int32_t length = (int32_t)kafka_load32(unpacking->input + unpacking->offset);
        if (length < 0) {
            return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_CORRUPT, unpacking->offset,
                                        "negative length of a block");
        }
        if ((size_t)length > left - XERIAL_LENGTH_SIZE) {
            return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, unpacking->offset, NULL);
        }
        unpacking->offset += XERIAL_LENGTH_SIZE;
        if (!unpack_block(unpacking, (size_t)length)) {
            return false;
        }
    }
    return true;
}

bool kafka_unpack_snappy(struct kafka_unpacking *unpacking)
{
    if (unpacking->size == 0) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, 0, NULL);
    }
    if (begins_with(unpacking, xerial_magic, sizeof xerial_magic)) {
        return unpack_xerial(unpacking);
    }
    if (begins_with(unpacking, framing_magic, sizeof framing_magic)) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_SNAPPY_FRAMING, 0, NULL);
    }
    return unpack_block(unpacking, unpacking->size);
}
