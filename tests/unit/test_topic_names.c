/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which messages name topic ids, what they say, and how people write ids. */
#include "builder.h"

#include "wire/topic_names.h"

#define METADATA      3
#define CREATE_TOPICS 19
#define FETCH         1
#define DELETE_TOPICS 20

static void test_messages_that_name(void **state)
{
    (void)state;
    assert_false(kafka_message_names_topics(kafka_apis[METADATA].response, 9));
    assert_true(kafka_message_names_topics(kafka_apis[METADATA].response, 10));
    assert_true(kafka_message_names_topics(kafka_apis[METADATA].response, 13));
    assert_false(kafka_message_names_topics(kafka_apis[CREATE_TOPICS].response, 6));
    assert_true(kafka_message_names_topics(kafka_apis[CREATE_TOPICS].response, 7));
    assert_true(kafka_message_names_topics(kafka_apis[DELETE_TOPICS].response, 6));
    for (int16_t version = 0; version <= 18; version++) {
        assert_false(kafka_message_names_topics(kafka_apis[FETCH].request, version));
        assert_false(kafka_message_names_topics(kafka_apis[FETCH].response, version));
    }
}

struct namings {
    size_t count;
    char names[4][KAFKA_TOPIC_NAME_MAX + 1];
    uint8_t last_bytes[4];
};

static void take(void *context, const struct kafka_topic_naming *naming)
{
    struct namings *namings = context;

    assert_true(namings->count < 4);
    memcpy(namings->names[namings->count], naming->name, naming->name_length);
    namings->names[namings->count][naming->name_length] = '\0';
    namings->last_bytes[namings->count++] = naming->id[KAFKA_UUID_SIZE - 1];
}

static void put_id(struct builder *builder, uint8_t last, uint8_t others)
{
    for (int i = 0; i < KAFKA_UUID_SIZE - 1; i++) {
        put8(builder, others);
    }
    put8(builder, last);
}

static void put_compact(struct builder *builder, const char *text)
{
    put8(builder, (int)strlen(text) + 1);
    put_bytes(builder, text, strlen(text));
}

/* One topic of a DeleteTopics response of version 6. */
static void put_deleted(struct builder *builder, const char *name, uint8_t last, uint8_t others)
{
    if (name != NULL) {
        put_compact(builder, name);
    } else {
        put8(builder, 0);
    }
    put_id(builder, last, others);
    put16(builder, 0);
    put8(builder, 0);
    put8(builder, 0);
}

static struct namings find(const struct builder *builder, size_t limit, size_t captured)
{
    struct kafka_body body = {
        .message = kafka_apis[DELETE_TOPICS].response,
        .version = 6,
        .cursor = {.data = builder->data, .limit = limit, .captured = captured},
    };
    struct namings namings = {0};

    kafka_find_topic_names(&body, take, &namings);
    return namings;
}

static void put_response(struct builder *builder)
{
    put32(builder, 0);
    put8(builder, 6 + 1);
    put_deleted(builder, "orders", 7, 9);
    put_deleted(builder, NULL, 8, 9);
    put_deleted(builder, "reserved", 0, 0);
    put_deleted(builder, "not a name", 9, 9);
    put_deleted(builder, "", 9, 9);
    put_deleted(builder, "last.one_of-them", 10, 9);
    put8(builder, 0);
}

static void test_finds_names(void **state)
{
    static struct builder builder;

    (void)state;
    put_response(&builder);
    struct namings namings = find(&builder, builder.size, builder.size);
    assert_int_equal(namings.count, 2);
    assert_string_equal(namings.names[0], "orders");
    assert_int_equal(namings.last_bytes[0], 7);
    assert_string_equal(namings.names[1], "last.one_of-them");
    assert_int_equal(namings.last_bytes[1], 10);
}

