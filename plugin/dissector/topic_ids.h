/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of topics that messages have only the id of (KIP-516). Ids are unique, so that one connection's names serve all
 * of the capture. What the capture shows comes before what the preference "kafka.topic_ids" says.
 */
#ifndef KAFKA_DISSECTOR_TOPIC_IDS_H
#define KAFKA_DISSECTOR_TOPIC_IDS_H

#include "compat.h"

#include <epan/prefs.h>

#include "../wire/places.h"
#include "../wire/topic_names.h"
#include "../wire/walk.h"

struct kafka_topic_name {
    const char *name;
    uint32_t frame;       /* in which the name was learned, or 0 when it comes from elsewhere */
    uint32_t other_frame; /* the first one that gave the id another name, or 0 */
};

/* How far a walk that is being shown is with ids whose names stand beside them. */
struct kafka_topic_ids_walk {
    const struct kafka_field *awaited;   /* the name that follows an id, or NULL */
    struct kafka_span awaited_id;        /* that id */
    proto_tree *awaited_tree;            /* below it */
    const struct kafka_field *last_name; /* the name seen last */
    struct kafka_span last_value;
};

struct kafka_show;

/* Returns whether an id came whose name may follow. */
static inline bool kafka_topic_ids_awaits_name(const struct kafka_topic_ids_walk *walk)
{
    return walk->awaited != NULL;
}

/* Takes note of a name that follows no id. */
static inline void kafka_topic_ids_pass_name(struct kafka_topic_ids_walk *walk, const struct kafka_leaf *leaf)
{
    walk->last_name = leaf->field;
    walk->last_value = leaf->value;
}

/* Returns the name of the topic as far as it is known now, or NULL. */
const struct kafka_topic_name *kafka_topic_ids_find(const uint8_t id[KAFKA_UUID_SIZE]);

/* Learns what the body says about names; for the first pass, of messages that name topics. */
void kafka_topic_ids_learn(const struct kafka_body *body, uint32_t frame);

/*
 * The same of records of the cluster's metadata: of a leaf that is told with its place, and is searched where it is a
 * record set of that topic. What that costs is taken from *budget (kafka_find_topic_records).
 */
void kafka_topic_ids_learn_records(const struct kafka_cursor *body, const struct kafka_place *place,
                                   const struct kafka_leaf *leaf, size_t *budget, uint32_t frame);

/* The same of a message of which nothing else is learned, and which has such records. */
void kafka_topic_ids_learn_snapshot(const struct kafka_body *body, uint32_t frame);

/*
 * Returns the name of the topic whose id the leaf is where no name can follow it in its structure and none came before;
 * else NULL.
 */
const char *kafka_topic_ids_lone_name(const struct kafka_topic_ids_walk *walk, const struct kafka_show *show,
                                      const struct kafka_leaf *leaf);

/*
 * Shows what is known of an id that the leaf is, or that stands beside the name that the leaf is: a generated name
 * where the structure has none, and a note where the capture has several. item is the leaf's own, or NULL; tree is the
 * id's, or where it would be.
 */
void kafka_topic_ids_show_id(struct kafka_topic_ids_walk *walk, struct kafka_show *show, proto_tree *tree,
                             proto_item *item, const struct kafka_leaf *leaf);
void kafka_topic_ids_show_name(struct kafka_topic_ids_walk *walk, struct kafka_show *show, proto_item *item,
                               const struct kafka_leaf *leaf);

/* Registers fields and expert infos, after those of the schema; and the preference. */
void kafka_topic_ids_register(int proto);
void kafka_topic_ids_register_preference(module_t *module);

#endif
