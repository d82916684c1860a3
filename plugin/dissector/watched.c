/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "watched.h"

_Static_assert(HF_REF_TYPE_NONE == 0, "a field that nobody references adds nothing");

/*
 * Each field's row is in a line of memory of its own, and nearly always none is referenced: all are read without asking
 * in between, so that the processor need not wait for one before the next.
 */
bool kafka_any_referenced(struct kafka_watched *fields)
{
    unsigned referenced = 0;

    kafka_watched_find(fields);
    for (const header_field_info *const *info = fields->infos, *const *end = info + fields->count; info < end; info++) {
        referenced |= (unsigned)(*info)->ref_type;
    }
    return referenced != 0;
}
