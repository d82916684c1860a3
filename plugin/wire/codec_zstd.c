/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zstd: one or several frames, whose content size Kafka's clients do not write. */
#include "codec_internal.h"

#include <zstd.h>
#include <zstd_errors.h>

/* As many bytes as tell how many more a frame's header has. */
#define FIRST_STEP        5
#define MAGIC_SIZE        4
#define BLOCK_HEADER_SIZE 3

static bool fail_library(struct kafka_unpacking *unpacking, size_t code)
{
    enum kafka_unpack_fault fault = KAFKA_UNPACK_CORRUPT;

    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_checksum_wrong:
        fault = KAFKA_UNPACK_CHECKSUM;
        break;
    case ZSTD_error_frameParameter_windowTooLarge:
        fault = KAFKA_UNPACK_WINDOW;
        break;
    case ZSTD_error_memory_allocation:
        fault = KAFKA_UNPACK_MEMORY;
        break;
    default:
        break;
    }
    return kafka_unpacking_fail(unpacking, fault, unpacking->offset, ZSTD_getErrorName(code));
}

/* What the frame that begins at the offset says that its content is; most say nothing. Returns whether it says. */
static bool has_content_size(const struct kafka_unpacking *unpacking, unsigned long long *size)
{
    *size = ZSTD_getFrameContentSize(unpacking->input + unpacking->offset, unpacking->size - unpacking->offset);
    return *size != ZSTD_CONTENTSIZE_UNKNOWN && *size != ZSTD_CONTENTSIZE_ERROR;
}

/* Unpacks the next `size` bytes and stores how many the library wants after them. */
static bool step(struct kafka_unpacking *unpacking, ZSTD_DStream *stream, size_t size, size_t *next)
{
    struct kafka_buffer *output = unpacking->output;
    ZSTD_inBuffer in = {unpacking->input + unpacking->offset, size, 0};
    bool is_full;

    do {
        size_t room = kafka_unpacking_room(unpacking, 1);
        if (room == 0) {
            return false;
        }
        ZSTD_outBuffer out = {output->data + output->size, room, 0};
        *next = ZSTD_decompressStream(stream, &out, &in);
        if (ZSTD_isError(*next)) {
            return fail_library(unpacking, *next);
        }
        output->size += out.pos;
        is_full = out.pos == room;
        /* A full buffer may hide that the library has more to give. */
    } while (*next != 0 && (in.pos < in.size || is_full));
    unpacking->offset += in.pos;
    return true;
}

/* Whether a frame of today's format begins here, or one to skip: no client writes those of zstd before 0.8. */
static bool is_frame(const struct kafka_unpacking *unpacking)
{
    const uint8_t *p = unpacking->input + unpacking->offset;

    if (unpacking->size - unpacking->offset < MAGIC_SIZE) {
        return true; /* too little to tell: the library will ask for more */
    }
    uint32_t magic = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

static bool unpack_frame(struct kafka_unpacking *unpacking, ZSTD_DStream *stream)
{
    size_t next = FIRST_STEP;

    if (!is_frame(unpacking)) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_CORRUPT, unpacking->offset, "no zstd frame");
    }
    unsigned long long content_size;
    size_t start = unpacking->output->size;
    bool is_sized = has_content_size(unpacking, &content_size);
    if (is_sized && !kafka_unpacking_fits(unpacking, content_size)) {
        return false;
    }
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
        if (!step(unpacking, stream, size, &next)) {
            return false;
        }
    }
    /* The library compares them as well, but not when the last block is empty. */
    if (is_sized && unpacking->output->size - start != content_size) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_CORRUPT, unpacking->offset, "content size differs");
    }
    unpacking->result->parts++;
    return true;
}

bool kafka_unpack_zstd(struct kafka_unpacking *unpacking)
{
    if (unpacking->size == 0) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, 0, NULL);
    }
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (stream == NULL) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_MEMORY, 0, NULL);
    }
    (void)ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, (int)unpacking->limits->zstd_window_log);
    bool ok = true;
    while (ok && unpacking->offset < unpacking->size) {
        ok = unpack_frame(unpacking, stream);
    }
    (void)ZSTD_freeDStream(stream);
    return ok;
}
