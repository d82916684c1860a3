/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fetch sessions (KIP-227) and share sessions (KIP-932): a request that goes on with one lists only what changes, so
 * that what it asks for is known from the requests before it.
 */
#ifndef KAFKA_DISSECTOR_SESSIONS_H
#define KAFKA_DISSECTOR_SESSIONS_H

#include "connection.h"

#include "../wire/body.h"
#include "../wire/places.h"

struct kafka_show;

/* What a session was when an exchange used it; lasts as long as the capture is open. */
struct kafka_session_use;

/* What a request without session asks for. */
struct kafka_fetch_asked;

/* Learns from a request, and from the error and session id (0 for none) of a response; for the first pass. */
void kafka_sessions_learn_request(struct kafka_connection *connection, packet_info *pinfo,
                                  struct kafka_exchange *exchange, const struct kafka_body *body);
void kafka_sessions_learn_response(struct kafka_connection *connection, struct kafka_exchange *exchange, int16_t error,
                                   int32_t session_id);

/* Returns the error of a share session's response, which kafka_sessions_learn_response then takes. */
int16_t kafka_sessions_share_error(const struct kafka_body *body);

/*
 * Finds the offset that the request asked for in the partition of its response; false where that is not known. For the
 * first pass, up to kafka_sessions_forget_asked.
 */
bool kafka_sessions_fetch_offset(const struct kafka_exchange *exchange, const struct kafka_place *place,
                                 int64_t *offset);
void kafka_sessions_forget_asked(struct kafka_exchange *exchange);

/*
 * Shows of a partition of a response, whose number is the leaf, since when the session holds it: below the leaf's item,
 * or, where that is NULL, below tree.
 */
void kafka_sessions_show_partition(struct kafka_show *show, proto_tree *tree, proto_item *item,
                                   const struct kafka_topic_ref *topic, const struct kafka_leaf *leaf);

/* Shows the session that the exchange used, with the partitions that it held then. */
void kafka_sessions_show(struct kafka_show *show, const struct kafka_session_use *use);

/* Registers fields and expert infos; once. */
void kafka_sessions_register(int proto);

#endif
