/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "locate.h"

#include <epan/dissectors/packet-tcp.h>

#include "../wire/fit.h"
#include "../wire/guess.h"
#include "../wire/header.h"
#include "../wire/placement.h"
#include "../wire/sasl.h"
#include "assume.h"
#include "foreign.h"
#include "preferences.h"

/* A response to a request that was never seen is believed only up to this size. */
#define MAX_UNASKED_RESPONSE ((size_t)16 * 1024 * 1024)

/* See may_begin_segment. */
#define SMALL_UNASKED_RESPONSE ((size_t)20)
#define SMALL_CORRELATION_ID   (1U << 24)

/* So much is asked for at a time: a wrong length that fits its message so far does not take the rest of a connection.
 */
#define PROVEN_STEP ((size_t)4 * 1024 * 1024)

/* Segments so small that hardly any of them shows a whole header. */
#define TINY_SEGMENT 32

/* A message that lacks no more than this is waited for, whatever stands in it. */
#define SHORT_WAIT 4096

/* Bytes in which no message begins for certain are kept until there are so many. */
#define MAX_KEPT 8192

/* So many segments are looked at one by one before as many bytes more are asked for as there are: each may bring the
 * message that proves this one wrong, which is shown late when it is not looked at, and never when the capture ends. */
#define MOST_LOOKS 16

/* Bodies that are held against their schema in one call while searching: bytes can be made for it. */
#define MAX_TRIES 256

/* Bytes that are kept until they tell whether a message begins: TCP puts all of them together again with each segment.
 */
#define MAX_UNSURE ((size_t)64 * 1024)

uint32_t kafka_size_limit(bool to_broker)
{
    return to_broker ? kafka_max_request_size() : kafka_max_response_size();
}

struct kafka_cursor kafka_frame_at(const struct kafka_call *call, size_t offset, int32_t length)
{
    size_t end = offset + KAFKA_LENGTH_SIZE + (size_t)length;

    return (struct kafka_cursor){
        .data = call->data,
        .offset = offset + KAFKA_LENGTH_SIZE,
        .limit = end,
        .captured = end < call->captured ? end : call->captured,
    };
}

/* Returns whether a message may have that length; what is too short for a header is one all the same. */
static bool is_possible_length(const struct kafka_call *call, int32_t length)
{
    return length >= 0 && (uint32_t)length <= kafka_size_limit(call->to_broker);
}

/* How sure it is that a message begins somewhere. */
enum verdict {
    NO,
    UNSURE, /* the bytes end too early to tell */
    YES,
};

/* Returns whether what there is of a length at offset may be one of a message with a header; YES when it is whole. */
static enum verdict judge_length(const struct kafka_call *call, size_t offset, int32_t *length)
{
    size_t there = call->captured > offset ? call->captured - offset : 0;
    uint32_t least = call->to_broker ? KAFKA_REQUEST_FIXED_SIZE + 2 : KAFKA_RESPONSE_FIXED_SIZE + 1;
    uint32_t limit = kafka_size_limit(call->to_broker);
    uint32_t value = 0;

    for (size_t i = 0; i < KAFKA_LENGTH_SIZE; i++) {
        value = value << 8 | (i < there ? call->data[offset + i] : 0);
    }
    if (value > limit) {
        return NO;
    }
    if (there < KAFKA_LENGTH_SIZE) {
        return UNSURE;
    }
    *length = (int32_t)value;
    return value >= least ? YES : NO;
}

/* Returns whether the bytes at offset, behind a message, may begin another, as far as they go. */
static bool may_go_on(const struct kafka_call *call, size_t offset)
{
    int32_t length;

    if (offset >= call->captured) {
        return true;
    }
    enum verdict verdict = judge_length(call, offset, &length);
    if (verdict != YES) {
        return verdict == UNSURE;
    }
    struct kafka_cursor frame = kafka_frame_at(call, offset, length);
    if (call->to_broker) {
        return kafka_may_begin_request(&frame);
    }
    return kafka_need(&frame, KAFKA_RESPONSE_FIXED_SIZE) != KAFKA_OK ||
           (int32_t)kafka_load32(frame.data + frame.offset) >= 0 ||
           kafka_connection_peek(call->connection, (int32_t)kafka_load32(frame.data + frame.offset)) != NULL;
}

/* Returns whether TCP can bring more than there is. */
static bool can_wait(const struct kafka_call *call)
{
    return call->pinfo->can_desegment > 0 && call->captured == call->length;
}

