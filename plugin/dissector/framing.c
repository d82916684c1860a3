/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wireshark's tcp_dissect_pdus waits for ever on a length of zero, calls short frames malformed and cannot skip, so the
 * loop is our own. TCP gives the sequence number of the first byte of each call: by it we know whether the bytes go on
 * where the last frame ended. Where they do not, because the capture began in the middle of a connection or packets are
 * missing, the next frame is searched.
 *
 * The first pass decides where frames begin and stores it by frame and sequence number; later passes read it.
 */
#include "compat.h"

#include "framing.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/exceptions.h>
#include <epan/show_exception.h>

#include "../wire/fit.h"
#include "../wire/header.h"
#include "../wire/sasl.h"
#include "../wire/walk.h"
#include "authentications.h"
#include "connection.h"
#include "expert.h"
#include "fields.h"
#include "foreign.h"
#include "pdu.h"
#include "preferences.h"
#include "state.h"

/* A response to a request that was never seen is believed at the start of a segment only, and only up to this size. */
#define MAX_UNASKED_RESPONSE (16U * 1024 * 1024)

/* One call by TCP or TLS: some bytes of one direction. */
struct call {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    struct kafka_connection *connection;
    struct kafka_direction *direction;
    const uint8_t *data;
    size_t length;   /* of the bytes that were sent */
    size_t captured; /* of those, in the capture */
    bool has_sequence;
    uint32_t sequence; /* number of the first byte */
    bool to_broker;
    bool first_pass;
    struct kafka_gap *gap; /* in the first pass, that which a late frame at the beginning of the call fills, or NULL */
};

static uint32_t pdu_key(const struct call *call, size_t offset)
{
    return call->has_sequence ? call->sequence + (uint32_t)offset : kafka_frame_pdus(call->pinfo);
}

static uint32_t size_limit(bool to_broker)
{
    return to_broker ? kafka_max_request_size() : kafka_max_response_size();
}

/* Returns whether a message may have that length; what is too short for a header is a frame all the same. */
static bool is_possible_length(const struct call *call, int32_t length)
{
    return length >= 0 && (uint32_t)length <= size_limit(call->to_broker);
}

/* The frame at offset, as far as it is there: behind its length, up to its end. */
static struct kafka_cursor frame_at(const struct call *call, size_t offset, int32_t length)
{
    size_t end = offset + KAFKA_LENGTH_SIZE + (size_t)length;

    return (struct kafka_cursor){
        .data = call->data,
        .offset = offset + KAFKA_LENGTH_SIZE,
        .limit = end,
        .captured = end < call->captured ? end : call->captured,
    };
}

/* Reads the length of a frame that has a header at offset; false when it is not there or impossible. */
static bool read_frame_length(const struct call *call, size_t offset, int32_t *length)
{
    if (call->captured < offset + KAFKA_LENGTH_SIZE) {
        return false;
    }
    *length = (int32_t)kafka_load32(call->data + offset);
    return *length >= (call->to_broker ? KAFKA_REQUEST_FIXED_SIZE : KAFKA_RESPONSE_FIXED_SIZE) &&
           is_possible_length(call, *length);
}

/* Returns how far the frame is the response to a request that waits for one. */
static enum kafka_fit fit_awaited_response(const struct call *call, const struct kafka_cursor *frame)
{
    if (kafka_need(frame, KAFKA_RESPONSE_FIXED_SIZE) != KAFKA_OK) {
        return KAFKA_FIT_NONE;
    }
    int32_t correlation_id = (int32_t)kafka_load32(frame->data + frame->offset);
    const struct kafka_exchange *exchange = kafka_connection_peek(call->connection, correlation_id);
    if (exchange == NULL) {
        return KAFKA_FIT_NONE;
    }
    const struct kafka_api *api = kafka_api_find(exchange->api_key);
    return api != NULL ? kafka_fit_response(frame, api, exchange->api_version) : KAFKA_FIT_HEADER;
}

