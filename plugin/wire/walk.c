/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "walk.h"

#include <string.h>

#include "placement.h"

/*
 * No released message nests deeper than ten structures. Input cannot make a walk deeper than its schema; the bound
 * keeps a mistake in the schema from becoming a crash.
 */
#define MAX_DEPTH 32

struct walk {
    struct kafka_cursor *cursor;
    const struct kafka_visitor *visitor;
    void *context;
    int16_t version;
    bool flexible;
    bool faulty; /* a problem other than the capture's cut was reported */
    bool cut;    /* the capture's cut was reported: nothing can be read any more */
    unsigned depth;
};

/* Whether the walk may go on with the next byte. */
enum step {
    STEP_GO_ON,
    STEP_STOP, /* a problem was reported that hides where the next field begins */
};

static enum step walk_field(struct walk *walk, const struct kafka_field *field);
static enum step walk_struct_body(struct walk *walk, const struct kafka_struct *layout);

KAFKA_COLD static void report(struct walk *walk, enum kafka_problem_kind kind, const struct kafka_field *field,
                              int32_t index, size_t offset, size_t length, int64_t wanted)
{
    struct kafka_problem problem = {
        .kind = kind,
        .field = field,
        .index = index,
        .offset = offset,
        .length = length,
        .wanted = wanted,
        .remaining = kafka_remaining(walk->cursor),
    };

    if (kind == KAFKA_PROBLEM_CUT) {
        walk->cut = true;
    } else {
        walk->faulty = true;
    }
    walk->visitor->problem(walk->context, &problem);
}

/* Reports why a value of size bytes could not be read at the cursor, and ends the walk there. */
KAFKA_COLD static enum step stop_at(struct walk *walk, enum kafka_status status, const struct kafka_field *field,
                                    int32_t index, size_t size)
{
    const struct kafka_cursor *cursor = walk->cursor;
    size_t remaining = kafka_remaining(cursor);

    switch (status) {
    case KAFKA_CUT: {
        size_t there = cursor->captured > cursor->offset ? cursor->captured - cursor->offset : 0;
        report(walk, KAFKA_PROBLEM_CUT, field, index, cursor->offset, there < remaining ? there : remaining,
               (int64_t)size);
        break;
    }
    case KAFKA_BAD_VARINT: {
        size_t shown = remaining < KAFKA_VARINT_MAX_BYTES ? remaining : KAFKA_VARINT_MAX_BYTES;
        report(walk, KAFKA_PROBLEM_VARINT, field, index, cursor->offset, shown, 0);
        break;
    }
    default:
        /* A varint that goes on behind the end takes a byte more than there are. */
        report(walk, KAFKA_PROBLEM_SHORT, field, index, cursor->offset, remaining,
               (int64_t)(size > remaining ? size : remaining + 1));
        break;
    }
    return STEP_STOP;
}

/* Bytes of the types of fixed size; 0 for the others. */
static const uint8_t fixed_sizes[] = {
    [KAFKA_TYPE_BOOL] = 1,   [KAFKA_TYPE_INT8] = 1,   [KAFKA_TYPE_INT16] = 2,  [KAFKA_TYPE_INT32] = 4,
    [KAFKA_TYPE_INT64] = 8,  [KAFKA_TYPE_UINT16] = 2, [KAFKA_TYPE_UINT32] = 4, [KAFKA_TYPE_FLOAT64] = 8,
    [KAFKA_TYPE_UUID] = 16,  [KAFKA_TYPE_STRING] = 0, [KAFKA_TYPE_BYTES] = 0,  [KAFKA_TYPE_RECORDS] = 0,
    [KAFKA_TYPE_STRUCT] = 0,
};

static int64_t integer_at(const uint8_t *p, enum kafka_type type)
{
    switch (type) {
    case KAFKA_TYPE_BOOL:
        return p[0];
    case KAFKA_TYPE_INT8:
        return (int8_t)p[0];
    case KAFKA_TYPE_INT16:
        return (int16_t)kafka_load16(p);
    case KAFKA_TYPE_UINT16:
        return kafka_load16(p);
    case KAFKA_TYPE_INT32:
        return (int32_t)kafka_load32(p);
    case KAFKA_TYPE_UINT32:
        return kafka_load32(p);
    default:
        return (int64_t)kafka_load64(p);
    }
}

