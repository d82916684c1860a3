/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a response's time is made of: being throttled, waiting for data, the rest; and how many requests wait. */
#ifndef KAFKA_DISSECTOR_DELAYS_H
#define KAFKA_DISSECTOR_DELAYS_H

#include "connection.h"

#include "../wire/walk.h"

extern int hf_kafka_outstanding;
extern int hf_kafka_fetch_waited;
extern int hf_kafka_time_beyond_wait;

struct kafka_show;

/* Shows how many requests of the connection were without response behind the message. */
void kafka_delays_show_outstanding(struct kafka_show *show, uint32_t outstanding);

/* Shows, below the item of the time since the request, how a Fetch's time relates to what it may wait for data. */
void kafka_delays_show_wait(struct kafka_show *show, proto_item *time_item, const struct kafka_exchange *exchange,
                            const nstime_t *elapsed);

/*
 * Tells of a response that says for how long its client is throttled whether that is part of its time, below the item
 * of the leaf (or, where that is NULL, below tree).
 */
void kafka_delays_explain_throttle(struct kafka_show *show, proto_tree *tree, proto_item *item,
                                   const struct kafka_leaf *leaf);

/* Registers fields and expert infos; once. */
void kafka_delays_register(int proto);

#endif
