/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip by zlib: one or several members. */
#include "codec_internal.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

/* The largest window, and a gzip header rather than a zlib one. */
#define GZIP_WINDOW_BITS (15 + 16)

static uInt clip(size_t size)
{
    return size < UINT_MAX ? (uInt)size : UINT_MAX;
}

/* Whether another member begins here. Java's reader ignores bytes that are not one, and so does Kafka. */
static bool is_member(const uint8_t *data, size_t size)
{
    static const uint8_t magic[] = {0x1f, 0x8b};

    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

/* zlib's own word for a wrong trailer, which tells it from a fault in the data. */
static bool is_checksum_fault(const z_stream *stream)
{
    return stream->msg != NULL &&
           (strcmp(stream->msg, "incorrect data check") == 0 || strcmp(stream->msg, "incorrect length check") == 0 ||
            strcmp(stream->msg, "header crc mismatch") == 0);
}

static bool inflate_all(struct kafka_unpacking *unpacking, z_stream *stream)
{
    struct kafka_buffer *output = unpacking->output;

    for (;;) {
        size_t room = kafka_unpacking_room(unpacking, 1);
        if (room == 0) {
            return false;
        }
        uInt in = clip(unpacking->size - unpacking->offset);
        uInt out = clip(room);
        stream->next_in = (Bytef *)unpacking->input + unpacking->offset;
        stream->avail_in = in;
        stream->next_out = output->data + output->size;
        stream->avail_out = out;
        int status = inflate(stream, Z_NO_FLUSH);
        size_t made = out - stream->avail_out;
        size_t taken = in - stream->avail_in;
        size_t start = unpacking->offset;
        output->size += made;
        unpacking->offset += taken;
        if (status == Z_STREAM_END) {
            unpacking->result->parts++;
            if (unpacking->offset == unpacking->size) {
                return true;
            }
            if (!is_member(unpacking->input + unpacking->offset, unpacking->size - unpacking->offset)) {
                unpacking->result->notes |= KAFKA_UNPACK_NOTE_LEFT_OVER;
                return true;
            }
            (void)inflateReset(stream);
        } else if (status == Z_OK || status == Z_BUF_ERROR) {
            /* With room and input there is always progress, so without it the input has ended. */
            if (made == 0 && taken == 0) {
                return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, start, NULL);
            }
        } else if (status == Z_MEM_ERROR) {
            return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_MEMORY, start, NULL);
        } else {
            bool is_checksum = is_checksum_fault(stream);
            return kafka_unpacking_fail(unpacking, is_checksum ? KAFKA_UNPACK_CHECKSUM : KAFKA_UNPACK_CORRUPT,
                                        unpacking->offset, stream->msg);
        }
    }
}

bool kafka_unpack_gzip(struct kafka_unpacking *unpacking)
{
    z_stream stream = {0};

    if (inflateInit2(&stream, GZIP_WINDOW_BITS) != Z_OK) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_MEMORY, 0, NULL);
    }
    bool ok = inflate_all(unpacking, &stream);
    (void)inflateEnd(&stream);
    return ok;
}
