/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nested.h"

#include <string.h>

#include "header.h"
#include "walk.h"

/* Where the version of a message stands. */
enum version_place {
    VERSION_BEFORE, /* an int16 before the message */
    VERSION_INSIDE, /* an int32, the message's first field */
    VERSION_ABSENT, /* nowhere: the bytes tell by what fits */
};

/* Rows of one kind stand in the order in which a reader tries them. */
static const struct row {
    enum kafka_nested_kind kind;
    enum version_place place;
    const char *type; /* NULL for any */
    const char *name; /* NULL for any */
    const char *message;
    const char *title;
} rows[] = {
    {KAFKA_NESTED_METADATA, VERSION_BEFORE, "consumer", NULL, "ConsumerProtocolSubscription", "Consumer Subscription"},
    {KAFKA_NESTED_ASSIGNMENT, VERSION_BEFORE, "consumer", NULL, "ConsumerProtocolAssignment", "Consumer Assignment"},
    {KAFKA_NESTED_METADATA, VERSION_BEFORE, "connect", NULL, "ConnectMetadata", "Connect Worker"},
    {KAFKA_NESTED_ASSIGNMENT, VERSION_BEFORE, "connect", NULL, "ConnectAssignment", "Connect Assignment"},
    {KAFKA_NESTED_METADATA_USER_DATA, VERSION_INSIDE, "consumer", "stream", "SubscriptionInfo", "Streams Subscription"},
    {KAFKA_NESTED_ASSIGNMENT_USER_DATA, VERSION_INSIDE, "consumer", "stream", "AssignmentInfo", "Streams Assignment"},
    {KAFKA_NESTED_METADATA_USER_DATA, VERSION_ABSENT, "consumer", "sticky", "StickyAssignorUserData",
     "Sticky Assignor"},
    /* Some clients write the same for both sticky assignors. */
    {KAFKA_NESTED_METADATA_USER_DATA, VERSION_ABSENT, "consumer", "cooperative-sticky",
     "CooperativeStickyAssignorUserData", "Cooperative Sticky Assignor"},
    {KAFKA_NESTED_METADATA_USER_DATA, VERSION_ABSENT, "consumer", "cooperative-sticky", "StickyAssignorUserData",
     "Sticky Assignor"},
    {KAFKA_NESTED_PRINCIPAL, VERSION_BEFORE, NULL, NULL, "DefaultPrincipalData", "Principal"},
};

const struct kafka_message *kafka_data_message_find(const char *name)
{
    for (size_t i = 0; i < kafka_data_message_count; i++) {
        if (strcmp(kafka_data_messages[i].name, name) == 0) {
            return &kafka_data_messages[i];
        }
    }
    return NULL;
}

static bool is_text(const char *wanted, const char *text, size_t length)
{
    return wanted == NULL || (text != NULL && strlen(wanted) == length && memcmp(wanted, text, length) == 0);
}

static bool is_for(const struct row *row, enum kafka_nested_kind kind, const struct kafka_group_protocol *group)
{
    if (row->kind != kind) {
        return false;
    }
    if (group == NULL) {
        return row->type == NULL && row->name == NULL;
    }
    return is_text(row->type, group->type, group->type_length) && is_text(row->name, group->name, group->name_length);
}

/* What a walk found wrong; bytes that are left over may be of a newer version, and are no fault. */
static void note_problem(void *context, const struct kafka_problem *problem)
{
    bool *is_broken = context;

    if (problem->kind != KAFKA_PROBLEM_LEFTOVER && problem->kind != KAFKA_PROBLEM_CUT) {
        *is_broken = true;
    }
}

/* Walks over the message that begins at nested->begin, and stores where it ends. */
static enum kafka_nested_result try_message(const struct kafka_cursor *bytes, struct kafka_nested *nested)
{
    struct kafka_visitor visitor = kafka_visit_nothing;
    struct kafka_cursor cursor = *bytes;
    bool is_broken = false;

    visitor.problem = note_problem;
    cursor.offset = nested->begin;
    enum kafka_walk_result result = kafka_walk(&cursor, nested->message, nested->version, &visitor, &is_broken);
    nested->end = cursor.offset;
    if (is_broken) {
        return KAFKA_NESTED_BROKEN;
    }
    if (result == KAFKA_WALK_CUT) {
        nested->end = bytes->limit;
        return KAFKA_NESTED_CUT;
    }
    return KAFKA_NESTED_FITS;
}

/* The newest version up to last that takes all bytes. */
static enum kafka_nested_result try_versions(const struct kafka_cursor *bytes, int16_t last,
                                             struct kafka_nested *nested)
{
    for (int16_t version = last; version >= nested->message->versions.first; version--) {
        nested->version = version;
        enum kafka_nested_result result = try_message(bytes, nested);
        if (result == KAFKA_NESTED_CUT || (result == KAFKA_NESTED_FITS && nested->end == bytes->limit)) {
            return result;
        }
    }
    return KAFKA_NESTED_BROKEN;
}

/* A version that is newer than any known is read as the newest that is, as Kafka does. */
static enum kafka_nested_result try_version(const struct kafka_cursor *bytes, enum version_place place,
                                            struct kafka_nested *nested)
{
    struct kafka_cursor cursor = *bytes;
    int16_t version = 0;
    enum kafka_status status;

    if (place == VERSION_BEFORE) {
        status = kafka_read_int16(&cursor, &version);
        nested->said_version = version;
        nested->begin = cursor.offset;
    } else {
        nested->begin = bytes->offset;
        status = kafka_read_int32(&cursor, &nested->said_version);
    }
    if (status != KAFKA_OK) {
        return status == KAFKA_CUT ? KAFKA_NESTED_CUT : KAFKA_NESTED_BROKEN;
    }
    nested->has_version = true;
    if (nested->said_version < nested->message->versions.first) {
        return KAFKA_NESTED_BROKEN;
    }
    nested->version = kafka_known_version(
        nested->message, (int16_t)(nested->said_version < INT16_MAX ? nested->said_version : INT16_MAX));
    enum kafka_nested_result result = try_message(bytes, nested);
    if (result == KAFKA_NESTED_BROKEN && place == VERSION_BEFORE && nested->version == nested->said_version) {
        /* Some clients say a newer version than they write. */
        struct kafka_nested older = *nested;
        if (try_versions(bytes, (int16_t)(nested->version - 1), &older) == KAFKA_NESTED_FITS) {
            *nested = older;
            return KAFKA_NESTED_FITS;
        }
    }
    return result;
}

enum kafka_nested_result kafka_nested_find(const struct kafka_cursor *bytes, enum kafka_nested_kind kind,
                                           const struct kafka_group_protocol *group, struct kafka_nested *nested)
{
    enum kafka_nested_result result = KAFKA_NESTED_UNKNOWN;

    *nested = (struct kafka_nested){.end = bytes->limit};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!is_for(&rows[i], kind, group)) {
            continue;
        }
        struct kafka_nested attempt = {
            .message = kafka_data_message_find(rows[i].message),
            .title = rows[i].title,
            .begin = bytes->offset,
            .end = bytes->limit,
        };
        if (attempt.message == NULL) {
            continue;
        }
        enum kafka_nested_result found = rows[i].place == VERSION_ABSENT
                                             ? try_versions(bytes, attempt.message->versions.last, &attempt)
                                             : try_version(bytes, rows[i].place, &attempt);
        if (result == KAFKA_NESTED_UNKNOWN || found != KAFKA_NESTED_BROKEN) {
            result = found;
            *nested = attempt;
        }
        if (found != KAFKA_NESTED_BROKEN) {
            break;
        }
    }
    return result;
}
