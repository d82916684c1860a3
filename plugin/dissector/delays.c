/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "delays.h"

#include "fields.h"
#include "message.h"
#include "state.h"
#include "values.h"

static int hf_outstanding = -1;
static int hf_waited = -1;
static int hf_time_beyond_wait = -1;
static int ett_time = -1;

void kafka_delays_show_outstanding(struct kafka_show *show, uint32_t outstanding)
{
    if (kafka_is_wanted(show, hf_outstanding)) {
        proto_item_set_generated(proto_tree_add_uint(show->tree, hf_outstanding, show->tvb, 0, 0, outstanding));
    }
}

void kafka_delays_show_wait(struct kafka_show *show, proto_item *time_item, const struct kafka_exchange *exchange,
                            const nstime_t *elapsed)
{
    int32_t max_wait = exchange->state != NULL ? exchange->state->max_wait : 0;
    proto_tree *tree = time_item != NULL ? proto_item_add_subtree(time_item, ett_time) : show->tree;

    if (max_wait <= 0) {
        return;
    }
    nstime_t wait = kafka_time_of(max_wait);
    bool waited = nstime_cmp(elapsed, &wait) >= 0;
    if (kafka_is_wanted(show, hf_waited)) {
        proto_item_set_generated(proto_tree_add_boolean(tree, hf_waited, show->tvb, 0, 0, waited));
    }
    if (waited && kafka_is_wanted(show, hf_time_beyond_wait)) {
        nstime_t beyond;
        nstime_delta(&beyond, elapsed, &wait);
        proto_item_set_generated(proto_tree_add_time(tree, hf_time_beyond_wait, show->tvb, 0, 0, &beyond));
    }
}

void kafka_delays_register(void)
{
    const struct kafka_field_row fields[] = {
        {&hf_outstanding,
         {"Outstanding Requests", "kafka.outstanding", FT_UINT32, BASE_DEC, NULL, 0,
          "Requests of the connection that have no response yet behind this message", HFILL}},
        {&hf_waited,
         {"Waited for Data", "kafka.fetch_waited", FT_BOOLEAN, BASE_NONE, NULL, 0,
          "The response came no earlier than the request's max wait time", HFILL}},
        {&hf_time_beyond_wait,
         {"Time Beyond Max Wait", "kafka.time_beyond_wait", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
          "Time since the request, less what it may wait for data", HFILL}},
    };
    static int *etts[] = {&ett_time};

    kafka_register_rows(fields, array_length(fields));
    proto_register_subtree_array(etts, array_length(etts));
}
