/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exact.h"

#include <stdio.h>

#include "wire/sasl.h"

/* A message made of a literal, which may hold NUL, in memory of just the size that was captured. */
#define OPEN(text)            open_message(text, sizeof(text) - 1, sizeof(text) - 1)
#define OPEN_CUT(text, there) open_message(text, sizeof(text) - 1, there)

static struct kafka_cursor open_message(const char *text, size_t size, size_t captured)
{
    struct builder builder = {.size = 0};

    put_bytes(&builder, text, size);
    return open_exactly(&builder, captured);
}

static void check_span(const struct kafka_cursor *message, struct kafka_span span, const char *text)
{
    assert_int_equal(span.length, strlen(text));
    assert_memory_equal(message->data + span.offset, text, span.length);
}

static void test_families(void **state)
{
    (void)state;
    assert_int_equal(kafka_sasl_family_find("PLAIN", 5), KAFKA_SASL_PLAIN);
    assert_int_equal(kafka_sasl_family_find("SCRAM-SHA-256", 13), KAFKA_SASL_SCRAM);
    assert_int_equal(kafka_sasl_family_find("SCRAM-SHA-512", 13), KAFKA_SASL_SCRAM);
    assert_int_equal(kafka_sasl_family_find("OAUTHBEARER", 11), KAFKA_SASL_OAUTHBEARER);
    assert_int_equal(kafka_sasl_family_find("GSSAPI", 6), KAFKA_SASL_GSSAPI);
    assert_int_equal(kafka_sasl_family_find("PLAINER", 7), KAFKA_SASL_UNKNOWN);
    assert_int_equal(kafka_sasl_family_find("PLAI", 4), KAFKA_SASL_UNKNOWN);
    assert_int_equal(kafka_sasl_family_find("plain", 5), KAFKA_SASL_UNKNOWN);
    assert_int_equal(kafka_sasl_family_find("", 0), KAFKA_SASL_UNKNOWN);
}

static void check_plain(struct kafka_cursor message, enum kafka_status status, const char *id, const char *user,
                        const char *password)
{
    struct kafka_sasl_plain plain;

    assert_int_equal(kafka_sasl_plain_read(&message, &plain), status);
    check_span(&message, plain.authorization_id, id);
    check_span(&message, plain.user, user);
    check_span(&message, plain.password, password);
    assert_int_equal(plain.secret, plain.password.offset);
    close_exactly(&message);
}

static void test_plain_ok(void **state)
{
    (void)state;
    check_plain(OPEN("\0alice\0secret"), KAFKA_OK, "", "alice", "secret");
    check_plain(OPEN("bob\0alice\0s"), KAFKA_OK, "bob", "alice", "s");
}

static void test_plain_malformed(void **state)
{
    (void)state;
    check_plain(OPEN("\0\0secret"), KAFKA_SHORT, "", "", "secret");
    check_plain(OPEN("\0alice\0"), KAFKA_SHORT, "", "alice", "");
    check_plain(OPEN_CUT("\0alice\0secret", 9), KAFKA_CUT, "", "alice", "se");
}

static void test_plain_of_four_parts(void **state)
{
    struct kafka_cursor message = OPEN("\0alice\0secret\0more");
    struct kafka_sasl_plain plain;

    (void)state;
    assert_int_equal(kafka_sasl_plain_read(&message, &plain), KAFKA_SHORT);
    assert_int_equal(plain.secret, 7);
    assert_int_equal(plain.password.length, 11);
    close_exactly(&message);
}

/* Where a part is missing, all of it may be the password. */
static void test_plain_without_parts(void **state)
{
    struct kafka_cursor messages[] = {OPEN(""), OPEN("secret"), OPEN("\0secret"), OPEN_CUT("\0alice\0secret", 4)};

    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        struct kafka_sasl_plain plain;
        assert_int_equal(kafka_sasl_plain_read(&messages[i], &plain), i == 3 ? KAFKA_CUT : KAFKA_SHORT);
        assert_int_equal(plain.secret, 0);
        close_exactly(&messages[i]);
    }
}

static void check_header(struct kafka_cursor message, enum kafka_status status, const char *text, const char *id)
{
    struct kafka_gs2_header header;
    struct kafka_cursor at = message;

    assert_int_equal(kafka_gs2_header_read(&at, &header), status);
    if (status == KAFKA_OK) {
        check_span(&message, header.text, text);
        check_span(&message, header.authorization_id, id);
        assert_int_equal(at.offset, strlen(text));
    } else {
        assert_int_equal(at.offset, 0);
    }
    close_exactly(&message);
}

static void test_gs2_header_ok(void **state)
{
    (void)state;
    check_header(OPEN("n,,n=alice"), KAFKA_OK, "n,,", "");
    check_header(OPEN("y,,"), KAFKA_OK, "y,,", "");
    check_header(OPEN("p=tls-unique,a=bob,n=alice"), KAFKA_OK, "p=tls-unique,a=bob,", "bob");
    check_header(OPEN("n,a=,n=x"), KAFKA_OK, "n,a=,", "");
}

