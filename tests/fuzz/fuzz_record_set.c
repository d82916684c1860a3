/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record set of any magics, as the plugin goes through it: batches are unpacked, and so are wrappers. */
#include "touch.h"
#include "wire/record_set.h"

static const struct kafka_unpack_limits limits = {(size_t)1 << 20, 20};

static void touch_batch(const struct kafka_cursor *cursor, const struct kafka_batch *batch, struct kafka_buffer *buffer)
{
    struct kafka_record_iterator iterator;
    struct kafka_unpack_result result;
    enum kafka_codec codec = kafka_attributes_codec(batch->attributes);

    if (!kafka_batch_has_header(batch) || batch->size == 0) {
        return;
    }
    if (codec == KAFKA_CODEC_NONE) {
        kafka_records_init(&iterator, batch, cursor);
    } else {
        bool ok = kafka_unpack(codec, cursor->data + batch->offset + KAFKA_BATCH_RECORDS,
                               batch->captured - KAFKA_BATCH_RECORDS, &limits, buffer, &result);
        kafka_records_init_unpacked(&iterator, batch, buffer->data, buffer->size, ok);
    }
    touch_records(&iterator);
}

static void touch_wrapper(const struct kafka_cursor *cursor, const struct kafka_old_message *message,
                          struct kafka_buffer *buffer)
{
    struct kafka_unpack_result result;
    struct kafka_wrapper wrapper;

    touch_old_message(message, cursor->data);
    if (message->parts == KAFKA_OLD_PARTS) {
        bool ok = kafka_unpack(kafka_attributes_codec(message->attributes), cursor->data + message->value.offset,
                               message->value.length, &limits, buffer, &result);
        kafka_wrapper_read(&wrapper, message, buffer->data, buffer->size, ok);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kafka_cursor cursor;
    struct kafka_record_set_entry entry;
    struct kafka_buffer buffer = {0};

    if (!open_input(data, size, &cursor)) {
        return 0;
    }
    struct kafka_cursor search = cursor;
    size_t budget = KAFKA_FIND_MAX_BYTES;
    if (kafka_record_set_find_batch(&search, search.limit, &budget)) {
        struct kafka_batch batch;
        REQUIRE(kafka_batch_read(&search, &batch) == KAFKA_ITEM_COMPLETE && batch.magic == 2);
    }
    size_t start = 0;
    while (kafka_record_set_next(&cursor, &entry) != KAFKA_ITEM_END) {
        REQUIRE(entry.offset == start && cursor.offset > start && cursor.offset <= cursor.limit);
        REQUIRE(entry.captured <= entry.present);
        start = cursor.offset;
        if (entry.kind == KAFKA_ENTRY_BATCH) {
            touch_batch(&cursor, &entry.batch, &buffer);
        } else if (entry.kind == KAFKA_ENTRY_OLD_MESSAGE) {
            touch_wrapper(&cursor, &entry.old_message, &buffer);
        } else {
            REQUIRE(entry.status != KAFKA_ITEM_COMPLETE);
        }
    }
    kafka_buffer_free(&buffer);
    return 0;
}
