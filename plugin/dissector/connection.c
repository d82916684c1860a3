/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "connection.h"

#include <epan/proto_data.h>

#include "../wire/header.h"
#include "../wire/walk.h"
#include "fields.h"

/* How far this pass is in a frame; kept with the frame in pinfo->pool. */
struct frame_progress {
    const struct kafka_connection *connection; /* whose PDU was found last */
    uint32_t next;                             /* the PDU behind that one */
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
    if (connection->client_known && pinfo->num >= connection->client_frame) {
        return pinfo->srcport == connection->client_port && addresses_equal(&pinfo->src, &connection->client_address);
    }
    return pinfo->destport == pinfo->match_uint;
}

void kafka_connection_set_client(struct kafka_connection *connection, const packet_info *pinfo, bool to_broker)
{
    connection->client_known = true;
    connection->client_frame = pinfo->num;
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

/* Versions that a mask of 32 bits has room for; no release has a greater one. */
#define NOTED_VERSIONS 32

static void note_version(struct kafka_connection *connection, const struct kafka_request_header *header)
{
    if (header->api == NULL || header->api_version < 0 || header->api_version >= NOTED_VERSIONS) {
        return;
    }
    if (connection->versions == NULL) {
        connection->versions = wmem_alloc0_array(wmem_file_scope(), uint32_t, kafka_api_count);
    }
    connection->versions[header->api_key] |= 1U << header->api_version;
}

uint32_t kafka_connection_versions(const struct kafka_connection *connection, int16_t api_key)
{
    return connection->versions != NULL && kafka_api_find(api_key) != NULL ? connection->versions[api_key] : 0;
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
    note_version(connection, &header);
    if (!exchange->expects_response) {
        exchange->outstanding_behind_request = connection->asked - connection->answered;
        return exchange;
    }
    exchange->number = ++connection->asked;
    exchange->outstanding_behind_request = connection->asked - connection->answered;
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
        connection->asked -= exchange->number == connection->asked && connection->asked > connection->answered;
        exchange->outstanding_behind_request = connection->asked - connection->answered;
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
    /* What was asked before and not answered lost its response. */
    if (head->number > connection->answered) {
        connection->answered = head->number;
    }
    head->outstanding_behind_response = connection->asked - connection->answered;
    return head;
}

static struct frame_progress *progress_of(packet_info *pinfo)
{
    struct frame_progress *progress = p_get_proto_data(pinfo->pool, pinfo, proto_kafka, 0);

    if (progress == NULL) {
        progress = wmem_new0(pinfo->pool, struct frame_progress);
        p_add_proto_data(pinfo->pool, pinfo, proto_kafka, 0, progress);
    }
    return progress;
}

/* Returns the part that has the PDU of that index, below 2^32 − KAFKA_FIRST_PDUS: frames have numbers of 32 bits. */
static unsigned part_of(uint32_t index)
{
    return 31U - (unsigned)__builtin_clz(index / KAFKA_FIRST_PDUS + 1);
}

static struct kafka_pdu *pdu_at(const struct kafka_connection *connection, uint32_t index)
{
    unsigned part = part_of(index);

    return &connection->pdus[part][index - KAFKA_FIRST_PDUS * ((UINT32_C(1) << part) - 1)];
}

struct kafka_pdu *kafka_pdu_store(struct kafka_connection *connection, packet_info *pinfo, enum kafka_pdu_kind kind,
                                  uint32_t key)
{
    uint32_t index = connection->pdu_count++;
    unsigned part = part_of(index);

    if (connection->pdus[part] == NULL) {
        connection->pdus[part] =
            wmem_alloc(wmem_file_scope(), ((size_t)KAFKA_FIRST_PDUS << part) * sizeof *connection->pdus[part]);
    }
    struct kafka_pdu *pdu = pdu_at(connection, index);
    *pdu = (struct kafka_pdu){.frame = pinfo->num, .key = key, .kind = kind};
    return pdu;
}

/* Returns the index of the first PDU of that frame or a later one. */
static uint32_t first_of_frame(const struct kafka_connection *connection, uint32_t frame)
{
    uint32_t low = 0;
    uint32_t high = connection->pdu_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pdu_at(connection, middle)->frame < frame) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct kafka_pdu *kafka_pdu_find(const struct kafka_connection *connection, packet_info *pinfo, uint32_t key)
{
    struct frame_progress *progress = progress_of(pinfo);

    /* A later pass comes by in the order of the first, so that the next one is nearly always it. */
    uint32_t start = progress->connection == connection ? progress->next : first_of_frame(connection, pinfo->num);
    for (uint32_t i = start; i < connection->pdu_count; i++) {
        struct kafka_pdu *pdu = pdu_at(connection, i);
        if (pdu->frame != pinfo->num) {
            break;
        }
        if (pdu->key == key) {
            progress->connection = connection;
            progress->next = i + 1;
            return pdu;
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
