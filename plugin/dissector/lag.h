/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far consumers are behind: of what a Fetch response returns, and of what is committed (high watermark seen last).
 */
#ifndef KAFKA_DISSECTOR_LAG_H
#define KAFKA_DISSECTOR_LAG_H

#include "connection.h"

#include "../wire/body.h"
#include "../wire/places.h"

struct kafka_show;

/* What the first pass found for the offsets of one commit, in their order. */
struct kafka_commit_lags;

/* And for the partitions of which a Fetch response returns nothing. */
struct kafka_fetch_lags;

/* How far a walk that is being shown is. */
struct kafka_lag_walk {
    bool has_high_watermark;
    int64_t high_watermark; /* of the partition at hand of a Fetch response */
    uint32_t commits;       /* committed offsets so far */
};

/* What a Fetch response says about itself. */
struct kafka_fetch_outcome {
    int16_t error;
    int32_t session_id;
};

/* Learns from a Fetch response whose PDU, with its length, begins at start, and from a request that commits offsets;
 * for the first pass. */
struct kafka_fetch_outcome kafka_lag_learn_fetch(packet_info *pinfo, struct kafka_exchange *exchange,
                                                 const struct kafka_body *body, size_t start);
void kafka_lag_learn_commit(packet_info *pinfo, struct kafka_exchange *exchange, const struct kafka_body *body);

/* Returns whether kafka_lag_show_offset has a use for the values of a field that holds an offset. */
bool kafka_lag_uses(const struct kafka_show *show, const struct kafka_field *field);

/* Shows the lag that an offset makes, below its item (or, where that is NULL, below tree). */
void kafka_lag_show_offset(struct kafka_lag_walk *walk, struct kafka_show *show, proto_tree *tree, proto_item *item,
                           const struct kafka_leaf *leaf);

/* Shows the lag behind the records of a Fetch response, below tree; records that are null have none to show. */
void kafka_lag_show_records(const struct kafka_lag_walk *walk, struct kafka_show *show, proto_tree *tree,
                            const struct kafka_leaf *leaf);

/* Registers the fields; once. */
void kafka_lag_register(void);

#endif
