/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transactions (KIP-98): the requests of one belong together by their transactional id, from the first behind the end
 * of the one before up to EndTxn; the markers that brokers write for it, by the producer id.
 */
#ifndef KAFKA_DISSECTOR_TRANSACTIONS_H
#define KAFKA_DISSECTOR_TRANSACTIONS_H

#include "connection.h"

#include "../wire/body.h"

struct kafka_show;
struct kafka_transaction;

/* Takes note of a request of the transactional id, other than the two that begin a producer and end a transaction. */
void kafka_transactions_take(const packet_info *pinfo, struct kafka_exchange *exchange, const char *id, size_t length);

/* Learns from requests that name a transactional id, and from WriteTxnMarkers; for the first pass. */
void kafka_transactions_learn_request(packet_info *pinfo, struct kafka_exchange *exchange,
                                      const struct kafka_body *body);

/* Learns from the response of EndTxn; for the first pass. */
void kafka_transactions_learn_end(packet_info *pinfo, struct kafka_exchange *exchange, const struct kafka_body *body);

/* Shows the transaction that the message belongs to. */
void kafka_transactions_show(struct kafka_show *show, const struct kafka_transaction *transaction);

/* Registers the fields; once. */
void kafka_transactions_register(void);

#endif
