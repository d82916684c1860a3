/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether bytes are a message of Kafka's: how far they fit the schema. This is what tells frames from noise where
 * nothing else does, and which of several layouts a message was written in.
 */
#ifndef KAFKA_WIRE_FIT_H
#define KAFKA_WIRE_FIT_H

#include "cursor.h"
#include "schema.h"

/* From nothing to everything: each says more than the one before. */
enum kafka_fit {
    KAFKA_FIT_NONE,
    KAFKA_FIT_BEGINNING, /* the bytes end within the header, and nothing speaks against one so far */
    KAFKA_FIT_HEADER,    /* the header is right; of the body's version there is no schema */
    KAFKA_FIT_SO_FAR,    /* header and body are right as far as the bytes go, which end before the message does */
    KAFKA_FIT_WHOLE,     /* to the last byte */
};

/* Returns how far the frame that begins at the cursor, behind its length, and ends at the limit is a request. */
enum kafka_fit kafka_fit_request(const struct kafka_cursor *frame);

/* The same for the response of api to a request of that version; its correlation id is not looked at. */
enum kafka_fit kafka_fit_response(const struct kafka_cursor *frame, const struct kafka_api *api, int16_t version);

/*
 * The same where nothing but these bytes tells that there is a message: its values must be plausible too (plausible.h).
 */
enum kafka_fit kafka_fit_request_plausibly(const struct kafka_cursor *frame);
enum kafka_fit kafka_fit_response_plausibly(const struct kafka_cursor *frame, const struct kafka_api *api,
                                            int16_t version);

/* Returns whether the request has a client id, of text, that is not empty: chance hardly makes one. */
bool kafka_request_is_named(const struct kafka_cursor *frame);

/*
 * Returns message, or the variant of it that the body at the cursor was written in: early releases gave some versions
 * another layout, and only the bytes tell.
 */
const struct kafka_message *kafka_fit_layout(const struct kafka_cursor *body, const struct kafka_message *message,
                                             int16_t version);

#endif
