/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzz targets share. A broken promise ends the process, whatever the build type. */
#ifndef KAFKA_TESTS_FUZZ_FUZZ_H
#define KAFKA_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "wire/cursor.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The sum is stored where the compiler cannot know that nobody reads it, so that every byte is read. */
static volatile unsigned fuzz_sink;

/* A span lies before end, and its bytes can be read. */
static inline void touch_span(const uint8_t *data, const struct kafka_span *span, size_t end)
{
    unsigned sum = 0;

    REQUIRE(span->offset <= end && span->length <= end - span->offset);
    REQUIRE(!span->is_null || span->length == 0);
    for (size_t i = 0; i < span->length; i++) {
        sum += data[span->offset + i];
    }
    fuzz_sink = sum;
}

/* The first two bytes say how much of the rest was captured, so that inputs differ in what is cut and what is short. */
static inline int open_input(const uint8_t *data, size_t size, struct kafka_cursor *cursor)
{
    if (size < 2) {
        return 0;
    }
    size_t less = kafka_load16(data);
    size_t rest = size - 2;
    *cursor = (struct kafka_cursor){.data = data + 2, .limit = rest, .captured = rest - (less <= rest ? less : 0)};
    return 1;
}

#endif
