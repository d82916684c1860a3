/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "walk_check.h"

#include "wire/nested.h"

static struct kafka_group_protocol group_of(const char *type, const char *name)
{
    return (struct kafka_group_protocol){
        .type = type,
        .type_length = type != NULL ? strlen(type) : 0,
        .name = name,
        .name_length = name != NULL ? strlen(name) : 0,
    };
}

struct expected {
    enum kafka_nested_result result;
    const char *message; /* NULL for none */
    int32_t said_version;
    int16_t version;
    size_t begin;
    size_t end;
};

static void check(enum kafka_nested_kind kind, const char *type, const char *name, const char *hex,
                  struct expected expected)
{
    struct kafka_group_protocol group = group_of(type, name);
    struct builder builder = {.size = 0};
    struct kafka_nested nested;
    size_t captured = put_hex(&builder, hex);
    struct kafka_cursor cursor = open_exactly(&builder, captured);

    assert_int_equal(kafka_nested_find(&cursor, kind, &group, &nested), expected.result);
    if (expected.message == NULL) {
        assert_null(nested.message);
    } else {
        assert_string_equal(nested.message->name, expected.message);
        assert_int_equal(nested.said_version, expected.said_version);
        if (expected.result != KAFKA_NESTED_BROKEN) {
            assert_int_equal(nested.version, expected.version);
            assert_int_equal(nested.begin, expected.begin);
            assert_int_equal(nested.end, expected.end);
        }
    }
    close_exactly(&cursor);
}

#define SUBSCRIPTION "ConsumerProtocolSubscription"

static void test_consumer_ok(void **state)
{
    (void)state;
    check(KAFKA_NESTED_METADATA, "consumer", "range", "0000 00000001 000161 ffffffff",
          (struct expected){KAFKA_NESTED_FITS, SUBSCRIPTION, 0, 0, 2, 13});
    check(KAFKA_NESTED_METADATA, "consumer", NULL, "0003 00000001 000161 ffffffff 00000000 ffffffff ffff",
          (struct expected){KAFKA_NESTED_FITS, SUBSCRIPTION, 3, 3, 2, 23});
    check(KAFKA_NESTED_ASSIGNMENT, "consumer", "range", "0001 00000000 00000000",
          (struct expected){KAFKA_NESTED_FITS, "ConsumerProtocolAssignment", 1, 1, 2, 10});
}

/* A newer version is read as the newest that is known, and may have more behind it. */
static void test_consumer_of_newer_version(void **state)
{
    (void)state;
    check(KAFKA_NESTED_METADATA, "consumer", "range", "0009 00000000 ffffffff 00000000 ffffffff ffff aabb",
          (struct expected){KAFKA_NESTED_FITS, SUBSCRIPTION, 9, 3, 2, 20});
    check(KAFKA_NESTED_METADATA, "consumer", "range", "0000 00000000 ffffffff aa",
          (struct expected){KAFKA_NESTED_FITS, SUBSCRIPTION, 0, 0, 2, 10});
}

/* Some clients write version 0 and say 1. */
static void test_consumer_of_older_version(void **state)
{
    (void)state;
    check(KAFKA_NESTED_METADATA, "consumer", "range", "0001 00000001 000161 00000000",
          (struct expected){KAFKA_NESTED_FITS, SUBSCRIPTION, 1, 0, 2, 13});
    check(KAFKA_NESTED_METADATA, "consumer", "range", "0001 00000001 000161 00000000 00",
          (struct expected){KAFKA_NESTED_BROKEN, SUBSCRIPTION, 1, 0, 0, 0});
    check(KAFKA_NESTED_METADATA, "consumer", "range", "0009 00000001 000161 00000000",
          (struct expected){KAFKA_NESTED_BROKEN, SUBSCRIPTION, 9, 0, 0, 0});
}

static void test_consumer_malformed(void **state)
{
    const struct expected broken = {KAFKA_NESTED_BROKEN, SUBSCRIPTION, 0, 0, 0, 0};

    (void)state;
    check(KAFKA_NESTED_METADATA, "consumer", "range", "00", broken);
    check(KAFKA_NESTED_METADATA, "consumer", "range", "0000", broken);
    check(KAFKA_NESTED_METADATA, "consumer", "range", "0000 7fffffff 000161 ffffffff", broken);
    check(KAFKA_NESTED_METADATA, "consumer", "range", "0000 00000001 000161 fffffffe", broken);
    check(KAFKA_NESTED_METADATA, "consumer", "range", "ffff 00000000 ffffffff",
          (struct expected){KAFKA_NESTED_BROKEN, SUBSCRIPTION, -1, 0, 0, 0});
}

static void test_consumer_cut(void **state)
{
    (void)state;
    check(KAFKA_NESTED_METADATA, "consumer", "range", "0000 00000001 0001|61 ffffffff",
          (struct expected){KAFKA_NESTED_CUT, SUBSCRIPTION, 0, 0, 2, 13});
    check(KAFKA_NESTED_METADATA, "consumer", "range", "00|00 00000001",
          (struct expected){KAFKA_NESTED_CUT, SUBSCRIPTION, 0, 0, 0, 6});
}

