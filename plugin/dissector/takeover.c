/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wireshark has no call to take a dissector away, and lists each that is registered for a port: two of the name "kafka"
 * make every "-d tcp.port==N,kafka" warn of an ambiguity. So its own stays registered, and what stands in the tables
 * for it is changed to ours each time a file is opened or dissected anew: by then preferences, -d and Decode As have
 * written their entries.
 */
#include "compat.h"

#include "takeover.h"

#include "fields.h"
#include "foreign.h"
#include "framing.h"
#include "heuristics.h"
#include "preferences.h"
#include "proxy.h"

#define DEFAULT_PORT "9092"

static dissector_handle_t builtin_handle;
static dissector_handle_t tcp_handle;
static dissector_handle_t stream_handle;

/* The entries of a table that have a handle. */
struct search {
    dissector_handle_t handle;
    GArray *ports;
};

static void collect(const char *table _U_, ftenum_t type _U_, void *key, void *value, void *context)
{
    struct search *search = context;
    unsigned port = GPOINTER_TO_UINT(key);

    if (dtbl_entry_get_handle(value) == search->handle) {
        g_array_append_val(search->ports, port);
    }
}

/* Gives every entry of the table that has the handle from to the handle to. */
static void change_entries(const char *table, dissector_handle_t from, dissector_handle_t to)
{
    struct search search = {.handle = from, .ports = g_array_new(FALSE, FALSE, sizeof(unsigned))};

    /* The table must not change while it is gone over. */
    dissector_table_foreach(table, collect, &search);
    for (unsigned i = 0; i < search.ports->len; i++) {
        dissector_change_uint(table, g_array_index(search.ports, unsigned, i), to);
    }
    g_array_free(search.ports, TRUE);
}

static void take_ports(void)
{
    if (kafka_prefers_builtin()) {
        change_entries("tcp.port", tcp_handle, builtin_handle);
        change_entries("tls.port", stream_handle, builtin_handle);
    } else {
        change_entries("tcp.port", builtin_handle, tcp_handle);
        change_entries("tls.port", builtin_handle, stream_handle);
    }
}

void kafka_takeover_handoff(void)
{
    builtin_handle = find_dissector("kafka");
    if (builtin_handle != NULL) {
        tcp_handle =
            register_dissector_with_description("kafka.plugin", "Kafka (plugin)", kafka_dissect_tcp, proto_kafka);
        stream_handle = register_dissector_with_description("kafka.plugin.stream", "Kafka (plugin), over TLS",
                                                            kafka_dissect_stream, proto_kafka);
        register_init_routine(take_ports);
    } else {
        tcp_handle = register_dissector("kafka", kafka_dissect_tcp, proto_kafka);
        stream_handle = register_dissector_with_description("kafka.plugin.stream", "Kafka (plugin), over TLS",
                                                            kafka_dissect_stream, proto_kafka);
        dissector_add_uint_range_with_preference("tcp.port", DEFAULT_PORT, tcp_handle);
        dissector_add_for_decode_as("tls.port", stream_handle);
    }
    kafka_foreign_handoff(stream_handle);
    kafka_proxy_handoff();
    kafka_heuristics_handoff(tcp_handle, stream_handle);
}
