/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exact.h"

#include "wire/facts.h"

#define JOIN_GROUP        11
#define SYNC_GROUP        14
#define SASL_HANDSHAKE    17
#define SASL_AUTHENTICATE 36
#define ENVELOPE          58

static bool read_request(const struct kafka_cursor *frame, struct kafka_facts *facts)
{
    struct kafka_body body;

    *facts = (struct kafka_facts){.has_error = false};
    if (!kafka_find_request_body(frame, &body)) {
        return false;
    }
    kafka_facts_read(&body, facts);
    return true;
}

static bool read_response(const struct kafka_cursor *frame, int api_key, int16_t version, struct kafka_facts *facts)
{
    struct kafka_body body;

    *facts = (struct kafka_facts){.has_error = false};
    if (!kafka_find_response_body(frame, kafka_api_find(api_key), version, &body)) {
        return false;
    }
    kafka_facts_read(&body, facts);
    return true;
}

static void put_string(struct builder *builder, const char *text)
{
    put16(builder, text == NULL ? -1 : (int)strlen(text));
    if (text != NULL) {
        put_text(builder, text);
    }
}

static void put_compact(struct builder *builder, const char *text)
{
    put_uvarint(builder, text == NULL ? 0 : strlen(text) + 1);
    if (text != NULL) {
        put_text(builder, text);
    }
}

static void put_request_header(struct builder *builder, int api_key, int version)
{
    put16(builder, api_key);
    put16(builder, version);
    put32(builder, 7);
    put_string(builder, "client");
}

static void test_join_group(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_facts facts;

    (void)state;
    put_request_header(&builder, JOIN_GROUP, 0);
    put_string(&builder, "group");
    put32(&builder, 30000);
    put_string(&builder, "member");
    put_string(&builder, "consumer");
    put32(&builder, 1);
    put_string(&builder, "range");
    put32_text(&builder, "bytes");
    struct kafka_cursor cursor = open_exactly(&builder, builder.size);
    assert_true(read_request(&cursor, &facts));
    assert_span(cursor.data, &facts.group_id, "group");
    assert_span(cursor.data, &facts.protocol_type, "consumer");
    /* What a member could speak stands in an array, and is not what the group speaks. */
    assert_true(facts.protocol_name.is_null);
    assert_false(facts.has_error);
    close_exactly(&cursor);
}

static void test_join_group_response(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_facts facts;

    (void)state;
    put32(&builder, 7);
    put8(&builder, 0);
    put32(&builder, 0);
    put16(&builder, 27);
    put32(&builder, 5);
    put_compact(&builder, "consumer");
    put_compact(&builder, "sticky");
    put_compact(&builder, "leader");
    struct kafka_cursor cursor = open_exactly(&builder, builder.size);
    /* The rest is missing; what stands before it is found all the same. */
    assert_true(read_response(&cursor, JOIN_GROUP, 7, &facts));
    assert_span(cursor.data, &facts.protocol_type, "consumer");
    assert_span(cursor.data, &facts.protocol_name, "sticky");
    assert_true(facts.group_id.is_null);
    assert_true(facts.has_error);
    assert_int_equal(facts.error, 27);
    close_exactly(&cursor);
}

static void test_null_and_cut(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_facts facts;

    (void)state;
    put_request_header(&builder, SYNC_GROUP, 5);
    put8(&builder, 0);
    put_compact(&builder, "group");
    put32(&builder, 1);
    put_compact(&builder, "member");
    put_compact(&builder, NULL);
    put_compact(&builder, NULL);
    size_t before = builder.size;
    put_compact(&builder, "range");
    struct kafka_cursor cursor = open_exactly(&builder, before + 3);
    assert_true(read_request(&cursor, &facts));
    assert_span(cursor.data, &facts.group_id, "group");
    assert_true(facts.protocol_type.is_null);
    assert_true(facts.protocol_name.is_null);
    close_exactly(&cursor);
}

static void test_sasl(void **state)
{
    struct builder handshake = {.size = 0};
    struct builder authenticate = {.size = 0};
    struct builder response = {.size = 0};
    struct kafka_facts facts;

    (void)state;
    put_request_header(&handshake, SASL_HANDSHAKE, 1);
    put_string(&handshake, "PLAIN");
    struct kafka_cursor cursor = open_exactly(&handshake, handshake.size);
    assert_true(read_request(&cursor, &facts));
    assert_span(cursor.data, &facts.sasl_mechanism, "PLAIN");
    close_exactly(&cursor);

    put_request_header(&authenticate, SASL_AUTHENTICATE, 0);
    put32_text(&authenticate, "token");
    cursor = open_exactly(&authenticate, authenticate.size);
    assert_true(read_request(&cursor, &facts));
    assert_span(cursor.data, &facts.sasl_bytes, "token");
    close_exactly(&cursor);

    put32(&response, 7);
    put16(&response, 0);
    put_string(&response, NULL);
    put32(&response, 0);
    put64(&response, 3600000);
    cursor = open_exactly(&response, response.size);
    assert_true(read_response(&cursor, SASL_AUTHENTICATE, 1, &facts));
    assert_true(facts.has_error);
    assert_int_equal(facts.error, 0);
    assert_int_equal(facts.session_lifetime, 3600000);
    close_exactly(&cursor);
}

/* The mechanisms that a broker offers are none that is used. */
static void test_offered_mechanisms(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_facts facts;

    (void)state;
    put32(&builder, 7);
    put16(&builder, 0);
    put32(&builder, 1);
    put_string(&builder, "PLAIN");
    struct kafka_cursor cursor = open_exactly(&builder, builder.size);
    assert_true(read_response(&cursor, SASL_HANDSHAKE, 1, &facts));
    assert_true(facts.sasl_mechanism.is_null);
    close_exactly(&cursor);
}

static void test_envelope(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_facts facts;

    (void)state;
    put_request_header(&builder, ENVELOPE, 0);
    put8(&builder, 0);
    put_compact(&builder, "a whole request");
    size_t end = builder.size;
    put_compact(&builder, "principal");
    /* What is captured of it may be enough. */
    struct kafka_cursor cursor = open_exactly(&builder, end - 3);
    assert_true(read_request(&cursor, &facts));
    assert_int_equal(facts.envelope_request.length, 15);
    assert_int_equal(facts.envelope_request.offset, end - 15);
    close_exactly(&cursor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join_group),         cmocka_unit_test(test_join_group_response),
        cmocka_unit_test(test_null_and_cut),       cmocka_unit_test(test_sasl),
        cmocka_unit_test(test_offered_mechanisms), cmocka_unit_test(test_envelope),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
