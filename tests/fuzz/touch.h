/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks over what plugin/wire found and checks its promises; shared by the targets whose input is records of some kind.
 */
#ifndef KAFKA_TESTS_FUZZ_TOUCH_H
#define KAFKA_TESTS_FUZZ_TOUCH_H

#include "fuzz.h"
#include "wire/batch_check.h"
#include "wire/control.h"
#include "wire/message_set.h"
#include "wire/record.h"

static inline void touch_record(const struct kafka_record *record, const uint8_t *data, size_t end)
{
    struct kafka_record_headers headers;
    struct kafka_record_header header;
    struct kafka_control_key key;
    int32_t found = 0;

    REQUIRE(record->parts <= KAFKA_RECORD_PARTS);
    REQUIRE((record->status == KAFKA_ITEM_COMPLETE) == (record->parts == KAFKA_RECORD_PARTS) ||
            record->status == KAFKA_ITEM_MALFORMED);
    REQUIRE((record->status == KAFKA_ITEM_MALFORMED) == (record->fault != KAFKA_FAULT_NONE));
    for (unsigned part = 0; part < record->parts; part++) {
        REQUIRE(record->begin[part] <= record->begin[part + 1]);
    }
    REQUIRE(record->begin[record->parts] <= end);
    REQUIRE(record->fault == KAFKA_FAULT_NONE || record->fault_offset <= end);
    if (record->parts > KAFKA_RECORD_KEY) {
        touch_span(data, &record->key, end);
        (void)kafka_control_key_read(data, &record->key, &key);
        if (record->parts > KAFKA_RECORD_VALUE && key.known != NULL) {
            struct kafka_control_value value;
            (void)kafka_control_value_read(data, &record->value, key.known, &value);
            REQUIRE(value.body_begin <= value.end && value.end <= end);
        }
    }
    if (record->parts > KAFKA_RECORD_VALUE) {
        touch_span(data, &record->value, end);
    }
    kafka_record_headers_init(&headers, record, data);
    while (kafka_record_headers_next(&headers, &header)) {
        found++;
        touch_span(data, &header.key, end);
        touch_span(data, &header.value, end);
        REQUIRE(header.offset < header.value_offset && header.value_offset < header.end && header.end <= end);
    }
    REQUIRE(record->status == KAFKA_ITEM_COMPLETE
                ? found == record->header_count
                : found == 0 || found < record->header_count || record->fault == KAFKA_FAULT_LEFT_OVER);
}

static inline void touch_records(struct kafka_record_iterator *iterator)
{
    const struct kafka_cursor *cursor = &iterator->cursor;
    size_t end = cursor->limit < cursor->captured ? cursor->limit : cursor->captured;
    struct kafka_record record;
    int32_t count = 0;

    while (kafka_records_next(iterator, &record) != KAFKA_ITEM_END) {
        count++;
        touch_record(&record, cursor->data, end);
    }
    REQUIRE(iterator->seen.count == count);
    REQUIRE(iterator->seen.malformed <= count);
    REQUIRE(iterator->seen.left_over <= end);
    fuzz_sink = kafka_batch_check_records(iterator->batch, &iterator->seen);
}

static inline void touch_old_message(const struct kafka_old_message *message, const uint8_t *data)
{
    size_t end = message->begin[0] + message->captured;

    REQUIRE(message->captured <= message->present);
    REQUIRE(message->whole_size == 0 || message->present <= message->whole_size);
    for (unsigned part = 0; part < message->parts; part++) {
        REQUIRE(message->begin[part] <= message->begin[part + 1]);
    }
    REQUIRE(message->begin[message->parts] <= end);
    REQUIRE((message->status == KAFKA_ITEM_MALFORMED) == (message->fault != KAFKA_FAULT_NONE));
    if (message->parts > KAFKA_OLD_KEY) {
        touch_span(data, &message->key, end);
    }
    if (message->parts > KAFKA_OLD_VALUE) {
        touch_span(data, &message->value, end);
    }
    if (kafka_old_message_has_crc(message)) {
        fuzz_sink = kafka_old_message_compute_crc(message, data);
    }
}

#endif
