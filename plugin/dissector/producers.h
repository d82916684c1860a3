/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idempotent producers (KIP-98): whether each batch follows the last one of its producer and partition, whichever
 * connection it came on. Only what does not follow is kept.
 */
#ifndef KAFKA_DISSECTOR_PRODUCERS_H
#define KAFKA_DISSECTOR_PRODUCERS_H

#include "connection.h"

#include "../wire/batch.h"
#include "../wire/body.h"

struct kafka_show;

/* The batches of a request that are worth a remark. */
struct kafka_batch_remarks;

/* What filters may ask for, so that batches are looked at. */
extern int hf_kafka_producer_repeats_frame;
extern int hf_kafka_producer_previous_frame;
extern expert_field ei_kafka_producer_repeated;
extern expert_field ei_kafka_producer_gap;
extern expert_field ei_kafka_producer_back;
extern expert_field ei_kafka_producer_epoch;
extern expert_field ei_kafka_producer_epoch_start;
extern expert_field ei_kafka_producer_fenced;
extern expert_field ei_kafka_producer_wrapped;

/* Learns from a Produce request whose PDU, with its length, begins at start; for the first pass. */
void kafka_producers_learn(packet_info *pinfo, struct kafka_exchange *exchange, const struct kafka_body *body,
                           size_t start);

/* Shows what there is to remark on a batch below tree, at item, which is its base sequence or stands for it. */
void kafka_producers_show(struct kafka_show *show, proto_tree *tree, proto_item *item, const struct kafka_batch *batch);

/* Registers fields and expert infos; once. */
void kafka_producers_register(int proto);

#endif
