/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds a walk to what plugin/wire/walk.h promises of every walk, whatever the bytes: begins and ends are balanced,
 * offsets never go back and never leave the message, and as long as nothing is wrong no byte is left out. What is done
 * about a broken promise is up to the file that includes this: it defines WATCH(condition) first.
 */
#ifndef KAFKA_TESTS_UNIT_WATCH_H
#define KAFKA_TESTS_UNIT_WATCH_H

#include "wire/walk.h"

#define WATCH_DEPTH 160

enum watch_node { WATCH_ARRAY, WATCH_STRUCT, WATCH_TAGS, WATCH_TAG };

struct watch {
    const struct kafka_cursor *cursor; /* that walks */
    size_t start;
    size_t limit;
    size_t there; /* where the captured bytes of the message end */
    bool flexible;
    size_t position; /* every byte before it was reported */
    size_t events;
    size_t problems;
    bool cut;
    bool faulty;
    bool ended; /* undecoded bytes or bytes left over were reported outside of tagged fields */
    unsigned depth;
    enum watch_node nodes[WATCH_DEPTH];
    size_t begin[WATCH_DEPTH];
    unsigned sum; /* of all bytes that the walk gave as values: reads each of them */
};

static inline void watch_start(struct watch *watch, const struct kafka_cursor *cursor, bool flexible)
{
    *watch = (struct watch){
        .cursor = cursor,
        .start = cursor->offset,
        .limit = cursor->limit,
        .there = cursor->limit < cursor->captured ? cursor->limit : cursor->captured,
        .flexible = flexible,
        .position = cursor->offset,
    };
}

static inline void watch_event(struct watch *watch)
{
    watch->events++;
    WATCH(!watch->ended);
    WATCH(watch->cursor->limit <= watch->limit);
    WATCH(watch->cursor->offset <= watch->there);
}

/* Something that was read begins at offset. */
static inline void watch_at(struct watch *watch, size_t offset)
{
    watch_event(watch);
    WATCH(!watch->cut);
    WATCH(watch->problems > 0 ? offset >= watch->position : offset == watch->position);
}

static inline void watch_move(struct watch *watch, size_t end)
{
    WATCH(end >= watch->position && end <= watch->limit);
    watch->position = end < watch->there ? end : watch->there;
}

static inline void watch_push(struct watch *watch, enum watch_node node, size_t offset)
{
    WATCH(watch->depth < WATCH_DEPTH);
    watch->nodes[watch->depth] = node;
    watch->begin[watch->depth] = offset;
    watch->depth++;
}

static inline void watch_pop(struct watch *watch, enum watch_node node, size_t end)
{
    watch_event(watch);
    WATCH(watch->depth > 0);
    watch->depth--;
    WATCH(watch->nodes[watch->depth] == node);
    WATCH(end >= watch->begin[watch->depth]);
    watch_move(watch, end);
}

static inline void watch_leaf(void *context, const struct kafka_leaf *leaf)
{
    struct watch *watch = context;
    size_t end = leaf->offset + leaf->length;

    watch_at(watch, leaf->offset);
    WATCH(leaf->length > 0 && end <= watch->limit);
    WATCH((leaf->index >= 0) == leaf->field->is_array);
    switch (leaf->field->type) {
    case KAFKA_TYPE_STRING:
    case KAFKA_TYPE_BYTES:
    case KAFKA_TYPE_RECORDS:
        WATCH(leaf->value.offset > leaf->offset && leaf->value.offset <= watch->there);
        WATCH(leaf->value.offset + leaf->value.length == end);
        WATCH(!leaf->value.is_null || leaf->value.length == 0);
        break;
    case KAFKA_TYPE_STRUCT:
        WATCH(false);
        break;
    default:
        WATCH(end <= watch->there);
        break;
    }
    for (size_t i = leaf->offset; i < end && i < watch->there; i++) {
        watch->sum += watch->cursor->data[i];
    }
    watch_move(watch, end);
}

static inline void watch_array_begin(void *context, const struct kafka_field *field, size_t offset, size_t prefix,
                                     int32_t count)
{
    struct watch *watch = context;

    watch_at(watch, offset);
    WATCH(field->is_array && prefix > 0 && offset + prefix <= watch->there);
    WATCH(count >= -1 && (count <= 0 || (size_t)count <= watch->limit - offset - prefix));
    watch_move(watch, offset + prefix);
    watch_push(watch, WATCH_ARRAY, offset);
}

static inline void watch_array_end(void *context, size_t end)
{
    watch_pop(context, WATCH_ARRAY, end);
}

static inline void watch_struct_begin(void *context, const struct kafka_field *field, int32_t index, size_t offset,
                                      bool is_null)
{
    struct watch *watch = context;

    watch_at(watch, offset);
    WATCH(field->type == KAFKA_TYPE_STRUCT && (index >= 0) == field->is_array);
    /* A presence byte belongs to the structure. */
    if (watch->cursor->offset > offset) {
        WATCH(!field->is_array && watch->cursor->offset == offset + 1);
        watch_move(watch, offset + 1);
    }
    WATCH(!is_null || watch->position == offset + 1);
    watch_push(watch, WATCH_STRUCT, offset);
}

