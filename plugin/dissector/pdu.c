/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "pdu.h"

#include <epan/column-info.h>
#include <epan/tap.h>

#include "../wire/body.h"
#include "../wire/fit.h"
#include "../wire/header.h"
#include "../wire/placement.h"
#include "assume.h"
#include "delays.h"
#include "expert.h"
#include "fields.h"
#include "label.h"
#include "message.h"
#include "string_fields.h"
#include "nested.h"
#include "preferences.h"
#include "problems.h"
#include "sasl.h"
#include "sessions.h"
#include "state.h"
#include "text.h"
#include "title.h"
#include "transactions.h"
#include "values.h"
#include "watched.h"

/* PDUs of a frame whose summaries go into the Info column; a frame may hold thousands. */
#define MAX_SUMMARIES 8

/* Room for what a PDU is: the longest name of an API, version and direction. */
#define TITLE_SIZE 192

static int expert_tap = -1;
static const header_field_info *kafka_protocol;
static const header_field_info *expert_protocol;

/* Wireshark registers its expert infos after the plugins. */
static void find_expert(void)
{
    int expert_id = proto_get_id_by_filter_name("_ws.expert");

    expert_tap = find_tap_id("expert");
    expert_protocol = expert_id >= 0 ? proto_registrar_get_nth((unsigned)expert_id) : NULL;
}

void kafka_pdu_handoff(void)
{
    kafka_protocol = proto_registrar_get_nth((unsigned)proto_kafka);
    register_init_routine(find_expert);
}

bool kafka_wants_expert(const packet_info *pinfo, proto_tree *tree)
{
    /* The column of severities. */
    if (pinfo->cinfo != NULL && pinfo->cinfo->col_first != NULL && pinfo->cinfo->col_first[COL_EXPERT] >= 0) {
        return true;
    }
    /* Whoever references a field of a protocol references the protocol too. */
    if (tree != NULL && expert_protocol != NULL && expert_protocol->ref_type != HF_REF_TYPE_NONE) {
        return true;
    }
    return expert_tap > 0 && have_tap_listener(expert_tap);
}

/* Returns whether somebody wants to know of strings that are not as they should be; wants_expert: of any expert info.
 */
static bool wants_text_faults(proto_tree *tree, bool wants_expert)
{
    static const int *const ids[] = {&ei_kafka_bad_utf8.hf, &ei_kafka_nul_in_string.hf};
    static struct kafka_watched fields = {ids, array_length(ids), NULL};

    return wants_expert || (tree != NULL && kafka_any_referenced(&fields));
}

bool kafka_wants_errors(const struct kafka_show *show)
{
    static const int *const ids[] = {
        &ei_kafka_error_final.hf,
        &ei_kafka_error_retriable.hf,
        &ei_kafka_error_unknown.hf,
    };
    static struct kafka_watched fields = {ids, array_length(ids), NULL};

    return show->wants_expert || (show->tree != NULL && kafka_any_referenced(&fields));
}

/* Returns whether somebody wants the fields of headers, or of how requests and responses belong together. */
static bool wants_header(proto_tree *tree, bool wants_expert)
{
    static const int *const ids[] = {
        &hf_kafka_len,
        &hf_kafka_api_key,
        &hf_kafka_request_key,
        &hf_kafka_response_key,
        &hf_kafka_api_version,
        &hf_kafka_request_version,
        &hf_kafka_response_version,
        &hf_kafka_correlation_id,
        &hf_kafka_header_version,
        &hf_kafka_request_frame,
        &hf_kafka_time,
    };
    static struct kafka_watched fields = {ids, array_length(ids), NULL};

    return tree != NULL && (PTREE_DATA(tree)->visible || wants_expert || kafka_any_referenced(&fields));
}

bool kafka_wants_fields(const packet_info *pinfo, proto_tree *tree)
{
    if (tree != NULL && (PTREE_DATA(tree)->visible || kafka_protocol->ref_type != HF_REF_TYPE_NONE)) {
        return true;
    }
    return kafka_wants_expert(pinfo, tree);
}

