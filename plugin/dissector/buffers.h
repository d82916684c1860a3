/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffers for unpacked records, which are used again: the system clears fresh memory page by page, and that takes
 * longer than to unpack into it.
 */
#ifndef KAFKA_DISSECTOR_BUFFERS_H
#define KAFKA_DISSECTOR_BUFFERS_H

#include "compat.h"

#include "../wire/codec.h"

/* Returns an empty buffer, with room where one was used before. */
struct kafka_buffer kafka_buffers_take(void);

/* Makes the buffer's bytes those of a child of parent, with which they live and end. */
tvbuff_t *kafka_buffers_give(tvbuff_t *parent, const struct kafka_buffer *buffer);

/* Keeps a buffer that nobody has any more for the next one, unless it is too large for that. */
void kafka_buffers_drop(struct kafka_buffer *buffer);

/* Has buffers freed when the capture is closed; once. */
void kafka_buffers_register(void);

#endif
