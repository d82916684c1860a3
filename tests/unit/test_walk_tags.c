/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tag sections: known and unknown tags, their order and sizes, and what is nested in them. */
#include "walk_check.h"

static const struct kafka_field inner_fields[] = {FIELD("M", INT8), TAGGED("T", INT16, 0)};
static const struct kafka_struct inner = LAYOUT(inner_fields);

static const struct kafka_field outer_fields[] = {
    FIELD("A", INT8),           TAGGED("B", INT16, 0),         TAGGED_NULLABLE("C", STRING, 1),
    TAGGED_ARRAY("D", INT8, 2), TAGGED_STRUCT("E", &inner, 3),
};
static const struct kafka_struct outer = LAYOUT(outer_fields);

static void check(const char *hex, enum kafka_walk_result result, const char *expected)
{
    check_walk(&outer, FLEXIBLE, hex, result, expected);
}

static void test_none(void **state)
{
    (void)state;
    check("01 00", COMPLETE, "A@0+1 = 1\n");
    check("01 8000", COMPLETE, "A@0+1 = 1\n");
    check("01", MALFORMED, "A@0+1 = 1\n!SHORT ?@1+0 wanted 1 remaining 0\n");
    check("01|00", CUT, "A@0+1 = 1\n!CUT ?@1+0 wanted 1 remaining 1\n");
    check("01 80", MALFORMED, "A@0+1 = 1\n!SHORT ?@1+1 wanted 2 remaining 1\nundecoded@1+1\n");
    check("01 8080808010", MALFORMED, "A@0+1 = 1\n!VARINT ?@1+5 wanted 0 remaining 5\nundecoded@1+5\n");
}

/* Before tags there were no tag sections, and a field that is tagged is no ordinary one. */
static void test_not_flexible(void **state)
{
    (void)state;
    check_walk(&outer, PLAIN, "01", COMPLETE, "A@0+1 = 1\n");
    check_walk(&outer, PLAIN, "01 00", MALFORMED, "A@0+1 = 1\n!LEFTOVER ?@1+1 wanted 0 remaining 1\n");
}

static void test_known(void **state)
{
    (void)state;
    check("01 03 0002 fffe 0103 036162 0203 03 0708", COMPLETE,
          "A@0+1 = 1\n"
          "tags@1+1 x3 (\n"
          "tag 0 B@2+1+1: 4..6 <\n"
          "B@4+2 = -2\n"
          ">@6\n"
          "tag 1 C@6+1+1: 8..11 <\n"
          "C@8+3 = 9..11\n"
          ">@11\n"
          "tag 2 D@11+1+1: 13..16 <\n"
          "D@13+1 x2 [\n"
          "D[0]@14+1 = 7\n"
          "D[1]@15+1 = 8\n"
          "]@16\n"
          ">@16\n"
          ")@16\n");
    check("01 01 0101 00", COMPLETE,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "tag 1 C@2+1+1: 4..5 <\n"
          "C@4+1 = null\n"
          ">@5\n"
          ")@5\n");
}

static void test_unknown(void **state)
{
    (void)state;
    check("01 02 0403 616263 0900", COMPLETE,
          "A@0+1 = 1\n"
          "tags@1+1 x2 (\n"
          "tag 4 ?@2+1+1: 4..7 <\n"
          ">@7\n"
          "tag 9 ?@7+1+1: 9..9 <\n"
          ">@9\n"
          ")@9\n");
    check("01 01 ffffffff0f 8100 61", COMPLETE,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "tag 4294967295 ?@2+5+2: 9..10 <\n"
          ">@10\n"
          ")@10\n");
}

