/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether bytes are text: keys and values may be anything, and so may be what is taken for a message. */
#ifndef KAFKA_WIRE_TEXT_KIND_H
#define KAFKA_WIRE_TEXT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What bytes are to people who read them. */
enum kafka_text_kind {
    KAFKA_NOT_TEXT,
    KAFKA_TEXT,           /* UTF-8 without control characters but tab and newlines */
    KAFKA_TEXT_PRINTABLE, /* and of ASCII without any; so is no byte at all */
};

enum kafka_text_kind kafka_text_kind(const uint8_t *bytes, size_t length);

static inline bool kafka_is_text(const uint8_t *bytes, size_t length)
{
    return kafka_text_kind(bytes, length) != KAFKA_NOT_TEXT;
}

#endif
