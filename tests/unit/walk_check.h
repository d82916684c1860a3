/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small messages made in a test, walked over bytes written in hexadecimal, and what the walk must report. */
#ifndef KAFKA_TESTS_UNIT_WALK_CHECK_H
#define KAFKA_TESTS_UNIT_WALK_CHECK_H

#include "exact.h"
#include "record_walk.h"

/* The hand-made messages have two versions: lengths are plain in one, compact in the other. */
#define PLAIN    0
#define FLEXIBLE 1

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* The last version of a range that begins with 0. */
#define IN_NONE (-1)
#define IN_ALL  INT16_MAX

/* clang-format off */
#define NO_VERSION  {0, IN_NONE}
#define ANY_VERSION {0, IN_ALL}

/* Fields as initialisers; each is in all versions, and null or tagged in all or in none. */
#define MAKE_FIELD(name_, type_, array_, nullable_, tagged_, tag_, members_)                                           \
    {.name = (name_), .type = KAFKA_TYPE_##type_, .is_array = (array_), .versions = ANY_VERSION,                       \
     .nullable = {0, (nullable_)}, .tagged = {0, (tagged_)}, .tag = (tag_), .members = (members_)}
#define LAYOUT(fields_) {"Structure", (fields_), COUNT_OF(fields_)}
/* clang-format on */

#define FIELD(name, type)                 MAKE_FIELD(name, type, false, IN_NONE, IN_NONE, -1, NULL)
#define NULLABLE(name, type)              MAKE_FIELD(name, type, false, IN_ALL, IN_NONE, -1, NULL)
#define ARRAY(name, type)                 MAKE_FIELD(name, type, true, IN_NONE, IN_NONE, -1, NULL)
#define NULLABLE_ARRAY(name, type)        MAKE_FIELD(name, type, true, IN_ALL, IN_NONE, -1, NULL)
#define STRUCT(name, members)             MAKE_FIELD(name, STRUCT, false, IN_NONE, IN_NONE, -1, members)
#define NULLABLE_STRUCT(name, members)    MAKE_FIELD(name, STRUCT, false, IN_ALL, IN_NONE, -1, members)
#define STRUCT_ARRAY(name, members)       MAKE_FIELD(name, STRUCT, true, IN_NONE, IN_NONE, -1, members)
#define TAGGED(name, type, tag)           MAKE_FIELD(name, type, false, IN_NONE, IN_ALL, tag, NULL)
#define TAGGED_NULLABLE(name, type, tag)  MAKE_FIELD(name, type, false, IN_ALL, IN_ALL, tag, NULL)
#define TAGGED_ARRAY(name, type, tag)     MAKE_FIELD(name, type, true, IN_NONE, IN_ALL, tag, NULL)
#define TAGGED_STRUCT(name, members, tag) MAKE_FIELD(name, STRUCT, false, IN_NONE, IN_ALL, tag, members)

static inline int hex_digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Puts the bytes; blanks do not count, and where the capture is to end there is a bar. Returns how many are captured.
 */
static inline size_t put_hex(struct builder *builder, const char *hex)
{
    bool is_cut = false;
    size_t captured = 0;

    while (*hex != '\0') {
        if (*hex == '|') {
            is_cut = true;
            captured = builder->size;
        }
        if (*hex == '|' || *hex == ' ') {
            hex++;
            continue;
        }
        assert_true(hex[1] != '\0');
        put8(builder, hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
        hex += 2;
    }
    return is_cut ? captured : builder->size;
}

/* Asserts what a walk over the bytes reports and returns. */
static inline void check_walk(const struct kafka_struct *body, int16_t version, const char *hex,
                              enum kafka_walk_result result, const char *expected)
{
    static struct walk_record record;
    const struct kafka_message message = {
        .name = "Message", .versions = {PLAIN, FLEXIBLE}, .flexible = {FLEXIBLE, FLEXIBLE}, .body = body};
    struct builder bytes = {.size = 0};
    size_t captured = put_hex(&bytes, hex);
    struct kafka_cursor cursor = open_exactly(&bytes, captured);

    assert_int_equal(kafka_check_fit(&cursor, &message, version), result);
    assert_int_equal(cursor.offset, 0);
    enum kafka_walk_result found = record_walk(&record, &cursor, &message, version);
    assert_string_equal(record.text, expected);
    assert_int_equal(found, result);
    close_exactly(&cursor);
}

/* The same for a message with one field. */
static inline void check_field(struct kafka_field field, int16_t version, const char *hex,
                               enum kafka_walk_result result, const char *expected)
{
    const struct kafka_struct body = {"Message", &field, 1};

    check_walk(&body, version, hex, result, expected);
}

#define COMPLETE  KAFKA_WALK_COMPLETE
#define CUT       KAFKA_WALK_CUT
#define MALFORMED KAFKA_WALK_MALFORMED

#endif
