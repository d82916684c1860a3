/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages of SASL mechanisms, each read as every mechanism has them. */
#include "fuzz.h"
#include "wire/sasl.h"

static void read_plain(const struct kafka_cursor *message, size_t end)
{
    struct kafka_sasl_plain plain;
    enum kafka_status status = kafka_sasl_plain_read(message, &plain);

    touch_span(message->data, &plain.authorization_id, end);
    touch_span(message->data, &plain.user, end);
    touch_span(message->data, &plain.password, end);
    REQUIRE(plain.secret <= end);
    REQUIRE(status != KAFKA_OK || plain.secret == plain.password.offset);
}

/* Into memory of just the size that is promised to be enough. */
static void decode(const uint8_t *data, const struct kafka_span *value)
{
    uint8_t *name = malloc(value->length + 1);
    uint8_t *bytes = malloc(KAFKA_BASE64_ROOM(value->length));
    size_t written;

    REQUIRE(name != NULL && bytes != NULL);
    REQUIRE(kafka_scram_name_decode(data, value, name) <= value->length);
    (void)kafka_base64_decode(data + value->offset, value->length, bytes, &written);
    REQUIRE(written <= KAFKA_BASE64_ROOM(value->length));
    free(bytes);
    free(name);
}

static void read_scram(struct kafka_cursor at, size_t end)
{
    struct kafka_gs2_header header;
    struct kafka_scram_attribute attribute;

    if (kafka_gs2_header_read(&at, &header) == KAFKA_OK) {
        touch_span(at.data, &header.text, end);
        touch_span(at.data, &header.authorization_id, end);
        REQUIRE(at.offset == header.text.offset + header.text.length);
    }
    size_t before = at.offset;
    while (at.offset < at.limit && kafka_scram_attribute_read(&at, &attribute) == KAFKA_OK) {
        REQUIRE(at.offset > before && at.offset <= end);
        before = at.offset;
        touch_span(at.data, &attribute.text, end);
        touch_span(at.data, &attribute.name, end);
        touch_span(at.data, &attribute.value, end);
        decode(at.data, &attribute.value);
    }
    REQUIRE(at.offset == before);
}

static void read_oauth(struct kafka_cursor at, size_t end)
{
    struct kafka_gs2_header header;
    struct kafka_oauth_pair pair;
    struct kafka_span token;
    struct kafka_jwt jwt;

    (void)kafka_oauth_is_acknowledgement(&at);
    if (kafka_gs2_header_read(&at, &header) != KAFKA_OK) {
        return;
    }
    size_t before = at.offset;
    while (kafka_oauth_pair_read(&at, &pair) == KAFKA_OK) {
        REQUIRE(at.offset > before && at.offset < end);
        before = at.offset;
        touch_span(at.data, &pair.text, end);
        touch_span(at.data, &pair.key, end);
        touch_span(at.data, &pair.value, end);
        bool is_jwt = kafka_jwt_read(at.data, &pair.value, &token, &jwt);
        touch_span(at.data, &token, end);
        if (is_jwt) {
            touch_span(at.data, &jwt.header, end);
            touch_span(at.data, &jwt.claims, end);
            touch_span(at.data, &jwt.signature, end);
        }
    }
    (void)kafka_oauth_is_end(&at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor message;

    if (!open_input(data, size, &message)) {
        return 0;
    }
    size_t end = message.captured;
    (void)kafka_sasl_is_gssapi(&message);
    (void)kafka_sasl_guess(&message);
    read_plain(&message, end);
    read_scram(message, end);
    read_oauth(message, end);
    return 0;
}
