/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topic_records.h"

#include <string.h>

#include "record.h"
#include "record_set.h"

/* What stands before each record's fields: the version of this frame, then the key and the version of the record. */
#define FRAME_VERSION 1
#define TOPIC_RECORD  2

bool kafka_topic_is_metadata(const struct kafka_topic_ref *topic)
{
    static const char name[] = "__cluster_metadata";

    if (topic->bytes == NULL) {
        return false;
    }
    if (topic->is_id) {
        return topic->length == KAFKA_UUID_SIZE && topic->bytes[KAFKA_UUID_SIZE - 1] == 1 &&
               kafka_topic_id_is_reserved(topic->bytes);
    }
    return topic->length == sizeof name - 1 && memcmp(topic->bytes, name, sizeof name - 1) == 0;
}

/* Reads the value of a record; false where it is not about a topic. */
static bool read_topic_record(const uint8_t *data, const struct kafka_span *value, struct kafka_topic_naming *naming)
{
    struct kafka_cursor cursor = {data, value->offset, value->offset + value->length, value->offset + value->length};
    uint32_t frame;
    uint32_t key;
    uint32_t version;
    int32_t length;

    if (kafka_read_uvarint(&cursor, &frame) != KAFKA_OK || frame != FRAME_VERSION ||
        kafka_read_uvarint(&cursor, &key) != KAFKA_OK || key != TOPIC_RECORD ||
        kafka_read_uvarint(&cursor, &version) != KAFKA_OK ||
        kafka_read_length_compact(&cursor, false, &length) != KAFKA_OK ||
        kafka_need(&cursor, (size_t)length + KAFKA_UUID_SIZE) != KAFKA_OK) {
        return false;
    }
    naming->name = (const char *)data + cursor.offset;
    naming->name_length = (size_t)length;
    naming->id = data + cursor.offset + length;
    return kafka_may_be_topic_name(naming->name, naming->name_length) && !kafka_topic_id_is_reserved(naming->id);
}

static void find_in_batch(const struct kafka_cursor *cursor, const struct kafka_batch *batch,
                          kafka_topic_naming_found *found, void *context)
{
    struct kafka_record_iterator iterator;
    struct kafka_record record;
    struct kafka_topic_naming naming;

    if ((batch->attributes & KAFKA_ATTRIBUTE_CONTROL) != 0 ||
        kafka_attributes_codec(batch->attributes) != KAFKA_CODEC_NONE) {
        return;
    }
    kafka_records_init(&iterator, batch, cursor);
    while (kafka_records_next(&iterator, &record) == KAFKA_ITEM_COMPLETE) {
        if (!record.value.is_null && read_topic_record(cursor->data, &record.value, &naming)) {
            found(context, &naming);
        }
    }
}

void kafka_find_topic_records(const struct kafka_cursor *records, size_t *budget, kafka_topic_naming_found *found,
                              void *context)
{
    struct kafka_cursor cursor = *records;
    struct kafka_batch batch;

    while (kafka_record_set_find_batch(&cursor, cursor.limit, budget) &&
           kafka_batch_read(&cursor, &batch) == KAFKA_ITEM_COMPLETE) {
        find_in_batch(&cursor, &batch, found, context);
        cursor.offset += batch.size;
    }
}