/* The same up to offset end: where the call fills a gap, what is behind the gap came before and does not come again. */
static bool can_wait_for(const struct kafka_call *call, size_t end)
{
    return can_wait(call) && (call->gap == NULL || (int32_t)(call->sequence + (uint32_t)end - call->gap->end) <= 0);
}

/* What else than the bytes themselves lets a message begin somewhere. */
enum hint {
    NOTHING,
    SEGMENT, /* a segment begins there: most of them begin with a message */
    END,     /* the message before it says that it ends there */
};

static enum verdict judge_request(struct kafka_call *call, size_t offset, enum hint hint)
{
    int32_t length;
    enum verdict verdict = judge_length(call, offset, &length);

    if (verdict != YES) {
        return verdict;
    }
    struct kafka_cursor frame = kafka_frame_at(call, offset, length);
    if (!kafka_may_begin_request(&frame)) {
        /* An API of a release to come is believed where a segment holds all of it. */
        return hint != NOTHING && frame.limit == call->length && kafka_has_request_shape(&frame) ? YES : NO;
    }
    bool is_named = kafka_request_is_named(&frame);
    call->tries++;
    switch (kafka_fit_request_plausibly(&frame)) {
    case KAFKA_FIT_BEGINNING:
        return UNSURE;
    case KAFKA_FIT_HEADER:
        return hint != NOTHING && is_named ? YES : NO;
    case KAFKA_FIT_SO_FAR:
        return hint != NOTHING || is_named ? YES : NO;
    case KAFKA_FIT_WHOLE:
        return is_named || may_go_on(call, frame.limit) ? YES : NO;
    case KAFKA_FIT_NONE:
        break;
    }
    return NO;
}

static enum verdict judge_awaited_response(struct kafka_call *call, const struct kafka_cursor *frame,
                                           const struct kafka_exchange *exchange, enum hint hint)
{
    const struct kafka_api *api = kafka_api_find(exchange->api_key);
    bool goes_on = frame->limit > call->captured || may_go_on(call, frame->limit);

    if (api == NULL) {
        return hint != NOTHING && goes_on ? YES : NO;
    }
    call->tries++;
    switch (kafka_fit_response_plausibly(frame, api, exchange->api_version)) {
    case KAFKA_FIT_BEGINNING:
        return UNSURE;
    case KAFKA_FIT_HEADER:
    case KAFKA_FIT_WHOLE:
        return goes_on ? YES : NO;
    case KAFKA_FIT_SO_FAR:
        return hint != NOTHING || can_wait(call) ? YES : NO;
    case KAFKA_FIT_NONE:
        break;
    }
    return NO;
}

/*
 * Returns whether a segment may begin with the response to a request that nobody saw, when nothing else says that a
 * message begins there. Zeros and small numbers are everywhere in messages, and so is what looks like a small response.
 */
static bool may_begin_segment(const struct kafka_call *call, const struct kafka_cursor *frame)
{
    uint32_t correlation_id = kafka_load32(frame->data + frame->offset);

    if (frame->limit < call->length || (correlation_id == 0 && frame->limit > call->length)) {
        return false;
    }
    return frame->limit >= (correlation_id == 0 ? 2 : 1) * SMALL_UNASKED_RESPONSE ||
           (frame->limit == call->length && correlation_id <= SMALL_CORRELATION_ID && (correlation_id & 0xff) != 0);
}

/* As kafka_fit_any_response; what fits a whole one is asked for again when it is taken. */
static enum kafka_fit fit_any_response(struct kafka_call *call, const struct kafka_cursor *frame)
{
    if (frame->captured < frame->limit) {
        return kafka_fit_any_response(frame);
    }
    return kafka_fits_find(&call->fits, call->pinfo->pool, frame)->count > 0 ? KAFKA_FIT_WHOLE : KAFKA_FIT_NONE;
}

/* Its correlation id is none that waits, so all that can be said is whether some API has a layout that fits. */
static enum verdict judge_unasked_response(struct kafka_call *call, const struct kafka_cursor *frame, enum hint hint)
{
    if ((int32_t)kafka_load32(frame->data + frame->offset) < 0 || kafka_remaining(frame) > MAX_UNASKED_RESPONSE ||
        (hint == SEGMENT && !may_begin_segment(call, frame))) {
        return NO;
    }
    switch (fit_any_response(call, frame)) {
    case KAFKA_FIT_SO_FAR:
        /* More bytes can refute it; where none come, its place has to speak for it. */
        return can_wait(call) || (hint == END && kafka_load32(frame->data + frame->offset) <= SMALL_CORRELATION_ID)
                   ? YES
                   : NO;
    case KAFKA_FIT_WHOLE:
        return may_go_on(call, frame->limit) ? YES : NO;
    default:
        return NO;
    }
}

