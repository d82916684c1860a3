/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the fields of messages stand: body behind the header, topic and partition around each field; session epochs. */
#include "builder.h"

#include <stdio.h>

#include "wire/places.h"
#include "wire/session.h"

#define PRODUCE      0
#define FETCH        1
#define API_VERSIONS 18

/* A Fetch request of version 7 about "a" 3 and 4, "b" 5, without "c" 6. */
static void put_fetch(struct builder *builder)
{
    static const char names[] = "ab";

    put16(builder, FETCH);
    put16(builder, 7);
    put32(builder, 99);
    put16(builder, 2);
    put_bytes(builder, "id", 2);
    put32(builder, -1);
    put32(builder, 500);
    put32(builder, 1);
    put32(builder, 1000);
    put8(builder, 0);
    put32(builder, 77);
    put32(builder, 2);
    put32(builder, 2);
    for (int topic = 0; topic < 2; topic++) {
        put16(builder, 1);
        put_bytes(builder, names + topic, 1);
        put32(builder, 2 - topic);
        for (int partition = 0; partition < 2 - topic; partition++) {
            put32(builder, 3 + 2 * topic + partition);
            put64(builder, 1000 + partition);
            put64(builder, -1);
            put32(builder, 1 << 20);
        }
    }
    put32(builder, 1);
    put16(builder, 1);
    put_bytes(builder, "c", 1);
    put32(builder, 1);
    put32(builder, 6);
}

struct seen {
    const struct kafka_field *offset;
    const struct kafka_field *forgotten;
    char text[100];
};

static void take(void *context, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    struct seen *seen = context;

    if (leaf->field == seen->offset || leaf->field == seen->forgotten) {
        size_t used = strlen(seen->text);
        assert_int_equal(place->topic.length, 1);
        assert_false(place->topic.is_id);
        (void)snprintf(seen->text + used, sizeof seen->text - used, "%c%d:%d ", place->topic.bytes[0], place->partition,
                       (int)leaf->integer);
    }
}

static void test_places(void **state)
{
    static struct builder builder;
    const struct kafka_message *fetch = kafka_apis[FETCH].request;
    struct seen seen = {.offset = kafka_field_at(fetch, "Topics.Partitions.FetchOffset"),
                        .forgotten = kafka_field_at(fetch, "ForgottenTopicsData.Partitions")};
    struct kafka_body body;

    (void)state;
    put_fetch(&builder);
    struct kafka_cursor frame = {builder.data, 0, builder.size, builder.size};
    assert_non_null(seen.offset);
    assert_non_null(seen.forgotten);
    assert_true(kafka_find_request_body(&frame, &body));
    assert_ptr_equal(body.message, fetch);
    assert_int_equal(body.version, 7);
    assert_int_equal(body.cursor.offset, 12);
    assert_int_equal(kafka_walk_places(&body, NULL, take, &seen), KAFKA_WALK_COMPLETE);
    assert_string_equal(seen.text, "a3:1000 a4:1001 b5:1000 c6:6 ");
}

static bool wants_offsets(const struct kafka_field *field)
{
    return strcmp(field->name, "FetchOffset") == 0;
}

static void note_number(void *context, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    char *text = context;
    size_t used = strlen(text);

    (void)place;
    (void)snprintf(text + used, 300 - used, "%s ", leaf->field->name);
}

/* Numbers that nobody wants are passed over; what is behind them is read as before. */
static void test_only_what_is_wanted(void **state)
{
    static struct builder builder;
    struct kafka_body body;
    struct seen seen = {.offset = kafka_field_at(kafka_apis[FETCH].request, "Topics.Partitions.FetchOffset")};
    char told[300] = "";

    (void)state;
    put_fetch(&builder);
    struct kafka_cursor frame = {builder.data, 0, builder.size, builder.size};
    assert_true(kafka_find_request_body(&frame, &body));
    assert_int_equal(kafka_walk_places(&body, wants_offsets, take, &seen), KAFKA_WALK_COMPLETE);
    assert_string_equal(seen.text, "a3:1000 a4:1001 b5:1000 ");
    assert_int_equal(kafka_walk_places(&body, wants_offsets, note_number, told), KAFKA_WALK_COMPLETE);
    assert_string_equal(
        told, "Topic Partition FetchOffset Partition FetchOffset Topic Partition FetchOffset Topic Partitions ");
    /* A field that is not whole ends the walk as it does for those who want it. */
    for (size_t captured = 12; captured < builder.size; captured++) {
        frame = (struct kafka_cursor){builder.data, 0, builder.size, captured};
        assert_true(kafka_find_request_body(&frame, &body));
        assert_int_equal(kafka_walk_places(&body, wants_offsets, take, &seen), KAFKA_WALK_CUT);
        frame.limit = captured;
        assert_true(kafka_find_request_body(&frame, &body));
        assert_int_equal(kafka_walk_places(&body, wants_offsets, take, &seen), KAFKA_WALK_MALFORMED);
        seen.text[0] = '\0';
    }
}