/* Returns whether a frame of this direction begins at offset, in the middle of bytes that say nothing themselves. */
static bool frame_begins_at(const struct call *call, size_t offset)
{
    int32_t length;

    if (!read_frame_length(call, offset, &length)) {
        return false;
    }
    struct kafka_cursor frame = frame_at(call, offset, length);
    if (call->to_broker) {
        enum kafka_fit fit = kafka_fit_request(&frame);
        /* Where the body cannot be held against a schema to its end, the rare negative correlation id is not believed.
         */
        return fit == KAFKA_FIT_WHOLE ||
               (fit >= KAFKA_FIT_HEADER && (int32_t)kafka_load32(frame.data + frame.offset + 4) >= 0);
    }
    if (fit_awaited_response(call, &frame) < KAFKA_FIT_HEADER) {
        return false;
    }
    /* Small correlation ids are found in all kinds of bytes: the frame must end where the bytes do, or another begin.
     */
    int32_t next_length;
    return frame.limit + KAFKA_LENGTH_SIZE > call->length || read_frame_length(call, frame.limit, &next_length);
}

/* Returns whether the call may begin with a response to a request that was sent before the capture began. */
static bool is_unasked_response(const struct call *call)
{
    int32_t length;

    if (call->to_broker || call->connection->seen_request || !read_frame_length(call, 0, &length) ||
        (uint32_t)length > MAX_UNASKED_RESPONSE || call->captured < KAFKA_LENGTH_SIZE + KAFKA_RESPONSE_FIXED_SIZE) {
        return false;
    }
    int32_t correlation_id = (int32_t)kafka_load32(call->data + KAFKA_LENGTH_SIZE);
    size_t end = KAFKA_LENGTH_SIZE + (size_t)length;
    int32_t next_length;

    return correlation_id >= 0 && (end >= call->length || read_frame_length(call, end, &next_length));
}

/* Returns the offset of the first frame at or behind from, or the length of the bytes when there is none. */
static size_t search_frame(const struct call *call, size_t from)
{
    for (size_t offset = from; offset + KAFKA_LENGTH_SIZE < call->captured; offset++) {
        if (frame_begins_at(call, offset)) {
            return offset;
        }
    }
    return call->length;
}

/*
 * Tells who the client is once a message does: a request that fits its schema goes to the broker, whatever the ports
 * say.
 */
static void learn_client(struct call *call)
{
    int32_t length;

    if (call->connection->client_known) {
        return;
    }
    bool by_port = call->to_broker;
    call->to_broker = true;
    bool fits = read_frame_length(call, 0, &length);
    if (fits) {
        struct kafka_cursor frame = frame_at(call, 0, length);
        fits = kafka_fit_request(&frame) >= KAFKA_FIT_SO_FAR;
    }
    call->to_broker = fits || by_port;
    if (fits) {
        kafka_connection_set_client(call->connection, call->pinfo, true);
    }
}

/* TCP's own flags for the packets of a handshake that a capture has, which no header of Wireshark's gives a name. */
#define TCP_SEEN_SYN     0x01
#define TCP_SEEN_SYN_ACK 0x02

/* Returns whether the call's first byte is the first of its direction: the capture has the SYN before it. */
static bool is_stream_start(const struct call *call)
{
    const struct tcp_analysis *tcp = get_tcp_conversation_data(NULL, call->pinfo);

    if (tcp == NULL || tcp->fwd == NULL || (tcp->conversation_completeness & (TCP_SEEN_SYN | TCP_SEEN_SYN_ACK)) == 0) {
        return false;
    }
    /* A preference of TCP's decides whether sequence numbers are relative. */
    return call->sequence == 1 || call->sequence == tcp->fwd->base_seq + 1;
}

/*
 * Returns whether what begins at the start of a connection, on its way to a port that is Kafka's, is to be taken for
 * Kafka. What no dissector can make anything of is: a length that cannot be is worth an expert info, and a header whose
 * API key or body is not known is still one. Text is not: other protocols begin with it.
 */