static enum step walk_fixed(struct walk *walk, const struct kafka_field *field, int32_t index)
{
    struct kafka_cursor *cursor = walk->cursor;
    struct kafka_leaf leaf = {.field = field, .index = index, .offset = cursor->offset};

    leaf.length = fixed_sizes[field->type];
    enum kafka_status status = kafka_need(cursor, leaf.length);
    if (status != KAFKA_OK) {
        return stop_at(walk, status, field, index, leaf.length);
    }
    const uint8_t *bytes = cursor->data + cursor->offset;
    if (field->type == KAFKA_TYPE_UUID) {
        leaf.value = (struct kafka_span){.offset = cursor->offset, .length = leaf.length};
    } else if (field->type == KAFKA_TYPE_FLOAT64) {
        uint64_t bits = kafka_load64(bytes);
        memcpy(&leaf.real, &bits, sizeof leaf.real);
    } else {
        leaf.integer = integer_at(bytes, field->type);
    }
    cursor->offset += leaf.length;
    walk->visitor->leaf(walk->context, &leaf);
    if (field->type == KAFKA_TYPE_BOOL && (leaf.integer & ~1) != 0) {
        report(walk, KAFKA_PROBLEM_BOOLEAN, field, index, leaf.offset, 1, leaf.integer);
    }
    return STEP_GO_ON;
}

/* Elements are never null themselves: the nullable versions are the array's. */
static inline bool is_nullable(const struct walk *walk, const struct kafka_field *field, bool is_array)
{
    return kafka_versions_has(field->nullable, walk->version) && (is_array || !field->is_array);
}

/*
 * Reads a length that is one of those that nearly all are: no more than there is, or null where that is allowed; of
 * compact ones, of a byte or two. False for others.
 */
static inline bool read_usual_length(const struct walk *walk, bool is_short, bool nullable, int32_t *length)
{
    struct kafka_cursor *cursor = walk->cursor;
    size_t prefix = is_short && !walk->flexible ? 2 : 4;
    int32_t value;

    if (walk->flexible) {
        if (kafka_need(cursor, 2) != KAFKA_OK) {
            return false;
        }
        const uint8_t *p = cursor->data + cursor->offset;
        prefix = p[0] < 0x80 ? 1 : 2;
        if (prefix == 2 && p[1] >= 0x80) {
            return false;
        }
        value = (int32_t)(prefix == 1 ? p[0] : (p[0] & 0x7fU) | (uint32_t)p[1] << 7) - 1;
    } else {
        if (kafka_need(cursor, prefix) != KAFKA_OK) {
            return false;
        }
        const uint8_t *p = cursor->data + cursor->offset;
        value = is_short ? (int16_t)kafka_load16(p) : (int32_t)kafka_load32(p);
    }
    if (value < 0 ? value < -1 || !nullable : (size_t)value > kafka_remaining(cursor) - prefix) {
        return false;
    }
    cursor->offset += prefix;
    *length = value;
    return true;
}

