/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"

#include "wire/record_rules.h"
#include "wire/record_set.h"

static const struct batch_values ordinary = {
    .base_offset = 3, .producer_id = -1, .base_sequence = -1, .record_count = 1};

static void put_ordinary(struct builder *builder)
{
    struct builder records = {.size = 0};

    put_record(&records, 0, 0, "k", "v");
    put_batch(builder, &ordinary, records.data, records.size);
}

static void test_mixed_magics(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_record_set_entry entry;

    (void)state;
    put_old_message(&builder, 0, 1, 0, 0, NULL, "a", 1);
    size_t second = builder.size;
    put_old_message(&builder, 1, 2, 0, 0, NULL, "b", 1);
    size_t third = builder.size;
    put_ordinary(&builder);
    struct kafka_cursor cursor = open_whole(&builder);

    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_COMPLETE);
    assert_int_equal(entry.kind, KAFKA_ENTRY_OLD_MESSAGE);
    assert_int_equal(entry.old_message.magic, 0);
    assert_int_equal(entry.size, second);
    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_COMPLETE);
    assert_int_equal(entry.kind, KAFKA_ENTRY_OLD_MESSAGE);
    assert_int_equal(entry.old_message.magic, 1);
    assert_int_equal(entry.offset, second);
    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_COMPLETE);
    assert_int_equal(entry.kind, KAFKA_ENTRY_BATCH);
    assert_int_equal(entry.batch.base_offset, 3);
    assert_int_equal(entry.offset, third);
    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_END);
    assert_int_equal(cursor.offset, cursor.limit);
    close_cursor(&cursor);
}

static void test_empty(void **state)
{
    struct kafka_cursor cursor = {.data = NULL};
    struct kafka_record_set_entry entry;

    (void)state;
    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_END);
}

/* After one whole batch the set, or the capture, ends at each byte of another entry. */
static void test_last_one_partial_or_cut(void **state)
{
    (void)state;
    for (int magic = 0; magic < 3; magic++) {
        struct builder builder = {.size = 0};
        struct kafka_record_set_entry entry;
        put_ordinary(&builder);
        size_t second = builder.size;
        if (magic == 2) {
            put_ordinary(&builder);
        } else {
            put_old_message(&builder, magic, 2, 0, 0, NULL, NULL, -1);
        }
        size_t whole = builder.size;
        for (size_t size = second + 1; size < whole; size++) {
            enum kafka_entry_kind kind = size - second <= 16 ? KAFKA_ENTRY_OTHER
                                         : magic == 2        ? KAFKA_ENTRY_BATCH
                                                             : KAFKA_ENTRY_OLD_MESSAGE;
            for (int cut = 0; cut < 2; cut++) {
                builder.size = cut != 0 ? whole : size;
                struct kafka_cursor cursor = open_cut(&builder, size);
                assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_COMPLETE);
                assert_int_equal(kafka_record_set_next(&cursor, &entry),
                                 cut != 0 ? KAFKA_ITEM_CUT : KAFKA_ITEM_PARTIAL);
                assert_int_equal(entry.kind, kind);
                assert_int_equal(entry.size, size - second >= 12 ? whole - second : 0);
                assert_int_equal(entry.present, builder.size - second);
                assert_int_equal(entry.captured, size - second);
                assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_END);
                assert_int_equal(cursor.offset, cursor.limit);
                close_cursor(&cursor);
            }
        }
    }
}

/* The capture ends between two batches: that something is missing is told by where the cursor stands. */
static void test_cut_between(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_record_set_entry entry;

    (void)state;
    put_ordinary(&builder);
    size_t second = builder.size;
    put_ordinary(&builder);
    struct kafka_cursor cursor = open_cut(&builder, second);
    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_COMPLETE);
    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_END);
    assert_int_equal(cursor.offset, second);
    close_cursor(&cursor);
}

static void test_unknown_magic(void **state)
{
    static const int magics[] = {3, -1, 127};

    (void)state;
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        struct builder builder = {.size = 0};
        struct kafka_record_set_entry entry;
        put_ordinary(&builder);
        builder.data[16] = (uint8_t)magics[i];
        size_t second = builder.size;
        put_ordinary(&builder);
        struct kafka_cursor cursor = open_whole(&builder);
        assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_MALFORMED);
        assert_int_equal(entry.kind, KAFKA_ENTRY_OTHER);
        assert_int_equal(entry.fault, KAFKA_FAULT_UNKNOWN_MAGIC);
        assert_int_equal(entry.fault_offset, 16);
        assert_int_equal(entry.batch.magic, magics[i]);
        assert_int_equal(entry.size, second);
        /* its length can be believed */
        assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_COMPLETE);
        assert_int_equal(entry.offset, second);
        close_cursor(&cursor);
    }
}

