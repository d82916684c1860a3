/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "summary.h"

#include <stdio.h>
#include <string.h>

#include "../wire/placement.h"
#include "../wire/text_kind.h"
#include "../wire/topic_names.h"
#include "text.h"
#include "topic_ids.h"
#include "values.h"

/* A name longer than this is cut in a summary; the tree has all of it. */
#define NAME_MAX_SHOWN 60

/* Ids that clients make up of a name and a uuid: the name and some of the uuid tell them apart. */
#define MEMBER_ID_SHOWN 32

/* How much of a topic id is enough to tell it from others. */
#define TOPIC_ID_SHOWN 8

/* Room that the parts which are appended last, a closing bracket and the errors, always have. */
#define RESERVED 90

void kafka_summary_begin(struct kafka_summary *summary, const uint8_t *data)
{
    summary->data = data;
    summary->used = 0;
    summary->begun = 0;
    summary->full = false;
    summary->in_partitions = false;
    summary->has_topic = false;
    summary->is_named = false;
    summary->pending_id = NULL;
    summary->has_key = false;
    summary->topic = (struct kafka_span){0};
    summary->error_count = 0;
    summary->more_errors = false;
}

/* What is appended between begin and the next begin stays whole: where it does not fit, an ellipsis stands for it. */
static void begin(struct kafka_summary *summary)
{
    summary->begun = summary->used;
}

KAFKA_COLD static void put_ellipsis(struct kafka_summary *summary)
{
    static const char ellipsis[] = ", \xe2\x80\xa6";

    memcpy(summary->text + summary->begun, ellipsis, sizeof ellipsis - 1);
    summary->used = summary->begun + sizeof ellipsis - 1;
    summary->full = true;
}

KAFKA_APART static void put(struct kafka_summary *summary, const char *text, size_t length)
{
    if (summary->full) {
        return;
    }
    if (summary->used + length < KAFKA_SUMMARY_SIZE - RESERVED) {
        memcpy(summary->text + summary->used, text, length);
        summary->used += length;
    } else {
        put_ellipsis(summary);
    }
}

static inline void put_text(struct kafka_summary *summary, const char *text)
{
    put(summary, text, strlen(text));
}

/* Returns whether the character could be taken for one of the line's own, or for nothing. */
static bool is_odd(gunichar c)
{
    return c == ',' || c == '[' || c == ']' || c == '|' || c == '"' || g_unichar_isspace(c) || !g_unichar_isprint(c);
}

static bool has_odd_characters(const char *name, const char *end)
{
    /* Most are such as topics may have. */
    if (kafka_may_be_topic_name(name, (size_t)(end - name))) {
        return false;
    }
    for (; name < end; name = g_utf8_next_char(name)) {
        if (is_odd(g_utf8_get_char(name))) {
            return true;
        }
    }
    return false;
}

