/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields, arrays and structures by their type: right ones, and each way in which they can be wrong. */
#include "walk_check.h"

#include "wire/schema.h"

static void test_boolean(void **state)
{
    static const struct kafka_field field = FIELD("A", BOOL);

    (void)state;
    check_field(field, PLAIN, "00", COMPLETE, "A@0+1 = 0\n");
    check_field(field, PLAIN, "01", COMPLETE, "A@0+1 = 1\n");
    check_field(field, PLAIN, "07", MALFORMED,
                "A@0+1 = 7\n"
                "!BOOLEAN A@0+1 wanted 7 remaining 0\n");
    check_field(field, PLAIN, "ff", MALFORMED,
                "A@0+1 = 255\n"
                "!BOOLEAN A@0+1 wanted 255 remaining 0\n");
    check_field(field, PLAIN, "", MALFORMED, "!SHORT A@0+0 wanted 1 remaining 0\n");
    check_field(field, PLAIN, "|01", CUT, "!CUT A@0+0 wanted 1 remaining 1\n");
}

/* The walk goes on behind a boolean that is none. */
static void test_booleans(void **state)
{
    static const struct kafka_field field = ARRAY("A", BOOL);

    (void)state;
    check_field(field, PLAIN, "00000003 010200", MALFORMED,
                "A@0+4 x3 [\n"
                "A[0]@4+1 = 1\n"
                "A[1]@5+1 = 2\n"
                "!BOOLEAN A[1]@5+1 wanted 2 remaining 1\n"
                "A[2]@6+1 = 0\n"
                "]@7\n");
}

static void test_integers(void **state)
{
    static const struct kafka_field fields[] = {
        FIELD("A", INT8),  FIELD("B", INT16),  FIELD("C", UINT16),
        FIELD("D", INT32), FIELD("E", UINT32), FIELD("F", INT64),
    };
    static const struct kafka_struct body = LAYOUT(fields);

    (void)state;
    check_walk(&body, PLAIN, "7f 7fff 7fff 7fffffff 7fffffff 7fffffffffffffff", COMPLETE,
               "A@0+1 = 127\n"
               "B@1+2 = 32767\n"
               "C@3+2 = 32767\n"
               "D@5+4 = 2147483647\n"
               "E@9+4 = 2147483647\n"
               "F@13+8 = 9223372036854775807\n");
    check_walk(&body, PLAIN, "80 8000 8000 80000000 80000000 8000000000000000", COMPLETE,
               "A@0+1 = -128\n"
               "B@1+2 = -32768\n"
               "C@3+2 = 32768\n"
               "D@5+4 = -2147483648\n"
               "E@9+4 = 2147483648\n"
               "F@13+8 = -9223372036854775808\n");
    check_walk(&body, PLAIN, "ff ffff ffff ffffffff ffffffff ffffffffffffffff", COMPLETE,
               "A@0+1 = -1\n"
               "B@1+2 = -1\n"
               "C@3+2 = 65535\n"
               "D@5+4 = -1\n"
               "E@9+4 = 4294967295\n"
               "F@13+8 = -1\n");
}