static bool is_ours_from_start(const struct call *call)
{
    if (kafka_foreign_protocol(call->data, call->captured) != NULL) {
        return false;
    }
    if (call->captured < KAFKA_LENGTH_SIZE) {
        return call->data[0] == 0;
    }
    int32_t length = (int32_t)kafka_load32(call->data);
    if (length < 0 || (uint32_t)length > size_limit(true)) {
        struct kafka_cursor frame = frame_at(call, 0, INT32_MAX);
        return !g_ascii_isprint((char)call->data[0]) || kafka_fit_request(&frame) > KAFKA_FIT_BEGINNING;
    }
    struct kafka_cursor frame = frame_at(call, 0, length);
    /* Clients of Kafka 0.9 begin with a token of GSSAPI. */
    return kafka_may_begin_request(&frame) || kafka_has_request_shape(&frame) || kafka_sasl_is_gssapi(&frame);
}

/* Returns whether a frame begins at the start of a direction: on a connection of Kafka's it does. */
static bool is_first_frame(const struct call *call)
{
    if (!is_stream_start(call)) {
        return false;
    }
    return call->connection->first_frame != 0 || (call->to_broker && is_ours_from_start(call));
}

/*
 * Decides at which offset of the call the first frame begins, by what is known of the direction: its bytes before that
 * belong to earlier frames, or to frames whose beginning is lost. First pass only.
 */
static size_t decide_start(const struct call *call)
{
    struct kafka_direction *direction = call->direction;
    int32_t ahead = (int32_t)(call->sequence - direction->next);

    if (!direction->in_step) {
        return is_first_frame(call) || is_unasked_response(call) ? 0 : search_frame(call, 0);
    }
    if (ahead == 0) {
        return 0;
    }
    if (ahead < 0) {
        uint32_t overlap = direction->next - call->sequence;
        return overlap < call->length ? overlap : call->length;
    }
    /* Bytes are missing. Inside a frame of known length the next one is known to begin behind it. */
    if (direction->awaits_end && (int32_t)(direction->end - call->sequence) >= 0) {
        uint32_t rest = direction->end - call->sequence;
        direction->next = direction->end;
        return rest < call->length ? rest : call->length;
    }
    return search_frame(call, 0);
}

/* Returns the gap that the call's first frame was to fill, or NULL. */
static struct kafka_gap *find_gap(const struct call *call)
{
    for (size_t i = 0; i < KAFKA_GAPS; i++) {
        struct kafka_gap *gap = &call->direction->gaps[i];
        if (gap->is_open && gap->begin == call->sequence) {
            return gap;
        }
    }
    return NULL;
}

static void open_gap(const struct call *call)
{
    struct kafka_direction *direction = call->direction;

    direction->gaps[direction->gap_count++ % KAFKA_GAPS] = (struct kafka_gap){
        .is_open = true,
        .begin = direction->next,
        .end = call->sequence,
        .announced = direction->announced,
    };
}

/* Decides the start, and keeps the state of the direction. */
static size_t start_first_pass(struct call *call)
{
    struct kafka_direction *direction = call->direction;

    if (!call->has_sequence) {
        return 0;
    }
    call->gap = find_gap(call);
    if (call->gap != NULL) {
        return 0;
    }
    if (direction->in_step && (int32_t)(call->sequence - direction->next) > 0) {
        open_gap(call);
    }
    size_t start = decide_start(call);
    uint32_t start_sequence = call->sequence + (uint32_t)start;

    if (start < call->length || !direction->in_step) {
        direction->in_step = start < call->length;
        direction->next = start_sequence;
    } else if ((int32_t)(call->sequence - direction->next) > 0) {
        /* A gap, and no frame behind it. */
        direction->in_step = false;
    }
    direction->awaits_end = false;
    if (start_sequence != direction->announced_at) {
        direction->announced = NULL;
    }
    if (start > 0) {
        kafka_pdu_store(call->connection, call->pinfo, KAFKA_PDU_SKIP, call->sequence)->skip = (uint32_t)start;
    }
    return start;
}

static size_t start_later_pass(const struct call *call)
{
    const struct kafka_pdu *skip =
        call->has_sequence ? kafka_pdu_find(call->connection, call->pinfo, call->sequence, true) : NULL;

    return skip != NULL ? skip->skip : 0;
}

