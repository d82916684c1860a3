/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"

#include "wire/cursor.h"

/* One reader behind a common face, so that what holds for all of them is tested in one place. */
enum reader { INT8, INT16, INT32, INT64, UVARINT, VARINT, VARLONG, LENGTH16, LENGTH32, LENGTH_COMPACT, READERS };

/* Marks a value that a reader did not touch. */
#define UNTOUCHED 0x5a5a5a5a

static enum kafka_status read_with(enum reader reader, struct kafka_cursor *cursor, bool nullable, int64_t *value)
{
    int8_t value8 = 0x5a;
    int16_t value16 = 0x5a5a;
    int32_t value32 = UNTOUCHED;
    uint32_t unsigned32 = UNTOUCHED;
    int64_t value64 = UNTOUCHED;
    enum kafka_status status = KAFKA_OK;

    switch (reader) {
    case INT8:
        status = kafka_read_int8(cursor, &value8);
        *value = value8 == 0x5a ? UNTOUCHED : value8;
        break;
    case INT16:
        status = kafka_read_int16(cursor, &value16);
        *value = value16 == 0x5a5a ? UNTOUCHED : value16;
        break;
    case INT32:
        status = kafka_read_int32(cursor, &value32);
        *value = value32;
        break;
    case INT64:
        status = kafka_read_int64(cursor, &value64);
        *value = value64;
        break;
    case UVARINT:
        status = kafka_read_uvarint(cursor, &unsigned32);
        *value = unsigned32;
        break;
    case VARINT:
        status = kafka_read_varint(cursor, &value32);
        *value = value32;
        break;
    case VARLONG:
        status = kafka_read_varlong(cursor, &value64);
        *value = value64;
        break;
    case LENGTH16:
        status = kafka_read_length16(cursor, nullable, &value32);
        *value = value32;
        break;
    case LENGTH32:
        status = kafka_read_length32(cursor, nullable, &value32);
        *value = value32;
        break;
    case LENGTH_COMPACT:
        status = kafka_read_length_compact(cursor, nullable, &value32);
        *value = value32;
        break;
    case READERS:
        fail();
    }
    return status;
}

/*
 * The bytes, behind two others, hold the value: they are read when they are just there; when the message ends before
 * them they are short, when the capture does they are cut, and then neither the cursor nor the value moves.
 */
static void check_value(enum reader reader, const void *bytes, size_t size, int64_t expected)
{
    struct builder builder = {.size = 0};
    int64_t value;

    put_text(&builder, "ab");
    put_bytes(&builder, bytes, size);
    struct kafka_cursor cursor = open_whole(&builder);
    cursor.offset = 2;
    assert_int_equal(read_with(reader, &cursor, true, &value), KAFKA_OK);
    assert_int_equal(cursor.offset, 2 + size);
    assert_int_equal(value, expected);
    assert_int_equal(kafka_remaining(&cursor), 0);
    close_cursor(&cursor);

    for (size_t less = 1; less <= size; less++) {
        cursor = open_cut(&builder, builder.size - less);
        cursor.offset = 2;
        assert_int_equal(read_with(reader, &cursor, true, &value), KAFKA_CUT);
        assert_int_equal(cursor.offset, 2);
        assert_int_equal(value, UNTOUCHED);

        cursor.limit = builder.size - less; /* both end here: the message is what is at fault */
        assert_int_equal(read_with(reader, &cursor, true, &value), KAFKA_SHORT);
        assert_int_equal(cursor.offset, 2);
        assert_int_equal(value, UNTOUCHED);
        close_cursor(&cursor);

        cursor = open_whole(&builder); /* the capture has more than the message may use */
        cursor.offset = 2;
        cursor.limit = builder.size - less;
        assert_int_equal(read_with(reader, &cursor, true, &value), KAFKA_SHORT);
        assert_int_equal(cursor.offset, 2);
        close_cursor(&cursor);
    }
}

/* The bytes are there and refused. */
static void check_refused(enum reader reader, const void *bytes, size_t size, bool nullable, enum kafka_status status)
{
    struct builder builder = {.size = 0};
    int64_t value;

    put_bytes(&builder, bytes, size);
    struct kafka_cursor cursor = open_whole(&builder);
    assert_int_equal(read_with(reader, &cursor, nullable, &value), status);
    assert_int_equal(cursor.offset, 0);
    assert_int_equal(value, UNTOUCHED);
    close_cursor(&cursor);
}

#define CHECK_VALUE(reader, text, expected)           check_value(reader, text, sizeof(text) - 1, expected)
#define CHECK_REFUSED(reader, text, nullable, status) check_refused(reader, text, sizeof(text) - 1, nullable, status)

