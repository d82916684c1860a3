/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The epochs by which Fetch and share sessions count their requests (KIP-227, KIP-932). */
#ifndef KAFKA_WIRE_SESSION_H
#define KAFKA_WIRE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#define KAFKA_SESSION_EPOCH_FIRST 0    /* opens a session: every partition is listed */
#define KAFKA_SESSION_EPOCH_FINAL (-1) /* ends one, or asks for none */

/* Errors by which a broker says that it does not have the session as the client does. */
#define KAFKA_ERROR_FETCH_SESSION_ID_NOT_FOUND  70
#define KAFKA_ERROR_INVALID_FETCH_SESSION_EPOCH 71
#define KAFKA_ERROR_SHARE_SESSION_NOT_FOUND     122
#define KAFKA_ERROR_INVALID_SHARE_SESSION_EPOCH 123

/* Returns whether a request of that epoch changes a session that is there: neither the first nor the last of one. */
static inline bool kafka_session_is_incremental(int32_t epoch)
{
    return epoch > KAFKA_SESSION_EPOCH_FIRST;
}

/* Returns the epoch of the request after one of that epoch: after the greatest comes 1, for 0 would open a session. */
static inline int32_t kafka_session_next_epoch(int32_t epoch)
{
    return epoch == INT32_MAX || epoch < 0 ? 1 : epoch + 1;
}

/* Returns whether the broker's error means that there is no such session any more. */
static inline bool kafka_session_is_lost(int16_t error)
{
    return error == KAFKA_ERROR_FETCH_SESSION_ID_NOT_FOUND || error == KAFKA_ERROR_INVALID_FETCH_SESSION_EPOCH ||
           error == KAFKA_ERROR_SHARE_SESSION_NOT_FOUND || error == KAFKA_ERROR_INVALID_SHARE_SESSION_EPOCH;
}

#endif
