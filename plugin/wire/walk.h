/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Going over the body of a message by its schema. The walker is the only code that knows which fields a version has and
 * how they are written; what is to be done with them is up to a visitor: build a tree, sum up, or nothing at all, which
 * tells whether bytes fit a schema.
 *
 * Offsets and lengths are in bytes from cursor.data. Every begin has its end, also when the message breaks off. Where a
 * part whose size is known (a tagged field) is malformed the walk goes on behind it; elsewhere it ends there.
 */
#ifndef KAFKA_WIRE_WALK_H
#define KAFKA_WIRE_WALK_H

#include "cursor.h"
#include "schema.h"

/* A field that has no fields below it, or one element of an array of such. */
struct kafka_leaf {
    const struct kafka_field *field;
    int32_t index;           /* in its array, or −1 */
    size_t offset;           /* of the length prefix, where the type has one */
    size_t length;           /* with the length prefix; what was captured of it may be less */
    int64_t integer;         /* of the integer types and bool */
    double real;             /* of float64 */
    struct kafka_span value; /* of uuid, string, bytes and records: without the length prefix */
};

/* One tagged field (KIP-482). */
struct kafka_tag {
    uint32_t tag;
    const struct kafka_field *field; /* NULL when the schema does not know the tag in this version */
    size_t offset;                   /* of the tag itself */
    size_t tag_length;
    size_t size_length;
    struct kafka_span data;
};

enum kafka_problem_kind {
    KAFKA_PROBLEM_CUT,        /* the capture cut the message here */
    KAFKA_PROBLEM_SHORT,      /* the message ends before this field does */
    KAFKA_PROBLEM_VARINT,     /* a varint without end, or too large */
    KAFKA_PROBLEM_LENGTH,     /* the length of a string, bytes, records or tagged field cannot be true */
    KAFKA_PROBLEM_COUNT,      /* the count of an array or tag section cannot be true */
    KAFKA_PROBLEM_NULL,       /* null where this version does not allow it */
    KAFKA_PROBLEM_PRESENCE,   /* the byte that tells whether a nullable structure is there is neither −1 nor 1 */
    KAFKA_PROBLEM_BOOLEAN,    /* a boolean is neither 0 nor 1; the walk goes on */
    KAFKA_PROBLEM_TAG_ORDER,  /* tags must ascend; the walk goes on */
    KAFKA_PROBLEM_TAG_EXCESS, /* a tagged field is longer than what its type reads; the walk goes on */
    KAFKA_PROBLEM_LEFTOVER,   /* bytes are left over behind the last field */
};

struct kafka_problem {
    enum kafka_problem_kind kind;
    const struct kafka_field *field; /* that was read, or NULL for a tag section and for leftover bytes */
    int32_t index;                   /* in its array, or −1 */
    size_t offset;                   /* of the bytes that show the problem */
    size_t length;
    int64_t wanted;   /* bytes (or elements) that the message speaks of */
    size_t remaining; /* bytes that there are for them */
};

/*
 * What is done on the way; context is the visitor's own. All but skips are called, and may not be NULL: see
 * kafka_visit_nothing.
 */
struct kafka_visitor {
    /*
     * Returns whether the visitor has no use for the values of a field of fixed size (not bool, not an array): then
     * they are passed over without being read. NULL where every leaf is wanted.
     */
    bool (*skips)(void *context, const struct kafka_field *field);
    void (*leaf)(void *context, const struct kafka_leaf *leaf);
    /* count is −1 for a null array; the count itself takes prefix bytes from offset. */
    void (*array_begin)(void *context, const struct kafka_field *field, size_t offset, size_t prefix, int32_t count);
    void (*array_end)(void *context, size_t end);
    /* One structure, or, with an index, an element of an array of them; a null one ends at once. */
    void (*struct_begin)(void *context, const struct kafka_field *field, int32_t index, size_t offset, bool is_null);
    void (*struct_end)(void *context, size_t end);
    /* A tag section with at least one tag. */
    void (*tags_begin)(void *context, size_t offset, size_t prefix, uint32_t count);
    void (*tag_begin)(void *context, const struct kafka_tag *tag);
    void (*tag_end)(void *context, size_t end);
    void (*tags_end)(void *context, size_t end);
    void (*problem)(void *context, const struct kafka_problem *problem);
    /* Bytes that nothing could be made of, behind the problem that ended the walk or the tagged field at hand. */
    void (*undecoded)(void *context, size_t offset, size_t length);
};

/* A visitor that does nothing. */
extern const struct kafka_visitor kafka_visit_nothing;

enum kafka_walk_result {
    KAFKA_WALK_COMPLETE,  /* every byte up to the limit was read, and nothing was wrong */
    KAFKA_WALK_CUT,       /* nothing was wrong as far as the capture goes */
    KAFKA_WALK_MALFORMED, /* there was at least one problem */
};

/*
 * Walks over the body of message in version, from the cursor to its limit. A version that the schema does not have is
 * read as if it had it. The cursor ends where decoding ended.
 */
enum kafka_walk_result kafka_walk(struct kafka_cursor *cursor, const struct kafka_message *message, int16_t version,
                                  const struct kafka_visitor *visitor, void *context);

/* Walks over one tag section none of whose tags is known, as request header 2 and response header 1 have; as
 * kafka_walk. */
enum kafka_walk_result kafka_walk_header_tags(struct kafka_cursor *cursor, const struct kafka_visitor *visitor,
                                              void *context);

/* Returns what a walk from the cursor would find, without moving it. */
enum kafka_walk_result kafka_check_fit(const struct kafka_cursor *cursor, const struct kafka_message *message,
                                       int16_t version);

#endif
