/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes messages of any layout, with the leaves that a reader must find in them. It follows the protocol guide by
 * itself and shares no code with the walker.
 */
#ifndef KAFKA_TESTS_UNIT_COMPOSE_H
#define KAFKA_TESTS_UNIT_COMPOSE_H

#include "builder.h"

#include "wire/schema.h"

struct composed_leaf {
    const struct kafka_field *field;
    int32_t index;
    size_t offset;
    size_t length;
};

struct composer {
    struct builder bytes;
    int16_t version;
    bool flexible;
    bool is_full;    /* everything is there and nothing is null; else chance decides */
    uint32_t chance; /* state of the random numbers */
    unsigned depth;
    size_t leaf_count;
    struct composed_leaf leaves[1 << 13];
};

static inline void compose_struct(struct composer *composer, const struct kafka_struct *layout);

/* Returns a number below bound. */
static inline uint32_t compose_chance(struct composer *composer, uint32_t bound)
{
    composer->chance = composer->chance * 1664525U + 1013904223U;
    return (composer->chance >> 16) % bound;
}

static inline void compose_leaf_ends(struct composer *composer, const struct kafka_field *field, int32_t index,
                                     size_t start)
{
    assert_true(composer->leaf_count < sizeof composer->leaves / sizeof *composer->leaves);
    composer->leaves[composer->leaf_count++] =
        (struct composed_leaf){field, index, start, composer->bytes.size - start};
}

/* A length or count, −1 for null; plain ones take width bytes. */
static inline void compose_length(struct composer *composer, int64_t length, unsigned width)
{
    if (composer->flexible) {
        put_uvarint(&composer->bytes, (uint64_t)(length + 1));
    } else {
        put_big_endian(&composer->bytes, (uint64_t)length, width);
    }
}

static inline bool compose_null(struct composer *composer, const struct kafka_field *field)
{
    return !composer->is_full && kafka_versions_has(field->nullable, composer->version) &&
           compose_chance(composer, 3) == 0;
}

static inline void compose_integer(struct composer *composer, unsigned size)
{
    static const int64_t values[] = {0, 1, -1, INT8_MAX, INT16_MIN, INT32_MAX, INT64_MIN, 0x0102030405060708};

    put_big_endian(&composer->bytes, (uint64_t)values[compose_chance(composer, sizeof values / sizeof *values)], size);
}

static inline void compose_sized(struct composer *composer, const struct kafka_field *field, bool may_be_null)
{
    unsigned width = field->type == KAFKA_TYPE_STRING ? 2 : 4;

    if (may_be_null && compose_null(composer, field)) {
        compose_length(composer, -1, width);
        return;
    }
    /* Now and then the compact length takes two bytes. */
    uint32_t size = composer->is_full ? 3 : compose_chance(composer, 20) == 0 ? 130 : compose_chance(composer, 4);
    compose_length(composer, size, width);
    for (uint32_t i = 0; i < size; i++) {
        put8(&composer->bytes, 'a' + (int)compose_chance(composer, 26));
    }
}

/* One value; an element when index is not −1. */
static inline void compose_single(struct composer *composer, const struct kafka_field *field, int32_t index)
{
    size_t start = composer->bytes.size;

    switch (field->type) {
    case KAFKA_TYPE_STRUCT:
        compose_struct(composer, field->members);
        return;
    case KAFKA_TYPE_BOOL:
        put8(&composer->bytes, (int)compose_chance(composer, 2));
        break;
    case KAFKA_TYPE_INT8:
        compose_integer(composer, 1);
        break;
    case KAFKA_TYPE_INT16:
    case KAFKA_TYPE_UINT16:
        compose_integer(composer, 2);
        break;
    case KAFKA_TYPE_INT32:
    case KAFKA_TYPE_UINT32:
        compose_integer(composer, 4);
        break;
    case KAFKA_TYPE_INT64:
    case KAFKA_TYPE_FLOAT64:
        compose_integer(composer, 8);
        break;
    case KAFKA_TYPE_UUID:
        compose_integer(composer, 8);
        compose_integer(composer, 8);
        break;
    case KAFKA_TYPE_STRING:
    case KAFKA_TYPE_BYTES:
    case KAFKA_TYPE_RECORDS:
        compose_sized(composer, field, index < 0);
        break;
    }
    compose_leaf_ends(composer, field, index, start);
}

