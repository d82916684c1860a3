/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"

#include <string.h>

void kafka_text_put(struct kafka_text *text, const char *bytes, size_t length)
{
    if (text->is_dropped) {
        return;
    }
    if (length >= text->size - text->used) {
        text->used = text->begun;
        text->is_cut = true;
        text->is_dropped = true;
    } else {
        memcpy(text->bytes + text->used, bytes, length);
        text->used += length;
    }
    text->bytes[text->used] = '\0';
}

void kafka_text_string(struct kafka_text *text, const char *string)
{
    kafka_text_put(text, string, strlen(string));
}

void kafka_text_number(struct kafka_text *text, int64_t number)
{
    char digits[KAFKA_DIGITS_SIZE];
    const char *start = kafka_digits(digits, number);

    kafka_text_put(text, start, (size_t)(digits + sizeof digits - start));
}