/* Reads any length, as read_length. The kinds tell what to report for one that cannot be true. */
KAFKA_APART static enum step read_any_length(struct walk *walk, const struct kafka_field *field, int32_t index,
                                             bool is_array, int32_t *length)
{
    struct kafka_cursor *cursor = walk->cursor;
    struct kafka_cursor before = *cursor;
    bool nullable = is_nullable(walk, field, is_array);
    enum kafka_status status;
    size_t prefix;

    if (walk->flexible) {
        status = kafka_read_length_compact(cursor, true, length);
        prefix = 1;
    } else if (!is_array && field->type == KAFKA_TYPE_STRING) {
        status = kafka_read_length16(cursor, true, length);
        prefix = 2;
    } else {
        status = kafka_read_length32(cursor, true, length);
        prefix = 4;
    }
    enum kafka_problem_kind kind = is_array ? KAFKA_PROBLEM_COUNT : KAFKA_PROBLEM_LENGTH;
    if (status == KAFKA_BAD_LENGTH) {
        if (walk->flexible) {
            uint32_t raw = 0;
            (void)kafka_read_uvarint(cursor, &raw);
            prefix = cursor->offset - before.offset;
            report(walk, kind, field, index, before.offset, prefix, (int64_t)raw - 1);
            cursor->offset = before.offset;
        } else {
            const uint8_t *p = before.data + before.offset;
            report(walk, kind, field, index, before.offset, prefix,
                   prefix == 2 ? (int16_t)kafka_load16(p) : (int32_t)kafka_load32(p));
        }
        return STEP_STOP;
    }
    if (status != KAFKA_OK) {
        return stop_at(walk, status, field, index, prefix);
    }
    prefix = cursor->offset - before.offset;
    if (*length == -1 && !nullable) {
        report(walk, KAFKA_PROBLEM_NULL, field, index, before.offset, prefix, -1);
        return STEP_GO_ON;
    }
    /* Every element takes a byte at least, so a count is a lower bound of bytes as a length is. */
    if (*length > 0 && (size_t)*length > kafka_remaining(cursor)) {
        report(walk, kind, field, index, before.offset, prefix, *length);
        cursor->offset = before.offset;
        return STEP_STOP;
    }
    return STEP_GO_ON;
}

/* Reads the length of a string, bytes, records or array of the field at the cursor, which it moves behind it. */
static inline enum step read_length(struct walk *walk, const struct kafka_field *field, int32_t index, bool is_array,
                                    int32_t *length)
{
    bool is_usual = read_usual_length(walk, !is_array && field->type == KAFKA_TYPE_STRING,
                                      is_nullable(walk, field, is_array), length);

    return is_usual ? STEP_GO_ON : read_any_length(walk, field, index, is_array, length);
}

static enum step walk_sized(struct walk *walk, const struct kafka_field *field, int32_t index)
{
    struct kafka_cursor *cursor = walk->cursor;
    size_t start = cursor->offset;
    int32_t length;

    if (read_length(walk, field, index, false, &length) == STEP_STOP) {
        return STEP_STOP;
    }
    struct kafka_leaf leaf = {.field = field, .index = index, .offset = start};
    leaf.value.offset = cursor->offset;
    leaf.value.is_null = length < 0;
    leaf.value.length = length > 0 ? (size_t)length : 0;
    leaf.length = cursor->offset - start + leaf.value.length;
    walk->visitor->leaf(walk->context, &leaf);
    if (leaf.value.offset + leaf.value.length > cursor->captured) {
        enum step step = stop_at(walk, KAFKA_CUT, field, index, leaf.value.length);
        cursor->offset = cursor->captured;
        return step;
    }
    cursor->offset += leaf.value.length;
    return STEP_GO_ON;
}

static enum step walk_struct(struct walk *walk, const struct kafka_field *field, int32_t index, size_t offset)
{
    walk->visitor->struct_begin(walk->context, field, index, offset, false);
    enum step step = walk_struct_body(walk, field->members);
    walk->visitor->struct_end(walk->context, walk->cursor->offset);
    return step;
}

/* A nullable structure begins with a byte that is −1 for null and 1 for one that follows (KIP-893). */
KAFKA_APART static enum step walk_nullable_struct(struct walk *walk, const struct kafka_field *field)
{
    size_t start = walk->cursor->offset;
    int8_t presence;
    enum kafka_status status = kafka_read_int8(walk->cursor, &presence);

    if (status != KAFKA_OK) {
        return stop_at(walk, status, field, -1, 1);
    }
    if (presence < 0) {
        walk->visitor->struct_begin(walk->context, field, -1, start, true);
        walk->visitor->struct_end(walk->context, walk->cursor->offset);
        if (presence != -1) {
            report(walk, KAFKA_PROBLEM_PRESENCE, field, -1, start, 1, presence);
        }
        return STEP_GO_ON;
    }
    if (presence != 1) {
        report(walk, KAFKA_PROBLEM_PRESENCE, field, -1, start, 1, presence);
    }
    return walk_struct(walk, field, -1, start);
}

