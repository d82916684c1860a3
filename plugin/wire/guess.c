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

/* Returns whether the version may read a frame otherwise than the one before it. */
static bool reads_otherwise(const struct kafka_api *api, int16_t version)
{
    /* Version 1 of ApiVersions may be answered by what is another version's body. */
    return api->key == KAFKA_API_API_VERSIONS || version >= MAX_LAYOUTS || (api->response->changes >> version & 1) != 0;
}

/* The layouts of one API that fit a frame. */
struct layouts {
    uint64_t layout[MAX_LAYOUTS];
    uint32_t versions[MAX_LAYOUTS];
    size_t count;
    bool has_unknown_tags;
};

/* Adds a version. Whatever is known of all tags counts for more than what has unknown ones. */
static void add_version(struct layouts *layouts, const struct kafka_reading *reading, int16_t version)
{
    size_t i = 0;

    if (layouts->has_unknown_tags && !reading->has_unknown_tags) {
        layouts->count = 0;
    } else if (layouts->count > 0 && layouts->has_unknown_tags != reading->has_unknown_tags) {
        return;
    }
    layouts->has_unknown_tags = reading->has_unknown_tags;
    while (i < layouts->count && layouts->layout[i] != reading->layout) {
        i++;
    }
    if (i == layouts->count) {
        layouts->layout[i] = reading->layout;
        layouts->versions[i] = 0;
        layouts->count++;
    }
    layouts->versions[i] |= 1U << version;
}

static void find_layouts(const struct kafka_cursor *frame, const struct kafka_api *api, struct layouts *layouts)
{
    struct kafka_reading reading = {.result = KAFKA_WALK_MALFORMED};

    layouts->count = 0;
    layouts->has_unknown_tags = false;
    for (int16_t version = api->response->versions.first; version <= api->response->versions.last; version++) {
        if (reads_otherwise(api, version)) {
            reading = read_as(frame, api, version);
        }
        if (reading.result == KAFKA_WALK_COMPLETE && version >= 0 && version < MAX_LAYOUTS) {
            add_version(layouts, &reading, version);
        }
    }
}

size_t kafka_guess_response(const struct kafka_cursor *frame, struct kafka_guess *guesses, size_t room)
{
    size_t count = 0;

    for (size_t key = 0; key < kafka_api_count; key++) {
        const struct kafka_api *api = &kafka_apis[key];
        struct layouts layouts;
        find_layouts(frame, api, &layouts);
        for (size_t i = 0; i < layouts.count; i++, count++) {
            if (count < room) {
                guesses[count] = (struct kafka_guess){api, layouts.versions[i]};
            }
        }
    }
    return count;
}

enum kafka_fit kafka_fit_any_response(const struct kafka_cursor *frame)
{
    bool is_whole = frame->captured >= frame->limit;

    for (size_t key = 0; key < kafka_api_count; key++) {
        const struct kafka_api *api = &kafka_apis[key];
        for (int16_t version = api->response->versions.first; version <= api->response->versions.last; version++) {
            if (!reads_otherwise(api, version)) {
                continue;
            }
            enum kafka_walk_result result = read_as(frame, api, version).result;
            /* What is whole is no layout's beginning, what is cut is no layout to its end. */
            if (result != KAFKA_WALK_MALFORMED) {
                return is_whole ? KAFKA_FIT_WHOLE : KAFKA_FIT_SO_FAR;
            }
        }
    }
    return KAFKA_FIT_NONE;
}

bool kafka_request_is_certain(const struct kafka_cursor *frame)
{
    /* Nearly all that is not Kafka ends here. */
    if (!kafka_may_begin_request(frame) || kafka_need(frame, KAFKA_REQUEST_FIXED_SIZE) != KAFKA_OK) {
        return false;
    }
    int16_t key = (int16_t)kafka_load16(frame->data + frame->offset);
    if (kafka_request_is_named(frame)) {
        return kafka_fit_request_plausibly(frame) >= KAFKA_FIT_SO_FAR &&
               (key != KAFKA_API_PRODUCE || kafka_fit_any_response(frame) < KAFKA_FIT_WHOLE);
    }
    return (key == KAFKA_API_METADATA || key == KAFKA_API_FIND_COORDINATOR || key == KAFKA_API_API_VERSIONS) &&
           kafka_fit_request_plausibly(frame) == KAFKA_FIT_WHOLE;
}
