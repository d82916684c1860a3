/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Going over a message by the partitions that it speaks of: each field is told with the topic and partition around it.
 */
#ifndef KAFKA_WIRE_PLACES_H
#define KAFKA_WIRE_PLACES_H

#include "body.h"
#include "walk.h"

/* A topic as a message gives it, or where none was given. */
struct kafka_topic_ref {
    const uint8_t *bytes; /* of the id, or of the name; NULL for none */
    size_t length;
    bool is_id;
};

struct kafka_place {
    struct kafka_topic_ref topic;
    int32_t partition; /* −1 for none */
};

/* Takes note of the topic that the leaf names, or, with is_id, has the id of; data is what its offsets count in. */
void kafka_place_take_topic(struct kafka_topic_ref *topic, const uint8_t *data, const struct kafka_leaf *leaf,
                            bool is_id);

/* One field that has no fields below it; the leaf that gives topic or partition is told behind the change. */
typedef void kafka_placed_leaf(void *context, const struct kafka_place *place, const struct kafka_leaf *leaf);

/* Returns whether the value of a number, uuid or float is of use. */
typedef bool kafka_placed_wants(const struct kafka_field *field);

/*
 * Tells the leaves of the body, as far as it was captured: every one, or with wants, which may be NULL, of the numbers
 * only those that it returns true for and those that give places. Returns what the walk did: of a malformed message,
 * what was told may be wrong.
 */
enum kafka_walk_result kafka_walk_places(const struct kafka_body *body, kafka_placed_wants *wants,
                                         kafka_placed_leaf *leaf, void *context);

/* Returns the field at the path, "Topics.Partitions.Partition"; NULL when there is none. */
const struct kafka_field *kafka_field_at(const struct kafka_message *message, const char *path);

#endif