static void test_short_integers(void **state)
{
    static const struct kafka_field int8 = FIELD("A", INT8);
    static const struct kafka_field int16 = FIELD("A", INT16);
    static const struct kafka_field uint16 = FIELD("A", UINT16);
    static const struct kafka_field int32 = FIELD("A", INT32);
    static const struct kafka_field uint32 = FIELD("A", UINT32);
    static const struct kafka_field int64 = FIELD("A", INT64);
    static const struct kafka_field float64 = FIELD("A", FLOAT64);
    static const struct kafka_field uuid = FIELD("A", UUID);

    (void)state;
    check_field(int8, PLAIN, "", MALFORMED, "!SHORT A@0+0 wanted 1 remaining 0\n");
    check_field(int16, PLAIN, "01", MALFORMED, "!SHORT A@0+1 wanted 2 remaining 1\nundecoded@0+1\n");
    check_field(uint16, PLAIN, "01", MALFORMED, "!SHORT A@0+1 wanted 2 remaining 1\nundecoded@0+1\n");
    check_field(int32, PLAIN, "010203", MALFORMED, "!SHORT A@0+3 wanted 4 remaining 3\nundecoded@0+3\n");
    check_field(uint32, PLAIN, "010203", MALFORMED, "!SHORT A@0+3 wanted 4 remaining 3\nundecoded@0+3\n");
    check_field(int64, PLAIN, "01020304050607", MALFORMED, "!SHORT A@0+7 wanted 8 remaining 7\nundecoded@0+7\n");
    check_field(float64, PLAIN, "01", MALFORMED, "!SHORT A@0+1 wanted 8 remaining 1\nundecoded@0+1\n");
    check_field(uuid, PLAIN, "0102030405060708090a0b0c0d0e0f", MALFORMED,
                "!SHORT A@0+15 wanted 16 remaining 15\nundecoded@0+15\n");

    check_field(int64, PLAIN, "010203|0405060708", CUT, "!CUT A@0+3 wanted 8 remaining 8\n");
    check_field(uuid, PLAIN, "01|02030405060708090a0b0c0d0e0f10", CUT, "!CUT A@0+1 wanted 16 remaining 16\n");
    /* The message is too short whether the capture is or not. */
    check_field(int64, PLAIN, "01|020304", MALFORMED, "!SHORT A@0+4 wanted 8 remaining 4\nundecoded@0+1\n");
}

static void test_float64(void **state)
{
    static const struct kafka_field field = FIELD("A", FLOAT64);

    (void)state;
    check_field(field, PLAIN, "3ff8000000000000", COMPLETE, "A@0+8 = 1.5\n");
    check_field(field, PLAIN, "c024000000000000", COMPLETE, "A@0+8 = -10\n");
    check_field(field, PLAIN, "0000000000000000", COMPLETE, "A@0+8 = 0\n");
    check_field(field, PLAIN, "7ff0000000000000", COMPLETE, "A@0+8 = inf\n");
}

static void test_uuid(void **state)
{
    static const struct kafka_field field = FIELD("A", UUID);

    (void)state;
    check_field(field, PLAIN, "00112233445566778899aabbccddeeff", COMPLETE, "A@0+16 = 0..16\n");
}

static void test_string(void **state)
{
    static const struct kafka_field field = FIELD("A", STRING);
    static const struct kafka_field nullable = NULLABLE("A", STRING);

    (void)state;
    check_field(field, PLAIN, "0003 616263", COMPLETE, "A@0+5 = 2..5\n");
    check_field(field, PLAIN, "0000", COMPLETE, "A@0+2 = 2..2\n");
    check_field(nullable, PLAIN, "ffff", COMPLETE, "A@0+2 = null\n");
    check_field(nullable, PLAIN, "0000", COMPLETE, "A@0+2 = 2..2\n");

    check_field(field, PLAIN, "ffff", MALFORMED,
                "!NULL A@0+2 wanted -1 remaining 0\n"
                "A@0+2 = null\n");
    check_field(nullable, PLAIN, "fffe 6162", MALFORMED,
                "!LENGTH A@0+2 wanted -2 remaining 4\n"
                "undecoded@0+4\n");
    check_field(field, PLAIN, "8000", MALFORMED,
                "!LENGTH A@0+2 wanted -32768 remaining 2\n"
                "undecoded@0+2\n");
    check_field(field, PLAIN, "0004 616263", MALFORMED,
                "!LENGTH A@0+2 wanted 4 remaining 3\n"
                "undecoded@0+5\n");
    check_field(field, PLAIN, "00", MALFORMED, "!SHORT A@0+1 wanted 2 remaining 1\nundecoded@0+1\n");

    check_field(field, PLAIN, "0003 61|6263", CUT,
                "A@0+5 = 2..5\n"
                "!CUT A@2+1 wanted 3 remaining 3\n");
    check_field(field, PLAIN, "0003|616263", CUT,
                "A@0+5 = 2..5\n"
                "!CUT A@2+0 wanted 3 remaining 3\n");
    check_field(field, PLAIN, "00|03616263", CUT, "!CUT A@0+1 wanted 2 remaining 5\n");
    check_field(field, PLAIN, "0004|616263", MALFORMED,
                "!LENGTH A@0+2 wanted 4 remaining 3\n"
                "undecoded@0+2\n");
}