static void test_gs2_header_malformed(void **state)
{
    (void)state;
    check_header(OPEN(""), KAFKA_SHORT, "", "");
    check_header(OPEN("x,,"), KAFKA_SHORT, "", "");
    check_header(OPEN("n,"), KAFKA_SHORT, "", "");
    check_header(OPEN("n,b=bob,"), KAFKA_SHORT, "", "");
    check_header(OPEN("n,a,"), KAFKA_SHORT, "", "");
    check_header(OPEN("no,,"), KAFKA_SHORT, "", "");
    check_header(OPEN("p,,"), KAFKA_SHORT, "", "");
    check_header(OPEN("p=,,"), KAFKA_SHORT, "", "");
    check_header(OPEN("px,,"), KAFKA_SHORT, "", "");
    check_header(OPEN_CUT("n,a=bob,", 5), KAFKA_CUT, "", "");
    check_header(OPEN_CUT("p=tls-unique,,", 4), KAFKA_CUT, "", "");
    check_header(OPEN_CUT("n,,", 0), KAFKA_CUT, "", "");
}

#define FOUND_SIZE 200

/* Adds "name value|" to a text of FOUND_SIZE. */
static void add_pair(char *found, const struct kafka_cursor *message, struct kafka_span name, struct kafka_span value)
{
    size_t used = strlen(found);

    snprintf(found + used, FOUND_SIZE - used, "%.*s %.*s|", (int)name.length, (const char *)message->data + name.offset,
             (int)value.length, (const char *)message->data + value.offset);
}

/* Reads attributes to the end; expected is "name value|name value|". */
static void check_attributes(struct kafka_cursor message, enum kafka_status last, const char *expected)
{
    struct kafka_cursor at = message;
    struct kafka_scram_attribute attribute;
    enum kafka_status status = KAFKA_OK;
    char found[FOUND_SIZE] = "";

    while (at.offset < at.limit && status == KAFKA_OK) {
        size_t before = at.offset;
        status = kafka_scram_attribute_read(&at, &attribute);
        if (status != KAFKA_OK) {
            assert_int_equal(at.offset, before);
            break;
        }
        assert_int_equal(attribute.text.offset, before);
        assert_int_equal(attribute.text.length, attribute.name.length + 1 + attribute.value.length);
        add_pair(found, &message, attribute.name, attribute.value);
    }
    assert_int_equal(status, last);
    assert_string_equal(found, expected);
    close_exactly(&message);
}

static void test_scram_ok(void **state)
{
    (void)state;
    check_attributes(OPEN("n=alice,r=abc,tokenauth=true"), KAFKA_OK, "n alice|r abc|tokenauth true|");
    check_attributes(OPEN("r=abc,s=QUJD,i=4096"), KAFKA_OK, "r abc|s QUJD|i 4096|");
    check_attributes(OPEN("c=biws,r=abc,p=cA=="), KAFKA_OK, "c biws|r abc|p cA==|");
    check_attributes(OPEN("v="), KAFKA_OK, "v |");
    check_attributes(OPEN("e=other-error"), KAFKA_OK, "e other-error|");
}

static void test_scram_malformed(void **state)
{
    (void)state;
    check_attributes(OPEN("alice"), KAFKA_SHORT, "");
    check_attributes(OPEN("=alice"), KAFKA_SHORT, "");
    check_attributes(OPEN("1=alice"), KAFKA_SHORT, "");
    check_attributes(OPEN("n=alice,"), KAFKA_SHORT, "");
    check_attributes(OPEN("n=alice,,r=abc"), KAFKA_SHORT, "n alice|");
    check_attributes(OPEN("n=alice,r"), KAFKA_SHORT, "n alice|");
    check_attributes(OPEN_CUT("n=alice,r=abc", 11), KAFKA_CUT, "n alice|");
    check_attributes(OPEN_CUT("n=alice,r=abc", 9), KAFKA_CUT, "n alice|");
}

static void check_name(const char *text, const char *expected)
{
    uint8_t out[64];
    struct kafka_span span = {0, strlen(text), false};

    assert_int_equal(kafka_scram_name_decode((const uint8_t *)text, &span, out), strlen(expected));
    assert_memory_equal(out, expected, strlen(expected));
}

static void test_scram_names(void **state)
{
    (void)state;
    check_name("alice", "alice");
    check_name("a=2Cb=3Dc", "a,b=c");
    check_name("=2C=2C", ",,");
    check_name("a=2c", "a=2c");
    check_name("a=2", "a=2");
    check_name("=", "=");
    check_name("", "");
}

