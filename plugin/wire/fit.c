/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fit.h"

#include "header.h"
#include "plausible.h"
#include "text_kind.h"
#include "walk.h"

const struct kafka_message *kafka_fit_layout(const struct kafka_cursor *body, const struct kafka_message *message,
                                             int16_t version)
{
    if (message->variant == NULL || kafka_check_fit(body, message, version) != KAFKA_WALK_MALFORMED) {
        return message;
    }
    for (const struct kafka_message *variant = message->variant; variant != NULL; variant = variant->variant) {
        if (kafka_versions_has(variant->versions, version) &&
            kafka_check_fit(body, variant, version) != KAFKA_WALK_MALFORMED) {
            return variant;
        }
    }
    return message;
}

/* Checks a body: kafka_check_fit, or what asks more of it. */
typedef enum kafka_walk_result (*check_body)(const struct kafka_cursor *body, const struct kafka_message *message,
                                             int16_t version);

static enum kafka_walk_result check_request(const struct kafka_cursor *body, const struct kafka_message *message,
                                            int16_t version)
{
    return kafka_read_plausibly(body, message, version, true).result;
}

static enum kafka_walk_result check_response(const struct kafka_cursor *body, const struct kafka_message *message,
                                             int16_t version)
{
    return kafka_read_plausibly(body, message, version, false).result;
}

static enum kafka_fit fit_body(const struct kafka_cursor *body, const struct kafka_message *message, int16_t version,
                               check_body check)
{
    switch (check(body, kafka_fit_layout(body, message, version), version)) {
    case KAFKA_WALK_COMPLETE:
        return KAFKA_FIT_WHOLE;
    case KAFKA_WALK_CUT:
        return KAFKA_FIT_SO_FAR;
    case KAFKA_WALK_MALFORMED:
        break;
    }
    return KAFKA_FIT_NONE;
}

/* Moves behind the client id and, in header version 2, the tag section; false when they are not whole. */
static bool skip_rest_of_header(struct kafka_cursor *cursor, uint8_t header_version)
{
    int32_t length;

    if (header_version == 0) {
        return true;
    }
    if (kafka_read_length16(cursor, true, &length) != KAFKA_OK) {
        return false;
    }
    if (length > 0) {
        if (kafka_need(cursor, (size_t)length) != KAFKA_OK) {
            return false;
        }
        cursor->offset += (size_t)length;
    }
    return header_version == 1 || kafka_walk_header_tags(cursor, &kafka_visit_nothing, NULL) == KAFKA_WALK_COMPLETE;
}

static enum kafka_fit fit_request(const struct kafka_cursor *frame, check_body check)
{
    struct kafka_cursor at = *frame;
    struct kafka_request_header header;

    if (!kafka_may_begin_request(frame)) {
        return KAFKA_FIT_NONE;
    }
    if (kafka_read_request_header(&at, &header) != KAFKA_OK) {
        return KAFKA_FIT_BEGINNING;
    }
    if (!skip_rest_of_header(&at, kafka_request_header_version(header.api, header.known_version))) {
        return frame->captured < frame->limit ? KAFKA_FIT_BEGINNING : KAFKA_FIT_NONE;
    }
    if (!kafka_versions_has(header.api->request->versions, header.api_version)) {
        return KAFKA_FIT_HEADER;
    }
    return fit_body(&at, header.api->request, header.known_version, check);
}

enum kafka_fit kafka_fit_request(const struct kafka_cursor *frame)
{
    return fit_request(frame, kafka_check_fit);
}

enum kafka_fit kafka_fit_request_plausibly(const struct kafka_cursor *frame)
{
    return fit_request(frame, check_request);
}

bool kafka_request_is_named(const struct kafka_cursor *frame)
{
    struct kafka_cursor at = *frame;
    struct kafka_request_header header;
    int32_t length;

    return kafka_read_request_header(&at, &header) == KAFKA_OK && kafka_read_length16(&at, true, &length) == KAFKA_OK &&
           length > 0 && kafka_need(&at, (size_t)length) == KAFKA_OK &&
           kafka_is_text(at.data + at.offset, (size_t)length);
}

static enum kafka_fit fit_response(const struct kafka_cursor *frame, const struct kafka_api *api, int16_t version,
                                   check_body check)
{
    struct kafka_cursor at = *frame;
    int16_t known = kafka_known_version(api->response, version);

    enum kafka_status status = kafka_need(&at, KAFKA_RESPONSE_FIXED_SIZE);
    if (status != KAFKA_OK) {
        return status == KAFKA_CUT ? KAFKA_FIT_BEGINNING : KAFKA_FIT_NONE;
    }
    at.offset += KAFKA_RESPONSE_FIXED_SIZE;
    if (kafka_response_header_version(api, known) == 1) {
        enum kafka_walk_result tags = kafka_walk_header_tags(&at, &kafka_visit_nothing, NULL);
        if (tags != KAFKA_WALK_COMPLETE) {
            return tags == KAFKA_WALK_CUT ? KAFKA_FIT_BEGINNING : KAFKA_FIT_NONE;
        }
    }
    int16_t body_version = kafka_response_body_version(&at, api, known);
    if (known != version && body_version == known) {
        return KAFKA_FIT_HEADER;
    }
    return fit_body(&at, api->response, body_version, check);
}

enum kafka_fit kafka_fit_response(const struct kafka_cursor *frame, const struct kafka_api *api, int16_t version)
{
    return fit_response(frame, api, version, kafka_check_fit);
}

enum kafka_fit kafka_fit_response_plausibly(const struct kafka_cursor *frame, const struct kafka_api *api,
                                            int16_t version)
{
    return fit_response(frame, api, version, check_response);
}
