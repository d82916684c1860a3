/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes in memory of just their size, for sanitizers to see any read past what was captured. From malloc itself: what
 * cmocka's test_malloc gives has room around it, in which such a read goes unseen.
 */
#ifndef KAFKA_TESTS_UNIT_EXACT_H
#define KAFKA_TESTS_UNIT_EXACT_H

#include "builder.h"

/* A cursor over the first `captured` bytes. */
static inline struct kafka_cursor open_exactly(const struct builder *builder, size_t captured)
{
    uint8_t *copy = malloc(captured > 0 ? captured : 1);

    assert_non_null(copy);
    memcpy(copy, builder->data, captured);
    return (struct kafka_cursor){.data = copy, .offset = 0, .limit = builder->size, .captured = captured};
}

static inline void close_exactly(struct kafka_cursor *cursor)
{
    free((void *)cursor->data);
    cursor->data = NULL;
}

#endif
