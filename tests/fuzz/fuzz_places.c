/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics and partitions around the fields of requests, and of responses as in fuzz_body.c. */
#include "fuzz.h"
#include "wire/header.h"
#include "wire/places.h"
#include "wire/topic_names.h"

struct seen {
    const struct kafka_cursor *frame;
    size_t leaves;
};

static void take_placed(void *context, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    struct seen *seen = context;
    const struct kafka_cursor *frame = seen->frame;

    seen->leaves++;
    REQUIRE(leaf->field->type == KAFKA_TYPE_RECORDS || leaf->value.offset + leaf->value.length <= frame->captured);
    if (place->topic.bytes == NULL) {
        REQUIRE(place->topic.length == 0);
        return;
    }
    REQUIRE(place->topic.bytes >= frame->data);
    struct kafka_span topic = {(size_t)(place->topic.bytes - frame->data), place->topic.length, false};
    touch_span(frame->data, &topic, frame->captured);
    REQUIRE(topic.length > 0 && (!place->topic.is_id || topic.length == KAFKA_UUID_SIZE));
    REQUIRE(leaf->field->meaning != KAFKA_MEANING_PARTITION || place->partition == (int32_t)leaf->integer);
}

static void count_leaf(void *context, const struct kafka_leaf *leaf)
{
    struct seen *seen = context;

    if (leaf->field->type == KAFKA_TYPE_RECORDS || leaf->value.offset + leaf->value.length <= seen->frame->captured) {
        seen->leaves++;
    }
}

/* Each leaf is told once, and the walk ends as any other does. */
static void check_places(const struct kafka_cursor *frame, const struct kafka_body *body)
{
    struct seen placed = {.frame = frame};
    struct seen counted = {.frame = frame};
    struct kafka_visitor visitor = kafka_visit_nothing;
    struct kafka_cursor cursor = body->cursor;

    visitor.leaf = count_leaf;
    enum kafka_walk_result result = kafka_walk_places(body, NULL, take_placed, &placed);
    REQUIRE(kafka_walk(&cursor, body->message, body->version, &visitor, &counted) == result);
    REQUIRE(placed.leaves == counted.leaves);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor frame;
    struct kafka_body body;

    if (size < 3 || !open_input(data + 3, size - 3, &frame)) {
        return 0;
    }
    if (kafka_find_request_body(&frame, &body)) {
        check_places(&frame, &body);
    }
    const struct kafka_api *api = kafka_api_find((int16_t)kafka_load16(data));
    if (api != NULL && kafka_find_response_body(&frame, api, (int8_t)data[2], &body)) {
        check_places(&frame, &body);
    }
    return 0;
}
