/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the first pass learns from messages, in the order of the capture and without a tree: names of topics, sessions,
 * sequences, high watermarks. What concerns one message is kept with its exchange, so that every pass shows the same.
 */
#ifndef KAFKA_DISSECTOR_STATE_H
#define KAFKA_DISSECTOR_STATE_H

#include "connection.h"

struct kafka_fetch_asked;
struct kafka_fetch_lags;
struct kafka_session_use;
struct kafka_batch_remarks;
struct kafka_commit_lags;
struct kafka_forwarded;
struct kafka_group_use;
struct kafka_transaction_markers;
struct kafka_transaction_uses;

/* What was learned of a request and its response; it lasts as long as the capture is open. */
struct kafka_state {
    struct kafka_session_use *session;           /* the Fetch or share session, or NULL */
    struct kafka_fetch_asked *asked;             /* of a Fetch request without session, until its response, or NULL */
    struct kafka_fetch_lags *lags;               /* of a Fetch response: of partitions of which it returns nothing */
    struct kafka_batch_remarks *batches;         /* of a Produce request: those that do not follow the one before */
    struct kafka_commit_lags *commits;           /* of a request that commits offsets, or NULL */
    struct kafka_transaction_uses *transactions; /* that the request belongs to, or NULL */
    struct kafka_transaction_markers *markers;   /* of a Fetch response, or NULL */
    struct kafka_group_use *group;               /* of a message about a group (groups.h), or NULL */
    struct kafka_forwarded *forwarded;           /* of an Envelope: the request in it (nested.h), or NULL */
    int32_t max_wait; /* of a Fetch request: milliseconds that the broker may wait for data */
};

/* Returns the exchange's state, which is made when there is none. */
struct kafka_state *kafka_state_of(struct kafka_exchange *exchange);

/* Compares structures that begin with the offset of a batch in the PDU, or such an offset, as bsearch wants it. */
int kafka_compare_offsets(const void *a, const void *b);

/* Learns from the PDU, which begins at the cursor behind its length; for the first pass, before the PDU is shown. */
void kafka_state_learn(struct kafka_connection *connection, packet_info *pinfo, struct kafka_pdu *pdu,
                       const struct kafka_cursor *frame);

/* Registers what the modules have to show; once, after the fields of the schema. */
void kafka_state_register(int proto);

#endif
