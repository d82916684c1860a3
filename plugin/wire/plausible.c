/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plausible.h"

#include "text_kind.h"

/* Above every error code, API key and API version that there is, with room for releases to come. */
#define ERROR_CODE_MAX  200
#define API_KEY_MAX     200
#define API_VERSION_MAX 100

/* Below every negative number with a meaning of its own (ListOffsets has −1 to −6). */
#define SPECIAL_MIN (-16)

#define PORT_MAX 65535

#define UNKNOWN_TAG_MAX 15

#define RECORDS_LENGTH_OFFSET 8
#define RECORDS_MAGIC_OFFSET  16
#define RECORDS_MAGIC_MAX     2

struct plausibility {
    struct kafka_cursor *cursor; /* of the walk */
    const uint8_t *data;
    size_t captured;
    bool is_request;
    bool failed;
    bool has_unknown_tags;
    uint64_t layout;
};

static bool is_plausible_integer(enum kafka_meaning meaning, int64_t value)
{
    switch (meaning) {
    case KAFKA_MEANING_ERROR_CODE:
        return value >= -1 && value <= ERROR_CODE_MAX;
    case KAFKA_MEANING_API_KEY:
        return value >= 0 && value <= API_KEY_MAX;
    case KAFKA_MEANING_API_VERSION:
        return value >= -1 && value <= API_VERSION_MAX;
    case KAFKA_MEANING_ACKS:
        return value >= -1 && value <= 1;
    case KAFKA_MEANING_ISOLATION_LEVEL:
        return value == 0 || value == 1;
    case KAFKA_MEANING_PORT:
        return value >= -1 && value <= PORT_MAX;
    case KAFKA_MEANING_PARTITION:
    case KAFKA_MEANING_BROKER_ID:
    case KAFKA_MEANING_PRODUCER_ID:
    case KAFKA_MEANING_PRODUCER_EPOCH:
    case KAFKA_MEANING_OFFSET:
    case KAFKA_MEANING_EPOCH:
    case KAFKA_MEANING_GENERATION:
    case KAFKA_MEANING_LIST_OFFSETS_TIMESTAMP:
    case KAFKA_MEANING_DURATION_MS:
        return value >= SPECIAL_MIN;
    default:
        return true;
    }
}

static bool is_plausible_string(const struct plausibility *walk, const struct kafka_leaf *leaf)
{
    const struct kafka_span *value = &leaf->value;

    if (value->length == 0 && !value->is_null) {
        /* Null is what says that there is none; but a client that asks for topics by id leaves names empty. */
        return leaf->field->meaning != KAFKA_MEANING_TRANSACTIONAL_ID &&
               (walk->is_request || leaf->field->meaning != KAFKA_MEANING_TOPIC_NAME);
    }
    return value->offset + value->length > walk->captured || kafka_is_text(walk->data + value->offset, value->length);
}

/* The first entry of a set has its length and its magic at the same places in every magic. */
static bool is_plausible_record_set(const struct plausibility *walk, const struct kafka_leaf *leaf)
{
    const struct kafka_span *value = &leaf->value;
    const uint8_t *entry = walk->data + value->offset;
    bool is_anywhere = leaf->field->nullable.last < leaf->field->nullable.first; /* a part of a snapshot */

    if (is_anywhere || value->length <= RECORDS_MAGIC_OFFSET ||
        value->offset + RECORDS_MAGIC_OFFSET >= walk->captured) {
        return true;
    }
    return entry[RECORDS_MAGIC_OFFSET] <= RECORDS_MAGIC_MAX && (int32_t)kafka_load32(entry + RECORDS_LENGTH_OFFSET) > 0;
}

static void mix(struct plausibility *walk, const struct kafka_field *field, size_t offset)
{
    uint64_t value = walk->layout ^ ((uint64_t)(uintptr_t)field + offset);

    /* The constants of splitmix64's last step. */
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
    value = (value ^ value >> 27) * 0x94d049bb133111ebU;
    walk->layout = value ^ value >> 31;
}

/* Ends the walk: for it, nothing behind here was captured. */
static void fail(struct plausibility *walk)
{
    walk->failed = true;
    walk->cursor->captured = walk->cursor->offset;
}

static void see_leaf(void *context, const struct kafka_leaf *leaf)
{
    struct plausibility *walk = context;

    mix(walk, leaf->field, leaf->offset);
    switch (leaf->field->type) {
    case KAFKA_TYPE_STRING:
        if (!is_plausible_string(walk, leaf)) {
            fail(walk);
        }
        break;
    case KAFKA_TYPE_RECORDS:
        if (!is_plausible_record_set(walk, leaf)) {
            fail(walk);
        }
        break;
    case KAFKA_TYPE_INT8:
    case KAFKA_TYPE_INT16:
    case KAFKA_TYPE_INT32:
    case KAFKA_TYPE_INT64:
        if (!is_plausible_integer(leaf->field->meaning, leaf->integer)) {
            fail(walk);
        }
        break;
    default:
        break;
    }
}

/* A message may have tags that no release knows; chance makes them more often. */
static void see_tag(void *context, const struct kafka_tag *tag)
{
    struct plausibility *walk = context;

    if (tag->field == NULL) {
        walk->has_unknown_tags = true;
        walk->failed = walk->failed || tag->tag > UNKNOWN_TAG_MAX;
    }
}

static void see_array(void *context, const struct kafka_field *field, size_t offset, size_t prefix, int32_t count)
{
    (void)prefix;
    (void)count;
    mix(context, field, offset);
}

/* What is wrong about one field is wrong about all. */
static void see_problem(void *context, const struct kafka_problem *problem)
{
    if (problem->kind != KAFKA_PROBLEM_CUT) {
        fail(context);
    }
}

struct kafka_reading kafka_read_plausibly(const struct kafka_cursor *cursor, const struct kafka_message *message,
                                          int16_t version, bool is_request)
{
    struct kafka_cursor at = *cursor;
    struct kafka_visitor visitor = kafka_visit_nothing;
    struct plausibility walk = {
        .cursor = &at, .data = cursor->data, .captured = cursor->captured, .is_request = is_request};

    visitor.leaf = see_leaf;
    visitor.array_begin = see_array;
    visitor.tag_begin = see_tag;
    visitor.problem = see_problem;
    enum kafka_walk_result result = kafka_walk(&at, message, version, &visitor, &walk);
    return (struct kafka_reading){
        .result = walk.failed ? KAFKA_WALK_MALFORMED : result,
        .layout = walk.layout,
        .has_unknown_tags = walk.has_unknown_tags,
    };
}
