/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "groups.h"

#include <string.h>

#include "../wire/facts.h"
#include "state.h"

/* Returns the text of a span that lasts as long as the capture is open, or NULL for null and for an empty one. */
static const char *keep(const struct kafka_body *body, const struct kafka_span *span)
{
    if (span->length == 0) {
        return NULL;
    }
    return wmem_strndup(wmem_file_scope(), (const char *)body->cursor.data + span->offset, span->length);
}

static bool same_text(const char *one, const char *other)
{
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Joins what a message says of a group with what is known of it. */
static const struct kafka_group *update(wmem_map_t *groups, const char *group_id, const char *type, const char *name)
{
    const struct kafka_group *known = wmem_map_lookup(groups, group_id);

    if (known != NULL) {
        type = type != NULL ? type : known->type;
        /* Members of another type have another protocol. */
        name = name == NULL && same_text(type, known->type) ? known->name : name;
    }
    if (known != NULL && same_text(type, known->type) && same_text(name, known->name)) {
        return known;
    }
    struct kafka_group *group = wmem_new0(wmem_file_scope(), struct kafka_group);
    group->type = type;
    group->name = name;
    wmem_map_insert(groups, group_id, group);
    return group;
}

void kafka_groups_learn(struct kafka_connection *connection, struct kafka_exchange *exchange, bool is_request,
                        const struct kafka_body *body)
{
    struct kafka_state *state = kafka_state_of(exchange);
    struct kafka_facts facts;

    kafka_facts_read(body, &facts);
    if (is_request && facts.group_id.length > 0) {
        state->group = wmem_new0(wmem_file_scope(), struct kafka_group_use);
        state->group->group_id = keep(body, &facts.group_id);
    }
    if (state->group == NULL) {
        return;
    }
    if (connection->groups == NULL) {
        connection->groups = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
    }
    state->group->group = update(connection->groups, state->group->group_id, keep(body, &facts.protocol_type),
                                 keep(body, &facts.protocol_name));
}
