/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the codecs share with codec.c; nothing else includes this. */
#ifndef KAFKA_WIRE_CODEC_INTERNAL_H
#define KAFKA_WIRE_CODEC_INTERNAL_H

#include "codec.h"

struct kafka_unpacking {
    const uint8_t *input;
    size_t size;
    size_t offset; /* what was consumed so far */
    const struct kafka_unpack_limits *limits;
    struct kafka_buffer *output;
    struct kafka_unpack_result *result;
};

/*
 * Makes room for want more bytes of output, but for no more than one byte beyond the limit: by that byte an output that
 * is too large gives itself away. Returns how much room there is, at least 1; or 0, with the fault stored, when the
 * output is beyond the limit or there is no memory.
 */
size_t kafka_unpacking_room(struct kafka_unpacking *unpacking, size_t want);

/* Stores a fault at that offset of the input; returns false. */
bool kafka_unpacking_fail(struct kafka_unpacking *unpacking, enum kafka_unpack_fault fault, size_t offset,
                          const char *detail);

/* Whether an output that grows by `more` bytes would stay within the limit; where not, the fault is stored. */
bool kafka_unpacking_fits(struct kafka_unpacking *unpacking, uint64_t more);

bool kafka_unpack_gzip(struct kafka_unpacking *unpacking);
bool kafka_unpack_snappy(struct kafka_unpacking *unpacking);
bool kafka_unpack_lz4(struct kafka_unpacking *unpacking);
bool kafka_unpack_zstd(struct kafka_unpacking *unpacking);

#endif