static void test_unknown(void **state)
{
    const struct expected unknown = {.result = KAFKA_NESTED_UNKNOWN};

    (void)state;
    check(KAFKA_NESTED_METADATA, NULL, NULL, "0000 00000000 ffffffff", unknown);
    check(KAFKA_NESTED_METADATA, "sr", "v0", "7b7d", unknown);
    check(KAFKA_NESTED_METADATA, "consumers", NULL, "0000 00000000 ffffffff", unknown);
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "range", "00000000", unknown);
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", NULL, "00000000", unknown);
    check(KAFKA_NESTED_METADATA_USER_DATA, "connect", "sticky", "00000000", unknown);
    check(KAFKA_NESTED_ASSIGNMENT_USER_DATA, "consumer", "sticky", "00000000", unknown);
}

static void test_connect(void **state)
{
    (void)state;
    check(KAFKA_NESTED_METADATA, "connect", "default", "0000 000161 0000000000000007",
          (struct expected){KAFKA_NESTED_FITS, "ConnectMetadata", 0, 0, 2, 13});
    check(KAFKA_NESTED_METADATA, "connect", "sessioned", "0002 000161 0000000000000007 ffffffff",
          (struct expected){KAFKA_NESTED_FITS, "ConnectMetadata", 2, 2, 2, 17});
    check(KAFKA_NESTED_ASSIGNMENT, "connect", "compatible",
          "0001 0000 000161 000162 0000000000000007 ffffffff ffffffff 00000bb8",
          (struct expected){KAFKA_NESTED_FITS, "ConnectAssignment", 1, 1, 2, 30});
    check(KAFKA_NESTED_ASSIGNMENT, "connect", "default", "0000 0000 000161 000162 0000000000000007 ffffffff",
          (struct expected){KAFKA_NESTED_BROKEN, "ConnectAssignment", 0, 0, 0, 0});
}

/* No version stands in what the sticky assignors write: what takes all bytes it is. */
static void test_sticky(void **state)
{
    const char *sticky = "StickyAssignorUserData";

    (void)state;
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "sticky", "00000001 000161 00000001 00000003 00000005",
          (struct expected){KAFKA_NESTED_FITS, sticky, 0, 1, 0, 19});
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "sticky", "00000001 000161 00000001 00000003",
          (struct expected){KAFKA_NESTED_FITS, sticky, 0, 0, 0, 15});
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "sticky", "00000001 000161 00000001 00000003 00",
          (struct expected){KAFKA_NESTED_BROKEN, sticky, 0, 0, 0, 0});
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "cooperative-sticky", "00000005",
          (struct expected){KAFKA_NESTED_FITS, "CooperativeStickyAssignorUserData", 0, 0, 0, 4});
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "cooperative-sticky",
          "00000001 000161 00000001 00000003 00000005", (struct expected){KAFKA_NESTED_FITS, sticky, 0, 1, 0, 19});
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "cooperative-sticky", "0000",
          (struct expected){KAFKA_NESTED_BROKEN, "CooperativeStickyAssignorUserData", 0, 0, 0, 0});
}

static void test_streams(void **state)
{
    const char *uuid = "00000001 00112233445566778899aabbccddeeff 00000000 00000000";

    (void)state;
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "stream", uuid,
          (struct expected){KAFKA_NESTED_FITS, "SubscriptionInfo", 1, 1, 0, 28});
    check(KAFKA_NESTED_ASSIGNMENT_USER_DATA, "consumer", "stream",
          "00000004 0000000b 00000000 00000000 00000000 00000002",
          (struct expected){KAFKA_NESTED_FITS, "AssignmentInfo", 4, 4, 0, 24});
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "stream", "00000000 00000000",
          (struct expected){KAFKA_NESTED_BROKEN, "SubscriptionInfo", 0, 0, 0, 0});
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "stream", "7fffffff 0000000c",
          (struct expected){KAFKA_NESTED_BROKEN, "SubscriptionInfo", INT32_MAX, 0, 0, 0});
    check(KAFKA_NESTED_METADATA_USER_DATA, "consumer", "stream", "000001",
          (struct expected){KAFKA_NESTED_BROKEN, "SubscriptionInfo", 0, 0, 0, 0});
}

static void test_principal(void **state)
{
    (void)state;
    check(KAFKA_NESTED_PRINCIPAL, NULL, NULL, "0000 0555736572 0262 00",
          (struct expected){KAFKA_NESTED_BROKEN, "DefaultPrincipalData", 0, 0, 0, 0});
    check(KAFKA_NESTED_PRINCIPAL, NULL, NULL, "0000 0555736572 0262 00 00",
          (struct expected){KAFKA_NESTED_FITS, "DefaultPrincipalData", 0, 0, 2, 11});
    check(KAFKA_NESTED_PRINCIPAL, "consumer", "range", "0000 0555736572 0262 01 00",
          (struct expected){KAFKA_NESTED_FITS, "DefaultPrincipalData", 0, 0, 2, 11});
}

static void test_messages_by_name(void **state)
{
    (void)state;
    assert_string_equal(kafka_data_message_find("AssignmentInfo")->name, "AssignmentInfo");
    assert_null(kafka_data_message_find("Assignment"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_consumer_ok),
        cmocka_unit_test(test_consumer_of_newer_version),
        cmocka_unit_test(test_consumer_of_older_version),
        cmocka_unit_test(test_consumer_malformed),
        cmocka_unit_test(test_consumer_cut),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_connect),
        cmocka_unit_test(test_sticky),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_principal),
        cmocka_unit_test(test_messages_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
