/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "sasl_messages.h"

#include <string.h>

#include "expert.h"
#include "fields.h"
#include "preferences.h"
#include "string_fields.h"

#define MASK "********"

static int hf_authorization_id = -1;
static int hf_user = -1;
static int hf_password = -1;
static int hf_gs2_header = -1;
static int hf_scram_nonce = -1;
static int hf_scram_salt = -1;
static int hf_scram_iterations = -1;
static int hf_scram_channel_binding = -1;
static int hf_scram_proof = -1;
static int hf_scram_signature = -1;
static int hf_scram_error = -1;
static int hf_scram_extension = -1;
static int hf_jwt_header = -1;
static int hf_jwt_claims = -1;
static int hf_oauth_token = -1;
static int hf_oauth_extension = -1;
static int hf_oauth_error = -1;

void kafka_sasl_messages_register(void)
{
    const struct kafka_field_row rows[] = {
        {&hf_authorization_id,
         {"Authorization ID", "kafka.sasl_authorization_id", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_user, {"User", "kafka.sasl_user", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_password,
         {"Password", "kafka.sasl_password", FT_STRING, BASE_NONE, NULL, 0,
          "Masked unless the preference kafka.show_passwords is on", HFILL}},
        {&hf_gs2_header,
         {"GS2 Header", "kafka.sasl_gs2_header", FT_STRING, BASE_NONE, NULL, 0, "Channel binding and authorization id",
          HFILL}},
        {&hf_scram_nonce, {"Nonce (r)", "kafka.scram_nonce", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_scram_salt, {"Salt (s)", "kafka.scram_salt", FT_STRING, BASE_NONE, NULL, 0, "In base64", HFILL}},
        {&hf_scram_iterations, {"Iterations (i)", "kafka.scram_iterations", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_scram_channel_binding,
         {"Channel Binding (c)", "kafka.scram_channel_binding", FT_STRING, BASE_NONE, NULL, 0,
          "The GS2 header and what it binds to, in base64", HFILL}},
        {&hf_scram_proof,
         {"Client Proof (p)", "kafka.scram_client_proof", FT_STRING, BASE_NONE, NULL, 0, "In base64", HFILL}},
        {&hf_scram_signature,
         {"Server Signature (v)", "kafka.scram_server_signature", FT_STRING, BASE_NONE, NULL, 0, "In base64", HFILL}},
        {&hf_scram_error, {"Error (e)", "kafka.scram_error", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_scram_extension,
         {"Extension", "kafka.scram_extension", FT_STRING, BASE_NONE, NULL, 0, "name=value", HFILL}},
        {&hf_jwt_header,
         {"Token Header", "kafka.jwt_header", FT_STRING, BASE_NONE, NULL, 0, "Header of the JSON Web Token", HFILL}},
        {&hf_jwt_claims,
         {"Token Claims", "kafka.jwt_claims", FT_STRING, BASE_NONE, NULL, 0, "Claims of the JSON Web Token", HFILL}},
        {&hf_oauth_token,
         {"Token", "kafka.oauthbearer_token", FT_STRING, BASE_NONE, NULL, 0,
          "Masked unless the preference kafka.show_passwords is on", HFILL}},
        {&hf_oauth_extension,
         {"Extension", "kafka.oauthbearer_extension", FT_STRING, BASE_NONE, NULL, 0, "key=value", HFILL}},
        {&hf_oauth_error, {"Error", "kafka.oauthbearer_error", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
    };

    kafka_register_rows(rows, array_length(rows));
}

/* Adds part of a token as text; returns its item, or NULL when nobody wants it, or what is wrong with it. */
static proto_item *add_part(const struct kafka_sasl_token *token, int hf, struct kafka_span part)
{
    if (!kafka_is_wanted(token->show, hf) && !kafka_is_bad_text(token->show, part)) {
        return NULL;
    }
    return kafka_add_string(token->show, token->tree, hf, part.offset, part);
}

/* Adds text that does not stand in the packet as it is, for the bytes of part. */
static proto_item *add_decoded(const struct kafka_sasl_token *token, int hf, struct kafka_span part,
                               const uint8_t *text, size_t length)
{
    struct kafka_show decoded = *token->show;

    if (!kafka_is_wanted(token->show, hf)) {
        return NULL;
    }
    decoded.data = text;
    return proto_tree_add_string(token->tree, hf, token->show->tvb, (int)part.offset, (int)part.length,
                                 kafka_text_of(&decoded, (struct kafka_span){.length = length}));
}

/* Adds what is masked: an item that has neither the text nor its bytes. */
static void add_secret(const struct kafka_sasl_token *token, int hf, struct kafka_span part)
{
    if (kafka_shows_passwords()) {
        add_part(token, hf, part);
    } else if (kafka_is_wanted(token->show, hf)) {
        proto_tree_add_string(token->tree, hf, token->show->tvb, (int)part.offset, 0, MASK);
    }
}

static void explain_malformed(const struct kafka_sasl_token *token, const char *what)
{
    kafka_expert_add_format(token->show->pinfo, token->item, &ei_kafka_sasl_malformed, "%s", what);
}

static void tell_user(const struct kafka_sasl_token *token, const char *user)
{
    if (token->show->summary != NULL && user[0] != '\0') {
        kafka_summary_add_name(token->show->summary, "user ", user);
    }
}

static void show_plain(const struct kafka_sasl_token *token)
{
    struct kafka_sasl_plain plain;
    enum kafka_status status = kafka_sasl_plain_read(&token->bytes, &plain);
    size_t end = kafka_sasl_captured_end(&token->bytes);

    if (status == KAFKA_SHORT) {
        explain_malformed(token, "A message of PLAIN has an authorization id, a user and a password, with NUL between");
    }
    if (plain.secret == token->bytes.offset) {
        return;
    }
    add_part(token, hf_authorization_id, plain.authorization_id);
    add_part(token, hf_user, plain.user);
    tell_user(token, kafka_text_of(token->show, plain.user));
    if (plain.secret < end || token->bytes.limit == end) {
        add_secret(token, hf_password, plain.password);
    }
}

/* Shows a GS2 header at the cursor, and moves behind it. Returns whether there is one. */
static bool show_gs2_header(const struct kafka_sasl_token *token, struct kafka_cursor *at)
{
    struct kafka_gs2_header header;

    if (kafka_gs2_header_read(at, &header) != KAFKA_OK) {
        return false;
    }
    add_part(token, hf_gs2_header, header.text);
    if (header.authorization_id.length > 0) {
        add_part(token, hf_authorization_id, header.authorization_id);
    }
    return true;
}

static void show_scram_user(const struct kafka_sasl_token *token, struct kafka_span value)
{
    struct kafka_show decoded = *token->show;
    uint8_t *name = wmem_alloc(token->show->pinfo->pool, value.length + 1);
    size_t length = kafka_scram_name_decode(token->show->data, &value, name);

    add_decoded(token, hf_user, value, name, length);
    decoded.data = name;
    tell_user(token, kafka_text_of(&decoded, (struct kafka_span){.length = length}));
}

static void show_scram_iterations(const struct kafka_sasl_token *token, struct kafka_span value)
{
    uint32_t iterations = 0;
    bool is_number = value.length > 0 && value.length < 10;

    for (size_t i = 0; i < value.length && is_number; i++) {
        uint8_t digit = token->show->data[value.offset + i];
        is_number = digit >= '0' && digit <= '9';
        iterations = iterations * 10 + (is_number ? digit - '0' : 0);
    }
    if (!is_number) {
        explain_malformed(token, "The number of iterations is no number");
    } else if (kafka_is_wanted(token->show, hf_scram_iterations)) {
        proto_tree_add_uint(token->tree, hf_scram_iterations, token->show->tvb, (int)value.offset, (int)value.length,
                            iterations);
    }
}

static void show_scram_channel_binding(const struct kafka_sasl_token *token, struct kafka_span value)
{
    proto_item *item = add_part(token, hf_scram_channel_binding, value);
    uint8_t *decoded = wmem_alloc(token->show->pinfo->pool, KAFKA_BASE64_ROOM(value.length));
    size_t length;

    if (item != NULL && kafka_base64_decode(token->show->data + value.offset, value.length, decoded, &length)) {
        struct kafka_show show = *token->show;
        show.data = decoded;
        proto_item_append_text(item, " (%s)", kafka_text_of(&show, (struct kafka_span){.length = length}));
    }
}

static void show_scram_error(const struct kafka_sasl_token *token, struct kafka_span value)
{
    proto_item *item = add_part(token, hf_scram_error, value);

    kafka_expert_add_format(token->show->pinfo, item != NULL ? item : token->item, &ei_kafka_sasl_failed,
                            "The broker says: %s", kafka_text_of(token->show, value));
}

static void show_scram_attribute(const struct kafka_sasl_token *token, const struct kafka_scram_attribute *attribute)
{
    int name = attribute->name.length == 1 ? token->show->data[attribute->name.offset] : 0;

    switch (name) {
    case 'n':
        show_scram_user(token, attribute->value);
        break;
    case 'r':
        add_part(token, hf_scram_nonce, attribute->value);
        break;
    case 's':
        add_part(token, hf_scram_salt, attribute->value);
        break;
    case 'i':
        show_scram_iterations(token, attribute->value);
        break;
    case 'c':
        show_scram_channel_binding(token, attribute->value);
        break;
    case 'p':
        add_part(token, hf_scram_proof, attribute->value);
        break;
    case 'v':
        add_part(token, hf_scram_signature, attribute->value);
        break;
    case 'e':
        show_scram_error(token, attribute->value);
        break;
    default:
        add_part(token, hf_scram_extension, attribute->text);
        break;
    }
}

static void show_scram(const struct kafka_sasl_token *token)
{
    struct kafka_cursor at = token->bytes;
    struct kafka_scram_attribute attribute;
    enum kafka_status status = KAFKA_OK;

    /* Only a client's first message has a header. */
    if (token->to_broker) {
        (void)show_gs2_header(token, &at);
    }
    while (at.offset < at.limit && status == KAFKA_OK) {
        status = kafka_scram_attribute_read(&at, &attribute);
        if (status == KAFKA_OK) {
            show_scram_attribute(token, &attribute);
        }
    }
    if (status == KAFKA_SHORT) {
        explain_malformed(token, "The bytes are no message of SCRAM");
    }
}

static void show_jwt_part(const struct kafka_sasl_token *token, int hf, struct kafka_span part)
{
    uint8_t *json = wmem_alloc(token->show->pinfo->pool, KAFKA_BASE64_ROOM(part.length));
    size_t length;
    bool is_base64 = kafka_base64_decode(token->show->data + part.offset, part.length, json, &length);

    if (is_base64) {
        add_decoded(token, hf, part, json, length);
    } else {
        explain_malformed(token, "A part of the JSON Web Token is not in base64");
    }
}

static void show_bearer(const struct kafka_sasl_token *token, struct kafka_span value)
{
    struct kafka_span whole;
    struct kafka_jwt jwt;

    if (kafka_jwt_read(token->show->data, &value, &whole, &jwt)) {
        show_jwt_part(token, hf_jwt_header, jwt.header);
        show_jwt_part(token, hf_jwt_claims, jwt.claims);
    } else {
        add_secret(token, hf_oauth_token, whole);
    }
}

/* The key of the pair with the token is "auth" (RFC 7628); one that was written in another way holds a token too. */
static bool is_credential(const struct kafka_oauth_pair *pair, const uint8_t *data)
{
    return pair->key.length == 4 && g_ascii_strncasecmp((const char *)data + pair->key.offset, "auth", 4) == 0;
}

static void show_oauth_request(const struct kafka_sasl_token *token)
{
    struct kafka_cursor at = token->bytes;
    struct kafka_oauth_pair pair;
    enum kafka_status status;

    if (kafka_oauth_is_acknowledgement(&at)) {
        if (token->item != token->show->item) {
            proto_item_append_text(token->item, " (takes note of the error)");
        }
        return;
    }
    if (!show_gs2_header(token, &at)) {
        if (at.captured >= at.limit) {
            explain_malformed(token, "A message of OAUTHBEARER begins with a GS2 header");
        }
        return;
    }
    while ((status = kafka_oauth_pair_read(&at, &pair)) == KAFKA_OK) {
        if (is_credential(&pair, at.data)) {
            show_bearer(token, pair.value);
        } else {
            add_part(token, hf_oauth_extension, pair.text);
        }
    }
    if (status != KAFKA_CUT && !kafka_oauth_is_end(&at)) {
        explain_malformed(token, "A message of OAUTHBEARER has pairs of keys and values, with 0x01 between");
    }
}

static void show_oauth_response(const struct kafka_sasl_token *token)
{
    struct kafka_span value = {.offset = token->bytes.offset,
                               .length = kafka_sasl_captured_end(&token->bytes) - token->bytes.offset};
    proto_item *item = add_part(token, hf_oauth_error, value);

    kafka_expert_add_format(token->show->pinfo, item != NULL ? item : token->item, &ei_kafka_sasl_failed,
                            "The broker says: %s", kafka_text_of(token->show, value));
}

static struct kafka_span whole_token(const struct kafka_cursor *bytes)
{
    return (struct kafka_span){.offset = bytes->offset, .length = kafka_sasl_captured_end(bytes) - bytes->offset};
}

static bool has_nul(const struct kafka_cursor *bytes)
{
    return memchr(bytes->data + bytes->offset, '\0', kafka_sasl_captured_end(bytes) - bytes->offset) != NULL;
}

/* Returns what of a client's message of OAUTHBEARER is secret: the signature, or all that may be a token. */
static struct kafka_span oauth_secret(const struct kafka_cursor *bytes)
{
    struct kafka_span secret = {.is_null = true};
    unsigned count = 0;
    struct kafka_cursor at = *bytes;
    struct kafka_gs2_header header;
    struct kafka_oauth_pair pair;
    struct kafka_span whole;
    struct kafka_jwt jwt;

    if (kafka_oauth_is_acknowledgement(bytes)) {
        return (struct kafka_span){.is_null = true};
    }
    if (kafka_gs2_header_read(&at, &header) == KAFKA_OK) {
        while (kafka_oauth_pair_read(&at, &pair) == KAFKA_OK) {
            if (!is_credential(&pair, at.data)) {
                continue;
            }
            if (count++ > 0) {
                return whole_token(bytes);
            }
            secret = kafka_jwt_read(at.data, &pair.value, &whole, &jwt) ? jwt.signature : whole;
        }
    }
    return count > 0 ? secret : whole_token(bytes);
}

struct kafka_span kafka_sasl_find_secret(const struct kafka_sasl_token *token)
{
    struct kafka_span secret = {.is_null = true};
    struct kafka_sasl_plain plain;

    if (!token->to_broker || kafka_shows_passwords()) {
        return secret;
    }
    if (token->family == KAFKA_SASL_PLAIN) {
        (void)kafka_sasl_plain_read(&token->bytes, &plain);
        secret.offset = plain.secret;
        secret.length = kafka_sasl_captured_end(&token->bytes) - plain.secret;
    } else if (token->family == KAFKA_SASL_OAUTHBEARER) {
        secret = oauth_secret(&token->bytes);
    } else if ((token->family == KAFKA_SASL_UNKNOWN && (token->mechanism != NULL || token->show->is_inner)) ||
               (token->family == KAFKA_SASL_SCRAM && has_nul(&token->bytes))) {
        /* A token it is, and nobody knows what of it is secret; messages of SCRAM are text. */
        secret = whole_token(&token->bytes);
    }
    secret.is_null = secret.length == 0;
    return secret;
}

void kafka_sasl_show_message(const struct kafka_sasl_token *token)
{
    switch (token->family) {
    case KAFKA_SASL_PLAIN:
        if (token->to_broker) {
            show_plain(token);
        }
        break;
    case KAFKA_SASL_SCRAM:
        show_scram(token);
        break;
    case KAFKA_SASL_OAUTHBEARER:
        if (token->to_broker) {
            show_oauth_request(token);
        } else {
            show_oauth_response(token);
        }
        break;
    default:
        break;
    }
}
