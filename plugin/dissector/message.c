/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "message.h"
#include "pdu.h"

#include <string.h>

#include "../wire/header.h"
#include "../wire/placement.h"
#include "delays.h"
#include "expert.h"
#include "fields.h"
#include "label.h"
#include "lag.h"
#include "nested.h"
#include "node.h"
#include "preferences.h"
#include "problems.h"
#include "records.h"
#include "sasl.h"
#include "sessions.h"
#include "string_fields.h"
#include "text.h"
#include "topic_ids.h"
#include "values.h"

/* Arrays, structures and tags each take a level; the walker goes no deeper than 32 structures. */
#define MAX_NODES 128

/* A walk that is being shown. */
struct shown_walk {
    struct kafka_show *show;
    size_t captured;
    bool visible;     /* somebody will look at the tree: texts are wanted */
    unsigned depth;   /* nodes[depth] is being filled */
    unsigned structs; /* around the next field */
    uint32_t left_out;
    bool marks_null; /* somebody references kafka.null */
    struct kafka_topic_ids_walk topics;
    struct kafka_lag_walk lag;
    struct kafka_topic_ref topic; /* around the next field */
    struct kafka_node nodes[MAX_NODES];
};

static bool is_looked_for(const struct kafka_show *show, int hf)
{
    return show->tree != NULL && (PTREE_DATA(show->tree)->visible || proto_field_is_referenced(show->tree, hf));
}

bool kafka_is_wanted(const struct kafka_show *show, int hf)
{
    return is_looked_for(show, hf) && kafka_show_has_room(show);
}

/* Returns whether the tree has room for one more item; counts what there is no room for. */
static bool has_room(struct shown_walk *walk)
{
    if (!kafka_show_has_room(walk->show)) {
        walk->left_out++;
        return false;
    }
    return true;
}

/* As kafka_is_wanted; has_room counts. */
static bool is_wanted(struct shown_walk *walk, int hf)
{
    return is_looked_for(walk->show, hf) && has_room(walk);
}

/* The same for a row of kafka_displays[]: asked for each field of each message, so Wireshark is not called for it. */
static bool is_info_wanted(struct shown_walk *walk, const header_field_info *info)
{
    bool is_looked_for = walk->visible || (walk->show->tree != NULL && info->ref_type != HF_REF_TYPE_NONE);

    return is_looked_for && has_room(walk);
}

static bool is_display_wanted(struct shown_walk *walk, uint16_t display)
{
    return is_info_wanted(walk, kafka_display_infos[display].own);
}

static bool is_alias_wanted(struct shown_walk *walk, uint16_t display)
{
    const header_field_info *alias = kafka_display_infos[display].alias;

    return alias != NULL && is_info_wanted(walk, alias);
}

static struct kafka_node *top(struct shown_walk *walk)
{
    return &walk->nodes[walk->depth];
}

/*
 * Begins a node, and returns it. Where nobody sees the tree all items stand below one, which is returned: what filters
 * find is the same.
 */
static struct kafka_node *push(struct shown_walk *walk, proto_tree *tree, proto_item *item, const char *label)
{
    if (!walk->visible) {
        return top(walk);
    }
    if (walk->depth + 1 < MAX_NODES) {
        walk->depth++;
    }
    struct kafka_node *node = top(walk);
    kafka_node_begin(node, tree, item, label);
    return node;
}

/* Ends the node at hand: its item covers everything up to end. */
KAFKA_APART static void pop(struct shown_walk *walk, size_t end)
{
    struct kafka_node *node = top(walk);

    if (node->item != NULL) {
        size_t covered = end < walk->captured ? end : walk->captured;
        proto_item_set_end(node->item, walk->show->tvb, (int)covered);
        kafka_node_label(node);
    }
    if (walk->depth > 0) {
        walk->depth--;
    }
}