static void test_cut_message_names_what_is_there(void **state)
{
    static struct builder builder;

    (void)state;
    put_response(&builder);
    /* Count and first name are there, the first id is not. */
    assert_int_equal(find(&builder, builder.size, 4 + 1 + 7 + 15).count, 0);
    assert_int_equal(find(&builder, builder.size, 4 + 1 + 7 + 16).count, 1);
    assert_int_equal(find(&builder, builder.size, builder.size - 5).count, 2);
}

static void test_broken_message_names_nothing(void **state)
{
    static struct builder builder;

    (void)state;
    put_response(&builder);
    for (size_t limit = 0; limit < builder.size; limit++) {
        assert_int_equal(find(&builder, limit, limit).count, 0);
    }
    put8(&builder, 0);
    assert_int_equal(find(&builder, builder.size, builder.size).count, 0);
}

static void test_names_that_may_be(void **state)
{
    char name[KAFKA_TOPIC_NAME_MAX + 1];

    (void)state;
    memset(name, 'a', sizeof name);
    assert_true(kafka_may_be_topic_name(name, KAFKA_TOPIC_NAME_MAX));
    assert_false(kafka_may_be_topic_name(name, KAFKA_TOPIC_NAME_MAX + 1));
    assert_false(kafka_may_be_topic_name(name, 0));
    assert_true(kafka_may_be_topic_name("AZaz09._-", 9));
    assert_false(kafka_may_be_topic_name("a b", 3));
    assert_false(kafka_may_be_topic_name("a\0b", 3));
    assert_false(kafka_may_be_topic_name("\xc3\xa4", 2));
}

static void test_written_ids(void **state)
{
    static const uint8_t want[KAFKA_UUID_SIZE] = {0x95, 0x06, 0x45, 0x5d, 0x64, 0x53, 0x4f, 0xcc,
                                                  0x90, 0xbf, 0x06, 0xd4, 0x63, 0x5c, 0xc0, 0xec};
    static const char *const right[] = {"lQZFXWRTT8yQvwbUY1zA7A", "9506455d-6453-4fcc-90bf-06d4635cc0ec",
                                        "9506455D64534FCC90BF06D4635CC0EC"};
    static const char *const wrong[] = {"",
                                        "lQZFXWRTT8yQvwbUY1zA7",
                                        "lQZFXWRTT8yQvwbUY1zA7AA",
                                        "lQZFXWRTT8yQvwbUY1zA7B",
                                        "lQZFXWRTT8yQvwbUY1zA+A",
                                        "9506455d-6453-4fcc-90bf-06d4635cc0e",
                                        "9506455d-6453-4fcc-90bf-06d4635cc0ecc",
                                        "9506455d-6453-4fcc-90bf-06d4635cc0eg",
                                        "9-506455d6453-4fcc-90bf-06d4635cc0ec"};
    uint8_t uuid[KAFKA_UUID_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        memset(uuid, 0, sizeof uuid);
        assert_true(kafka_uuid_parse(right[i], uuid));
        assert_memory_equal(uuid, want, sizeof want);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(kafka_uuid_parse(wrong[i], uuid));
    }
}

static void test_reserved_ids(void **state)
{
    uint8_t id[KAFKA_UUID_SIZE] = {0};

    (void)state;
    assert_true(kafka_topic_id_is_reserved(id));
    id[KAFKA_UUID_SIZE - 1] = 1;
    assert_true(kafka_topic_id_is_reserved(id));
    id[KAFKA_UUID_SIZE - 1] = 2;
    assert_false(kafka_topic_id_is_reserved(id));
    id[KAFKA_UUID_SIZE - 1] = 0;
    id[0] = 1;
    assert_false(kafka_topic_id_is_reserved(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_that_name),
        cmocka_unit_test(test_finds_names),
        cmocka_unit_test(test_cut_message_names_what_is_there),
        cmocka_unit_test(test_broken_message_names_nothing),
        cmocka_unit_test(test_names_that_may_be),
        cmocka_unit_test(test_written_ids),
        cmocka_unit_test(test_reserved_ids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