/* Items of a PDU that are added without asking for room: its header, and some expert infos. */
#define PDU_ITEMS 60

/*
 * Returns the call's tree, or NULL when it has no room for the header of one more PDU: Wireshark takes more items than
 * its limit for a bug of the dissector. The first time in a frame it says so.
 */
static proto_tree *tree_with_room(const struct call *call)
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
static void show_bytes(struct call *call, size_t offset, size_t length, int hf, expert_field *ei, const char *text)
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

static void show_continuation(struct call *call, size_t length)
{
    const char *protocol = kafka_foreign_protocol(call->data, call->captured);

    if (protocol != NULL) {
        show_bytes(call, 0, length, hf_kafka_undecoded, &ei_kafka_other_protocol,
                   wmem_strdup_printf(call->pinfo->pool, "Not Kafka: these bytes are %s", protocol));
    } else {
        show_bytes(call, 0, length, hf_kafka_continuation, &ei_kafka_continuation,
                   "Continuation of an earlier message");
    }
}

/*
 * A length that no frame can have: everything from here on in this call is shown as what it is, and nothing waited for.
 */
static void show_bad_length(struct call *call, size_t offset, int32_t length)
{
    const char *protocol = kafka_foreign_protocol(call->data + offset, call->captured - offset);
    size_t there = call->captured - offset;
    char *text;

    if (protocol != NULL) {
        text = wmem_strdup_printf(call->pinfo->pool, "Not Kafka: these bytes are %s", protocol);
    } else {
        text = wmem_strdup_printf(call->pinfo->pool, "Impossible length of a %s: %d (at most %u)",
                                  call->to_broker ? "request" : "response", length, size_limit(call->to_broker));
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
    if (call->first_pass) {
        call->direction->in_step = false;
    }
}

/* Returns the request at offset when it was added as its first bytes came, or NULL. */
static struct kafka_exchange *take_announced(struct call *call, size_t offset)
{
    bool fills_gap = call->gap != NULL && offset == 0;
    struct kafka_exchange **announced = fills_gap ? &call->gap->announced : &call->direction->announced;
    struct kafka_exchange *exchange = *announced;

    *announced = NULL;
    return exchange;
}

/*
 * Decides what the frame at offset is, pairs it, and stores that. A request whose first bytes were seen before is known
 * already.
 */
static struct kafka_pdu *decide_pdu(struct call *call, size_t offset, int32_t length)
{
    struct kafka_connection *connection = call->connection;
    const struct kafka_cursor whole = frame_at(call, offset, length);
    struct kafka_cursor frame = whole;
    enum kafka_pdu_kind kind = call->to_broker ? KAFKA_PDU_REQUEST : KAFKA_PDU_RESPONSE;
    struct kafka_exchange *exchange = NULL;
    int32_t correlation_id;

    if (call->to_broker) {
        if (!connection->sasl_tokens && !connection->seen_request && kafka_sasl_is_gssapi(&frame)) {
            connection->sasl_tokens = true;
            kafka_authentications_begin_gssapi(connection);
        }
        exchange = take_announced(call, offset);
        if (connection->sasl_tokens && kafka_fit_request(&frame) < KAFKA_FIT_HEADER) {
            kind = KAFKA_PDU_SASL_TOKEN;
            exchange = NULL;
        } else {
            connection->sasl_tokens = false;
            if (exchange == NULL) {
                exchange = kafka_connection_add_request(connection, call->pinfo, &frame);
            } else {
                kafka_connection_complete_request(connection, exchange, call->pinfo, &frame);
            }
        }
    } else {
        if (kafka_need(&frame, KAFKA_RESPONSE_FIXED_SIZE) == KAFKA_OK &&
            kafka_read_int32(&frame, &correlation_id) == KAFKA_OK) {
            exchange = kafka_connection_take(connection, call->pinfo, correlation_id);
        }
        if (exchange == NULL && connection->sasl_tokens) {
            kind = KAFKA_PDU_SASL_TOKEN;
        } else if (exchange != NULL && exchange->api_key == KAFKA_API_SASL_HANDSHAKE && exchange->api_version == 0) {
            int16_t error = 0;
            connection->sasl_tokens = kafka_read_int16(&frame, &error) == KAFKA_OK && error == 0;
        }
    }
    struct kafka_pdu *pdu = kafka_pdu_store(connection, call->pinfo, kind, pdu_key(call, offset));
    pdu->exchange = exchange;
    kafka_state_learn(connection, call->pinfo, pdu, &whole);
    return pdu;
}

/* What goes wrong in one PDU must not take the next ones with it. */
static void show_guarded(tvbuff_t *tvb, const struct call *call, const struct kafka_pdu *pdu)
{
    proto_tree *tree = tree_with_room(call);

    TRY
    {
        kafka_pdu_show(tvb, call->pinfo, tree, pdu, call->to_broker);
    }
    CATCH_NONFATAL_ERRORS
    {
        show_exception(tvb, call->pinfo, call->tree, EXCEPT_CODE, GET_MESSAGE);
    }
    ENDTRY;
}

static void show_pdu(struct call *call, size_t offset, int32_t length, const struct kafka_pdu *stored)
{
    size_t size = KAFKA_LENGTH_SIZE + (size_t)length;
    size_t there = call->captured - offset < size ? call->captured - offset : size;
    tvbuff_t *tvb = tvb_new_subset_length_caplen(call->tvb, (int)offset, (int)there, (int)size);

    show_guarded(tvb, call, call->first_pass ? decide_pdu(call, offset, length) : stored);
}

/* Asks TCP or TLS for more bytes: count of them behind offset, where a frame begins that is not whole. */
static int ask_for_more(struct call *call, size_t offset, uint32_t count)
{
    call->pinfo->desegment_offset = (int)offset;
    call->pinfo->desegment_len = count;
    return (int)call->length;
}

/*
 * Returns whether it is worth waiting for the bytes of a frame up to end, behind the call. Where the call fills a gap
 * and what is behind the gap came before, TCP does not bring it again. Later passes do as the first one did, which
 * stored what it showed.
 */
static bool wants_more(const struct call *call, size_t end, const struct kafka_pdu *stored)
{
    bool came_before = call->gap != NULL && (int32_t)(call->sequence + (uint32_t)end - call->gap->end) > 0;

    return call->pinfo->can_desegment > 0 && stored == NULL && !came_before;
}

/*
 * Takes note of a frame that is not whole: where it ends, and, when it is a request whose rest may be lost, what its
 * response will have to be decoded by.
 */
static void announce(struct call *call, size_t offset, int32_t length)
{
    struct kafka_direction *direction = call->direction;
    struct kafka_exchange **announced = &direction->announced;
    uint32_t begin = call->sequence + (uint32_t)offset;

    if (call->gap != NULL) {
        /* The gap goes on; what the direction is at came behind it. */
        announced = &call->gap->announced;
        call->gap->begin = begin;
    } else {
        direction->next = begin;
        direction->awaits_end = true;
        direction->end = begin + KAFKA_LENGTH_SIZE + (uint32_t)length;
        direction->announced_at = begin;
    }
    if (call->to_broker && *announced == NULL && !call->connection->sasl_tokens) {
        struct kafka_cursor frame = frame_at(call, offset, length);
        if (kafka_is_plausible_request(&frame)) {
            *announced = kafka_connection_add_request(call->connection, call->pinfo, &frame);
        }
    }
}

/* Takes note that a frame of the call ended at offset, unless it came late and the direction is past that. */
static void step_to(struct call *call, size_t offset)
{
    struct kafka_direction *direction = call->direction;
    uint32_t next = call->sequence + (uint32_t)offset;

    if (call->gap != NULL && direction->in_step && (int32_t)(direction->next - next) >= 0) {
        return;
    }
    direction->next = next;
    direction->in_step = true;
    direction->awaits_end = false;
}

/* The first bytes of a length are all that there is. */
static void show_beginning(struct call *call, size_t offset)
{
    show_bytes(call, offset, call->length - offset, hf_kafka_undecoded, &ei_kafka_cut, "The beginning of a message");
    if (!call->first_pass) {
        return;
    }
    if (call->gap != NULL) {
        (void)kafka_pdu_store(call->connection, call->pinfo, KAFKA_PDU_BEGINNING, pdu_key(call, offset));
    } else {
        call->direction->in_step = false;
    }
}

static int show_frames(struct call *call, size_t offset)
{
    while (offset < call->length) {
        size_t rest = call->length - offset;
        const struct kafka_pdu *stored =
            call->first_pass ? NULL : kafka_pdu_find(call->connection, call->pinfo, pdu_key(call, offset), false);
        if (call->captured < offset + KAFKA_LENGTH_SIZE) {
            if (call->captured == call->length && wants_more(call, offset + KAFKA_LENGTH_SIZE, stored)) {
                return ask_for_more(call, offset, DESEGMENT_ONE_MORE_SEGMENT);
            }
            show_beginning(call, offset);
            break;
        }
        int32_t length = (int32_t)kafka_load32(call->data + offset);
        /* Which lengths are possible changes as a connection goes on; later passes know what the first one took. */
        if (stored == NULL && !is_possible_length(call, length)) {
            show_bad_length(call, offset, length);
            break;
        }
        size_t size = KAFKA_LENGTH_SIZE + (size_t)length;
        if (rest < size && wants_more(call, offset + size, stored)) {
            if (call->first_pass) {
                announce(call, offset, length);
            }
            uint32_t missing = (uint32_t)(size - rest);
            /* Two numbers, of a quarter of a GiB, have another meaning; what is not asked for now is asked for then. */
            bool is_special = missing == DESEGMENT_ONE_MORE_SEGMENT || missing == DESEGMENT_UNTIL_FIN;
            return ask_for_more(call, offset, is_special ? missing - 2 : missing);
        }
        show_pdu(call, offset, length, stored);
        offset += size;
        if (call->first_pass) {
            step_to(call, offset);
        }
    }
    if (call->gap != NULL) {
        call->gap->is_open = false;
    }
    return (int)call->length;
}

/*
 * Returns whether the bytes of the call are Kafka's. On a connection that was not seen to speak Kafka they are when a
 * frame begins in them; else Wireshark goes on to ask other dissectors.
 */
static bool is_ours(const struct call *call, size_t start)
{
    if (!call->first_pass) {
        return call->connection->first_frame != 0 && call->pinfo->num >= call->connection->first_frame;
    }
    if (call->connection->first_frame != 0) {
        return true;
    }
    if (!call->has_sequence) {
        return frame_begins_at(call, 0) || is_unasked_response(call);
    }
    return start < call->length;
}

static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct tcpinfo *tcp)
{
    struct call call = {
        .tvb = tvb,
        .pinfo = pinfo,
        .tree = tree,
        .connection = kafka_connection_get(pinfo),
        .length = tvb_reported_length(tvb),
        .captured = tvb_captured_length(tvb),
        .has_sequence = tcp != NULL,
        .sequence = tcp != NULL ? tcp->seq : 0,
        .first_pass = !pinfo->fd->visited,
    };

    if (call.captured == 0) {
        return 0;
    }
    call.data = tvb_get_ptr(tvb, 0, (int)call.captured);
    call.to_broker = kafka_connection_to_broker(call.connection, pinfo);
    if (call.first_pass) {
        learn_client(&call);
    }
    call.direction = &call.connection->directions[call.to_broker ? 1 : 0];
    size_t start = call.first_pass ? start_first_pass(&call) : start_later_pass(&call);
    if (!is_ours(&call, start)) {
        return 0;
    }
    if (call.first_pass && call.connection->first_frame == 0) {
        call.connection->first_frame = pinfo->num;
    }
    if (start > 0) {
        show_continuation(&call, start);
    }
    return show_frames(&call, start);
}

int kafka_dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    int taken = kafka_hand_to_tls(tvb, pinfo, tree, data);

    return taken > 0 ? taken : dissect(tvb, pinfo, tree, data);
}

int kafka_dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    return dissect(tvb, pinfo, tree, NULL);
}
