/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preferences of the module "kafka", which is Wireshark's own dissector's where there is one. */
#ifndef KAFKA_DISSECTOR_PREFERENCES_H
#define KAFKA_DISSECTOR_PREFERENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers them; once, in the handoff. */
void kafka_preferences_register(void);

/* Whether Wireshark's own dissector shall do the work (kafka.use_builtin). */
bool kafka_prefers_builtin(void);

/* The longest request and response, in bytes without the length prefix (kafka.max_request_size,
 * kafka.max_response_size). */
uint32_t kafka_max_request_size(void);
uint32_t kafka_max_response_size(void);

/* How many fields one packet may show: kafka.max_items, but always less than Wireshark's own limit, gui.max_tree_items.
 */
uint32_t kafka_max_items(void);

/* How many fields the headers of a packet's further messages may bring it to: nearly Wireshark's own limit. */
uint32_t kafka_most_items(void);

/* Whether checksums are verified where somebody looks (kafka.verify_checksums). */
bool kafka_verifies_checksums(void);

/* Whether passwords and tokens are shown (kafka.show_passwords). */
bool kafka_shows_passwords(void);

/* How many records one packet may show (kafka.max_records). */
uint32_t kafka_max_records(void);

/* How many bytes one batch and one packet may unpack to (kafka.max_unpacked_batch, kafka.max_unpacked_packet). */
size_t kafka_max_unpacked_batch(void);
size_t kafka_max_unpacked_packet(void);

/* Returns whether TCP tells sequence numbers that are relative to the beginning of the stream. */
bool kafka_tcp_counts_from_zero(void);

#endif