static enum step walk_single(struct walk *walk, const struct kafka_field *field, int32_t index)
{
    switch (field->type) {
    case KAFKA_TYPE_STRING:
    case KAFKA_TYPE_BYTES:
    case KAFKA_TYPE_RECORDS:
        return walk_sized(walk, field, index);
    case KAFKA_TYPE_STRUCT:
        return walk_struct(walk, field, index, walk->cursor->offset);
    default:
        return walk_fixed(walk, field, index);
    }
}

static enum step walk_array(struct walk *walk, const struct kafka_field *field)
{
    struct kafka_cursor *cursor = walk->cursor;
    size_t start = cursor->offset;
    int32_t count;

    if (read_length(walk, field, -1, true, &count) == STEP_STOP) {
        return STEP_STOP;
    }
    enum step step = STEP_GO_ON;
    walk->visitor->array_begin(walk->context, field, start, cursor->offset - start, count);
    for (int32_t i = 0; i < count && step == STEP_GO_ON; i++) {
        size_t before = cursor->offset;
        step = walk_single(walk, field, i);
        if (step == STEP_GO_ON && cursor->offset == before) {
            /* A structure without fields in this version: its count says nothing about bytes, so it bounds nothing. */
            report(walk, KAFKA_PROBLEM_COUNT, field, -1, start, before - start, count);
            step = STEP_STOP;
        }
    }
    walk->visitor->array_end(walk->context, cursor->offset);
    return step;
}

/* In a tag section a structure has no presence byte unless it may be null there (KIP-893). */
static enum step walk_field(struct walk *walk, const struct kafka_field *field)
{
    if (field->is_array) {
        return walk_array(walk, field);
    }
    if (field->type == KAFKA_TYPE_STRUCT && kafka_versions_has(field->nullable, walk->version)) {
        return walk_nullable_struct(walk, field);
    }
    return walk_single(walk, field, -1);
}

static const struct kafka_field *find_tagged(const struct kafka_struct *layout, uint32_t tag, int16_t version)
{
    for (size_t i = 0; layout != NULL && i < layout->count; i++) {
        const struct kafka_field *field = &layout->fields[i];
        if (field->tag >= 0 && (uint32_t)field->tag == tag && kafka_versions_has(field->tagged, version)) {
            return field;
        }
    }
    return NULL;
}

/*
 * Reads tag and size at the cursor and moves behind them; the data is checked to lie within the limit. Where that fails
 * the cursor stays before the tag.
 */
static enum step read_tag(struct walk *walk, const struct kafka_struct *layout, struct kafka_tag *tag)
{
    struct kafka_cursor *cursor = walk->cursor;
    uint32_t size;

    tag->offset = cursor->offset;
    enum kafka_status status = kafka_read_uvarint(cursor, &tag->tag);
    if (status != KAFKA_OK) {
        return stop_at(walk, status, NULL, -1, 1);
    }
    tag->tag_length = cursor->offset - tag->offset;
    tag->field = find_tagged(layout, tag->tag, walk->version);
    size_t size_offset = cursor->offset;
    status = kafka_read_uvarint(cursor, &size);
    if (status != KAFKA_OK) {
        enum step step = stop_at(walk, status, tag->field, -1, 1);
        cursor->offset = tag->offset;
        return step;
    }
    tag->size_length = cursor->offset - size_offset;
    if (size > kafka_remaining(cursor)) {
        report(walk, KAFKA_PROBLEM_LENGTH, tag->field, -1, size_offset, tag->size_length, size);
        cursor->offset = tag->offset;
        return STEP_STOP;
    }
    tag->data = (struct kafka_span){.offset = cursor->offset, .length = size};
    return STEP_GO_ON;
}

/* The size of a tagged field bounds what is read of it, and whatever goes wrong in it, the next one begins behind it.
 */
