/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of magic 0 and 1, and the wrappers that hold compressed ones. */
#include "compat.h"

#include "../wire/record_set.h"
#include "expert.h"
#include "connection.h"
#include "fields.h"
#include "preferences.h"
#include "records.h"

/* A message as it is shown: with the offset and the time that its wrapper gives it, if it has one. */
struct shown_message {
    const struct kafka_old_message *message;
    const struct kafka_wrapper *wrapper; /* or NULL */
};

static size_t part_length(const struct kafka_old_message *message, enum kafka_old_message_part part)
{
    return message->begin[part + 1] - message->begin[part];
}

static void add_part_int(const struct kafka_records_view *view, const struct kafka_old_message *message,
                         enum kafka_old_message_part part, int hf, int32_t value)
{
    if ((unsigned)part < message->parts && kafka_is_wanted(view->show, hf)) {
        proto_tree_add_int(view->tree, hf, view->tvb, (int)message->begin[part], (int)part_length(message, part),
                           value);
    }
}

static void show_crc(const struct kafka_records_view *view, const struct kafka_old_message *message)
{
    bool verify = view->wants.checksums && kafka_old_message_has_crc(message) && kafka_verifies_checksums();
    uint32_t computed = 0;

    if (message->parts <= KAFKA_OLD_CRC) {
        return;
    }
    if (verify) {
        kafka_work.checksums++;
        computed = kafka_old_message_compute_crc(message, view->data);
    }
    if (view->wants.checksums || kafka_is_wanted(view->show, hf_kafka_message_crc)) {
        bool is_bad = verify && computed != message->crc;
        expert_field *ei =
            !is_bad || kafka_expert_take(view->show->pinfo, view->item) ? &ei_kafka_bad_message_crc : NULL;
        proto_tree_add_checksum(view->tree, view->tvb, (unsigned)message->begin[KAFKA_OLD_CRC], hf_kafka_message_crc,
                                hf_kafka_message_crc_status, ei, view->show->pinfo, computed, ENC_BIG_ENDIAN,
                                verify ? PROTO_CHECKSUM_VERIFY : PROTO_CHECKSUM_NO_FLAGS);
    }
}

static void show_attributes(const struct kafka_records_view *view, const struct kafka_old_message *message)
{
    int *const bits[] = {&hf_kafka_message_codec, &hf_kafka_message_timestamp_type};
    proto_tree *tree = view->tree;

    if (message->parts <= KAFKA_OLD_ATTRIBUTES) {
        return;
    }
    int offset = (int)message->begin[KAFKA_OLD_ATTRIBUTES];
    if (kafka_is_wanted(view->show, hf_kafka_message_attributes)) {
        proto_item *item = proto_tree_add_item(tree, hf_kafka_message_attributes, view->tvb, offset, 1, ENC_BIG_ENDIAN);
        tree = proto_item_add_subtree(item, ett_kafka_attributes);
    }
    for (size_t i = 0; i < array_length(bits); i++) {
        if (kafka_is_wanted(view->show, *bits[i])) {
            proto_tree_add_item(tree, *bits[i], view->tvb, offset, 1, ENC_BIG_ENDIAN);
        }
    }
}

static void show_offset(const struct kafka_records_view *view, const struct shown_message *shown)
{
    const struct kafka_old_message *message = shown->message;
    int64_t offset = message->offset;

    if (message->parts <= KAFKA_OLD_OFFSET || !kafka_is_wanted(view->show, hf_kafka_offset)) {
        return;
    }
    if (shown->wrapper != NULL) {
        offset = kafka_wrapper_offset(shown->wrapper, message);
    }
    proto_item *item =
        proto_tree_add_int64(view->tree, hf_kafka_offset, view->tvb, (int)message->begin[KAFKA_OLD_OFFSET],
                             (int)part_length(message, KAFKA_OLD_OFFSET), offset);
    if (offset != message->offset && view->wants.visible) {
        proto_item_append_text(item, " (%" PRId64 " within the compressed message)", message->offset);
    }
}

/* The length of the value, of which the capture may have less. */
static size_t wrapped_size(const struct kafka_records_view *view, const struct kafka_old_message *message)
{
    return kafka_load32(view->data + message->begin[KAFKA_OLD_VALUE_LENGTH]);
}

