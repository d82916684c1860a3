/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of fields of which somebody may have referenced one: asked for each message or record set, so what Wireshark
 * knows of a field is looked up only once.
 */
#ifndef KAFKA_DISSECTOR_WATCHED_H
#define KAFKA_DISSECTOR_WATCHED_H

#include "compat.h"

/* ids points to where the ids of count fields are; infos is NULL until it is asked for the first time. */
struct kafka_watched {
    const int *const *ids;
    size_t count;
    const header_field_info **infos;
};

/* Returns whether a filter, a column or the like references one of them; infos is there then. */
bool kafka_any_referenced(struct kafka_watched *fields);

#endif
