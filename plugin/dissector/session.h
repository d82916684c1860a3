/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the first pass keeps of the messages that say how later ones are to be read: by which mechanism a connection
 * authenticates, what a group speaks, which request an Envelope holds. All of it lives as long as the capture is open
 * (wmem_file_scope), and is the same in later passes.
 */
#ifndef KAFKA_DISSECTOR_SESSION_H
#define KAFKA_DISSECTOR_SESSION_H

#include "../wire/sasl.h"
#include "connection.h"

/* One authentication of a connection: a handshake and the tokens that follow it (KIP-43, KIP-152, KIP-368). */
struct kafka_authentication {
    const char *mechanism;         /* NULL when no handshake told */
    enum kafka_sasl_family family; /* by the mechanism, or, without one, by what the client sent */
    uint32_t frame;                /* in which it began */
    uint32_t done_frame;           /* in which the broker accepted it; 0 when it did not */
    int64_t session_lifetime;
    const struct kafka_authentication *before; /* the one that the broker accepted last, or NULL */
};

/* What is known of a group. */
struct kafka_group {
    const char *type; /* NULL where it is not known */
    const char *name;
};

/* What a response or a later pass needs of a request. */
struct kafka_contents {
    const char *group_id;            /* NULL where the message is not about a group */
    const struct kafka_group *group; /* NULL where nothing is known of it */
    bool has_inner;                  /* of an Envelope: what request it holds */
    int16_t inner_key;
    int16_t inner_version;
};

/* Keeps what a PDU tells whose frame begins at the cursor, behind its length; for the first pass. */
void kafka_session_note(struct kafka_connection *connection, const packet_info *pinfo, struct kafka_pdu *pdu,
                        const struct kafka_cursor *frame);

/*
 * Takes note that tokens of GSSAPI begin without a handshake, as clients of Kafka 0.9 send them; for the first pass.
 */
void kafka_session_begin_gssapi(struct kafka_connection *connection, const packet_info *pinfo);

/* Returns the authentication that the PDU belongs to, or NULL. */
const struct kafka_authentication *kafka_session_authentication(const struct kafka_connection *connection,
                                                                const struct kafka_pdu *pdu);

/* Returns what was kept of an exchange, or NULL. */
const struct kafka_contents *kafka_session_contents(const struct kafka_connection *connection,
                                                    const struct kafka_exchange *exchange);

#endif
