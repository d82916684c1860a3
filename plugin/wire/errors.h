/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kafka's error codes, made by tools/schema/compile.py: the names are Kafka's (schema/errors.tsv), the meanings are our
 * own words (schema/error-meanings.tsv).
 */
#ifndef KAFKA_WIRE_ERRORS_H
#define KAFKA_WIRE_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kafka_error {
    int16_t code;
    const char *name;    /* "UNKNOWN_TOPIC_OR_PARTITION" */
    bool retriable;      /* a client may try again without a change */
    const char *meaning; /* one sentence */
};

extern const struct kafka_error kafka_errors[]; /* sorted by code */
extern const size_t kafka_error_count;

#endif