KAFKA_APART static enum step walk_tagged_field(struct walk *walk, const struct kafka_tag *tag)
{
    struct kafka_cursor *cursor = walk->cursor;
    size_t end = tag->data.offset + tag->data.length;
    size_t there = end < cursor->captured ? end : cursor->captured;
    size_t outer_limit = cursor->limit;

    if (tag->field != NULL) {
        cursor->limit = end;
        enum step step = walk_field(walk, tag->field);
        if (step == STEP_GO_ON && cursor->offset < end) {
            report(walk, KAFKA_PROBLEM_TAG_EXCESS, tag->field, -1, cursor->offset, end - cursor->offset,
                   (int64_t)tag->data.length);
        } else if (step == STEP_STOP && !walk->cut && cursor->offset < there) {
            walk->visitor->undecoded(walk->context, cursor->offset, there - cursor->offset);
        }
        cursor->limit = outer_limit;
        cursor->offset = there;
    }
    if (there < end && !walk->cut) {
        (void)stop_at(walk, KAFKA_CUT, tag->field, -1, tag->data.length);
    }
    cursor->offset = there;
    return walk->cut ? STEP_STOP : STEP_GO_ON;
}

/* The tag section at the cursor (KIP-482); layout is NULL where no tag is known. */
KAFKA_APART static enum step walk_tags(struct walk *walk, const struct kafka_struct *layout)
{
    struct kafka_cursor *cursor = walk->cursor;
    size_t start = cursor->offset;
    uint32_t count;

    enum kafka_status status = kafka_read_uvarint(cursor, &count);
    if (status != KAFKA_OK) {
        return stop_at(walk, status, NULL, -1, 1);
    }
    if (count == 0) {
        return STEP_GO_ON;
    }
    size_t prefix = cursor->offset - start;
    /* A tagged field takes two bytes at least. */
    if (count > kafka_remaining(cursor) / 2) {
        report(walk, KAFKA_PROBLEM_COUNT, NULL, -1, start, prefix, count);
        cursor->offset = start;
        return STEP_STOP;
    }
    enum step step = STEP_GO_ON;
    int64_t last = -1;
    walk->visitor->tags_begin(walk->context, start, prefix, count);
    for (uint32_t i = 0; i < count && step == STEP_GO_ON; i++) {
        struct kafka_tag tag = {0};
        step = read_tag(walk, layout, &tag);
        if (step == STEP_STOP) {
            break;
        }
        walk->visitor->tag_begin(walk->context, &tag);
        if (tag.tag <= last) {
            report(walk, KAFKA_PROBLEM_TAG_ORDER, tag.field, -1, tag.offset, tag.tag_length, tag.tag);
        }
        last = tag.tag;
        step = walk_tagged_field(walk, &tag);
        walk->visitor->tag_end(walk->context, tag.data.offset + tag.data.length);
    }
    walk->visitor->tags_end(walk->context, cursor->offset);
    return step;
}

/* Returns whether the structure itself has the field, and not its tag section. */
static inline bool is_untagged(const struct kafka_field *field, int16_t version)
{
    return kafka_versions_has(field->versions, version) &&
           (field->tag < 0 || !kafka_versions_has(field->tagged, version));
}

/* As walk_field, by the shortest way for most; what the visitor has no use for is passed over. */
static enum step walk_usual_field(struct walk *walk, const struct kafka_field *field)
{
    if (field->is_array) {
        return walk_array(walk, field);
    }
    size_t size = fixed_sizes[field->type];
    if (size != 0) {
        if (walk->visitor->skips != NULL && field->type != KAFKA_TYPE_BOOL &&
            kafka_need(walk->cursor, size) == KAFKA_OK && walk->visitor->skips(walk->context, field)) {
            walk->cursor->offset += size;
            return STEP_GO_ON;
        }
        return walk_fixed(walk, field, -1);
    }
    return field->type == KAFKA_TYPE_STRUCT ? walk_field(walk, field) : walk_sized(walk, field, -1);
}