static enum verdict judge_response(struct kafka_call *call, size_t offset, enum hint hint)
{
    int32_t length;
    enum verdict verdict = judge_length(call, offset, &length);

    if (verdict != YES) {
        return verdict;
    }
    struct kafka_cursor frame = kafka_frame_at(call, offset, length);
    if (kafka_need(&frame, KAFKA_RESPONSE_FIXED_SIZE) != KAFKA_OK) {
        return UNSURE;
    }
    const struct kafka_exchange *exchange =
        kafka_connection_peek(call->connection, (int32_t)kafka_load32(frame.data + frame.offset));
    if (exchange != NULL) {
        return judge_awaited_response(call, &frame, exchange, hint);
    }
    return hint != NOTHING ? judge_unasked_response(call, &frame, hint) : NO;
}

static enum verdict judge(struct kafka_call *call, size_t offset, enum hint hint)
{
    return call->to_broker ? judge_request(call, offset, hint) : judge_response(call, offset, hint);
}

/* Returns what TCP's segments say of offset: where bytes of an earlier one were kept, the next begins behind them. */
static enum hint hint_at(const struct kafka_call *call, size_t offset)
{
    return (offset == 0 ? call->begins_segment : offset == call->kept) ? SEGMENT : NOTHING;
}

/*
 * Returns the offset of the first message at or behind from, or the length of the bytes when there is none. hint is
 * about from itself. Where the bytes end too early to tell, *unsure is the first offset that is in doubt, else their
 * length.
 */
KAFKA_APART static size_t search(struct kafka_call *call, size_t from, enum hint hint, size_t *unsure)
{
    *unsure = call->length;
    for (size_t offset = from; offset < call->captured && call->tries < MAX_TRIES; offset++) {
        enum verdict verdict = judge(call, offset, offset == from && hint != NOTHING ? hint : hint_at(call, offset));
        if (verdict == YES) {
            return offset;
        }
        if (verdict == UNSURE && *unsure == call->length) {
            *unsure = offset;
        }
    }
    return call->length;
}

/* Returns whether the message at offset, which is whole, can only be one: then what follows it begins where it ends. */
static bool is_proof(const struct kafka_call *call, size_t offset, int32_t length)
{
    struct kafka_cursor frame = kafka_frame_at(call, offset, length);

    if (call->to_broker) {
        return kafka_request_is_named(&frame) && kafka_fit_request(&frame) == KAFKA_FIT_WHOLE;
    }
    const struct kafka_exchange *exchange =
        kafka_connection_peek(call->connection, (int32_t)kafka_load32(frame.data + frame.offset));
    return exchange != NULL && kafka_api_find(exchange->api_key) != NULL;
}

/* Returns whether what there is of the message at offset contradicts the length that it says. */
static bool is_refuted(const struct kafka_call *call, size_t offset, int32_t length)
{
    struct kafka_cursor frame = kafka_frame_at(call, offset, length);

    if (call->connection->sasl_tokens || kafka_sasl_is_gssapi(&frame)) {
        return false;
    }
    if (call->to_broker) {
        return !kafka_can_be_request(&frame) ||
               (kafka_is_plausible_request(&frame) && kafka_fit_request(&frame) == KAFKA_FIT_NONE);
    }
    if (kafka_need(&frame, KAFKA_RESPONSE_FIXED_SIZE) != KAFKA_OK) {
        return false;
    }
    const struct kafka_exchange *exchange =
        kafka_connection_peek(call->connection, (int32_t)kafka_load32(frame.data + frame.offset));
    const struct kafka_api *api = exchange != NULL ? kafka_api_find(exchange->api_key) : NULL;
    if (exchange != NULL && api == NULL) {
        return false;
    }
    return (api != NULL ? kafka_fit_response(&frame, api, exchange->api_version) : kafka_fit_any_response(&frame)) ==
           KAFKA_FIT_NONE;
}

static struct kafka_place place_of(enum kafka_place_kind kind, size_t size)
{
    return (struct kafka_place){.kind = kind, .size = size};
}

