/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

#include <string.h>

#include "wire/proxy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_proxy_header header;
    uint8_t *copy = malloc(size > 0 ? size : 1);

    REQUIRE(copy != NULL);
    memcpy(copy, data, size);
    size_t length = kafka_proxy_header_read(copy, size, &header);
    REQUIRE(length <= size);
    if (length > 0) {
        REQUIRE(header.length == length && (header.version == 1 || header.version == 2));
        if (header.address_length > 0) {
            struct kafka_span addresses = {.offset = (size_t)(header.addresses - copy),
                                           .length = 2 * header.address_length};
            touch_span(copy, &addresses, length);
        }
    }
    free(copy);
    return 0;
}
