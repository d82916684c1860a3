/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the fields of the schema look in Wireshark: one row a filter name, made by tools/schema/compile.py from
 * schema/names.tsv and the message definitions.
 */
#ifndef KAFKA_DISSECTOR_DISPLAY_H
#define KAFKA_DISSECTOR_DISPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "../wire/meaning.h"

/* Field types that the schema needs; fields.c maps them to Wireshark's ftenum. */
enum kafka_display_type {
    KAFKA_DISPLAY_BOOLEAN,
    KAFKA_DISPLAY_INT8,
    KAFKA_DISPLAY_INT16,
    KAFKA_DISPLAY_INT32,
    KAFKA_DISPLAY_INT64,
    KAFKA_DISPLAY_UINT8,
    KAFKA_DISPLAY_UINT16,
    KAFKA_DISPLAY_UINT32,
    KAFKA_DISPLAY_UINT64,
    KAFKA_DISPLAY_DOUBLE,
    KAFKA_DISPLAY_GUID,
    KAFKA_DISPLAY_STRING,
    KAFKA_DISPLAY_BYTES,
    KAFKA_DISPLAY_NONE,
    KAFKA_DISPLAY_TIME, /* FT_ABSOLUTE_TIME */
};

#define KAFKA_NO_ALIAS UINT16_MAX

struct kafka_display {
    const char *filter; /* "kafka.topic_name" */
    const char *label;  /* "Topic Name" */
    enum kafka_display_type type;
    enum kafka_meaning meaning; /* gives value strings and units */
    uint16_t alias;             /* row that is added, hidden, with the same value; or KAFKA_NO_ALIAS */
};

extern const struct kafka_display kafka_displays[];
extern const size_t kafka_display_count;

#endif
