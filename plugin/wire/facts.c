/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "facts.h"

#include "walk.h"

struct search {
    struct kafka_facts *facts;
    size_t captured;
    unsigned arrays; /* around the field at hand */
};

static void enter_array(void *context, const struct kafka_field *field, size_t offset, size_t prefix, int32_t count)
{
    struct search *search = context;

    (void)field;
    (void)offset;
    (void)prefix;
    (void)count;
    search->arrays++;
}

static void leave_array(void *context, size_t end)
{
    struct search *search = context;

    (void)end;
    search->arrays--;
}

static void take(const struct search *search, const struct kafka_leaf *leaf, struct kafka_span *span)
{
    if (leaf->value.offset + leaf->value.length <= search->captured) {
        *span = leaf->value;
    }
}

static void note_leaf(void *context, const struct kafka_leaf *leaf)
{
    const struct search *search = context;
    struct kafka_facts *facts = search->facts;

    if (search->arrays > 0) {
        return;
    }
    switch (leaf->field->meaning) {
    case KAFKA_MEANING_GROUP_ID:
        take(search, leaf, &facts->group_id);
        break;
    case KAFKA_MEANING_PROTOCOL_TYPE:
        take(search, leaf, &facts->protocol_type);
        break;
    case KAFKA_MEANING_PROTOCOL_NAME:
        take(search, leaf, &facts->protocol_name);
        break;
    case KAFKA_MEANING_SASL_MECHANISM:
        take(search, leaf, &facts->sasl_mechanism);
        break;
    case KAFKA_MEANING_SASL_BYTES:
        facts->sasl_bytes = leaf->value;
        break;
    case KAFKA_MEANING_ENVELOPE_REQUEST:
        facts->envelope_request = leaf->value;
        break;
    case KAFKA_MEANING_ERROR_CODE:
        facts->has_error = true;
        facts->error = (int16_t)leaf->integer;
        break;
    case KAFKA_MEANING_SESSION_LIFETIME:
        facts->session_lifetime = leaf->integer;
        break;
    default:
        break;
    }
}

void kafka_facts_read(const struct kafka_body *body, struct kafka_facts *facts)
{
    const struct kafka_span none = {.is_null = true};
    struct kafka_visitor visitor = kafka_visit_nothing;
    struct search search = {.facts = facts, .captured = body->cursor.captured};
    struct kafka_cursor cursor = body->cursor;

    *facts = (struct kafka_facts){
        .group_id = none,
        .protocol_type = none,
        .protocol_name = none,
        .sasl_mechanism = none,
        .sasl_bytes = none,
        .envelope_request = none,
    };
    visitor.leaf = note_leaf;
    visitor.array_begin = enter_array;
    visitor.array_end = leave_array;
    (void)kafka_walk(&cursor, body->message, body->version, &visitor, &search);
}