static void test_request_that_is_cut(void **state)
{
    static struct builder builder;
    struct kafka_body body;

    (void)state;
    put_fetch(&builder);
    for (size_t captured = 0; captured < builder.size; captured++) {
        struct kafka_cursor frame = {builder.data, 0, builder.size, captured};
        struct seen seen = {.offset = kafka_field_at(kafka_apis[FETCH].request, "Topics.Partitions.FetchOffset")};
        assert_int_equal(kafka_find_request_body(&frame, &body), captured >= 12);
        if (captured >= 12) {
            assert_int_equal(kafka_walk_places(&body, NULL, take, &seen), KAFKA_WALK_CUT);
        }
        frame = (struct kafka_cursor){builder.data, 0, captured, captured};
        assert_int_equal(kafka_find_request_body(&frame, &body), captured >= 12);
    }
}

static void test_bodies_that_are_not_found(void **state)
{
    static struct builder builder;
    struct kafka_body body;

    (void)state;
    put_fetch(&builder);
    struct kafka_cursor frame = {builder.data, 0, builder.size, builder.size};
    assert_true(kafka_find_request_body(&frame, &body));
    builder.data[3] = 99;
    assert_false(kafka_find_request_body(&frame, &body));
    builder.data[3] = 7;
    builder.data[0] = 99;
    assert_false(kafka_find_request_body(&frame, &body));
}

static void test_response_bodies(void **state)
{
    static const uint8_t plain[] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    static const uint8_t tagged[] = {0, 0, 0, 1, 1, 5, 2, 8, 9, 0};
    struct kafka_cursor frame = {plain, 0, sizeof plain, sizeof plain};
    struct kafka_body body;

    (void)state;
    assert_true(kafka_find_response_body(&frame, &kafka_apis[FETCH], 11, &body));
    assert_int_equal(body.cursor.offset, 4);
    assert_true(kafka_find_response_body(&frame, &kafka_apis[FETCH], 12, &body));
    assert_int_equal(body.cursor.offset, 5);
    assert_true(kafka_find_response_body(&frame, &kafka_apis[API_VERSIONS], 3, &body));
    assert_int_equal(body.cursor.offset, 4);
    assert_false(kafka_find_response_body(&frame, &kafka_apis[FETCH], 999, &body));
    frame.data = tagged;
    assert_true(kafka_find_response_body(&frame, &kafka_apis[FETCH], 12, &body));
    assert_int_equal(body.cursor.offset, 9);
    for (size_t limit = 0; limit < 9; limit++) {
        frame.limit = frame.captured = limit;
        assert_false(kafka_find_response_body(&frame, &kafka_apis[FETCH], 12, &body));
    }
}

static void test_fields_by_path(void **state)
{
    const struct kafka_message *fetch = kafka_apis[FETCH].request;

    (void)state;
    assert_string_equal(kafka_field_at(fetch, "MaxWaitMs")->name, "MaxWaitMs");
    assert_string_equal(kafka_field_at(fetch, "Topics")->name, "Topics");
    assert_null(kafka_field_at(fetch, "Topic"));
    assert_null(kafka_field_at(fetch, "Topics.Nothing"));
    assert_null(kafka_field_at(fetch, "MaxWaitMs.Nothing"));
    assert_null(kafka_field_at(fetch, ""));
}

static void test_session_epochs(void **state)
{
    (void)state;
    assert_false(kafka_session_is_incremental(KAFKA_SESSION_EPOCH_FIRST));
    assert_false(kafka_session_is_incremental(KAFKA_SESSION_EPOCH_FINAL));
    assert_true(kafka_session_is_incremental(1));
    assert_int_equal(kafka_session_next_epoch(0), 1);
    assert_int_equal(kafka_session_next_epoch(41), 42);
    assert_int_equal(kafka_session_next_epoch(INT32_MAX), 1);
    assert_true(kafka_session_is_lost(70));
    assert_true(kafka_session_is_lost(123));
    assert_false(kafka_session_is_lost(0));
    assert_false(kafka_session_is_lost(72));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_only_what_is_wanted),
        cmocka_unit_test(test_request_that_is_cut),
        cmocka_unit_test(test_bodies_that_are_not_found),
        cmocka_unit_test(test_response_bodies),
        cmocka_unit_test(test_fields_by_path),
        cmocka_unit_test(test_session_epochs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
