/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a message is about, in a line: the Info column. Fed with the fields of a message in their order, it keeps what
 * their meaning makes worth telling: topics with partitions, groups and members, coordinator keys, counts, errors.
 */
#ifndef KAFKA_DISSECTOR_SUMMARY_H
#define KAFKA_DISSECTOR_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../wire/walk.h"

#define KAFKA_SUMMARY_SIZE   220
#define KAFKA_SUMMARY_ERRORS 3

struct kafka_summary {
    const uint8_t *data; /* that the leaves' offsets count in */
    char text[KAFKA_SUMMARY_SIZE];
    size_t used;
    size_t begun; /* where the part begins that must stay whole */
    bool full;
    bool in_partitions;        /* a topic's bracket is open */
    bool has_topic;            /* the topic at hand stands in the text */
    bool is_named;             /* by its name, so that its id tells nothing more */
    bool has_key;              /* a coordinator's: its host and port are the answer */
    struct kafka_span topic;   /* the name of the topic at hand */
    const uint8_t *pending_id; /* id of a topic whose name may still follow, or NULL */
    int16_t errors[KAFKA_SUMMARY_ERRORS];
    size_t error_count;
    bool more_errors;
};

/* What the headers of a record set's batches tell. */
struct kafka_records_summary {
    unsigned entries; /* batches and messages whose header was there */
    unsigned batches;
    uint64_t records;
    bool has_offsets; /* of the log: not in what a producer sends */
    int64_t first_offset;
    int64_t last_offset;
    const char *codec; /* of the first one */
    size_t bytes;
};

void kafka_summary_begin(struct kafka_summary *summary, const uint8_t *data);

/* Takes note of a leaf; depth is the number of structures around it, 0 for a field of the message itself. */
void kafka_summary_leaf(struct kafka_summary *summary, const struct kafka_leaf *leaf, size_t captured, unsigned depth);

/* Takes note of an array of count elements. */
void kafka_summary_array(struct kafka_summary *summary, const struct kafka_field *field, int32_t count, unsigned depth);

/* Takes note of a record set. */
void kafka_summary_records(struct kafka_summary *summary, const struct kafka_records_summary *records);

/* Adds what else is to be told; long text is cut, and control characters are blanks. */
void kafka_summary_add(struct kafka_summary *summary, const char *text);

/* Ends the line; returns it, "" or ", orders [0,1], error NOT_LEADER_OR_FOLLOWER". */
const char *kafka_summary_end(struct kafka_summary *summary);

#endif
