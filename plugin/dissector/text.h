/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text of limited size, put together without printf: the texts of items and of the Info column are made for each
 * message and record, where printf's way with formats would be half of the work.
 */
#ifndef KAFKA_DISSECTOR_TEXT_H
#define KAFKA_DISSECTOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kafka_text {
    char *bytes; /* always ends with NUL */
    size_t size; /* room, the NUL included */
    size_t used;
    size_t begun;    /* where the piece begins that stays whole */
    bool is_cut;     /* there was no room for all of it */
    bool is_dropped; /* nor for the piece at hand */
};

/* Begins an empty text in size bytes, at least 1. */
static inline void kafka_text_init(struct kafka_text *text, char *bytes, size_t size)
{
    *text = (struct kafka_text){.bytes = bytes, .size = size};
    bytes[0] = '\0';
}

/* Begins a piece: what is put until the next one is there as a whole or not at all. */
static inline void kafka_text_begin(struct kafka_text *text)
{
    text->begun = text->used;
    text->is_dropped = false;
}

/* These put length bytes, a string, and a number in digits; what there is no room for drops the piece at hand. */
void kafka_text_put(struct kafka_text *text, const char *bytes, size_t length);
void kafka_text_string(struct kafka_text *text, const char *string);
void kafka_text_number(struct kafka_text *text, int64_t number);

/* The longest a number is, with its sign. */
#define KAFKA_DIGITS_SIZE 20

/* Writes number to the end of the KAFKA_DIGITS_SIZE bytes at digits; returns where it begins. */
static inline const char *kafka_digits(char digits[KAFKA_DIGITS_SIZE], int64_t number)
{
    char *start = digits + KAFKA_DIGITS_SIZE;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

    do {
        *--start = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        *--start = '-';
    }
    return start;
}

#endif