static void show_parts(const struct kafka_records_view *view, const struct shown_message *shown, bool is_wrapper)
{
    const struct kafka_old_message *message = shown->message;

    show_offset(view, shown);
    add_part_int(view, message, KAFKA_OLD_SIZE, hf_kafka_message_size, message->size);
    show_crc(view, message);
    add_part_int(view, message, KAFKA_OLD_MAGIC, hf_kafka_message_magic, message->magic);
    show_attributes(view, message);
    if (message->parts > KAFKA_OLD_TIMESTAMP && part_length(message, KAFKA_OLD_TIMESTAMP) > 0 &&
        kafka_view_wants(view, KAFKA_FIELD_TIMESTAMP)) {
        int64_t timestamp =
            shown->wrapper != NULL ? kafka_wrapper_timestamp(shown->wrapper, message) : message->timestamp;
        kafka_add_milliseconds(view, hf_kafka_message_timestamp, message->begin[KAFKA_OLD_TIMESTAMP],
                               part_length(message, KAFKA_OLD_TIMESTAMP), timestamp);
    }
    if (message->parts > KAFKA_OLD_KEY) {
        kafka_add_payload(view, &kafka_key_field, message->begin[KAFKA_OLD_KEY_LENGTH], &message->key);
    }
    if (message->parts > KAFKA_OLD_VALUE && !is_wrapper) {
        proto_item *item =
            kafka_add_payload(view, &kafka_value_field, message->begin[KAFKA_OLD_VALUE_LENGTH], &message->value);
        if (item != NULL && message->value.is_null && view->wants.visible) {
            proto_item_append_text(item, " (tombstone)");
        }
    }
    if (message->parts > KAFKA_OLD_VALUE_LENGTH && is_wrapper && !message->value.is_null) {
        kafka_add_compressed_size(view, message->value.offset, message->value.length, wrapped_size(view, message));
    }
}

static void tell_message(proto_item *item, const struct shown_message *shown)
{
    const struct kafka_old_message *message = shown->message;
    enum kafka_codec codec = kafka_attributes_codec(message->attributes);

    if (message->parts <= KAFKA_OLD_ATTRIBUTES) {
        return;
    }
    proto_item_append_text(item, ": offset %" PRId64,
                           shown->wrapper != NULL ? kafka_wrapper_offset(shown->wrapper, message) : message->offset);
    if (codec != KAFKA_CODEC_NONE) {
        proto_item_append_text(item, ", %s", kafka_codec_name(codec));
    }
    if (message->parts > KAFKA_OLD_VALUE) {
        if (message->value.is_null) {
            proto_item_append_text(item, ", tombstone");
        } else {
            proto_item_append_text(item, ", value of %zu bytes", message->value.length);
        }
    }
}

static void check_message(const struct kafka_records_view *view, const struct kafka_old_message *message,
                          proto_item *item)
{
    packet_info *pinfo = view->show->pinfo;

    if (message->status == KAFKA_ITEM_MALFORMED) {
        kafka_expert_add_format(pinfo, item, &ei_kafka_bad_batch, "Broken message at byte %zu: %s",
                                message->fault_offset, kafka_fault_text(message->fault));
    } else if (message->status == KAFKA_ITEM_CUT) {
        kafka_expert_add_format(pinfo, item, &ei_kafka_cut_batch, "The capture has %zu of this message's %zu bytes",
                                message->captured, message->whole_size);
    }
    if (view->rules != NULL && message->parts > KAFKA_OLD_MAGIC && view->show->is_request &&
        (message->magic < view->rules->min_magic || message->magic > view->rules->max_magic)) {
        kafka_expert_add_format(pinfo, item, &ei_kafka_magic_not_allowed,
                                "Magic %d in version %d, which may carry %d to %d", message->magic, view->show->version,
                                view->rules->min_magic, view->rules->max_magic);
    }
}

/* One message without looking inside; returns the subtree in view->tree and its item. */
static proto_item *show_message(struct kafka_records_view *view, const struct shown_message *shown, bool is_wrapper)
{
    const struct kafka_old_message *message = shown->message;
    proto_item *item = view->item;

    if (view->tree != NULL) {
        if (view->wants.visible) {
            view->tree = proto_tree_add_subtree(view->tree, view->tvb, (int)message->begin[KAFKA_OLD_OFFSET],
                                                (int)message->captured, ett_kafka_record, &item, "Message");
            tell_message(item, shown);
        }
        show_parts(view, shown, is_wrapper);
    } else if (view->wants.checksums) {
        show_crc(view, message);
    }
    check_message(view, message, item);
    return item;
}

/* A message that is not shown, for there are too many: its checksum is verified all the same. */
static void check_hidden(const struct kafka_records_view *view, const struct kafka_old_message *message)
{
    if (!view->wants.checksums || !kafka_verifies_checksums() || !kafka_old_message_has_crc(message)) {
        return;
    }
    kafka_work.checksums++;
    if (kafka_old_message_compute_crc(message, view->data) != message->crc) {
        kafka_expert_add_format(view->show->pinfo, view->item, &ei_kafka_bad_message_crc,
                                "Bad CRC-32 of the message at byte %zu, which is not shown", message->begin[0]);
    }
}

