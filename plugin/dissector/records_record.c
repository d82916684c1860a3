/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of magic 2, their headers, and what keys and values hold. */
#include "compat.h"

#include <string.h>

#include "../wire/header.h"
#include "../wire/placement.h"
#include "../wire/text_kind.h"
#include "expert.h"
#include "fields.h"
#include "label.h"
#include "preferences.h"
#include "records.h"
#include "string_fields.h"
#include "text.h"
#include "values.h"

/* How much of a key or value goes into the text of an item. */
#define TEXT_SHOWN 160

/* Room for the text of a record: offset, key and sizes, of which only the key can be long. */
#define RECORD_TEXT_SIZE (TEXT_SHOWN / 2 + 120)

/* Room for the text of a key or value, with its name and what marks a cut. */
#define PAYLOAD_TEXT_SIZE (TEXT_SHOWN + 40)

/* A text of up to this size is copied on the stack: Wireshark makes a copy of its own. */
#define SMALL_TEXT 1024

const struct kafka_payload_field kafka_key_field = {
    &hf_kafka_message_key, &hf_kafka_message_key_text, "Key", KAFKA_FIELD_KEY, KAFKA_FIELD_KEY_TEXT,
};

const struct kafka_payload_field kafka_value_field = {
    &hf_kafka_message_value, &hf_kafka_message_value_text, "Value", KAFKA_FIELD_VALUE, KAFKA_FIELD_VALUE_TEXT,
};

static const struct kafka_payload_field header_value_field = {
    &hf_kafka_header_value,   &hf_kafka_header_value_text,   "Header Value",
    KAFKA_FIELD_HEADER_VALUE, KAFKA_FIELD_HEADER_VALUE_TEXT,
};

/* Returns the first characters of a text, of at most limit bytes. */
static int whole_characters(const char *text, size_t length, size_t limit)
{
    if (length <= limit) {
        return (int)length;
    }
    const char *end = g_utf8_find_prev_char(text, text + limit + 1);

    return end != NULL ? (int)(end - text) : 0;
}

/* Puts the beginning of a text, of at most limit bytes, and a mark when that is not all. */
static void put_beginning(struct kafka_text *label, const uint8_t *bytes, size_t length, size_t limit)
{
    kafka_text_put(label, (const char *)bytes, (size_t)whole_characters((const char *)bytes, length, limit));
    if (length > limit) {
        kafka_text_string(label, "\xe2\x80\xa6");
    }
}

/* Gives an item a text, which has others' text of that kind in it. */
static void set_label(proto_item *item, const struct kafka_text *text, enum kafka_text_kind kind)
{
    if (kind == KAFKA_TEXT_PRINTABLE) {
        kafka_item_set_label(item, text->bytes, text->used);
    } else {
        proto_item_set_text(item, "%s", text->bytes);
    }
}

static void set_payload_text(proto_item *item, const char *name, const uint8_t *bytes, const struct kafka_span *value,
                             enum kafka_text_kind kind)
{
    char room[PAYLOAD_TEXT_SIZE];
    struct kafka_text label;

    if (!value->is_null && value->length > 0 && kind == KAFKA_NOT_TEXT) {
        return;
    }
    kafka_text_init(&label, room, sizeof room);
    kafka_text_string(&label, name);
    kafka_text_string(&label, ": ");
    if (value->is_null) {
        kafka_text_string(&label, KAFKA_NULL_TEXT);
    } else if (value->length == 0) {
        kafka_text_string(&label, "(empty)");
    } else {
        put_beginning(&label, bytes, value->length, TEXT_SHOWN);
    }
    set_label(item, &label, kind);
}

static void add_payload_text(const struct kafka_records_view *view, proto_tree *tree, int hf, const uint8_t *bytes,
                             const struct kafka_span *value)
{
    char small[SMALL_TEXT];
    const char *text = small;

    /* The bytes are known to be UTF-8: Wireshark's own way would look at each character again. */
    if (value->length < sizeof small) {
        memcpy(small, bytes, value->length);
        small[value->length] = '\0';
    } else {
        text = kafka_copy_text(view->show->pinfo->pool, bytes, value->length);
    }
    proto_item *item = proto_tree_add_string(tree, hf, view->tvb, (int)value->offset, (int)value->length, text);
    proto_item_set_generated(item);
    /* It is for filters and scripts: the item above shows its beginning. */
    proto_item_set_hidden(item);
}

