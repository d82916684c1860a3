/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sasl.h"

#include <string.h>

/* What ends a part of a message. */
#define PLAIN_SEPARATOR '\0'
#define OAUTH_SEPARATOR 0x01

/* Where the message's captured bytes end. */
static size_t captured_end(const struct kafka_cursor *message)
{
    return message->captured < message->limit ? message->captured : message->limit;
}

static bool is_cut(const struct kafka_cursor *message)
{
    return message->captured < message->limit;
}

/* Returns the offset of the byte from the offset on, or end when it is not there. */
static size_t find_byte(const uint8_t *data, size_t offset, size_t end, uint8_t byte)
{
    const uint8_t *found = offset < end ? memchr(data + offset, byte, end - offset) : NULL;

    return found != NULL ? (size_t)(found - data) : end;
}

static struct kafka_span span_between(size_t begin, size_t end)
{
    return (struct kafka_span){.offset = begin, .length = end - begin};
}

enum kafka_sasl_family kafka_sasl_family_find(const char *name, size_t length)
{
    static const struct {
        const char *name;
        enum kafka_sasl_family family;
    } names[] = {
        {"PLAIN", KAFKA_SASL_PLAIN},         {"SCRAM-SHA-256", KAFKA_SASL_SCRAM},
        {"SCRAM-SHA-512", KAFKA_SASL_SCRAM}, {"OAUTHBEARER", KAFKA_SASL_OAUTHBEARER},
        {"GSSAPI", KAFKA_SASL_GSSAPI},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0) {
            return names[i].family;
        }
    }
    return KAFKA_SASL_UNKNOWN;
}

bool kafka_sasl_is_gssapi(const struct kafka_cursor *message)
{
    /* 1.2.840.113554.1.2.2 and 1.3.6.1.5.5.2 with their tag and length. */
    static const uint8_t kerberos[] = {0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x02};
    static const uint8_t spnego[] = {0x06, 0x06, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x02};
    size_t end = captured_end(message);
    size_t at = message->offset;

    if (at + 2 > end || message->data[at] != 0x60) {
        return false;
    }
    /* A length of one byte, or 0x80 and the number of bytes that it has. */
    size_t length_bytes = message->data[at + 1] < 0x80 ? 1 : 1 + (size_t)(message->data[at + 1] & 0x7f);
    if (length_bytes > 5) {
        return false;
    }
    at += 1 + length_bytes;
    return (at + sizeof kerberos <= end && memcmp(message->data + at, kerberos, sizeof kerberos) == 0) ||
           (at + sizeof spnego <= end && memcmp(message->data + at, spnego, sizeof spnego) == 0);
}

/* Returns whether there is no control character. */
static bool is_printable(const struct kafka_cursor *message, const struct kafka_span *span)
{
    for (size_t i = 0; i < span->length; i++) {
        uint8_t byte = message->data[span->offset + i];
        if (byte < 0x20 || byte == 0x7f) {
            return false;
        }
    }
    return true;
}

enum kafka_sasl_family kafka_sasl_guess(const struct kafka_cursor *message)
{
    struct kafka_cursor at = *message;
    struct kafka_gs2_header header;
    struct kafka_sasl_plain plain;

    if (kafka_sasl_is_gssapi(message)) {
        return KAFKA_SASL_GSSAPI;
    }
    if (kafka_gs2_header_read(&at, &header) == KAFKA_OK && kafka_need(&at, 1) == KAFKA_OK) {
        uint8_t next = at.data[at.offset];
        return next == OAUTH_SEPARATOR ? KAFKA_SASL_OAUTHBEARER : KAFKA_SASL_SCRAM;
    }
    if (kafka_need(&at, 2) == KAFKA_OK && memcmp(at.data + at.offset, "c=", 2) == 0) {
        return KAFKA_SASL_SCRAM;
    }
    if (kafka_sasl_plain_read(message, &plain) != KAFKA_SHORT && plain.secret > message->offset &&
        is_printable(message, &plain.authorization_id) && is_printable(message, &plain.user) &&
        is_printable(message, &plain.password)) {
        return KAFKA_SASL_PLAIN;
    }
    return KAFKA_SASL_UNKNOWN;
}

