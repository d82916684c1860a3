/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"

#include "wire/message_set.h"

static void test_magic_0(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_old_message message;

    (void)state;
    put_old_message(&builder, 0, 5, 0, 0, NULL, "Hello!", 6);
    struct kafka_cursor cursor = open_whole(&builder);
    assert_int_equal(kafka_old_message_read(&cursor, &message), KAFKA_ITEM_COMPLETE);
    assert_int_equal(message.parts, KAFKA_OLD_PARTS);
    assert_int_equal(message.offset, 5);
    assert_int_equal(message.size, 20);
    assert_int_equal(message.whole_size, 32);
    assert_int_equal(message.magic, 0);
    assert_int_equal(message.timestamp, -1);
    assert_int_equal(message.begin[KAFKA_OLD_TIMESTAMP], 18);
    assert_int_equal(message.begin[KAFKA_OLD_KEY_LENGTH], 18);
    assert_int_equal(message.begin[KAFKA_OLD_VALUE], 26);
    assert_int_equal(message.begin[KAFKA_OLD_PARTS], 32);
    assert_span(cursor.data, &message.key, NULL);
    assert_span(cursor.data, &message.value, "Hello!");
    assert_true(kafka_old_message_has_crc(&message));
    assert_int_equal(kafka_old_message_compute_crc(&message, cursor.data), message.crc);
    close_cursor(&cursor);
}

/* What a real client wrote: the checksum is not of our making. */
static void test_bytes_of_a_client(void **state)
{
    static const uint8_t bytes[] = {0, 0, 0,    0,    0,    0,    0, 0, 0, 0, 0,    0x14, 0x8d, 0xc7, 0x95, 0xa2,
                                    0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 6, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x21};
    struct kafka_cursor cursor = {.data = bytes, .limit = sizeof bytes, .captured = sizeof bytes};
    struct kafka_old_message message;

    (void)state;
    assert_int_equal(kafka_old_message_read(&cursor, &message), KAFKA_ITEM_COMPLETE);
    assert_int_equal(message.crc, 0x8dc795a2);
    assert_int_equal(kafka_old_message_compute_crc(&message, bytes), 0x8dc795a2);
}

static void test_magic_1(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_old_message message;

    (void)state;
    put_old_message(&builder, 1, -1, 8, 1234567890123, "key", "", 0);
    struct kafka_cursor cursor = open_whole(&builder);
    assert_int_equal(kafka_old_message_read(&cursor, &message), KAFKA_ITEM_COMPLETE);
    assert_int_equal(message.offset, -1);
    assert_int_equal(message.attributes, 8);
    assert_int_equal(message.timestamp, 1234567890123);
    assert_span(cursor.data, &message.key, "key");
    assert_span(cursor.data, &message.value, "");
    close_cursor(&cursor);
}

static void test_cut_and_partial(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_old_message message;

    (void)state;
    put_old_message(&builder, 1, 9, 0, 77, "key", "value", 5);
    size_t whole = builder.size;
    for (size_t size = 0; size < whole; size++) {
        builder.size = whole;
        struct kafka_cursor cursor = open_cut(&builder, size);
        assert_int_equal(kafka_old_message_read(&cursor, &message), KAFKA_ITEM_CUT);
        assert_int_equal(message.captured, size);
        assert_int_equal(message.present, whole);
        assert_int_equal(message.timestamp, size >= 26 ? 77 : -1);
        assert_false(kafka_old_message_has_crc(&message));
        /* of a value that is cut, what is there */
        assert_int_equal(message.value.length, size > 37 ? size - 37 : 0);
        close_cursor(&cursor);

        builder.size = size;
        cursor = open_whole(&builder);
        assert_int_equal(kafka_old_message_read(&cursor, &message), KAFKA_ITEM_PARTIAL);
        assert_int_equal(message.present, size);
        assert_int_equal(message.whole_size, size >= 12 ? whole : 0);
        close_cursor(&cursor);
    }
}

/* What a broker that converts for old consumers fills the rest of a set with: empty, and longer than what is left. */
static void test_filler(void **state)
{
    uint8_t bytes[341] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0x62};
    struct kafka_cursor cursor = {.data = bytes, .limit = sizeof bytes, .captured = sizeof bytes};
    struct kafka_old_message message;

    (void)state;
    assert_int_equal(kafka_old_message_read(&cursor, &message), KAFKA_ITEM_PARTIAL);
    assert_int_equal(message.fault, KAFKA_FAULT_NONE);
    assert_int_equal(message.offset, -1);
    assert_int_equal(message.present, sizeof bytes);
    assert_int_equal(message.whole_size, 366);
}

