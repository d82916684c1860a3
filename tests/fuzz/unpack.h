/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The promises of kafka_unpack, which hold for every codec. */
#ifndef KAFKA_TESTS_FUZZ_UNPACK_H
#define KAFKA_TESTS_FUZZ_UNPACK_H

#include <string.h>

#include "fuzz.h"
#include "wire/codec.h"

static inline void unpack_input(enum kafka_codec codec, const uint8_t *data, size_t size)
{
    struct kafka_unpack_limits limits = {(size_t)1 << 20, 20};
    struct kafka_buffer whole = {0};
    struct kafka_buffer part = {0};
    struct kafka_unpack_result result;

    bool ok = kafka_unpack(codec, data, size, &limits, &whole, &result);
    REQUIRE(ok == (result.fault == KAFKA_UNPACK_NONE));
    REQUIRE(result.consumed <= size && result.fault_offset <= size);
    REQUIRE(whole.size <= limits.output && whole.capacity <= limits.output + 1);
    REQUIRE(result.fault != KAFKA_UNPACK_LIMIT || whole.data == NULL);
    if (result.fault == KAFKA_UNPACK_LIMIT || size == 0) {
        kafka_buffer_free(&whole);
        return;
    }
    /* The limit is exact. */
    if (ok) {
        limits.output = whole.size;
        REQUIRE(kafka_unpack(codec, data, size, &limits, &part, &result));
        REQUIRE(part.size == whole.size && (whole.size == 0 || memcmp(part.data, whole.data, whole.size) == 0));
        if (whole.size > 0) {
            limits.output = whole.size - 1;
            REQUIRE(!kafka_unpack(codec, data, size, &limits, &part, &result));
            REQUIRE(result.fault == KAFKA_UNPACK_LIMIT && part.data == NULL);
        }
        limits.output = (size_t)1 << 20;
    }
    /*
     * Less of the input gives the same output for as long as it goes. It may even go further: of a raw block that turns
     * out to be too large, zstd gives out the beginning.
     */
    (void)kafka_unpack(codec, data, size - size / 3 - 1, &limits, &part, &result);
    size_t common = part.size < whole.size ? part.size : whole.size;
    REQUIRE(common == 0 || memcmp(part.data, whole.data, common) == 0);
    kafka_buffer_free(&part);
    kafka_buffer_free(&whole);
}

#endif