/* Versions with compact lengths end with a tag section, which here is empty. */
static void test_compact_string(void **state)
{
    static const struct kafka_field field = FIELD("A", STRING);
    static const struct kafka_field nullable = NULLABLE("A", STRING);

    (void)state;
    check_field(field, FLEXIBLE, "04 616263 00", COMPLETE, "A@0+4 = 1..4\n");
    check_field(field, FLEXIBLE, "01 00", COMPLETE, "A@0+1 = 1..1\n");
    check_field(nullable, FLEXIBLE, "00 00", COMPLETE, "A@0+1 = null\n");
    check_field(nullable, FLEXIBLE, "01 00", COMPLETE, "A@0+1 = 1..1\n");
    check_field(field, FLEXIBLE, "8400 616263 00", COMPLETE, "A@0+5 = 2..5\n");

    check_field(field, FLEXIBLE, "00 00", MALFORMED,
                "!NULL A@0+1 wanted -1 remaining 1\n"
                "A@0+1 = null\n");
    check_field(field, FLEXIBLE, "05 616263", MALFORMED,
                "!LENGTH A@0+1 wanted 4 remaining 3\n"
                "undecoded@0+4\n");
    check_field(field, FLEXIBLE, "8180808008 61", MALFORMED,
                "!LENGTH A@0+5 wanted 2147483648 remaining 1\n"
                "undecoded@0+6\n");
    check_field(field, FLEXIBLE, "ffffffff0f 61", MALFORMED,
                "!LENGTH A@0+5 wanted 4294967294 remaining 1\n"
                "undecoded@0+6\n");
    check_field(field, FLEXIBLE, "8080808010 61", MALFORMED,
                "!VARINT A@0+5 wanted 0 remaining 6\n"
                "undecoded@0+6\n");
    check_field(field, FLEXIBLE, "8080808080 8080808080 00", MALFORMED,
                "!VARINT A@0+5 wanted 0 remaining 11\n"
                "undecoded@0+11\n");
    check_field(field, FLEXIBLE, "", MALFORMED, "!SHORT A@0+0 wanted 1 remaining 0\n");
    check_field(field, FLEXIBLE, "8080", MALFORMED,
                "!SHORT A@0+2 wanted 3 remaining 2\n"
                "undecoded@0+2\n");

    check_field(field, FLEXIBLE, "04 6162|63 00", CUT,
                "A@0+4 = 1..4\n"
                "!CUT A@1+2 wanted 3 remaining 4\n");
    check_field(field, FLEXIBLE, "84|00 616263 00", CUT, "!CUT A@0+1 wanted 1 remaining 6\n");
}