void kafka_columns_add(packet_info *pinfo, const char *text)
{
    uint32_t before = kafka_frame_count_pdu(pinfo);

    if (before == 0) {
        col_set_str(pinfo->cinfo, COL_PROTOCOL, "Kafka");
        col_add_str(pinfo->cinfo, COL_INFO, text);
    } else if (before < MAX_SUMMARIES) {
        col_append_sep_str(pinfo->cinfo, COL_INFO, " | ", text);
    } else if (before == MAX_SUMMARIES) {
        col_append_str(pinfo->cinfo, COL_INFO, " | \xe2\x80\xa6");
    }
    col_set_fence(pinfo->cinfo, COL_INFO);
}

/* A PDU that is being shown, and how far. */
struct shown_pdu {
    struct kafka_show show;
    struct kafka_cursor cursor;
    const struct kafka_pdu *pdu;
    const struct kafka_assumption *assumption; /* of a response without request, or NULL */
    const struct kafka_api *api;               /* NULL when it is not known */
    int16_t version;                           /* that the message says, or its request said */
    bool shows_header;                         /* somebody wants the fields of wants_header */
    struct kafka_text title;
};

/* These add a field of wants_header, or nothing; they return its item, or that of the message. */
static proto_item *add_header_int(struct shown_pdu *shown, int hf, size_t offset, int length, int32_t value)
{
    if (!shown->shows_header) {
        return shown->show.item;
    }
    return proto_tree_add_int(shown->show.tree, hf, shown->show.tvb, (int)offset, length, value);
}

static proto_item *add_generated_int(struct shown_pdu *shown, int hf, int32_t value)
{
    if (!shown->shows_header) {
        return shown->show.item;
    }
    proto_item *item = proto_tree_add_int(shown->show.tree, hf, shown->show.tvb, 0, 0, value);

    proto_item_set_generated(item);
    return item;
}

/* Adds the API key of a response, which its own bytes do not have, under both of its names. */
static void add_response_key(struct shown_pdu *shown, int16_t api_key)
{
    if (shown->shows_header) {
        proto_item_set_hidden(add_generated_int(shown, hf_kafka_response_key, api_key));
        add_generated_int(shown, hf_kafka_api_key, api_key);
    }
}

/* What is not decoded of a message whose fields are not known. */
KAFKA_COLD static void show_unknown_body(struct shown_pdu *shown)
{
    size_t length = shown->cursor.captured - shown->cursor.offset;

    if (length > 0 && !kafka_sasl_hides_rest(&shown->show)) {
        proto_tree_add_item(shown->show.tree, hf_kafka_unknown_body, shown->show.tvb, (int)shown->cursor.offset,
                            (int)length, ENC_NA);
    }
}

/* Says that the version is one that this plugin does not know, where that is so. */
static void check_version(struct shown_pdu *shown, proto_item *item, const struct kafka_message *message)
{
    if (!kafka_versions_has(message->versions, shown->version)) {
        kafka_expert_add_format(shown->show.pinfo, item, &ei_kafka_unsupported_api_version,
                                "%s version %d is not known (%d to %d are): decoded as version %d", shown->api->name,
                                shown->version, message->versions.first, message->versions.last,
                                kafka_known_version(message, shown->version));
    }
}

/* Adds a field of the fixed part of a request, and its hidden second name. */
static proto_item *add_doubled(struct shown_pdu *shown, int hf, int second, size_t offset, int value)
{
    if (shown->shows_header) {
        proto_item_set_hidden(add_header_int(shown, second, offset, 2, value));
    }
    return add_header_int(shown, hf, offset, 2, value);
}

/* Returns whether somebody wants what else is shown of a message besides its body, where nothing is wrong with it. */
static bool wants_links(proto_tree *tree)
{
    static const int *const ids[] = {
        &hf_kafka_client_id,           &hf_kafka_null,
        &hf_kafka_response_frame,      &hf_kafka_no_response,
        &ei_kafka_no_response.hf,      &hf_kafka_outstanding,
        &hf_kafka_fetch_waited,        &hf_kafka_time_beyond_wait,
        &hf_kafka_tagged_fields_count, &hf_kafka_tagged_field_tag,
        &hf_kafka_tagged_field_size,   &hf_kafka_tagged_field_data,
    };
    static struct kafka_watched fields = {ids, array_length(ids), NULL};

    return tree != NULL && kafka_any_referenced(&fields);
}