/* Asks for more from offset on. */
static struct kafka_place wait_at(struct kafka_call *call, size_t offset, uint32_t wanted)
{
    struct kafka_direction *direction = call->direction;

    direction->asked_at = call->sequence + (uint32_t)offset;
    direction->asked = (uint32_t)(call->length - offset);
    direction->asked_at_start = direction->in_step || (offset == 0 && call->begins_segment);
    return (struct kafka_place){.kind = KAFKA_PLACE_WAIT, .wanted = wanted};
}

/* Steps behind a message of that size. */
KAFKA_APART static struct kafka_place step_over(struct kafka_call *call, size_t offset, size_t size)
{
    struct kafka_direction *direction = call->direction;

    direction->in_step = true;
    direction->awaits_end = false;
    direction->next = call->sequence + (uint32_t)(offset + size);
    return place_of(KAFKA_PLACE_FRAME, size);
}

/*
 * A message whose length is wrong, or whose body is: what there is of it here is shown, and what its length says is not
 * relied on. The next one begins wherever one does, or where this one says that it ends.
 */
KAFKA_APART static struct kafka_place doubt(struct kafka_call *call, size_t offset, size_t size)
{
    size_t unsure;
    size_t next = search(call, offset + KAFKA_LENGTH_SIZE, NOTHING, &unsure);

    (void)step_over(call, offset, size);
    call->direction->doubted = true;
    return place_of(KAFKA_PLACE_FRAME, next - offset);
}

/* Returns whether the next segment is to be looked at by itself, behind so many bytes of a message without proof. */
static bool looks_at_next(struct kafka_direction *direction, size_t there)
{
    if (there < MAX_KEPT) {
        direction->looks = 0;
        return true;
    }
    if (there >= MAX_UNSURE || direction->looks == MOST_LOOKS) {
        direction->looks = 0;
        return false;
    }
    direction->looks++;
    return true;
}

/* What begins at offset, where a message is known to, and is not whole. */
KAFKA_APART static struct kafka_place place_cut_frame(struct kafka_call *call, size_t offset, int32_t length)
{
    struct kafka_direction *direction = call->direction;
    size_t size = KAFKA_LENGTH_SIZE + (size_t)length;
    size_t lacking = size - (call->length - offset);
    bool is_long = lacking > SHORT_WAIT && call->has_sequence;

    if (is_long && (direction->proven ? is_refuted(call, offset, length) : !can_wait(call))) {
        return doubt(call, offset, size);
    }
    if (!can_wait_for(call, offset + size)) {
        struct kafka_place place = step_over(call, offset, size);
        size_t header = call->to_broker ? KAFKA_REQUEST_FIXED_SIZE : KAFKA_RESPONSE_FIXED_SIZE;
        bool is_stub = call->gap != NULL && call->length < offset + KAFKA_LENGTH_SIZE + header;
        return is_stub ? place_of(KAFKA_PLACE_STUB, call->length - offset) : place;
    }
    direction->awaits_end = true;
    direction->end = direction->next + (uint32_t)size;
    struct kafka_cursor frame = kafka_frame_at(call, offset, length);
    bool needs_header = call->to_broker && call->length <= TINY_SEGMENT && !kafka_has_request_header(&frame);
    if (direction->proven && !needs_header) {
        return wait_at(call, offset, lacking < PROVEN_STEP ? (uint32_t)lacking : PROVEN_STEP);
    }
    /* Each segment may refute it, or bring the header without which a response is not known; but where it goes on for
     * long, putting them together each time takes too long. */
    size_t there = call->length - offset;
    if (looks_at_next(direction, there)) {
        return wait_at(call, offset, DESEGMENT_ONE_MORE_SEGMENT);
    }
    return wait_at(call, offset, (uint32_t)(lacking < there ? lacking : there));
}

/* Returns whether a message stands somewhere behind offset that can only be one. */
KAFKA_APART static bool has_proof_behind(struct kafka_call *call, size_t offset)
{
    if (!call->to_broker && wmem_map_size(call->connection->outstanding) == 0) {
        return false;
    }
    for (size_t at = offset + 1; at + KAFKA_LENGTH_SIZE < call->captured && call->tries < MAX_TRIES; at++) {
        int32_t length;
        if (kafka_load32(call->data + at) <= call->length - at - KAFKA_LENGTH_SIZE &&
            judge_length(call, at, &length) == YES && judge(call, at, NOTHING) == YES && is_proof(call, at, length)) {
            return true;
        }
    }
    return false;
}

