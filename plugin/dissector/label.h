/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of an item, set without printf. */
#ifndef KAFKA_DISSECTOR_LABEL_H
#define KAFKA_DISSECTOR_LABEL_H

#include "compat.h"

#include <string.h>

#include "text.h"

/*
 * Sets the text of an item in a visible tree, as proto_item_set_text does, which takes more time than all else that is
 * done for the item. The text is UTF-8 without control characters and shorter than ITEM_LABEL_LENGTH.
 */
static inline void kafka_item_set_label(proto_item *item, const char *text, size_t length)
{
    field_info *info = item != NULL ? PITEM_FINFO(item) : NULL;

    if (info == NULL || length >= ITEM_LABEL_LENGTH) {
        return;
    }
    if (info->rep == NULL) {
        info->rep = wmem_new(PNODE_POOL(item), item_label_t);
    }
    memcpy(info->rep->representation, text, length);
    info->rep->representation[length] = '\0';
    kafka_label_has_no_value(info->rep);
}

/* The same for a text that has one number in it; before and after take at most 40 bytes together. */
static inline void kafka_item_label_number(proto_item *item, const char *before, int64_t number, const char *after)
{
    char room[40 + KAFKA_DIGITS_SIZE + 1];
    struct kafka_text text;

    kafka_text_init(&text, room, sizeof room);
    kafka_text_string(&text, before);
    kafka_text_number(&text, number);
    kafka_text_string(&text, after);
    kafka_item_set_label(item, text.bytes, text.used);
}

/* Adds an item that is text alone, and that gets its text from kafka_item_set_label. */
static inline proto_item *kafka_add_label(proto_tree *tree, tvbuff_t *tvb, size_t offset, size_t length)
{
    return proto_tree_add_item(tree, hf_text_only, tvb, (int)offset, (int)length, ENC_NA);
}

#endif
