/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "watched.h"

_Static_assert(HF_REF_TYPE_NONE == 0, "a field that nobody references adds nothing");

static void find_infos(struct kafka_watched *fields)
{
    fields->infos = wmem_alloc_array(wmem_epan_scope(), const header_field_info *, fields->count);
    for (size_t i = 0; i < fields->count; i++) {
        fields->infos[i] = proto_registrar_get_nth((unsigned)*fields->ids[i]);
    }
}

/*
 * Each field's row is in a line of memory of its own, and nearly always none is referenced: all are read without asking
 * in between, so that the processor need not wait for one before the next.
 */
bool kafka_any_referenced(struct kafka_watched *fields)
{
    unsigned referenced = 0;

    if (fields->infos == NULL) {
        find_infos(fields);
    }
    for (const header_field_info *const *info = fields->infos, *const *end = info + fields->count; info < end; info++) {
        referenced |= (unsigned)(*info)->ref_type;
    }
    return referenced != 0;
}