static void test_bytes_and_records(void **state)
{
    static const enum kafka_type types[] = {KAFKA_TYPE_BYTES, KAFKA_TYPE_RECORDS};
    struct kafka_field field = FIELD("A", BYTES);
    struct kafka_field nullable = NULLABLE("A", BYTES);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        field.type = nullable.type = types[i];
        check_field(field, PLAIN, "00000002 0102", COMPLETE, "A@0+6 = 4..6\n");
        check_field(field, PLAIN, "00000000", COMPLETE, "A@0+4 = 4..4\n");
        check_field(nullable, PLAIN, "ffffffff", COMPLETE, "A@0+4 = null\n");
        check_field(field, FLEXIBLE, "03 0102 00", COMPLETE, "A@0+3 = 1..3\n");
        check_field(field, FLEXIBLE, "01 00", COMPLETE, "A@0+1 = 1..1\n");
        check_field(nullable, FLEXIBLE, "00 00", COMPLETE, "A@0+1 = null\n");

        check_field(field, PLAIN, "ffffffff", MALFORMED,
                    "!NULL A@0+4 wanted -1 remaining 0\n"
                    "A@0+4 = null\n");
        check_field(nullable, PLAIN, "fffffffe", MALFORMED,
                    "!LENGTH A@0+4 wanted -2 remaining 4\n"
                    "undecoded@0+4\n");
        check_field(nullable, PLAIN, "80000000 00", MALFORMED,
                    "!LENGTH A@0+4 wanted -2147483648 remaining 5\n"
                    "undecoded@0+5\n");
        check_field(field, PLAIN, "7fffffff 0102", MALFORMED,
                    "!LENGTH A@0+4 wanted 2147483647 remaining 2\n"
                    "undecoded@0+6\n");
        check_field(field, PLAIN, "00000002 01|02", CUT,
                    "A@0+6 = 4..6\n"
                    "!CUT A@4+1 wanted 2 remaining 2\n");
    }
}

static void test_array(void **state)
{
    static const struct kafka_field field = ARRAY("A", INT16);
    static const struct kafka_field nullable = NULLABLE_ARRAY("A", INT16);

    (void)state;
    check_field(field, PLAIN, "00000002 0001 fffe", COMPLETE,
                "A@0+4 x2 [\n"
                "A[0]@4+2 = 1\n"
                "A[1]@6+2 = -2\n"
                "]@8\n");
    check_field(field, FLEXIBLE, "03 0001 fffe 00", COMPLETE,
                "A@0+1 x2 [\n"
                "A[0]@1+2 = 1\n"
                "A[1]@3+2 = -2\n"
                "]@5\n");
    check_field(field, PLAIN, "00000000", COMPLETE, "A@0+4 x0 [\n]@4\n");
    check_field(field, FLEXIBLE, "01 00", COMPLETE, "A@0+1 x0 [\n]@1\n");
    check_field(nullable, PLAIN, "ffffffff", COMPLETE, "A@0+4 null [\n]@4\n");
    check_field(nullable, FLEXIBLE, "00 00", COMPLETE, "A@0+1 null [\n]@1\n");

    check_field(field, PLAIN, "ffffffff", MALFORMED,
                "!NULL A@0+4 wanted -1 remaining 0\n"
                "A@0+4 null [\n"
                "]@4\n");
    check_field(field, FLEXIBLE, "00 00", MALFORMED,
                "!NULL A@0+1 wanted -1 remaining 1\n"
                "A@0+1 null [\n"
                "]@1\n");
    check_field(nullable, PLAIN, "fffffffe", MALFORMED,
                "!COUNT A@0+4 wanted -2 remaining 4\n"
                "undecoded@0+4\n");
    check_field(field, PLAIN, "00000002 0001 ff", MALFORMED,
                "A@0+4 x2 [\n"
                "A[0]@4+2 = 1\n"
                "!SHORT A[1]@6+1 wanted 2 remaining 1\n"
                "]@6\n"
                "undecoded@6+1\n");
    check_field(field, PLAIN, "00000002 0001 ff|fe", CUT,
                "A@0+4 x2 [\n"
                "A[0]@4+2 = 1\n"
                "!CUT A[1]@6+1 wanted 2 remaining 2\n"
                "]@6\n");
}

