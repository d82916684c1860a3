/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "state.h"

#include "../wire/body.h"
#include "../wire/header.h"
#include "../wire/places.h"
#include "authentications.h"
#include "delays.h"
#include "groups.h"
#include "lag.h"
#include "nested.h"
#include "producers.h"
#include "sessions.h"
#include "topic_ids.h"
#include "topics.h"
#include "transactions.h"

#define FETCH             1
#define OFFSET_COMMIT     8
#define INIT_PRODUCER_ID  22
#define ADD_PARTITIONS    24
#define ADD_OFFSETS       25
#define END_TXN           26
#define WRITE_TXN_MARKERS 27
#define TXN_OFFSET_COMMIT 28
#define FETCH_SNAPSHOT    59
#define SHARE_FETCH       78
#define SHARE_ACKNOWLEDGE 79

/* Versions that a set of versions has room for; no API has more. */
#define VERSIONS 64

/* What there is to learn from a message. */
enum lesson {
    NOTHING,
    TOPIC_NAMES,
    PRODUCED,
    PRODUCED_ANSWER,
    FETCHING,
    FETCHED,
    COMMITTED,
    SHARE_FETCHING,
    SHARE_FETCHED,
    TRANSACTION,
    TRANSACTION_BEGUN,
    TRANSACTION_ENDED,
    GROUP,
    FORWARDED,
    FORWARDED_ANSWER,
    SNAPSHOT,
};

/* Of one API; bit n of the versions stands for version n. */
struct lessons {
    uint8_t of_request;
    uint8_t of_response;
    uint64_t requests_naming_topics;
    uint64_t responses_naming_topics;
};

static struct lessons *lessons;

static uint64_t versions_naming_topics(const struct kafka_message *message)
{
    uint64_t versions = 0;

    for (int version = message->versions.first; version <= message->versions.last && version < VERSIONS; version++) {
        if (kafka_message_names_topics(message, (int16_t)version)) {
            versions |= UINT64_C(1) << version;
        }
    }
    return versions;
}

void kafka_state_register(int proto)
{
    kafka_topics_register();
    kafka_topic_ids_register(proto);
    kafka_sessions_register(proto);
    kafka_producers_register(proto);
    kafka_lag_register();
    kafka_delays_register(proto);
    kafka_transactions_register();
    lessons = wmem_alloc0_array(wmem_epan_scope(), struct lessons, kafka_api_count);
    for (size_t i = 0; i < kafka_api_count; i++) {
        lessons[i].requests_naming_topics = versions_naming_topics(kafka_apis[i].request);
        lessons[i].responses_naming_topics = versions_naming_topics(kafka_apis[i].response);
        lessons[i].of_request = lessons[i].requests_naming_topics != 0 ? TOPIC_NAMES : NOTHING;
        lessons[i].of_response = lessons[i].responses_naming_topics != 0 ? TOPIC_NAMES : NOTHING;
    }
    lessons[KAFKA_API_PRODUCE].of_request = PRODUCED;
    lessons[KAFKA_API_PRODUCE].of_response = PRODUCED_ANSWER;
    lessons[FETCH].of_request = FETCHING;
    lessons[FETCH].of_response = FETCHED;
    lessons[OFFSET_COMMIT].of_request = COMMITTED;
    lessons[TXN_OFFSET_COMMIT].of_request = COMMITTED;
    lessons[INIT_PRODUCER_ID].of_request = TRANSACTION;
    lessons[INIT_PRODUCER_ID].of_response = TRANSACTION_BEGUN;
    lessons[ADD_PARTITIONS].of_request = TRANSACTION;
    lessons[ADD_OFFSETS].of_request = TRANSACTION;
    lessons[END_TXN].of_request = TRANSACTION;
    lessons[END_TXN].of_response = TRANSACTION_ENDED;
    lessons[WRITE_TXN_MARKERS].of_request = TRANSACTION;
    lessons[SHARE_FETCH].of_request = SHARE_FETCHING;
    lessons[SHARE_FETCH].of_response = SHARE_FETCHED;
    lessons[SHARE_ACKNOWLEDGE].of_request = SHARE_FETCHING;
    lessons[SHARE_ACKNOWLEDGE].of_response = SHARE_FETCHED;
    lessons[KAFKA_API_JOIN_GROUP].of_request = GROUP;
    lessons[KAFKA_API_JOIN_GROUP].of_response = GROUP;
    lessons[KAFKA_API_SYNC_GROUP].of_request = GROUP;
    lessons[KAFKA_API_SYNC_GROUP].of_response = GROUP;
    lessons[KAFKA_API_ENVELOPE].of_request = FORWARDED;
    lessons[KAFKA_API_ENVELOPE].of_response = FORWARDED_ANSWER;
    lessons[FETCH_SNAPSHOT].of_response = SNAPSHOT;
}

struct kafka_state *kafka_state_of(struct kafka_exchange *exchange)
{
    if (exchange->state == NULL) {
        exchange->state = wmem_new0(wmem_file_scope(), struct kafka_state);
    }
    return exchange->state;
}

