/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "control.h"

static const struct kafka_control_type types[] = {
    {"Abort", "EndTxnMarker", 0, false},
    {"Commit", "EndTxnMarker", 1, false},
    {"Leader Change", "LeaderChangeMessage", 2, true},
    {"Snapshot Header", "SnapshotHeaderRecord", 3, true},
    {"Snapshot Footer", "SnapshotFooterRecord", 4, true},
    {"KRaft Version", "KRaftVersionRecord", 5, true},
    {"KRaft Voters", "VotersRecord", 6, true},
};

const struct kafka_control_type *kafka_control_type_find(int16_t type)
{
    return type >= 0 && (size_t)type < sizeof types / sizeof types[0] ? &types[type] : NULL;
}

static struct kafka_cursor open_span(const uint8_t *data, const struct kafka_span *span)
{
    size_t end = span->offset + span->length;

    return (struct kafka_cursor){.data = data, .offset = span->offset, .limit = end, .captured = end};
}

enum kafka_status kafka_control_key_read(const uint8_t *data, const struct kafka_span *span,
                                         struct kafka_control_key *key)
{
    struct kafka_cursor cursor = open_span(data, span);
    enum kafka_status status = kafka_need(&cursor, KAFKA_CONTROL_KEY_SIZE);

    *key = (struct kafka_control_key){.type = -1};
    if (status == KAFKA_OK) {
        (void)kafka_read_int16(&cursor, &key->version);
        (void)kafka_read_int16(&cursor, &key->type);
        key->known = kafka_control_type_find(key->type);
    }
    return status;
}

enum kafka_status kafka_control_value_read(const uint8_t *data, const struct kafka_span *span,
                                           const struct kafka_control_type *type, struct kafka_control_value *value)
{
    struct kafka_cursor cursor = open_span(data, span);
    enum kafka_status status;

    *value = (struct kafka_control_value){.body_begin = span->offset, .end = cursor.limit};
    status = kafka_read_int16(&cursor, &value->version);
    if (status == KAFKA_OK && !type->has_version_in_message) {
        value->body_begin = cursor.offset;
    }
    return status;
}
