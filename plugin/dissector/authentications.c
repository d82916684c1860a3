/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "authentications.h"

#include <string.h>

#include "../wire/facts.h"
#include "../wire/header.h"

/* Of one connection. */
struct kafka_authentications {
    wmem_array_t *all; /* struct kafka_authentication *, in their order */
    const struct kafka_authentication *accepted;
};

static struct kafka_authentications *authentications_of(struct kafka_connection *connection)
{
    if (connection->authentications == NULL) {
        connection->authentications = wmem_new0(wmem_file_scope(), struct kafka_authentications);
        connection->authentications->all = wmem_array_new(wmem_file_scope(), sizeof(struct kafka_authentication *));
    }
    return connection->authentications;
}

static struct kafka_authentication *authentication_at(const struct kafka_authentications *list, unsigned index)
{
    return *(struct kafka_authentication **)wmem_array_index(list->all, index);
}

static struct kafka_authentication *latest(const struct kafka_authentications *list)
{
    unsigned count = wmem_array_get_count(list->all);

    return count > 0 ? authentication_at(list, count - 1) : NULL;
}

static struct kafka_authentication *begin_authentication(struct kafka_authentications *list)
{
    struct kafka_authentication *begun = wmem_new0(wmem_file_scope(), struct kafka_authentication);

    begun->before = list->accepted;
    wmem_array_append_one(list->all, begun);
    return begun;
}

void kafka_authentications_begin_gssapi(struct kafka_connection *connection)
{
    struct kafka_authentication *begun = begin_authentication(authentications_of(connection));

    begun->mechanism = "GSSAPI";
    begun->family = KAFKA_SASL_GSSAPI;
}

static struct kafka_authentication *begin_with_handshake(struct kafka_authentications *list,
                                                         const struct kafka_body *body, const struct kafka_facts *facts)
{
    struct kafka_authentication *begun = begin_authentication(list);
    const struct kafka_span *mechanism = &facts->sasl_mechanism;

    if (mechanism->length > 0) {
        begun->mechanism =
            wmem_strndup(wmem_file_scope(), (const char *)body->cursor.data + mechanism->offset, mechanism->length);
        begun->family = kafka_sasl_family_find(begun->mechanism, strlen(begun->mechanism));
    }
    return begun;
}

/* Returns the family that a client's token tells where the capture has no handshake. */
static enum kafka_sasl_family guess_family(const struct kafka_pdu *pdu, const struct kafka_cursor *frame,
                                           const struct kafka_facts *facts)
{
    struct kafka_cursor token = *frame;

    if (pdu->kind == KAFKA_PDU_REQUEST && !facts->sasl_bytes.is_null) {
        token.offset = facts->sasl_bytes.offset;
        token.limit = facts->sasl_bytes.offset + facts->sasl_bytes.length;
    } else if (pdu->kind != KAFKA_PDU_SASL_TOKEN) {
        return KAFKA_SASL_UNKNOWN;
    }
    return kafka_sasl_guess(&token);
}

/* Returns the authentication that a token belongs to, which may begin with it. */
static struct kafka_authentication *find_authentication(struct kafka_authentications *list, const struct kafka_pdu *pdu,
                                                        const struct kafka_cursor *frame,
                                                        const struct kafka_facts *facts)
{
    struct kafka_authentication *current = latest(list);

    if (current == NULL || (current->mechanism == NULL && current->family == KAFKA_SASL_UNKNOWN)) {
        enum kafka_sasl_family family = guess_family(pdu, frame, facts);
        /* What earlier ones are taken for does not change. */
        if (current == NULL || family != KAFKA_SASL_UNKNOWN) {
            current = begin_authentication(list);
            current->family = family;
        }
    }
    return current;
}

void kafka_authentications_learn(struct kafka_connection *connection, const packet_info *pinfo, struct kafka_pdu *pdu,
                                 const struct kafka_cursor *frame, const struct kafka_body *body)
{
    struct kafka_authentications *list = authentications_of(connection);
    struct kafka_facts facts = {.sasl_mechanism = {.is_null = true}, .sasl_bytes = {.is_null = true}};
    int api_key = pdu->exchange != NULL ? pdu->exchange->api_key : -1;
    struct kafka_authentication *current;

    if (body != NULL) {
        kafka_facts_read(body, &facts);
    }
    if (pdu->kind == KAFKA_PDU_REQUEST && api_key == KAFKA_API_SASL_HANDSHAKE) {
        current = begin_with_handshake(list, body, &facts);
    } else {
        current = find_authentication(list, pdu, frame, &facts);
    }
    pdu->authentication = wmem_array_get_count(list->all);
    if (pdu->kind == KAFKA_PDU_RESPONSE && api_key == KAFKA_API_SASL_AUTHENTICATE && facts.has_error) {
        /* A mechanism may have several rounds, of which the last one decides. */
        bool is_accepted = facts.error == 0;
        current->done_frame = is_accepted ? pinfo->num : 0;
        list->accepted = is_accepted ? current : current->before;
    }
}

const struct kafka_authentication *kafka_authentication_of(const struct kafka_connection *connection,
                                                           const struct kafka_pdu *pdu)
{
    const struct kafka_authentications *list = connection->authentications;

    if (list == NULL || pdu == NULL || pdu->authentication == 0 ||
        pdu->authentication > wmem_array_get_count(list->all)) {
        return NULL;
    }
    return authentication_at(list, pdu->authentication - 1);
}
