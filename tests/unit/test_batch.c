/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"

#include "wire/batch_check.h"

static const struct batch_values ordinary = {
    .base_offset = 1000,
    .attributes = 0,
    .last_offset_delta = 1,
    .base_timestamp = 1700000000000,
    .max_timestamp = 1700000000005,
    .producer_id = 42,
    .producer_epoch = 3,
    .base_sequence = 10,
    .record_count = 2,
};

static void put_ordinary(struct builder *builder, const struct batch_values *values)
{
    struct builder records = {.size = 0};

    put_record(&records, 0, 0, "k", "v");
    put_record(&records, 5, 1, NULL, "w");
    put_batch(builder, values, records.data, records.size);
}

static void test_all_fields(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_batch batch;

    (void)state;
    put_text(&builder, "abc"); /* the batch need not be at the start */
    put_ordinary(&builder, &ordinary);
    struct kafka_cursor cursor = open_whole(&builder);
    cursor.offset = 3;
    assert_int_equal(kafka_batch_read(&cursor, &batch), KAFKA_ITEM_COMPLETE);
    assert_int_equal(cursor.offset, 3);
    assert_int_equal(batch.offset, 3);
    assert_int_equal(batch.size, builder.size - 3);
    assert_int_equal(batch.present, batch.size);
    assert_int_equal(batch.captured, batch.size);
    assert_int_equal(batch.base_offset, 1000);
    assert_int_equal(batch.length, (int)batch.size - 12);
    assert_int_equal(batch.leader_epoch, 7);
    assert_int_equal(batch.magic, 2);
    assert_int_equal(batch.attributes, 0);
    assert_int_equal(batch.last_offset_delta, 1);
    assert_int_equal(batch.base_timestamp, 1700000000000);
    assert_int_equal(batch.max_timestamp, 1700000000005);
    assert_int_equal(batch.producer_id, 42);
    assert_int_equal(batch.producer_epoch, 3);
    assert_int_equal(batch.base_sequence, 10);
    assert_int_equal(batch.record_count, 2);
    assert_int_equal(kafka_batch_last_offset(&batch), 1001);
    assert_int_equal(kafka_batch_last_sequence(&batch), 11);
    assert_true(kafka_batch_has_header(&batch));
    assert_int_equal(kafka_batch_compute_crc(&batch, cursor.data), batch.crc);
    assert_int_equal(kafka_batch_check_header(&batch), 0);
    close_cursor(&cursor);
}

/* Any flipped bit from the attributes on, and of the checksum itself, is seen. */
static void test_crc_of_flipped_bits(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_batch batch;

    (void)state;
    put_ordinary(&builder, &ordinary);
    for (size_t bit = (size_t)8 * KAFKA_BATCH_CRC; bit < 8 * builder.size; bit++) {
        builder.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
        struct kafka_cursor cursor = open_whole(&builder);
        assert_int_equal(kafka_batch_read(&cursor, &batch), KAFKA_ITEM_COMPLETE);
        assert_int_not_equal(kafka_batch_compute_crc(&batch, cursor.data), batch.crc);
        builder.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
        close_cursor(&cursor);
    }
}

/* The record set ends at each byte: partial, with the fields that are there. */
static void test_partial(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_batch batch;

    (void)state;
    put_ordinary(&builder, &ordinary);
    size_t whole = builder.size;
    for (builder.size = 0; builder.size < whole; builder.size++) {
        struct kafka_cursor cursor = open_whole(&builder);
        assert_int_equal(kafka_batch_read(&cursor, &batch), KAFKA_ITEM_PARTIAL);
        assert_int_equal(batch.size, builder.size >= 12 ? whole : 0);
        assert_int_equal(batch.present, builder.size);
        assert_int_equal(batch.captured, builder.size);
        assert_int_equal(batch.base_offset, builder.size >= 8 ? 1000 : 0);
        assert_int_equal(batch.record_count, builder.size >= 61 ? 2 : 0);
        close_cursor(&cursor);
    }
}

/* The capture ends at each byte. */
static void test_cut(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_batch batch;

    (void)state;
    put_ordinary(&builder, &ordinary);
    for (size_t captured = 0; captured < builder.size; captured++) {
        struct kafka_cursor cursor = open_cut(&builder, captured);
        assert_int_equal(kafka_batch_read(&cursor, &batch), KAFKA_ITEM_CUT);
        assert_int_equal(batch.present, builder.size);
        assert_int_equal(batch.captured, captured);
        assert_int_equal(batch.producer_id, captured >= 51 ? 42 : 0);
        assert_int_equal(kafka_batch_has_header(&batch), captured >= 61);
        close_cursor(&cursor);
    }
}