/* The client id, which is not compact in any header version (KIP-482); false when it is not whole. */
static bool show_client_id(struct shown_pdu *shown)
{
    size_t offset = shown->cursor.offset;
    struct kafka_cursor at = shown->cursor;
    int32_t length;
    enum kafka_status status = kafka_read_length16(&at, true, &length);
    proto_item *item = shown->show.item;

    if (status == KAFKA_OK && length > 0) {
        status = (size_t)length > kafka_remaining(&at) ? KAFKA_BAD_LENGTH : kafka_need(&at, (size_t)length);
    }
    if (status == KAFKA_OK) {
        struct kafka_span value = {at.offset, length > 0 ? (size_t)length : 0, length < 0};
        if (kafka_is_wanted(&shown->show, hf_kafka_client_id) || kafka_is_wanted(&shown->show, hf_kafka_null) ||
            kafka_is_bad_text(&shown->show, value)) {
            kafka_add_string(&shown->show, shown->show.tree, hf_kafka_client_id, offset, value);
        }
        shown->cursor.offset = value.offset + value.length;
        return true;
    }
    if (shown->api == NULL) {
        return false;
    }
    if (status == KAFKA_CUT) {
        kafka_expert_add_format(shown->show.pinfo, item, &ei_kafka_cut, "%s the client id",
                                kafka_cut_reason(shown->show.pinfo));
    } else if (status == KAFKA_SHORT) {
        kafka_expert_add_format(shown->show.pinfo, item, &ei_kafka_short, "The message ends in its header");
    } else {
        item = proto_tree_add_item(shown->show.tree, hf_kafka_problem, shown->show.tvb, (int)offset, 2, ENC_NA);
        kafka_expert_add_format(shown->show.pinfo, item, &ei_kafka_bad_string_length,
                                "The client id cannot be %d bytes long: %zu are left",
                                (int16_t)kafka_load16(shown->show.data + offset), kafka_remaining(&shown->cursor) - 2);
    }
    return false;
}

static void show_header_version(struct shown_pdu *shown, uint8_t version)
{
    if (shown->shows_header) {
        proto_item_set_generated(
            proto_tree_add_uint(shown->show.tree, hf_kafka_header_version, shown->show.tvb, 0, 0, version));
    }
}

/* Shows the fields of the body at the cursor, or its bytes where there is no schema for them. */
static void show_body(struct shown_pdu *shown, const struct kafka_message *message, int16_t version)
{
    shown->show.message = kafka_fit_layout(&shown->cursor, message, version);
    shown->show.version = version;
    shown->show.said_version = shown->version;
    shown->show.is_newer = shown->version > message->versions.last;
    shown->show.body_offset = shown->cursor.offset;
    kafka_show_body(&shown->show, &shown->cursor);
}

/* What the messages before this one tell about it. */
static void show_learned(struct shown_pdu *shown, const struct kafka_state *state)
{
    shown->show.state = state;
    if (state != NULL && state->session != NULL) {
        kafka_sessions_show(&shown->show, state->session);
    }
    if (state != NULL && state->transactions != NULL) {
        kafka_transactions_show(&shown->show, state->transactions);
    }
}

static void show_state(struct shown_pdu *shown, const struct kafka_exchange *exchange)
{
    kafka_delays_show_outstanding(&shown->show, shown->show.is_request ? exchange->outstanding_behind_request
                                                                       : exchange->outstanding_behind_response);
    show_learned(shown, exchange->state);
}

