/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What groups speak: protocol type and name, which not every message about a group tells, by connection and group. All
 * of it lasts as long as the capture is open.
 */
#ifndef KAFKA_DISSECTOR_GROUPS_H
#define KAFKA_DISSECTOR_GROUPS_H

#include "../wire/body.h"
#include "connection.h"

/* What is known of a group; it does not change once it is there. */
struct kafka_group {
    const char *type; /* NULL where it is not known */
    const char *name;
};

/* Of a request and its response. */
struct kafka_group_use {
    const char *group_id;
    const struct kafka_group *group;
};

/* Learns from a message about a group, and keeps with the exchange what is known of the group then; first pass. */
void kafka_groups_learn(struct kafka_connection *connection, struct kafka_exchange *exchange, bool is_request,
                        const struct kafka_body *body);

#endif
