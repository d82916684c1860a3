/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bytes may be where nothing else tells: plausible values, and responses whose request nobody saw. */
#include "exact.h"

#include "wire/fit.h"
#include "wire/guess.h"
#include "wire/header.h"
#include "wire/plausible.h"

#define PRODUCE       0
#define FETCH         1
#define METADATA      3
#define HEARTBEAT     12
#define API_VERSIONS  18
#define MAX_GUESSES   64
#define MASK(version) (1U << (version))

static void put_string(struct builder *builder, const char *text)
{
    put16(builder, (int)strlen(text));
    put_text(builder, text);
}

static void put_request_header(struct builder *builder, int key, int version, const char *client)
{
    put16(builder, key);
    put16(builder, version);
    put32(builder, 7);
    put_string(builder, client);
}

/* Version 1: one broker, one topic with one partition. */
static void put_metadata_response(struct builder *builder, const char *topic, int error)
{
    put32(builder, 7);
    put32(builder, 1);
    put32(builder, 0);
    put_string(builder, "broker.example");
    put32(builder, 9092);
    put16(builder, -1);
    put32(builder, 0);
    put32(builder, 1);
    put16(builder, error);
    put_string(builder, topic);
    put8(builder, 0);
    put32(builder, 0);
}

static enum kafka_fit fit_of(const struct builder *builder, size_t captured, bool plausibly)
{
    struct kafka_cursor frame = open_exactly(builder, captured);
    enum kafka_fit fit = plausibly ? kafka_fit_request_plausibly(&frame) : kafka_fit_request(&frame);

    close_exactly(&frame);
    return fit;
}

static void test_plausible_request(void **state)
{
    struct builder request = {.size = 0};

    (void)state;
    put_request_header(&request, METADATA, 1, "client");
    put32(&request, 1);
    put_string(&request, "orders");
    assert_int_equal(fit_of(&request, request.size, true), KAFKA_FIT_WHOLE);
    assert_int_equal(fit_of(&request, request.size - 1, true), KAFKA_FIT_SO_FAR);
    request.data[request.size - 1] = 0x01;
    assert_int_equal(fit_of(&request, request.size, false), KAFKA_FIT_WHOLE);
    assert_int_equal(fit_of(&request, request.size, true), KAFKA_FIT_NONE);
}

static void test_implausible_acks(void **state)
{
    struct builder request = {.size = 0};

    (void)state;
    put_request_header(&request, PRODUCE, 0, "client");
    put16(&request, 2);
    put32(&request, 1500);
    put32(&request, 0);
    assert_int_equal(fit_of(&request, request.size, false), KAFKA_FIT_WHOLE);
    assert_int_equal(fit_of(&request, request.size, true), KAFKA_FIT_NONE);
}