proto_item *kafka_add_payload(const struct kafka_records_view *view, const struct kafka_payload_field *field,
                              size_t offset, const struct kafka_span *value)
{
    const uint8_t *bytes = view->data + value->offset;
    int length = (int)(value->offset + value->length - offset);
    proto_tree *tree = view->tree;
    proto_item *item = NULL;

    bool wants_text = kafka_view_wants(view, field->text_field);
    enum kafka_text_kind kind = KAFKA_TEXT_PRINTABLE;
    if (!value->is_null && (wants_text || view->wants.visible)) {
        kind = kafka_text_kind(bytes, value->length);
    }
    if (kafka_view_wants(view, field->field)) {
        item = proto_tree_add_bytes_with_length(tree, *field->hf, view->tvb, (int)offset, length, bytes,
                                                (int)value->length);
        if (view->wants.visible) {
            set_payload_text(item, field->label, bytes, value, kind);
        }
        tree = proto_item_add_subtree(item, ett_kafka_record_value);
    }
    if (value->is_null) {
        if (kafka_view_wants(view, KAFKA_FIELD_NULL)) {
            proto_item *mark = proto_tree_add_item(tree, hf_kafka_null, view->tvb, (int)offset, length, ENC_NA);
            proto_item_set_generated(mark);
            proto_item_set_hidden(mark);
        }
    } else if (wants_text && kind != KAFKA_NOT_TEXT) {
        add_payload_text(view, tree, *field->hf_text, bytes, value);
    }
    return item;
}

proto_item *kafka_add_milliseconds(const struct kafka_records_view *view, int hf, size_t offset, size_t length,
                                   int64_t milliseconds)
{
    nstime_t time = kafka_time_of(milliseconds);
    if (milliseconds == -1) {
        return proto_tree_add_time_format_value(view->tree, hf, view->tvb, (int)offset, (int)length, &time,
                                                "-1 (none)");
    }
    return proto_tree_add_time(view->tree, hf, view->tvb, (int)offset, (int)length, &time);
}

static size_t part_length(const struct kafka_record *record, enum kafka_record_part part)
{
    return record->begin[part + 1] - record->begin[part];
}

static void add_part_int(const struct kafka_records_view *view, const struct kafka_record *record,
                         enum kafka_record_part part, enum kafka_record_field field, int hf, int32_t value)
{
    if ((unsigned)part < record->parts && kafka_view_wants(view, field)) {
        proto_tree_add_int(view->tree, hf, view->tvb, (int)record->begin[part], (int)part_length(record, part), value);
    }
}

/* Of a record that is cut, the end as its length says is not there. */
static size_t shown_end(const struct kafka_records_view *view, const struct kafka_record *record)
{
    size_t captured = tvb_captured_length(view->tvb);

    return record->end < captured ? record->end : captured;
}

static void label_header(proto_item *item, const uint8_t *key, size_t length)
{
    char room[sizeof "Header: " + TEXT_SHOWN];
    struct kafka_text text;
    int shown = whole_characters((const char *)key, length, TEXT_SHOWN);
    enum kafka_text_kind kind = kafka_text_kind(key, (size_t)shown);
    bool is_utf8 = kind != KAFKA_NOT_TEXT || g_utf8_validate((const char *)key, shown, NULL);

    kafka_text_init(&text, room, sizeof room);
    kafka_text_string(&text, "Header: ");
    kafka_text_put(&text, (const char *)key, is_utf8 ? (size_t)shown : 0);
    set_label(item, &text, kind);
}

static void show_record_header(const struct kafka_records_view *outer, const struct kafka_record_header *header)
{
    struct kafka_records_view view = *outer;

    if (view.wants.visible) {
        proto_item *item = kafka_add_label(view.tree, view.tvb, header->offset, header->end - header->offset);
        view.tree = proto_item_add_subtree(item, ett_kafka_record_header);
        label_header(item, view.data + header->key.offset, header->key.length);
    }
    struct kafka_show show = *view.show;
    show.tvb = view.tvb;
    show.data = view.data;
    if (kafka_view_wants(&view, KAFKA_FIELD_HEADER_KEY) || kafka_is_bad_text(&show, header->key)) {
        kafka_add_string(&show, view.tree, hf_kafka_header_key, header->offset, header->key);
    }
    kafka_add_payload(&view, &header_value_field, header->value_offset, &header->value);
}

