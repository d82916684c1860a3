/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lz4 frames. Clients from before Kafka 0.10 compute the checksum of the frame's header over the wrong bytes, the magic
 * number included, and the library offers no way to skip it: such a header is mended before the library sees it.
 */
#include "codec_internal.h"

#include <lz4frame.h>
#include <string.h>

static const uint8_t frame_magic[] = {0x04, 0x22, 0x4d, 0x18};

/* Magic, flags, block descriptor, content size, dictionary id, checksum. */
#define FLAGS_OFFSET        4
#define MIN_HEADER_SIZE     7
#define MAX_HEADER_SIZE     19
#define CONTENT_SIZE_OFFSET 6
#define CONTENT_SIZE_SIZE   8
#define DICTIONARY_ID_SIZE  4
#define BLOCK_HEADER_SIZE   4
#define DESCRIPTOR_OFFSET   5
#define FLAG_CONTENT_SIZE   0x08U
#define FLAG_DICTIONARY_ID  0x01U

static uint32_t load32_little(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t rotate_left(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
}

/* The second byte of the XXH32 (seed 0) of fewer than 32 bytes; a header with its magic number has at most 18. */
static uint8_t header_checksum(const uint8_t *p, size_t size)
{
    static const uint32_t prime[] = {2654435761U, 2246822519U, 3266489917U, 668265263U, 374761393U};
    const uint8_t *end = p + size;
    uint32_t hash = prime[4];

    if (size >= 16) {
        uint32_t lane[] = {prime[0] + prime[1], prime[1], 0, 0U - prime[0]};
        static const unsigned bits[] = {1, 7, 12, 18};
        hash = 0;
        for (int i = 0; i < 4; i++) {
            lane[i] = rotate_left(lane[i] + load32_little(p) * prime[1], 13) * prime[0];
            hash += rotate_left(lane[i], bits[i]);
            p += 4;
        }
    }
    hash += (uint32_t)size;
    for (; end - p >= 4; p += 4) {
        hash = rotate_left(hash + load32_little(p) * prime[2], 17) * prime[3];
    }
    for (; p < end; p++) {
        hash = rotate_left(hash + *p * prime[4], 11) * prime[0];
    }
    hash = (hash ^ hash >> 15) * prime[1];
    hash = (hash ^ hash >> 13) * prime[2];
    hash ^= hash >> 16;
    return (uint8_t)(hash >> 8);
}

static bool fail_library(struct kafka_unpacking *unpacking, size_t offset, size_t code)
{
    const char *name = LZ4F_getErrorName(code);

    if (strcmp(name, "ERROR_allocation_failed") == 0) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_MEMORY, offset, NULL);
    }
    bool is_checksum = strstr(name, "hecksum") != NULL;
    return kafka_unpacking_fail(unpacking, is_checksum ? KAFKA_UNPACK_CHECKSUM : KAFKA_UNPACK_CORRUPT, offset, name);
}

/* The size that no block of a frame exceeds, by the descriptor in its header: 64 KiB to 4 MiB. */
static size_t max_block_size(uint8_t descriptor)
{
    unsigned id = descriptor >> 4 & 7U;

    return id < 4 ? 1 : (size_t)1 << (8 + 2 * id);
}

/*
 * Unpacks size bytes at input and stores how many the library wants after them. With room for a whole block the library
 * needs no buffer of its own in between.
 */
static bool step(struct kafka_unpacking *unpacking, LZ4F_dctx *context, const uint8_t *input, size_t size, size_t block,
                 size_t *next)
{
    struct kafka_buffer *output = unpacking->output;
    size_t taken = 0;
    bool is_full;

    do {
        size_t room = kafka_unpacking_room(unpacking, block);
        if (room == 0) {
            return false;
        }
        size_t made = room;
        size_t in = size - taken;
        *next = LZ4F_decompress(context, output->data + output->size, &made, input + taken, &in, NULL);
        if (LZ4F_isError(*next)) {
            return fail_library(unpacking, unpacking->offset, *next);
        }
        output->size += made;
        taken += in;
        is_full = made == room;
        if (in == 0 && made == 0 && taken < size) {
            return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_CORRUPT, unpacking->offset, "no progress");
        }
        /* A full buffer may hide that the library has more to give. */
    } while (*next != 0 && (taken < size || is_full));
    return true;
}