/* What is known only of a leaf's number: names, errors, times that no byte carries. */
static void explain_integer(struct shown_walk *walk, proto_item *item, const struct kafka_leaf *leaf)
{
    packet_info *pinfo = walk->show->pinfo;

    switch (leaf->field->meaning) {
    case KAFKA_MEANING_ERROR_CODE:
        kafka_explain_error(pinfo, item, leaf->integer);
        break;
    case KAFKA_MEANING_TIMESTAMP_MS:
    case KAFKA_MEANING_LIST_OFFSETS_TIMESTAMP:
        if (item != NULL && leaf->integer < 0 && walk->visible) {
            const char *name = kafka_value_name(leaf->field->meaning, leaf->integer);
            proto_item_append_text(item, " (%s)", name != NULL ? name : "none");
        }
        if (item != NULL && leaf->integer >= 0) {
            nstime_t time = kafka_time_of(leaf->integer);
            proto_item *generated =
                proto_tree_add_time(proto_item_add_subtree(item, ett_kafka_leaf), hf_kafka_timestamp, walk->show->tvb,
                                    (int)leaf->offset, (int)leaf->length, &time);
            proto_item_set_generated(generated);
        }
        break;
    case KAFKA_MEANING_SESSION_LIFETIME:
        kafka_sasl_explain_lifetime(walk->show, item, leaf);
        break;
    case KAFKA_MEANING_THROTTLE_TIME:
        kafka_delays_explain_throttle(walk->show, top(walk)->tree, item, leaf);
        break;
    case KAFKA_MEANING_PARTITION:
        kafka_sessions_show_partition(walk->show, top(walk)->tree, item, &walk->topic, leaf);
        break;
    case KAFKA_MEANING_OFFSET:
        kafka_lag_show_offset(&walk->lag, walk->show, top(walk)->tree, item, leaf);
        break;
    case KAFKA_MEANING_AUTHORIZED_OPERATIONS:
        if (item != NULL) {
            kafka_add_authorized_operations(item, walk->show->tvb, (int)leaf->offset, (int32_t)leaf->integer);
        }
        break;
    default:
        break;
    }
}

KAFKA_APART static proto_item *add_time(struct shown_walk *walk, proto_tree *tree, int hf,
                                        const struct kafka_leaf *leaf)
{
    nstime_t time = kafka_time_of(leaf->integer);

    if (leaf->integer == -1) {
        return proto_tree_add_time_format_value(tree, hf, walk->show->tvb, (int)leaf->offset, (int)leaf->length, &time,
                                                "-1 (none)");
    }
    return proto_tree_add_time(tree, hf, walk->show->tvb, (int)leaf->offset, (int)leaf->length, &time);
}

/* Marks a null value whose item is item, which nobody may have wanted, at the same bytes. */
KAFKA_APART static void mark_null(struct shown_walk *walk, proto_item *item, size_t offset, size_t length)
{
    if (!is_wanted(walk, hf_kafka_null)) {
        return;
    }
    proto_tree *tree = item != NULL ? proto_item_add_subtree(item, ett_kafka_leaf) : top(walk)->tree;
    proto_item *mark = proto_tree_add_item(tree, hf_kafka_null, walk->show->tvb, (int)offset, (int)length, ENC_NA);
    proto_item_set_generated(mark);
    proto_item_set_hidden(mark);
}

/* Adds another, hidden name of a string; what is wrong with its text stands at the field itself. */
static void add_second_name(struct shown_walk *walk, int hf, const struct kafka_leaf *leaf, size_t length,
                            const char *text)
{
    proto_item_set_hidden(
        proto_tree_add_string(top(walk)->tree, hf, walk->show->tvb, (int)leaf->offset, (int)length, text));
}

/* Adds the hidden names by which filters find a group. */
KAFKA_COLD static void show_group_names(struct shown_walk *walk, const struct kafka_leaf *leaf, size_t length,
                                        struct kafka_span value)
{
    const int names[] = {hf_kafka_consumer_group, hf_kafka_group_id};

    for (size_t i = 0; i < array_length(names); i++) {
        if (is_wanted(walk, names[i])) {
            add_second_name(walk, names[i], leaf, length, kafka_text_of(walk->show, value));
        }
    }
}

/* What a string tells of others, and what is to be said of it. */
static void explain_string(struct kafka_show *show, proto_item *item, const struct kafka_leaf *leaf,
                           struct kafka_span value)
{
    switch (leaf->field->meaning) {
    case KAFKA_MEANING_PROTOCOL_TYPE:
    case KAFKA_MEANING_PROTOCOL_NAME:
        kafka_nested_note_protocol(show, leaf, value);
        break;
    case KAFKA_MEANING_SASL_MECHANISM:
        kafka_sasl_explain_mechanism(show, item);
        break;
    case KAFKA_MEANING_ERROR_MESSAGE:
        kafka_sasl_explain_error(show, item, value);
        break;
    default:
        break;
    }
}