static inline void watch_struct_end(void *context, size_t end)
{
    struct watch *watch = context;

    /* The byte of an empty tag section is the structure's last one; it may be a varint with leading zeros. */
    WATCH(watch->problems > 0 || end == watch->position || (watch->flexible && end > watch->position));
    watch_pop(watch, WATCH_STRUCT, end);
}

static inline void watch_tags_begin(void *context, size_t offset, size_t prefix, uint32_t count)
{
    struct watch *watch = context;

    watch_at(watch, offset);
    WATCH(watch->flexible && count > 0 && prefix > 0 && offset + prefix <= watch->there);
    WATCH(count <= (watch->limit - offset - prefix) / 2);
    watch_move(watch, offset + prefix);
    watch_push(watch, WATCH_TAGS, offset);
}

static inline void watch_tag_begin(void *context, const struct kafka_tag *tag)
{
    struct watch *watch = context;

    watch_at(watch, tag->offset);
    WATCH(tag->tag_length > 0 && tag->size_length > 0);
    WATCH(tag->data.offset == tag->offset + tag->tag_length + tag->size_length);
    WATCH(tag->data.offset <= watch->there && tag->data.offset + tag->data.length <= watch->limit);
    WATCH(tag->field == NULL || (tag->field->tag >= 0 && (uint32_t)tag->field->tag == tag->tag));
    for (size_t i = tag->data.offset; i < tag->data.offset + tag->data.length && i < watch->there; i++) {
        watch->sum += watch->cursor->data[i];
    }
    watch_move(watch, tag->data.offset);
    watch_push(watch, WATCH_TAG, tag->offset);
}

static inline void watch_tag_end(void *context, size_t end)
{
    watch_pop(context, WATCH_TAG, end);
}

static inline void watch_tags_end(void *context, size_t end)
{
    struct watch *watch = context;

    WATCH(watch->problems > 0 || end == watch->position);
    watch_pop(watch, WATCH_TAGS, end);
}

static inline void watch_problem(void *context, const struct kafka_problem *problem)
{
    struct watch *watch = context;

    watch_event(watch);
    WATCH(!watch->cut);
    WATCH(problem->offset >= watch->start && problem->offset <= watch->there);
    WATCH(problem->offset + problem->length <= watch->limit);
    WATCH(problem->remaining <= watch->limit);
    watch->problems++;
    switch (problem->kind) {
    case KAFKA_PROBLEM_CUT:
        WATCH(watch->there < watch->limit && problem->offset + problem->length == watch->there);
        watch->cut = true;
        return;
    case KAFKA_PROBLEM_LENGTH:
    case KAFKA_PROBLEM_COUNT:
    case KAFKA_PROBLEM_NULL:
    case KAFKA_PROBLEM_PRESENCE:
    case KAFKA_PROBLEM_BOOLEAN:
    case KAFKA_PROBLEM_TAG_ORDER:
    case KAFKA_PROBLEM_VARINT:
        WATCH(problem->length > 0 && problem->offset + problem->length <= watch->there);
        break;
    case KAFKA_PROBLEM_SHORT:
        WATCH(problem->wanted > (int64_t)problem->remaining);
        break;
    case KAFKA_PROBLEM_TAG_EXCESS:
        WATCH(problem->length > 0);
        break;
    case KAFKA_PROBLEM_LEFTOVER:
        WATCH(watch->depth == 0 && problem->length > 0 && problem->offset + problem->length == watch->limit);
        watch->ended = true;
        break;
    }
    watch->faulty = true;
}

static inline void watch_undecoded(void *context, size_t offset, size_t length)
{
    struct watch *watch = context;

    watch_event(watch);
    WATCH(!watch->cut && watch->faulty && length > 0);
    WATCH(offset >= watch->position && offset + length <= watch->there);
    watch_move(watch, offset + length);
    watch->ended = watch->depth == 0;
}

static const struct kafka_visitor watch_visitor = {
    .leaf = watch_leaf,
    .array_begin = watch_array_begin,
    .array_end = watch_array_end,
    .struct_begin = watch_struct_begin,
    .struct_end = watch_struct_end,
    .tags_begin = watch_tags_begin,
    .tag_begin = watch_tag_begin,
    .tag_end = watch_tag_end,
    .tags_end = watch_tags_end,
    .problem = watch_problem,
    .undecoded = watch_undecoded,
};

/* What holds when the walk has come back. */
static inline void watch_finish(const struct watch *watch, enum kafka_walk_result result)
{
    const struct kafka_cursor *cursor = watch->cursor;

    WATCH(watch->depth == 0);
    WATCH(cursor->limit == watch->limit && cursor->offset >= watch->start && cursor->offset <= watch->there);
    switch (result) {
    case KAFKA_WALK_COMPLETE:
        WATCH(watch->problems == 0 && cursor->offset == watch->limit);
        WATCH(watch->flexible ? watch->position <= cursor->offset : watch->position == cursor->offset);
        break;
    case KAFKA_WALK_CUT:
        WATCH(watch->problems == 1 && watch->cut && !watch->faulty);
        break;
    case KAFKA_WALK_MALFORMED:
        WATCH(watch->faulty);
        break;
    }
    /* Work is bounded by the bytes, whatever the counts in them say: few events for each byte, and few for none. */
    WATCH(watch->events <= 256 + 32 * (watch->limit - watch->start));
}

#endif
