/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few values of a message without which later messages cannot be understood: what a group speaks, by which
 * mechanism a connection authenticates, what an Envelope holds.
 */
#ifndef KAFKA_WIRE_FACTS_H
#define KAFKA_WIRE_FACTS_H

#include "body.h"
#include "cursor.h"

/* Spans of what a message does not have, or has as null, are null. */
struct kafka_facts {
    struct kafka_span group_id;
    struct kafka_span protocol_type;
    struct kafka_span protocol_name;
    struct kafka_span sasl_mechanism;
    struct kafka_span sasl_bytes;       /* which may go beyond what was captured */
    struct kafka_span envelope_request; /* which may, too */
    bool has_error;                     /* the message has an error code of its own */
    int16_t error;
    int64_t session_lifetime; /* 0 where there is none */
};

/* Reads a body. What stands in arrays is left out; what is cut or malformed is not found. */
void kafka_facts_read(const struct kafka_body *body, struct kafka_facts *facts);

#endif