static void show_string(struct shown_walk *walk, const struct kafka_leaf *leaf, size_t length, struct kafka_span value)
{
    struct kafka_show *show = walk->show;
    const char *text = NULL;

    proto_item *item = NULL;

    if (is_display_wanted(walk, leaf->field->display) || kafka_is_bad_text(show, value)) {
        item = kafka_add_text(show, top(walk)->tree, hf_kafka_displays[leaf->field->display], leaf->offset, length,
                              value, &text);
    }
    if (value.is_null) {
        mark_null(walk, item, leaf->offset, length);
    }
    if (is_alias_wanted(walk, leaf->field->display)) {
        text = text != NULL ? text : kafka_text_of(show, value);
        add_second_name(walk, hf_kafka_displays[kafka_displays[leaf->field->display].alias], leaf, length, text);
    }
    /* Version 0 of FindCoordinator knows coordinators of groups only, so that its key is a group's (KIP-98). */
    if (leaf->field->meaning == KAFKA_MEANING_COORDINATOR_KEY && show->version == 0) {
        show_group_names(walk, leaf, length, value);
    }
    explain_string(show, item, leaf, value);
    if (leaf->field->meaning == KAFKA_MEANING_TOPIC_NAME) {
        kafka_topic_ids_show_name(&walk->topics, show, item, leaf);
        if (value.length == leaf->value.length) {
            kafka_place_take_topic(&walk->topic, show->data, leaf, false);
        }
    }
    if (walk->visible && text != NULL) {
        kafka_node_tell_string(top(walk), leaf, text);
    }
}

KAFKA_APART static void show_bytes(struct shown_walk *walk, const struct kafka_leaf *leaf, size_t length,
                                   struct kafka_span value)
{
    struct kafka_show *show = walk->show;
    int hf = hf_kafka_displays[leaf->field->display];

    proto_item *item = NULL;

    if (leaf->field->meaning == KAFKA_MEANING_SASL_BYTES && !value.is_null) {
        kafka_sasl_show(show, top(walk)->tree, leaf->offset, &leaf->value);
        return;
    }
    if (is_display_wanted(walk, leaf->field->display)) {
        item = proto_tree_add_bytes_with_length(top(walk)->tree, hf, show->tvb, (int)leaf->offset, (int)length,
                                                show->data + value.offset, (int)value.length);
    }
    if (value.is_null) {
        if (item != NULL) {
            proto_item_set_text(item, "%s: " KAFKA_NULL_TEXT, leaf->field->label);
        }
        mark_null(walk, item, leaf->offset, length);
    } else if (item != NULL && value.length == 0) {
        proto_item_set_text(item, "%s: (empty)", leaf->field->label);
    }
    kafka_nested_show(show, top(walk)->tree, item, leaf, value);
}

KAFKA_APART static void show_records(struct shown_walk *walk, const struct kafka_leaf *leaf, size_t length,
                                     struct kafka_span value)
{
    struct kafka_show *show = walk->show;
    int hf = hf_kafka_displays[leaf->field->display];
    proto_tree *tree = top(walk)->tree;
    proto_item *item = NULL;

    if (is_display_wanted(walk, leaf->field->display)) {
        item = proto_tree_add_item(tree, hf, show->tvb, (int)leaf->offset, (int)length, ENC_NA);
        tree = proto_item_add_subtree(item, ett_kafka_leaf);
    }
    if (is_wanted(walk, hf_kafka_records_size)) {
        proto_tree_add_int(tree, hf_kafka_records_size, show->tvb, (int)leaf->offset,
                           (int)(value.offset - leaf->offset), leaf->value.is_null ? -1 : (int32_t)leaf->value.length);
    }
    kafka_lag_show_records(&walk->lag, show, tree, leaf);
    if (value.is_null) {
        if (item != NULL) {
            proto_item_append_text(item, ": null");
        }
        mark_null(walk, item, leaf->offset, length);
        return;
    }
    kafka_show_record_set(show, tree, item, &leaf->value);
}

