/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A transaction, and what is known of its transactional id: for transactions.c, which follows the requests, and
 * transaction_log.c, which follows what the log has of it. All of it lasts as long as the capture is open.
 */
#ifndef KAFKA_DISSECTOR_TRANSACTION_H
#define KAFKA_DISSECTOR_TRANSACTION_H

#include "connection.h"

struct kafka_show;

struct kafka_transaction {
    struct kafka_transaction_history *history;
    int64_t producer_id;   /* −1 while it is not known */
    int16_t epoch;         /* of the producer */
    int16_t marker_epoch;  /* that its markers have, once it has ended */
    bool is_only_of_epoch; /* no other transaction of the producer has markers of that epoch */
    bool is_committed;
    bool is_refused;          /* the broker did not end it as EndTxn asked */
    bool is_ended_for_client; /* by the coordinator, or as a new producer began */
    uint32_t init_frame;      /* InitProducerId from which its producer has its epoch; 0 where none was seen */
    uint32_t first_frame;     /* 0 as long as only InitProducerId was seen */
    nstime_t first_time;
    uint32_t end_frame;    /* of the first message that ends it; 0 while none was seen */
    uint32_t answer_frame; /* in which the end was confirmed */
    nstime_t duration;     /* until then */
    uint32_t known_frame;  /* from which the outcome is known */
};

/* What is known of a transactional id. */
struct kafka_transaction_history {
    const char *id;                 /* as it is shown */
    bool is_plain;                  /* short, and without control characters */
    struct kafka_transaction *last; /* under way, or ended when is_over */
    struct kafka_transaction *ended;
    struct kafka_transaction *aborted;  /* the last one that a broker ended by itself */
    struct kafka_transaction *to_abort; /* under way when InitProducerId came that has no response yet */
    bool is_over;
};

/* Returns what is known of the producer id, or NULL. */
struct kafka_transaction_history *kafka_transaction_history_of(int64_t producer_id);

/* Returns whether the transactional id of any producer is known. */
bool kafka_transaction_any_producer(void);

/* Returns the transaction of an exchange that has only one, or NULL. */
struct kafka_transaction *kafka_transaction_used_by(const struct kafka_exchange *exchange);

/* Takes note that the message in this packet ends the transaction. */
void kafka_transaction_end_at(struct kafka_transaction *transaction, const packet_info *pinfo, bool is_committed);

/* Shows the transaction below tree. */
void kafka_transaction_show_one(struct kafka_show *show, proto_tree *tree, const struct kafka_transaction *transaction);

/* Makes the table of what the log has; once. */
void kafka_transaction_log_register(void);

#endif
