/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "connection.h"

#include <epan/proto_data.h>

#include "../wire/header.h"
#include "../wire/walk.h"
#include "fields.h"

/* Keys of the data that is kept with a frame. */
enum frame_data {
    FRAME_PDUS,     /* wmem_file_scope: what the first pass decided, a list of struct kafka_pdu */
    FRAME_PROGRESS, /* pinfo->pool: how far this pass is */
};

struct frame_progress {
    struct kafka_pdu *last; /* of the frame's list that was stored or found */
    uint32_t shown;
    struct kafka_frame_budget budget;
};

struct kafka_connection *kafka_connection_get(packet_info *pinfo)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    struct kafka_connection *connection = conversation_get_proto_data(conversation, proto_kafka);

    if (connection == NULL) {
        connection = wmem_new0(wmem_file_scope(), struct kafka_connection);
        connection->outstanding = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        conversation_add_proto_data(conversation, proto_kafka, connection);
    }
    return connection;
}

bool kafka_connection_to_broker(const struct kafka_connection *connection, const packet_info *pinfo)
{
    if (connection->client_known) {
        return pinfo->srcport == connection->client_port && addresses_equal(&pinfo->src, &connection->client_address);
    }
    return pinfo->destport == pinfo->match_uint;
}

void kafka_connection_set_client(struct kafka_connection *connection, const packet_info *pinfo, bool to_broker)
{
    connection->client_known = true;
    connection->client_port = (uint16_t)(to_broker ? pinfo->srcport : pinfo->destport);
    copy_address_wmem(wmem_file_scope(), &connection->client_address, to_broker ? &pinfo->src : &pinfo->dst);
}

/* Returns whether the broker answers the request; where its acks cannot be read it is taken to. */
static bool expects_response(const struct kafka_cursor *after_header, const struct kafka_request_header *header)
{
    struct kafka_cursor cursor = *after_header;
    int32_t client_id;

    if (header->api_key != KAFKA_API_PRODUCE) {
        return true;
    }
    if (kafka_read_length16(&cursor, true, &client_id) != KAFKA_OK ||
        (client_id > 0 && kafka_need(&cursor, (size_t)client_id) != KAFKA_OK)) {
        return true;
    }
    cursor.offset += client_id > 0 ? (size_t)client_id : 0;
    if (kafka_request_header_version(header->api, header->known_version) == 2 &&
        kafka_walk_header_tags(&cursor, &kafka_visit_nothing, NULL) != KAFKA_WALK_COMPLETE) {
        return true;
    }
    return kafka_produce_acks(&cursor, header->known_version) != 0;
}

static void *correlation_key(int32_t correlation_id)
{
    return GUINT_TO_POINTER((uint32_t)correlation_id);
}

struct kafka_exchange *kafka_connection_add_request(struct kafka_connection *connection, const packet_info *pinfo,
                                                    const struct kafka_cursor *cursor)
{
    struct kafka_cursor at = *cursor;
    struct kafka_request_header header;

    if (kafka_read_request_header(&at, &header) != KAFKA_OK) {
        return NULL;
    }
    struct kafka_exchange *exchange = wmem_new0(wmem_file_scope(), struct kafka_exchange);
    exchange->api_key = header.api_key;
    exchange->api_version = header.api_version;
    exchange->correlation_id = header.correlation_id;
    exchange->request_frame = pinfo->num;
    exchange->request_time = pinfo->abs_ts;
    exchange->expects_response = expects_response(&at, &header);
    connection->seen_request = true;
    if (!exchange->expects_response) {
        return exchange;
    }
    exchange->last = exchange;
    struct kafka_exchange *head = kafka_connection_peek(connection, header.correlation_id);
    if (head != NULL) {
        head->last->next = exchange;
        head->last = exchange;
    } else {
        wmem_map_insert(connection->outstanding, correlation_key(header.correlation_id), exchange);
    }
    return exchange;
}

