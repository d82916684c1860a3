/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request and response headers (KIP-482: header versions follow from API key and version), and the few APIs that break
 * the rules of all the others and so have to be known by key.
 */
#ifndef KAFKA_WIRE_HEADER_H
#define KAFKA_WIRE_HEADER_H

#include "cursor.h"
#include "schema.h"

#define KAFKA_API_PRODUCE             0
#define KAFKA_API_METADATA            3
#define KAFKA_API_CONTROLLED_SHUTDOWN 7
#define KAFKA_API_FIND_COORDINATOR    10
#define KAFKA_API_JOIN_GROUP          11
#define KAFKA_API_SYNC_GROUP          14
#define KAFKA_API_SASL_HANDSHAKE      17
#define KAFKA_API_API_VERSIONS        18
#define KAFKA_API_SASL_AUTHENTICATE   36
#define KAFKA_API_ENVELOPE            58

/* The error with which a broker says that it does not know the version of an ApiVersions request. */
#define KAFKA_ERROR_UNSUPPORTED_VERSION 35

/* The length prefix of a PDU, which does not count itself, and the fields that every request header begins with. */
#define KAFKA_LENGTH_SIZE         4
#define KAFKA_REQUEST_FIXED_SIZE  8 /* API key, API version, correlation id */
#define KAFKA_RESPONSE_FIXED_SIZE 4 /* correlation id */

struct kafka_request_header {
    int16_t api_key;
    int16_t api_version;
    int32_t correlation_id;
    const struct kafka_api *api; /* NULL for a key that no release has */
    int16_t known_version;       /* the version to decode with: api_version, or the nearest that the schema has */
};

/*
 * Reads the fixed part of a request header at the cursor, which it moves behind it; the client id and the tag section
 * that header versions 1 and 2 have are left to the caller. Returns a status of the readers.
 */
enum kafka_status kafka_read_request_header(struct kafka_cursor *cursor, struct kafka_request_header *header);

/* Returns version, or the nearest to it that the message has. */
int16_t kafka_known_version(const struct kafka_message *message, int16_t version);

/* Returns the header version, 0 to 2, of a request and, 0 or 1, of a response in that version of api. */
uint8_t kafka_request_header_version(const struct kafka_api *api, int16_t version);
uint8_t kafka_response_header_version(const struct kafka_api *api, int16_t version);

/*
 * Returns the version that the body of a response at the cursor is written in, which is the request's but for an
 * ApiVersions answer to a version that the broker does not know (version 0, error 35; KIP-511), and for a first version
 * that an old broker answered as version 0 and only that fits.
 */
int16_t kafka_response_body_version(const struct kafka_cursor *cursor, const struct kafka_api *api, int16_t version);

/* Returns whether the request at the cursor is there up to the end of its client id, or can never be. */
bool kafka_has_request_header(const struct kafka_cursor *cursor);

/*
 * Returns whether the cursor stands at the start of a request (behind the length prefix) that some client could have
 * sent: a known key, a version that was ever spoken or one not far above, and a client id that fits and is printable
 * text, as far as the capture goes. (A correlation id may be negative: Kafka's client counts on from 2^31 - 8 at
 * -2^31.)
 */
bool kafka_is_plausible_request(const struct kafka_cursor *cursor);

/* The same of bytes that may end within the header: whether nothing that is there speaks against a request. */
bool kafka_may_begin_request(const struct kafka_cursor *cursor);

/*
 * The same where a message is known to begin: a client may call itself whatever it likes, so that its id only has to
 * end with the message.
 */
bool kafka_can_be_request(const struct kafka_cursor *cursor);

/*
 * The same where any API key will do: a correlation id that is not negative, a version that is not out of all reason
 * and a client id of printable text that is there and fits.
 */
bool kafka_has_request_shape(const struct kafka_cursor *cursor);

/* Returns the acks of a Produce request whose body begins at the cursor, or 1 where it does not tell. */
int16_t kafka_produce_acks(const struct kafka_cursor *cursor, int16_t version);

#endif