/* What begins at offset, where a message is known to; false when none does after all. */
static bool place_frame(struct kafka_call *call, size_t offset, struct kafka_place *place)
{
    struct kafka_direction *direction = call->direction;

    if (call->captured < offset + KAFKA_LENGTH_SIZE) {
        if (can_wait_for(call, offset + KAFKA_LENGTH_SIZE)) {
            *place = wait_at(call, offset, DESEGMENT_ONE_MORE_SEGMENT);
        } else {
            direction->in_step = false;
            *place = place_of(KAFKA_PLACE_STUB, call->length - offset);
        }
        return true;
    }
    int32_t length = (int32_t)kafka_load32(call->data + offset);
    enum verdict verdict = direction->proven ? YES : judge(call, offset, END);
    if (verdict == NO) {
        return false;
    }
    if (verdict == UNSURE && call->length - offset < MAX_UNSURE && can_wait_for(call, call->length + 1)) {
        *place = wait_at(call, offset, DESEGMENT_ONE_MORE_SEGMENT);
        return true;
    }
    if (!is_possible_length(call, length)) {
        size_t unsure;
        size_t next = search(call, offset + KAFKA_LENGTH_SIZE, NOTHING, &unsure);
        direction->in_step = false;
        *place = place_of(KAFKA_PLACE_BAD_LENGTH, next - offset);
        return true;
    }
    size_t size = KAFKA_LENGTH_SIZE + (size_t)length;
    if (size > call->length - offset) {
        if (!direction->proven && has_proof_behind(call, offset)) {
            return false;
        }
        *place = place_cut_frame(call, offset, length);
        return true;
    }
    direction->proven = direction->proven || is_proof(call, offset, length);
    *place = step_over(call, offset, size);
    return true;
}

/*
 * What stands at offset where nobody knows whether a message begins: bytes to be skipped, at first. Messages are
 * searched at and behind from, of which hint is known.
 */
KAFKA_APART static struct kafka_place place_unknown(struct kafka_call *call, size_t offset, size_t from, enum hint hint)
{
    struct kafka_direction *direction = call->direction;
    struct kafka_place place;
    size_t unsure;
    size_t found = search(call, from, hint, &unsure);

    if (found < call->length) {
        direction->in_step = true;
        direction->proven = false;
        direction->doubted = false;
        direction->awaits_end = false;
        direction->next = call->sequence + (uint32_t)found;
        if (found > offset) {
            return place_of(KAFKA_PLACE_SKIP, found - offset);
        }
        if (place_frame(call, offset, &place)) {
            return place;
        }
        direction->in_step = false;
        return place_unknown(call, offset, offset + 1, NOTHING);
    }
    if (unsure < call->length && call->length - unsure < MAX_UNSURE && can_wait_for(call, call->length + 1)) {
        call->waits_at = unsure;
        return unsure > offset ? place_of(KAFKA_PLACE_SKIP, unsure - offset)
                               : wait_at(call, offset, DESEGMENT_ONE_MORE_SEGMENT);
    }
    return place_of(KAFKA_PLACE_SKIP, call->length - offset);
}

/* Decides what stands at offset, and keeps the state of the direction; the first pass's part of kafka_locate. */
static struct kafka_place decide(struct kafka_call *call, size_t offset)
{
    struct kafka_direction *direction = call->direction;
    enum hint hint = hint_at(call, offset);
    struct kafka_place place;

    if (offset < call->begins_at) {
        return place_of(KAFKA_PLACE_SKIP, call->begins_at - offset);
    }
    if (offset == call->waits_at) {
        return wait_at(call, offset, DESEGMENT_ONE_MORE_SEGMENT);
    }
    if (direction->doubted) {
        int32_t ahead = (int32_t)(direction->next - (call->sequence + (uint32_t)offset));
        if (ahead > 0) {
            place = place_unknown(call, offset, offset, hint);
            if (direction->doubted && place.kind == KAFKA_PLACE_SKIP && place.size > (size_t)ahead) {
                place.size = (size_t)ahead;
            }
            return place;
        }
        direction->doubted = false;
        direction->proven = false;
    }
    if (!direction->in_step) {
        return place_unknown(call, offset, offset, hint);
    }
    if (place_frame(call, offset, &place)) {
        return place;
    }
    direction->in_step = false;
    return place_unknown(call, offset, offset + 1, NOTHING);
}