static void test_bad_length_ends_it(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_record_set_entry entry;

    (void)state;
    put_ordinary(&builder);
    put_ordinary(&builder);
    set_big_endian(&builder, 8, (uint64_t)-4, 4);
    struct kafka_cursor cursor = open_whole(&builder);
    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_MALFORMED);
    assert_int_equal(entry.fault, KAFKA_FAULT_LENGTH_TOO_SMALL);
    assert_int_equal(entry.fault_offset, 8);
    assert_int_equal(entry.present, builder.size);
    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_END);
    close_cursor(&cursor);
}

/* Zeros, as a preallocated segment ends with. */
static void test_zeros(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_record_set_entry entry;

    (void)state;
    put_bytes(&builder, (uint8_t[40]){0}, 40);
    struct kafka_cursor cursor = open_whole(&builder);
    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_MALFORMED);
    assert_int_equal(entry.fault, KAFKA_FAULT_LENGTH_TOO_SMALL);
    assert_int_equal(kafka_record_set_next(&cursor, &entry), KAFKA_ITEM_END);
    close_cursor(&cursor);
}

static bool find(struct kafka_cursor *cursor)
{
    size_t budget = KAFKA_FIND_MAX_BYTES;

    return kafka_record_set_find_batch(cursor, cursor->limit, &budget);
}

static void test_find_batch(void **state)
{
    struct builder builder = {.size = 0};

    (void)state;
    put_ordinary(&builder);
    size_t second = builder.size;
    put_ordinary(&builder);
    struct kafka_cursor cursor = open_whole(&builder);
    cursor.offset = 1;
    assert_true(find(&cursor));
    assert_int_equal(cursor.offset, second);
    assert_true(find(&cursor)); /* it may be where the cursor stands */
    assert_int_equal(cursor.offset, second);
    cursor.offset++;
    assert_false(find(&cursor));
    assert_int_equal(cursor.offset, second + 1);
    close_cursor(&cursor);

    /* bytes that look like its magic, one of them right before it: the leader epoch, which no checksum covers */
    struct builder decoys = {.size = 0};
    put_bytes(&decoys, "\2\2\2\2\2\2\2", 7);
    put_bytes(&decoys, builder.data, builder.size);
    decoys.data[7 + 15] = 2;
    cursor = open_whole(&decoys);
    assert_true(find(&cursor));
    assert_int_equal(cursor.offset, 7);
    close_cursor(&cursor);

    builder.data[builder.size - 1] ^= 1;
    cursor = open_whole(&builder);
    cursor.offset = 1;
    assert_false(find(&cursor));
    close_cursor(&cursor);

    cursor = open_cut(&builder, second + 20);
    assert_true(find(&cursor));
    assert_int_equal(cursor.offset, 0);
    cursor.offset = 1;
    assert_false(find(&cursor));
    close_cursor(&cursor);
}

static void check_rules(int16_t api_key, int16_t version, int min_magic, int max_magic, bool zstd, bool one_batch)
{
    const struct kafka_record_rules *rules = kafka_record_rules_find(api_key, version);

    assert_non_null(rules);
    assert_int_equal(rules->min_magic, min_magic);
    assert_int_equal(rules->max_magic, max_magic);
    assert_int_equal(rules->may_have_zstd, zstd);
    assert_int_equal(rules->has_one_batch, one_batch);
}

static void test_rules(void **state)
{
    (void)state;
    check_rules(0, 1, 0, 0, false, false);
    check_rules(0, 2, 1, 1, false, false);
    check_rules(0, 3, 2, 2, false, true);
    check_rules(0, 6, 2, 2, false, true);
    check_rules(0, 7, 2, 2, true, true);
    check_rules(1, 1, 0, 0, false, false);
    check_rules(1, 3, 0, 1, false, false);
    check_rules(1, 9, 0, 2, false, false);
    check_rules(1, 17, 0, 2, true, false);
    assert_null(kafka_record_rules_find(78, 1));
    assert_null(kafka_record_rules_find(0, -1));
}

/* The search stays before its end and within its budget, which all that it reads is taken from. */
static void test_find_batch_bounds(void **state)
{
    struct builder builder = {.size = 0};

    (void)state;
    put_ordinary(&builder);
    size_t second = builder.size;
    put_ordinary(&builder);
    struct kafka_cursor cursor = open_whole(&builder);
    cursor.offset = 1;
    size_t budget = KAFKA_FIND_MAX_BYTES;
    assert_false(kafka_record_set_find_batch(&cursor, second, &budget));
    assert_true(kafka_record_set_find_batch(&cursor, second + 1, &budget));
    assert_int_equal(cursor.offset, second);
    assert_true(budget < KAFKA_FIND_MAX_BYTES - (builder.size - second));

    cursor.offset = 1;
    budget = builder.size - second;
    assert_false(kafka_record_set_find_batch(&cursor, builder.size, &budget));
    assert_int_equal(budget, 0);
    assert_int_equal(cursor.offset, 1);
    close_cursor(&cursor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixed_magics),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_last_one_partial_or_cut),
        cmocka_unit_test(test_cut_between),
        cmocka_unit_test(test_unknown_magic),
        cmocka_unit_test(test_bad_length_ends_it),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_find_batch),
        cmocka_unit_test(test_find_batch_bounds),
        cmocka_unit_test(test_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