static void show_record_headers(const struct kafka_records_view *outer, const struct kafka_record *record)
{
    struct kafka_records_view view = *outer;
    struct kafka_record_headers headers;
    struct kafka_record_header header;

    if (record->parts <= KAFKA_RECORD_HEADER_COUNT) {
        return;
    }
    proto_item *item = view.item;
    size_t offset = record->begin[KAFKA_RECORD_HEADER_COUNT];
    if (record->header_count == 0) {
        add_part_int(&view, record, KAFKA_RECORD_HEADER_COUNT, KAFKA_FIELD_HEADER_COUNT, hf_kafka_record_header_count,
                     0);
        return;
    }
    if (kafka_view_wants(&view, KAFKA_FIELD_HEADER_COUNT)) {
        item = proto_tree_add_int(view.tree, hf_kafka_record_header_count, view.tvb, (int)offset,
                                  (int)(shown_end(&view, record) - offset), record->header_count);
        kafka_item_label_number(item, "Headers (", record->header_count, ")");
        view.tree = proto_item_add_subtree(item, ett_kafka_record_headers);
    }
    if (record->header_count < 0) {
        return;
    }
    kafka_record_headers_init(&headers, record, view.data);
    for (int32_t shown = 0; kafka_record_headers_next(&headers, &header); shown++) {
        if (!kafka_show_has_room(view.show)) {
            kafka_expert_add_format(view.show->pinfo, item, &ei_kafka_records_left_out,
                                    "%d headers are not shown: kafka.max_items (%u) limits a packet",
                                    record->header_count - shown, kafka_max_items());
            break;
        }
        show_record_header(&view, &header);
    }
}

const struct kafka_message *kafka_control_message(const struct kafka_control_type *type)
{
    for (size_t i = 0; i < kafka_data_message_count; i++) {
        if (strcmp(kafka_data_messages[i].name, type->message) == 0) {
            return &kafka_data_messages[i];
        }
    }
    return NULL;
}

/* The value of a control record: its version, and the message that its type has. */
static void show_control_value(const struct kafka_records_view *view, const struct kafka_record *record,
                               const struct kafka_control_type *type)
{
    struct kafka_control_value value;
    const struct kafka_message *message = kafka_control_message(type);

    if (message == NULL || kafka_control_value_read(view->data, &record->value, type, &value) != KAFKA_OK) {
        return;
    }
    if (!type->has_version_in_message && kafka_is_wanted(view->show, hf_kafka_control_version)) {
        proto_tree_add_int(view->tree, hf_kafka_control_version, view->tvb, (int)record->value.offset, 2,
                           value.version);
    }
    struct kafka_show show = *view->show;
    struct kafka_cursor cursor = {view->data, value.body_begin, value.end, value.end};
    show.tvb = view->tvb;
    show.data = view->data;
    show.tree = view->tree;
    show.summary = NULL;
    show.message = message;
    show.version = kafka_known_version(message, value.version);
    show.body_offset = value.body_begin;
    kafka_show_body(&show, &cursor);
}

static void show_control(const struct kafka_records_view *outer, const struct kafka_record *record, proto_item *item)
{
    struct kafka_records_view view = *outer;
    struct kafka_control_key key;

    if (record->parts <= KAFKA_RECORD_VALUE || kafka_control_key_read(view.data, &record->key, &key) != KAFKA_OK) {
        return;
    }
    if (view.wants.visible) {
        const char *name = key.known != NULL ? key.known->name : "Unknown type";
        proto_item_append_text(item, ", %s", name);
        view.tree = proto_tree_add_subtree_format(
            view.tree, view.tvb, (int)record->begin[KAFKA_RECORD_KEY],
            (int)(record->begin[KAFKA_RECORD_VALUE + 1] - record->begin[KAFKA_RECORD_KEY]), ett_kafka_record_value,
            NULL, "Control record: %s", name);
    }
    if (kafka_is_wanted(view.show, hf_kafka_control_version)) {
        proto_tree_add_int(view.tree, hf_kafka_control_version, view.tvb,
                           (int)(record->key.offset + KAFKA_CONTROL_KEY_VERSION), 2, key.version);
    }
    if (kafka_is_wanted(view.show, hf_kafka_control_type)) {
        proto_tree_add_int(view.tree, hf_kafka_control_type, view.tvb,
                           (int)(record->key.offset + KAFKA_CONTROL_KEY_TYPE), 2, key.type);
    }
    if (key.known != NULL && !record->value.is_null) {
        show_control_value(&view, record, key.known);
    }
}

