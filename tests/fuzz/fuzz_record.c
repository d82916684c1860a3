/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as they come out of a codec, whole and cut by a fault, with headers and control keys. */
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_record_iterator iterator;
    struct kafka_batch batch = {.magic = 2, .base_offset = INT64_MAX - 1, .base_timestamp = -1, .record_count = 3};

    if (size < 1) {
        return 0;
    }
    batch.attributes = (uint16_t)(data[0] & KAFKA_ATTRIBUTE_LOG_APPEND_TIME);
    kafka_records_init_unpacked(&iterator, &batch, data + 1, size - 1, (data[0] & 1) != 0);
    touch_records(&iterator);
    return 0;
}
