/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each version of Produce and Fetch may carry in its records. */
#ifndef KAFKA_WIRE_RECORD_RULES_H
#define KAFKA_WIRE_RECORD_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct kafka_record_rules {
    int16_t api_key;
    int16_t first_version;
    int16_t last_version;
    int8_t min_magic; /* a broker refuses what is below in Produce; a Fetch may hold any older magic */
    int8_t max_magic;
    bool may_have_zstd;
    bool has_one_batch; /* exactly one batch a partition */
};

/* Returns the rules for that version, or NULL for an API that has none: it carries magic 2 and any codec. */
const struct kafka_record_rules *kafka_record_rules_find(int16_t api_key, int16_t version);

#endif