/* Tells what identifies a record: its offset, its key, and how much it holds. Returns of what kind the text is. */
static enum kafka_text_kind tell_record(const struct kafka_records_view *view, const struct kafka_record *record,
                                        struct kafka_text *text)
{
    const uint8_t *key = view->data + record->key.offset;
    enum kafka_text_kind kind = KAFKA_TEXT_PRINTABLE;

    kafka_text_string(text, "Record: offset ");
    kafka_text_number(text, record->offset);
    if (record->parts > KAFKA_RECORD_KEY && record->key.length > 0) {
        enum kafka_text_kind key_kind = kafka_text_kind(key, record->key.length);
        if (key_kind != KAFKA_NOT_TEXT) {
            kind = key_kind;
            kafka_text_string(text, ", key ");
            kafka_text_put(text, (const char *)key,
                           (size_t)whole_characters((const char *)key, record->key.length, TEXT_SHOWN / 2));
        } else {
            kafka_text_string(text, ", key of ");
            kafka_text_number(text, (int64_t)record->key.length);
            kafka_text_string(text, " bytes");
        }
    }
    if (record->parts > KAFKA_RECORD_VALUE && record->value.is_null) {
        kafka_text_string(text, ", tombstone");
    } else if (record->parts > KAFKA_RECORD_VALUE) {
        kafka_text_string(text, ", value of ");
        kafka_text_number(text, (int64_t)record->value.length);
        kafka_text_string(text, " bytes");
    }
    return kind;
}

/* Sets of the fields below; null belongs to what may be null. */
#define BIT(field)    (UINT32_C(1) << KAFKA_FIELD_##field)
#define KEY_FIELDS    (BIT(KEY) | BIT(KEY_TEXT) | BIT(NULL))
#define VALUE_FIELDS  (BIT(VALUE) | BIT(VALUE_TEXT) | BIT(NULL))
#define HEADER_FIELDS (BIT(HEADER_COUNT) | BIT(HEADER_KEY) | BIT(HEADER_VALUE) | BIT(HEADER_VALUE_TEXT) | BIT(NULL))
#define NUMBER_FIELDS                                                                                                  \
    (BIT(ATTRIBUTES) | BIT(TIMESTAMP_DELTA) | BIT(TIMESTAMP) | BIT(OFFSET_DELTA) | BIT(OFFSET) | BIT(SEQUENCE))

/* What comes before the key. */
static void show_numbers(const struct kafka_records_view *view, const struct kafka_batch *batch,
                         const struct kafka_record *record)
{
    add_part_int(view, record, KAFKA_RECORD_ATTRIBUTES, KAFKA_FIELD_ATTRIBUTES, hf_kafka_record_attributes,
                 record->attributes);
    if (record->parts > KAFKA_RECORD_TIMESTAMP_DELTA) {
        size_t offset = record->begin[KAFKA_RECORD_TIMESTAMP_DELTA];
        size_t length = part_length(record, KAFKA_RECORD_TIMESTAMP_DELTA);
        if (kafka_view_wants(view, KAFKA_FIELD_TIMESTAMP_DELTA)) {
            proto_tree_add_int64(view->tree, hf_kafka_record_timestamp_delta, view->tvb, (int)offset, (int)length,
                                 record->timestamp_delta);
        }
        if (kafka_view_wants(view, KAFKA_FIELD_TIMESTAMP)) {
            proto_item_set_generated(
                kafka_add_milliseconds(view, hf_kafka_message_timestamp, offset, length, record->timestamp));
        }
    }
    add_part_int(view, record, KAFKA_RECORD_OFFSET_DELTA, KAFKA_FIELD_OFFSET_DELTA, hf_kafka_record_offset_delta,
                 record->offset_delta);
    if (record->parts > KAFKA_RECORD_OFFSET_DELTA) {
        int offset = (int)record->begin[KAFKA_RECORD_OFFSET_DELTA];
        int length = (int)part_length(record, KAFKA_RECORD_OFFSET_DELTA);
        if (kafka_view_wants(view, KAFKA_FIELD_OFFSET)) {
            proto_item_set_generated(
                proto_tree_add_int64(view->tree, hf_kafka_offset, view->tvb, offset, length, record->offset));
        }
        if (batch->base_sequence >= 0 && kafka_view_wants(view, KAFKA_FIELD_SEQUENCE)) {
            proto_item_set_generated(
                proto_tree_add_int(view->tree, hf_kafka_record_sequence, view->tvb, offset, length, record->sequence));
        }
    }
}

