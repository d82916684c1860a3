/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is remembered of a connection: who the client is, which requests wait for a response, and what the first pass
 * decided about each PDU. The first pass stores, later passes read; everything lives as long as the capture is open
 * (wmem_file_scope).
 */
#ifndef KAFKA_DISSECTOR_CONNECTION_H
#define KAFKA_DISSECTOR_CONNECTION_H

#include "compat.h"

#include <epan/conversation.h>

#include "../wire/cursor.h"

/* A request and its response. */
struct kafka_exchange {
    int16_t api_key;
    int16_t api_version;
    int32_t correlation_id;
    bool expects_response; /* not for Produce with acks=0 */
    uint32_t request_frame;
    uint32_t response_frame;             /* 0 as long as none was seen */
    uint32_t number;                     /* among the connection's requests that expect a response */
    uint32_t outstanding_behind_request; /* requests of the connection that had no response then */
    uint32_t outstanding_behind_response;
    nstime_t request_time;
    struct kafka_exchange *next; /* of the same correlation id, in the order of the requests */
    struct kafka_exchange *last; /* of the queue that this one heads */
    struct kafka_state *state;   /* what else the first pass learned (state.h), or NULL */
};

enum kafka_pdu_kind {
    KAFKA_PDU_REQUEST,
    KAFKA_PDU_RESPONSE,
    KAFKA_PDU_SASL_TOKEN,
    KAFKA_PDU_BEGINNING,  /* less of a PDU than its length, and no more to come */
    KAFKA_PDU_SKIP,       /* not a PDU: bytes of an earlier one, or of one whose beginning is lost */
    KAFKA_PDU_BAD_LENGTH, /* a length that cannot be, and what is behind it */
};

/* What the first pass decided about one PDU, or about other bytes. */
struct kafka_pdu {
    struct kafka_exchange *exchange; /* NULL for a response without request */
    uint32_t frame;
    uint32_t key;            /* sequence number of its first byte, or its number within the frame (locate.c) */
    uint32_t size;           /* bytes that it takes */
    uint32_t authentication; /* the number of the authentication that it belongs to, from 1, or 0 */
    enum kafka_pdu_kind kind;
};

/*
 * Where a frame was to begin or to go on when bytes behind it came. From 4.6 on, Wireshark's TCP brings a frame that it
 * had begun to reassemble even so, once the missing bytes come.
 */
struct kafka_gap {
    bool is_open;
    uint32_t begin; /* sequence number of the frame's first byte, or of bytes in which none was found yet */
    uint32_t end;   /* and of the first byte that came behind it */
    bool in_step;   /* this and the next as the direction's */
    bool proven;
    struct kafka_exchange *announced;
};

/* How many gaps are remembered at a time. */
#define KAFKA_GAPS 4

/* One direction of a connection; used in the first pass only. */
struct kafka_direction {
    bool in_step;    /* next is known */
    bool proven;     /* and not by bytes alone that look like a message */
    bool doubted;    /* next is what a length says that contradicts its message */
    bool awaits_end; /* the frame that began at next ends at end, and has not arrived whole */
    uint32_t next;   /* sequence number at which the next frame begins */
    uint32_t end;
    uint32_t asked_at;                /* where the bytes begin that more was asked for, */
    uint32_t asked;                   /* and how many there were; 0 when none was */
    bool asked_at_start;              /* and something else than they themselves lets a message begin there */
    unsigned looks;                   /* how often one more segment was asked for of many bytes (locate.c) */
    struct kafka_exchange *announced; /* of the request whose first bytes came and whose rest is awaited */
    uint32_t announced_at;            /* where that one begins */
    struct kafka_gap gaps[KAFKA_GAPS];
    uint32_t gap_count; /* how many there were; the next one takes the place of the oldest */
};

struct kafka_authentications;

/* The first part has room for so many PDUs, and each other one for twice as many as the one before. */
#define KAFKA_FIRST_PDUS 16
#define KAFKA_PDU_PARTS  29

