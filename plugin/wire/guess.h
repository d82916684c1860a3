/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a response is whose request nobody saw. Nothing in a response says which API or version it is of; but few of the
 * layouts that there are fit a body to its last byte with values that make sense.
 */
#ifndef KAFKA_WIRE_GUESS_H
#define KAFKA_WIRE_GUESS_H

#include "fit.h"

/* Versions of an API that all read the bytes alike: the same fields at the same places. */
struct kafka_guess {
    const struct kafka_api *api;
    uint32_t versions; /* bit n stands for version n */
};

/* Returns the least and the greatest version of a guess. */
int16_t kafka_guess_first(const struct kafka_guess *guess);
int16_t kafka_guess_last(const struct kafka_guess *guess);

/*
 * Finds what the frame that begins at the cursor, behind its length, and ends at the limit may be, when it is a
 * response: all guesses that fit it to its last byte, in the order of the API keys. Versions for which a tag is unknown
 * are left out where others of the API know all tags. Stores the first room of them and returns how many there are.
 */
size_t kafka_guess_response(const struct kafka_cursor *frame, struct kafka_guess *guesses, size_t room);

/* Returns how far the frame is the response of any API. */
enum kafka_fit kafka_fit_any_response(const struct kafka_cursor *frame);

/*
 * Returns whether the frame can only be a request, among bytes of any protocol: one with a name, whose body fits as far
 * as it goes, or one without that is whole and of an API with which connections begin. Of other APIs a name is asked
 * for: zeros and small numbers make such requests, as do other protocols' headers that begin with a length. A response
 * with a small correlation id looks like a Produce request, and where it may be one, that is not certain.
 */
bool kafka_request_is_certain(const struct kafka_cursor *frame);

#endif