static void test_named(void **state)
{
    static const struct {
        const char *client;
        size_t missing;
        bool is_named;
    } cases[] = {{"client", 0, true}, {"", 0, false}, {"cli\001ent", 0, false}, {"client", 1, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct builder request = {.size = 0};
        put_request_header(&request, API_VERSIONS, 0, cases[i].client);
        struct kafka_cursor frame = open_exactly(&request, request.size - cases[i].missing);
        assert_int_equal(kafka_request_is_named(&frame), cases[i].is_named);
        close_exactly(&frame);
    }
}

static bool is_certain(const struct builder *builder, size_t captured)
{
    struct kafka_cursor frame = open_exactly(builder, captured);
    bool certain = kafka_request_is_certain(&frame);

    close_exactly(&frame);
    return certain;
}

static void test_certain(void **state)
{
    static const struct {
        const char *client;
        int key;
        bool whole; /* is certain, */
        bool cut;   /* and is without its last byte */
    } cases[] = {{"client", METADATA, true, true},
                 {"", METADATA, true, false},
                 {"cli\001ent", METADATA, false, false},
                 {"client", PRODUCE, true, true},
                 {"", PRODUCE, false, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct builder request = {.size = 0};
        put_request_header(&request, cases[i].key, 1, cases[i].client);
        if (cases[i].key == PRODUCE) {
            put16(&request, 1);
            put32(&request, 1500);
            put32(&request, 0);
        } else {
            put32(&request, 1);
            put_string(&request, "orders");
        }
        assert_int_equal(is_certain(&request, request.size), cases[i].whole);
        assert_int_equal(is_certain(&request, request.size - 1), cases[i].cut);
        assert_false(is_certain(&request, 9));
    }
}

/* The response of OffsetCommit with correlation id 0, or a Produce request of a client that is called as the topic. */
static void test_uncertain_produce(void **state)
{
    struct builder frame = {.size = 0};

    (void)state;
    put32(&frame, 0);
    put32(&frame, 1);
    put_string(&frame, "orders");
    put32(&frame, 1);
    put32(&frame, 0);
    put16(&frame, 0);
    assert_int_equal(fit_of(&frame, frame.size, true), KAFKA_FIT_WHOLE);
    assert_false(is_certain(&frame, frame.size));
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

/* Bytes of any value, and such as headers of other protocols are made of: zeros and small numbers. */
static void test_random_bytes(void **state)
{
    uint32_t random = 1;
    size_t certain = 0;

    (void)state;
    for (unsigned round = 0; round < 400000; round++) {
        struct builder frame = {.size = 10 + next_random(&random) % 60};
        for (size_t i = 0; i < frame.size; i++) {
            uint32_t value = next_random(&random);
            frame.data[i] = (uint8_t)(round % 2 == 0 ? value : value % 8 < 5 ? 0 : value / 8 % 40);
        }
        struct kafka_cursor cursor = {.data = frame.data, .limit = frame.size, .captured = frame.size};
        certain += kafka_request_is_certain(&cursor) ? 1 : 0;
    }
    /* Metadata requests of the first versions are hardly more than zeros. */
    assert_true(certain <= 8);
}

static size_t guess(const struct builder *builder, size_t captured, struct kafka_guess *guesses)
{
    struct kafka_cursor frame = open_exactly(builder, captured);
    size_t count = kafka_guess_response(&frame, guesses, MAX_GUESSES);

    close_exactly(&frame);
    return count;
}

static void test_one_guess(void **state)
{
    struct builder response = {.size = 0};
    struct kafka_guess guesses[MAX_GUESSES];

    (void)state;
    put_metadata_response(&response, "orders", 0);
    assert_int_equal(guess(&response, response.size, guesses), 1);
    assert_int_equal(guesses[0].api->key, METADATA);
    assert_int_equal(guesses[0].versions, MASK(1));
    assert_int_equal(kafka_guess_first(&guesses[0]), 1);
    assert_int_equal(kafka_guess_last(&guesses[0]), 1);
}

static void test_no_guess(void **state)
{
    struct builder response = {.size = 0};
    struct kafka_guess guesses[MAX_GUESSES];

    (void)state;
    put_metadata_response(&response, "orders", 0);
    assert_int_equal(guess(&response, response.size - 1, guesses), 0);
    put8(&response, 0);
    assert_int_equal(guess(&response, response.size, guesses), 0);
    response.size = 0;
    put_metadata_response(&response, "orders", 9999);
    assert_int_equal(guess(&response, response.size, guesses), 0);
    response.size = 3;
    assert_int_equal(guess(&response, response.size, guesses), 0);
}

/* A lone error code: what it belongs to cannot be told. Versions that read it alike are one guess. */
static void test_many_guesses(void **state)
{
    struct builder response = {.size = 0};
    struct kafka_guess guesses[MAX_GUESSES];
    bool heartbeat = false;

    (void)state;
    put32(&response, 7);
    put16(&response, 27);
    size_t count = guess(&response, response.size, guesses);
    assert_true(count >= 2 && count <= MAX_GUESSES);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || guesses[i - 1].api->key <= guesses[i].api->key);
        if (guesses[i].api->key == HEARTBEAT) {
            heartbeat = true;
            assert_int_equal(guesses[i].versions, MASK(0));
        }
    }
    assert_true(heartbeat);
    struct kafka_cursor frame = open_exactly(&response, response.size);
    struct kafka_guess first;
    assert_int_equal(kafka_guess_response(&frame, &first, 1), count);
    assert_ptr_equal(first.api, guesses[0].api);
    close_exactly(&frame);
}

/* Fetch has had the endpoints of nodes in a tag since version 16: an earlier one would have a tag that nobody knows. */
static void test_known_tags(void **state)
{
    struct builder response = {.size = 0};
    struct kafka_guess guesses[MAX_GUESSES];

    (void)state;
    put32(&response, 7);
    put8(&response, 0);
    put32(&response, 0);
    put16(&response, 0);
    put32(&response, 1);
    put8(&response, 1);
    put8(&response, 1);
    put_bytes(&response, "\0\x10\2", 3);
    put32(&response, 1);
    put_bytes(&response, "\5host", 5);
    put32(&response, 9092);
    put_bytes(&response, "\0\0", 2);
    size_t count = guess(&response, response.size, guesses);
    size_t of_fetch = 0;
    for (size_t i = 0; i < count; i++) {
        if (guesses[i].api->key == FETCH) {
            of_fetch++;
            assert_int_equal(kafka_guess_first(&guesses[i]), 16);
        }
    }
    assert_int_equal(of_fetch, 1);
}

static void test_any_response(void **state)
{
    struct builder response = {.size = 0};

    (void)state;
    put_metadata_response(&response, "orders", 0);
    for (size_t captured = 4; captured <= response.size; captured++) {
        struct kafka_cursor frame = open_exactly(&response, captured);
        enum kafka_fit want = captured < response.size ? KAFKA_FIT_SO_FAR : KAFKA_FIT_WHOLE;
        assert_int_equal(kafka_fit_any_response(&frame), want);
        close_exactly(&frame);
    }
    memset(response.data + 4, 0xaa, response.size - 4);
    struct kafka_cursor frame = open_exactly(&response, response.size);
    assert_int_equal(kafka_fit_any_response(&frame), KAFKA_FIT_NONE);
    close_exactly(&frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plausible_request),
        cmocka_unit_test(test_implausible_acks),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_certain),
        cmocka_unit_test(test_uncertain_produce),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_one_guess),
        cmocka_unit_test(test_no_guess),
        cmocka_unit_test(test_many_guesses),
        cmocka_unit_test(test_known_tags),
        cmocka_unit_test(test_any_response),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
