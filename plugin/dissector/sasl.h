/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows authentication: the tokens of SASL mechanisms, in SaslAuthenticate or bare, failures, and how long a session
 * lasts. Passwords, tokens' signatures and tokens that cannot be taken apart are masked unless a preference says
 * otherwise: neither value nor bytes of any item have them.
 */
#ifndef KAFKA_DISSECTOR_SASL_H
#define KAFKA_DISSECTOR_SASL_H

#include "message.h"

/* Registers fields and expert infos; once, after kafka_fields_register. */
void kafka_sasl_register(int proto);

/* Finds the dissectors that tokens are handed to; once, in the handoff. */
void kafka_sasl_handoff(void);

/*
 * Returns whether the PDU is handed to another dissector, which may have fields that somebody wants where nobody wants
 * any of ours.
 */
bool kafka_sasl_is_for_others(packet_info *pinfo, const struct kafka_pdu *pdu);

/* Shows a token whose item begins at offset, with a length, and whose bytes are value, of which fewer may be captured.
 */
void kafka_sasl_show(struct kafka_show *show, proto_tree *tree, size_t offset, const struct kafka_span *value);

/*
 * Returns whether bytes of the message that cannot be decoded must not be shown, for there may be a password among
 * them.
 */
bool kafka_sasl_hides_rest(const struct kafka_show *show);

/* What is to be said of a mechanism in a handshake, an error message, and the lifetime of a session; item may be NULL.
 */
void kafka_sasl_explain_mechanism(struct kafka_show *show, proto_item *item);
void kafka_sasl_explain_error(struct kafka_show *show, proto_item *item, struct kafka_span message);
void kafka_sasl_explain_lifetime(struct kafka_show *show, proto_item *item, const struct kafka_leaf *leaf);

#endif
