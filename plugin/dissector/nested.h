/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows what bytes fields hold, below the field: what members of a group write for one another, the message in an
 * Envelope and its principal. What does not fit stays bytes, with a note.
 */
#ifndef KAFKA_DISSECTOR_NESTED_H
#define KAFKA_DISSECTOR_NESTED_H

#include "message.h"

/* Registers fields and expert infos; once, after kafka_fields_register. */
void kafka_nested_register(int proto);

/* Takes note of a field that tells what the group of the message at hand speaks. */
void kafka_nested_note_protocol(struct kafka_show *show, const struct kafka_leaf *leaf, struct kafka_span value);

/*
 * Shows what a bytes field holds, if it is one that holds something; item is the field's, or NULL, and tree the one
 * that it stands in. value is what was captured of it.
 */
void kafka_nested_show(struct kafka_show *show, proto_tree *tree, proto_item *item, const struct kafka_leaf *leaf,
                       struct kafka_span value);

#endif
