/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the body of a message begins and what it is written in, for those who want its fields and nothing of its
 * header.
 */
#ifndef KAFKA_WIRE_BODY_H
#define KAFKA_WIRE_BODY_H

#include "cursor.h"
#include "schema.h"

struct kafka_body {
    const struct kafka_message *message;
    int16_t version;
    struct kafka_cursor cursor; /* at its first byte */
};

/*
 * Finds the body of the request that begins at the cursor, behind its length; false where its API, its version or the
 * end of its header is not known.
 */
bool kafka_find_request_body(const struct kafka_cursor *frame, struct kafka_body *body);

/* The same of the response to a request of that API and version. */
bool kafka_find_response_body(const struct kafka_cursor *frame, const struct kafka_api *api, int16_t version,
                              struct kafka_body *body);

#endif
