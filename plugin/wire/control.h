/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of control records, and which message of Kafka's definitions their value holds. */
#ifndef KAFKA_WIRE_CONTROL_H
#define KAFKA_WIRE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cursor.h"

struct kafka_control_type {
    const char *name;    /* for people: "Abort" */
    const char *message; /* in kafka_data_messages: "EndTxnMarker" */
    int16_t type;
    bool has_version_in_message; /* the value's first int16 is the message's own field, else it stands before the
                                    message */
};

/* Where the two fields of a key begin, and its size. */
enum kafka_control_key_layout {
    KAFKA_CONTROL_KEY_VERSION = 0,
    KAFKA_CONTROL_KEY_TYPE = 2,
    KAFKA_CONTROL_KEY_SIZE = 4, /* a later version may add bytes after these */
};

struct kafka_control_key {
    int16_t version;
    int16_t type;
    const struct kafka_control_type *known; /* NULL for a type that has no name */
};

struct kafka_control_value {
    int16_t version;   /* of the message */
    size_t body_begin; /* where the message begins: after the version unless the version is a field of it */
    size_t end;
};

/* Reads a key out of its span in data. KAFKA_SHORT when the span is null or too short. */
enum kafka_status kafka_control_key_read(const uint8_t *data, const struct kafka_span *span,
                                         struct kafka_control_key *key);

/* Reads the version of a value of that type out of its span in data. KAFKA_SHORT as above. */
enum kafka_status kafka_control_value_read(const uint8_t *data, const struct kafka_span *span,
                                           const struct kafka_control_type *type, struct kafka_control_value *value);

/* Returns the type with that number, or NULL. */
const struct kafka_control_type *kafka_control_type_find(int16_t type);

#endif