struct kafka_connection {
    const struct tcp_analysis *tcp; /* what Wireshark's TCP knows of it; NULL before it was asked for */
    uint32_t first_frame;           /* the first in which bytes were taken for Kafka's; 0 while none were */
    bool client_known;              /* by TCP's handshake, or by a message that can only be a request */
    uint32_t client_frame;          /* from this frame on */
    uint16_t client_port;
    address client_address;
    uint32_t proxy_size; /* of a PROXY header before the client's first message */
    bool sasl_asked;     /* the client's last request was SaslHandshake version 0, and no response came */
    bool sasl_tokens;    /* SaslHandshake version 0 was answered: tokens without header follow (KIP-43, KIP-152) */
    struct kafka_authentications *authentications; /* authentications.c's, or NULL */
    wmem_map_t *groups;                            /* group id → struct kafka_group (groups.h), or NULL */
    struct kafka_direction directions[2];          /* to the client, to the broker */
    /* In the order of the frames. A capture has many, so without list or map, and without copying them to make room. */
    struct kafka_pdu *pdus[KAFKA_PDU_PARTS];
    uint32_t pdu_count;
    wmem_map_t *outstanding; /* correlation id → head of a queue of exchanges */
    uint32_t asked;          /* requests so far that expect a response */
    uint32_t answered;       /* of these, the last one that got it: brokers answer in order */
    uint32_t *versions;      /* by API key: bit n stands for a request of version n; NULL before the first one */
    wmem_map_t *assumptions; /* of responses whose request is not there (assume.h); NULL when there are none */
    struct kafka_sessions *sessions; /* sessions.c's, or NULL */
};

/* Returns the connection that the packet belongs to; it is made when there is none. */
struct kafka_connection *kafka_connection_get(packet_info *pinfo);

/*
 * Returns whether the packet goes from the client to the broker. Until it is known, the port by which the packet came
 * to us is taken for the broker's.
 */
bool kafka_connection_to_broker(const struct kafka_connection *connection, const packet_info *pinfo);

/* Takes note that the packet's sender is the client (or, with to_broker false, the broker). */
void kafka_connection_set_client(struct kafka_connection *connection, const packet_info *pinfo, bool to_broker);

/* Adds a request that begins at the cursor, behind its length; for the first pass. NULL when its header is not there.
 */
struct kafka_exchange *kafka_connection_add_request(struct kafka_connection *connection, const packet_info *pinfo,
                                                    const struct kafka_cursor *cursor);

/*
 * Takes note that a request that was added when its first bytes came is whole with this packet, from which times count,
 * and which shows whether it expects a response.
 */
void kafka_connection_complete_request(struct kafka_connection *connection, struct kafka_exchange *exchange,
                                       const packet_info *pinfo, const struct kafka_cursor *cursor);

/* Returns the versions of the API in which requests were sent: bit n stands for version n. */
uint32_t kafka_connection_versions(const struct kafka_connection *connection, int16_t api_key);

/* Returns the oldest request with that correlation id that has no response, or NULL; it stays where it is. */
struct kafka_exchange *kafka_connection_peek(const struct kafka_connection *connection, int32_t correlation_id);

/* Pairs the oldest request with that correlation id with a response in this packet; NULL when there is none. */
struct kafka_exchange *kafka_connection_take(struct kafka_connection *connection, const packet_info *pinfo,
                                             int32_t correlation_id);

/* Stores what was decided about a PDU in this frame; for the first pass. */
struct kafka_pdu *kafka_pdu_store(struct kafka_connection *connection, packet_info *pinfo, enum kafka_pdu_kind kind,
                                  uint32_t key);

/* Returns what the first pass decided about the bytes of this frame with that key; NULL when nothing. */
struct kafka_pdu *kafka_pdu_find(const struct kafka_connection *connection, packet_info *pinfo, uint32_t key);

/* What the record sets of a frame have used up in this pass; see preferences.h for the limits. */
struct kafka_frame_budget {
    uint32_t records;  /* shown */
    uint32_t left_out; /* and not shown */
    size_t unpacked;   /* bytes */
    size_t searched;   /* bytes, for batches behind broken ones */
    uint32_t experts;  /* expert infos that were told, see expert.h */
    bool experts_told; /* that further ones are left out was told */
    bool is_full;      /* that there is no room for further items was told */
};
struct kafka_frame_budget *kafka_frame_budget(packet_info *pinfo);

/* Returns how many PDUs of this frame were shown before in this pass, and counts one more. */
uint32_t kafka_frame_count_pdu(packet_info *pinfo);
uint32_t kafka_frame_pdus(packet_info *pinfo);

#endif