static enum step walk_struct_body(struct walk *walk, const struct kafka_struct *layout)
{
    if (++walk->depth > MAX_DEPTH) {
        walk->depth--;
        return stop_at(walk, KAFKA_SHORT, NULL, -1, 0);
    }
    enum step step = STEP_GO_ON;
    const struct kafka_field *field = layout->fields;
    for (size_t left = layout->count; left > 0 && step == STEP_GO_ON; left--, field++) {
        if (is_untagged(field, walk->version)) {
            step = walk_usual_field(walk, field);
        }
    }
    if (step == STEP_GO_ON && walk->flexible && !kafka_pass_no_tags(walk->cursor)) {
        step = walk_tags(walk, layout);
    }
    walk->depth--;
    return step;
}

static enum kafka_walk_result result_of(const struct walk *walk, enum step step)
{
    if (walk->faulty) {
        return KAFKA_WALK_MALFORMED;
    }
    return step == STEP_STOP ? KAFKA_WALK_CUT : KAFKA_WALK_COMPLETE;
}

enum kafka_walk_result kafka_walk(struct kafka_cursor *cursor, const struct kafka_message *message, int16_t version,
                                  const struct kafka_visitor *visitor, void *context)
{
    struct walk walk = {
        .cursor = cursor,
        .visitor = visitor,
        .context = context,
        .version = version,
        .flexible = kafka_versions_has(message->flexible, version),
    };
    enum step step = walk_struct_body(&walk, message->body);
    size_t captured_limit = cursor->limit < cursor->captured ? cursor->limit : cursor->captured;

    if (step == STEP_GO_ON && cursor->offset < cursor->limit) {
        report(&walk, KAFKA_PROBLEM_LEFTOVER, NULL, -1, cursor->offset, kafka_remaining(cursor), 0);
    } else if (step == STEP_STOP && !walk.cut && cursor->offset < captured_limit) {
        visitor->undecoded(context, cursor->offset, captured_limit - cursor->offset);
    }
    return result_of(&walk, step);
}

enum kafka_walk_result kafka_walk_header_tags(struct kafka_cursor *cursor, const struct kafka_visitor *visitor,
                                              void *context)
{
    struct walk walk = {.cursor = cursor, .visitor = visitor, .context = context, .flexible = true};

    return result_of(&walk, walk_tags(&walk, NULL));
}

static void no_leaf(void *context, const struct kafka_leaf *leaf)
{
    (void)context;
    (void)leaf;
}

static void no_array_begin(void *context, const struct kafka_field *field, size_t offset, size_t prefix, int32_t count)
{
    (void)context;
    (void)field;
    (void)offset;
    (void)prefix;
    (void)count;
}

static void no_end(void *context, size_t end)
{
    (void)context;
    (void)end;
}

static void no_struct_begin(void *context, const struct kafka_field *field, int32_t index, size_t offset, bool is_null)
{
    (void)context;
    (void)field;
    (void)index;
    (void)offset;
    (void)is_null;
}

static void no_tags_begin(void *context, size_t offset, size_t prefix, uint32_t count)
{
    (void)context;
    (void)offset;
    (void)prefix;
    (void)count;
}

static void no_tag_begin(void *context, const struct kafka_tag *tag)
{
    (void)context;
    (void)tag;
}

static void no_problem(void *context, const struct kafka_problem *problem)
{
    (void)context;
    (void)problem;
}

static void no_undecoded(void *context, size_t offset, size_t length)
{
    (void)context;
    (void)offset;
    (void)length;
}

const struct kafka_visitor kafka_visit_nothing = {
    .leaf = no_leaf,
    .array_begin = no_array_begin,
    .array_end = no_end,
    .struct_begin = no_struct_begin,
    .struct_end = no_end,
    .tags_begin = no_tags_begin,
    .tag_begin = no_tag_begin,
    .tag_end = no_end,
    .tags_end = no_end,
    .problem = no_problem,
    .undecoded = no_undecoded,
};

enum kafka_walk_result kafka_check_fit(const struct kafka_cursor *cursor, const struct kafka_message *message,
                                       int16_t version)
{
    struct kafka_cursor copy = *cursor;

    return kafka_walk(&copy, message, version, &kafka_visit_nothing, NULL);
}