enum kafka_status kafka_sasl_plain_read(const struct kafka_cursor *message, struct kafka_sasl_plain *plain)
{
    size_t end = captured_end(message);
    size_t first = find_byte(message->data, message->offset, end, PLAIN_SEPARATOR);
    size_t second = first < end ? find_byte(message->data, first + 1, end, PLAIN_SEPARATOR) : end;

    *plain = (struct kafka_sasl_plain){
        .authorization_id = span_between(message->offset, first),
        .user = span_between(first < end ? first + 1 : end, second),
        .password = span_between(second < end ? second + 1 : end, end),
    };
    /* With a part missing, what there is may as well be the password. */
    plain->secret = message->offset;
    if (second < end) {
        plain->secret = second + 1;
    }
    if (second == end) {
        return is_cut(message) ? KAFKA_CUT : KAFKA_SHORT;
    }
    if (is_cut(message)) {
        return KAFKA_CUT;
    }
    bool has_more = find_byte(message->data, second + 1, end, PLAIN_SEPARATOR) < end;
    return has_more || plain->user.length == 0 || plain->password.length == 0 ? KAFKA_SHORT : KAFKA_OK;
}

enum kafka_status kafka_gs2_header_read(struct kafka_cursor *cursor, struct kafka_gs2_header *header)
{
    size_t end = captured_end(cursor);
    enum kafka_status missing = is_cut(cursor) ? KAFKA_CUT : KAFKA_SHORT;
    size_t begin = cursor->offset;

    if (begin == end) {
        return missing;
    }
    uint8_t flag = cursor->data[begin];
    if (flag != 'n' && flag != 'y' && flag != 'p') {
        return KAFKA_SHORT;
    }
    size_t first = find_byte(cursor->data, begin, end, ',');
    size_t second = first < end ? find_byte(cursor->data, first + 1, end, ',') : end;
    /* "p=" names a kind of channel binding; the others stand alone. */
    size_t flag_length = first - begin;
    if (flag == 'p' ? (flag_length > 1 && cursor->data[begin + 1] != '=') || (first < end && flag_length < 3)
                    : flag_length > 1) {
        return KAFKA_SHORT;
    }
    if (second == end) {
        return missing;
    }
    struct kafka_span id = span_between(first + 1, second);
    if (id.length == 1 || (id.length > 1 && memcmp(cursor->data + id.offset, "a=", 2) != 0)) {
        return KAFKA_SHORT;
    }
    if (id.length > 1) {
        id = span_between(id.offset + 2, second);
    }
    header->text = span_between(begin, second + 1);
    header->authorization_id = id;
    cursor->offset = second + 1;
    return KAFKA_OK;
}

