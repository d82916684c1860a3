/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "session.h"

#include <string.h>

#include "../wire/facts.h"
#include "../wire/header.h"

/* Of one connection. */
struct kafka_session {
    wmem_map_t *groups;           /* group id → struct kafka_group, which is replaced and never changed */
    wmem_map_t *contents;         /* struct kafka_exchange → struct kafka_contents */
    wmem_array_t *authentication; /* struct kafka_authentication *, in their order */
    const struct kafka_authentication *accepted;
};

static struct kafka_session *session_of(struct kafka_connection *connection)
{
    struct kafka_session *session = connection->session;

    if (session == NULL) {
        session = wmem_new0(wmem_file_scope(), struct kafka_session);
        session->groups = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
        session->contents = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        session->authentication = wmem_array_new(wmem_file_scope(), sizeof(struct kafka_authentication *));
        connection->session = session;
    }
    return session;
}

/* Returns the text of a span that lasts as long as the capture is open, or NULL for null and for an empty one. */
static const char *keep(const struct kafka_cursor *frame, const struct kafka_span *span)
{
    if (span->length == 0) {
        return NULL;
    }
    return wmem_strndup(wmem_file_scope(), (const char *)frame->data + span->offset, span->length);
}

static struct kafka_authentication *latest(const struct kafka_session *session)
{
    unsigned count = wmem_array_get_count(session->authentication);

    return count > 0 ? *(struct kafka_authentication **)wmem_array_index(session->authentication, count - 1) : NULL;
}

static struct kafka_authentication *begin_authentication(struct kafka_session *session, const packet_info *pinfo,
                                                         const char *mechanism)
{
    struct kafka_authentication *begun = wmem_new0(wmem_file_scope(), struct kafka_authentication);

    begun->mechanism = mechanism;
    begun->family = mechanism != NULL ? kafka_sasl_family_find(mechanism, strlen(mechanism)) : KAFKA_SASL_UNKNOWN;
    begun->frame = pinfo->num;
    begun->before = session->accepted;
    wmem_array_append_one(session->authentication, begun);
    return begun;
}

void kafka_session_begin_gssapi(struct kafka_connection *connection, const packet_info *pinfo)
{
    begin_authentication(session_of(connection), pinfo, "GSSAPI");
}

/* Returns the mechanism's family that a client's token tells where the capture has no handshake. */
static enum kafka_sasl_family guess_family(const struct kafka_pdu *pdu, const struct kafka_cursor *frame)
{
    struct kafka_cursor token = *frame;
    struct kafka_facts facts;

    if (pdu->kind == KAFKA_PDU_RESPONSE) {
        return KAFKA_SASL_UNKNOWN;
    }
    if (pdu->kind == KAFKA_PDU_REQUEST) {
        if (!kafka_facts_of_request(frame, &facts) || facts.sasl_bytes.is_null) {
            return KAFKA_SASL_UNKNOWN;
        }
        token.offset = facts.sasl_bytes.offset;
        token.limit = facts.sasl_bytes.offset + facts.sasl_bytes.length;
    }
    return kafka_sasl_guess(&token);
}

/* Returns the authentication that a PDU belongs to, which may begin with it. */
static struct kafka_authentication *find_authentication(struct kafka_session *session, const packet_info *pinfo,
                                                        const struct kafka_pdu *pdu, const struct kafka_cursor *frame)
{
    struct kafka_authentication *current = latest(session);
    struct kafka_facts facts;

    if (pdu->kind == KAFKA_PDU_REQUEST && pdu->exchange->api_key == KAFKA_API_SASL_HANDSHAKE) {
        (void)kafka_facts_of_request(frame, &facts);
        return begin_authentication(session, pinfo, keep(frame, &facts.sasl_mechanism));
    }
    if (current == NULL || (current->mechanism == NULL && current->family == KAFKA_SASL_UNKNOWN)) {
        enum kafka_sasl_family family = guess_family(pdu, frame);
        /* What earlier ones are taken for does not change. */
        if (current == NULL || family != KAFKA_SASL_UNKNOWN) {
            current = begin_authentication(session, pinfo, NULL);
            current->family = family;
        }
    }
    return current;
}

static void note_sasl(struct kafka_connection *connection, const packet_info *pinfo, struct kafka_pdu *pdu,
                      const struct kafka_cursor *frame)
{
    struct kafka_session *session = session_of(connection);
    const struct kafka_exchange *exchange = pdu->exchange;
    struct kafka_authentication *current = find_authentication(session, pinfo, pdu, frame);
    struct kafka_facts facts;

    pdu->authentication = wmem_array_get_count(session->authentication);
    if (pdu->kind == KAFKA_PDU_RESPONSE && exchange->api_key == KAFKA_API_SASL_AUTHENTICATE &&
        kafka_facts_of_response(frame, exchange->api_key, exchange->api_version, &facts) && facts.has_error) {
        /* A mechanism may have several rounds, of which the last one decides, and tells the lifetime. */
        bool is_accepted = facts.error == 0;
        current->done_frame = is_accepted ? pinfo->num : 0;
        current->session_lifetime = facts.session_lifetime;
        session->accepted = is_accepted ? current : current->before;
    }
}