/* Hands the frame's header to the library, with its checksum mended where it is the old clients' one. */
static bool unpack_header(struct kafka_unpacking *unpacking, LZ4F_dctx *context, size_t *next)
{
    const uint8_t *frame = unpacking->input + unpacking->offset;
    size_t left = unpacking->size - unpacking->offset;
    uint8_t header[MAX_HEADER_SIZE];

    if (left < MIN_HEADER_SIZE) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, unpacking->offset, NULL);
    }
    uint8_t flags = frame[FLAGS_OFFSET];
    size_t size = MIN_HEADER_SIZE + ((flags & FLAG_CONTENT_SIZE) != 0 ? CONTENT_SIZE_SIZE : 0) +
                  ((flags & FLAG_DICTIONARY_ID) != 0 ? DICTIONARY_ID_SIZE : 0);
    if (left < size) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, unpacking->offset, NULL);
    }
    memcpy(header, frame, size);
    uint8_t right = header_checksum(header + FLAGS_OFFSET, size - FLAGS_OFFSET - 1);
    if (header[size - 1] != right && header[size - 1] == header_checksum(header, size - 1)) {
        unpacking->result->notes |= KAFKA_UNPACK_NOTE_LZ4_OLD_CHECKSUM;
        header[size - 1] = right;
    }
    if ((flags & FLAG_CONTENT_SIZE) != 0 && header[size - 1] == right) {
        const uint8_t *content_size = header + CONTENT_SIZE_OFFSET;
        uint64_t value = load32_little(content_size) | (uint64_t)load32_little(content_size + 4) << 32;
        if (!kafka_unpacking_fits(unpacking, value)) {
            return false;
        }
    }
    if (!step(unpacking, context, header, size, 1, next)) {
        return false;
    }
    unpacking->offset += size;
    return true;
}

static bool unpack_frame(struct kafka_unpacking *unpacking, LZ4F_dctx *context)
{
    const uint8_t *frame = unpacking->input + unpacking->offset;
    size_t next = 0;

    if (!unpack_header(unpacking, context, &next)) {
        return false;
    }
    size_t block = max_block_size(frame[DESCRIPTOR_OFFSET]);
    while (next != 0) {
        /*
         * What the library wants is a block and the header of the next, but a fault in the header would take the
         * block's output along: so it gets them one by one.
         */
        size_t left = unpacking->size - unpacking->offset;
        size_t size = next > BLOCK_HEADER_SIZE ? next - BLOCK_HEADER_SIZE : next;
        size = size < left ? size : left;
        if (size == 0) {
            return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, unpacking->offset, NULL);
        }
        if (!step(unpacking, context, unpacking->input + unpacking->offset, size, size > BLOCK_HEADER_SIZE ? block : 1,
                  &next)) {
            return false;
        }
        unpacking->offset += size;
    }
    unpacking->result->parts++;
    return true;
}

static bool is_frame(const struct kafka_unpacking *unpacking)
{
    return unpacking->size - unpacking->offset >= sizeof frame_magic &&
           memcmp(unpacking->input + unpacking->offset, frame_magic, sizeof frame_magic) == 0;
}

bool kafka_unpack_lz4(struct kafka_unpacking *unpacking)
{
    LZ4F_dctx *context;

    if (unpacking->size < sizeof frame_magic) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, 0, NULL);
    }
    if (!is_frame(unpacking)) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_CORRUPT, 0, "no lz4 frame");
    }
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_MEMORY, 0, NULL);
    }
    bool ok = true;
    while (ok && is_frame(unpacking)) {
        ok = unpack_frame(unpacking, context);
    }
    (void)LZ4F_freeDecompressionContext(context);
    if (ok && unpacking->offset < unpacking->size) {
        unpacking->result->notes |= KAFKA_UNPACK_NOTE_LEFT_OVER;
    }
    return ok;
}