int kafka_compare_offsets(const void *a, const void *b)
{
    const size_t *one = a;
    const size_t *other = b;

    return (*one > *other) - (*one < *other);
}

/* Returns what there is to learn from a message of that API and version. */
static enum lesson lesson_of(const struct kafka_exchange *exchange, bool is_request)
{
    const struct lessons *found = &lessons[exchange->api_key];
    enum lesson lesson = is_request ? found->of_request : found->of_response;

    if (lesson == PRODUCED_ANSWER) {
        bool is_in_transaction = exchange->state != NULL && exchange->state->transactions != NULL;
        return is_in_transaction ? lesson : NOTHING;
    }
    if (lesson != TOPIC_NAMES) {
        return lesson;
    }
    uint64_t versions = is_request ? found->requests_naming_topics : found->responses_naming_topics;
    bool is_naming =
        exchange->api_version >= 0 && exchange->api_version < VERSIONS && (versions >> exchange->api_version & 1) != 0;
    return is_naming ? TOPIC_NAMES : NOTHING;
}

static void learn(struct kafka_connection *connection, packet_info *pinfo, const struct kafka_pdu *pdu,
                  const struct kafka_cursor *frame, const struct kafka_body *body, enum lesson lesson)
{
    struct kafka_exchange *exchange = pdu->exchange;

    switch (lesson) {
    case NOTHING:
        break;
    case TOPIC_NAMES:
        kafka_topic_ids_learn(body, pinfo->num);
        break;
    case PRODUCED:
        kafka_producers_learn(pinfo, exchange, body, frame->offset - KAFKA_LENGTH_SIZE);
        break;
    case PRODUCED_ANSWER:
        kafka_transactions_learn_produced(exchange, body);
        break;
    case FETCHING:
    case SHARE_FETCHING:
        kafka_sessions_learn_request(connection, pinfo, exchange, body);
        break;
    case FETCHED: {
        struct kafka_fetch_outcome outcome =
            kafka_lag_learn_fetch(pinfo, exchange, body, frame->offset - KAFKA_LENGTH_SIZE);
        kafka_sessions_learn_response(connection, exchange, outcome.error, outcome.session_id);
        break;
    }
    case SHARE_FETCHED:
        kafka_sessions_learn_response(connection, exchange, kafka_sessions_share_error(body), 0);
        break;
    case COMMITTED:
        kafka_lag_learn_commit(pinfo, exchange, body);
        if (exchange->api_key == TXN_OFFSET_COMMIT) {
            kafka_transactions_learn_request(pinfo, exchange, body);
        }
        break;
    case TRANSACTION:
        kafka_transactions_learn_request(pinfo, exchange, body);
        break;
    case TRANSACTION_BEGUN:
        kafka_transactions_learn_init(pinfo, exchange, body);
        break;
    case TRANSACTION_ENDED:
        kafka_transactions_learn_end(pinfo, exchange, body);
        break;
    case GROUP:
        kafka_groups_learn(connection, exchange, pdu->kind == KAFKA_PDU_REQUEST, body);
        break;
    case FORWARDED:
        kafka_nested_learn_envelope(exchange, body);
        break;
    case FORWARDED_ANSWER: {
        struct kafka_body inner;
        if (kafka_nested_find_answer(exchange, body, &inner)) {
            kafka_topic_ids_learn(&inner, pinfo->num);
        }
        break;
    }
    case SNAPSHOT:
        kafka_topic_ids_learn_snapshot(body, pinfo->num);
        break;
    }
}

void kafka_state_learn(struct kafka_connection *connection, packet_info *pinfo, struct kafka_pdu *pdu,
                       const struct kafka_cursor *frame)
{
    const struct kafka_exchange *exchange = pdu->exchange;
    bool is_request = pdu->kind == KAFKA_PDU_REQUEST;
    struct kafka_body body;

    if (pdu->kind == KAFKA_PDU_SASL_TOKEN) {
        kafka_authentications_learn(connection, pinfo, pdu, frame, NULL);
        return;
    }
    /* A request whose header is not there has no exchange either. */
    const struct kafka_api *api = exchange != NULL ? kafka_api_find(exchange->api_key) : NULL;
    if (api == NULL || (!is_request && pdu->kind != KAFKA_PDU_RESPONSE)) {
        return;
    }
    bool is_sasl = api->key == KAFKA_API_SASL_HANDSHAKE || api->key == KAFKA_API_SASL_AUTHENTICATE;
    enum lesson lesson = lesson_of(exchange, is_request);
    if (lesson == NOTHING && !is_sasl) {
        return;
    }
    bool is_found = is_request ? kafka_find_request_body(frame, &body)
                               : kafka_find_response_body(frame, api, exchange->api_version, &body);
    if (is_sasl) {
        /* Also where the version is not known: what follows belongs to it. */
        kafka_authentications_learn(connection, pinfo, pdu, frame, is_found ? &body : NULL);
    } else if (is_found) {
        learn(connection, pinfo, pdu, frame, &body, lesson);
    }
}
