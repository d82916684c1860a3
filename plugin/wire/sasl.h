/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The messages of SASL mechanisms as Kafka has them: PLAIN (RFC 4616), SCRAM (RFC 5802), OAUTHBEARER (RFC 7628 with
 * JSON Web Tokens), and how GSSAPI tokens begin (RFC 2743). Each message is the bytes from a cursor to its limit, of
 * which the capture may have less.
 */
#ifndef KAFKA_WIRE_SASL_H
#define KAFKA_WIRE_SASL_H

#include "cursor.h"

enum kafka_sasl_family {
    KAFKA_SASL_UNKNOWN,
    KAFKA_SASL_PLAIN,
    KAFKA_SASL_SCRAM,
    KAFKA_SASL_OAUTHBEARER,
    KAFKA_SASL_GSSAPI,
};

/* Returns the family of a mechanism by its name, which needs no NUL at its end; KAFKA_SASL_UNKNOWN for any other. */
enum kafka_sasl_family kafka_sasl_family_find(const char *name, size_t length);

/*
 * Returns the family that a client's message can only be of, where the mechanism is not known: KAFKA_SASL_UNKNOWN when
 * that is none or several.
 */
enum kafka_sasl_family kafka_sasl_guess(const struct kafka_cursor *message);

/* Returns whether a GSSAPI initial token begins at the cursor: of Kerberos, or of SPNEGO. */
bool kafka_sasl_is_gssapi(const struct kafka_cursor *message);

/*
 * A message of PLAIN. Returns KAFKA_OK, KAFKA_CUT, or KAFKA_SHORT when it is not of three parts of which the last two
 * are not empty. Whatever it returns, secret is where the password begins or may begin: nothing before it is one.
 */
struct kafka_sasl_plain {
    struct kafka_span authorization_id; /* what is there of it; empty where the user acts for itself */
    struct kafka_span user;
    struct kafka_span password;
    size_t secret;
};
enum kafka_status kafka_sasl_plain_read(const struct kafka_cursor *message, struct kafka_sasl_plain *plain);

/*
 * The header that messages of a client begin with (RFC 5801): a flag for channel binding, and the authorization id,
 * which may be empty. Moves the cursor behind it. Any status but KAFKA_OK leaves the cursor where it is.
 */
struct kafka_gs2_header {
    struct kafka_span text; /* all of it, with the comma at its end */
    struct kafka_span authorization_id;
};
enum kafka_status kafka_gs2_header_read(struct kafka_cursor *cursor, struct kafka_gs2_header *header);

/* An attribute of a message of SCRAM: "r=nonce". Extensions may have names of several letters. */
struct kafka_scram_attribute {
    struct kafka_span text;
    struct kafka_span name;
    struct kafka_span value;
};

/*
 * Reads the attribute at the cursor and moves behind it and its comma. KAFKA_SHORT when the bytes there are none, and
 * the cursor does not move; KAFKA_CUT when the capture ends before the attribute does.
 */
enum kafka_status kafka_scram_attribute_read(struct kafka_cursor *cursor, struct kafka_scram_attribute *attribute);

/*
 * Writes a SCRAM name, in which "=2C" stands for a comma and "=3D" for an equals sign, into out, which has room for
 * name->length bytes; returns how many it wrote.
 */
size_t kafka_scram_name_decode(const uint8_t *data, const struct kafka_span *name, uint8_t *out);

/*
 * A key and its value in a client's message of OAUTHBEARER, behind the GS2 header: "auth=Bearer …", or an extension
 * (KIP-342). Reads the pair at the cursor, which stands on the 0x01 before it, and leaves the cursor on the next 0x01.
 * KAFKA_SHORT when no pair follows: at the end of the message, or where the bytes are wrong.
 */
struct kafka_oauth_pair {
    struct kafka_span text;
    struct kafka_span key;
    struct kafka_span value;
};
enum kafka_status kafka_oauth_pair_read(struct kafka_cursor *cursor, struct kafka_oauth_pair *pair);

/* Returns whether the cursor stands on the two bytes that end such a message. */
bool kafka_oauth_is_end(const struct kafka_cursor *cursor);

/* Returns whether the message is the one byte by which a client takes note of an error (RFC 7628, 3.2.3). */
bool kafka_oauth_is_acknowledgement(const struct kafka_cursor *message);

/* A JSON Web Token (RFC 7519) in its compact form: three parts in base64url, the signature may be empty. */
struct kafka_jwt {
    struct kafka_span header;
    struct kafka_span claims;
    struct kafka_span signature;
};

/* Takes the token of "Bearer …" apart; false when there is none of that form. *token is where it stands in any case. */
bool kafka_jwt_read(const uint8_t *data, const struct kafka_span *bearer, struct kafka_span *token,
                    struct kafka_jwt *jwt);

/*
 * Decodes base64 or base64url, padded or not, into out, which has room for KAFKA_BASE64_ROOM(length) bytes. Returns
 * false, with *written bytes decoded so far, where a character does not belong there.
 */
#define KAFKA_BASE64_ROOM(length) ((length) / 4 * 3 + 3)
bool kafka_base64_decode(const uint8_t *text, size_t length, uint8_t *out, size_t *written);

#endif
