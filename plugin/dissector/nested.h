/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows what bytes fields hold, below the field: what members of a group write for one another, the message in an
 * Envelope and its principal. What does not fit stays bytes, with a note.
 */
#ifndef KAFKA_DISSECTOR_NESTED_H
#define KAFKA_DISSECTOR_NESTED_H

#include "../wire/body.h"
#include "connection.h"
#include "message.h"

/* The request that an Envelope forwards (KIP-590): the response to the Envelope holds the one to it. */
struct kafka_forwarded {
    int16_t api_key;
    int16_t api_version;
};

/* Registers fields and expert infos; once, after kafka_fields_register. */
void kafka_nested_register(int proto);

/* Keeps with the exchange what request an Envelope holds; for the first pass. */
void kafka_nested_learn_envelope(struct kafka_exchange *exchange, const struct kafka_body *body);

/* Takes note of a field that tells what the group of the message at hand speaks. */
void kafka_nested_note_protocol(struct kafka_show *show, const struct kafka_leaf *leaf, struct kafka_span value);

/*
 * Shows what a bytes field holds, if it is one that holds something; item is the field's, or NULL, and tree the one
 * that it stands in. value is what was captured of it.
 */
void kafka_nested_show(struct kafka_show *show, proto_tree *tree, proto_item *item, const struct kafka_leaf *leaf,
                       struct kafka_span value);

#endif
