/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics in the log of the cluster's metadata: which records name them, and where they are looked for. */
#include "builder.h"

#include "wire/record_set.h"
#include "wire/topic_records.h"

static const struct batch_values ordinary = {.last_offset_delta = 1, .record_count = 2, .producer_id = -1};

struct namings {
    size_t count;
    char names[4][16];
    uint8_t last_bytes[4];
};

static void take(void *context, const struct kafka_topic_naming *naming)
{
    struct namings *namings = context;

    assert_true(namings->count < 4 && naming->name_length < sizeof namings->names[0]);
    memcpy(namings->names[namings->count], naming->name, naming->name_length);
    namings->names[namings->count][naming->name_length] = '\0';
    namings->last_bytes[namings->count++] = naming->id[KAFKA_UUID_SIZE - 1];
}

/* A record about a topic, or about something else by another key; its id consists of the one byte. */
static void put_topic(struct builder *records, int frame, int key, const char *name, uint8_t id)
{
    static struct builder value;

    value.size = 0;
    put_uvarint(&value, (uint64_t)frame);
    put_uvarint(&value, (uint64_t)key);
    put_uvarint(&value, 0);
    put_uvarint(&value, strlen(name) + 1);
    put_bytes(&value, name, strlen(name));
    for (int i = 0; i < KAFKA_UUID_SIZE; i++) {
        put8(&value, id);
    }
    put_uvarint(&value, 0);
    put_varint(records, (int64_t)value.size + 6);
    put8(records, 0);
    put_varint(records, 0);
    put_varint(records, 0);
    put_varint(records, -1);
    put_varint(records, (int64_t)value.size);
    put_bytes(records, value.data, value.size);
    put_varint(records, 0);
}

static struct namings find(const struct builder *set, size_t begin, size_t limit, size_t budget)
{
    struct kafka_cursor cursor = {.data = set->data, .offset = begin, .limit = limit, .captured = set->size};
    struct namings namings = {0};

    kafka_find_topic_records(&cursor, &budget, take, &namings);
    return namings;
}

/* Two batches; the second begins at the returned offset. */
static size_t put_log(struct builder *set)
{
    static struct builder records;

    set->size = records.size = 0;
    put_topic(&records, 1, 2, "orders", 7);
    put_topic(&records, 1, 3, "partition", 8);
    put_batch(set, &ordinary, records.data, records.size);
    size_t second = set->size;
    records.size = 0;
    put_topic(&records, 0, 2, "frame", 9);
    put_topic(&records, 1, 2, "no name", 9);
    put_topic(&records, 1, 2, "reserved", 0);
    put_topic(&records, 1, 2, "other", 10);
    put_batch(set, &ordinary, records.data, records.size);
    return second;
}

static void test_finds_topics(void **state)
{
    static struct builder set;

    (void)state;
    size_t second = put_log(&set);
    struct namings namings = find(&set, 0, set.size, KAFKA_FIND_MAX_BYTES);
    assert_int_equal(namings.count, 2);
    assert_string_equal(namings.names[0], "orders");
    assert_int_equal(namings.last_bytes[0], 7);
    assert_string_equal(namings.names[1], "other");
    assert_int_equal(namings.last_bytes[1], 10);
    /* A part that begins in a batch has those behind it; one that ends in a batch, those before. */
    assert_string_equal(find(&set, 1, set.size, KAFKA_FIND_MAX_BYTES).names[0], "other");
    assert_int_equal(find(&set, 0, set.size - 1, KAFKA_FIND_MAX_BYTES).count, 1);
    assert_int_equal(find(&set, 0, second - 1, KAFKA_FIND_MAX_BYTES).count, 0);
    assert_int_equal(find(&set, 0, set.size, second).count, 0);
}

static void test_what_names_nothing(void **state)
{
    static struct builder set;
    static struct builder records;
    struct batch_values control = ordinary;
    struct batch_values packed = ordinary;

    (void)state;
    size_t second = put_log(&set);
    set.data[second - 1] ^= 1;
    assert_int_equal(find(&set, 0, second, KAFKA_FIND_MAX_BYTES).count, 0);
    control.attributes = KAFKA_ATTRIBUTE_CONTROL;
    packed.attributes = 1;
    put_topic(&records, 1, 2, "orders", 7);
    set.size = 0;
    put_batch(&set, &control, records.data, records.size);
    put_batch(&set, &packed, records.data, records.size);
    assert_int_equal(find(&set, 0, set.size, KAFKA_FIND_MAX_BYTES).count, 0);
}

static void test_the_topic(void **state)
{
    uint8_t id[KAFKA_UUID_SIZE] = {0};
    struct kafka_topic_ref by_id = {id, sizeof id, true};
    struct kafka_topic_ref by_name = {(const uint8_t *)"__cluster_metadata", 18, false};
    struct kafka_topic_ref none = {0};

    (void)state;
    assert_false(kafka_topic_is_metadata(&by_id));
    id[KAFKA_UUID_SIZE - 1] = 1;
    assert_true(kafka_topic_is_metadata(&by_id));
    id[0] = 1;
    assert_false(kafka_topic_is_metadata(&by_id));
    assert_true(kafka_topic_is_metadata(&by_name));
    by_name.length--;
    assert_false(kafka_topic_is_metadata(&by_name));
    assert_false(kafka_topic_is_metadata(&none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_topics),
        cmocka_unit_test(test_what_names_nothing),
        cmocka_unit_test(test_the_topic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
