/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacking what a batch or a wrapper message holds, within limits that the caller sets. Output made before a fault in
 * the input stays; output beyond a limit is given up, memory and all.
 */
#ifndef KAFKA_WIRE_CODEC_H
#define KAFKA_WIRE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kafka_codec {
    KAFKA_CODEC_NONE,
    KAFKA_CODEC_GZIP,
    KAFKA_CODEC_SNAPPY,
    KAFKA_CODEC_LZ4,
    KAFKA_CODEC_ZSTD,
};

/* Codecs are three bits of the attributes; 5 to 7 have no name. */
#define KAFKA_CODEC_COUNT 5

/* Returns Kafka's name, "gzip", or "unknown". */
const char *kafka_codec_name(enum kafka_codec codec);

/* Bytes that grow. data comes from malloc: a caller may keep it beyond the buffer, and free it. */
struct kafka_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
};

/* Frees the bytes; the buffer is then empty and can be used again. */
void kafka_buffer_free(struct kafka_buffer *buffer);

struct kafka_unpack_limits {
    size_t output;            /* bytes; an output of just this size is within the limit */
    unsigned zstd_window_log; /* the largest window of a zstd frame is 2 to this power; 10 to 31 */
};

#define KAFKA_UNPACK_DEFAULT_OUTPUT ((size_t)64 << 20)
#define KAFKA_UNPACK_DEFAULT_ZSTD_WINDOW_LOG                                                                           \
    27 /* what zstd's highest level uses, and what its reader takes unasked                                            \
        */

/* X(name, text for people) */
#define KAFKA_UNPACK_FAULTS(X)                                                                                         \
    X(NONE, "no fault")                                                                                                \
    X(UNKNOWN_CODEC, "unknown codec")                                                                                  \
    X(TRUNCATED, "the compressed data ends too early")                                                                 \
    X(CORRUPT, "the compressed data is corrupt")                                                                       \
    X(CHECKSUM, "a checksum inside the compressed data is wrong")                                                      \
    X(LIMIT, "the unpacked data exceeds the limit")                                                                    \
    X(WINDOW, "the window of the zstd frame exceeds the limit")                                                        \
    X(SNAPPY_FRAMING, "the data is in snappy's framing format, which Kafka does not read")                             \
    X(MEMORY, "there is not enough memory")

enum kafka_unpack_fault {
#define KAFKA_UNPACK_FAULT_ENUM(name, text) KAFKA_UNPACK_##name,
    KAFKA_UNPACK_FAULTS(KAFKA_UNPACK_FAULT_ENUM)
#undef KAFKA_UNPACK_FAULT_ENUM
};

/* Returns the fault in words, without a full stop; a static string. */
const char *kafka_unpack_fault_text(enum kafka_unpack_fault fault);

enum kafka_unpack_note {
    KAFKA_UNPACK_NOTE_LZ4_OLD_CHECKSUM = 1 << 0, /* a frame header's checksum is computed as old clients do */
    KAFKA_UNPACK_NOTE_XERIAL = 1 << 1,           /* snappy in blocks */
    KAFKA_UNPACK_NOTE_XERIAL_SWAPPED = 1 << 2,   /* with version words in little-endian order */
    KAFKA_UNPACK_NOTE_LEFT_OVER = 1 << 3,        /* bytes after the last frame that readers ignore */
};

struct kafka_unpack_result {
    enum kafka_unpack_fault fault;
    const char *detail;  /* what the codec's library says about the fault, or NULL; a static string */
    size_t fault_offset; /* in the input: of the step or block that failed */
    size_t consumed;     /* bytes of the input that were unpacked */
    size_t made;         /* bytes of output, those that were given up included */
    unsigned parts;      /* gzip members, snappy blocks, lz4 and zstd frames, the unfinished one not counted */
    unsigned notes;      /* of enum kafka_unpack_note */
};

/*
 * Unpacks size bytes at input into output, over what it held before; the caller frees output or uses it again. Returns
 * whether there was no fault. On KAFKA_UNPACK_LIMIT and KAFKA_UNPACK_MEMORY output is empty and holds no memory; on
 * other faults it has what was unpacked before. KAFKA_CODEC_NONE copies nothing and has no fault.
 */
bool kafka_unpack(enum kafka_codec codec, const uint8_t *input, size_t size, const struct kafka_unpack_limits *limits,
                  struct kafka_buffer *output, struct kafka_unpack_result *result);

#endif
