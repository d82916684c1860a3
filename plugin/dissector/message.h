/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows the body of a message: the visitor that builds the tree, and on the way the line for the Info column. */
#ifndef KAFKA_DISSECTOR_MESSAGE_H
#define KAFKA_DISSECTOR_MESSAGE_H

#include "compat.h"

#include "../wire/nested.h"
#include "../wire/walk.h"
#include "summary.h"

struct kafka_pdu;

/* What is shown of one PDU, and where; set up by the caller, used by the functions below. */
struct kafka_show {
    packet_info *pinfo;
    tvbuff_t *tvb;                       /* the PDU */
    const uint8_t *data;                 /* its captured bytes */
    proto_tree *tree;                    /* for the fields; NULL when nobody wants one */
    proto_item *item;                    /* of the PDU: for problems that belong to no field */
    struct kafka_summary *summary;       /* or NULL when nobody wants the Info column */
    uint32_t max_items;                  /* that the packet may show: kafka_max_items() */
    const struct kafka_message *message; /* whose body is shown; NULL for a header's tags */
    bool is_request;
    bool wants_expert; /* somebody listens to every expert info */
    bool checks_text;  /* what is wrong with a string is to be told, also where the string is not wanted */
    int16_t api_key;
    int16_t version;                    /* that the body is decoded in */
    int16_t said_version;               /* that the message says */
    bool is_newer;                      /* and that is newer than the schema */
    size_t body_offset;                 /* where the body begins */
    const struct kafka_state *state;    /* what the first pass learned (state.h), or NULL */
    const struct kafka_pdu *pdu;        /* what the first pass decided; NULL when it saw none, and for is_inner */
    bool is_inner;                      /* the message stands in another one */
    struct kafka_group_protocol group;  /* that the message at hand is about */
    enum kafka_nested_kind nested_kind; /* of message, where it stands in a bytes field */
};

/* Shows the fields of the body from the cursor to its limit. The cursor ends where decoding ended. */
enum kafka_walk_result kafka_show_body(struct kafka_show *show, struct kafka_cursor *cursor);

/* Shows the tag section of a header at the cursor, and moves behind it unless it is broken. */
enum kafka_walk_result kafka_show_header_tags(struct kafka_show *show, struct kafka_cursor *cursor);

/*
 * Returns whether an item of field hf has to be added to the tree: somebody looks at it, or references the field, and
 * there is room.
 */
bool kafka_is_wanted(const struct kafka_show *show, int hf);

/* Returns whether the tree, which is not NULL, has room for one more item. */
static inline bool kafka_show_has_room(const struct kafka_show *show)
{
    return PTREE_DATA(show->tree)->count < show->max_items;
}

/* Returns whether the tree, where there is one, has room for what is added although nobody wants it. */
static inline bool kafka_show_has_room_to_explain(const struct kafka_show *show)
{
    return show->tree == NULL || kafka_show_has_room(show);
}

#endif
