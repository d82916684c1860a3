/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "header.h"

#include "walk.h"

/* How far above the newest version that we know a version is still taken for a Kafka version and not for noise. */
#define VERSION_HEADROOM 100

/* Client ids are names; nobody has been seen to send longer ones. */
#define CLIENT_ID_MAX 512

enum kafka_status kafka_read_request_header(struct kafka_cursor *cursor, struct kafka_request_header *header)
{
    enum kafka_status status = kafka_need(cursor, KAFKA_REQUEST_FIXED_SIZE);
    if (status != KAFKA_OK) {
        return status;
    }
    const uint8_t *p = cursor->data + cursor->offset;
    header->api_key = (int16_t)kafka_load16(p);
    header->api_version = (int16_t)kafka_load16(p + 2);
    header->correlation_id = (int32_t)kafka_load32(p + 4);
    header->api = kafka_api_find(header->api_key);
    header->known_version = header->api_version;
    if (header->api != NULL) {
        header->known_version = kafka_known_version(header->api->request, header->api_version);
    }
    cursor->offset += KAFKA_REQUEST_FIXED_SIZE;
    return KAFKA_OK;
}

int16_t kafka_known_version(const struct kafka_message *message, int16_t version)
{
    if (version < message->versions.first) {
        return message->versions.first;
    }
    if (version > message->versions.last) {
        return message->versions.last;
    }
    return version;
}

uint8_t kafka_request_header_version(const struct kafka_api *api, int16_t version)
{
    /* The one request that was defined before headers had a client id. */
    if (api->key == KAFKA_API_CONTROLLED_SHUTDOWN && version == 0) {
        return 0;
    }
    return kafka_versions_has(api->request->flexible, version) ? 2 : 1;
}

uint8_t kafka_response_header_version(const struct kafka_api *api, int16_t version)
{
    /* A client that asks in a version unknown to the broker must be able to read the answer (KIP-511). */
    if (api->key == KAFKA_API_API_VERSIONS) {
        return 0;
    }
    return kafka_versions_has(api->response->flexible, version) ? 1 : 0;
}

int16_t kafka_response_body_version(const struct kafka_cursor *cursor, const struct kafka_api *api, int16_t version)
{
    if (version == 0) {
        return 0;
    }
    bool refused = api->key == KAFKA_API_API_VERSIONS && kafka_need(cursor, 2) == KAFKA_OK &&
                   kafka_load16(cursor->data + cursor->offset) == KAFKA_ERROR_UNSUPPORTED_VERSION;
    bool may_be_short = version == 1 && kafka_check_fit(cursor, api->response, version) == KAFKA_WALK_MALFORMED;

    if ((refused || may_be_short) && kafka_check_fit(cursor, api->response, 0) != KAFKA_WALK_MALFORMED) {
        return 0;
    }
    return version;
}

bool kafka_has_request_header(const struct kafka_cursor *cursor)
{
    struct kafka_cursor at = *cursor;
    struct kafka_request_header header;
    int32_t length;
    enum kafka_status status = kafka_read_request_header(&at, &header);

    if (status == KAFKA_OK) {
        status = kafka_read_length16(&at, true, &length);
    }
    return status == KAFKA_OK ? length <= 0 || kafka_need(&at, (size_t)length) != KAFKA_CUT : status != KAFKA_CUT;
}

/* Returns whether a client id of at least that many bytes begins at the cursor, of text as far as the capture goes. */
static bool has_plausible_client_id(const struct kafka_cursor *cursor, int32_t least)
{
    struct kafka_cursor at = *cursor;
    int32_t length;

    if (kafka_read_length16(&at, true, &length) != KAFKA_OK || length > CLIENT_ID_MAX ||
        (length > 0 && (size_t)length > kafka_remaining(&at)) || (least > 0 && length < least)) {
        return false;
    }
    for (int32_t i = 0; i < length && at.offset + (size_t)i < at.captured; i++) {
        uint8_t byte = at.data[at.offset + (size_t)i];
        if (byte < 0x20 || byte == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool is_plausible_version(const struct kafka_api *api, int16_t version)
{
    return version >= 0 && version <= api->request->versions.last + VERSION_HEADROOM;
}

/* The same of a header that is cut in its fixed part. */
static bool may_begin_fixed_part(const struct kafka_cursor *cursor)
{
    size_t there = cursor->captured > cursor->offset ? cursor->captured - cursor->offset : 0;
    const uint8_t *p = cursor->data + cursor->offset;
    if (there < 2) {
        return there == 0 || p[0] == 0;
    }
    const struct kafka_api *api = kafka_api_find((int16_t)kafka_load16(p));
    return api != NULL && (there < 4 || is_plausible_version(api, (int16_t)kafka_load16(p + 2)));
}

/* No request is shorter than this: what follows the fixed part is the length of a client id, or a body. */
static bool is_cut_in_fixed_part(const struct kafka_cursor *cursor)
{
    return kafka_need(cursor, KAFKA_REQUEST_FIXED_SIZE + 2) == KAFKA_CUT;
}

bool kafka_may_begin_request(const struct kafka_cursor *cursor)
{
    return is_cut_in_fixed_part(cursor) ? may_begin_fixed_part(cursor) : kafka_is_plausible_request(cursor);
}

bool kafka_can_be_request(const struct kafka_cursor *cursor)
{
    struct kafka_cursor at = *cursor;
    struct kafka_request_header header;
    int32_t length;

    if (is_cut_in_fixed_part(cursor)) {
        return may_begin_fixed_part(cursor);
    }
    if (kafka_read_request_header(&at, &header) != KAFKA_OK || header.api == NULL ||
        !is_plausible_version(header.api, header.api_version)) {
        return false;
    }
    return kafka_request_header_version(header.api, header.known_version) == 0 ||
           (kafka_read_length16(&at, true, &length) == KAFKA_OK &&
            (length < 0 || (size_t)length <= kafka_remaining(&at)));
}

bool kafka_is_plausible_request(const struct kafka_cursor *cursor)
{
    struct kafka_cursor at = *cursor;
    struct kafka_request_header header;

    if (kafka_read_request_header(&at, &header) != KAFKA_OK || header.api == NULL ||
        !is_plausible_version(header.api, header.api_version)) {
        return false;
    }
    if (kafka_request_header_version(header.api, header.known_version) == 0) {
        return true;
    }
    return has_plausible_client_id(&at, 0);
}

bool kafka_has_request_shape(const struct kafka_cursor *cursor)
{
    struct kafka_cursor at = *cursor;
    struct kafka_request_header header;

    if (kafka_read_request_header(&at, &header) != KAFKA_OK || header.api_version < 0 ||
        header.api_version > VERSION_HEADROOM || header.correlation_id < 0) {
        return false;
    }
    return has_plausible_client_id(&at, 1);
}

int16_t kafka_produce_acks(const struct kafka_cursor *cursor, int16_t version)
{
    const struct kafka_message *produce = kafka_apis[KAFKA_API_PRODUCE].request;
    struct kafka_cursor at = *cursor;
    int16_t acks = 1;
    int32_t length;

    /* From version 3 on the transactional id stands before the acks (KIP-98). */
    if (version >= 3) {
        enum kafka_status status = kafka_versions_has(produce->flexible, version)
                                       ? kafka_read_length_compact(&at, true, &length)
                                       : kafka_read_length16(&at, true, &length);
        if (status != KAFKA_OK || (length > 0 && kafka_need(&at, (size_t)length) != KAFKA_OK)) {
            return acks;
        }
        at.offset += length > 0 ? (size_t)length : 0;
    }
    (void)kafka_read_int16(&at, &acks);
    return acks;
}
