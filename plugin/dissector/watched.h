/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of fields of which somebody may have referenced one: asked for each message or record set, so what Wireshark
 * knows of a field is looked up only once.
 */
#ifndef KAFKA_DISSECTOR_WATCHED_H
#define KAFKA_DISSECTOR_WATCHED_H

#include "compat.h"

/* ids points to where the ids of count fields are; infos is NULL at first. */
struct kafka_watched {
    const int *const *ids;
    size_t count;
    const header_field_info **infos;
};

static inline void kafka_watched_find(struct kafka_watched *fields)
{
    if (fields->infos == NULL) {
        fields->infos = wmem_alloc_array(wmem_epan_scope(), const header_field_info *, fields->count);
        for (size_t i = 0; i < fields->count; i++) {
            fields->infos[i] = proto_registrar_get_nth((unsigned)*fields->ids[i]);
        }
    }
}

/* Returns whether a filter, a column or the like references one of them. */
bool kafka_any_referenced(struct kafka_watched *fields);

#endif
