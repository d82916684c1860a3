/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that the schema compiler (tools/schema/compile.py) makes from schema/: which fields each message has in
 * which version, and what they mean. Facts only; how a field looks in Wireshark is dissector/display.h.
 */
#ifndef KAFKA_WIRE_SCHEMA_H
#define KAFKA_WIRE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meaning.h"

/* Types of Kafka's message definitions. */
enum kafka_type {
    KAFKA_TYPE_BOOL,
    KAFKA_TYPE_INT8,
    KAFKA_TYPE_INT16,
    KAFKA_TYPE_INT32,
    KAFKA_TYPE_INT64,
    KAFKA_TYPE_UINT16,
    KAFKA_TYPE_UINT32,
    KAFKA_TYPE_FLOAT64,
    KAFKA_TYPE_UUID,
    KAFKA_TYPE_STRING,
    KAFKA_TYPE_BYTES,
    KAFKA_TYPE_RECORDS,
    KAFKA_TYPE_STRUCT
};

/* An inclusive range of versions; empty when last < first; "12+" has last = INT16_MAX. */
struct kafka_versions {
    int16_t first;
    int16_t last;
};

struct kafka_struct;

/*
 * One field of a message or structure, as in the message definitions of Kafka (KIP-482 for tags and flexible versions).
 * Each lies in a line of the processor's cache of its own.
 */
struct kafka_field {
    _Alignas(64) const char *name; /* Kafka's name, "ErrorCode" */
    enum kafka_type type;          /* of the field, or of each element of an array */
    bool is_array;
    struct kafka_versions versions;     /* that have the field */
    struct kafka_versions nullable;     /* in which it may be null */
    struct kafka_versions tagged;       /* in which it is a tagged field */
    int32_t tag;                        /* −1 when it is never tagged */
    enum kafka_meaning meaning;         /* of the field or of each element */
    uint16_t display;                   /* row of kafka_displays[]: the field, or each element of a scalar array */
    uint16_t count_display;             /* row of kafka_displays[]: an array's count */
    const char *label;                  /* for people: "Topics" */
    const char *element_label;          /* of one element of an array of structures: "Topic"; else NULL */
    const struct kafka_struct *members; /* of KAFKA_TYPE_STRUCT, else NULL */
};

_Static_assert(sizeof(struct kafka_field) == 64, "a field does not fit into a line of the cache");

struct kafka_struct {
    const char *name; /* Kafka's name, "MetadataResponseTopic" */
    const struct kafka_field *fields;
    size_t count;
};

/* One direction of one API. */
struct kafka_message {
    const char *name;               /* "MetadataResponse" */
    struct kafka_versions versions; /* every version that a release ever spoke */
    struct kafka_versions flexible; /* in which lengths are compact and structures end with a tag section */
    uint32_t changes;               /* bit n: version n is not read as the one before it (only the first 32) */
    const struct kafka_struct *body;
    const struct kafka_message *variant; /* another layout that a release gave to some of the same versions, or NULL */
};

struct kafka_api {
    int16_t key;
    const char *name; /* "Metadata" */
    const struct kafka_message *request;
    const struct kafka_message *response;
};

extern const struct kafka_api kafka_apis[]; /* indexed by API key; kafka_apis[k].key == k, no gaps */
extern const size_t kafka_api_count;

/* Messages that are not requests or responses: what the value of control records and the consumer protocol hold. */
extern const struct kafka_message kafka_data_messages[];
extern const size_t kafka_data_message_count;

/* Returns whether version lies in range. */
static inline bool kafka_versions_has(struct kafka_versions range, int version)
{
    return version >= range.first && version <= range.last;
}

/* Returns the API with that key, or NULL when no release has it. */
static inline const struct kafka_api *kafka_api_find(int key)
{
    return key >= 0 && (size_t)key < kafka_api_count ? &kafka_apis[key] : NULL;
}

#endif