/* Takes the exchange out of the queue of those that wait for a response. */
static void forget(struct kafka_connection *connection, struct kafka_exchange *exchange)
{
    struct kafka_exchange *head = kafka_connection_peek(connection, exchange->correlation_id);

    if (head == exchange) {
        if (exchange->next != NULL) {
            exchange->next->last = exchange->last;
            wmem_map_insert(connection->outstanding, correlation_key(exchange->correlation_id), exchange->next);
        } else {
            wmem_map_remove(connection->outstanding, correlation_key(exchange->correlation_id));
        }
        return;
    }
    for (struct kafka_exchange *before = head; before != NULL; before = before->next) {
        if (before->next == exchange) {
            before->next = exchange->next;
            if (head->last == exchange) {
                head->last = before;
            }
            return;
        }
    }
}

void kafka_connection_complete_request(struct kafka_connection *connection, struct kafka_exchange *exchange,
                                       const packet_info *pinfo, const struct kafka_cursor *cursor)
{
    struct kafka_cursor at = *cursor;
    struct kafka_request_header header;

    exchange->request_frame = pinfo->num;
    exchange->request_time = pinfo->abs_ts;
    if (kafka_read_request_header(&at, &header) == KAFKA_OK && !expects_response(&at, &header)) {
        exchange->expects_response = false;
        forget(connection, exchange);
    }
}

struct kafka_exchange *kafka_connection_peek(const struct kafka_connection *connection, int32_t correlation_id)
{
    return wmem_map_lookup(connection->outstanding, correlation_key(correlation_id));
}

struct kafka_exchange *kafka_connection_take(struct kafka_connection *connection, const packet_info *pinfo,
                                             int32_t correlation_id)
{
    struct kafka_exchange *head = kafka_connection_peek(connection, correlation_id);

    if (head == NULL) {
        return NULL;
    }
    head->response_frame = pinfo->num;
    forget(connection, head);
    return head;
}

static struct frame_progress *progress_of(packet_info *pinfo)
{
    struct frame_progress *progress = p_get_proto_data(pinfo->pool, pinfo, proto_kafka, FRAME_PROGRESS);

    if (progress == NULL) {
        progress = wmem_new0(pinfo->pool, struct frame_progress);
        p_add_proto_data(pinfo->pool, pinfo, proto_kafka, FRAME_PROGRESS, progress);
    }
    return progress;
}

struct kafka_pdu *kafka_pdu_store(packet_info *pinfo, enum kafka_pdu_kind kind, uint32_t key)
{
    struct frame_progress *progress = progress_of(pinfo);
    struct kafka_pdu *pdu = wmem_new0(wmem_file_scope(), struct kafka_pdu);

    pdu->kind = kind;
    pdu->key = key;
    if (progress->last != NULL) {
        progress->last->next = pdu;
    } else {
        p_add_proto_data(wmem_file_scope(), pinfo, proto_kafka, FRAME_PDUS, pdu);
    }
    progress->last = pdu;
    return pdu;
}

static bool matches(const struct kafka_pdu *pdu, uint32_t key, bool skips)
{
    return pdu->key == key && (pdu->kind == KAFKA_PDU_SKIP) == skips;
}

struct kafka_pdu *kafka_pdu_find(packet_info *pinfo, uint32_t key, bool skips)
{
    struct frame_progress *progress = progress_of(pinfo);

    /* A later pass comes by in the order of the first, so that the next one is nearly always it. */
    struct kafka_pdu *start = progress->last != NULL
                                  ? progress->last->next
                                  : p_get_proto_data(wmem_file_scope(), pinfo, proto_kafka, FRAME_PDUS);
    for (struct kafka_pdu *pdu = start; pdu != NULL; pdu = pdu->next) {
        if (matches(pdu, key, skips)) {
            progress->last = pdu;
            return pdu;
        }
        if (skips) {
            break;
        }
    }
    return NULL;
}

struct kafka_frame_budget *kafka_frame_budget(packet_info *pinfo)
{
    return &progress_of(pinfo)->budget;
}

uint32_t kafka_frame_count_pdu(packet_info *pinfo)
{
    return progress_of(pinfo)->shown++;
}

uint32_t kafka_frame_pdus(packet_info *pinfo)
{
    return progress_of(pinfo)->shown;
}
