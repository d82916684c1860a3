/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics as messages give them, by name or by id, each kept once a capture: equal ones are the same pointer. */
#ifndef KAFKA_DISSECTOR_TOPICS_H
#define KAFKA_DISSECTOR_TOPICS_H

#include "compat.h"

#include "../wire/places.h"

struct kafka_topic {
    struct kafka_topic_ref ref; /* bytes last as long as the capture is open */
};

/* A partition of a topic: the key of maps. */
struct kafka_topic_partition {
    const struct kafka_topic *topic;
    int32_t partition;
};

/* Returns the topic; for the first pass. NULL where the message gave none. */
const struct kafka_topic *kafka_topic_keep(const struct kafka_topic_ref *ref);

/* Returns the topic if a message of the first pass had it, or NULL; for every pass. */
const struct kafka_topic *kafka_topic_find(const struct kafka_topic_ref *ref);

/*
 * Returns the topic under its name, where that is known by now, so that messages that give its id and such that give
 * its name mean the same; else the topic itself. For the first pass.
 */
const struct kafka_topic *kafka_topic_by_name(const struct kafka_topic *topic);

/* Returns the topic's name where it is known, else Kafka's form of its id; allocated in scope. */
const char *kafka_topic_text(wmem_allocator_t *scope, const struct kafka_topic *topic);

/* For maps with struct kafka_topic_partition as key. */
unsigned kafka_topic_partition_hash(const void *key);
gboolean kafka_topic_partitions_equal(const void *a, const void *b);

/* What a producer does in a partition is kept by this. */
struct kafka_producer_partition {
    int64_t producer_id;
    struct kafka_topic_partition at;
};

/* For maps with struct kafka_producer_partition as key. */
unsigned kafka_producer_partition_hash(const void *key);
gboolean kafka_producer_partitions_equal(const void *a, const void *b);

/* Makes the table; once. */
void kafka_topics_register(void);

#endif
