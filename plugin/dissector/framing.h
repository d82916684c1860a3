/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Splits a byte stream into PDUs by their length prefix: what Wireshark calls with the bytes of a connection. */
#ifndef KAFKA_DISSECTOR_FRAMING_H
#define KAFKA_DISSECTOR_FRAMING_H

#include "compat.h"

/* Dissector for the payload of TCP; data is TCP's struct tcpinfo, or NULL for callers that have none. */
int kafka_dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

/* Dissector for what TLS decrypted, and for other callers without sequence numbers. */
int kafka_dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

#endif
