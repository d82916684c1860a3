/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Responses whose request is not in the capture: what they are taken for, by the layouts that fit them and by what
 * their connection has shown. The first pass decides, later passes read it.
 */
#ifndef KAFKA_DISSECTOR_ASSUME_H
#define KAFKA_DISSECTOR_ASSUME_H

#include "connection.h"

#include "../wire/guess.h"

/* Guesses that are kept; with more than a few nobody is helped. */
#define KAFKA_MAX_GUESSES 16

struct kafka_assumption {
    uint64_t key;
    size_t count; /* of all that fit; the response is taken for the first when it is the only one */
    struct kafka_guess guesses[KAFKA_MAX_GUESSES];
};

/* The layouts that fit a frame to its last byte. */
struct kafka_fits {
    size_t begin; /* of the frame, behind its length, among the bytes at hand */
    size_t end;
    size_t count; /* of all that fit */
    struct kafka_guess guesses[KAFKA_MAX_GUESSES];
};

/*
 * Returns what fits the frame that begins at the cursor, behind its length, and ends at the limit. It is kept in *last,
 * which is NULL at first: the next call about the same frame of the same bytes only reads it.
 */
const struct kafka_fits *kafka_fits_find(struct kafka_fits **last, wmem_allocator_t *scope,
                                         const struct kafka_cursor *frame);

/* Decides about a response that these layouts fit; for the first pass. */
void kafka_assume(struct kafka_connection *connection, const struct kafka_pdu *pdu, const struct kafka_fits *fits);

/* Returns what the first pass made of the response, or NULL when nothing fits it. */
const struct kafka_assumption *kafka_assumption_of(packet_info *pinfo, const struct kafka_pdu *pdu);

/* Returns a guess in words, "Fetch v13–18". */
const char *kafka_guess_text(wmem_allocator_t *scope, const struct kafka_guess *guess);

/* Returns the guesses of an assumption in words, "Heartbeat v0, LeaveGroup v0 or one of 3 more". */
const char *kafka_assumption_text(wmem_allocator_t *scope, const struct kafka_assumption *assumption, size_t most);

#endif