static void explain_wrapper(const struct kafka_records_view *view, const struct kafka_wrapper *wrapper,
                            proto_item *item)
{
    static const struct {
        enum kafka_wrapper_problem problem;
        const char *text;
    } texts[] = {
        {KAFKA_WRAPPER_NULL_VALUE, "A compressed message has no value"},
        {KAFKA_WRAPPER_MAGIC_DIFFERS, "A message inside has another magic"},
        {KAFKA_WRAPPER_NESTED, "A message inside is compressed again"},
        {KAFKA_WRAPPER_OFFSET_TOO_LOW, "The offset is below that of the last message inside"},
        {KAFKA_WRAPPER_BAD_CODEC, "A codec that messages cannot have"},
        {KAFKA_WRAPPER_EMPTY, "No message is inside"},
    };

    for (size_t i = 0; i < array_length(texts); i++) {
        if ((wrapper->problems & texts[i].problem) != 0) {
            kafka_expert_add_format(view->show->pinfo, item, &ei_kafka_wrapper, "%s", texts[i].text);
        }
    }
}

/* The messages inside a wrapper, one level deep: Kafka reads no further either. */
static void show_inner(struct kafka_records_view *view, const struct kafka_old_message *outer, proto_item *item)
{
    size_t end = outer->begin[KAFKA_OLD_OFFSET] + outer->captured;
    size_t size = outer->value.length;
    bool is_whole = false;
    tvbuff_t *unpacked = NULL;

    if (outer->value.offset + size > end) {
        size = end - outer->value.offset;
    }
    if (!outer->value.is_null) {
        unpacked = kafka_unpack_records(view, item, kafka_attributes_codec(outer->attributes), outer->value.offset,
                                        size, outer->status == KAFKA_ITEM_CUT, &is_whole);
    }
    struct kafka_wrapper wrapper;
    const uint8_t *inner = unpacked != NULL ? tvb_get_ptr(unpacked, 0, -1) : NULL;
    size_t inner_size = unpacked != NULL ? tvb_captured_length(unpacked) : 0;
    kafka_wrapper_read(&wrapper, outer, inner, inner_size, is_whole);
    if (unpacked == NULL) {
        explain_wrapper(view, &wrapper, item);
        return;
    }
    explain_wrapper(view, &wrapper, item);
    view->tvb = unpacked;
    view->data = inner;
    view->item = item;
    kafka_work.record_walks++;
    struct kafka_cursor cursor = {inner, 0, inner_size, inner_size};
    struct kafka_record_set_entry entry;
    while (kafka_record_set_next(&cursor, &entry) != KAFKA_ITEM_END) {
        struct kafka_records_view inside = *view;
        kafka_limit_view(&inside);
        if (entry.kind == KAFKA_ENTRY_OLD_MESSAGE) {
            if (kafka_take_record(&inside)) {
                struct shown_message shown = {&entry.old_message, &wrapper};
                show_message(&inside, &shown, false);
            } else {
                check_hidden(&inside, &entry.old_message);
            }
        } else {
            proto_item *other = inside.item;
            if (inside.tree != NULL && kafka_is_wanted(inside.show, hf_kafka_undecoded)) {
                other = proto_tree_add_item(inside.tree, hf_kafka_undecoded, inside.tvb, (int)entry.offset,
                                            (int)entry.captured, ENC_NA);
            }
            kafka_expert_add_format(inside.show->pinfo, other, &ei_kafka_bad_batch,
                                    "No message inside the compressed one: %s", kafka_fault_text(entry.fault));
        }
    }
}

void kafka_show_old_message(const struct kafka_records_view *outer, const struct kafka_old_message *message)
{
    struct kafka_records_view view = *outer;
    struct shown_message shown = {message, NULL};
    bool has_value = message->parts > KAFKA_OLD_VALUE_LENGTH;
    bool is_wrapper =
        message->parts > KAFKA_OLD_ATTRIBUTES && kafka_attributes_codec(message->attributes) != KAFKA_CODEC_NONE;

    if (!is_wrapper && !kafka_take_record(&view)) {
        check_hidden(&view, message);
        return;
    }
    proto_item *item = show_message(&view, &shown, is_wrapper);
    if (is_wrapper && has_value && (view.wants.records || kafka_wants_inner())) {
        show_inner(&view, message, item);
    }
}
