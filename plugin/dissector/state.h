/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the first pass learns from messages, in the order of the capture and without a tree: names of topics, sessions,
 * sequences. Each module keeps what it learned; later passes read it.
 */
#ifndef KAFKA_DISSECTOR_STATE_H
#define KAFKA_DISSECTOR_STATE_H

#include "connection.h"

/* Learns from the PDU, which begins at the cursor behind its length; for the first pass, before the PDU is shown. */
void kafka_state_learn(struct kafka_connection *connection, packet_info *pinfo, struct kafka_pdu *pdu,
                       const struct kafka_cursor *frame);

/* Finds which messages are worth a look; once, in the handoff. */
void kafka_state_handoff(void);

#endif
