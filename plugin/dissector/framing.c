/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wireshark's tcp_dissect_pdus waits for ever on a length of zero, calls short frames malformed and cannot skip, so the
 * loop is our own. Where frames begin is decided in locate.c; here they are paired and shown.
 */
#include "compat.h"

#include "framing.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/exceptions.h>
#include <epan/show_exception.h>

#include "../wire/fit.h"
#include "../wire/header.h"
#include "../wire/placement.h"
#include "../wire/sasl.h"
#include "../wire/walk.h"
#include "assume.h"
#include "authentications.h"
#include "connection.h"
#include "expert.h"
#include "fields.h"
#include "foreign.h"
#include "locate.h"
#include "pdu.h"
#include "preferences.h"
#include "printed_fields.h"
#include "proxy.h"
#include "state.h"

/* Items of a PDU that are added without asking for room: its header, and some expert infos. */
#define PDU_ITEMS 60

/*
 * Returns the call's tree, or NULL when it has no room for the header of one more PDU: Wireshark takes more items than
 * its limit for a bug of the dissector. The first time in a frame it says so.
 */
static proto_tree *tree_with_room(const struct kafka_call *call)
{
    struct kafka_frame_budget *budget;

    if (call->tree == NULL || PTREE_DATA(call->tree)->count + PDU_ITEMS < kafka_most_items()) {
        return call->tree;
    }
    budget = kafka_frame_budget(call->pinfo);
    if (!budget->is_full) {
        proto_item *item = proto_tree_add_item(call->tree, proto_kafka, call->tvb, 0, 0, ENC_NA);
        budget->is_full = true;
        proto_item_append_text(item, " (no room for further messages of this packet)");
        kafka_expert_add_format(call->pinfo, item, &ei_kafka_items_left_out,
                                "Further messages of this packet are left out: it has %u fields, nearly as many as "
                                "Wireshark takes (gui.max_tree_items)",
                                PTREE_DATA(call->tree)->count);
    }
    return NULL;
}

/* Shows bytes that are not the beginning of a frame, with an expert info that says what they are. */
KAFKA_COLD static void show_bytes(struct kafka_call *call, size_t offset, size_t length, int hf, expert_field *ei,
                                  const char *text)
{
    size_t there = offset < call->captured ? call->captured - offset : 0;
    char *info = wmem_strdup_printf(call->pinfo->pool, "%s, %zu bytes", text, length);

    if (there > length) {
        there = length;
    }
    proto_item *root =
        proto_tree_add_item(tree_with_room(call), proto_kafka, call->tvb, (int)offset, (int)there, ENC_NA);
    proto_item_append_text(root, " (%s)", info);
    proto_tree *tree = proto_item_add_subtree(root, ett_kafka);
    proto_item *item = proto_tree_add_item(tree, hf, call->tvb, (int)offset, (int)there, ENC_NA);
    kafka_expert_add_format(call->pinfo, item, ei, "%s", info);
    kafka_columns_add(call->pinfo, info);
}

KAFKA_COLD static void show_continuation(struct kafka_call *call, size_t offset, size_t length)
{
    const char *protocol =
        offset < call->captured ? kafka_foreign_protocol(call->data + offset, call->captured - offset) : NULL;

    if (protocol != NULL) {
        show_bytes(call, offset, length, hf_kafka_undecoded, &ei_kafka_other_protocol,
                   wmem_strdup_printf(call->pinfo->pool, "Not Kafka: these bytes are %s", protocol));
    } else {
        show_bytes(call, offset, length, hf_kafka_continuation, &ei_kafka_continuation,
                   "Continuation of an earlier message");
    }
}