/* Within quotation marks: what stands for itself there, and what cannot be seen, by its number. */
KAFKA_COLD static void put_quoted(struct kafka_summary *summary, const char *name, const char *end)
{
    char escape[16];

    for (; name < end; name = g_utf8_next_char(name)) {
        gunichar c = g_utf8_get_char(name);
        if (c == '"' || c == '\\') {
            put_text(summary, "\\");
        }
        if (g_unichar_isprint(c)) {
            put(summary, name, (size_t)(g_utf8_next_char(name) - name));
        } else {
            (void)snprintf(escape, sizeof escape, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
            put_text(summary, escape);
        }
    }
}

/* Names are UTF-8; one that could be mistaken stands in quotation marks. */
static void put_name(struct kafka_summary *summary, const char *name, size_t length, bool is_cut)
{
    bool is_quoted = has_odd_characters(name, name + length);

    if (is_quoted) {
        put_text(summary, "\"");
        put_quoted(summary, name, name + length);
    } else {
        put(summary, name, length);
    }
    put_text(summary, is_cut ? "\xe2\x80\xa6" : "");
    put_text(summary, is_quoted ? "\"" : "");
}

static void put_number(struct kafka_summary *summary, int64_t number)
{
    char digits[KAFKA_DIGITS_SIZE];
    const char *start = kafka_digits(digits, number);

    put(summary, start, (size_t)(digits + sizeof digits - start));
}

static void put_labelled(struct kafka_summary *summary, const char *label, int64_t number)
{
    begin(summary);
    put_text(summary, label);
    put_number(summary, number);
}

static void close_partitions(struct kafka_summary *summary)
{
    if (summary->in_partitions) {
        summary->in_partitions = false;
        if (!summary->full) {
            /* RESERVED leaves room for it. */
            summary->text[summary->used++] = ']';
        }
    }
}

/* Returns how many bytes of the leaf's text are shown: whole UTF-8 characters, all of them captured. */
static int shown_length(const struct kafka_summary *summary, const struct kafka_leaf *leaf, size_t captured)
{
    size_t length = leaf->value.length;
    size_t most = leaf->field->meaning == KAFKA_MEANING_MEMBER_ID ? MEMBER_ID_SHOWN : NAME_MAX_SHOWN;

    if (leaf->value.offset >= captured) {
        return 0;
    }
    if (length > captured - leaf->value.offset) {
        length = captured - leaf->value.offset;
    }
    if (length > most) {
        length = most;
    }
    const char *valid_end;
    const char *text = (const char *)summary->data + leaf->value.offset;
    if (kafka_text_kind((const uint8_t *)text, length) != KAFKA_TEXT_PRINTABLE &&
        !g_utf8_validate(text, (gssize)length, &valid_end)) {
        length = (size_t)(valid_end - text);
    }
    return (int)length;
}

static void add_text(struct kafka_summary *summary, const char *label, const struct kafka_leaf *leaf, size_t captured)
{
    int length = shown_length(summary, leaf, captured);

    close_partitions(summary);
    if (length > 0) {
        begin(summary);
        put_text(summary, ", ");
        put_text(summary, label);
        put_name(summary, (const char *)summary->data + leaf->value.offset, (size_t)length,
                 (size_t)length < leaf->value.length);
    }
}

/* Shows a topic for which no name came: by the name that is known from elsewhere, else by some of its id. */
KAFKA_APART static void put_topic_id(struct kafka_summary *summary)
{
    char text[KAFKA_UUID_TEXT_SIZE];

    const struct kafka_topic_name *topic = kafka_topic_ids_find(summary->pending_id);
    begin(summary);
    if (topic != NULL) {
        size_t length = strlen(topic->name);
        put_text(summary, ", ");
        put_name(summary, topic->name, length < NAME_MAX_SHOWN ? length : NAME_MAX_SHOWN, length > NAME_MAX_SHOWN);
    } else {
        kafka_uuid_to_text(summary->pending_id, text);
        put_text(summary, ", id ");
        put(summary, text, TOPIC_ID_SHOWN);
        put_text(summary, "\xe2\x80\xa6");
    }
    summary->pending_id = NULL;
    summary->has_topic = true;
}

static void flush_topic_id(struct kafka_summary *summary)
{
    if (summary->pending_id != NULL) {
        put_topic_id(summary);
    }
}

static void add_topic_id(struct kafka_summary *summary, const struct kafka_leaf *leaf)
{
    const uint8_t *uuid = summary->data + leaf->value.offset;

    if (summary->is_named) {
        return;
    }
    flush_topic_id(summary);
    close_partitions(summary);
    /* The topic of the cluster's metadata has a reserved id, and a name. */
    if (kafka_uuid_reserved_name(uuid, KAFKA_MEANING_TOPIC_ID) == NULL || kafka_topic_ids_find(uuid) != NULL) {
        summary->pending_id = uuid;
    }
}

static void add_topic_name(struct kafka_summary *summary, const struct kafka_leaf *leaf, size_t captured)
{
    struct kafka_span last = summary->topic;

    summary->is_named = leaf->value.length > 0;
    summary->topic = leaf->value;
    if (summary->is_named && summary->in_partitions && last.length == leaf->value.length &&
        leaf->value.offset + leaf->value.length <= captured &&
        memcmp(summary->data + last.offset, summary->data + leaf->value.offset, last.length) == 0) {
        /* Some messages name the topic with each partition. */
        return;
    }
    if (summary->is_named) {
        summary->pending_id = NULL;
        add_text(summary, "", leaf, captured);
        summary->has_topic = true;
    }
}

static void add_partition(struct kafka_summary *summary, int64_t partition)
{
    flush_topic_id(summary);
    if (!summary->has_topic) {
        return;
    }
    if (summary->in_partitions) {
        begin(summary);
        put_text(summary, ", ");
        put_number(summary, partition);
    } else {
        summary->in_partitions = true;
        begin(summary);
        put_text(summary, " [");
        put_number(summary, partition);
    }
}

static void add_error(struct kafka_summary *summary, int16_t code)
{
    for (size_t i = 0; i < summary->error_count; i++) {
        if (summary->errors[i] == code) {
            return;
        }
    }
    if (summary->error_count == KAFKA_SUMMARY_ERRORS) {
        summary->more_errors = true;
        return;
    }
    summary->errors[summary->error_count++] = code;
}

/* A leaf that few messages have, or that few messages have anything in that is worth telling. */
KAFKA_APART static void add_other(struct kafka_summary *summary, const struct kafka_leaf *leaf, size_t captured,
                                  unsigned depth)
{
    switch (leaf->field->meaning) {
    case KAFKA_MEANING_TOPIC_ID:
        add_topic_id(summary, leaf);
        break;
    case KAFKA_MEANING_GROUP_ID:
        add_text(summary, "group ", leaf, captured);
        break;
    case KAFKA_MEANING_MEMBER_ID:
        /* The leader of a group is a member too, but not the one that the message is about. */
        if (depth == 0 && strcmp(leaf->field->name, "MemberId") == 0) {
            add_text(summary, "member ", leaf, captured);
        }
        break;
    case KAFKA_MEANING_TRANSACTIONAL_ID:
        add_text(summary, "transactional id ", leaf, captured);
        break;
    case KAFKA_MEANING_COORDINATOR_KEY:
        add_text(summary, "key ", leaf, captured);
        summary->has_key = true;
        break;
    case KAFKA_MEANING_RESOURCE_NAME:
    case KAFKA_MEANING_SASL_MECHANISM:
    case KAFKA_MEANING_SOFTWARE_NAME:
        add_text(summary, "", leaf, captured);
        break;
    case KAFKA_MEANING_SOFTWARE_VERSION:
        if (leaf->value.length > 0) {
            int length = shown_length(summary, leaf, captured);
            begin(summary);
            put_text(summary, " ");
            put_name(summary, (const char *)summary->data + leaf->value.offset, (size_t)length,
                     (size_t)length < leaf->value.length);
        }
        break;
    case KAFKA_MEANING_GENERATION:
        if (depth == 0 && leaf->integer >= 0) {
            put_labelled(summary, ", generation ", leaf->integer);
        }
        break;
    case KAFKA_MEANING_PRODUCER_ID:
        if (depth == 0 && leaf->integer >= 0) {
            put_labelled(summary, ", producer id ", leaf->integer);
        }
        break;
    case KAFKA_MEANING_TRANSACTION_RESULT:
        begin(summary);
        put_text(summary, ", ");
        put_text(summary, kafka_value_name(KAFKA_MEANING_TRANSACTION_RESULT, leaf->integer != 0));
        break;
    case KAFKA_MEANING_THROTTLE_TIME:
        if (leaf->integer > 0) {
            close_partitions(summary);
            put_labelled(summary, ", throttled ", leaf->integer);
            put_text(summary, " ms");
        }
        break;
    case KAFKA_MEANING_HOST:
        if (depth == 0 || summary->has_key) {
            add_text(summary, "", leaf, captured);
        }
        break;
    case KAFKA_MEANING_PORT:
        if ((depth == 0 || summary->has_key) && leaf->integer > 0) {
            put_labelled(summary, ":", leaf->integer);
        }
        break;
    default:
        break;
    }
}

/* What an array is about: its elements' fields tell more than their number where they name topics or groups. */
static bool elements_tell_themselves(const struct kafka_field *field)
{
    if (field->members == NULL) {
        return field->meaning != KAFKA_MEANING_NONE;
    }
    for (size_t i = 0; i < field->members->count; i++) {
        switch (field->members->fields[i].meaning) {
        case KAFKA_MEANING_TOPIC_NAME:
        case KAFKA_MEANING_TOPIC_ID:
        case KAFKA_MEANING_PARTITION:
        case KAFKA_MEANING_GROUP_ID:
        case KAFKA_MEANING_COORDINATOR_KEY:
        case KAFKA_MEANING_TRANSACTIONAL_ID:
        case KAFKA_MEANING_RESOURCE_NAME:
            return true;
        default:
            break;
        }
    }
    return false;
}

void kafka_summary_leaf(struct kafka_summary *summary, const struct kafka_leaf *leaf, size_t captured, unsigned depth)
{
    switch (leaf->field->meaning) {
    case KAFKA_MEANING_NONE:
    case KAFKA_MEANING_RECORDS:
    case KAFKA_MEANING_OFFSET:
        break;
    case KAFKA_MEANING_ERROR_CODE:
        if (leaf->integer != 0) {
            add_error(summary, (int16_t)leaf->integer);
        }
        break;
    case KAFKA_MEANING_PARTITION:
        add_partition(summary, leaf->integer);
        break;
    case KAFKA_MEANING_TOPIC_NAME:
        if (!summary->full) {
            add_topic_name(summary, leaf, captured);
        }
        break;
    default:
        if (!summary->full) {
            add_other(summary, leaf, captured, depth);
        }
        break;
    }
}

void kafka_summary_array(struct kafka_summary *summary, const struct kafka_field *field, int32_t count, unsigned depth)
{
    if (depth != 0) {
        return;
    }
    flush_topic_id(summary);
    close_partitions(summary);
    summary->has_topic = false;
    summary->is_named = false;
    summary->topic = (struct kafka_span){0};
    if (count < 0) {
        bool topics =
            field->meaning == KAFKA_MEANING_TOPIC_NAME || (field->members != NULL && elements_tell_themselves(field));
        if (topics) {
            begin(summary);
            put_text(summary, ", all ");
            put_text(summary, field->label);
        }
    } else if (count > 0 && !elements_tell_themselves(field)) {
        put_labelled(summary, ", ", count);
        put_text(summary, " ");
        put_text(summary, count == 1 && field->element_label != NULL ? field->element_label : field->label);
    }
}

void kafka_summary_records(struct kafka_summary *summary, const struct kafka_records_summary *records)
{
    if (records->entries == 0) {
        return;
    }
    begin(summary);
    put_text(summary, " (");
    if (records->batches > 1) {
        put_number(summary, records->batches);
        put_text(summary, " batches, ");
    }
    put_number(summary, (int64_t)records->records);
    put_text(summary, records->records == 1 ? " record" : " records");
    /* A producer counts from 0 in each batch: the broker gives the offsets. */
    if (records->has_offsets) {
        put_text(summary, records->first_offset == records->last_offset ? " at " : " ");
        put_number(summary, records->first_offset);
    }
    if (records->has_offsets && records->first_offset != records->last_offset) {
        put_text(summary, "\xe2\x80\x93");
        put_number(summary, records->last_offset);
    }
    if (strcmp(records->codec, "none") != 0) {
        put_text(summary, ", ");
        put_text(summary, records->codec);
    }
    put_text(summary, ", ");
    put_number(summary, (int64_t)records->bytes);
    put_text(summary, " bytes)");
}

void kafka_summary_add(struct kafka_summary *summary, const char *text)
{
    close_partitions(summary);
    begin(summary);
    put_text(summary, ", ");
    put_text(summary, text);
}

void kafka_summary_add_name(struct kafka_summary *summary, const char *label, const char *name)
{
    size_t whole = strlen(name);
    size_t length = whole < NAME_MAX_SHOWN ? whole : NAME_MAX_SHOWN;
    const char *valid_end;

    if (!g_utf8_validate(name, (gssize)length, &valid_end)) {
        length = (size_t)(valid_end - name);
    }
    close_partitions(summary);
    begin(summary);
    put_text(summary, ", ");
    put_text(summary, label);
    put_name(summary, name, length, length < whole);
}

/* Behind all else, the errors by their names. */
KAFKA_APART static void put_errors(struct kafka_summary *summary)
{
    for (size_t i = 0; i < summary->error_count; i++) {
        const char *name = kafka_value_name(KAFKA_MEANING_ERROR_CODE, summary->errors[i]);
        int written;
        size_t room = KAFKA_SUMMARY_SIZE - summary->used;
        if (name != NULL) {
            written = snprintf(summary->text + summary->used, room, ", %s", name);
        } else {
            written = snprintf(summary->text + summary->used, room, ", error %d", summary->errors[i]);
        }
        if (written < 0 || (size_t)written >= room) {
            summary->more_errors = true;
            break;
        }
        summary->used += (size_t)written;
    }
    if (summary->more_errors && KAFKA_SUMMARY_SIZE - summary->used > sizeof ", more errors") {
        memcpy(summary->text + summary->used, ", more errors", sizeof ", more errors" - 1);
        summary->used += sizeof ", more errors" - 1;
    }
}

const char *kafka_summary_end(struct kafka_summary *summary)
{
    flush_topic_id(summary);
    close_partitions(summary);
    if (summary->error_count > 0) {
        put_errors(summary);
    }
    summary->text[summary->used] = '\0';
    return summary->text;
}
