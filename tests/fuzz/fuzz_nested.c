/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bytes fields hold: the first byte says of which kind and group. */
#include <string.h>

#include "fuzz.h"
#include "wire/nested.h"
#include "wire/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"consumer", "connect"};
    static const char *const names[] = {"range", "stream", "sticky", "cooperative-sticky"};
    struct kafka_cursor bytes;
    struct kafka_nested nested;

    if (size < 1 || !open_input(data + 1, size - 1, &bytes)) {
        return 0;
    }
    const char *type = types[data[0] & 1];
    const char *name = names[data[0] >> 1 & 3];
    struct kafka_group_protocol group = {type, strlen(type), name, strlen(name)};
    enum kafka_nested_kind kind = (enum kafka_nested_kind)((data[0] >> 3) % (KAFKA_NESTED_PRINCIPAL + 1));
    enum kafka_nested_result result = kafka_nested_find(&bytes, kind, &group, &nested);
    REQUIRE((result == KAFKA_NESTED_UNKNOWN) == (nested.message == NULL));
    REQUIRE(nested.end <= bytes.limit && nested.begin <= bytes.limit);
    if (result == KAFKA_NESTED_FITS) {
        struct kafka_cursor cursor = bytes;
        cursor.offset = nested.begin;
        cursor.limit = nested.end;
        REQUIRE(nested.begin <= nested.end && nested.end <= bytes.captured);
        REQUIRE(kafka_versions_has(nested.message->versions, nested.version));
        REQUIRE(kafka_check_fit(&cursor, nested.message, nested.version) == KAFKA_WALK_COMPLETE);
    }
    REQUIRE(result != KAFKA_NESTED_CUT || bytes.captured < bytes.limit);
    return 0;
}