/* A length that no frame can have, and what is behind it up to the next frame. */
KAFKA_COLD static void show_bad_length(struct kafka_call *call, size_t offset, size_t size)
{
    const char *protocol = kafka_foreign_protocol(call->data + offset, call->captured - offset);
    size_t there = call->captured - offset < size ? call->captured - offset : size;
    int32_t length = (int32_t)kafka_load32(call->data + offset);
    char *text;

    if (protocol != NULL) {
        text = wmem_strdup_printf(call->pinfo->pool, "Not Kafka: these bytes are %s", protocol);
    } else {
        text = wmem_strdup_printf(call->pinfo->pool, "Impossible length of a %s: %d (at most %u)",
                                  call->to_broker ? "request" : "response", length, kafka_size_limit(call->to_broker));
    }
    proto_item *root =
        proto_tree_add_item(tree_with_room(call), proto_kafka, call->tvb, (int)offset, (int)there, ENC_NA);
    proto_item_append_text(root, " (%s)", text);
    proto_tree *tree = proto_item_add_subtree(root, ett_kafka);
    proto_item *item =
        proto_tree_add_item(tree, hf_kafka_len, call->tvb, (int)offset, KAFKA_LENGTH_SIZE, ENC_BIG_ENDIAN);
    kafka_expert_add_format(call->pinfo, item, protocol != NULL ? &ei_kafka_other_protocol : &ei_kafka_bad_length, "%s",
                            text);
    if (there > KAFKA_LENGTH_SIZE) {
        proto_tree_add_item(tree, hf_kafka_undecoded, call->tvb, (int)offset + KAFKA_LENGTH_SIZE,
                            (int)there - KAFKA_LENGTH_SIZE, ENC_NA);
    }
    kafka_columns_add(call->pinfo, text);
}

/* Returns the request at offset when it was added as its first bytes came, or NULL. */
static struct kafka_exchange *take_announced(struct kafka_call *call, size_t offset)
{
    struct kafka_direction *direction = call->direction;
    struct kafka_exchange *exchange = direction->announced;

    direction->announced = NULL;
    return call->has_sequence && direction->announced_at != call->sequence + (uint32_t)offset ? NULL : exchange;
}

/*
 * Takes note of a GSSAPI token that comes without handshake (KIP-12), and returns whether the bytes to the broker are a
 * token: also where the response that allowed tokens is not in the capture.
 */
KAFKA_APART static bool is_token_to_broker(struct kafka_call *call, const struct kafka_cursor *frame)
{
    struct kafka_connection *connection = call->connection;

    if (!connection->sasl_tokens && connection->versions == NULL && kafka_sasl_is_gssapi(frame)) {
        connection->sasl_tokens = true;
        kafka_authentications_begin_gssapi(connection);
    }
    bool may_be = connection->sasl_tokens || connection->sasl_asked;
    connection->sasl_tokens = may_be && kafka_fit_request(frame) < KAFKA_FIT_HEADER;
    return connection->sasl_tokens;
}

/* Pairs a request, or says what else goes to the broker. */
static struct kafka_exchange *decide_request(struct kafka_call *call, size_t offset, const struct kafka_cursor *frame,
                                             enum kafka_pdu_kind *kind)
{
    struct kafka_connection *connection = call->connection;

    if ((connection->sasl_tokens || connection->sasl_asked || connection->versions == NULL) &&
        is_token_to_broker(call, frame)) {
        *kind = KAFKA_PDU_SASL_TOKEN;
        return NULL;
    }
    /* One whose first bytes were seen before is known already. */
    struct kafka_exchange *exchange = take_announced(call, offset);
    if (exchange == NULL) {
        exchange = kafka_connection_add_request(connection, call->pinfo, frame);
    } else {
        kafka_connection_complete_request(connection, exchange, call->pinfo, frame);
    }
    connection->sasl_asked =
        exchange != NULL && exchange->api_key == KAFKA_API_SASL_HANDSHAKE && exchange->api_version == 0;
    *kind = KAFKA_PDU_REQUEST;
    return exchange;
}

/* The answer to SaslHandshake version 0 says whether tokens follow. */
KAFKA_COLD static void take_handshake(struct kafka_connection *connection, struct kafka_cursor *body)
{
    int16_t error = 0;

    connection->sasl_asked = false;
    connection->sasl_tokens = kafka_read_int16(body, &error) == KAFKA_OK && error == 0;
}

/* Pairs a response with its request, or says what else comes from the broker. */
static struct kafka_exchange *decide_response(struct kafka_call *call, const struct kafka_cursor *frame,
                                              enum kafka_pdu_kind *kind)
{
    struct kafka_connection *connection = call->connection;
    struct kafka_cursor at = *frame;
    struct kafka_exchange *exchange = NULL;
    int32_t correlation_id;