static void test_length_too_small(void **state)
{
    static const int64_t lengths[] = {48, 0, -1, INT32_MIN};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct builder builder = {.size = 0};
        struct kafka_batch batch;
        put_ordinary(&builder, &ordinary);
        set_big_endian(&builder, 8, (uint64_t)lengths[i], 4);
        struct kafka_cursor cursor = open_whole(&builder);
        assert_int_equal(kafka_batch_read(&cursor, &batch), KAFKA_ITEM_MALFORMED);
        assert_int_equal(batch.fault, KAFKA_FAULT_LENGTH_TOO_SMALL);
        assert_int_equal(batch.size, 0);
        assert_int_equal(batch.length, lengths[i]);
        close_cursor(&cursor);
    }
}

static void test_no_records(void **state)
{
    struct builder builder = {.size = 0};
    struct batch_values values = ordinary;
    struct kafka_batch batch;

    (void)state;
    values.record_count = 0;
    values.last_offset_delta = 9;
    put_batch(&builder, &values, NULL, 0);
    struct kafka_cursor cursor = open_whole(&builder);
    assert_int_equal(kafka_batch_read(&cursor, &batch), KAFKA_ITEM_COMPLETE);
    assert_int_equal(batch.size, 61);
    assert_int_equal(kafka_batch_compute_crc(&batch, cursor.data), batch.crc);
    assert_int_equal(kafka_batch_check_header(&batch), KAFKA_BATCH_COUNT_AND_LAST_DELTA_DIFFER);
    close_cursor(&cursor);
}

static void test_sequence(void **state)
{
    (void)state;
    assert_int_equal(kafka_sequence_add(0, 5), 5);
    assert_int_equal(kafka_sequence_add(INT32_MAX, 0), INT32_MAX);
    assert_int_equal(kafka_sequence_add(INT32_MAX, 1), 0);
    assert_int_equal(kafka_sequence_add(INT32_MAX - 2, 5), 2);
    assert_int_equal(kafka_sequence_add(-1, 5), -1);
}

static unsigned check_header(const struct batch_values *values)
{
    struct builder builder = {.size = 0};
    struct kafka_batch batch;

    put_ordinary(&builder, values);
    struct kafka_cursor cursor = open_whole(&builder);
    assert_int_equal(kafka_batch_read(&cursor, &batch), KAFKA_ITEM_COMPLETE);
    close_cursor(&cursor);
    return kafka_batch_check_header(&batch);
}

static void test_header_problems(void **state)
{
    struct batch_values values = ordinary;

    (void)state;
    values.record_count = -5;
    values.last_offset_delta = -6;
    assert_int_equal(check_header(&values), KAFKA_BATCH_NEGATIVE_COUNT | KAFKA_BATCH_NEGATIVE_LAST_DELTA);

    values = ordinary;
    values.attributes = 0x8085;
    assert_int_equal(check_header(&values), KAFKA_BATCH_UNUSED_ATTRIBUTES | KAFKA_BATCH_UNKNOWN_CODEC);

    values = ordinary;
    values.attributes = KAFKA_ATTRIBUTE_TRANSACTIONAL;
    assert_int_equal(check_header(&values), 0);
    values.producer_id = -1;
    assert_int_equal(check_header(&values), KAFKA_BATCH_TRANSACTIONAL_WITHOUT_PRODUCER);

    values = ordinary;
    values.base_sequence = -1;
    assert_int_equal(check_header(&values), KAFKA_BATCH_PRODUCER_WITHOUT_SEQUENCE);
    values.producer_id = -1;
    assert_int_equal(check_header(&values), 0);
}

/* KRaft writes several control records into a batch; a batch of transaction markers has one. */
static void test_control_batches(void **state)
{
    struct batch_values values = ordinary;

    (void)state;
    values.base_sequence = -1;
    values.attributes = KAFKA_ATTRIBUTE_CONTROL;
    assert_int_equal(check_header(&values), 0);
    values.attributes |= KAFKA_ATTRIBUTE_TRANSACTIONAL;
    assert_int_equal(check_header(&values), KAFKA_BATCH_SEVERAL_MARKERS);
    values.record_count = 1;
    values.last_offset_delta = 0;
    assert_int_equal(check_header(&values), 0);
    values.attributes |= KAFKA_CODEC_LZ4;
    assert_int_equal(check_header(&values), KAFKA_BATCH_CONTROL_COMPRESSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fields),       cmocka_unit_test(test_crc_of_flipped_bits),
        cmocka_unit_test(test_partial),          cmocka_unit_test(test_cut),
        cmocka_unit_test(test_length_too_small), cmocka_unit_test(test_no_records),
        cmocka_unit_test(test_sequence),         cmocka_unit_test(test_header_problems),
        cmocka_unit_test(test_control_batches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
