/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bytes are text. */
#include "exact.h"

#include <string.h>

#include "wire/text_kind.h"

/* Longer than what is looked at together. */
#define LONG 200

static enum kafka_text_kind kind_of(const char *bytes, size_t length)
{
    return kafka_text_kind((const uint8_t *)bytes, length);
}

static void test_text(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        enum kafka_text_kind kind;
    } cases[] = {
        {"", 0, KAFKA_TEXT_PRINTABLE},       {"orders ~", 8, KAFKA_TEXT_PRINTABLE},
        {"orders\t1\r\n", 10, KAFKA_TEXT},   {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 14, KAFKA_TEXT},
        {"a\0b", 3, KAFKA_NOT_TEXT},         {"\x7f", 1, KAFKA_NOT_TEXT},
        {"\x1b[0m", 4, KAFKA_NOT_TEXT},      {"\xc3", 1, KAFKA_NOT_TEXT}, /* cut */
        {"\xc0\x80", 2, KAFKA_NOT_TEXT},                                  /* longer than need be */
        {"\x80", 1, KAFKA_NOT_TEXT},                                      /* no beginning */
        {"\xe2\x82z", 3, KAFKA_NOT_TEXT},                                 /* no end */
        {"\xff\xfe\xfd", 3, KAFKA_NOT_TEXT},                              /* never in UTF-8 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(kind_of(cases[i].bytes, cases[i].length), cases[i].kind);
    }
}

/* Writes a code point as UTF-8 does, also one that is no character; returns how many bytes it takes. */
static size_t encode(uint32_t point, uint8_t *bytes, size_t size)
{
    static const uint8_t firsts[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t i = size - 1; i > 0; i--) {
        bytes[i] = (uint8_t)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    bytes[0] = (uint8_t)(firsts[size] | point);
    return size;
}

/* Every code point, in every size that its bits fit into. */
static void test_every_character(void **state)
{
    static const uint32_t ends[] = {0, 0x80, 0x800, 0x10000, 0x200000};
    uint8_t bytes[4];

    (void)state;
    for (size_t size = 2; size <= 4; size++) {
        for (uint32_t point = 0; point < ends[size]; point++) {
            bool is_character = point >= ends[size - 1] && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
            size_t length = encode(point, bytes, size);
            assert_int_equal(kafka_text_kind(bytes, length), is_character ? KAFKA_TEXT : KAFKA_NOT_TEXT);
            assert_int_equal(kafka_text_kind(bytes, length - 1), KAFKA_NOT_TEXT);
        }
    }
}

/* Every byte at every place of a text, and texts of every length. */
static void test_every_place(void **state)
{
    uint8_t bytes[LONG];

    (void)state;
    memset(bytes, 'x', sizeof bytes);
    for (size_t length = 0; length <= sizeof bytes; length++) {
        assert_int_equal(kafka_text_kind(bytes, length), KAFKA_TEXT_PRINTABLE);
    }
    for (size_t at = 0; at < sizeof bytes; at++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            enum kafka_text_kind kind = byte >= ' ' && byte < 0x7f ? KAFKA_TEXT_PRINTABLE : KAFKA_NOT_TEXT;
            if (byte == '\t' || byte == '\n' || byte == '\r') {
                kind = KAFKA_TEXT;
            }
            bytes[at] = (uint8_t)byte;
            assert_int_equal(kafka_text_kind(bytes, sizeof bytes), kind);
        }
        bytes[at] = 'x';
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_every_character),
        cmocka_unit_test(test_every_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