static inline void compose_field(struct composer *composer, const struct kafka_field *field)
{
    composer->depth++;
    if (field->is_array) {
        if (compose_null(composer, field)) {
            compose_length(composer, -1, 4);
        } else {
            uint32_t most = composer->depth < 3 ? 2 : 1;
            int32_t count = (int32_t)(composer->is_full ? most : compose_chance(composer, most + 1));
            compose_length(composer, count, 4);
            for (int32_t i = 0; i < count; i++) {
                compose_single(composer, field, i);
            }
        }
    } else if (field->type == KAFKA_TYPE_STRUCT && kafka_versions_has(field->nullable, composer->version)) {
        bool is_null = compose_null(composer, field);
        put8(&composer->bytes, is_null ? -1 : 1);
        if (!is_null) {
            compose_struct(composer, field->members);
        }
    } else {
        compose_single(composer, field, -1);
    }
    composer->depth--;
}

/* A tagged field stands behind its size, so it is written twice: once to learn the size. */
static inline void compose_tagged(struct composer *composer, const struct kafka_field *field)
{
    size_t start = composer->bytes.size;
    size_t leaf_count = composer->leaf_count;
    uint32_t chance = composer->chance;

    compose_field(composer, field);
    size_t size = composer->bytes.size - start;
    composer->bytes.size = start;
    composer->leaf_count = leaf_count;
    composer->chance = chance;
    put_uvarint(&composer->bytes, (uint64_t)field->tag);
    put_uvarint(&composer->bytes, size);
    compose_field(composer, field);
}

static inline bool compose_is_tagged(const struct composer *composer, const struct kafka_field *field)
{
    return kafka_versions_has(field->versions, composer->version) &&
           kafka_versions_has(field->tagged, composer->version);
}

/* Known tags in order, and now and then one that nobody knows. */
static inline void compose_tags(struct composer *composer, const struct kafka_struct *layout)
{
    const struct kafka_field *chosen[32];
    size_t count = 0;

    for (int32_t tag = 0; tag < 32; tag++) {
        for (size_t i = 0; i < layout->count; i++) {
            const struct kafka_field *field = &layout->fields[i];
            if (field->tag == tag && compose_is_tagged(composer, field) &&
                (composer->is_full || compose_chance(composer, 2) == 0)) {
                chosen[count++] = field;
            }
        }
    }
    bool with_unknown = compose_chance(composer, 4) == 0;
    put_uvarint(&composer->bytes, count + (with_unknown ? 1 : 0));
    for (size_t i = 0; i < count; i++) {
        compose_tagged(composer, chosen[i]);
    }
    if (with_unknown) {
        put_uvarint(&composer->bytes, 1000 + compose_chance(composer, 1000000));
        put_uvarint(&composer->bytes, 2);
        put16(&composer->bytes, 0x1234);
    }
}

static inline void compose_struct(struct composer *composer, const struct kafka_struct *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct kafka_field *field = &layout->fields[i];
        if (kafka_versions_has(field->versions, composer->version) && !compose_is_tagged(composer, field)) {
            compose_field(composer, field);
        }
    }
    if (composer->flexible) {
        compose_tags(composer, layout);
    }
}

/* Writes the body of a message; seed 0 writes everything that the version has. */
static inline void compose_message(struct composer *composer, const struct kafka_message *message, int16_t version,
                                   uint32_t seed)
{
    composer->bytes.size = 0;
    composer->version = version;
    composer->flexible = kafka_versions_has(message->flexible, version);
    composer->is_full = seed == 0;
    composer->chance = seed * 7919U + (uint32_t)version;
    composer->depth = 0;
    composer->leaf_count = 0;
    compose_struct(composer, message->body);
}

/* Calls visit for every layout of every message in every version, and returns how many there were. */
static inline size_t for_each_layout(void (*visit)(const struct kafka_message *message, int16_t version))
{
    size_t count = 0;

    for (size_t i = 0; i < 2 * kafka_api_count + kafka_data_message_count; i++) {
        const struct kafka_message *message = i >= 2 * kafka_api_count ? &kafka_data_messages[i - 2 * kafka_api_count]
                                              : i % 2 == 0             ? kafka_apis[i / 2].request
                                                                       : kafka_apis[i / 2].response;
        for (; message != NULL; message = message->variant) {
            for (int version = message->versions.first; version <= message->versions.last; version++, count++) {
                visit(message, (int16_t)version);
            }
        }
    }
    return count;
}

#endif