static void check_malformed(const struct builder *builder, enum kafka_fault fault, size_t fault_offset)
{
    struct kafka_cursor cursor = open_whole(builder);
    struct kafka_old_message message;

    assert_int_equal(kafka_old_message_read(&cursor, &message), KAFKA_ITEM_MALFORMED);
    assert_int_equal(message.fault, fault);
    assert_int_equal(message.fault_offset, fault_offset);
    close_cursor(&cursor);
}

static void test_malformed(void **state)
{
    struct builder builder = {.size = 0};

    (void)state;
    put_old_message(&builder, 1, 9, 0, 77, "key", "value", 5);
    set_big_endian(&builder, 8, 13, 4);
    check_malformed(&builder, KAFKA_FAULT_LENGTH_TOO_SMALL, 8);
    set_big_endian(&builder, 8, 21, 4); /* enough in magic 0 only */
    check_malformed(&builder, KAFKA_FAULT_LENGTH_TOO_SMALL, 8);
    set_big_endian(&builder, 8, (uint64_t)-1, 4);
    check_malformed(&builder, KAFKA_FAULT_LENGTH_TOO_SMALL, 8);

    builder.size = 0;
    put_old_message(&builder, 0, 9, 0, 0, NULL, NULL, -1);
    set_big_endian(&builder, 8, 13, 4);
    check_malformed(&builder, KAFKA_FAULT_LENGTH_TOO_SMALL, 8);

    builder.size = 0;
    put_old_message(&builder, 1, 9, 0, 77, "key", "value", 5);
    set_big_endian(&builder, 26, (uint64_t)-2, 4);
    check_malformed(&builder, KAFKA_FAULT_KEY_LENGTH, 26);
    set_big_endian(&builder, 26, 100, 4);
    check_malformed(&builder, KAFKA_FAULT_KEY_LENGTH, 26);
    set_big_endian(&builder, 26, 10, 4); /* no room for a value's length */
    check_malformed(&builder, KAFKA_FAULT_VALUE_LENGTH, 40);
    set_big_endian(&builder, 26, 3, 4);
    set_big_endian(&builder, 33, 6, 4);
    check_malformed(&builder, KAFKA_FAULT_VALUE_LENGTH, 33);
    set_big_endian(&builder, 33, 4, 4);
    check_malformed(&builder, KAFKA_FAULT_LEFT_OVER, 41);
}

/* A wrapper around those inner messages as they are: what kafka_wrapper_read gets is already unpacked. */
static void read_wrapper(struct kafka_wrapper *wrapper, int magic, int64_t offset, int attributes,
                         const struct builder *inner, bool is_whole)
{
    struct builder builder = {.size = 0};
    struct kafka_old_message outer;

    put_old_message(&builder, magic, offset, attributes, 99, NULL, "packed", 6);
    struct kafka_cursor cursor = open_whole(&builder);
    assert_int_equal(kafka_old_message_read(&cursor, &outer), KAFKA_ITEM_COMPLETE);
    kafka_wrapper_read(wrapper, &outer, inner->data, inner->size, is_whole);
    close_cursor(&cursor);
}

static void put_inner(struct builder *inner, int magic, int64_t first_offset)
{
    for (int i = 0; i < 3; i++) {
        put_old_message(inner, magic, first_offset + i, 0, 10 + i, NULL, "v", 1);
    }
}

static int64_t inner_offset(const struct kafka_wrapper *wrapper, int64_t offset)
{
    struct kafka_old_message message = {.offset = offset};

    return kafka_wrapper_offset(wrapper, &message);
}

static int64_t inner_timestamp(const struct kafka_wrapper *wrapper, int64_t timestamp)
{
    struct kafka_old_message message = {.timestamp = timestamp};

    return kafka_wrapper_timestamp(wrapper, &message);
}

