/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "places.h"

#include <string.h>

struct places {
    const struct kafka_cursor *cursor;
    kafka_placed_wants *wants;
    kafka_placed_leaf *leaf;
    void *context;
    struct kafka_place place;
};

void kafka_place_take_topic(struct kafka_topic_ref *topic, const uint8_t *data, const struct kafka_leaf *leaf,
                            bool is_id)
{
    /* A structure with both gives one of them as null, or the name says it all. */
    if (!is_id && leaf->value.length == 0 && topic->is_id) {
        return;
    }
    topic->bytes = leaf->value.length > 0 ? data + leaf->value.offset : NULL;
    topic->length = leaf->value.length;
    topic->is_id = is_id;
}

static void take_topic(struct places *places, const struct kafka_leaf *leaf, bool is_id)
{
    kafka_place_take_topic(&places->place.topic, places->cursor->data, leaf, is_id);
    places->place.partition = -1;
}

static void take_leaf(void *context, const struct kafka_leaf *leaf)
{
    struct places *places = context;

    if (leaf->value.offset + leaf->value.length > places->cursor->captured && leaf->field->type != KAFKA_TYPE_RECORDS) {
        return;
    }
    switch (leaf->field->meaning) {
    case KAFKA_MEANING_TOPIC_NAME:
        take_topic(places, leaf, false);
        break;
    case KAFKA_MEANING_TOPIC_ID:
        take_topic(places, leaf, true);
        break;
    case KAFKA_MEANING_PARTITION:
        places->place.partition = (int32_t)leaf->integer;
        break;
    default:
        break;
    }
    places->leaf(places->context, &places->place, leaf);
}

static bool skip_leaf(void *context, const struct kafka_field *field)
{
    const struct places *places = context;

    return field->meaning != KAFKA_MEANING_PARTITION && field->meaning != KAFKA_MEANING_TOPIC_ID &&
           !places->wants(field);
}

enum kafka_walk_result kafka_walk_places(const struct kafka_body *body, kafka_placed_wants *wants,
                                         kafka_placed_leaf *leaf, void *context)
{
    struct kafka_visitor visitor = kafka_visit_nothing;
    struct kafka_cursor cursor = body->cursor;
    struct places places = {
        .cursor = &body->cursor, .wants = wants, .leaf = leaf, .context = context, .place.partition = -1};

    visitor.leaf = take_leaf;
    visitor.skips = wants != NULL ? skip_leaf : NULL;
    return kafka_walk(&cursor, body->message, body->version, &visitor, &places);
}

const struct kafka_field *kafka_field_at(const struct kafka_message *message, const char *path)
{
    const struct kafka_struct *layout = message->body;
    const struct kafka_field *found = NULL;

    while (layout != NULL) {
        size_t length = strcspn(path, ".");
        found = NULL;
        for (size_t i = 0; i < layout->count && found == NULL; i++) {
            const struct kafka_field *field = &layout->fields[i];
            found = strlen(field->name) == length && memcmp(field->name, path, length) == 0 ? field : NULL;
        }
        if (found == NULL || path[length] == '\0') {
            return found;
        }
        path += length + 1;
        layout = found->members;
    }
    return NULL;
}
