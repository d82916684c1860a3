/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guess.h"

#include "header.h"
#include "plausible.h"
#include "walk.h"

/* How many layouts one API can have in its versions. */
#define MAX_LAYOUTS 32

int16_t kafka_guess_first(const struct kafka_guess *guess)
{
    int16_t version = 0;

    while (version < 31 && (guess->versions >> version & 1) == 0) {
        version++;
    }
    return version;
}

int16_t kafka_guess_last(const struct kafka_guess *guess)
{
    int16_t version = 31;

    while (version > 0 && (guess->versions >> version & 1) == 0) {
        version--;
    }
    return version;
}

/* Reads the frame as the response of api in version; an answer in another version than the request's is that. */
static struct kafka_reading read_as(const struct kafka_cursor *frame, const struct kafka_api *api, int16_t version)
{
    struct kafka_cursor at = *frame;
    const struct kafka_reading nothing = {.result = KAFKA_WALK_MALFORMED};
    int16_t body_version = version;

    if (kafka_need(&at, KAFKA_RESPONSE_FIXED_SIZE) != KAFKA_OK) {
        return nothing;
    }
    at.offset += KAFKA_RESPONSE_FIXED_SIZE;
    if (kafka_response_header_version(api, version) == 1) {
        enum kafka_walk_result tags = kafka_walk_header_tags(&at, &kafka_visit_nothing, NULL);
        if (tags != KAFKA_WALK_COMPLETE) {
            return (struct kafka_reading){.result = tags};
        }
    }
    if (api->key == KAFKA_API_API_VERSIONS) {
        body_version = kafka_response_body_version(&at, api, version);
    }
    return kafka_read_plausibly(&at, kafka_fit_layout(&at, api->response, body_version), body_version, false);
}

size_t kafka_guess_response(const struct kafka_cursor *frame, struct kafka_guess *guesses, size_t room)
{
    size_t count = 0;

    for (size_t key = 0; key < kafka_api_count; key++) {
        const struct kafka_api *api = &kafka_apis[key];
        uint64_t layouts[MAX_LAYOUTS];
        uint32_t versions[MAX_LAYOUTS];
        size_t of_api = 0;
        for (int16_t version = api->response->versions.first; version <= api->response->versions.last; version++) {
            struct kafka_reading reading = read_as(frame, api, version);
            size_t i = 0;
            if (reading.result != KAFKA_WALK_COMPLETE || version >= MAX_LAYOUTS) {
                continue;
            }
            while (i < of_api && layouts[i] != reading.layout) {
                i++;
            }
            if (i == of_api) {
                layouts[i] = reading.layout;
                versions[i] = 0;
                of_api++;
            }
            versions[i] |= 1U << version;
        }
        for (size_t i = 0; i < of_api; i++, count++) {
            if (count < room) {
                guesses[count] = (struct kafka_guess){api, versions[i]};
            }
        }
    }
    return count;
}

enum kafka_fit kafka_fit_any_response(const struct kafka_cursor *frame)
{
    enum kafka_fit best = KAFKA_FIT_NONE;

    for (size_t key = 0; key < kafka_api_count; key++) {
        const struct kafka_api *api = &kafka_apis[key];
        for (int16_t version = api->response->versions.first; version <= api->response->versions.last; version++) {
            enum kafka_walk_result result = read_as(frame, api, version).result;
            if (result == KAFKA_WALK_COMPLETE) {
                return KAFKA_FIT_WHOLE;
            }
            if (result == KAFKA_WALK_CUT) {
                best = KAFKA_FIT_SO_FAR;
            }
        }
    }
    return best;
}
