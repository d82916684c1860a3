/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sequence numbers by which an idempotent producer counts its records for each partition (KIP-98): whether a batch
 * follows the one before it.
 */
#ifndef KAFKA_WIRE_PRODUCER_H
#define KAFKA_WIRE_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A broker remembers five; clients that send a batch again long after the others are worth a link too. */
#define KAFKA_PRODUCER_KEPT 1024

struct kafka_producer_batch {
    int32_t first;
    int32_t last;
    uint32_t frame;
};

/* A producer and a partition. The ring of batches belongs to the caller, who makes it grow. */
struct kafka_producer {
    bool is_known; /* a batch was seen */
    int16_t epoch;
    uint32_t epoch_frame; /* the first batch of that epoch */
    struct kafka_producer_batch last;
    struct kafka_producer_batch *kept; /* of this epoch; the oldest is replaced when all room is used */
    uint32_t kept_count;
    uint32_t room;
    uint32_t next; /* to be replaced, once kept_count is room and nothing more is to be had */
};

enum kafka_producer_finding {
    KAFKA_PRODUCER_FOLLOWS,   /* or is the first that was seen */
    KAFKA_PRODUCER_WRAPPED,   /* follows, and the sequence began again at 0 behind INT32_MAX */
    KAFKA_PRODUCER_REPEATED,  /* the same sequences in the same epoch */
    KAFKA_PRODUCER_GAP,       /* sequences are missing before it */
    KAFKA_PRODUCER_BACK,      /* below what was to come, and not a batch that was seen */
    KAFKA_PRODUCER_NEW_EPOCH, /* the first of a higher epoch, which begins at sequence 0 */
    KAFKA_PRODUCER_NEW_EPOCH_NOT_AT_ZERO,
    KAFKA_PRODUCER_OLD_EPOCH, /* of an epoch below another one's: fenced off */
};

struct kafka_producer_report {
    enum kafka_producer_finding finding;
    uint32_t frame;     /* of the batch that it is compared with */
    int32_t expected;   /* sequence that was to come */
    int16_t last_epoch; /* of the batch before */
};

/* Takes note of a batch; fills in the report. */
void kafka_producer_take(struct kafka_producer *producer, int16_t epoch, const struct kafka_producer_batch *batch,
                         struct kafka_producer_report *report);

/*
 * Returns how much room the ring of kept batches should have before the next batch is taken: more than it has, or as
 * much.
 */
uint32_t kafka_producer_wanted_room(const struct kafka_producer *producer);

#endif