/* No count makes the walk longer than the bytes are. */
static void test_two_billion_elements(void **state)
{
    static const struct kafka_field field = ARRAY("A", INT8);
    static const struct kafka_field strings = NULLABLE_ARRAY("A", STRING);

    (void)state;
    check_field(field, PLAIN, "77359400 0102", MALFORMED,
                "!COUNT A@0+4 wanted 2000000000 remaining 2\n"
                "undecoded@0+6\n");
    check_field(field, FLEXIBLE, "81a8d6b907 0102", MALFORMED,
                "!COUNT A@0+5 wanted 2000000000 remaining 2\n"
                "undecoded@0+7\n");
    check_field(field, FLEXIBLE, "ffffffff0f 0102", MALFORMED,
                "!COUNT A@0+5 wanted 4294967294 remaining 2\n"
                "undecoded@0+7\n");
    check_field(strings, PLAIN, "7fffffff", MALFORMED,
                "!COUNT A@0+4 wanted 2147483647 remaining 0\n"
                "undecoded@0+4\n");
    check_field(field, PLAIN, "77359400|0102", MALFORMED,
                "!COUNT A@0+4 wanted 2000000000 remaining 2\n"
                "undecoded@0+4\n");
}

/* Elements are never null themselves: what may be null is the array. */
static void test_array_of_strings(void **state)
{
    static const struct kafka_field field = NULLABLE_ARRAY("A", STRING);

    (void)state;
    check_field(field, PLAIN, "00000002 0001 61 0000", COMPLETE,
                "A@0+4 x2 [\n"
                "A[0]@4+3 = 6..7\n"
                "A[1]@7+2 = 9..9\n"
                "]@9\n");
    check_field(field, FLEXIBLE, "03 0261 01 00", COMPLETE,
                "A@0+1 x2 [\n"
                "A[0]@1+2 = 2..3\n"
                "A[1]@3+1 = 4..4\n"
                "]@4\n");
    check_field(field, PLAIN, "00000002 ffff 0001 61", MALFORMED,
                "A@0+4 x2 [\n"
                "!NULL A[0]@4+2 wanted -1 remaining 3\n"
                "A[0]@4+2 = null\n"
                "A[1]@6+3 = 8..9\n"
                "]@9\n");
    check_field(field, FLEXIBLE, "03 09616263 00", MALFORMED,
                "A@0+1 x2 [\n"
                "!LENGTH A[0]@1+1 wanted 8 remaining 4\n"
                "]@1\n"
                "undecoded@1+5\n");
}

static const struct kafka_field member_fields[] = {FIELD("M", INT8), FIELD("N", STRING)};
static const struct kafka_struct members = LAYOUT(member_fields);

static void test_struct(void **state)
{
    static const struct kafka_field fields[] = {STRUCT("A", &members), FIELD("B", INT8)};
    static const struct kafka_struct body = LAYOUT(fields);

    (void)state;
    check_walk(&body, PLAIN, "01 0001 61 02", COMPLETE,
               "A@0 {\n"
               "M@0+1 = 1\n"
               "N@1+3 = 3..4\n"
               "}@4\n"
               "B@4+1 = 2\n");
    /* An empty tag section is the last byte of its structure. */
    check_walk(&body, FLEXIBLE, "01 0261 00 02 00", COMPLETE,
               "A@0 {\n"
               "M@0+1 = 1\n"
               "N@1+2 = 2..3\n"
               "}@4\n"
               "B@4+1 = 2\n");
    check_walk(&body, PLAIN, "01 0009 61 02", MALFORMED,
               "A@0 {\n"
               "M@0+1 = 1\n"
               "!LENGTH N@1+2 wanted 9 remaining 2\n"
               "}@1\n"
               "undecoded@1+4\n");
    check_walk(&body, PLAIN, "01 00|0161 02", CUT,
               "A@0 {\n"
               "M@0+1 = 1\n"
               "!CUT N@1+1 wanted 2 remaining 4\n"
               "}@1\n");
    /* What there is of a value that is cut belongs to its structure. */
    check_walk(&body, PLAIN, "01 0003 61|6263 02", CUT,
               "A@0 {\n"
               "M@0+1 = 1\n"
               "N@1+5 = 3..6\n"
               "!CUT N@3+1 wanted 3 remaining 4\n"
               "}@4\n");
}