/* Reads a client's message of OAUTHBEARER; expected is "key value|". */
static void check_pairs(struct kafka_cursor message, enum kafka_status last, bool ends, const char *expected)
{
    struct kafka_gs2_header header;
    struct kafka_oauth_pair pair;
    struct kafka_cursor at = message;
    enum kafka_status status;
    char found[FOUND_SIZE] = "";

    assert_int_equal(kafka_gs2_header_read(&at, &header), KAFKA_OK);
    while ((status = kafka_oauth_pair_read(&at, &pair)) == KAFKA_OK) {
        assert_int_equal(pair.text.length, pair.key.length + 1 + pair.value.length);
        add_pair(found, &message, pair.key, pair.value);
    }
    assert_int_equal(status, last);
    assert_int_equal(kafka_oauth_is_end(&at), ends);
    assert_string_equal(found, expected);
    close_exactly(&message);
}

static void test_oauth_ok(void **state)
{
    (void)state;
    check_pairs(OPEN("n,,\1auth=Bearer a.b.c\1\1"), KAFKA_SHORT, true, "auth Bearer a.b.c|");
    check_pairs(OPEN("n,a=bob,\1auth=Bearer x\1traceId=7\1\1"), KAFKA_SHORT, true, "auth Bearer x|traceId 7|");
    check_pairs(OPEN("n,,\1auth=\1\1"), KAFKA_SHORT, true, "auth |");
    check_pairs(OPEN("n,,\1\1"), KAFKA_SHORT, true, "");
}

static void test_oauth_malformed(void **state)
{
    (void)state;
    check_pairs(OPEN("n,,"), KAFKA_SHORT, false, "");
    check_pairs(OPEN("n,,\1"), KAFKA_SHORT, false, "");
    check_pairs(OPEN("n,,auth=x\1\1"), KAFKA_SHORT, false, "");
    check_pairs(OPEN("n,,\1auth=x"), KAFKA_SHORT, false, "");
    check_pairs(OPEN("n,,\1auth=x\1"), KAFKA_SHORT, false, "auth x|");
    check_pairs(OPEN("n,,\1auth=x\1\1more"), KAFKA_SHORT, false, "auth x|");
    check_pairs(OPEN("n,,\1=x\1\1"), KAFKA_SHORT, false, "");
    check_pairs(OPEN("n,,\1auth\1\1"), KAFKA_SHORT, false, "");
    check_pairs(OPEN_CUT("n,,\1auth=xyz\1\1", 10), KAFKA_CUT, false, "");
    check_pairs(OPEN_CUT("n,,\1auth=xyz\1\1", 3), KAFKA_CUT, false, "");
}

static void test_oauth_acknowledgement(void **state)
{
    struct kafka_cursor right = OPEN("\1");
    struct kafka_cursor wrong[] = {OPEN(""), OPEN("\2"), OPEN("\1\1"), OPEN_CUT("\1", 0)};

    (void)state;
    assert_true(kafka_oauth_is_acknowledgement(&right));
    close_exactly(&right);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(kafka_oauth_is_acknowledgement(&wrong[i]));
        close_exactly(&wrong[i]);
    }
}

static bool read_jwt(const char *text, struct kafka_span *token, struct kafka_jwt *jwt)
{
    struct kafka_span bearer = {0, strlen(text), false};

    return kafka_jwt_read((const uint8_t *)text, &bearer, token, jwt);
}

static void test_jwt(void **state)
{
    struct kafka_span token;
    struct kafka_jwt jwt;

    (void)state;
    assert_true(read_jwt("Bearer ab.cde.f", &token, &jwt));
    assert_int_equal(token.offset, 7);
    assert_int_equal(token.length, 8);
    assert_int_equal(jwt.header.offset, 7);
    assert_int_equal(jwt.header.length, 2);
    assert_int_equal(jwt.claims.offset, 10);
    assert_int_equal(jwt.claims.length, 3);
    assert_int_equal(jwt.signature.offset, 14);
    assert_int_equal(jwt.signature.length, 1);
    assert_true(read_jwt("bEARER a.b.", &token, &jwt));
    assert_int_equal(jwt.signature.length, 0);
}

static void test_jwt_malformed(void **state)
{
    static const struct {
        const char *text;
        size_t token_offset;
    } wrong[] = {
        {"", 0},           {"Bearer", 0},      {"Basic a.b.c", 0}, {"Bearer ", 7},          {"Bearer opaque", 7},
        {"Bearer a.b", 7}, {"Bearer .b.c", 7}, {"Bearer a..c", 7}, {"Bearer a.b.c.d.e", 7}, {"Bearer@a.b.c", 0},
    };
    struct kafka_span token;
    struct kafka_jwt jwt;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(read_jwt(wrong[i].text, &token, &jwt));
        assert_int_equal(token.offset, wrong[i].token_offset);
        assert_int_equal(token.offset + token.length, strlen(wrong[i].text));
    }
}