static void show_request_links(struct shown_pdu *shown)
{
    const struct kafka_exchange *exchange = shown->pdu != NULL ? shown->pdu->exchange : NULL;

    if (exchange == NULL) {
        return;
    }
    show_state(shown, exchange);
    /* Which frame answers is known only once the whole capture was read. */
    if (!shown->show.pinfo->fd->visited) {
        return;
    }
    if (exchange->response_frame != 0) {
        proto_item_set_generated(proto_tree_add_uint(shown->show.tree, hf_kafka_response_frame, shown->show.tvb, 0, 0,
                                                     exchange->response_frame));
    } else if (exchange->expects_response) {
        proto_item *item = proto_tree_add_boolean(shown->show.tree, hf_kafka_no_response, shown->show.tvb, 0, 0, true);
        proto_item_set_generated(item);
        kafka_expert_add(shown->show.pinfo, item, &ei_kafka_no_response);
    }
}

static void show_request(struct shown_pdu *shown)
{
    struct kafka_request_header header;
    size_t offset = shown->cursor.offset;

    if (kafka_read_request_header(&shown->cursor, &header) != KAFKA_OK) {
        kafka_expert_add_format(shown->show.pinfo, shown->show.item,
                                kafka_remaining(&shown->cursor) < KAFKA_REQUEST_FIXED_SIZE ? &ei_kafka_short
                                                                                           : &ei_kafka_cut,
                                "The request's header is not whole");
        show_unknown_body(shown);
        return;
    }
    proto_item *key = add_doubled(shown, hf_kafka_api_key, hf_kafka_request_key, offset, header.api_key);
    proto_item *version =
        add_doubled(shown, hf_kafka_api_version, hf_kafka_request_version, offset + 2, header.api_version);
    add_header_int(shown, hf_kafka_correlation_id, offset + 4, 4, header.correlation_id);
    if (header.api == NULL) {
        kafka_expert_add_format(shown->show.pinfo, key, &ei_kafka_unknown_api_key, "API key %d is of no known release",
                                header.api_key);
        show_request_links(shown);
        (void)show_client_id(shown);
        show_unknown_body(shown);
        return;
    }
    check_version(shown, version, header.api->request);
    uint8_t header_version = kafka_request_header_version(header.api, header.known_version);
    bool whole = header_version == 0 || show_client_id(shown);
    if (whole && header_version == 2) {
        whole = kafka_show_header_tags(&shown->show, &shown->cursor) == KAFKA_WALK_COMPLETE;
    }
    show_header_version(shown, header_version);
    show_request_links(shown);
    if (whole) {
        show_body(shown, header.api->request, header.known_version);
    } else {
        show_unknown_body(shown);
    }
}

/* A message inside another one was not sent by itself. */
static void show_response_links(struct shown_pdu *shown, const struct kafka_exchange *exchange)
{
    proto_tree *tree = shown->show.tree;
    tvbuff_t *tvb = shown->show.tvb;
    nstime_t elapsed;

    if (!shown->show.is_inner) {
        proto_item *time = NULL;
        nstime_delta(&elapsed, &shown->show.pinfo->abs_ts, &exchange->request_time);
        if (shown->shows_header) {
            proto_item_set_generated(
                proto_tree_add_uint(tree, hf_kafka_request_frame, tvb, 0, 0, exchange->request_frame));
            time = proto_tree_add_time(tree, hf_kafka_time, tvb, 0, 0, &elapsed);
            proto_item_set_generated(time);
        }
        kafka_delays_show_wait(&shown->show, time, exchange, &elapsed);
    }
    add_response_key(shown, exchange->api_key);
    if (!shown->show.is_inner) {
        show_state(shown, exchange);
    }
}

static void show_response_body(struct shown_pdu *shown)
{
    int16_t version = kafka_known_version(shown->api->response, shown->version);
    int16_t body_version = kafka_response_body_version(&shown->cursor, shown->api, version);

    if (body_version != version) {
        proto_item *item =
            proto_tree_add_int(shown->show.tree, hf_kafka_body_version, shown->show.tvb, (int)shown->cursor.offset,
                               (int)(shown->cursor.captured - shown->cursor.offset), body_version);
        proto_item_set_generated(item);
        kafka_expert_add_format(shown->show.pinfo, item, &ei_kafka_other_body_version,
                                "The broker answered a request of version %d in version %d", shown->version,
                                body_version);
    }
    show_body(shown, shown->api->response, body_version);
}

