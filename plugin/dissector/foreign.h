/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other protocols on Kafka's ports: named, and TLS handed to Wireshark's dissector. */
#ifndef KAFKA_DISSECTOR_FOREIGN_H
#define KAFKA_DISSECTOR_FOREIGN_H

#include "compat.h"

/* Returns the name of the protocol that the bytes plainly are of, or NULL. */
const char *kafka_foreign_protocol(const uint8_t *bytes, size_t length);

/*
 * Hands bytes that are a TLS record, at the start of a connection that was not seen to speak Kafka, to Wireshark's TLS
 * dissector, and takes what it decrypts; that dissector is given the connection from frame first_frame on. Returns what
 * it returned, 0 when the bytes are not TLS.
 */
int kafka_hand_to_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, uint32_t first_frame);

/* Finds the TLS dissector; stream is the handle for what it decrypts. Once, in the handoff. */
void kafka_foreign_handoff(dissector_handle_t stream);

#endif
