/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Kafka enforces about a batch and its records, each as a bit, so that a caller can say each at its bytes. */
#ifndef KAFKA_WIRE_BATCH_CHECK_H
#define KAFKA_WIRE_BATCH_CHECK_H

#include "batch.h"
#include "record.h"

enum kafka_batch_problem {
    /* Seen in the header alone. */
    KAFKA_BATCH_NEGATIVE_COUNT = 1 << 0,
    KAFKA_BATCH_NEGATIVE_LAST_DELTA = 1 << 1,
    KAFKA_BATCH_COUNT_AND_LAST_DELTA_DIFFER = 1 << 2, /* a fault in Produce, ordinary after compaction */
    KAFKA_BATCH_UNUSED_ATTRIBUTES = 1 << 3,
    KAFKA_BATCH_UNKNOWN_CODEC = 1 << 4,
    KAFKA_BATCH_TRANSACTIONAL_WITHOUT_PRODUCER = 1 << 5,
    KAFKA_BATCH_SEVERAL_MARKERS = 1 << 6, /* of transactions: KRaft's control batches may hold several records */
    KAFKA_BATCH_PRODUCER_WITHOUT_SEQUENCE = 1 << 7, /* a fault in Produce; control batches have no sequence */
    KAFKA_BATCH_CONTROL_COMPRESSED = 1 << 8,
    /* Seen in the records. */
    KAFKA_BATCH_COUNT_DIFFERS = 1 << 9,        /* from the records that are there */
    KAFKA_BATCH_LAST_DELTA_TOO_LOW = 1 << 10,  /* below the last record's offset delta */
    KAFKA_BATCH_LAST_DELTA_TOO_HIGH = 1 << 11, /* above it: a fault in Produce, ordinary after compaction */
    KAFKA_BATCH_OFFSETS_NOT_ASCENDING = 1 << 12,
    KAFKA_BATCH_MAX_TIMESTAMP_TOO_LOW = 1 << 13, /* below a record's; not when the broker sets the time */
    KAFKA_BATCH_LEFT_OVER = 1 << 14,
    KAFKA_BATCH_BAD_RECORD = 1 << 15,
};

/* Returns the problems of a header that was there to its end. */
unsigned kafka_batch_check_header(const struct kafka_batch *batch);

/* Returns the problems that a walk over all records saw; a walk that the capture cut short tells less. */
unsigned kafka_batch_check_records(const struct kafka_batch *batch, const struct kafka_records_seen *seen);

#endif