/* Returns where the call would end up asking for more, or its length, and changes nothing. */
static size_t plan_wait(struct kafka_call *call)
{
    struct kafka_direction saved_direction = *call->direction;
    struct kafka_call saved_call = *call;
    size_t offset = 0;

    while (offset < call->length) {
        struct kafka_place place = decide(call, offset);
        if (place.kind == KAFKA_PLACE_WAIT) {
            break;
        }
        offset += place.size;
    }
    struct kafka_fits *fits = call->fits;
    *call = saved_call;
    call->fits = fits;
    *call->direction = saved_direction;
    return offset;
}

/* TCP's own flags for the packets of a handshake that a capture has, which no header of Wireshark's gives a name. */
#define TCP_SEEN_SYN     0x01
#define TCP_SEEN_SYN_ACK 0x02

/* Returns what TCP knows of a connection whose handshake is in the capture, or NULL. */
static const struct tcp_analysis *tcp_from_start(const struct kafka_call *call)
{
    const struct tcp_analysis *tcp = get_tcp_conversation_data(NULL, call->pinfo);

    if (tcp == NULL || tcp->fwd == NULL || (tcp->conversation_completeness & (TCP_SEEN_SYN | TCP_SEEN_SYN_ACK)) == 0) {
        return NULL;
    }
    return tcp;
}

/* Returns whether the call's first byte is the first of its direction: the capture has the SYN before it. */
static bool is_stream_start(const struct kafka_call *call)
{
    const struct tcp_analysis *tcp = tcp_from_start(call);
    uint32_t sequence = call->sequence - (call->to_broker ? call->connection->proxy_size : 0);

    return tcp != NULL && sequence == tcp->fwd->base_seq + 1;
}

/*
 * Returns whether what begins at the start of a connection, on its way to a port that is Kafka's, is to be taken for
 * Kafka. What no dissector can make anything of is: a length that cannot be is worth an expert info, and a header whose
 * API key or body is not known is still one. Text is not: other protocols begin with it.
 */
static bool is_ours_from_start(const struct kafka_call *call)
{
    if (kafka_foreign_protocol(call->data, call->captured) != NULL) {
        return false;
    }
    if (call->captured < KAFKA_LENGTH_SIZE) {
        return call->data[0] == 0;
    }
    int32_t length = (int32_t)kafka_load32(call->data);
    if (length < 0 || (uint32_t)length > kafka_size_limit(true)) {
        struct kafka_cursor frame = kafka_frame_at(call, 0, INT32_MAX);
        return !g_ascii_isprint((char)call->data[0]) || kafka_fit_request(&frame) > KAFKA_FIT_BEGINNING;
    }
    struct kafka_cursor frame = kafka_frame_at(call, 0, length);
    /* Clients of Kafka 0.9 begin with a token of GSSAPI. */
    return kafka_may_begin_request(&frame) || kafka_has_request_shape(&frame) || kafka_sasl_is_gssapi(&frame);
}

/* Returns whether a message begins at the start of a direction: on a connection of Kafka's it does. */
static bool is_first_message(const struct kafka_call *call)
{
    if (!is_stream_start(call)) {
        return false;
    }
    return call->connection->first_frame != 0 || (call->to_broker && is_ours_from_start(call));
}

/* Returns the gap that the call's first message was to fill, or NULL. */
static struct kafka_gap *find_gap(const struct kafka_call *call)
{
    for (size_t i = 0; i < KAFKA_GAPS; i++) {
        struct kafka_gap *gap = &call->direction->gaps[i];
        if (gap->is_open && gap->begin == call->sequence) {
            return gap;
        }
    }
    return NULL;
}

KAFKA_APART static void open_gap(const struct kafka_call *call)
{
    struct kafka_direction *direction = call->direction;

    direction->gaps[direction->gap_count++ % KAFKA_GAPS] = (struct kafka_gap){
        .is_open = true,
        .begin = direction->in_step ? direction->next : direction->asked_at,
        .end = call->sequence,
        .in_step = direction->in_step,
        .proven = direction->proven,
        .announced = direction->announced_at == direction->next ? direction->announced : NULL,
    };
}

/* Has the call fill a gap: the direction itself is behind it and stays as it is. */
KAFKA_APART static void enter_gap(struct kafka_call *call, struct kafka_gap *gap)
{
    call->gap = gap;
    call->late = wmem_new(call->pinfo->pool, struct kafka_direction);
    *call->late = (struct kafka_direction){
        .in_step = gap->in_step,
        .proven = gap->proven,
        .next = call->sequence,
        .announced = gap->announced,
        .announced_at = call->sequence,
    };
    call->direction = call->late;
    call->begins_segment = gap->in_step;
}