KAFKA_APART static void show_uuid(struct shown_walk *walk, const struct kafka_leaf *leaf)
{
    struct kafka_show *show = walk->show;
    int hf = hf_kafka_displays[leaf->field->display];
    proto_tree *tree = top(walk)->tree;
    char text[KAFKA_UUID_TEXT_SIZE];
    const uint8_t *uuid = show->data + leaf->value.offset;
    const char *reserved = kafka_uuid_reserved_name(uuid, leaf->field->meaning);
    proto_item *item = NULL;

    kafka_uuid_to_text(uuid, text);
    if (is_display_wanted(walk, leaf->field->display)) {
        item = proto_tree_add_item(tree, hf, show->tvb, (int)leaf->offset, (int)leaf->length, ENC_BIG_ENDIAN);
        proto_item_append_text(item, " (%s)", reserved != NULL ? reserved : text);
        tree = proto_item_add_subtree(item, ett_kafka_leaf);
    }
    if (is_wanted(walk, hf_kafka_uuid)) {
        proto_item *generated = proto_tree_add_string_format_value(
            tree, hf_kafka_uuid, show->tvb, (int)leaf->offset, (int)leaf->length, text, "%s%s%s%s", text,
            reserved != NULL ? " (" : "", reserved != NULL ? reserved : "", reserved != NULL ? ")" : "");
        proto_item_set_generated(generated);
        proto_item_set_hidden(generated);
    }
    const char *name = NULL;
    if (leaf->field->meaning == KAFKA_MEANING_TOPIC_ID) {
        name = walk->visible ? kafka_topic_ids_lone_name(&walk->topics, show, leaf) : NULL;
        kafka_topic_ids_show_id(&walk->topics, show, tree, item, leaf);
        kafka_place_take_topic(&walk->topic, show->data, leaf, true);
    }
    if (walk->visible && (name != NULL || !top(walk)->has_text)) {
        const char *id = reserved != NULL ? reserved : text;
        kafka_node_tell_part(top(walk), name != NULL ? name : id);
    }
}

KAFKA_APART static proto_item *add_number(struct shown_walk *walk, proto_tree *tree, uint16_t display,
                                          const struct kafka_leaf *leaf)
{
    int hf = hf_kafka_displays[display];
    tvbuff_t *tvb = walk->show->tvb;
    int offset = (int)leaf->offset;
    int length = (int)leaf->length;

    switch (kafka_displays[display].type) {
    case KAFKA_DISPLAY_BOOLEAN:
        return proto_tree_add_boolean(tree, hf, tvb, offset, length, leaf->integer != 0);
    case KAFKA_DISPLAY_INT8:
    case KAFKA_DISPLAY_INT16:
    case KAFKA_DISPLAY_INT32:
        return proto_tree_add_int(tree, hf, tvb, offset, length, (int32_t)leaf->integer);
    case KAFKA_DISPLAY_INT64:
        return proto_tree_add_int64(tree, hf, tvb, offset, length, leaf->integer);
    case KAFKA_DISPLAY_UINT8:
    case KAFKA_DISPLAY_UINT16:
    case KAFKA_DISPLAY_UINT32:
        return proto_tree_add_uint(tree, hf, tvb, offset, length, (uint32_t)leaf->integer);
    case KAFKA_DISPLAY_UINT64:
        return proto_tree_add_uint64(tree, hf, tvb, offset, length, (uint64_t)leaf->integer);
    case KAFKA_DISPLAY_DOUBLE:
        return proto_tree_add_double(tree, hf, tvb, offset, length, leaf->real);
    case KAFKA_DISPLAY_TIME:
        return add_time(walk, tree, hf, leaf);
    default:
        return NULL;
    }
}

/* Returns whether fields are wanted that stand below that of the number. */
static bool has_wanted_parts(const struct shown_walk *walk, const struct kafka_field *field)
{
    switch (field->meaning) {
    case KAFKA_MEANING_TIMESTAMP_MS:
    case KAFKA_MEANING_LIST_OFFSETS_TIMESTAMP:
        return kafka_is_wanted(walk->show, hf_kafka_timestamp);
    case KAFKA_MEANING_AUTHORIZED_OPERATIONS:
        return walk->show->tree != NULL && kafka_wants_authorized_operations(walk->show->tree) &&
               kafka_show_has_room(walk->show);
    default:
        return false;
    }
}

