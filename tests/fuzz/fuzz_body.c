/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where bodies begin: the first three bytes are the API key and version of the request that a response belongs to. */
#include "fuzz.h"
#include "wire/body.h"
#include "wire/header.h"
#include "wire/walk.h"

/* Whatever is found is inside the frame, behind the part that every header has, and can be walked. */
static void check_body(const struct kafka_cursor *frame, const struct kafka_body *body, size_t fixed_size)
{
    struct kafka_cursor cursor = body->cursor;

    REQUIRE(cursor.data == frame->data && cursor.limit == frame->limit && cursor.captured == frame->captured);
    REQUIRE(cursor.offset >= fixed_size && cursor.offset <= cursor.limit && cursor.offset <= cursor.captured);
    REQUIRE(body->message != NULL && kafka_versions_has(body->message->versions, body->version));
    enum kafka_walk_result result = kafka_walk(&cursor, body->message, body->version, &kafka_visit_nothing, NULL);
    REQUIRE(cursor.offset >= body->cursor.offset && cursor.offset <= cursor.limit);
    REQUIRE(result != KAFKA_WALK_COMPLETE || cursor.offset == cursor.limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor frame;
    struct kafka_body body;

    if (size < 3 || !open_input(data + 3, size - 3, &frame)) {
        return 0;
    }
    if (kafka_find_request_body(&frame, &body)) {
        check_body(&frame, &body, KAFKA_REQUEST_FIXED_SIZE);
        REQUIRE(body.version == (int16_t)kafka_load16(frame.data + 2));
    }
    const struct kafka_api *api = kafka_api_find((int16_t)kafka_load16(data));
    if (api != NULL && kafka_find_response_body(&frame, api, (int8_t)data[2], &body)) {
        check_body(&frame, &body, KAFKA_RESPONSE_FIXED_SIZE);
    }
    return 0;
}
