/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What messages, as in fuzz_body.c, and people say of topic ids. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "wire/header.h"
#include "wire/topic_names.h"

static void take_naming(void *context, const struct kafka_topic_naming *naming)
{
    const struct kafka_body *body = context;
    const uint8_t *end = body->cursor.data + body->cursor.captured;

    REQUIRE(naming->id >= body->cursor.data && naming->id + KAFKA_UUID_SIZE <= end);
    REQUIRE((const uint8_t *)naming->name >= body->cursor.data);
    REQUIRE((const uint8_t *)naming->name + naming->name_length <= end);
    REQUIRE(kafka_may_be_topic_name(naming->name, naming->name_length) && !kafka_topic_id_is_reserved(naming->id));
    REQUIRE(kafka_message_names_topics(body->message, body->version));
}

/* What is read as an id is the same when it is written otherwise. */
static void check_text(const uint8_t *data, size_t size)
{
    uint8_t uuid[KAFKA_UUID_SIZE];
    uint8_t again[KAFKA_UUID_SIZE];
    char text[64];
    char hex[2 * KAFKA_UUID_SIZE + 1];

    if (size >= sizeof text) {
        return;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (kafka_uuid_parse(text, uuid)) {
        for (size_t i = 0; i < KAFKA_UUID_SIZE; i++) {
            (void)snprintf(hex + 2 * i, 3, "%02x", uuid[i]);
        }
        REQUIRE(kafka_uuid_parse(hex, again) && memcmp(uuid, again, sizeof uuid) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor frame;
    struct kafka_body body;

    check_text(data, size);
    if (size < 3 || !open_input(data + 3, size - 3, &frame)) {
        return 0;
    }
    if (kafka_find_request_body(&frame, &body)) {
        kafka_find_topic_names(&body, take_naming, &body);
    }
    const struct kafka_api *api = kafka_api_find((int16_t)kafka_load16(data));
    if (api != NULL && kafka_find_response_body(&frame, api, (int8_t)data[2], &body)) {
        kafka_find_topic_names(&body, take_naming, &body);
    }
    return 0;
}
