/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "delays.h"

#include <inttypes.h>

#include "expert.h"
#include "fields.h"
#include "message.h"
#include "state.h"
#include "values.h"

int hf_kafka_outstanding = -1;
int hf_kafka_fetch_waited = -1;
int hf_kafka_time_beyond_wait = -1;
static int hf_time_beyond_throttle = -1;
static int ett_time = -1;
static int ett_throttle = -1;
static expert_field ei_throttled = EI_INIT;

void kafka_delays_show_outstanding(struct kafka_show *show, uint32_t outstanding)
{
    if (kafka_is_wanted(show, hf_kafka_outstanding)) {
        proto_item_set_generated(proto_tree_add_uint(show->tree, hf_kafka_outstanding, show->tvb, 0, 0, outstanding));
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
    if (kafka_is_wanted(show, hf_kafka_fetch_waited)) {
        proto_item_set_generated(proto_tree_add_boolean(tree, hf_kafka_fetch_waited, show->tvb, 0, 0, waited));
    }
    if (waited && kafka_is_wanted(show, hf_kafka_time_beyond_wait)) {
        nstime_t beyond;
        nstime_delta(&beyond, elapsed, &wait);
        proto_item_set_generated(proto_tree_add_time(tree, hf_kafka_time_beyond_wait, show->tvb, 0, 0, &beyond));
    }
}

void kafka_delays_explain_throttle(struct kafka_show *show, proto_tree *tree, proto_item *item,
                                   const struct kafka_leaf *leaf)
{
    const struct kafka_exchange *exchange = show->pdu != NULL ? show->pdu->exchange : NULL;
    const char *when = "";
    nstime_t elapsed;

    if (leaf->integer <= 0) {
        return;
    }
    if (exchange != NULL) {
        /* From 2.0 on, brokers answer at once and read no further; those before held the response back. */
        nstime_t throttle = kafka_time_of(leaf->integer);
        nstime_delta(&elapsed, &show->pinfo->abs_ts, &exchange->request_time);
        bool was_held = nstime_cmp(&elapsed, &throttle) >= 0;
        when = was_held ? ", and may have held this response back" : ", from this response on";
        if (was_held && kafka_is_wanted(show, hf_time_beyond_throttle)) {
            nstime_t beyond;
            nstime_delta(&beyond, &elapsed, &throttle);
            tree = item != NULL ? proto_item_add_subtree(item, ett_throttle) : tree;
            proto_item_set_generated(proto_tree_add_time(tree, hf_time_beyond_throttle, show->tvb, (int)leaf->offset,
                                                         (int)leaf->length, &beyond));
        }
    }
    kafka_expert_add_format(show->pinfo, item != NULL ? item : show->item, &ei_throttled,
                            "The broker throttles this client for %" PRId64 " ms%s", leaf->integer, when);
}

void kafka_delays_register(int proto)
{
    const struct kafka_field_row fields[] = {
        {&hf_kafka_outstanding,
         {"Outstanding Requests", "kafka.outstanding", FT_UINT32, BASE_DEC, NULL, 0,
          "Requests of the connection that have no response yet behind this message", HFILL}},
        {&hf_kafka_fetch_waited,
         {"Waited for Data", "kafka.fetch_waited", FT_BOOLEAN, BASE_NONE, NULL, 0,
          "The response came no earlier than the request's max wait time", HFILL}},
        {&hf_kafka_time_beyond_wait,
         {"Time Beyond Max Wait", "kafka.time_beyond_wait", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
          "Time since the request, less what it may wait for data", HFILL}},
        {&hf_time_beyond_throttle,
         {"Time Beyond Throttling", "kafka.time_beyond_throttle", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
          "Time since the request, less that for which the client is throttled", HFILL}},
    };
    static int *etts[] = {&ett_time, &ett_throttle};
    static ei_register_info infos[] = {
        {&ei_throttled, {"kafka.throttled", PI_SEQUENCE, PI_NOTE, "The broker throttles the client", EXPFILL}},
    };

    kafka_register_rows(fields, array_length(fields));
    proto_register_subtree_array(etts, array_length(etts));
    expert_register_field_array(expert_register_protocol(proto), infos, array_length(infos));
}
