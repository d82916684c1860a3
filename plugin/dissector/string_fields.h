/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings of messages as fields: as text that Wireshark shows in full, whatever their bytes are. */
#ifndef KAFKA_DISSECTOR_STRING_FIELDS_H
#define KAFKA_DISSECTOR_STRING_FIELDS_H

#include "message.h"

/*
 * Adds a string as field hf, its item from offset to the end of the text: as text where it is UTF-8, else with U+FFFD
 * for what is not, U+2400 for NUL, and expert infos for both; null as null. Returns the item.
 */
proto_item *kafka_add_string(struct kafka_show *show, proto_tree *tree, int hf, size_t offset, struct kafka_span value);

/* The same for an item of length bytes, without the mark of null; what is shown is stored in *text. */
proto_item *kafka_add_text(struct kafka_show *show, proto_tree *tree, int hf, size_t offset, size_t length,
                           struct kafka_span value, const char **text);

/* Returns the text to show for a string: that of kafka_add_string. */
const char *kafka_text_of(struct kafka_show *show, struct kafka_span value);

/* Returns whether a string has to be added although nobody wants it: what is wrong with it is wanted. */
bool kafka_is_bad_text(const struct kafka_show *show, struct kafka_span value);

/* Returns a copy of length bytes that ends with NUL; Wireshark's own goes byte by byte. */
const char *kafka_copy_text(wmem_allocator_t *scope, const void *bytes, size_t length);

#endif