static void test_order(void **state)
{
    (void)state;
    check("01 02 0501 61 0002 0001", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x2 (\n"
          "tag 5 ?@2+1+1: 4..5 <\n"
          ">@5\n"
          "tag 0 B@5+1+1: 7..9 <\n"
          "!TAG_ORDER B@5+1 wanted 0 remaining 2\n"
          "B@7+2 = 1\n"
          ">@9\n"
          ")@9\n");
    /* The same tag twice. */
    check("01 02 0002 0001 0002 0002", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x2 (\n"
          "tag 0 B@2+1+1: 4..6 <\n"
          "B@4+2 = 1\n"
          ">@6\n"
          "tag 0 B@6+1+1: 8..10 <\n"
          "!TAG_ORDER B@6+1 wanted 0 remaining 2\n"
          "B@8+2 = 2\n"
          ">@10\n"
          ")@10\n");
}

/* The size of a tagged field bounds it, and the walk goes on behind it. */
static void test_size_and_type_differ(void **state)
{
    (void)state;
    check("01 02 0003 000102 0501 61", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x2 (\n"
          "tag 0 B@2+1+1: 4..7 <\n"
          "B@4+2 = 1\n"
          "!TAG_EXCESS B@6+1 wanted 3 remaining 1\n"
          ">@7\n"
          "tag 5 ?@7+1+1: 9..10 <\n"
          ">@10\n"
          ")@10\n");
    check("01 02 0001 00 0501 61", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x2 (\n"
          "tag 0 B@2+1+1: 4..5 <\n"
          "!SHORT B@4+1 wanted 2 remaining 1\n"
          "undecoded@4+1\n"
          ">@5\n"
          "tag 5 ?@5+1+1: 7..8 <\n"
          ">@8\n"
          ")@8\n");
    check("01 02 0000 0501 61", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x2 (\n"
          "tag 0 B@2+1+1: 4..4 <\n"
          "!SHORT B@4+0 wanted 2 remaining 0\n"
          ">@4\n"
          "tag 5 ?@4+1+1: 6..7 <\n"
          ">@7\n"
          ")@7\n");
}

/* A length or count inside a tagged field is held to its size, though the message goes on. */
static void test_limit_of_a_tag(void **state)
{
    (void)state;
    check("01 02 0102 0461 0503 616263", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x2 (\n"
          "tag 1 C@2+1+1: 4..6 <\n"
          "!LENGTH C@4+1 wanted 3 remaining 1\n"
          "undecoded@4+2\n"
          ">@6\n"
          "tag 5 ?@6+1+1: 8..11 <\n"
          ">@11\n"
          ")@11\n");
    check("01 02 0202 0407 0503 616263", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x2 (\n"
          "tag 2 D@2+1+1: 4..6 <\n"
          "!COUNT D@4+1 wanted 3 remaining 1\n"
          "undecoded@4+2\n"
          ">@6\n"
          "tag 5 ?@6+1+1: 8..11 <\n"
          ">@11\n"
          ")@11\n");
}

static void test_nested(void **state)
{
    (void)state;
    check("01 01 0302 0700", COMPLETE,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "tag 3 E@2+1+1: 4..6 <\n"
          "E@4 {\n"
          "M@4+1 = 7\n"
          "}@6\n"
          ">@6\n"
          ")@6\n");
    /* Tag 0 is another field inside. */
    check("01 01 0308 07 02 0002 0009 0500", COMPLETE,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "tag 3 E@2+1+1: 4..12 <\n"
          "E@4 {\n"
          "M@4+1 = 7\n"
          "tags@5+1 x2 (\n"
          "tag 0 T@6+1+1: 8..10 <\n"
          "T@8+2 = 9\n"
          ">@10\n"
          "tag 5 ?@10+1+1: 12..12 <\n"
          ">@12\n"
          ")@12\n"
          "}@12\n"
          ">@12\n"
          ")@12\n");
    /* The inner one says that it is longer than the outer one. */
    check("01 02 0306 07 01 0003 0009 0501 61", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x2 (\n"
          "tag 3 E@2+1+1: 4..10 <\n"
          "E@4 {\n"
          "M@4+1 = 7\n"
          "tags@5+1 x1 (\n"
          "!LENGTH T@7+1 wanted 3 remaining 2\n"
          ")@6\n"
          "}@6\n"
          "undecoded@6+4\n"
          ">@10\n"
          "tag 5 ?@10+1+1: 12..13 <\n"
          ">@13\n"
          ")@13\n");
    check("01 01 0306 07 01 0002 00|09", CUT,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "tag 3 E@2+1+1: 4..10 <\n"
          "E@4 {\n"
          "M@4+1 = 7\n"
          "tags@5+1 x1 (\n"
          "tag 0 T@6+1+1: 8..10 <\n"
          "!CUT T@8+1 wanted 2 remaining 2\n"
          ">@10\n"
          ")@9\n"
          "}@9\n"
          ">@10\n"
          ")@9\n");
}

/* Inside a tag section a structure has a presence byte if it may be null, and only then. */
static void test_nullable_struct_in_a_tag(void **state)
{
    static const struct kafka_field fields[] = {
        MAKE_FIELD("E", STRUCT, false, IN_ALL, IN_ALL, 0, &inner),
    };
    static const struct kafka_struct body = LAYOUT(fields);

    (void)state;
    check_walk(&body, FLEXIBLE, "01 0003 010700", COMPLETE,
               "tags@0+1 x1 (\n"
               "tag 0 E@1+1+1: 3..6 <\n"
               "E@3 {\n"
               "M@4+1 = 7\n"
               "}@6\n"
               ">@6\n"
               ")@6\n");
    check_walk(&body, FLEXIBLE, "01 0001 ff", COMPLETE,
               "tags@0+1 x1 (\n"
               "tag 0 E@1+1+1: 3..4 <\n"
               "E@3 null {\n"
               "}@4\n"
               ">@4\n"
               ")@4\n");
}

static void test_counts(void **state)
{
    (void)state;
    /* A tagged field takes two bytes at least. */
    check("01 03 0400 0500 06", MALFORMED,
          "A@0+1 = 1\n"
          "!COUNT ?@1+1 wanted 3 remaining 5\n"
          "undecoded@1+6\n");
    check("01 8094ebdc03 0400", MALFORMED,
          "A@0+1 = 1\n"
          "!COUNT ?@1+5 wanted 1000000000 remaining 2\n"
          "undecoded@1+7\n");
    check("01 ffffffff0f 0400", MALFORMED,
          "A@0+1 = 1\n"
          "!COUNT ?@1+5 wanted 4294967295 remaining 2\n"
          "undecoded@1+7\n");
    check("01 01 0400 0500", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "tag 4 ?@2+1+1: 4..4 <\n"
          ">@4\n"
          ")@4\n"
          "!LEFTOVER ?@4+2 wanted 0 remaining 2\n");
}

/* A tag whose number, size or data cannot be read. */
static void test_broken_tag(void **state)
{
    (void)state;
    check("01 02 0402 6162 8080", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x2 (\n"
          "tag 4 ?@2+1+1: 4..6 <\n"
          ">@6\n"
          "!SHORT ?@6+2 wanted 3 remaining 2\n"
          ")@6\n"
          "undecoded@6+2\n");
    check("01 01 0080", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "!SHORT B@3+1 wanted 2 remaining 1\n"
          ")@2\n"
          "undecoded@2+2\n");
    check("01 01 00 8080808080", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "!VARINT B@3+5 wanted 0 remaining 5\n"
          ")@2\n"
          "undecoded@2+6\n");
    check("01 01 0003 0001", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "!LENGTH B@3+1 wanted 3 remaining 2\n"
          ")@2\n"
          "undecoded@2+4\n");
    check("01 01 04ffffffff0f 61", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "!LENGTH ?@3+5 wanted 4294967295 remaining 1\n"
          ")@2\n"
          "undecoded@2+7\n");
}

static void test_cut(void **state)
{
    (void)state;
    check("01 01 04|02 6162", CUT,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "!CUT ?@3+0 wanted 1 remaining 3\n"
          ")@2\n");
    check("01 01 0402 61|62", CUT,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "tag 4 ?@2+1+1: 4..6 <\n"
          "!CUT ?@4+1 wanted 2 remaining 2\n"
          ">@6\n"
          ")@5\n");
    check("01 01 0104 0461|6263", CUT,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "tag 1 C@2+1+1: 4..8 <\n"
          "C@4+4 = 5..8\n"
          "!CUT C@5+1 wanted 3 remaining 3\n"
          ">@8\n"
          ")@6\n");
    /* What is wrong in a tagged field is told, and then that the walk could not go on behind it. */
    check("01 01 0105 0961|626364", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "tag 1 C@2+1+1: 4..9 <\n"
          "!LENGTH C@4+1 wanted 8 remaining 4\n"
          "undecoded@4+2\n"
          "!CUT C@6+0 wanted 5 remaining 3\n"
          ">@9\n"
          ")@6\n");
    check("01 01 0004 000161|62", MALFORMED,
          "A@0+1 = 1\n"
          "tags@1+1 x1 (\n"
          "tag 0 B@2+1+1: 4..8 <\n"
          "B@4+2 = 1\n"
          "!TAG_EXCESS B@6+2 wanted 4 remaining 2\n"
          "!CUT B@7+0 wanted 4 remaining 1\n"
          ">@8\n"
          ")@7\n");
}

static void test_versions_of_a_tag(void **state)
{
    /* An ordinary field that becomes a tagged one. */
    static const struct kafka_field fields[] = {
        {.name = "A",
         .type = KAFKA_TYPE_INT8,
         .versions = {0, 2},
         .nullable = NO_VERSION,
         .tagged = {2, INT16_MAX},
         .tag = 0},
    };
    static const struct kafka_struct body = LAYOUT(fields);
    static const struct kafka_message message = {
        .name = "Message", .versions = {0, 2}, .flexible = {1, INT16_MAX}, .body = &body};
    static const uint8_t ordinary[] = {7, 0};
    static const uint8_t both[] = {7, 1, 0, 1, 8};
    static const uint8_t tagged[] = {1, 0, 1, 7};
    static struct walk_record record;
    struct kafka_cursor cursor = {.data = ordinary, .limit = sizeof ordinary, .captured = sizeof ordinary};

    (void)state;
    assert_int_equal(record_walk(&record, &cursor, &message, 1), COMPLETE);
    assert_string_equal(record.text, "A@0+1 = 7\n");
    /* The tag means nothing yet. */
    cursor = (struct kafka_cursor){.data = both, .limit = sizeof both, .captured = sizeof both};
    assert_int_equal(record_walk(&record, &cursor, &message, 1), COMPLETE);
    assert_string_equal(record.text, "A@0+1 = 7\ntags@1+1 x1 (\ntag 0 ?@2+1+1: 4..5 <\n>@5\n)@5\n");
    cursor = (struct kafka_cursor){.data = tagged, .limit = sizeof tagged, .captured = sizeof tagged};
    assert_int_equal(record_walk(&record, &cursor, &message, 2), COMPLETE);
    assert_string_equal(record.text, "tags@0+1 x1 (\ntag 0 A@1+1+1: 3..4 <\nA@3+1 = 7\n>@4\n)@4\n");
}

static enum kafka_walk_result walk_header_tags(struct walk_record *record, struct kafka_cursor *cursor)
{
    watch_start(&record->watch, cursor, true);
    record->size = 0;
    record->text[0] = '\0';
    return kafka_walk_header_tags(cursor, &record_visitor, record);
}

/* The tag section of a header ends before the body begins. */
static void test_header_tags(void **state)
{
    static const struct {
        const char *hex;
        enum kafka_walk_result result;
        size_t end;
        const char *expected;
    } cases[] = {
        {"00 0102", COMPLETE, 1, ""},
        {"01 0001 61 0102", COMPLETE, 4, "tags@0+1 x1 (\ntag 0 ?@1+1+1: 3..4 <\n>@4\n)@4\n"},
        {"", MALFORMED, 0, "!SHORT ?@0+0 wanted 1 remaining 0\n"},
        {"|00", CUT, 0, "!CUT ?@0+0 wanted 1 remaining 1\n"},
        {"09 0001 61", MALFORMED, 0, "!COUNT ?@0+1 wanted 9 remaining 3\n"},
        {"01 0009 61", MALFORMED, 1, "tags@0+1 x1 (\n!LENGTH ?@2+1 wanted 9 remaining 1\n)@1\n"},
        {"02 0500 0500", MALFORMED, 5,
         "tags@0+1 x2 (\ntag 5 ?@1+1+1: 3..3 <\n>@3\ntag 5 ?@3+1+1: 5..5 <\n"
         "!TAG_ORDER ?@3+1 wanted 5 remaining 0\n>@5\n)@5\n"},
        {"01 0002 61|62", CUT, 4, "tags@0+1 x1 (\ntag 0 ?@1+1+1: 3..5 <\n!CUT ?@3+1 wanted 2 remaining 2\n>@5\n)@4\n"},
    };
    static struct walk_record record;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct builder bytes = {.size = 0};
        size_t captured = put_hex(&bytes, cases[i].hex);
        struct kafka_cursor cursor = open_exactly(&bytes, captured);
        assert_int_equal(walk_header_tags(&record, &cursor), cases[i].result);
        assert_string_equal(record.text, cases[i].expected);
        assert_int_equal(cursor.offset, cases[i].end);
        assert_int_equal(cursor.limit, bytes.size);
        assert_int_equal(record.watch.depth, 0);
        close_exactly(&cursor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_not_flexible),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_size_and_type_differ),
        cmocka_unit_test(test_limit_of_a_tag),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_nullable_struct_in_a_tag),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_broken_tag),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_versions_of_a_tag),
        cmocka_unit_test(test_header_tags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