static void show_number(struct shown_walk *walk, const struct kafka_leaf *leaf)
{
    bool is_error = leaf->field->meaning == KAFKA_MEANING_ERROR_CODE && leaf->integer != 0;
    proto_item *item = NULL;

    if (is_display_wanted(walk, leaf->field->display) || has_wanted_parts(walk, leaf->field) ||
        (is_error && kafka_wants_errors(walk->show) && kafka_show_has_room_to_explain(walk->show))) {
        item = add_number(walk, top(walk)->tree, leaf->field->display, leaf);
    }
    if (is_alias_wanted(walk, leaf->field->display)) {
        proto_item *hidden = add_number(walk, top(walk)->tree, kafka_displays[leaf->field->display].alias, leaf);
        if (hidden != NULL) {
            proto_item_set_hidden(hidden);
        }
    }
    explain_integer(walk, item, leaf);
    if (walk->visible && item != NULL) {
        if (leaf->index >= 0) {
            struct kafka_text *text = &top(walk)->text;
            kafka_text_begin(text);
            kafka_text_string(text, leaf->index > 0 ? ", " : " ");
            kafka_text_number(text, leaf->integer);
        } else {
            kafka_node_tell_integer(top(walk), leaf);
        }
    }
}

/*
 * Returns whether a value is of use to its own field only: it stands neither in the Info column, nor in another field,
 * nor in an expert info. A meaning that is not listed is taken to be of more.
 */
static bool is_told_by_its_field_only(const struct kafka_show *show, const struct kafka_field *field)
{
    switch (field->meaning) {
    case KAFKA_MEANING_NONE:
    case KAFKA_MEANING_BROKER_ID:
    case KAFKA_MEANING_PRODUCER_EPOCH:
    case KAFKA_MEANING_API_KEY:
    case KAFKA_MEANING_API_VERSION:
    case KAFKA_MEANING_EPOCH:
    case KAFKA_MEANING_TIMESTAMP:
    case KAFKA_MEANING_DURATION_MS:
    case KAFKA_MEANING_SIZE_BYTES:
    case KAFKA_MEANING_ACKS:
    case KAFKA_MEANING_ISOLATION_LEVEL:
        return field->type != KAFKA_TYPE_UUID;
    case KAFKA_MEANING_OFFSET:
        return !kafka_lag_uses(show, field);
    case KAFKA_MEANING_TIMESTAMP_MS:
        return !kafka_is_wanted(show, hf_kafka_timestamp);
    default:
        return false;
    }
}

/* Returns whether somebody references the field of a value, or its second name. */
static bool is_referenced(const struct shown_walk *walk, const struct kafka_field *field)
{
    const struct kafka_display_infos *infos = &kafka_display_infos[field->display];

    return walk->show->tree != NULL && (infos->own->ref_type != HF_REF_TYPE_NONE ||
                                        (infos->alias != NULL && infos->alias->ref_type != HF_REF_TYPE_NONE));
}

static bool skip_leaf(void *context, const struct kafka_field *field)
{
    const struct shown_walk *walk = context;

    return is_told_by_its_field_only(walk->show, field) && !is_referenced(walk, field);
}

/* Shows the field of a value, and what it tells besides. */
KAFKA_APART static void explain_leaf(struct shown_walk *walk, const struct kafka_leaf *leaf)
{
    /* Of a value that the capture cut, what there is of it. */
    size_t length = leaf->length;
    struct kafka_span value = leaf->value;
    if (leaf->offset + length > walk->captured) {
        length = walk->captured - leaf->offset;
        value.length = walk->captured - value.offset;
    }
    switch (leaf->field->type) {
    case KAFKA_TYPE_STRING:
        show_string(walk, leaf, length, value);
        break;
    case KAFKA_TYPE_BYTES:
        show_bytes(walk, leaf, length, value);
        break;
    case KAFKA_TYPE_RECORDS:
        show_records(walk, leaf, length, value);
        break;
    case KAFKA_TYPE_UUID:
        show_uuid(walk, leaf);
        break;
    default:
        show_number(walk, leaf);
        break;
    }
}

