/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes fields that hold a message of their own: what members of a group write for one another, by the protocol type of
 * the group and the name of the protocol that they agreed on, and the principal of a forwarded request.
 */
#ifndef KAFKA_WIRE_NESTED_H
#define KAFKA_WIRE_NESTED_H

#include "cursor.h"
#include "schema.h"

enum kafka_nested_kind {
    KAFKA_NESTED_METADATA,           /* what a member tells when it joins */
    KAFKA_NESTED_ASSIGNMENT,         /* what a member is told to do */
    KAFKA_NESTED_METADATA_USER_DATA, /* what an assignor adds to either */
    KAFKA_NESTED_ASSIGNMENT_USER_DATA,
    KAFKA_NESTED_PRINCIPAL, /* in an Envelope, in the form of Kafka's own principal builder (KIP-590) */
};

/* What is known of the group; names that are not known are NULL. They need no NUL at their end. */
struct kafka_group_protocol {
    const char *type;
    size_t type_length;
    const char *name;
    size_t name_length;
};

enum kafka_nested_result {
    KAFKA_NESTED_UNKNOWN, /* nothing is known of what such bytes hold */
    KAFKA_NESTED_FITS,    /* up to end; bytes behind it are of a newer version or belong to nothing */
    KAFKA_NESTED_CUT,     /* fits as far as the capture goes */
    KAFKA_NESTED_BROKEN,  /* the bytes are no message that they should be */
};

struct kafka_nested {
    const struct kafka_message *message; /* NULL when the result is KAFKA_NESTED_UNKNOWN */
    const char *title;                   /* of the message, for people: "Consumer Subscription" */
    bool has_version;
    int32_t said_version; /* where there is one */
    int16_t version;      /* to decode with: the one that is said, or the nearest that is known or fits */
    size_t begin;         /* of the message, behind a version that stands before it */
    size_t end;
};

/*
 * Finds what the bytes from the cursor to its limit hold. Where no version stands in them, or several messages may
 * stand there, the first that fits decides. group may be NULL for KAFKA_NESTED_PRINCIPAL.
 */
enum kafka_nested_result kafka_nested_find(const struct kafka_cursor *bytes, enum kafka_nested_kind kind,
                                           const struct kafka_group_protocol *group, struct kafka_nested *nested);

/* Returns the message of kafka_data_messages[] with that name, or NULL. */
const struct kafka_message *kafka_data_message_find(const char *name);

#endif
