/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the values of a message are such as clients and brokers send. A layout alone fits by chance where many bytes
 * are zero, as in Kafka's messages they are.
 */
#ifndef KAFKA_WIRE_PLAUSIBLE_H
#define KAFKA_WIRE_PLAUSIBLE_H

#include "cursor.h"
#include "schema.h"
#include "walk.h"

/* What the body at a cursor is in one version of a message. */
struct kafka_reading {
    enum kafka_walk_result result; /* KAFKA_WALK_MALFORMED also when a value is not plausible */
    uint64_t layout;               /* the same number for the same fields at the same places */
    bool has_unknown_tags;
};

struct kafka_reading kafka_read_plausibly(const struct kafka_cursor *cursor, const struct kafka_message *message,
                                          int16_t version, bool is_request);

#endif