static void test_nullable_struct(void **state)
{
    static const struct kafka_field fields[] = {NULLABLE_STRUCT("A", &members), FIELD("B", INT8)};
    static const struct kafka_struct body = LAYOUT(fields);

    (void)state;
    check_walk(&body, FLEXIBLE, "01 01 0261 00 02 00", COMPLETE,
               "A@0 {\n"
               "M@1+1 = 1\n"
               "N@2+2 = 3..4\n"
               "}@5\n"
               "B@5+1 = 2\n");
    check_walk(&body, FLEXIBLE, "ff 02 00", COMPLETE,
               "A@0 null {\n"
               "}@1\n"
               "B@1+1 = 2\n");
    /* Kafka takes any negative byte for null and any other for a structure. */
    check_walk(&body, FLEXIBLE, "80 02 00", MALFORMED,
               "A@0 null {\n"
               "}@1\n"
               "!PRESENCE A@0+1 wanted -128 remaining 2\n"
               "B@1+1 = 2\n");
    check_walk(&body, FLEXIBLE, "00 01 0261 00 02 00", MALFORMED,
               "!PRESENCE A@0+1 wanted 0 remaining 6\n"
               "A@0 {\n"
               "M@1+1 = 1\n"
               "N@2+2 = 3..4\n"
               "}@5\n"
               "B@5+1 = 2\n");
    check_walk(&body, FLEXIBLE, "7f 01 0261 00 02 00", MALFORMED,
               "!PRESENCE A@0+1 wanted 127 remaining 6\n"
               "A@0 {\n"
               "M@1+1 = 1\n"
               "N@2+2 = 3..4\n"
               "}@5\n"
               "B@5+1 = 2\n");
    check_walk(&body, FLEXIBLE, "", MALFORMED, "!SHORT A@0+0 wanted 1 remaining 0\n");
    check_walk(&body, FLEXIBLE, "|ff 02 00", CUT, "!CUT A@0+0 wanted 1 remaining 3\n");
    check_walk(&body, FLEXIBLE, "01", MALFORMED,
               "A@0 {\n"
               "!SHORT M@1+0 wanted 1 remaining 0\n"
               "}@1\n");
}

static void test_array_of_structs(void **state)
{
    static const struct kafka_field field = STRUCT_ARRAY("A", &members);

    (void)state;
    check_field(field, PLAIN, "00000002 01 0000 02 0001 61", COMPLETE,
                "A@0+4 x2 [\n"
                "A[0]@4 {\n"
                "M@4+1 = 1\n"
                "N@5+2 = 7..7\n"
                "}@7\n"
                "A[1]@7 {\n"
                "M@7+1 = 2\n"
                "N@8+3 = 10..11\n"
                "}@11\n"
                "]@11\n");
    check_field(field, FLEXIBLE, "02 01 01 00 00", COMPLETE,
                "A@0+1 x1 [\n"
                "A[0]@1 {\n"
                "M@1+1 = 1\n"
                "N@2+1 = 3..3\n"
                "}@4\n"
                "]@4\n");
    check_field(field, PLAIN, "00000002 01 0000 02", MALFORMED,
                "A@0+4 x2 [\n"
                "A[0]@4 {\n"
                "M@4+1 = 1\n"
                "N@5+2 = 7..7\n"
                "}@7\n"
                "A[1]@7 {\n"
                "M@7+1 = 2\n"
                "!SHORT N@8+0 wanted 2 remaining 0\n"
                "}@8\n"
                "]@8\n");
}

