/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a message is, for people: "Fetch v11 Response". */
#ifndef KAFKA_DISSECTOR_TITLE_H
#define KAFKA_DISSECTOR_TITLE_H

#include "compat.h"

#include "text.h"

/* Puts the title of a message of that API and version, which may be ones that no release has; scope lives as long
 * as the text. */
void kafka_title_put(struct kafka_text *text, wmem_allocator_t *scope, int16_t api_key, int16_t version,
                     bool is_request);

#endif
