/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for numbers: enumerations, error codes, API keys, reserved uuids. */
#ifndef KAFKA_DISSECTOR_VALUES_H
#define KAFKA_DISSECTOR_VALUES_H

#include "compat.h"

#include "../wire/errors.h"
#include "../wire/meaning.h"

/* How the integers of a meaning are shown: what goes into header_field_info. strings is NULL for plain numbers. */
struct kafka_value_style {
    int base;            /* BASE_…, with BASE_UNIT_STRING, BASE_SPECIAL_VALS or BASE_EXT_STRING where they apply */
    const void *strings; /* value_string, value_string_ext or unit_name_string, as base says */
};

/* Makes the tables that come from the schema; once, before fields are registered. */
void kafka_values_init(void);

struct kafka_value_style kafka_value_style(enum kafka_meaning meaning);

/* Returns Kafka's name for the number, or NULL when there is none; static. */
const char *kafka_value_name(enum kafka_meaning meaning, int64_t value);

/* Returns the error with that code, or NULL when no release has it. */
const struct kafka_error *kafka_error_find(int64_t code);

/* Returns the name of the API, or "Unknown API N", allocated in scope. */
const char *kafka_api_name(wmem_allocator_t *scope, int16_t key);

/* Returns a point in time that Kafka has as milliseconds since 1970; they may be negative. */
nstime_t kafka_time_of(int64_t milliseconds);

/*
 * Kafka's form of a uuid: 22 characters of URL-safe base64 without padding and a NUL. Writes into text, which has room
 * for KAFKA_UUID_TEXT_SIZE.
 */
#define KAFKA_UUID_TEXT_SIZE 23
void kafka_uuid_to_text(const uint8_t uuid[16], char *text);

/* Returns the name of a reserved uuid of that meaning (KIP-516, KIP-858), or NULL for any other. */
const char *kafka_uuid_reserved_name(const uint8_t uuid[16], enum kafka_meaning meaning);

#endif