void kafka_locate_end(struct kafka_call *call, size_t offset)
{
    struct kafka_direction *direction = &call->connection->directions[call->to_broker ? 1 : 0];
    struct kafka_gap *gap = call->gap;

    if (gap == NULL) {
        return;
    }
    if (offset < call->length) {
        /* The gap goes on. */
        gap->begin = call->sequence + (uint32_t)offset;
        gap->in_step = call->late->in_step;
        gap->proven = call->late->proven;
        gap->announced = call->late->announced;
        return;
    }
    gap->is_open = false;
    if (call->late->in_step && (!direction->in_step || (int32_t)(call->late->next - direction->next) > 0)) {
        direction->in_step = true;
        direction->proven = call->late->proven;
        direction->doubted = call->late->doubted;
        direction->next = call->late->next;
    }
}

/* Tells a direction whose sequence numbers are known where it is. */
KAFKA_APART static void find_place(struct kafka_call *call)
{
    struct kafka_direction *direction = call->direction;
    int32_t ahead = (int32_t)(call->sequence - direction->next);
    struct kafka_gap *gap = find_gap(call);

    if (gap != NULL) {
        enter_gap(call, gap);
        return;
    }
    bool awaits_more = direction->asked > 0;
    if (direction->in_step ? ahead > 0
                           : awaits_more && (int32_t)(call->sequence - direction->asked_at - direction->asked) > 0) {
        open_gap(call);
    }
    call->kept = direction->asked > 0 && direction->asked_at == call->sequence ? direction->asked : 0;
    call->begins_segment = call->kept == 0 || direction->asked_at_start;
    direction->asked = 0;
    if (!direction->in_step) {
        if (is_first_message(call)) {
            direction->in_step = true;
            direction->proven = true;
            direction->next = call->sequence;
        }
    } else if (ahead < 0 && !direction->doubted) {
        uint32_t overlap = direction->next - call->sequence;
        call->begins_at = overlap < call->length ? overlap : call->length;
    } else if (ahead > 0) {
        /* Bytes are missing. Inside a message of known length the next one is known to begin behind it. */
        if (direction->awaits_end && (int32_t)(direction->end - call->sequence) >= 0) {
            uint32_t rest = direction->end - call->sequence;
            direction->next = direction->end;
            call->begins_at = rest < call->length ? rest : call->length;
        } else {
            direction->in_step = false;
        }
        direction->awaits_end = false;
        direction->doubted = false;
    }
}

/* Returns whether the bytes of a connection that was not seen to speak Kafka are Kafka's. */
static bool is_ours(struct kafka_call *call)
{
    struct kafka_direction *direction = call->direction;
    size_t unsure;

    if (!call->has_sequence) {
        direction->in_step = judge(call, 0, SEGMENT) != NO;
        direction->proven = true;
        return direction->in_step;
    }
    if (direction->in_step) {
        return true;
    }
    bool is_found = search(call, 0, call->begins_segment ? SEGMENT : NOTHING, &unsure) < call->length;
    call->tries = 0;
    return is_found || (unsure < call->length && call->length <= TINY_SEGMENT && can_wait(call));
}

bool kafka_locate_begin(struct kafka_call *call)
{
    struct kafka_connection *connection = call->connection;

    if (!call->first_pass) {
        return connection->first_frame != 0 && call->pinfo->num >= connection->first_frame;
    }
    call->waits_at = call->length;
    if (call->has_sequence) {
        find_place(call);
    } else if (connection->first_frame != 0) {
        call->direction->in_step = true;
        call->direction->proven = true;
    }
    struct kafka_direction *direction = call->direction;
    if (connection->first_frame == 0) {
        if (!is_ours(call)) {
            return false;
        }
        connection->first_frame = call->pinfo->num;
    }
    if (call->kept > 0 && !(direction->in_step && direction->proven && !direction->doubted)) {
        /* TCP brings bytes that were kept once more, in this frame, only when something of the new ones is used too. */
        size_t waits_at = plan_wait(call);
        if (waits_at > 0 && waits_at <= call->kept) {
            direction->in_step = false;
            if (call->length <= MAX_KEPT) {
                call->waits_at = 0;
            } else {
                call->begins_at = call->length;
            }
        }
    }
    return true;
}

