/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys and values of control records; the first byte is the length of the key. */
#include "fuzz.h"
#include "wire/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_control_key key;
    struct kafka_control_value value;

    if (size < 1 || data[0] > size - 1) {
        return 0;
    }
    struct kafka_span key_span = {1, data[0], data[0] == 0};
    struct kafka_span value_span = {1 + (size_t)data[0], size - 1 - data[0], false};
    enum kafka_status status = kafka_control_key_read(data, &key_span, &key);
    REQUIRE((status == KAFKA_OK) == (key_span.length >= KAFKA_CONTROL_KEY_SIZE));
    REQUIRE(key.known == NULL || key.known->type == key.type);
    if (key.known != NULL) {
        status = kafka_control_value_read(data, &value_span, key.known, &value);
        REQUIRE((status == KAFKA_OK) == (value_span.length >= 2));
        REQUIRE(value.body_begin <= value.end && value.end == size);
    }
    return 0;
}
