/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows the messages of the SASL mechanisms that Kafka itself defines the use of, and finds what of them is secret. */
#ifndef KAFKA_DISSECTOR_SASL_MESSAGES_H
#define KAFKA_DISSECTOR_SASL_MESSAGES_H

#include "compat.h"

#include "../wire/sasl.h"
#include "message.h"

/* A token that is being shown. */
struct kafka_sasl_token {
    struct kafka_show *show;
    enum kafka_sasl_family family;
    const char *mechanism; /* NULL where nobody told */
    bool to_broker;
    struct kafka_cursor bytes;
    proto_tree *tree;
    proto_item *item;       /* of the bytes, or of what holds them where nobody wants the bytes */
    struct kafka_span mask; /* what must not be shown; null for nothing */
};

extern expert_field ei_kafka_sasl_failed;
extern expert_field ei_kafka_sasl_malformed;

/* Returns where the captured bytes of a token end. */
static inline size_t kafka_sasl_captured_end(const struct kafka_cursor *bytes)
{
    return bytes->captured < bytes->limit ? bytes->captured : bytes->limit;
}

/* Registers fields; once, after kafka_fields_register. */
void kafka_sasl_messages_register(void);

/* Returns what of the captured bytes of a token must not be shown; null for nothing. */
struct kafka_span kafka_sasl_find_secret(const struct kafka_sasl_token *token);

/* Shows what a token of a mechanism that is known holds. */
void kafka_sasl_show_message(const struct kafka_sasl_token *token);

#endif
