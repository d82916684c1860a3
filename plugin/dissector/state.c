/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "state.h"

#include "../wire/body.h"
#include "topic_ids.h"

/* Versions that a set of versions has room for; no API has more. */
#define VERSIONS 64

/* In which versions of a message there is something to learn: bit n stands for version n. */
struct interest {
    uint64_t requests;
    uint64_t responses;
};

static struct interest *interests;

static uint64_t interesting_versions(const struct kafka_message *message)
{
    uint64_t versions = 0;

    for (int version = message->versions.first; version <= message->versions.last && version < VERSIONS; version++) {
        if (kafka_message_names_topics(message, (int16_t)version)) {
            versions |= UINT64_C(1) << version;
        }
    }
    return versions;
}

void kafka_state_handoff(void)
{
    interests = wmem_alloc_array(wmem_epan_scope(), struct interest, kafka_api_count);
    for (size_t i = 0; i < kafka_api_count; i++) {
        interests[i].requests = interesting_versions(kafka_apis[i].request);
        interests[i].responses = interesting_versions(kafka_apis[i].response);
    }
}

static bool is_interesting(uint64_t versions, int16_t version)
{
    return version >= 0 && version < VERSIONS && (versions >> version & 1) != 0;
}

void kafka_state_learn(struct kafka_connection *connection _U_, packet_info *pinfo, struct kafka_pdu *pdu,
                       const struct kafka_cursor *frame)
{
    const struct kafka_exchange *exchange = pdu->exchange;
    bool is_request = pdu->kind == KAFKA_PDU_REQUEST;
    struct kafka_body body;

    /* A request whose header is not there has no exchange either. */
    const struct kafka_api *api = exchange != NULL ? kafka_api_find(exchange->api_key) : NULL;
    if (api == NULL || (!is_request && pdu->kind != KAFKA_PDU_RESPONSE)) {
        return;
    }
    const struct interest *interest = &interests[exchange->api_key];
    if (!is_interesting(is_request ? interest->requests : interest->responses, exchange->api_version)) {
        return;
    }
    bool is_found = is_request ? kafka_find_request_body(frame, &body)
                               : kafka_find_response_body(frame, api, exchange->api_version, &body);
    if (is_found) {
        kafka_topic_ids_learn(&body, pinfo->num);
    }
}