/* Elements of no bytes: the count bounds nothing, so it is not believed. */
static void test_array_without_progress(void **state)
{
    static const struct kafka_struct empty = {"Empty", NULL, 0};
    static const struct kafka_field field = STRUCT_ARRAY("A", &empty);

    (void)state;
    check_field(field, PLAIN, "00000002 0102", MALFORMED,
                "A@0+4 x2 [\n"
                "A[0]@4 {\n"
                "}@4\n"
                "!COUNT A@0+4 wanted 2 remaining 2\n"
                "]@4\n"
                "undecoded@4+2\n");
    check_field(field, PLAIN, "00000000", COMPLETE, "A@0+4 x0 [\n]@4\n");
    check_field(field, FLEXIBLE, "03 00 00 00", COMPLETE,
                "A@0+1 x2 [\n"
                "A[0]@1 {\n"
                "}@2\n"
                "A[1]@2 {\n"
                "}@3\n"
                "]@3\n");
}

static void test_left_over(void **state)
{
    static const struct kafka_field field = FIELD("A", INT8);

    (void)state;
    check_field(field, PLAIN, "01 020304", MALFORMED,
                "A@0+1 = 1\n"
                "!LEFTOVER ?@1+3 wanted 0 remaining 3\n");
    check_field(field, FLEXIBLE, "01 00 02", MALFORMED,
                "A@0+1 = 1\n"
                "!LEFTOVER ?@2+1 wanted 0 remaining 1\n");
    /* The length is the message's, though not all of it was captured. */
    check_field(field, PLAIN, "01 02|0304", MALFORMED,
                "A@0+1 = 1\n"
                "!LEFTOVER ?@1+3 wanted 0 remaining 3\n");
}

/* Only what is captured behind the fault is there to be shown as undecoded. */
static void test_cut_behind_a_fault(void **state)
{
    static const struct kafka_field fields[] = {FIELD("A", BOOL), FIELD("B", STRING)};
    static const struct kafka_struct body = LAYOUT(fields);

    (void)state;
    check_walk(&body, PLAIN, "07 0003 61|6263", MALFORMED,
               "A@0+1 = 7\n"
               "!BOOLEAN A@0+1 wanted 7 remaining 5\n"
               "B@1+5 = 3..6\n"
               "!CUT B@3+1 wanted 3 remaining 3\n");
    check_walk(&body, PLAIN, "07 00|03 616263", MALFORMED,
               "A@0+1 = 7\n"
               "!BOOLEAN A@0+1 wanted 7 remaining 5\n"
               "!CUT B@1+1 wanted 2 remaining 5\n");
    check_walk(&body, PLAIN, "01 0009 61|6263", MALFORMED,
               "A@0+1 = 1\n"
               "!LENGTH B@1+2 wanted 9 remaining 3\n"
               "undecoded@1+3\n");
}

static void test_versions(void **state)
{
    static const struct kafka_field fields[] = {
        {.name = "A",
         .type = KAFKA_TYPE_INT8,
         .versions = {0, 0},
         .nullable = NO_VERSION,
         .tagged = NO_VERSION,
         .tag = -1},
        {.name = "B",
         .type = KAFKA_TYPE_STRING,
         .versions = {1, 2},
         .nullable = {2, 2},
         .tagged = NO_VERSION,
         .tag = -1},
        {.name = "C",
         .type = KAFKA_TYPE_INT8,
         .versions = {2, INT16_MAX},
         .nullable = NO_VERSION,
         .tagged = NO_VERSION,
         .tag = -1},
    };
    static const struct kafka_struct body = LAYOUT(fields);
    static const struct kafka_message message = {
        .name = "Message", .versions = {0, 3}, .flexible = NO_VERSION, .body = &body};
    static const struct {
        const char *hex;
        const char *expected;
        enum kafka_walk_result result;
        int16_t version;
    } cases[] = {
        {"01", "A@0+1 = 1\n", COMPLETE, 0},
        {"0001 61", "B@0+3 = 2..3\n", COMPLETE, 1},
        {"ffff", "!NULL B@0+2 wanted -1 remaining 0\nB@0+2 = null\n", MALFORMED, 1},
        {"ffff 01", "B@0+2 = null\nC@2+1 = 1\n", COMPLETE, 2},
        {"01", "C@0+1 = 1\n", COMPLETE, 3},
        {"01", "C@0+1 = 1\n", COMPLETE, 1000}, /* as if the schema had it */
        {"", "", COMPLETE, -1},
    };
    static struct walk_record record;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct builder bytes = {.size = 0};
        struct kafka_cursor cursor = open_exactly(&bytes, put_hex(&bytes, cases[i].hex));
        cursor.limit = bytes.size;
        assert_int_equal(record_walk(&record, &cursor, &message, cases[i].version), cases[i].result);
        assert_string_equal(record.text, cases[i].expected);
        close_exactly(&cursor);
    }
}

