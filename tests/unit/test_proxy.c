/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exact.h"

#include "wire/proxy.h"

#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"
#define TCP4      SIGNATURE "\x21\x11\0\x0c\xc0\0\2\1\xc0\0\2\2\x9c\x41\x23\x84"

/* Reads bytes that stand in memory of just their size. */
static size_t read_bytes(const char *bytes, size_t length, struct kafka_proxy_header *header)
{
    struct builder builder = {.size = 0};

    put_bytes(&builder, bytes, length);
    struct kafka_cursor exact = open_exactly(&builder, length);
    size_t size = kafka_proxy_header_read(exact.data, length, header);
    close_exactly(&exact);
    return size;
}

static void test_line(void **state)
{
    static const char line[] = "PROXY TCP4 192.0.2.1 192.0.2.2 40001 9092\r\nmore";
    struct kafka_proxy_header header;

    (void)state;
    assert_int_equal(read_bytes(line, sizeof line - 1, &header), sizeof line - 1 - 4);
    assert_int_equal(header.length, sizeof line - 1 - 4);
    assert_int_equal(header.version, 1);
    for (size_t length = 0; length < sizeof line - 1 - 4; length++) {
        assert_int_equal(read_bytes(line, length, &header), 0);
    }
}

static void test_line_malformed(void **state)
{
    struct kafka_proxy_header header;
    struct builder line = {.size = 0};

    (void)state;
    assert_int_equal(read_bytes("PROXY UNKNOWN\rx\n", 16, &header), 0);
    assert_int_equal(read_bytes("PROXI UNKNOWN\r\n", 15, &header), 0);
    put_text(&line, "PROXY ");
    while (line.size < 105) {
        put8(&line, 'x');
    }
    put_text(&line, "\r\n\r\n");
    assert_int_equal(read_bytes((const char *)line.data, line.size, &header), 107);
    /* One longer than any can be. */
    line.data[105] = 'x';
    line.data[106] = '\r';
    line.data[107] = '\n';
    assert_int_equal(read_bytes((const char *)line.data, line.size, &header), 0);
}

static void test_binary(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_proxy_header header;

    (void)state;
    put_bytes(&builder, TCP4 "more", sizeof TCP4 - 1 + 4);
    struct kafka_cursor exact = open_exactly(&builder, builder.size);
    assert_int_equal(kafka_proxy_header_read(exact.data, builder.size, &header), sizeof TCP4 - 1);
    assert_int_equal(header.version, 2);
    assert_int_equal(header.address_length, 4);
    assert_memory_equal(header.addresses, "\xc0\0\2\1\xc0\0\2\2", 8);
    assert_int_equal(header.ports[0], 40001);
    assert_int_equal(header.ports[1], 9092);
    close_exactly(&exact);
    for (size_t length = 0; length < sizeof TCP4 - 1; length++) {
        assert_int_equal(read_bytes(TCP4, length, &header), 0);
    }
}

static void test_binary_without_addresses(void **state)
{
    struct kafka_proxy_header header;

    (void)state;
    assert_int_equal(read_bytes(SIGNATURE "\x20\0\0\0", 16, &header), 16);
    assert_int_equal(header.address_length, 0);
    /* Too short for the addresses that it says to have. */
    assert_int_equal(read_bytes(SIGNATURE "\x21\x11\0\2ab", 18, &header), 18);
    assert_int_equal(header.address_length, 0);
    /* A version to come. */
    assert_int_equal(read_bytes(SIGNATURE "\x31\0\0\0", 16, &header), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_line_malformed),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_binary_without_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
