/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of arrays, structures and tags in a tree: what each is, and a summary of what was found in it ("Topic:
 * orders, 2 Partitions"), put together while it is walked over.
 */
#ifndef KAFKA_DISSECTOR_NODE_H
#define KAFKA_DISSECTOR_NODE_H

#include "compat.h"

#include "../wire/walk.h"
#include "text.h"

/* Room for the summary. */
#define KAFKA_NODE_TEXT_SIZE 160

/* What the number in the text of a node is. */
enum kafka_node_number {
    KAFKA_NODE_NO_NUMBER,
    KAFKA_NODE_COUNT, /* of an array's elements or a section's tags */
    KAFKA_NODE_TAG,
};

/* A subtree that is being filled. */
struct kafka_node {
    proto_tree *tree;
    proto_item *item;  /* NULL where nothing is shown of it */
    const char *label; /* that its text begins with */
    int64_t number;    /* and goes on with */
    enum kafka_node_number number_is;
    bool is_null;
    bool has_text;     /* something identifies the structure already */
    int64_t port;      /* of the host that is or will be named; 0 before it is known */
    const char *error; /* the name of an error other than NONE, or NULL */
    struct kafka_text text;
    char room[KAFKA_NODE_TEXT_SIZE];
};

/* Begins a node with that label; item may be NULL. */
void kafka_node_begin(struct kafka_node *node, proto_tree *tree, proto_item *item, const char *label);

/* Gives the item of a node its text. */
void kafka_node_label(const struct kafka_node *node);

/* Begins a piece of the summary, and returns the text to put it into. */
struct kafka_text *kafka_node_tell(struct kafka_node *node);

/* Tells a name, or as much of it as there is room for. */
void kafka_node_tell_part(struct kafka_node *node, const char *name);

/* Tells a field, where its meaning makes it worth that; text is what is shown of a string. */
void kafka_node_tell_string(struct kafka_node *node, const struct kafka_leaf *leaf, const char *text);
void kafka_node_tell_integer(struct kafka_node *node, const struct kafka_leaf *leaf);

#endif
