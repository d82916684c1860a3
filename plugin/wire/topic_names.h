/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which messages tell the names of topic ids (KIP-516), and what they tell. */
#ifndef KAFKA_WIRE_TOPIC_NAMES_H
#define KAFKA_WIRE_TOPIC_NAMES_H

#include "body.h"

#define KAFKA_UUID_SIZE 16

/* What a broker accepts as the name of a topic. */
#define KAFKA_TOPIC_NAME_MAX 249

/* A topic's id and name that stand in one structure; name is not terminated. */
struct kafka_topic_naming {
    const uint8_t *id;
    const char *name;
    size_t name_length;
};

typedef void kafka_topic_naming_found(void *context, const struct kafka_topic_naming *naming);

/* Returns the field of the structure that names the topic whose id is field, in whichever versions; NULL for none. */
const struct kafka_field *kafka_topic_name_beside(const struct kafka_struct *layout, const struct kafka_field *field);

/* Returns whether some structure of the message has both an id and a name in that version. */
bool kafka_message_names_topics(const struct kafka_message *message, int16_t version);

/*
 * Calls found with each naming in the body. A body with anything wrong in it names nothing, nor does what the capture
 * cut, a reserved id or a name that no topic can have.
 */
void kafka_find_topic_names(const struct kafka_body *body, kafka_topic_naming_found *found, void *context);

/* Returns whether a broker would accept the name. */
bool kafka_may_be_topic_name(const char *name, size_t length);

/*
 * Reads a uuid as people write it: 22 characters of URL-safe base64, as Kafka does, or 32 hexadecimal digits with or
 * without hyphens. Returns whether the text is one.
 */
bool kafka_uuid_parse(const char *text, uint8_t uuid[KAFKA_UUID_SIZE]);

/* Returns whether Kafka has a use of its own for the id: none, and the topic of the cluster's metadata. */
bool kafka_topic_id_is_reserved(const uint8_t id[KAFKA_UUID_SIZE]);

#endif
