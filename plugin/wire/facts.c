/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "facts.h"

#include "header.h"
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

static void read_body(struct kafka_cursor *body, const struct kafka_message *message, int16_t version,
                      struct kafka_facts *facts)
{
    struct kafka_visitor visitor = kafka_visit_nothing;
    struct search search = {.facts = facts, .captured = body->captured};

    visitor.leaf = note_leaf;
    visitor.array_begin = enter_array;
    visitor.array_end = leave_array;
    (void)kafka_walk(body, message, version, &visitor, &search);
}

static void clear(struct kafka_facts *facts)
{
    const struct kafka_span none = {.is_null = true};

    *facts = (struct kafka_facts){
        .group_id = none,
        .protocol_type = none,
        .protocol_name = none,
        .sasl_mechanism = none,
        .sasl_bytes = none,
        .envelope_request = none,
    };
}

bool kafka_facts_of_request(const struct kafka_cursor *frame, struct kafka_facts *facts)
{
    struct kafka_cursor at = *frame;
    struct kafka_request_header header;

    clear(facts);
    if (kafka_read_request_header(&at, &header) != KAFKA_OK || header.api == NULL ||
        !kafka_skip_request_header_rest(&at, kafka_request_header_version(header.api, header.known_version))) {
        return false;
    }
    read_body(&at, header.api->request, header.known_version, facts);
    return true;
}

bool kafka_facts_of_response(const struct kafka_cursor *frame, int16_t api_key, int16_t version,
                             struct kafka_facts *facts)
{
    struct kafka_cursor at = *frame;
    const struct kafka_api *api = kafka_api_find(api_key);

    clear(facts);
    if (api == NULL || kafka_need(&at, KAFKA_RESPONSE_FIXED_SIZE) != KAFKA_OK) {
        return false;
    }
    int16_t known = kafka_known_version(api->response, version);
    at.offset += KAFKA_RESPONSE_FIXED_SIZE;
    if (kafka_response_header_version(api, known) == 1 &&
        kafka_walk_header_tags(&at, &kafka_visit_nothing, NULL) != KAFKA_WALK_COMPLETE) {
        return false;
    }
    read_body(&at, api->response, kafka_response_body_version(&at, api, known), facts);
    return true;
}