/* The rest of a response, behind its correlation id, of an API and a version that are known. */
static void show_known_response(struct shown_pdu *shown)
{
    int16_t known = kafka_known_version(shown->api->response, shown->version);
    uint8_t header_version = kafka_response_header_version(shown->api, known);
    bool whole = header_version == 0 || kafka_show_header_tags(&shown->show, &shown->cursor) == KAFKA_WALK_COMPLETE;

    show_header_version(shown, header_version);
    if (whole) {
        show_response_body(shown);
    } else {
        show_unknown_body(shown);
    }
}

/* A response whose only possible API is known, and its version or several that read it alike. */
KAFKA_COLD static void show_assumed_response(struct shown_pdu *shown)
{
    const struct kafka_guess *guess = &shown->assumption->guesses[0];
    packet_info *pinfo = shown->show.pinfo;
    const char *text = kafka_guess_text(pinfo->pool, guess);
    proto_item *item = proto_tree_add_string(shown->show.tree, hf_kafka_response_assumed, shown->show.tvb, 0, 0, text);

    proto_item_set_generated(item);
    kafka_expert_add_format(pinfo, item, &ei_kafka_assumed, "Taken for %s: nothing else fits", text);
    add_response_key(shown, guess->api->key);
    if (kafka_guess_first(guess) == kafka_guess_last(guess)) {
        add_generated_int(shown, hf_kafka_response_version, shown->version);
    }
    show_known_response(shown);
}

/* A response whose request is not in the capture. */
KAFKA_COLD static void show_unasked_response(struct shown_pdu *shown, proto_item *id, int32_t correlation_id)
{
    const struct kafka_assumption *assumption = shown->assumption;

    kafka_expert_add_format(shown->show.pinfo, id, &ei_kafka_request_missing,
                            "The capture has no request with correlation id %d for this response", correlation_id);
    if (assumption != NULL && assumption->count == 1) {
        show_assumed_response(shown);
        return;
    }
    for (size_t i = 0; assumption != NULL && i < assumption->count && i < KAFKA_MAX_GUESSES; i++) {
        const char *text = kafka_guess_text(shown->show.pinfo->pool, &assumption->guesses[i]);
        proto_item_set_generated(
            proto_tree_add_string(shown->show.tree, hf_kafka_response_candidate, shown->show.tvb, 0, 0, text));
    }
    show_unknown_body(shown);
}

static void show_response(struct shown_pdu *shown)
{
    const struct kafka_exchange *exchange = shown->pdu != NULL ? shown->pdu->exchange : NULL;
    size_t offset = shown->cursor.offset;
    int32_t correlation_id;

    if (kafka_read_int32(&shown->cursor, &correlation_id) != KAFKA_OK) {
        show_unknown_body(shown);
        return;
    }
    proto_item *item = add_header_int(shown, hf_kafka_correlation_id, offset, 4, correlation_id);
    if (exchange == NULL) {
        show_unasked_response(shown, item, correlation_id);
        return;
    }
    show_response_links(shown, exchange);
    item = add_generated_int(shown, hf_kafka_response_version, exchange->api_version);
    if (shown->api == NULL) {
        show_unknown_body(shown);
        return;
    }
    check_version(shown, item, shown->api->response);
    show_known_response(shown);
}

KAFKA_COLD static void show_token(struct shown_pdu *shown)
{
    struct kafka_span token = {.offset = shown->cursor.offset, .length = kafka_remaining(&shown->cursor)};

    kafka_sasl_show(&shown->show, shown->show.tree, token.offset, &token);
}

/* How many APIs the title of a response names that may be any of them. */
#define MAX_NAMED 3

/* The same of a response whose request is not in the capture. */
KAFKA_COLD static void identify_unasked(struct shown_pdu *shown)
{
    packet_info *pinfo = shown->show.pinfo;
    const struct kafka_assumption *assumption = shown->pdu != NULL ? kafka_assumption_of(pinfo, shown->pdu) : NULL;

    shown->assumption = assumption;
    if (assumption != NULL && assumption->count == 1) {
        const struct kafka_guess *guess = &assumption->guesses[0];
        shown->api = guess->api;
        shown->show.api_key = guess->api->key;
        shown->version = kafka_guess_last(guess);
        kafka_text_string(&shown->title, kafka_guess_text(pinfo->pool, guess));
        kafka_text_string(&shown->title, " Response (assumed)");
        return;
    }
    kafka_text_string(&shown->title, "Response, its request is not in the capture");
    kafka_text_begin(&shown->title);
    if (assumption != NULL && assumption->count <= MAX_NAMED) {
        kafka_text_string(&shown->title, ": ");
        kafka_text_string(&shown->title, kafka_assumption_text(pinfo->pool, assumption, MAX_NAMED));
    }
}

