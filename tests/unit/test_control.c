/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"

#include "wire/control.h"

static enum kafka_status read_key(const struct builder *builder, size_t offset, size_t length,
                                  struct kafka_control_key *key)
{
    struct kafka_span span = {offset, length, false};

    return kafka_control_key_read(builder->data, &span, key);
}

static void test_keys(void **state)
{
    static const char *const names[] = {"Abort",           "Commit",        "Leader Change", "Snapshot Header",
                                        "Snapshot Footer", "KRaft Version", "KRaft Voters"};

    (void)state;
    for (int type = 0; type < 7; type++) {
        struct builder builder = {.size = 0};
        struct kafka_control_key key;
        put8(&builder, 0xff);
        put16(&builder, 1);
        put16(&builder, type);
        put16(&builder, 99); /* of a later version */
        assert_int_equal(read_key(&builder, 1, 6, &key), KAFKA_OK);
        assert_int_equal(key.version, 1);
        assert_int_equal(key.type, type);
        assert_string_equal(key.known->name, names[type]);
        assert_int_equal(key.known->type, type);
    }
}

static void test_unknown_and_short_keys(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_control_key key;
    struct kafka_span null = {0, 0, true};

    (void)state;
    put16(&builder, 0);
    put16(&builder, 7);
    put16(&builder, -1);
    assert_int_equal(read_key(&builder, 0, 4, &key), KAFKA_OK);
    assert_int_equal(key.type, 7);
    assert_null(key.known);
    assert_int_equal(read_key(&builder, 2, 4, &key), KAFKA_OK);
    assert_int_equal(key.type, -1);
    assert_null(key.known);
    assert_int_equal(read_key(&builder, 0, 3, &key), KAFKA_SHORT);
    assert_int_equal(kafka_control_key_read(builder.data, &null, &key), KAFKA_SHORT);
}

static void test_values(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_span span = {2, 6, false};
    struct kafka_control_value value;

    (void)state;
    put16(&builder, 0);
    put16(&builder, 3);
    put32(&builder, 12);
    assert_int_equal(kafka_control_value_read(builder.data, &span, kafka_control_type_find(1), &value), KAFKA_OK);
    assert_int_equal(value.version, 3);
    assert_int_equal(value.body_begin, 4); /* the marker's version is no field of it */
    assert_int_equal(value.end, 8);
    assert_int_equal(kafka_control_value_read(builder.data, &span, kafka_control_type_find(2), &value), KAFKA_OK);
    assert_int_equal(value.version, 3);
    assert_int_equal(value.body_begin, 2);
    span.length = 1;
    assert_int_equal(kafka_control_value_read(builder.data, &span, kafka_control_type_find(0), &value), KAFKA_SHORT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_unknown_and_short_keys),
        cmocka_unit_test(test_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