/* A walk begins where the cursor stands, ends at its limit, and moves it to where decoding ended. */
static void test_cursor(void **state)
{
    static const uint8_t bytes[] = {9, 9, 1, 0, 1, 'a', 9};
    static const struct kafka_field fields[] = {FIELD("A", INT8), FIELD("B", STRING)};
    static const struct kafka_struct body = LAYOUT(fields);
    static const struct kafka_message message = {.versions = {0, 0}, .flexible = NO_VERSION, .body = &body};
    static struct walk_record record;
    struct kafka_cursor cursor = {.data = bytes, .offset = 2, .limit = 6, .captured = sizeof bytes};

    (void)state;
    assert_int_equal(record_walk(&record, &cursor, &message, 0), COMPLETE);
    assert_string_equal(record.text, "A@2+1 = 1\nB@3+3 = 5..6\n");
    assert_int_equal(cursor.offset, 6);
    assert_int_equal(cursor.limit, 6);

    cursor = (struct kafka_cursor){.data = bytes, .offset = 2, .limit = 5, .captured = sizeof bytes};
    assert_int_equal(record_walk(&record, &cursor, &message, 0), MALFORMED);
    assert_string_equal(record.text, "A@2+1 = 1\n!LENGTH B@3+2 wanted 1 remaining 0\nundecoded@3+2\n");
    assert_int_equal(cursor.offset, 3);
}

/* A schema that contains itself must not bring the walk down. */
static const struct kafka_struct endless;
static const struct kafka_field endless_fields[] = {STRUCT("A", &endless)};
static const struct kafka_struct endless = LAYOUT(endless_fields);

static void test_endless_schema(void **state)
{
    static const struct kafka_message message = {.versions = {0, 0}, .flexible = NO_VERSION, .body = &endless};
    static const uint8_t bytes[] = {1, 2};
    static struct walk_record record;
    struct kafka_cursor cursor = {.data = bytes, .limit = sizeof bytes, .captured = sizeof bytes};

    (void)state;
    assert_int_equal(record_walk(&record, &cursor, &message, 0), MALFORMED);
    assert_non_null(strstr(record.text, "!SHORT ?@0+2 wanted 3 remaining 2\n}@0\n"));
    assert_non_null(strstr(record.text, "}@0\nundecoded@0+2\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boolean),
        cmocka_unit_test(test_booleans),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_short_integers),
        cmocka_unit_test(test_float64),
        cmocka_unit_test(test_uuid),
        cmocka_unit_test(test_string),
        cmocka_unit_test(test_compact_string),
        cmocka_unit_test(test_bytes_and_records),
        cmocka_unit_test(test_array),
        cmocka_unit_test(test_two_billion_elements),
        cmocka_unit_test(test_array_of_strings),
        cmocka_unit_test(test_struct),
        cmocka_unit_test(test_nullable_struct),
        cmocka_unit_test(test_array_of_structs),
        cmocka_unit_test(test_array_without_progress),
        cmocka_unit_test(test_left_over),
        cmocka_unit_test(test_cut_behind_a_fault),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_cursor),
        cmocka_unit_test(test_endless_schema),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
