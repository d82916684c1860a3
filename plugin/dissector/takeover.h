/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes Kafka's ports over from Wireshark's own dissector, or registers them where there is none. */
#ifndef KAFKA_DISSECTOR_TAKEOVER_H
#define KAFKA_DISSECTOR_TAKEOVER_H

/* Registers the dissectors and what makes Wireshark call them; once, in the handoff. */
void kafka_takeover_handoff(void);

#endif