static void test_integers(void **state)
{
    (void)state;
    CHECK_VALUE(INT8, "\x00", 0);
    CHECK_VALUE(INT8, "\x7f", INT8_MAX);
    CHECK_VALUE(INT8, "\x80", INT8_MIN);
    CHECK_VALUE(INT16, "\x01\x02", 0x0102);
    CHECK_VALUE(INT16, "\x7f\xff", INT16_MAX);
    CHECK_VALUE(INT16, "\x80\x00", INT16_MIN);
    CHECK_VALUE(INT16, "\xff\xff", -1);
    CHECK_VALUE(INT32, "\x01\x02\x03\x04", 0x01020304);
    CHECK_VALUE(INT32, "\x7f\xff\xff\xff", INT32_MAX);
    CHECK_VALUE(INT32, "\x80\x00\x00\x00", INT32_MIN);
    CHECK_VALUE(INT64, "\x01\x02\x03\x04\x05\x06\x07\x08", 0x0102030405060708);
    CHECK_VALUE(INT64, "\x7f\xff\xff\xff\xff\xff\xff\xff", INT64_MAX);
    CHECK_VALUE(INT64, "\x80\x00\x00\x00\x00\x00\x00\x00", INT64_MIN);
}

static void test_uvarint(void **state)
{
    (void)state;
    CHECK_VALUE(UVARINT, "\x00", 0);
    CHECK_VALUE(UVARINT, "\x7f", 127);
    CHECK_VALUE(UVARINT, "\x80\x01", 128);
    CHECK_VALUE(UVARINT, "\xff\x7f", 16383);
    CHECK_VALUE(UVARINT, "\x80\x80\x01", 16384);
    CHECK_VALUE(UVARINT, "\xff\xff\xff\x7f", 0x0fffffff);
    CHECK_VALUE(UVARINT, "\x80\x80\x80\x80\x01", 0x10000000);
    CHECK_VALUE(UVARINT, "\xff\xff\xff\xff\x0f", UINT32_MAX);
}

/* Kafka's readers take a value with zeros to spare, and so do we. */
static void test_overlong_but_legal(void **state)
{
    (void)state;
    CHECK_VALUE(UVARINT, "\x80\x00", 0);
    CHECK_VALUE(UVARINT, "\x81\x80\x80\x80\x00", 1);
    CHECK_VALUE(VARINT, "\x82\x80\x80\x80\x00", 1);
    CHECK_VALUE(VARINT, "\x82\x00", 1);
    CHECK_VALUE(VARLONG, "\x82\x00", 1);
    CHECK_VALUE(VARLONG, "\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00", 1);
}

static void test_varint(void **state)
{
    (void)state;
    CHECK_VALUE(VARINT, "\x00", 0);
    CHECK_VALUE(VARINT, "\x01", -1);
    CHECK_VALUE(VARINT, "\x02", 1);
    CHECK_VALUE(VARINT, "\x7e", 63);
    CHECK_VALUE(VARINT, "\x7f", -64);
    CHECK_VALUE(VARINT, "\x80\x01", 64);
    CHECK_VALUE(VARINT, "\x81\x01", -65);
    CHECK_VALUE(VARINT, "\xfe\x7f", 8191);
    CHECK_VALUE(VARINT, "\xff\x7f", -8192);
    CHECK_VALUE(VARINT, "\x80\x80\x01", 8192);
    CHECK_VALUE(VARINT, "\xfe\xff\xff\xff\x0f", INT32_MAX);
    CHECK_VALUE(VARINT, "\xff\xff\xff\xff\x0f", INT32_MIN);
}

