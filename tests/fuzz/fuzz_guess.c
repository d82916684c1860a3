/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a frame may be where nothing else tells: as a request, and as a response whose request nobody saw. */
#include "fuzz.h"

#include <string.h>

#include "wire/fit.h"
#include "wire/guess.h"
#include "wire/plausible.h"
#include "wire/text_kind.h"

#define ROOM 64

/* Plausible values are asked for besides, and change nothing else. */
static void fit_as_request(const struct kafka_cursor *frame)
{
    enum kafka_fit fit = kafka_fit_request(frame);
    enum kafka_fit plausible = kafka_fit_request_plausibly(frame);

    REQUIRE(plausible == fit || plausible == KAFKA_FIT_NONE);
    REQUIRE(fit != KAFKA_FIT_WHOLE || frame->captured == frame->limit);
    REQUIRE(!kafka_request_is_certain(frame) ||
            plausible >= (kafka_request_is_named(frame) ? KAFKA_FIT_SO_FAR : KAFKA_FIT_WHOLE));
}

static void guess_as_response(const struct kafka_cursor *frame)
{
    struct kafka_guess guesses[ROOM];
    struct kafka_guess first;
    size_t count = kafka_guess_response(frame, guesses, ROOM);

    REQUIRE(kafka_guess_response(frame, &first, 1) == count);
    REQUIRE((count > 0) == (kafka_fit_any_response(frame) == KAFKA_FIT_WHOLE));
    REQUIRE(count == 0 || (frame->captured == frame->limit && first.api == guesses[0].api));
    for (size_t i = 0; i < count && i < ROOM; i++) {
        const struct kafka_api *api = guesses[i].api;
        REQUIRE(i == 0 || guesses[i - 1].api->key <= api->key);
        REQUIRE(i == 0 || guesses[i - 1].api != api || (guesses[i - 1].versions & guesses[i].versions) == 0);
        for (int16_t version = kafka_guess_first(&guesses[i]); version <= kafka_guess_last(&guesses[i]); version++) {
            bool is_guessed = (guesses[i].versions >> version & 1) != 0;
            REQUIRE(!is_guessed || kafka_versions_has(api->response->versions, version));
            REQUIRE(!is_guessed || kafka_fit_response_plausibly(frame, api, version) == KAFKA_FIT_WHOLE);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor frame;

    if (!open_input(data, size, &frame)) {
        return 0;
    }
    uint8_t *copy = malloc(frame.captured > 0 ? frame.captured : 1);
    REQUIRE(copy != NULL);
    memcpy(copy, frame.data, frame.captured);
    frame.data = copy;
    fuzz_sink = kafka_is_text(copy, frame.captured);
    fit_as_request(&frame);
    guess_as_response(&frame);
    REQUIRE(frame.offset == 0);
    free(copy);
    return 0;
}