/* Finds what the message is, from its header or its request, without showing anything. */
static void identify(struct shown_pdu *shown, enum kafka_pdu_kind kind)
{
    packet_info *pinfo = shown->show.pinfo;
    const struct kafka_exchange *exchange = shown->pdu != NULL ? shown->pdu->exchange : NULL;
    struct kafka_cursor at = shown->cursor;
    struct kafka_request_header header;

    shown->api = NULL;
    if (kind == KAFKA_PDU_SASL_TOKEN) {
        kafka_text_string(&shown->title, "SASL token");
        return;
    }
    bool is_request = kind == KAFKA_PDU_REQUEST;
    if (is_request && kafka_read_request_header(&at, &header) == KAFKA_OK) {
        shown->show.api_key = header.api_key;
        shown->version = header.api_version;
    } else if (!is_request && exchange != NULL) {
        shown->show.api_key = exchange->api_key;
        shown->version = exchange->api_version;
    } else if (is_request) {
        kafka_text_string(&shown->title, "Request, header cut");
        return;
    } else {
        identify_unasked(shown);
        return;
    }
    shown->api = kafka_api_find(shown->show.api_key);
    kafka_title_put(&shown->title, pinfo->pool, shown->show.api_key, shown->version, is_request);
}

const char *kafka_pdu_show_inner(const struct kafka_show *inner, const struct kafka_cursor *bytes,
                                 const struct kafka_forwarded *forwarded)
{
    struct kafka_exchange exchange = {0};
    struct kafka_pdu pdu = {.exchange = &exchange};
    char title_room[TITLE_SIZE];
    struct shown_pdu shown = {.show = *inner,
                              .cursor = *bytes,
                              .shows_header = wants_header(inner->tree, kafka_wants_expert(inner->pinfo, inner->tree))};

    kafka_text_init(&shown.title, title_room, sizeof title_room);
    if (!inner->is_request) {
        exchange.api_key = forwarded->api_key;
        exchange.api_version = forwarded->api_version;
        shown.pdu = &pdu;
    }
    shown.show.pdu = NULL;
    shown.show.state = NULL;
    shown.show.is_inner = true;
    identify(&shown, inner->is_request ? KAFKA_PDU_REQUEST : KAFKA_PDU_RESPONSE);
    if (inner->summary != NULL) {
        kafka_summary_add(inner->summary, shown.title.bytes);
    }
    if (inner->is_request) {
        show_request(&shown);
    } else {
        show_response(&shown);
    }
    return wmem_strdup(inner->pinfo->pool, shown.title.bytes);
}

KAFKA_APART static void label_root(proto_item *root, const struct kafka_text *title)
{
    char room[ITEM_LABEL_LENGTH];
    struct kafka_text text;

    kafka_text_init(&text, room, sizeof room);
    kafka_text_string(&text, kafka_protocol->name);
    kafka_text_string(&text, " (");
    kafka_text_put(&text, title->bytes, title->used);
    kafka_text_put(&text, ")", 1);
    kafka_item_set_label(root, text.bytes, text.used);
}

/*
 * Shows a message of which nobody wants more than is in its body. False when there is more to tell, and then nothing
 * was done.
 */
static bool show_body_only(struct shown_pdu *shown)
{
    const struct kafka_exchange *exchange = shown->pdu != NULL ? shown->pdu->exchange : NULL;
    bool is_request = shown->show.is_request;
    struct kafka_body body;

    if (exchange == NULL || shown->api == NULL ||
        !(is_request ? kafka_find_request_body(&shown->cursor, &body)
                     : kafka_find_response_body(&shown->cursor, shown->api, shown->version, &body)) ||
        body.version != shown->version) {
        return false;
    }
    shown->cursor = body.cursor;
    show_learned(shown, exchange->state);
    show_body(shown, is_request ? shown->api->request : shown->api->response, shown->version);
    return true;
}