static void check_base64(const char *text, bool right, const char *expected)
{
    uint8_t *out = malloc(KAFKA_BASE64_ROOM(strlen(text)));
    size_t written;

    assert_non_null(out);
    assert_int_equal(kafka_base64_decode((const uint8_t *)text, strlen(text), out, &written), right);
    assert_int_equal(written, strlen(expected));
    assert_memory_equal(out, expected, written);
    free(out);
}

static void test_base64(void **state)
{
    (void)state;
    check_base64("", true, "");
    check_base64("biws", true, "n,,");
    check_base64("YQ", true, "a");
    check_base64("YQ==", true, "a");
    check_base64("YWI=", true, "ab");
    check_base64("YWJj", true, "abc");
    check_base64("-_-_", true, "\xfb\xff\xbf");
    check_base64("+/+/", true, "\xfb\xff\xbf");
    check_base64("YWJj!", false, "abc");
    check_base64("Y", false, "");
    check_base64("YWJjZ", false, "abc");
    check_base64("Y=Jj", false, "");
    check_base64("YQ===", false, "a");
}

#define KERBEROS "\x06\x09\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"

static void check_gssapi(struct kafka_cursor message, bool is_token)
{
    assert_int_equal(kafka_sasl_is_gssapi(&message), is_token);
    close_exactly(&message);
}

static void test_gssapi(void **state)
{
    (void)state;
    check_gssapi(OPEN("\x60\x0d" KERBEROS "\1\0"), true);
    check_gssapi(OPEN("\x60\x81\x0d" KERBEROS "\1\0"), true);
    check_gssapi(OPEN("\x60\x82\x02\xcb" KERBEROS), true);
    check_gssapi(OPEN("\x60\x0a\x06\x06\x2b\x06\x01\x05\x05\x02\xa0\x00"), true);
    check_gssapi(OPEN("\x61\x0d" KERBEROS "\1\0"), false);
    check_gssapi(OPEN("\x60\x0d\x06\x09\x2a\x86\x48\x86\xf7\x12\x01\x02\x03"), false);
    check_gssapi(OPEN("\x60\x86\0\0\0\0\0\0" KERBEROS), false);
    check_gssapi(OPEN_CUT("\x60\x0d" KERBEROS "\1\0", 12), false);
    check_gssapi(OPEN("\x60"), false);
    check_gssapi(OPEN(""), false);
}

static void check_guess(struct kafka_cursor message, enum kafka_sasl_family family)
{
    assert_int_equal(kafka_sasl_guess(&message), family);
    close_exactly(&message);
}

static void test_guesses(void **state)
{
    (void)state;
    check_guess(OPEN("\0alice\0secret"), KAFKA_SASL_PLAIN);
    check_guess(OPEN("n,,n=alice,r=x"), KAFKA_SASL_SCRAM);
    check_guess(OPEN("c=biws,r=x,p=y"), KAFKA_SASL_SCRAM);
    check_guess(OPEN("n,,\1auth=Bearer x\1\1"), KAFKA_SASL_OAUTHBEARER);
    check_guess(OPEN("\x60\x0d" KERBEROS "\1\0"), KAFKA_SASL_GSSAPI);
    check_guess(OPEN(""), KAFKA_SASL_UNKNOWN);
    check_guess(OPEN("n,,"), KAFKA_SASL_UNKNOWN);
    check_guess(OPEN("{\"a\":1}"), KAFKA_SASL_UNKNOWN);
    check_guess(OPEN("\0\0"), KAFKA_SASL_UNKNOWN);
    check_guess(OPEN("\0alice\0se\1cret"), KAFKA_SASL_UNKNOWN);
    check_guess(OPEN("\0al\x7fice\0secret"), KAFKA_SASL_UNKNOWN);
    check_guess(OPEN_CUT("\0alice\0secret", 9), KAFKA_SASL_PLAIN);
    check_guess(OPEN_CUT("\0alice\0secret", 6), KAFKA_SASL_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_plain_ok),
        cmocka_unit_test(test_plain_malformed),
        cmocka_unit_test(test_plain_of_four_parts),
        cmocka_unit_test(test_plain_without_parts),
        cmocka_unit_test(test_gs2_header_ok),
        cmocka_unit_test(test_gs2_header_malformed),
        cmocka_unit_test(test_scram_ok),
        cmocka_unit_test(test_scram_malformed),
        cmocka_unit_test(test_scram_names),
        cmocka_unit_test(test_oauth_ok),
        cmocka_unit_test(test_oauth_malformed),
        cmocka_unit_test(test_oauth_acknowledgement),
        cmocka_unit_test(test_jwt),
        cmocka_unit_test(test_jwt_malformed),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_gssapi),
        cmocka_unit_test(test_guesses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
