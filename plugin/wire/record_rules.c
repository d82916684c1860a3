/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record_rules.h"

#include <stddef.h>

static const struct kafka_record_rules rules[] = {
    /* api, first, last, min magic, max magic, zstd, one batch */
    {0, 0, 1, 0, 0, false, false},        /* Produce */
    {0, 2, 2, 1, 1, false, false},        /* Produce, KIP-32 */
    {0, 3, 6, 2, 2, false, true},         /* Produce, KIP-98 */
    {0, 7, INT16_MAX, 2, 2, true, true},  /* Produce, KIP-110 */
    {1, 0, 1, 0, 0, false, false},        /* Fetch */
    {1, 2, 3, 0, 1, false, false},        /* Fetch, KIP-32 */
    {1, 4, 9, 0, 2, false, false},        /* Fetch, KIP-98 */
    {1, 10, INT16_MAX, 0, 2, true, false} /* Fetch, KIP-110 */
};

const struct kafka_record_rules *kafka_record_rules_find(int16_t api_key, int16_t version)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].api_key == api_key && version >= rules[i].first_version && version <= rules[i].last_version) {
            return &rules[i];
        }
    }
    return NULL;
}
