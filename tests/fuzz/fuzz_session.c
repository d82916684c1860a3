/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Epochs of sessions, four bytes each, and errors. */
#include "fuzz.h"
#include "wire/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 4 <= size; i += 4) {
        int32_t epoch = (int32_t)kafka_load32(data + i);
        int32_t next = kafka_session_next_epoch(epoch);
        REQUIRE(kafka_session_is_incremental(next));
        REQUIRE(next != epoch && (next == 1 || next - 1 == epoch));
        REQUIRE(kafka_session_is_incremental(epoch) == (epoch > 0));
        int16_t error = (int16_t)kafka_load16(data + i);
        REQUIRE(kafka_session_is_lost(error) == (error == 70 || error == 71 || error == 122 || error == 123));
    }
    return 0;
}
