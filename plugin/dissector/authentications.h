/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a connection authenticates: the handshake tells the mechanism, and the tokens that follow belong to it (KIP-43,
 * KIP-152, KIP-368). All of it lasts as long as the capture is open.
 */
#ifndef KAFKA_DISSECTOR_AUTHENTICATIONS_H
#define KAFKA_DISSECTOR_AUTHENTICATIONS_H

#include "../wire/body.h"
#include "../wire/sasl.h"
#include "connection.h"

/* A handshake and its tokens, or tokens without one. */
struct kafka_authentication {
    const char *mechanism;                     /* NULL when no handshake told */
    enum kafka_sasl_family family;             /* by the mechanism, or, without one, by what the client sent */
    uint32_t done_frame;                       /* in which the broker accepted it; 0 when it did not */
    const struct kafka_authentication *before; /* the one that the broker accepted last, or NULL */
};

/*
 * Learns from a message of SASL, or from a bare token, which begins at the cursor; body is the message's, NULL where it
 * is not known and for a token. For the first pass.
 */
void kafka_authentications_learn(struct kafka_connection *connection, const packet_info *pinfo, struct kafka_pdu *pdu,
                                 const struct kafka_cursor *frame, const struct kafka_body *body);

/* Takes note that tokens of GSSAPI begin without a handshake, as clients of Kafka 0.9 send them. */
void kafka_authentications_begin_gssapi(struct kafka_connection *connection);

/* Returns the authentication that the PDU belongs to, or NULL. */
const struct kafka_authentication *kafka_authentication_of(const struct kafka_connection *connection,
                                                           const struct kafka_pdu *pdu);

#endif
