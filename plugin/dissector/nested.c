/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "nested.h"

#include <string.h>

#include <wsutil/str_util.h>

#include "../wire/facts.h"
#include "../wire/header.h"
#include "../wire/nested.h"
#include "expert.h"
#include "fields.h"
#include "groups.h"
#include "pdu.h"
#include "state.h"

static int hf_version = -1;
static int hf_client_ipv4 = -1;
static int hf_client_ipv6 = -1;

static expert_field ei_undecoded = EI_INIT;

void kafka_nested_register(int proto)
{
    static ei_register_info infos[] = {
        {&ei_undecoded,
         {"kafka.nested_undecoded", PI_UNDECODED, PI_NOTE, "Bytes that hold no message as they should", EXPFILL}},
    };
    const struct kafka_field_row rows[] = {
        {&hf_version,
         {"Version", "kafka.nested_version", FT_INT32, BASE_DEC, NULL, 0, "Version of a message inside a bytes field",
          HFILL}},
        {&hf_client_ipv4, {"Client", "kafka.client_ipv4", FT_IPv4, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_client_ipv6, {"Client", "kafka.client_ipv6", FT_IPv6, BASE_NONE, NULL, 0, NULL, HFILL}},
    };

    kafka_register_rows(rows, array_length(rows));
    expert_register_field_array(expert_register_protocol(proto), infos, array_length(infos));
}

void kafka_nested_note_protocol(struct kafka_show *show, const struct kafka_leaf *leaf, struct kafka_span value)
{
    const char *text = value.length > 0 ? (const char *)show->data + value.offset : NULL;

    if (leaf->field->meaning == KAFKA_MEANING_PROTOCOL_TYPE) {
        show->group.type = text;
        show->group.type_length = value.length;
    } else {
        show->group.name = text;
        show->group.name_length = value.length;
    }
}

/* What the message does not say of its group, from earlier ones. */
static void remember_group(struct kafka_show *show)
{
    const struct kafka_group_use *use = show->state != NULL ? show->state->group : NULL;
    const struct kafka_group *known = use != NULL ? use->group : NULL;
    struct kafka_group_protocol *group = &show->group;

    if (known != NULL && group->type == NULL && known->type != NULL) {
        group->type = known->type;
        group->type_length = strlen(known->type);
    }
    if (known != NULL && group->name == NULL && known->name != NULL) {
        group->name = known->name;
        group->name_length = strlen(known->name);
    }
}

void kafka_nested_learn_envelope(struct kafka_exchange *exchange, const struct kafka_body *body)
{
    struct kafka_request_header header;
    struct kafka_facts facts;

    kafka_facts_read(body, &facts);
    if (facts.envelope_request.is_null) {
        return;
    }
    struct kafka_cursor inner = body->cursor;
    inner.offset = facts.envelope_request.offset;
    inner.limit = inner.offset + facts.envelope_request.length;
    /* What is shown as no request has no answer either. */
    if (kafka_is_plausible_request(&inner) && kafka_read_request_header(&inner, &header) == KAFKA_OK) {
        struct kafka_forwarded *forwarded = wmem_new(wmem_file_scope(), struct kafka_forwarded);
        forwarded->api_key = header.api_key;
        forwarded->api_version = header.api_version;
        kafka_state_of(exchange)->forwarded = forwarded;
    }
}

bool kafka_nested_find_answer(const struct kafka_exchange *exchange, const struct kafka_body *body,
                              struct kafka_body *inner)
{
    const struct kafka_forwarded *forwarded = exchange->state != NULL ? exchange->state->forwarded : NULL;
    const struct kafka_api *api = forwarded != NULL ? kafka_api_find(forwarded->api_key) : NULL;
    struct kafka_facts facts;

    if (api == NULL) {
        return false;
    }
    kafka_facts_read(body, &facts);
    struct kafka_cursor cursor = body->cursor;
    cursor.offset = facts.envelope_response.offset;
    cursor.limit = cursor.offset + facts.envelope_response.length;
    return !facts.envelope_response.is_null && kafka_find_response_body(&cursor, api, forwarded->api_version, inner);
}

/* A bytes field that holds something. */
struct holder {
    struct kafka_show *show; /* of the message that has the field */
    const struct kafka_field *field;
    proto_tree *tree; /* in which the field's item stands */
    proto_item *item; /* NULL when nobody wants it */
    struct kafka_cursor bytes;
};

static size_t size_of(const struct holder *holder)
{
    return holder->bytes.limit - holder->bytes.offset;
}

static void explain(const struct holder *holder, const char *text)
{
    proto_item *item = holder->item != NULL ? holder->item : holder->show->item;

    kafka_expert_add_format(holder->show->pinfo, item, &ei_undecoded, "%s", text);
}

static void explain_broken(const struct holder *holder, const struct kafka_nested *nested)
{
    wmem_allocator_t *scope = holder->show->pinfo->pool;

    if (nested->has_version) {
        explain(holder,
                wmem_strdup_printf(scope, "The bytes are no %s of version %d", nested->title, nested->said_version));
    } else {
        explain(holder, wmem_strdup_printf(scope, "The bytes are no %s", nested->title));
    }
}

/* What a newer version has behind the fields that are known. */
static void show_rest(struct kafka_show *show, const struct kafka_nested *nested, const struct kafka_cursor *bytes)
{
    size_t length = bytes->limit - nested->end;
    size_t there = bytes->captured > nested->end ? bytes->captured - nested->end : 0;
    proto_item *item = show->item;

    if (length == 0) {
        return;
    }
    if (kafka_is_wanted(show, hf_kafka_undecoded)) {
        item = proto_tree_add_item(show->tree, hf_kafka_undecoded, show->tvb, (int)nested->end, (int)there, ENC_NA);
    }
    kafka_expert_add_format(show->pinfo, item, &ei_undecoded, "%zu byte%s left over behind a %s of version %d", length,
                            length == 1 ? " is" : "s are", nested->title, nested->said_version);
}

static void set_title(const struct holder *holder, const struct kafka_nested *nested)
{
    if (nested->has_version) {
        proto_item_set_text(holder->item, "%s: %s v%d (%zu bytes)", holder->field->label, nested->title,
                            nested->said_version, size_of(holder));
    } else {
        proto_item_set_text(holder->item, "%s: %s (%zu bytes)", holder->field->label, nested->title, size_of(holder));
    }
}

static void show_message(const struct holder *holder, enum kafka_nested_kind kind)
{
    const struct kafka_cursor *bytes = &holder->bytes;
    struct kafka_show show = *holder->show;
    struct kafka_nested nested;
    enum kafka_nested_result result = kafka_nested_find(bytes, kind, &show.group, &nested);

    if (result == KAFKA_NESTED_UNKNOWN || nested.begin > bytes->captured) {
        return;
    }
    if (result == KAFKA_NESTED_BROKEN) {
        explain_broken(holder, &nested);
        return;
    }
    if (show.tree != NULL) {
        show.tree = holder->tree;
    }
    if (holder->item != NULL) {
        show.tree = proto_item_add_subtree(holder->item, ett_kafka_leaf);
        show.item = holder->item;
        set_title(holder, &nested);
    }
    show.summary = NULL;
    show.message = nested.message;
    show.version = nested.version;
    show.said_version = (int16_t)(nested.said_version < INT16_MAX ? nested.said_version : INT16_MAX);
    show.is_newer = nested.said_version > nested.message->versions.last;
    show.body_offset = nested.begin;
    show.nested_kind = kind;
    if (nested.begin > bytes->offset && kafka_is_wanted(&show, hf_version)) {
        proto_tree_add_int(show.tree, hf_version, show.tvb, (int)bytes->offset, (int)(nested.begin - bytes->offset),
                           nested.said_version);
    }
    if (nested.has_version && nested.version < nested.said_version && !show.is_newer) {
        explain(holder, wmem_strdup_printf(show.pinfo->pool, "The bytes are no %s of version %d, but one of version %d",
                                           nested.title, nested.said_version, nested.version));
    }
    struct kafka_cursor cursor = *bytes;
    cursor.offset = nested.begin;
    cursor.limit = nested.end;
    kafka_show_body(&show, &cursor);
    show_rest(&show, &nested, bytes);
}

/* An Envelope holds a whole request or response, without its length (KIP-590). */
static void show_inner(const struct holder *holder)
{
    struct kafka_show *show = holder->show;
    const struct kafka_forwarded *forwarded = show->state != NULL ? show->state->forwarded : NULL;

    if (show->is_inner) {
        explain(holder, "An Envelope holds no Envelope");
        return;
    }
    if (show->is_request && !kafka_is_plausible_request(&holder->bytes)) {
        explain(holder, "The bytes are no request");
        return;
    }
    if (!show->is_request && forwarded == NULL) {
        explain(holder, "No request is known that the bytes would answer");
        return;
    }
    struct kafka_show inner = *show;
    if (inner.tree != NULL) {
        inner.tree = holder->tree;
    }
    if (holder->item != NULL) {
        inner.tree = proto_item_add_subtree(holder->item, ett_kafka_leaf);
        inner.item = holder->item;
    }
    const char *title = kafka_pdu_show_inner(&inner, &holder->bytes, forwarded);
    if (holder->item != NULL) {
        proto_item_set_text(holder->item, "%s: %s (%zu bytes)", holder->field->label, title, size_of(holder));
    }
}

static void show_address(const struct holder *holder)
{
    struct kafka_show *show = holder->show;
    const struct kafka_cursor *bytes = &holder->bytes;
    size_t length = size_of(holder);
    int hf = length == 4 ? hf_client_ipv4 : hf_client_ipv6;

    if (length != 4 && length != 16) {
        explain(holder, "The bytes are no IP address");
        return;
    }
    if (bytes->captured == bytes->limit && kafka_is_wanted(show, hf)) {
        proto_tree *tree = holder->item != NULL ? proto_item_add_subtree(holder->item, ett_kafka_leaf) : holder->tree;
        proto_item *item = proto_tree_add_item(tree, hf, show->tvb, (int)bytes->offset, (int)length, ENC_BIG_ENDIAN);
        proto_item_set_generated(item);
    }
}

static void tell_text(const struct holder *holder)
{
    const char *text = (const char *)holder->bytes.data + holder->bytes.offset;
    size_t length = holder->bytes.captured - holder->bytes.offset;

    if (holder->item != NULL && length > 0 && isprint_utf8_string(text, (unsigned)length)) {
        proto_item_set_text(holder->item, "%s: %.*s", holder->field->label, (int)length, text);
    }
}

void kafka_nested_show(struct kafka_show *show, proto_tree *tree, proto_item *item, const struct kafka_leaf *leaf,
                       struct kafka_span value)
{
    struct holder holder = {
        .show = show,
        .field = leaf->field,
        .tree = tree,
        .item = item,
        .bytes = {.data = show->data,
                  .offset = value.offset,
                  .limit = leaf->value.offset + leaf->value.length,
                  .captured = value.offset + value.length},
    };

    if (leaf->value.length == 0) {
        return;
    }
    if (leaf->field->meaning == KAFKA_MEANING_ENVELOPE_REQUEST ||
        leaf->field->meaning == KAFKA_MEANING_ENVELOPE_RESPONSE) {
        show_inner(&holder);
        return;
    }
    /* The others tell nothing to the Info column. */
    if (show->tree == NULL && !kafka_wants_expert(show->pinfo, NULL)) {
        return;
    }
    switch (leaf->field->meaning) {
    case KAFKA_MEANING_CONSUMER_METADATA:
        remember_group(show);
        show_message(&holder, KAFKA_NESTED_METADATA);
        break;
    case KAFKA_MEANING_CONSUMER_ASSIGNMENT:
        remember_group(show);
        show_message(&holder, KAFKA_NESTED_ASSIGNMENT);
        break;
    case KAFKA_MEANING_CONSUMER_USER_DATA:
        show_message(&holder, show->nested_kind == KAFKA_NESTED_METADATA ? KAFKA_NESTED_METADATA_USER_DATA
                                                                         : KAFKA_NESTED_ASSIGNMENT_USER_DATA);
        break;
    case KAFKA_MEANING_CONNECT_ALLOCATION:
        show_message(&holder, KAFKA_NESTED_ASSIGNMENT);
        break;
    case KAFKA_MEANING_ENVELOPE_PRINCIPAL:
        show_message(&holder, KAFKA_NESTED_PRINCIPAL);
        break;
    case KAFKA_MEANING_CLIENT_ADDRESS:
        show_address(&holder);
        break;
    case KAFKA_MEANING_TEXT_BYTES:
        tell_text(&holder);
        break;
    default:
        break;
    }
}
