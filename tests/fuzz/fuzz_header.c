/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request from its header on; the same bytes are also taken for the body of a response to it. */
#include "fuzz.h"

#include <string.h>

#include "wire/header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor cursor;
    struct kafka_request_header header;

    if (!open_input(data, size, &cursor)) {
        return 0;
    }
    uint8_t *copy = malloc(cursor.captured > 0 ? cursor.captured : 1);
    REQUIRE(copy != NULL);
    memcpy(copy, cursor.data, cursor.captured);
    cursor.data = copy;

    bool is_plausible = kafka_is_plausible_request(&cursor);
    REQUIRE(!is_plausible || kafka_may_begin_request(&cursor));
    bool has_shape = kafka_has_request_shape(&cursor);
    REQUIRE(cursor.offset == 0);
    enum kafka_status status = kafka_read_request_header(&cursor, &header);
    REQUIRE(cursor.offset == (status == KAFKA_OK ? KAFKA_REQUEST_FIXED_SIZE : 0));
    REQUIRE(!is_plausible || (status == KAFKA_OK && header.api != NULL));
    REQUIRE(!has_shape || (status == KAFKA_OK && header.correlation_id >= 0 && header.api_version >= 0));
    if (status == KAFKA_OK && header.api != NULL) {
        REQUIRE(header.api->key == header.api_key);
        REQUIRE(kafka_versions_has(header.api->request->versions, header.known_version));
        REQUIRE(kafka_request_header_version(header.api, header.known_version) <= 2);
        REQUIRE(kafka_response_header_version(header.api, header.known_version) <= 1);
        int16_t version = kafka_response_body_version(&cursor, header.api, header.known_version);
        REQUIRE(version == header.known_version || version == 0);
        REQUIRE(kafka_versions_has(header.api->response->versions, version));
        fuzz_sink = (unsigned)kafka_produce_acks(&cursor, header.known_version);
        REQUIRE(cursor.offset == KAFKA_REQUEST_FIXED_SIZE);
    }
    free(copy);
    return 0;
}