static void show_leaf(void *context, const struct kafka_leaf *leaf)
{
    struct shown_walk *walk = context;

    if (walk->show->summary != NULL) {
        kafka_summary_leaf(walk->show->summary, leaf, walk->captured, walk->structs);
    }
    explain_leaf(walk, leaf);
}

/* Does with a string that nobody references what is to be done besides. A meaning that is not listed may need it all.
 */
static void pass_string(struct shown_walk *walk, const struct kafka_leaf *leaf)
{
    bool is_plain = !walk->show->checks_text && (!leaf->value.is_null || !walk->marks_null);

    switch (leaf->field->meaning) {
    case KAFKA_MEANING_NONE:
    case KAFKA_MEANING_HOST:
    case KAFKA_MEANING_RACK:
    case KAFKA_MEANING_GROUP_ID:
    case KAFKA_MEANING_GROUP_INSTANCE_ID:
    case KAFKA_MEANING_MEMBER_ID:
    case KAFKA_MEANING_TRANSACTIONAL_ID:
        if (!is_plain) {
            explain_leaf(walk, leaf);
        }
        break;
    case KAFKA_MEANING_TOPIC_NAME:
        if (!is_plain || kafka_topic_ids_awaits_name(&walk->topics)) {
            explain_leaf(walk, leaf);
            break;
        }
        kafka_topic_ids_pass_name(&walk->topics, leaf);
        kafka_place_take_topic(&walk->topic, walk->show->data, leaf, false);
        break;
    default:
        explain_leaf(walk, leaf);
        break;
    }
}

/* The same with a number. */
static void pass_number(struct shown_walk *walk, const struct kafka_leaf *leaf)
{
    switch (leaf->field->meaning) {
    case KAFKA_MEANING_NONE:
    case KAFKA_MEANING_BROKER_ID:
    case KAFKA_MEANING_PORT:
    case KAFKA_MEANING_PRODUCER_ID:
    case KAFKA_MEANING_EPOCH:
    case KAFKA_MEANING_GENERATION:
        break;
    case KAFKA_MEANING_ERROR_CODE:
    case KAFKA_MEANING_THROTTLE_TIME:
        if (leaf->integer != 0) {
            explain_leaf(walk, leaf);
        }
        break;
    case KAFKA_MEANING_PARTITION:
        if (walk->show->state != NULL) {
            kafka_sessions_show_partition(walk->show, top(walk)->tree, NULL, &walk->topic, leaf);
        }
        break;
    default:
        explain_leaf(walk, leaf);
        break;
    }
}

/* Does with a value what is to be done where nobody looks at the tree. */
static void pass_leaf(void *context, const struct kafka_leaf *leaf)
{
    struct shown_walk *walk = context;

    if (walk->show->summary != NULL) {
        kafka_summary_leaf(walk->show->summary, leaf, walk->captured, walk->structs);
    }
    if (leaf->offset + leaf->length > walk->captured || is_referenced(walk, leaf->field)) {
        explain_leaf(walk, leaf);
        return;
    }
    switch (leaf->field->type) {
    case KAFKA_TYPE_STRING:
        pass_string(walk, leaf);
        break;
    case KAFKA_TYPE_RECORDS:
        show_records(walk, leaf, leaf->length, leaf->value);
        break;
    case KAFKA_TYPE_BYTES:
    case KAFKA_TYPE_UUID:
        explain_leaf(walk, leaf);
        break;
    default:
        pass_number(walk, leaf);
        break;
    }
}

/* All items stand below one where nobody sees the tree: what filters find is the same. */
static void pass_array_begin(void *context, const struct kafka_field *field, size_t offset, size_t prefix,
                             int32_t count)
{
    struct shown_walk *walk = context;

    if (walk->show->summary != NULL) {
        kafka_summary_array(walk->show->summary, field, count, walk->structs);
    }
    if (is_display_wanted(walk, field->count_display)) {
        proto_tree_add_int(top(walk)->tree, hf_kafka_displays[field->count_display], walk->show->tvb, (int)offset,
                           (int)prefix, count);
    }
}

static void pass_end(void *context _U_, size_t end _U_)
{
}