static void test_wrapper_offsets(void **state)
{
    struct builder inner = {.size = 0};
    struct kafka_wrapper wrapper;

    (void)state;
    put_inner(&inner, 1, 0);
    read_wrapper(&wrapper, 1, 102, KAFKA_CODEC_GZIP, &inner, true);
    assert_int_equal(wrapper.problems, 0);
    assert_int_equal(wrapper.count, 3);
    assert_int_equal(inner_offset(&wrapper, 0), 100);
    assert_int_equal(inner_offset(&wrapper, 2), 102);
    assert_int_equal(inner_timestamp(&wrapper, 11), 11);

    /* as a producer sends it */
    read_wrapper(&wrapper, 1, 0, KAFKA_CODEC_GZIP, &inner, true);
    assert_int_equal(wrapper.problems, 0);
    assert_int_equal(inner_offset(&wrapper, 2), 2);

    read_wrapper(&wrapper, 1, 1, KAFKA_CODEC_GZIP, &inner, true);
    assert_int_equal(wrapper.problems, KAFKA_WRAPPER_OFFSET_TOO_LOW);

    /* inner offsets need not start at 0 */
    inner.size = 0;
    put_inner(&inner, 1, 5);
    read_wrapper(&wrapper, 1, 107, KAFKA_CODEC_GZIP, &inner, true);
    assert_int_equal(inner_offset(&wrapper, 5), 105);

    /* the last inner offset is not known */
    read_wrapper(&wrapper, 1, 107, KAFKA_CODEC_GZIP, &inner, false);
    assert_int_equal(inner_offset(&wrapper, 5), 5);
    assert_int_equal(wrapper.problems, 0);

    /* absolute in magic 0 */
    inner.size = 0;
    put_inner(&inner, 0, 100);
    read_wrapper(&wrapper, 0, 110, KAFKA_CODEC_GZIP, &inner, true);
    assert_int_equal(wrapper.problems, 0);
    assert_int_equal(inner_offset(&wrapper, 101), 101);
}

static void test_wrapper_append_time(void **state)
{
    struct builder inner = {.size = 0};
    struct kafka_wrapper wrapper;

    (void)state;
    put_inner(&inner, 1, 0);
    read_wrapper(&wrapper, 1, 2, KAFKA_CODEC_LZ4 | KAFKA_ATTRIBUTE_LOG_APPEND_TIME, &inner, true);
    assert_int_equal(inner_timestamp(&wrapper, 11), 99);
}

static void test_wrapper_problems(void **state)
{
    struct builder inner = {.size = 0};
    struct builder builder = {.size = 0};
    struct kafka_old_message outer;
    struct kafka_wrapper wrapper;

    (void)state;
    put_inner(&inner, 0, 0);
    read_wrapper(&wrapper, 1, 2, KAFKA_CODEC_GZIP, &inner, true);
    assert_int_equal(wrapper.problems, KAFKA_WRAPPER_MAGIC_DIFFERS);
    read_wrapper(&wrapper, 0, 2, KAFKA_CODEC_ZSTD, &inner, true);
    assert_int_equal(wrapper.problems, KAFKA_WRAPPER_BAD_CODEC);

    inner.size = 0;
    put_old_message(&inner, 1, 0, KAFKA_CODEC_SNAPPY, 0, NULL, "v", 1);
    read_wrapper(&wrapper, 1, 0, KAFKA_CODEC_GZIP, &inner, true);
    assert_int_equal(wrapper.problems, KAFKA_WRAPPER_NESTED);

    inner.size = 0;
    read_wrapper(&wrapper, 1, 0, KAFKA_CODEC_GZIP, &inner, true);
    assert_int_equal(wrapper.problems, KAFKA_WRAPPER_EMPTY);
    read_wrapper(&wrapper, 1, 0, KAFKA_CODEC_GZIP, &inner, false);
    assert_int_equal(wrapper.problems, 0);

    put_old_message(&builder, 1, 0, KAFKA_CODEC_GZIP, 0, NULL, NULL, -1);
    struct kafka_cursor cursor = open_whole(&builder);
    assert_int_equal(kafka_old_message_read(&cursor, &outer), KAFKA_ITEM_COMPLETE);
    kafka_wrapper_read(&wrapper, &outer, NULL, 0, true);
    assert_int_equal(wrapper.problems, KAFKA_WRAPPER_NULL_VALUE);
    close_cursor(&cursor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_magic_0),          cmocka_unit_test(test_bytes_of_a_client),
        cmocka_unit_test(test_magic_1),          cmocka_unit_test(test_cut_and_partial),
        cmocka_unit_test(test_filler),           cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_wrapper_offsets),  cmocka_unit_test(test_wrapper_append_time),
        cmocka_unit_test(test_wrapper_problems),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