static uint32_t key_of(const struct kafka_call *call, size_t offset)
{
    return call->has_sequence ? call->sequence + (uint32_t)offset : kafka_frame_pdus(call->pinfo);
}

/* What the first pass found at offset. What it did not store it asked more for. */
static struct kafka_place recall(const struct kafka_call *call, size_t offset)
{
    const struct kafka_pdu *pdu = kafka_pdu_find(call->connection, call->pinfo, key_of(call, offset));

    if (pdu == NULL) {
        return (struct kafka_place){.kind = KAFKA_PLACE_WAIT, .wanted = DESEGMENT_ONE_MORE_SEGMENT};
    }
    switch (pdu->kind) {
    case KAFKA_PDU_SKIP:
        return place_of(KAFKA_PLACE_SKIP, pdu->size);
    case KAFKA_PDU_BEGINNING:
        return place_of(KAFKA_PLACE_STUB, pdu->size);
    case KAFKA_PDU_BAD_LENGTH:
        return place_of(KAFKA_PLACE_BAD_LENGTH, pdu->size);
    default:
        return (struct kafka_place){.kind = KAFKA_PLACE_FRAME, .size = pdu->size, .pdu = pdu};
    }
}

struct kafka_pdu *kafka_locate_store(const struct kafka_call *call, size_t offset, enum kafka_pdu_kind kind,
                                     size_t size)
{
    struct kafka_pdu *pdu = kafka_pdu_store(call->connection, call->pinfo, kind, key_of(call, offset));

    pdu->size = (uint32_t)size;
    return pdu;
}

struct kafka_place kafka_locate(struct kafka_call *call, size_t offset)
{
    if (!call->first_pass) {
        return recall(call, offset);
    }
    struct kafka_place place = decide(call, offset);
    switch (place.kind) {
    case KAFKA_PLACE_SKIP:
        (void)kafka_locate_store(call, offset, KAFKA_PDU_SKIP, place.size);
        break;
    case KAFKA_PLACE_STUB:
        (void)kafka_locate_store(call, offset, KAFKA_PDU_BEGINNING, place.size);
        break;
    case KAFKA_PLACE_BAD_LENGTH:
        (void)kafka_locate_store(call, offset, KAFKA_PDU_BAD_LENGTH, place.size);
        break;
    case KAFKA_PLACE_FRAME:
    case KAFKA_PLACE_WAIT:
        break;
    }
    return place;
}

/* Returns whether the call begins with what can only be a request. */
static bool begins_with_request(struct kafka_call *call)
{
    int32_t length;
    bool to_broker = call->to_broker;

    call->to_broker = true;
    bool begins = judge_length(call, 0, &length) == YES;
    call->to_broker = to_broker;
    if (!begins) {
        return false;
    }
    struct kafka_cursor frame = kafka_frame_at(call, 0, length);
    if (!kafka_request_is_named(&frame) || !kafka_may_begin_request(&frame) ||
        kafka_fit_request_plausibly(&frame) < KAFKA_FIT_SO_FAR) {
        return false;
    }
    /* A small correlation id is the key of Produce, and a version of it. */
    bool is_produce = kafka_load16(frame.data + frame.offset) == KAFKA_API_PRODUCE;
    return to_broker || !is_produce || kafka_fit_any_response(&frame) < KAFKA_FIT_SO_FAR;
}

void kafka_locate_client(struct kafka_call *call)
{
    struct kafka_connection *connection = call->connection;

    call->to_broker = kafka_connection_to_broker(connection, call->pinfo);
    if (call->first_pass && !connection->client_known) {
        const struct tcp_analysis *tcp = call->pinfo->ptype == PT_TCP ? tcp_from_start(call) : NULL;
        bool by_port = call->to_broker;
        if (tcp != NULL && tcp->server_port != 0 && call->pinfo->srcport != call->pinfo->destport) {
            call->to_broker = call->pinfo->destport == tcp->server_port;
            kafka_connection_set_client(connection, call->pinfo, call->to_broker);
        } else if (begins_with_request(call)) {
            call->to_broker = true;
            kafka_connection_set_client(connection, call->pinfo, true);
        }
        if (call->to_broker != by_port) {
            /* What was taken for one direction was the other. */
            struct kafka_direction other = connection->directions[0];
            connection->directions[0] = connection->directions[1];
            connection->directions[1] = other;
        }
    }
    call->direction = &connection->directions[call->to_broker ? 1 : 0];
}