static void pass_struct_begin(void *context, const struct kafka_field *field _U_, int32_t index _U_, size_t offset,
                              bool is_null)
{
    struct shown_walk *walk = context;

    walk->structs++;
    if (is_null) {
        mark_null(walk, NULL, offset, 1);
    }
}

static void pass_struct_end(void *context, size_t end _U_)
{
    struct shown_walk *walk = context;

    walk->structs--;
}

static void show_array_begin(void *context, const struct kafka_field *field, size_t offset, size_t prefix,
                             int32_t count)
{
    struct shown_walk *walk = context;
    proto_tree *tree = top(walk)->tree;
    proto_item *item = NULL;
    int hf = hf_kafka_displays[field->count_display];

    if (walk->show->summary != NULL) {
        kafka_summary_array(walk->show->summary, field, count, walk->structs);
    }
    if (field->members != NULL && walk->structs > 0 && count > 0) {
        struct kafka_text *text = kafka_node_tell(top(walk));
        kafka_text_number(text, count);
        kafka_text_put(text, " ", 1);
        kafka_text_string(text, count == 1 ? field->element_label : field->label);
    }
    if (is_display_wanted(walk, field->count_display)) {
        item = proto_tree_add_int(tree, hf, walk->show->tvb, (int)offset, (int)prefix, count);
        tree = proto_item_add_subtree(item, ett_kafka_array);
    }
    struct kafka_node *node = push(walk, tree, item, field->label);
    node->number = count;
    node->number_is = count < 0 ? KAFKA_NODE_NO_NUMBER : KAFKA_NODE_COUNT;
    node->is_null = count < 0;
}

static void show_end(void *context, size_t end)
{
    pop(context, end);
}

/* Adds a node without filter name to a tree that somebody looks at: nobody else has use for it. */
KAFKA_APART static struct kafka_node *push_text_node(struct shown_walk *walk, size_t offset, int ett, const char *label)
{
    proto_tree *tree = top(walk)->tree;
    proto_item *item = NULL;

    if (kafka_show_has_room(walk->show)) {
        item = kafka_add_label(tree, walk->show->tvb, offset, 0);
        tree = proto_item_add_subtree(item, ett);
    } else {
        walk->left_out++;
    }
    return push(walk, tree, item, label);
}

static void show_struct_begin(void *context, const struct kafka_field *field, int32_t index, size_t offset,
                              bool is_null)
{
    struct shown_walk *walk = context;
    struct kafka_node *node =
        push_text_node(walk, offset, ett_kafka_struct, index >= 0 ? field->element_label : field->label);

    node->is_null = is_null;
    walk->structs++;
    if (is_null) {
        mark_null(walk, NULL, offset, 1);
    }
}

static void show_struct_end(void *context, size_t end)
{
    struct shown_walk *walk = context;

    walk->structs--;
    show_end(walk, end);
}

static void show_tags_begin(void *context, size_t offset, size_t prefix, uint32_t count)
{
    struct shown_walk *walk = context;
    proto_tree *tree = top(walk)->tree;
    proto_item *item = NULL;

    if (is_wanted(walk, hf_kafka_tagged_fields_count)) {
        item =
            proto_tree_add_uint(tree, hf_kafka_tagged_fields_count, walk->show->tvb, (int)offset, (int)prefix, count);
        tree = proto_item_add_subtree(item, ett_kafka_tags);
    }
    struct kafka_node *node = push(walk, tree, item, "Tagged Fields");
    node->number = count;
    node->number_is = KAFKA_NODE_COUNT;
}

static void show_tag_begin(void *context, const struct kafka_tag *tag)
{
    struct shown_walk *walk = context;
    tvbuff_t *tvb = walk->show->tvb;
    int size_offset = (int)(tag->offset + tag->tag_length);

    if (walk->visible) {
        struct kafka_node *node =
            push_text_node(walk, tag->offset, ett_kafka_tag, tag->field != NULL ? tag->field->label : "Unknown");
        node->number_is = KAFKA_NODE_TAG;
        node->number = tag->tag;
    }
    if (is_wanted(walk, hf_kafka_tagged_field_tag)) {
        proto_tree_add_uint64(top(walk)->tree, hf_kafka_tagged_field_tag, tvb, (int)tag->offset, (int)tag->tag_length,
                              tag->tag);
    }
    if (is_wanted(walk, hf_kafka_tagged_field_size)) {
        proto_tree_add_uint(top(walk)->tree, hf_kafka_tagged_field_size, tvb, size_offset, (int)tag->size_length,
                            (uint32_t)tag->data.length);
    }
    if (tag->field == NULL && is_wanted(walk, hf_kafka_tagged_field_data)) {
        size_t length = tag->data.length;
        if (tag->data.offset + length > walk->captured) {
            length = walk->captured - tag->data.offset;
        }
        proto_tree_add_item(top(walk)->tree, hf_kafka_tagged_field_data, tvb, (int)tag->data.offset, (int)length,
                            ENC_NA);
    }
}