    if (kafka_need(&at, KAFKA_RESPONSE_FIXED_SIZE) == KAFKA_OK && kafka_read_int32(&at, &correlation_id) == KAFKA_OK) {
        exchange = kafka_connection_take(connection, call->pinfo, correlation_id);
    }
    *kind = exchange == NULL && connection->sasl_tokens ? KAFKA_PDU_SASL_TOKEN : KAFKA_PDU_RESPONSE;
    if (exchange != NULL && exchange->api_key == KAFKA_API_SASL_HANDSHAKE && exchange->api_version == 0) {
        take_handshake(connection, &at);
    }
    return exchange;
}

/* Decides what the frame at offset is, pairs it, and stores that. */
static struct kafka_pdu *decide_pdu(struct kafka_call *call, size_t offset, int32_t length, size_t size)
{
    const struct kafka_cursor frame = kafka_frame_at(call, offset, length);
    enum kafka_pdu_kind kind;
    struct kafka_exchange *exchange =
        call->to_broker ? decide_request(call, offset, &frame, &kind) : decide_response(call, &frame, &kind);
    struct kafka_pdu *pdu = kafka_locate_store(call, offset, kind, size);

    pdu->exchange = exchange;
    if (kind == KAFKA_PDU_RESPONSE && exchange == NULL) {
        kafka_assume(call->connection, pdu, kafka_fits_find(&call->fits, call->pinfo->pool, &frame));
    }
    kafka_state_learn(call->connection, call->pinfo, pdu, &frame);
    return pdu;
}

/* What goes wrong in one PDU must not take the next ones with it. */
static void show_guarded(tvbuff_t *tvb, const struct kafka_call *call, const struct kafka_pdu *pdu)
{
    proto_tree *tree = tree_with_room(call);
    bool is_hidden = kafka_hide_unprinted(call->pinfo, tree);

    TRY
    {
        kafka_pdu_show(tvb, call->pinfo, tree, pdu, call->to_broker);
    }
    CATCH_NONFATAL_ERRORS
    {
        show_exception(tvb, call->pinfo, call->tree, EXCEPT_CODE, GET_MESSAGE);
    }
    FINALLY
    {
        /* Also when the exception goes on to who called. */
        kafka_show_unprinted(tree, is_hidden);
    }
    ENDTRY;
}

static void show_pdu(struct kafka_call *call, size_t offset, const struct kafka_place *place)
{
    int32_t length = (int32_t)kafka_load32(call->data + offset);
    size_t there = call->captured - offset < place->size ? call->captured - offset : place->size;
    /* Small messages come by themselves. */
    bool is_alone = offset == 0 && call->captured == there && call->length == KAFKA_LENGTH_SIZE + (size_t)length;
    tvbuff_t *tvb = is_alone ? call->tvb
                             : tvb_new_subset_length_caplen(call->tvb, (int)offset, (int)there,
                                                            (int)(KAFKA_LENGTH_SIZE + (size_t)length));

    show_guarded(tvb, call, call->first_pass ? decide_pdu(call, offset, length, place->size) : place->pdu);
}

/*
 * Takes note of a frame that is not whole: when it is a request whose rest may be lost, its response will have to be
 * decoded by what is there of it.
 */
KAFKA_APART static void announce(struct kafka_call *call, size_t offset)
{
    struct kafka_direction *direction = call->direction;
    uint32_t begin = call->sequence + (uint32_t)offset;

    if (!call->to_broker || !direction->in_step || call->connection->sasl_tokens ||
        call->captured < offset + KAFKA_LENGTH_SIZE ||
        (direction->announced != NULL && (!call->has_sequence || direction->announced_at == begin))) {
        return;
    }
    struct kafka_cursor frame = kafka_frame_at(call, offset, (int32_t)kafka_load32(call->data + offset));
    if (kafka_is_plausible_request(&frame)) {
        direction->announced = kafka_connection_add_request(call->connection, call->pinfo, &frame);
        direction->announced_at = begin;
    }
}

