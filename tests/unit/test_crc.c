/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"

/* Bit by bit, as the polynomial says. */
static uint32_t slow_crc(uint32_t polynomial, const uint8_t *data, size_t size)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (polynomial & (0U - (crc & 1)));
        }
    }
    return ~crc;
}

static void test_check_values(void **state)
{
    (void)state;
    assert_int_equal(kafka_crc(KAFKA_CRC32C, (const uint8_t *)"123456789", 9), 0xe3069283);
    assert_int_equal(kafka_crc(KAFKA_CRC32, (const uint8_t *)"123456789", 9), 0xcbf43926);
}

static void test_empty(void **state)
{
    (void)state;
    assert_int_equal(kafka_crc(KAFKA_CRC32C, NULL, 0), 0);
    assert_int_equal(kafka_crc(KAFKA_CRC32, NULL, 0), 0);
}

/* Every size up to a few blocks of the vector code, at every alignment. */
static void test_sizes_and_alignments(void **state)
{
    static uint8_t data[1100];
    uint32_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof data; i++) {
        random = random * 1664525 + 1013904223;
        data[i] = (uint8_t)(random >> 24);
    }
    for (size_t size = 0; size < 1000; size += size < 300 ? 1 : 37) {
        const uint8_t *p = data + size % 17;
        assert_int_equal(kafka_crc(KAFKA_CRC32C, p, size), slow_crc(0x82f63b78, p, size));
        assert_int_equal(kafka_crc(KAFKA_CRC32, p, size), slow_crc(0xedb88320, p, size));
    }
}

static void test_any_flipped_bit_changes_it(void **state)
{
    uint8_t data[] = "some bytes of a batch";
    uint32_t right = kafka_crc(KAFKA_CRC32C, data, sizeof data);

    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (uint8_t)(1U << bit % 8);
        assert_int_not_equal(kafka_crc(KAFKA_CRC32C, data, sizeof data), right);
        data[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_values),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_sizes_and_alignments),
        cmocka_unit_test(test_any_flipped_bit_changes_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