/* The parts of a record as far as they were read and somebody wants them. */
static void show_parts(const struct kafka_records_view *view, const struct kafka_batch *batch,
                       const struct kafka_record *record)
{
    uint32_t fields = view->wants.fields;

    if ((fields & NUMBER_FIELDS) != 0) {
        show_numbers(view, batch, record);
    }
    if ((fields & KEY_FIELDS) != 0 && record->parts > KAFKA_RECORD_KEY) {
        kafka_add_payload(view, &kafka_key_field, record->begin[KAFKA_RECORD_KEY_LENGTH], &record->key);
    }
    if ((fields & VALUE_FIELDS) != 0 && record->parts > KAFKA_RECORD_VALUE) {
        proto_item *item =
            kafka_add_payload(view, &kafka_value_field, record->begin[KAFKA_RECORD_VALUE_LENGTH], &record->value);
        if (item != NULL && record->value.is_null && view->wants.visible) {
            proto_item_append_text(item, " (tombstone)");
        }
    }
    if ((fields & HEADER_FIELDS) != 0 || view->show->checks_text) {
        show_record_headers(view, record);
    }
}

static proto_item *add_length(const struct kafka_records_view *view, const struct kafka_record *record)
{
    int begin = (int)record->begin[KAFKA_RECORD_LENGTH];

    return proto_tree_add_int(view->tree, hf_kafka_record_length, view->tvb, begin,
                              (int)shown_end(view, record) - begin, record->length);
}

/* Adds the item of a record for those who look: that of its length, or a text where it has none. */
static proto_item *add_record(const struct kafka_records_view *view, const struct kafka_record *record)
{
    size_t begin = record->begin[KAFKA_RECORD_LENGTH];
    char room[RECORD_TEXT_SIZE];
    struct kafka_text text;

    kafka_text_init(&text, room, sizeof room);
    enum kafka_text_kind kind = tell_record(view, record, &text);
    proto_item *item = record->parts > KAFKA_RECORD_LENGTH
                           ? add_length(view, record)
                           : kafka_add_label(view->tree, view->tvb, begin, shown_end(view, record) - begin);
    set_label(item, &text, kind);
    return item;
}

static bool is_control_record(const struct kafka_batch *batch, const struct kafka_record *record)
{
    return (batch->attributes & KAFKA_ATTRIBUTE_CONTROL) != 0 && record->status == KAFKA_ITEM_COMPLETE;
}

/* Adds the tree of a record for those who look, and returns its item. */
KAFKA_APART static proto_item *show_tree(const struct kafka_records_view *outer, const struct kafka_batch *batch,
                                         const struct kafka_record *record)
{
    struct kafka_records_view view = *outer;
    proto_item *item = add_record(&view, record);

    view.tree = proto_item_add_subtree(item, ett_kafka_record);
    show_parts(&view, batch, record);
    if (is_control_record(batch, record)) {
        show_control(&view, record, item);
    }
    return item;
}

/* Adds what somebody references of a record. */
static void show_references(const struct kafka_records_view *view, const struct kafka_batch *batch,
                            const struct kafka_record *record)
{
    if (record->parts > KAFKA_RECORD_LENGTH && kafka_view_wants(view, KAFKA_FIELD_LENGTH)) {
        add_length(view, record);
    }
    show_parts(view, batch, record);
    if (is_control_record(batch, record)) {
        show_control(view, record, view->item);
    }
}

proto_item *kafka_show_record(const struct kafka_records_view *view, const struct kafka_batch *batch,
                              const struct kafka_record *record)
{
    proto_item *item = view->item;

    if (view->tree != NULL && view->wants.visible) {
        item = show_tree(view, batch, record);
    } else if (view->tree != NULL) {
        show_references(view, batch, record);
    }
    if (record->status == KAFKA_ITEM_MALFORMED) {
        kafka_expert_add_format(view->show->pinfo, item, &ei_kafka_bad_record, "Broken record at byte %zu: %s",
                                record->fault_offset, kafka_fault_text(record->fault));
    }
    return item;
}
