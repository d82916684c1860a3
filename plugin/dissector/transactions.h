/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transactions (KIP-98, KIP-890): the requests of one belong together by their transactional id, from InitProducerId or
 * the first behind the end of the one before up to EndTxn; the markers that brokers write for it, and that stand in the
 * log, by the producer id.
 */
#ifndef KAFKA_DISSECTOR_TRANSACTIONS_H
#define KAFKA_DISSECTOR_TRANSACTIONS_H

#include "connection.h"

#include "../wire/batch.h"
#include "../wire/places.h"

struct kafka_show;

/* The transactions that a request and its response belong to, in the order of the bytes. */
struct kafka_transaction_uses;

/* The control batches of a response that belong to transactions that are known. */
struct kafka_transaction_markers;

/* What filters may ask for, so that batches are looked at. */
extern int hf_kafka_transaction;
extern int hf_kafka_transaction_id;
extern int hf_kafka_transaction_init_frame;
extern int hf_kafka_transaction_first_frame;
extern int hf_kafka_transaction_end_frame;
extern int hf_kafka_transaction_outcome;
extern int hf_kafka_transaction_duration;

/*
 * Takes note of a Produce request of the transactional id; producer_id is −1 where none of its batches told that. For
 * the first pass.
 */
void kafka_transactions_take(const packet_info *pinfo, struct kafka_exchange *exchange, const char *id, size_t length,
                             int64_t producer_id, int16_t epoch);

/* Learns from requests that name a transactional id, and from WriteTxnMarkers; for the first pass. */
void kafka_transactions_learn_request(packet_info *pinfo, struct kafka_exchange *exchange,
                                      const struct kafka_body *body);

/* Learns from the responses of InitProducerId, EndTxn, and Produce in a transaction; for the first pass. */
void kafka_transactions_learn_init(packet_info *pinfo, struct kafka_exchange *exchange, const struct kafka_body *body);
void kafka_transactions_learn_end(packet_info *pinfo, struct kafka_exchange *exchange, const struct kafka_body *body);
void kafka_transactions_learn_produced(struct kafka_exchange *exchange, const struct kafka_body *body);

/*
 * Learns from a record set of a Fetch response whose PDU, with its length, begins at start: which transactions its
 * control batches end. For the first pass.
 */
void kafka_transactions_learn_fetched(const packet_info *pinfo, struct kafka_exchange *exchange, size_t start,
                                      const struct kafka_cursor *body, const struct kafka_place *place,
                                      const struct kafka_leaf *leaf);

/* Shows the transactions that the message belongs to, or the one that a control batch ends, below tree. */
void kafka_transactions_show(struct kafka_show *show, const struct kafka_transaction_uses *uses);
void kafka_transactions_show_marker(struct kafka_show *show, proto_tree *tree, const struct kafka_batch *batch);

/* Registers the fields; once. */
void kafka_transactions_register(void);

#endif