static void show_problem(void *context, const struct kafka_problem *problem)
{
    struct shown_walk *walk = context;

    kafka_show_problem(walk->show, walk->show->tree != NULL ? top(walk)->tree : NULL, problem, walk->captured);
}

static void show_undecoded(void *context, size_t offset, size_t length)
{
    struct shown_walk *walk = context;

    if (is_wanted(walk, hf_kafka_undecoded) && !kafka_sasl_hides_rest(walk->show)) {
        proto_tree_add_item(top(walk)->tree, hf_kafka_undecoded, walk->show->tvb, (int)offset, (int)length, ENC_NA);
    }
}

/* Of a tree that somebody looks at. */
static const struct kafka_visitor shown = {
    .leaf = show_leaf,
    .array_begin = show_array_begin,
    .array_end = show_end,
    .struct_begin = show_struct_begin,
    .struct_end = show_struct_end,
    .tags_begin = show_tags_begin,
    .tag_begin = show_tag_begin,
    .tag_end = show_end,
    .tags_end = show_end,
    .problem = show_problem,
    .undecoded = show_undecoded,
};

/* Of one that nobody looks at. */
static const struct kafka_visitor passed = {
    .skips = skip_leaf,
    .leaf = pass_leaf,
    .array_begin = pass_array_begin,
    .array_end = pass_end,
    .struct_begin = pass_struct_begin,
    .struct_end = pass_struct_end,
    .tags_begin = show_tags_begin,
    .tag_begin = show_tag_begin,
    .tag_end = pass_end,
    .tags_end = pass_end,
    .problem = show_problem,
    .undecoded = show_undecoded,
};

static void begin_walk(struct shown_walk *walk, struct kafka_show *show, const struct kafka_cursor *cursor)
{
    walk->show = show;
    walk->captured = cursor->captured;
    walk->visible = show->tree != NULL && PTREE_DATA(show->tree)->visible;
    walk->depth = 0;
    walk->structs = 0;
    walk->left_out = 0;
    walk->marks_null = is_looked_for(show, hf_kafka_null);
    if (walk->visible) {
        kafka_node_begin(&walk->nodes[0], show->tree, NULL, "");
    } else {
        walk->nodes[0].tree = show->tree;
        walk->nodes[0].item = NULL;
    }
    walk->topics = (struct kafka_topic_ids_walk){0};
    walk->lag = (struct kafka_lag_walk){0};
    walk->topic = (struct kafka_topic_ref){0};
}

static void end_walk(const struct shown_walk *walk)
{
    if (walk->left_out > 0) {
        kafka_expert_add_format(walk->show->pinfo, walk->show->item, &ei_kafka_items_left_out,
                                "%u fields are left out: the preference for fields in a packet (kafka.max_items) is %u",
                                walk->left_out, kafka_max_items());
    }
}

enum kafka_walk_result kafka_show_body(struct kafka_show *show, struct kafka_cursor *cursor)
{
    struct shown_walk walk;

    begin_walk(&walk, show, cursor);
    enum kafka_walk_result result =
        kafka_walk(cursor, show->message, show->version, walk.visible ? &shown : &passed, &walk);
    end_walk(&walk);
    return result;
}

enum kafka_walk_result kafka_show_header_tags(struct kafka_show *show, struct kafka_cursor *cursor)
{
    struct shown_walk walk;

    begin_walk(&walk, show, cursor);
    enum kafka_walk_result result = kafka_walk_header_tags(cursor, walk.visible ? &shown : &passed, &walk);
    end_walk(&walk);
    return result;
}
