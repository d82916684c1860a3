/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One batch of magic 2: its header, checksum and, when it is not compressed, its records. */
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor cursor;
    struct kafka_batch batch;
    struct kafka_record_iterator iterator;

    if (!open_input(data, size, &cursor)) {
        return 0;
    }
    enum kafka_item_status status = kafka_batch_read(&cursor, &batch);
    REQUIRE(status != KAFKA_ITEM_END && status == batch.status);
    REQUIRE((status == KAFKA_ITEM_MALFORMED) == (batch.size == 0 && batch.fault != KAFKA_FAULT_NONE));
    REQUIRE(batch.captured <= batch.present && batch.present <= cursor.limit);
    REQUIRE(batch.offset + batch.captured <= cursor.captured);
    if (status == KAFKA_ITEM_COMPLETE) {
        REQUIRE(batch.captured == batch.size);
        fuzz_sink = kafka_batch_compute_crc(&batch, cursor.data);
    }
    if (kafka_batch_has_header(&batch) && batch.size > 0) {
        fuzz_sink = kafka_batch_check_header(&batch);
        kafka_records_init(&iterator, &batch, &cursor);
        touch_records(&iterator);
    }
    return 0;
}
