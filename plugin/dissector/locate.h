/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where messages begin in the bytes that TCP brings. As a rule each one begins where the one before ended. Where a
 * capture begins in the middle of a connection, or lost packets, nobody says where; then the bytes have to.
 *
 * Only the first pass decides; later passes read what it stored.
 */
#ifndef KAFKA_DISSECTOR_LOCATE_H
#define KAFKA_DISSECTOR_LOCATE_H

#include "connection.h"

/* One call by TCP or TLS: some bytes of one direction. */
struct kafka_call {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    struct kafka_connection *connection;
    struct kafka_direction *direction; /* in the first pass */
    const uint8_t *data;
    size_t length;   /* of the bytes that were sent */
    size_t captured; /* of those, in the capture */
    bool has_sequence;
    uint32_t sequence; /* number of the first byte */
    bool to_broker;
    bool first_pass;
    /* In the first pass, for locate.c alone. */
    bool begins_segment;          /* its first byte is that of a segment, or of a message that was found before */
    struct kafka_gap *gap;        /* that bytes which came late fill, or NULL */
    struct kafka_direction *late; /* is the direction then: what it is at itself came behind the gap */
    size_t kept;                  /* bytes at its beginning that an earlier call had, and asked for more */
    size_t begins_at;             /* where what is known of the direction says that its next message begins, else 0 */
    size_t waits_at;              /* where more has to be asked for, else its length */
    unsigned tries;               /* see MAX_TRIES */
    struct kafka_fits *fits;      /* what was found out last about a response without request (assume.h), or NULL */
};

enum kafka_place_kind {
    KAFKA_PLACE_FRAME,      /* a message; of one that goes on behind the call, no more is to come */
    KAFKA_PLACE_SKIP,       /* bytes of an earlier message, or of one whose beginning is lost */
    KAFKA_PLACE_STUB,       /* less of a message than its header, and no more to come */
    KAFKA_PLACE_BAD_LENGTH, /* a length that cannot be, and what is behind it */
    KAFKA_PLACE_WAIT,       /* a message that is not whole: TCP has to bring more */
};

/* What stands at an offset of a call. */
struct kafka_place {
    enum kafka_place_kind kind;
    size_t size;                 /* bytes that it takes; a message's own size, which may go beyond the call */
    uint32_t wanted;             /* of KAFKA_PLACE_WAIT: bytes to ask for, or DESEGMENT_ONE_MORE_SEGMENT */
    const struct kafka_pdu *pdu; /* of KAFKA_PLACE_FRAME in later passes */
};

/* Returns the largest length of a message in that direction. */
uint32_t kafka_size_limit(bool to_broker);

/* The frame at offset, as far as it is there: behind its length, up to its end. */
struct kafka_cursor kafka_frame_at(const struct kafka_call *call, size_t offset, int32_t length);

/* Finds out who the client is, as far as that is known by now, and sets call->to_broker and call->direction. */
void kafka_locate_client(struct kafka_call *call);

/*
 * Begins a call: what is known of the direction tells where its first message begins. Returns whether the bytes are
 * Kafka's: on a connection that was not seen to speak Kafka they are when a message begins in them.
 */
bool kafka_locate_begin(struct kafka_call *call);

/* Returns what stands at offset, which is to be shown before the next call. */
struct kafka_place kafka_locate(struct kafka_call *call, size_t offset);

/* Ends a call of the first pass at offset, where more was asked for, or at its length. */
void kafka_locate_end(struct kafka_call *call, size_t offset);

/* Stores for later passes what takes size bytes at offset; kafka_locate stores what is not a message itself. */
struct kafka_pdu *kafka_locate_store(const struct kafka_call *call, size_t offset, enum kafka_pdu_kind kind,
                                     size_t size);

#endif
