/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A visitor that writes down what a walk reports, one event a line, and watches that the walk keeps its promises:
 *
 *     Name@offset+length = 7             a leaf; "= null", or "= begin..end" for what has bytes; Name[2] for an element
 *     Name@offset+prefix x2 [            an array of two; "null [" for none
 *     ]@end
 *     Name@offset {                      a structure; "null {" for none
 *     }@end
 *     tags@offset+prefix x1 (            a tag section
 *     )@end
 *     tag 3 Name@offset+tag+size: begin..end <      a tagged field; "?" when it is not known
 *     >@end
 *     !SHORT Name@offset+length wanted 4 remaining 3
 *     undecoded@offset+length
 */
#ifndef KAFKA_TESTS_UNIT_RECORD_WALK_H
#define KAFKA_TESTS_UNIT_RECORD_WALK_H

#include "builder.h"

#include <inttypes.h>
#include <stdio.h>

#define WATCH(condition) assert_true(condition)
#include "watch.h"

struct walk_record {
    struct watch watch;
    size_t size;
    char text[1 << 17];
};

static inline void record_line(struct walk_record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void record_line(struct walk_record *record, const char *format, ...)
{
    va_list arguments;
    size_t room = sizeof record->text - record->size;

    va_start(arguments, format);
    int written = vsnprintf(record->text + record->size, room, format, arguments);
    va_end(arguments);
    assert_true(written > 0 && (size_t)written + 2 <= room);
    record->size += (size_t)written;
    record->text[record->size++] = '\n';
    record->text[record->size] = '\0';
}

/* "Name" or "Name[2]", in one of a few buffers. */
static inline const char *record_name(const struct kafka_field *field, int32_t index)
{
    static char names[4][80];
    static unsigned next;
    char *name = names[next++ % 4];
    const char *plain = field != NULL ? field->name : "?";

    if (index >= 0) {
        (void)snprintf(name, sizeof names[0], "%s[%" PRId32 "]", plain, index);
    } else {
        (void)snprintf(name, sizeof names[0], "%s", plain);
    }
    return name;
}

static inline void record_leaf(void *context, const struct kafka_leaf *leaf)
{
    struct walk_record *record = context;
    const char *name = record_name(leaf->field, leaf->index);

    watch_leaf(&record->watch, leaf);
    switch (leaf->field->type) {
    case KAFKA_TYPE_STRING:
    case KAFKA_TYPE_BYTES:
    case KAFKA_TYPE_RECORDS:
    case KAFKA_TYPE_UUID:
        if (leaf->value.is_null) {
            record_line(record, "%s@%zu+%zu = null", name, leaf->offset, leaf->length);
        } else {
            record_line(record, "%s@%zu+%zu = %zu..%zu", name, leaf->offset, leaf->length, leaf->value.offset,
                        leaf->value.offset + leaf->value.length);
        }
        break;
    case KAFKA_TYPE_FLOAT64:
        record_line(record, "%s@%zu+%zu = %.17g", name, leaf->offset, leaf->length, leaf->real);
        break;
    default:
        record_line(record, "%s@%zu+%zu = %" PRId64, name, leaf->offset, leaf->length, leaf->integer);
        break;
    }
}

static inline void record_array_begin(void *context, const struct kafka_field *field, size_t offset, size_t prefix,
                                      int32_t count)
{
    struct walk_record *record = context;

    watch_array_begin(&record->watch, field, offset, prefix, count);
    if (count < 0) {
        record_line(record, "%s@%zu+%zu null [", field->name, offset, prefix);
    } else {
        record_line(record, "%s@%zu+%zu x%" PRId32 " [", field->name, offset, prefix, count);
    }
}

static inline void record_array_end(void *context, size_t end)
{
    struct walk_record *record = context;

    watch_array_end(&record->watch, end);
    record_line(record, "]@%zu", end);
}

static inline void record_struct_begin(void *context, const struct kafka_field *field, int32_t index, size_t offset,
                                       bool is_null)
{
    struct walk_record *record = context;

    watch_struct_begin(&record->watch, field, index, offset, is_null);
    record_line(record, "%s@%zu %s{", record_name(field, index), offset, is_null ? "null " : "");
}

static inline void record_struct_end(void *context, size_t end)
{
    struct walk_record *record = context;

    watch_struct_end(&record->watch, end);
    record_line(record, "}@%zu", end);
}

static inline void record_tags_begin(void *context, size_t offset, size_t prefix, uint32_t count)
{
    struct walk_record *record = context;

    watch_tags_begin(&record->watch, offset, prefix, count);
    record_line(record, "tags@%zu+%zu x%" PRIu32 " (", offset, prefix, count);
}

static inline void record_tag_begin(void *context, const struct kafka_tag *tag)
{
    struct walk_record *record = context;

    watch_tag_begin(&record->watch, tag);
    record_line(record, "tag %" PRIu32 " %s@%zu+%zu+%zu: %zu..%zu <", tag->tag, record_name(tag->field, -1),
                tag->offset, tag->tag_length, tag->size_length, tag->data.offset, tag->data.offset + tag->data.length);
}

static inline void record_tag_end(void *context, size_t end)
{
    struct walk_record *record = context;

    watch_tag_end(&record->watch, end);
    record_line(record, ">@%zu", end);
}

static inline void record_tags_end(void *context, size_t end)
{
    struct walk_record *record = context;

    watch_tags_end(&record->watch, end);
    record_line(record, ")@%zu", end);
}

static inline void record_problem(void *context, const struct kafka_problem *problem)
{
    static const char *const kinds[] = {
        [KAFKA_PROBLEM_CUT] = "CUT",
        [KAFKA_PROBLEM_SHORT] = "SHORT",
        [KAFKA_PROBLEM_VARINT] = "VARINT",
        [KAFKA_PROBLEM_LENGTH] = "LENGTH",
        [KAFKA_PROBLEM_COUNT] = "COUNT",
        [KAFKA_PROBLEM_NULL] = "NULL",
        [KAFKA_PROBLEM_PRESENCE] = "PRESENCE",
        [KAFKA_PROBLEM_BOOLEAN] = "BOOLEAN",
        [KAFKA_PROBLEM_TAG_ORDER] = "TAG_ORDER",
        [KAFKA_PROBLEM_TAG_EXCESS] = "TAG_EXCESS",
        [KAFKA_PROBLEM_LEFTOVER] = "LEFTOVER",
    };
    struct walk_record *record = context;

    watch_problem(&record->watch, problem);
    record_line(record, "!%s %s@%zu+%zu wanted %" PRId64 " remaining %zu", kinds[problem->kind],
                record_name(problem->field, problem->index), problem->offset, problem->length, problem->wanted,
                problem->remaining);
}

static inline void record_undecoded(void *context, size_t offset, size_t length)
{
    struct walk_record *record = context;

    watch_undecoded(&record->watch, offset, length);
    record_line(record, "undecoded@%zu+%zu", offset, length);
}

static const struct kafka_visitor record_visitor = {
    .leaf = record_leaf,
    .array_begin = record_array_begin,
    .array_end = record_array_end,
    .struct_begin = record_struct_begin,
    .struct_end = record_struct_end,
    .tags_begin = record_tags_begin,
    .tag_begin = record_tag_begin,
    .tag_end = record_tag_end,
    .tags_end = record_tags_end,
    .problem = record_problem,
    .undecoded = record_undecoded,
};

/* Walks from the cursor and asserts the watched promises; the text is what the walk reported. */
static inline enum kafka_walk_result record_walk(struct walk_record *record, struct kafka_cursor *cursor,
                                                 const struct kafka_message *message, int16_t version)
{
    watch_start(&record->watch, cursor, kafka_versions_has(message->flexible, version));
    record->size = 0;
    record->text[0] = '\0';
    enum kafka_walk_result result = kafka_walk(cursor, message, version, &record_visitor, record);
    watch_finish(&record->watch, result);
    return result;
}

#endif