static void test_varlong(void **state)
{
    (void)state;
    CHECK_VALUE(VARLONG, "\x00", 0);
    CHECK_VALUE(VARLONG, "\x01", -1);
    CHECK_VALUE(VARLONG, "\x80\x01", 64);
    CHECK_VALUE(VARLONG, "\x81\x01", -65);
    CHECK_VALUE(VARLONG, "\xfe\x7f", 8191);
    CHECK_VALUE(VARLONG, "\xff\x7f", -8192);
    CHECK_VALUE(VARLONG, "\x80\x80\x01", 8192);
    CHECK_VALUE(VARLONG, "\xfe\xff\xff\xff\x0f", INT32_MAX);
    CHECK_VALUE(VARLONG, "\x80\x80\x80\x80\x10", (int64_t)INT32_MAX + 1);
    CHECK_VALUE(VARLONG, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", INT64_MAX);
    CHECK_VALUE(VARLONG, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", INT64_MIN);
}

static void test_bad_varints(void **state)
{
    (void)state;
    CHECK_REFUSED(UVARINT, "\xff\xff\xff\xff\x10", false, KAFKA_BAD_VARINT); /* 33 bits */
    CHECK_REFUSED(UVARINT, "\x80\x80\x80\x80\x80\x00", false, KAFKA_BAD_VARINT);
    CHECK_REFUSED(UVARINT, "\xff\xff\xff\xff\x8f\x00", false, KAFKA_BAD_VARINT);
    CHECK_REFUSED(VARINT, "\xff\xff\xff\xff\x1f", false, KAFKA_BAD_VARINT);
    CHECK_REFUSED(VARINT, "\xff\xff\xff\xff\xff\x01", false, KAFKA_BAD_VARINT);
    CHECK_REFUSED(VARLONG, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", false, KAFKA_BAD_VARINT); /* 65 bits */
    CHECK_REFUSED(VARLONG, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", false, KAFKA_BAD_VARINT);
    CHECK_REFUSED(LENGTH_COMPACT, "\xff\xff\xff\xff\x10", true, KAFKA_BAD_VARINT);
}

/* That the last byte allowed says "goes on" is known without the byte after it. */
static void test_bad_varint_at_the_end(void **state)
{
    (void)state;
    CHECK_REFUSED(UVARINT, "\x80\x80\x80\x80\x80", false, KAFKA_BAD_VARINT);
    CHECK_REFUSED(VARLONG, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", false, KAFKA_BAD_VARINT);
}

static void test_lengths(void **state)
{
    (void)state;
    CHECK_VALUE(LENGTH16, "\x00\x00", 0);
    CHECK_VALUE(LENGTH16, "\x7f\xff", INT16_MAX);
    CHECK_VALUE(LENGTH16, "\xff\xff", -1);
    CHECK_VALUE(LENGTH32, "\x00\x00\x00\x00", 0);
    CHECK_VALUE(LENGTH32, "\x7f\xff\xff\xff", INT32_MAX);
    CHECK_VALUE(LENGTH32, "\xff\xff\xff\xff", -1);
    CHECK_VALUE(LENGTH_COMPACT, "\x00", -1);
    CHECK_VALUE(LENGTH_COMPACT, "\x01", 0);
    CHECK_VALUE(LENGTH_COMPACT, "\x80\x01", 127);
    CHECK_VALUE(LENGTH_COMPACT, "\x80\x80\x80\x80\x08", INT32_MAX);
}

static void test_bad_lengths(void **state)
{
    (void)state;
    for (int nullable = 0; nullable < 2; nullable++) {
        CHECK_REFUSED(LENGTH16, "\xff\xfe", nullable != 0, KAFKA_BAD_LENGTH);
        CHECK_REFUSED(LENGTH16, "\x80\x00", nullable != 0, KAFKA_BAD_LENGTH);
        CHECK_REFUSED(LENGTH32, "\xff\xff\xff\xfe", nullable != 0, KAFKA_BAD_LENGTH);
        CHECK_REFUSED(LENGTH32, "\x80\x00\x00\x00", nullable != 0, KAFKA_BAD_LENGTH);
        CHECK_REFUSED(LENGTH_COMPACT, "\x81\x80\x80\x80\x08", nullable != 0, KAFKA_BAD_LENGTH); /* INT32_MAX + 1 */
        CHECK_REFUSED(LENGTH_COMPACT, "\xff\xff\xff\xff\x0f", nullable != 0, KAFKA_BAD_LENGTH);
    }
    CHECK_REFUSED(LENGTH16, "\xff\xff", false, KAFKA_BAD_LENGTH);
    CHECK_REFUSED(LENGTH32, "\xff\xff\xff\xff", false, KAFKA_BAD_LENGTH);
    CHECK_REFUSED(LENGTH_COMPACT, "\x00", false, KAFKA_BAD_LENGTH);
}

static void test_need(void **state)
{
    struct kafka_cursor cursor = {.data = NULL, .offset = 4, .limit = 10, .captured = 8};

    (void)state;
    assert_int_equal(kafka_need(&cursor, 0), KAFKA_OK);
    assert_int_equal(kafka_need(&cursor, 4), KAFKA_OK);
    assert_int_equal(kafka_need(&cursor, 5), KAFKA_CUT);
    assert_int_equal(kafka_need(&cursor, 6), KAFKA_CUT);
    assert_int_equal(kafka_need(&cursor, 7), KAFKA_SHORT);
    assert_int_equal(kafka_need(&cursor, SIZE_MAX), KAFKA_SHORT);
    assert_int_equal(kafka_remaining(&cursor), 6);
    cursor.offset = 9; /* past what was captured */
    assert_int_equal(kafka_need(&cursor, 1), KAFKA_CUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_uvarint),
        cmocka_unit_test(test_overlong_but_legal),
        cmocka_unit_test(test_varint),
        cmocka_unit_test(test_varlong),
        cmocka_unit_test(test_bad_varints),
        cmocka_unit_test(test_bad_varint_at_the_end),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_bad_lengths),
        cmocka_unit_test(test_need),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