static struct kafka_contents *contents_of(struct kafka_session *session, const struct kafka_exchange *exchange)
{
    struct kafka_contents *contents = wmem_map_lookup(session->contents, exchange);

    if (contents == NULL) {
        contents = wmem_new0(wmem_file_scope(), struct kafka_contents);
        wmem_map_insert(session->contents, exchange, contents);
    }
    return contents;
}

static bool same_text(const char *one, const char *other)
{
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* What the message says of the group, and what is known of it from earlier ones. */
static void note_group(struct kafka_session *session, struct kafka_contents *contents, const char *type,
                       const char *name)
{
    const struct kafka_group *known = wmem_map_lookup(session->groups, contents->group_id);

    if (known != NULL) {
        type = type != NULL ? type : known->type;
        /* Members of another type have another protocol. */
        name = name == NULL && same_text(type, known->type) ? known->name : name;
    }
    if (known == NULL || !same_text(type, known->type) || !same_text(name, known->name)) {
        struct kafka_group *group = wmem_new0(wmem_file_scope(), struct kafka_group);
        group->type = type;
        group->name = name;
        wmem_map_insert(session->groups, contents->group_id, group);
        known = group;
    }
    contents->group = known;
}

static void note_group_message(struct kafka_connection *connection, const struct kafka_pdu *pdu,
                               const struct kafka_cursor *frame)
{
    const struct kafka_exchange *exchange = pdu->exchange;
    struct kafka_session *session = session_of(connection);
    struct kafka_contents *contents = contents_of(session, exchange);
    struct kafka_facts facts;

    if (pdu->kind == KAFKA_PDU_REQUEST) {
        if (kafka_facts_of_request(frame, &facts)) {
            contents->group_id = keep(frame, &facts.group_id);
        }
    } else {
        (void)kafka_facts_of_response(frame, exchange->api_key, exchange->api_version, &facts);
    }
    if (contents->group_id != NULL) {
        note_group(session, contents, keep(frame, &facts.protocol_type), keep(frame, &facts.protocol_name));
    }
}

static void note_envelope(struct kafka_connection *connection, const struct kafka_pdu *pdu,
                          const struct kafka_cursor *frame)
{
    struct kafka_facts facts;
    struct kafka_request_header header;

    if (pdu->kind != KAFKA_PDU_REQUEST || !kafka_facts_of_request(frame, &facts) || facts.envelope_request.is_null) {
        return;
    }
    struct kafka_cursor inner = *frame;
    inner.offset = facts.envelope_request.offset;
    inner.limit = inner.offset + facts.envelope_request.length;
    if (kafka_read_request_header(&inner, &header) == KAFKA_OK) {
        struct kafka_contents *contents = contents_of(session_of(connection), pdu->exchange);
        contents->has_inner = true;
        contents->inner_key = header.api_key;
        contents->inner_version = header.api_version;
    }
}

void kafka_session_note(struct kafka_connection *connection, const packet_info *pinfo, struct kafka_pdu *pdu,
                        const struct kafka_cursor *frame)
{
    if (pdu->kind == KAFKA_PDU_SASL_TOKEN) {
        note_sasl(connection, pinfo, pdu, frame);
        return;
    }
    if (pdu->exchange == NULL) {
        return;
    }
    switch (pdu->exchange->api_key) {
    case KAFKA_API_SASL_HANDSHAKE:
    case KAFKA_API_SASL_AUTHENTICATE:
        note_sasl(connection, pinfo, pdu, frame);
        break;
    case KAFKA_API_JOIN_GROUP:
    case KAFKA_API_SYNC_GROUP:
        note_group_message(connection, pdu, frame);
        break;
    case KAFKA_API_ENVELOPE:
        note_envelope(connection, pdu, frame);
        break;
    default:
        break;
    }
}

const struct kafka_authentication *kafka_session_authentication(const struct kafka_connection *connection,
                                                                const struct kafka_pdu *pdu)
{
    const struct kafka_session *session = connection->session;

    if (session == NULL || pdu == NULL || pdu->authentication == 0 ||
        pdu->authentication > wmem_array_get_count(session->authentication)) {
        return NULL;
    }
    return *(struct kafka_authentication **)wmem_array_index(session->authentication, pdu->authentication - 1);
}

const struct kafka_contents *kafka_session_contents(const struct kafka_connection *connection,
                                                    const struct kafka_exchange *exchange)
{
    return connection->session != NULL && exchange != NULL ? wmem_map_lookup(connection->session->contents, exchange)
                                                           : NULL;
}
