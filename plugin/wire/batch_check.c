/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch_check.h"

static bool has_attribute(const struct kafka_batch *batch, unsigned attribute)
{
    return (batch->attributes & attribute) != 0;
}

static unsigned bit_if(bool condition, enum kafka_batch_problem problem)
{
    return condition ? (unsigned)problem : 0;
}

unsigned kafka_batch_check_header(const struct kafka_batch *batch)
{
    bool is_control = has_attribute(batch, KAFKA_ATTRIBUTE_CONTROL);
    bool is_transactional = has_attribute(batch, KAFKA_ATTRIBUTE_TRANSACTIONAL);
    bool has_producer = batch->producer_id >= 0;
    enum kafka_codec codec = kafka_attributes_codec(batch->attributes);

    return bit_if(batch->record_count < 0, KAFKA_BATCH_NEGATIVE_COUNT) |
           bit_if(batch->last_offset_delta < 0, KAFKA_BATCH_NEGATIVE_LAST_DELTA) |
           bit_if((int64_t)batch->record_count - 1 != batch->last_offset_delta,
                  KAFKA_BATCH_COUNT_AND_LAST_DELTA_DIFFER) |
           bit_if(has_attribute(batch, KAFKA_ATTRIBUTE_UNUSED), KAFKA_BATCH_UNUSED_ATTRIBUTES) |
           bit_if(codec > KAFKA_CODEC_ZSTD, KAFKA_BATCH_UNKNOWN_CODEC) |
           bit_if(is_transactional && !has_producer, KAFKA_BATCH_TRANSACTIONAL_WITHOUT_PRODUCER) |
           bit_if(is_control && is_transactional && batch->record_count > 1, KAFKA_BATCH_SEVERAL_MARKERS) |
           bit_if(has_producer && !is_control && batch->base_sequence < 0, KAFKA_BATCH_PRODUCER_WITHOUT_SEQUENCE) |
           bit_if(is_control && codec != KAFKA_CODEC_NONE, KAFKA_BATCH_CONTROL_COMPRESSED);
}

unsigned kafka_batch_check_records(const struct kafka_batch *batch, const struct kafka_records_seen *seen)
{
    bool saw_all = seen->status == KAFKA_ITEM_END;
    /* A walk that ended early may still have found more records than the batch has. */
    bool count_differs = saw_all ? seen->count != batch->record_count : seen->count > batch->record_count;
    bool has_delta = seen->count > 0 && seen->max_create_timestamp != INT64_MIN;
    bool log_append_time = has_attribute(batch, KAFKA_ATTRIBUTE_LOG_APPEND_TIME);

    return bit_if(count_differs, KAFKA_BATCH_COUNT_DIFFERS) |
           bit_if(has_delta && batch->last_offset_delta < seen->last_offset_delta, KAFKA_BATCH_LAST_DELTA_TOO_LOW) |
           bit_if(has_delta && saw_all && batch->last_offset_delta > seen->last_offset_delta,
                  KAFKA_BATCH_LAST_DELTA_TOO_HIGH) |
           bit_if(!seen->is_ascending, KAFKA_BATCH_OFFSETS_NOT_ASCENDING) |
           bit_if(has_delta && !log_append_time && batch->max_timestamp < seen->max_create_timestamp,
                  KAFKA_BATCH_MAX_TIMESTAMP_TOO_LOW) |
           bit_if(seen->left_over > 0, KAFKA_BATCH_LEFT_OVER) | bit_if(seen->malformed > 0, KAFKA_BATCH_BAD_RECORD);
}