static int show_call(struct kafka_call *call)
{
    for (size_t offset = 0; offset < call->length;) {
        struct kafka_place place = kafka_locate(call, offset);
        switch (place.kind) {
        case KAFKA_PLACE_FRAME:
            show_pdu(call, offset, &place);
            break;
        case KAFKA_PLACE_SKIP:
            show_continuation(call, offset, place.size);
            break;
        case KAFKA_PLACE_STUB:
            show_bytes(call, offset, place.size, hf_kafka_undecoded, &ei_kafka_cut, "The beginning of a message");
            break;
        case KAFKA_PLACE_BAD_LENGTH:
            show_bad_length(call, offset, place.size);
            break;
        case KAFKA_PLACE_WAIT:
            if (call->first_pass) {
                announce(call, offset);
                kafka_locate_end(call, offset);
            }
            call->pinfo->desegment_offset = (int)offset;
            call->pinfo->desegment_len = place.wanted;
            return (int)call->length;
        }
        offset += place.size;
    }
    if (call->first_pass) {
        kafka_locate_end(call, call->length);
    }
    return (int)call->length;
}

/*
 * Returns the sequence number of the first byte, as it stands in the segment: TCP tells one that is relative to where
 * the stream began, and what it takes for that may change when ports are used again. The PROXY dissector hands the rest
 * of a segment on with the number of all of it.
 */
static uint32_t sequence_of(const struct kafka_call *call, const struct tcpinfo *tcp)
{
    bool is_rest = !tcp->is_reassembled && kafka_proxy_handed_on(call->pinfo);
    uint32_t told = is_rest ? tcp->nxtseq - (uint32_t)call->length : tcp->seq;

    if (!kafka_tcp_counts_from_zero()) {
        return told;
    }
    if (call->connection->tcp == NULL) {
        call->connection->tcp = get_tcp_conversation_data(NULL, call->pinfo);
    }
    return told + call->connection->tcp->fwd->base_seq;
}

static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct tcpinfo *tcp)
{
    struct kafka_call call = {
        .tvb = tvb,
        .pinfo = pinfo,
        .tree = tree,
        .connection = kafka_connection_get(pinfo),
        .length = tvb_reported_length(tvb),
        .captured = tvb_captured_length(tvb),
        .has_sequence = tcp != NULL,
        .first_pass = !pinfo->fd->visited,
    };

    if (call.captured == 0) {
        return 0;
    }
    if (tcp != NULL) {
        call.sequence = sequence_of(&call, tcp);
    }
    call.data = tvb_get_ptr(tvb, 0, (int)call.captured);
    kafka_locate_client(&call);
    return kafka_locate_begin(&call) ? show_call(&call) : 0;
}

/* Dissects what stands behind a PROXY header of that size. */
KAFKA_COLD static void dissect_behind_proxy(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                            const struct tcpinfo *tcp, size_t size)
{
    tvbuff_t *rest = tvb_new_subset_remaining(tvb, (int)size);
    struct tcpinfo behind = {0};

    if (tvb_captured_length(rest) == 0) {
        return;
    }
    if (tcp != NULL) {
        behind = *tcp;
        behind.seq += (uint32_t)size;
    }
    struct tcpinfo *data = tcp != NULL ? &behind : NULL;
    if (kafka_hand_to_tls(rest, pinfo, tree, data, pinfo->num + 1) == 0 && dissect(rest, pinfo, tree, data) == 0) {
        call_data_dissector(rest, pinfo, tree);
    }
    if (pinfo->desegment_len > 0) {
        pinfo->desegment_offset += (int)size;
    }
}

int kafka_dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    /* Nearly all calls begin with a length below 16 MiB, and neither of the others begins with such a byte. */
    if (tvb_captured_length(tvb) > 0 && *tvb_get_ptr(tvb, 0, 1) == 0) {
        return dissect(tvb, pinfo, tree, data);
    }
    size_t proxy_size = kafka_proxy_show(tvb, pinfo, tree);
    if (proxy_size > 0) {
        dissect_behind_proxy(tvb, pinfo, tree, data, proxy_size);
        return (int)tvb_captured_length(tvb);
    }
    int taken = kafka_hand_to_tls(tvb, pinfo, tree, data, 0);
    return taken > 0 ? taken : dissect(tvb, pinfo, tree, data);
}

int kafka_dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    return dissect(tvb, pinfo, tree, NULL);
}
