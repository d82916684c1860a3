/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows one PDU: columns, header, and by way of message.h its body. */
#ifndef KAFKA_DISSECTOR_PDU_H
#define KAFKA_DISSECTOR_PDU_H

#include "connection.h"
#include "message.h"

struct kafka_forwarded;

/*
 * Shows the PDU that tvb holds, from its length prefix on; its reported length is the PDU's own, and less of it may be
 * captured. pdu is what the first pass decided about it; NULL where the first pass never saw it.
 */
void kafka_pdu_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct kafka_pdu *pdu, bool to_broker);

/*
 * Shows the message that stands in another one of the same kind, from the cursor to its limit; forwarded is the request
 * that a response answers. inner is what is shown of the message around it, with tree and item for what is inside.
 * Returns what that is, for people.
 */
const char *kafka_pdu_show_inner(const struct kafka_show *inner, const struct kafka_cursor *bytes,
                                 const struct kafka_forwarded *forwarded);

/* Begins, or goes on with, the columns of this frame: ours is the protocol, and text joins what stands in Info. */
void kafka_columns_add(packet_info *pinfo, const char *text);

/* Returns whether anybody wants fields below the protocol item, or expert infos, in this pass. */
bool kafka_wants_fields(const packet_info *pinfo, proto_tree *tree);

/* Returns whether anybody wants expert infos in this pass, whichever they are. */
bool kafka_wants_expert(const packet_info *pinfo, proto_tree *tree);

/* Returns whether somebody wants to know what error codes mean. */
bool kafka_wants_errors(const struct kafka_show *show);

/* Finds what kafka_wants_fields asks for; once, in the handoff. */
void kafka_pdu_handoff(void);

#endif
