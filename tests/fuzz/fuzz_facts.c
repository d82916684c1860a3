/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of requests, and of responses: the first three bytes are the API key and version of their request. */
#include "fuzz.h"
#include "wire/facts.h"

static void touch_facts(const struct kafka_cursor *frame, const struct kafka_facts *facts)
{
    touch_span(frame->data, &facts->group_id, frame->captured);
    touch_span(frame->data, &facts->protocol_type, frame->captured);
    touch_span(frame->data, &facts->protocol_name, frame->captured);
    touch_span(frame->data, &facts->sasl_mechanism, frame->captured);
    REQUIRE(facts->sasl_bytes.is_null || facts->sasl_bytes.offset + facts->sasl_bytes.length <= frame->limit);
    REQUIRE(facts->envelope_request.is_null ||
            facts->envelope_request.offset + facts->envelope_request.length <= frame->limit);
    REQUIRE(facts->has_error || facts->error == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor frame;
    struct kafka_facts facts;
    struct kafka_body body;

    if (size < 3 || !open_input(data + 3, size - 3, &frame)) {
        return 0;
    }
    if (kafka_find_request_body(&frame, &body)) {
        kafka_facts_read(&body, &facts);
        touch_facts(&frame, &facts);
    }
    const struct kafka_api *api = kafka_api_find((int16_t)kafka_load16(data));
    if (api != NULL && kafka_find_response_body(&frame, api, (int8_t)data[2], &body)) {
        kafka_facts_read(&body, &facts);
        touch_facts(&frame, &facts);
    }
    return 0;
}
