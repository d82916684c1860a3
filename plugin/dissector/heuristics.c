/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wireshark asks heuristics about each packet of a connection that nobody claims, so they look at the first bytes only,
 * and claim the connection at the first request that can be nothing else: others are not asked about it any more.
 *
 * The heuristic that found something is asked first from then on. SMPP's takes Produce requests for SMPP, and many
 * bytes from the middle of messages, DCE/RPC's takes bytes that begin with a five and zeros; both then wait
 * for more than there is. So they are asked about nothing that can only be Kafka, and not where a port is Kafka's.
 */
#include "compat.h"

#include "heuristics.h"

#include <epan/conversation.h>

#include "../wire/fit.h"
#include "../wire/guess.h"
#include "../wire/header.h"
#include "connection.h"
#include "fields.h"
#include "framing.h"
#include "preferences.h"
#include "proxy.h"

static heur_dissector_t recognise_smpp;
static heur_dissector_t recognise_dcerpc;
static protocol_t *protocol;
static dissector_table_t tcp_ports;
static dissector_table_t tls_ports;
static dissector_handle_t tcp_handle;
static dissector_handle_t stream_handle;

/* Returns whether a request begins at offset that can only be one. */
static bool is_certain_at(tvbuff_t *tvb, size_t offset)
{
    size_t captured = tvb_captured_length(tvb);

    if (captured < offset + KAFKA_LENGTH_SIZE + KAFKA_REQUEST_FIXED_SIZE) {
        return false;
    }
    const uint8_t *data = tvb_get_ptr(tvb, 0, (int)captured);
    size_t begin = offset + KAFKA_LENGTH_SIZE;
    uint32_t length = kafka_load32(data + offset);
    if (length < KAFKA_REQUEST_FIXED_SIZE || length > kafka_max_request_size()) {
        return false;
    }
    size_t end = begin + length;
    struct kafka_cursor frame = {
        .data = data, .offset = begin, .limit = end, .captured = end < captured ? end : captured};
    /* What has no name is believed where nothing is left over or missing. */
    return kafka_request_is_certain(&frame) && (kafka_request_is_named(&frame) || end == tvb_reported_length(tvb));
}

/* Takes note of who the client is, whatever ports and the first packets of the connection say. */
static void note_client(packet_info *pinfo)
{
    struct kafka_connection *connection = kafka_connection_get(pinfo);

    if (!pinfo->fd->visited && !connection->client_known) {
        kafka_connection_set_client(connection, pinfo, true);
    }
}

static kafka_heuristic_result recognise_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (kafka_prefers_builtin() || !is_certain_at(tvb, kafka_proxy_header_size(tvb))) {
        return false;
    }
    /* With conversation_set_dissector later passes would also bring earlier frames, which the first one did not. What
     * Wireshark's dissector of the PROXY protocol hands on is a part of a frame, of which that one has to be asked
     * again. */
    bool is_part = kafka_proxy_handed_on(pinfo);
    conversation_set_dissector_from_frame_number(find_or_create_conversation(pinfo), pinfo->num + (is_part ? 1 : 0),
                                                 tcp_handle);
    note_client(pinfo);
    return kafka_dissect_tcp(tvb, pinfo, tree, data) > 0;
}

/* Returns whether the user gave the port to another dissector; TLS asks heuristics before it looks at ports. */
static bool is_given_away(uint32_t port)
{
    dissector_handle_t handle = dissector_get_uint_handle(tls_ports, port);

    return handle != NULL && handle != stream_handle && handle != dissector_get_default_uint_handle("tls.port", port);
}

static kafka_heuristic_result recognise_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (kafka_prefers_builtin() || !is_certain_at(tvb, 0) || is_given_away(pinfo->srcport) ||
        is_given_away(pinfo->destport)) {
        return false;
    }
    if (data != NULL) {
        *kafka_tls_app_handle(data) = stream_handle;
    }
    note_client(pinfo);
    return kafka_dissect_stream(tvb, pinfo, tree, NULL) > 0;
}

/* Returns whether one of the ports is given as Kafka's. */
static bool has_kafka_port(const packet_info *pinfo)
{
    return dissector_get_uint_handle(tcp_ports, pinfo->srcport) == tcp_handle ||
           dissector_get_uint_handle(tcp_ports, pinfo->destport) == tcp_handle;
}

/* Returns whether other heuristics are to be asked about the packet. */
static bool may_be_other(tvbuff_t *tvb, const packet_info *pinfo)
{
    return kafka_prefers_builtin() || !proto_is_protocol_enabled(protocol) ||
           !(is_certain_at(tvb, 0) || has_kafka_port(pinfo));
}

static kafka_heuristic_result recognise_smpp_unless_kafka(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                                          void *data)
{
    return may_be_other(tvb, pinfo) && recognise_smpp(tvb, pinfo, tree, data);
}

static kafka_heuristic_result recognise_dcerpc_unless_kafka(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                                            void *data)
{
    return may_be_other(tvb, pinfo) && recognise_dcerpc(tvb, pinfo, tree, data);
}

/* Puts a heuristic of ours before the one of that name, which is kept in *recognise. */
static void guard_against(const char *name, heur_dissector_t *recognise, heur_dissector_t unless_kafka)
{
    heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name(name);

    if (entry != NULL) {
        *recognise = entry->dissector;
        entry->dissector = unless_kafka;
    }
}

void kafka_heuristics_handoff(dissector_handle_t tcp, dissector_handle_t stream)
{
    tcp_handle = tcp;
    stream_handle = stream;
    protocol = find_protocol_by_id(proto_kafka);
    tcp_ports = find_dissector_table("tcp.port");
    tls_ports = find_dissector_table("tls.port");
    heur_dissector_add("tcp", recognise_tcp, "Kafka over TCP", "kafka_tcp", proto_kafka, HEURISTIC_ENABLE);
    guard_against("smpp_tcp", &recognise_smpp, recognise_smpp_unless_kafka);
    guard_against("dcerpc_tcp", &recognise_dcerpc, recognise_dcerpc_unless_kafka);
    heur_dissector_add("tls", recognise_tls, "Kafka over TLS", "kafka_tls", proto_kafka, HEURISTIC_ENABLE);
}
