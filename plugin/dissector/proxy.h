/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header that a load balancer puts before the first byte of a connection (wire/proxy.h). */
#ifndef KAFKA_DISSECTOR_PROXY_H
#define KAFKA_DISSECTOR_PROXY_H

#include "compat.h"

#include "connection.h"

/* Returns the length of the PROXY header that the bytes begin with; 0 when they begin with none. */
size_t kafka_proxy_header_size(tvbuff_t *tvb);

/*
 * Shows the PROXY header before the connection's first message, if the bytes begin with one there. Returns its length,
 * else 0.
 */
size_t kafka_proxy_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/* Returns whether Wireshark's own dissector of the PROXY protocol handed the bytes on. */
bool kafka_proxy_handed_on(const packet_info *pinfo);

/* Finds that dissector; once, in the handoff. */
void kafka_proxy_handoff(void);

#endif
