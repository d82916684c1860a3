/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "body.h"

#include "fit.h"
#include "header.h"
#include "walk.h"

static bool skip_client_id(struct kafka_cursor *cursor)
{
    int32_t length;

    if (kafka_read_length16(cursor, true, &length) != KAFKA_OK ||
        (length > 0 && kafka_need(cursor, (size_t)length) != KAFKA_OK)) {
        return false;
    }
    cursor->offset += length > 0 ? (size_t)length : 0;
    return true;
}

/* Most headers have no tags: one zero byte says so. */
static bool skip_tags(struct kafka_cursor *cursor)
{
    return kafka_pass_no_tags(cursor) ||
           kafka_walk_header_tags(cursor, &kafka_visit_nothing, NULL) == KAFKA_WALK_COMPLETE;
}

bool kafka_find_request_body(const struct kafka_cursor *frame, struct kafka_body *body)
{
    struct kafka_request_header header;

    body->cursor = *frame;
    if (kafka_read_request_header(&body->cursor, &header) != KAFKA_OK || header.api == NULL ||
        header.known_version != header.api_version) {
        return false;
    }
    uint8_t header_version = kafka_request_header_version(header.api, header.api_version);
    if ((header_version >= 1 && !skip_client_id(&body->cursor)) || (header_version == 2 && !skip_tags(&body->cursor))) {
        return false;
    }
    body->version = header.api_version;
    body->message = kafka_fit_layout(&body->cursor, header.api->request, body->version);
    return true;
}

bool kafka_find_response_body(const struct kafka_cursor *frame, const struct kafka_api *api, int16_t version,
                              struct kafka_body *body)
{
    body->cursor = *frame;
    if (!kafka_versions_has(api->response->versions, version) ||
        kafka_need(&body->cursor, KAFKA_RESPONSE_FIXED_SIZE) != KAFKA_OK) {
        return false;
    }
    body->cursor.offset += KAFKA_RESPONSE_FIXED_SIZE;
    if (kafka_response_header_version(api, version) == 1 && !skip_tags(&body->cursor)) {
        return false;
    }
    body->version = kafka_response_body_version(&body->cursor, api, version);
    body->message = kafka_fit_layout(&body->cursor, api->response, body->version);
    return true;
}
