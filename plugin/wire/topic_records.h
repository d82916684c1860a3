/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of topic ids in the log of the cluster's metadata (KIP-631), as controllers and brokers fetch it. */
#ifndef KAFKA_WIRE_TOPIC_RECORDS_H
#define KAFKA_WIRE_TOPIC_RECORDS_H

#include "cursor.h"
#include "places.h"
#include "topic_names.h"

/* Returns whether the topic is that of the cluster's metadata. */
bool kafka_topic_is_metadata(const struct kafka_topic_ref *topic);

/*
 * Calls found with each naming in the record set from the cursor to its limit, which may begin and end anywhere, as
 * parts of snapshots do. Only batches that are whole, uncompressed as Kafka writes them, and whose checksum is right
 * name anything. What is searched and checksummed is taken from *budget, in bytes, and the search ends where that does.
 */
void kafka_find_topic_records(const struct kafka_cursor *records, size_t *budget, kafka_topic_naming_found *found,
                              void *context);

#endif