/* Shows the message, all that there is of it. */
KAFKA_APART static void show_message(struct shown_pdu *shown, enum kafka_pdu_kind kind)
{
    if (shown->cursor.captured >= KAFKA_LENGTH_SIZE) {
        add_header_int(shown, hf_kafka_len, 0, KAFKA_LENGTH_SIZE, (int32_t)kafka_load32(shown->show.data));
    }
    switch (kind) {
    case KAFKA_PDU_REQUEST:
        show_request(shown);
        break;
    case KAFKA_PDU_RESPONSE:
        show_response(shown);
        break;
    default:
        show_token(shown);
        break;
    }
}

void kafka_pdu_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct kafka_pdu *pdu, bool to_broker)
{
    proto_item *root = proto_tree_add_item(tree, proto_kafka, tvb, 0, -1, ENC_NA);
    bool wants_info = col_get_writable(pinfo->cinfo, COL_INFO);
    bool wants_fields = kafka_wants_fields(pinfo, tree) || (tree != NULL && kafka_sasl_is_for_others(pinfo, pdu));
    size_t captured = tvb_captured_length(tvb);

    if (!wants_info && !wants_fields) {
        (void)kafka_frame_count_pdu(pinfo);
        col_set_str(pinfo->cinfo, COL_PROTOCOL, "Kafka");
        return;
    }
    enum kafka_pdu_kind kind = to_broker ? KAFKA_PDU_REQUEST : KAFKA_PDU_RESPONSE;
    if (pdu != NULL) {
        kind = pdu->kind;
    }
    struct kafka_summary summary;
    char title_room[TITLE_SIZE];
    struct shown_pdu shown = {
        .show = {.pinfo = pinfo,
                 .tvb = tvb,
                 .data = tvb_get_ptr(tvb, 0, (int)captured),
                 .item = root,
                 .pdu = pdu,
                 .max_items = kafka_max_items()},
        .cursor = {.offset = KAFKA_LENGTH_SIZE, .limit = tvb_reported_length(tvb), .captured = captured},
        .pdu = pdu,
    };
    shown.cursor.data = shown.show.data;
    if (wants_info) {
        kafka_summary_begin(&summary, shown.show.data);
        shown.show.summary = &summary;
    }
    if (wants_fields && tree != NULL) {
        shown.show.tree = proto_item_add_subtree(root, ett_kafka);
    }
    bool wants_expert = wants_fields && kafka_wants_expert(pinfo, tree);
    shown.show.checks_text = wants_fields && wants_text_faults(tree, wants_expert);
    shown.show.wants_expert = wants_expert;
    shown.show.is_request = kind == KAFKA_PDU_SASL_TOKEN ? to_broker : kind == KAFKA_PDU_REQUEST;
    kafka_text_init(&shown.title, title_room, sizeof title_room);
    identify(&shown, kind);
    if (tree != NULL && PTREE_DATA(tree)->visible) {
        label_root(root, &shown.title);
    }
    shown.shows_header = wants_fields && wants_header(tree, wants_expert);
    bool is_whole_wanted = shown.shows_header || shown.show.checks_text || (wants_fields && wants_links(tree));
    if (is_whole_wanted || !show_body_only(&shown)) {
        show_message(&shown, kind);
    }
    if (wants_info) {
        char info[TITLE_SIZE + KAFKA_SUMMARY_SIZE];
        struct kafka_text line;
        kafka_text_init(&line, info, sizeof info);
        kafka_text_put(&line, shown.title.bytes, shown.title.used);
        kafka_text_begin(&line);
        kafka_text_string(&line, kafka_summary_end(&summary));
        kafka_columns_add(pinfo, info);
    } else {
        (void)kafka_frame_count_pdu(pinfo);
        col_set_str(pinfo->cinfo, COL_PROTOCOL, "Kafka");
    }
}
