/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of magic 0 and 1, and each value taken for what a wrapper holds. */
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor cursor;
    struct kafka_old_message message;
    struct kafka_wrapper wrapper;

    if (!open_input(data, size, &cursor)) {
        return 0;
    }
    while (kafka_remaining(&cursor) > 0) {
        (void)kafka_old_message_read(&cursor, &message);
        touch_old_message(&message, cursor.data);
        if (message.parts == KAFKA_OLD_PARTS) {
            kafka_wrapper_read(&wrapper, &message, cursor.data + message.value.offset, message.value.length,
                               (message.attributes & 1) != 0);
            fuzz_sink = (unsigned)kafka_wrapper_offset(&wrapper, &message) +
                        (unsigned)kafka_wrapper_timestamp(&wrapper, &message);
        }
        REQUIRE(message.present > 0 && message.present <= kafka_remaining(&cursor));
        cursor.offset += message.present;
    }
    return 0;
}
