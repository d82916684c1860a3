/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The body of a message of any API and version. The first byte chooses the API (or a message that is none), the second
 * its version and, in the upper bits, what of it; the rest is as open_input has it.
 */
#include "fuzz.h"

#include <string.h>

#define WATCH(condition) REQUIRE(condition)
#include "../unit/watch.h"

#define IS_RESPONSE     0x80
#define IS_VARIANT      0x40
#define IS_HEADER       0x20
#define VERSION         0x1f
#define SELECTION_BYTES 2

static const struct kafka_message *choose_message(uint8_t api, uint8_t what)
{
    size_t chosen = api % (kafka_api_count + kafka_data_message_count);

    if (chosen >= kafka_api_count) {
        return &kafka_data_messages[chosen - kafka_api_count];
    }
    const struct kafka_message *message =
        (what & IS_RESPONSE) != 0 ? kafka_apis[chosen].response : kafka_apis[chosen].request;
    return (what & IS_VARIANT) != 0 && message->variant != NULL ? message->variant : message;
}

/* The cursor's bytes in memory that ends with what was captured. */
static uint8_t *copy_captured(struct kafka_cursor *cursor)
{
    uint8_t *copy = malloc(cursor->captured > 0 ? cursor->captured : 1);

    REQUIRE(copy != NULL);
    memcpy(copy, cursor->data, cursor->captured);
    cursor->data = copy;
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor cursor;
    struct watch watch;

    if (size < SELECTION_BYTES || !open_input(data + SELECTION_BYTES, size - SELECTION_BYTES, &cursor)) {
        return 0;
    }
    const struct kafka_message *message = choose_message(data[0], data[1]);
    int16_t version = (int16_t)(data[1] & VERSION);
    uint8_t *copy = copy_captured(&cursor);

    if ((data[1] & IS_HEADER) != 0) {
        watch_start(&watch, &cursor, true);
        enum kafka_walk_result result = kafka_walk_header_tags(&cursor, &watch_visitor, &watch);
        /* Behind the tags of a header there is more. */
        REQUIRE((result == KAFKA_WALK_COMPLETE) == (watch.problems == 0));
        REQUIRE((result == KAFKA_WALK_CUT) == (watch.cut && !watch.faulty));
        REQUIRE(watch.depth == 0 && watch.position <= cursor.captured);
    }
    enum kafka_walk_result fit = kafka_check_fit(&cursor, message, version);
    watch_start(&watch, &cursor, kafka_versions_has(message->flexible, version));
    enum kafka_walk_result result = kafka_walk(&cursor, message, version, &watch_visitor, &watch);
    watch_finish(&watch, result);
    REQUIRE(result == fit);
    fuzz_sink = watch.sum;
    free(copy);
    return 0;
}
