/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "node.h"

#include <string.h>

#include "label.h"
#include "values.h"

void kafka_node_begin(struct kafka_node *node, proto_tree *tree, proto_item *item, const char *label)
{
    node->tree = tree;
    node->item = item;
    node->label = label;
    node->number_is = KAFKA_NODE_NO_NUMBER;
    node->is_null = false;
    node->has_text = false;
    node->port = 0;
    node->error = NULL;
    kafka_text_init(&node->text, node->room, sizeof node->room);
    kafka_item_set_label(item, label, strlen(label));
}

void kafka_node_label(const struct kafka_node *node)
{
    char room[ITEM_LABEL_LENGTH];
    struct kafka_text text;

    kafka_text_init(&text, room, sizeof room);
    kafka_text_string(&text, node->label);
    if (node->number_is != KAFKA_NODE_NO_NUMBER) {
        kafka_text_string(&text, node->number_is == KAFKA_NODE_COUNT ? " (" : " (tag ");
        kafka_text_number(&text, node->number);
        kafka_text_put(&text, ")", 1);
    }
    kafka_text_string(&text, node->is_null ? ": null" : "");
    kafka_text_begin(&text);
    if (node->text.used > 0) {
        kafka_text_put(&text, ":", 1);
        kafka_text_put(&text, node->room, node->text.used);
        kafka_text_string(&text, node->text.is_cut ? " \xe2\x80\xa6" : "");
    }
    if (node->error != NULL) {
        kafka_text_string(&text, node->text.used > 0 ? ", " : ": ");
        kafka_text_string(&text, node->error);
    }
    kafka_item_set_label(node->item, text.bytes, text.used);
}

/* How much of a name goes into the text of the structure that has it. */
#define NAME_SHOWN 60

struct kafka_text *kafka_node_tell(struct kafka_node *node)
{
    struct kafka_text *text = &node->text;

    kafka_text_begin(text);
    kafka_text_string(text, text->used > 0 ? ", " : " ");
    return text;
}

static void tell_text(struct kafka_node *node, const char *string)
{
    kafka_text_string(kafka_node_tell(node), string);
}

/* Puts a text, with a picture of each control character in it (U+2400 and following): a terminal may obey them. */
static void put_visibly(struct kafka_text *text, const char *name, size_t length)
{
    size_t begin = 0;

    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c < 0x20 || c == 0x7f) {
            const char picture[] = {'\xe2', '\x90', (char)(0x80 + (c == 0x7f ? 0x21 : c))};
            kafka_text_put(text, name + begin, i - begin);
            kafka_text_put(text, picture, sizeof picture);
            begin = i + 1;
        }
    }
    kafka_text_put(text, name + begin, length - begin);
}

/* At most NAME_SHOWN bytes, and no half characters. */
void kafka_node_tell_part(struct kafka_node *node, const char *name)
{
    struct kafka_text *text = kafka_node_tell(node);
    size_t length = strlen(name);
    size_t shown = length < NAME_SHOWN ? length : NAME_SHOWN;

    while (shown < length && shown > 0 && ((unsigned char)name[shown] & 0xc0U) == 0x80U) {
        shown--;
    }
    put_visibly(text, name, shown);
    kafka_text_string(text, shown < length ? "\xe2\x80\xa6" : "");
}

static void tell_name(struct kafka_node *node, const char *name)
{
    kafka_node_tell_part(node, name);
    node->has_text = true;
}

static void tell_number(struct kafka_node *node, int64_t number)
{
    kafka_text_number(kafka_node_tell(node), number);
}

static void tell_labelled(struct kafka_node *node, const char *label, int64_t number)
{
    struct kafka_text *text = kafka_node_tell(node);

    kafka_text_string(text, label);
    kafka_text_put(text, " ", 1);
    kafka_text_number(text, number);
}

/* The port goes with the host that was named last. */
static void tell_port(struct kafka_node *node, int64_t port)
{
    kafka_text_begin(&node->text);
    kafka_text_put(&node->text, ":", 1);
    kafka_text_number(&node->text, port);
}

void kafka_node_tell_string(struct kafka_node *node, const struct kafka_leaf *leaf, const char *text)
{
    if (leaf->value.is_null || leaf->value.length == 0) {
        return;
    }
    switch (leaf->field->meaning) {
    case KAFKA_MEANING_HOST:
        tell_name(node, text);
        if (node->port > 0) {
            tell_port(node, node->port);
        }
        node->port = -1;
        break;
    case KAFKA_MEANING_TOPIC_NAME:
    case KAFKA_MEANING_GROUP_ID:
    case KAFKA_MEANING_MEMBER_ID:
    case KAFKA_MEANING_TRANSACTIONAL_ID:
    case KAFKA_MEANING_COORDINATOR_KEY:
    case KAFKA_MEANING_RESOURCE_NAME:
    case KAFKA_MEANING_CONFIG_NAME:
    case KAFKA_MEANING_FEATURE_NAME:
        tell_name(node, text);
        break;
    case KAFKA_MEANING_SECRET:
    case KAFKA_MEANING_ERROR_MESSAGE:
        break;
    default:
        if (!node->has_text || leaf->index >= 0) {
            tell_name(node, text);
        }
        break;
    }
}

void kafka_node_tell_integer(struct kafka_node *node, const struct kafka_leaf *leaf)
{
    const char *name = kafka_value_name(leaf->field->meaning, leaf->integer);

    switch (leaf->field->meaning) {
    case KAFKA_MEANING_ERROR_CODE:
        /* It comes last: what has the error is named first. */
        if (leaf->integer != 0) {
            node->error = name != NULL ? name : "unknown error";
        }
        break;
    case KAFKA_MEANING_PARTITION:
        tell_number(node, leaf->integer);
        node->has_text = true;
        break;
    case KAFKA_MEANING_PORT:
        /* Some messages have the port before the host. */
        if (node->port < 0) {
            tell_port(node, leaf->integer);
        } else {
            node->port = leaf->integer;
        }
        break;
    case KAFKA_MEANING_OFFSET:
        if (leaf->integer >= 0) {
            tell_labelled(node, leaf->field->label, leaf->integer);
        }
        break;
    case KAFKA_MEANING_BROKER_ID:
        if (!node->has_text) {
            tell_number(node, leaf->integer);
        } else if (leaf->integer >= 0) {
            tell_labelled(node, leaf->field->label, leaf->integer);
        }
        node->has_text = true;
        break;
    case KAFKA_MEANING_API_VERSION:
    case KAFKA_MEANING_SUBTOPOLOGY:
        tell_labelled(node, leaf->field->label, leaf->integer);
        break;
    default:
        if (name != NULL) {
            tell_text(node, name);
        }
        break;
    }
}