static bool is_letter(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

enum kafka_status kafka_scram_attribute_read(struct kafka_cursor *cursor, struct kafka_scram_attribute *attribute)
{
    size_t end = captured_end(cursor);
    size_t begin = cursor->offset;
    size_t name_end = begin;

    while (name_end < end && is_letter(cursor->data[name_end])) {
        name_end++;
    }
    if (name_end == end) {
        return is_cut(cursor) ? KAFKA_CUT : KAFKA_SHORT;
    }
    if (name_end == begin || cursor->data[name_end] != '=') {
        return KAFKA_SHORT;
    }
    size_t value_end = find_byte(cursor->data, name_end + 1, end, ',');
    if (value_end == end && is_cut(cursor)) {
        return KAFKA_CUT;
    }
    if (value_end + 1 == cursor->limit) {
        /* A comma with nothing behind it. */
        return KAFKA_SHORT;
    }
    attribute->text = span_between(begin, value_end);
    attribute->name = span_between(begin, name_end);
    attribute->value = span_between(name_end + 1, value_end);
    cursor->offset = value_end < end ? value_end + 1 : end;
    return KAFKA_OK;
}

size_t kafka_scram_name_decode(const uint8_t *data, const struct kafka_span *name, uint8_t *out)
{
    const uint8_t *text = data + name->offset;
    size_t written = 0;

    for (size_t i = 0; i < name->length; i++) {
        out[written] = text[i];
        if (text[i] == '=' && i + 2 < name->length) {
            if (memcmp(text + i, "=2C", 3) == 0) {
                out[written] = ',';
                i += 2;
            } else if (memcmp(text + i, "=3D", 3) == 0) {
                i += 2;
            }
        }
        written++;
    }
    return written;
}

enum kafka_status kafka_oauth_pair_read(struct kafka_cursor *cursor, struct kafka_oauth_pair *pair)
{
    size_t end = captured_end(cursor);
    size_t begin = cursor->offset + 1;

    if (cursor->offset >= end || cursor->data[cursor->offset] != OAUTH_SEPARATOR) {
        return is_cut(cursor) && cursor->offset >= end ? KAFKA_CUT : KAFKA_SHORT;
    }
    size_t pair_end = find_byte(cursor->data, begin, end, OAUTH_SEPARATOR);
    if (pair_end == end) {
        return is_cut(cursor) ? KAFKA_CUT : KAFKA_SHORT;
    }
    size_t key_end = find_byte(cursor->data, begin, pair_end, '=');
    if (key_end == pair_end || key_end == begin) {
        return KAFKA_SHORT;
    }
    pair->text = span_between(begin, pair_end);
    pair->key = span_between(begin, key_end);
    pair->value = span_between(key_end + 1, pair_end);
    cursor->offset = pair_end;
    return KAFKA_OK;
}

bool kafka_oauth_is_end(const struct kafka_cursor *cursor)
{
    return kafka_remaining(cursor) == 2 && kafka_need(cursor, 2) == KAFKA_OK &&
           cursor->data[cursor->offset] == OAUTH_SEPARATOR && cursor->data[cursor->offset + 1] == OAUTH_SEPARATOR;
}

bool kafka_oauth_is_acknowledgement(const struct kafka_cursor *message)
{
    return kafka_remaining(message) == 1 && kafka_need(message, 1) == KAFKA_OK &&
           message->data[message->offset] == OAUTH_SEPARATOR;
}

bool kafka_jwt_read(const uint8_t *data, const struct kafka_span *bearer, struct kafka_span *token,
                    struct kafka_jwt *jwt)
{
    static const char scheme[] = "bearer ";
    size_t begin = bearer->offset;
    size_t end = begin + bearer->length;

    *token = *bearer;
    for (size_t i = 0; i < sizeof scheme - 1; i++) {
        /* Any case will do (RFC 7235). */
        if (i >= bearer->length || (data[begin + i] | (is_letter(data[begin + i]) ? 0x20 : 0)) != scheme[i]) {
            return false;
        }
    }
    begin += sizeof scheme - 1;
    *token = span_between(begin, end);
    size_t first = find_byte(data, begin, end, '.');
    size_t second = first < end ? find_byte(data, first + 1, end, '.') : end;
    if (second == end || find_byte(data, second + 1, end, '.') < end) {
        return false;
    }
    jwt->header = span_between(begin, first);
    jwt->claims = span_between(first + 1, second);
    jwt->signature = span_between(second + 1, end);
    return jwt->header.length > 0 && jwt->claims.length > 0;
}

/* Returns the six bits that a character stands for, or −1. */
static int base64_value(uint8_t character)
{
    if (character >= 'A' && character <= 'Z') {
        return character - 'A';
    }
    if (character >= 'a' && character <= 'z') {
        return character - 'a' + 26;
    }
    if (character >= '0' && character <= '9') {
        return character - '0' + 52;
    }
    switch (character) {
    case '+':
    case '-':
        return 62;
    case '/':
    case '_':
        return 63;
    default:
        return -1;
    }
}

bool kafka_base64_decode(const uint8_t *text, size_t length, uint8_t *out, size_t *written)
{
    uint32_t bits = 0;
    unsigned held = 0;

    *written = 0;
    for (unsigned padding = 0; padding < 2 && length > 0 && text[length - 1] == '='; padding++) {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        int value = base64_value(text[i]);
        if (value < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[(*written)++] = (uint8_t)(bits >> held);
        }
    }
    /* One character of four says nothing. */
    return length % 4 != 1;
}
