/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches of magic 2 (KIP-98). */
#include "compat.h"

#include "../wire/batch_check.h"
#include "../wire/placement.h"
#include "expert.h"
#include "connection.h"
#include "fields.h"
#include "label.h"
#include "preferences.h"
#include "producers.h"
#include "transactions.h"
#include "records.h"
#include "text.h"

/* Room for the text of a batch: nothing in it is longer than a number. */
#define BATCH_TEXT_SIZE 240

/* A snapshot's control batch has two records. */
#define CONTROL_RECORDS_TOLD 4

/* The items of a batch's fields, for what is wrong with each; a field that is not shown has the batch's own. */
struct batch_items {
    proto_item *batch;
    proto_item *magic;
    proto_item *attributes;
    proto_item *last_offset_delta;
    proto_item *max_timestamp;
    proto_item *producer_id;
    proto_item *base_sequence;
    proto_item *count;
};

/* What the text of a batch tells. */
static void tell_batch(struct kafka_text *text, const struct kafka_batch *batch)
{
    enum kafka_codec codec = kafka_attributes_codec(batch->attributes);

    kafka_text_string(text, ": ");
    kafka_text_number(text, batch->record_count);
    kafka_text_string(text, batch->record_count == 1 ? " record" : " records");
    if (batch->record_count > 0) {
        kafka_text_string(text, batch->last_offset_delta == 0 ? ", offset " : ", offsets ");
        kafka_text_number(text, batch->base_offset);
        if (batch->last_offset_delta != 0) {
            kafka_text_string(text, " to ");
            kafka_text_number(text, kafka_batch_last_offset(batch));
        }
    }
    kafka_text_string(text, ", ");
    kafka_text_number(text, (int64_t)batch->size);
    kafka_text_string(text, " bytes");
    if (codec != KAFKA_CODEC_NONE) {
        kafka_text_string(text, ", ");
        kafka_text_string(text, kafka_codec_name(codec));
    }
    if (batch->producer_id >= 0) {
        kafka_text_string(text, ", producer id ");
        kafka_text_number(text, batch->producer_id);
        kafka_text_string(text, " epoch ");
        kafka_text_number(text, batch->producer_epoch);
    }
    if (batch->producer_id >= 0 && batch->base_sequence >= 0) {
        kafka_text_string(text, " sequence ");
        kafka_text_number(text, batch->base_sequence);
        if (batch->last_offset_delta != 0) {
            kafka_text_string(text, " to ");
            kafka_text_number(text, kafka_batch_last_sequence(batch));
        }
    }
    if ((batch->attributes & KAFKA_ATTRIBUTE_TRANSACTIONAL) != 0) {
        kafka_text_string(text, ", transactional");
    }
    if ((batch->attributes & KAFKA_ATTRIBUTE_CONTROL) != 0) {
        kafka_text_string(text, ", control");
    }
}

/* Adds the item of a batch, for the rest of it; only somebody who looks at the tree has use for it. */
KAFKA_APART static proto_item *add_batch(struct kafka_records_view *view, const struct kafka_batch *batch)
{
    char room[BATCH_TEXT_SIZE];
    struct kafka_text text;

    kafka_text_init(&text, room, sizeof room);
    kafka_text_string(&text, "Record batch");
    if (kafka_batch_has_header(batch)) {
        tell_batch(&text, batch);
    }
    proto_item *item = kafka_add_label(view->tree, view->tvb, batch->offset, batch->captured);
    view->tree = proto_item_add_subtree(item, ett_kafka_batch);
    kafka_item_set_label(item, text.bytes, text.used);
    return item;
}

/* These return the item that they add, or instead. */
static proto_item *add_int(const struct kafka_records_view *view, int hf, size_t offset, size_t length, int32_t value,
                           proto_item *instead)
{
    if (!kafka_is_wanted(view->show, hf)) {
        return instead;
    }
    return proto_tree_add_int(view->tree, hf, view->tvb, (int)offset, (int)length, value);
}

static proto_item *add_uint(const struct kafka_records_view *view, int hf, size_t offset, size_t length, uint32_t value,
                            proto_item *instead)
{
    if (!kafka_is_wanted(view->show, hf)) {
        return instead;
    }
    return proto_tree_add_uint(view->tree, hf, view->tvb, (int)offset, (int)length, value);
}

static proto_item *add_int64(const struct kafka_records_view *view, int hf, size_t offset, size_t length, int64_t value)
{
    if (!kafka_is_wanted(view->show, hf)) {
        return NULL;
    }
    return proto_tree_add_int64(view->tree, hf, view->tvb, (int)offset, (int)length, value);
}

static proto_item *add_time(const struct kafka_records_view *view, int hf, size_t offset, int64_t milliseconds)
{
    return kafka_is_wanted(view->show, hf) ? kafka_add_milliseconds(view, hf, offset, 8, milliseconds) : NULL;
}

static void show_crc(const struct kafka_records_view *view, const struct kafka_batch *batch)
{
    bool verify = view->wants.checksums && batch->status == KAFKA_ITEM_COMPLETE && kafka_verifies_checksums();
    uint32_t computed = 0;

    if (verify) {
        kafka_work.checksums++;
        computed = kafka_batch_compute_crc(batch, view->data);
    }
    if (view->wants.checksums || kafka_is_wanted(view->show, hf_kafka_batch_crc)) {
        bool is_bad = verify && computed != batch->crc;
        expert_field *ei = !is_bad || kafka_expert_take(view->show->pinfo, view->item) ? &ei_kafka_bad_batch_crc : NULL;
        proto_tree_add_checksum(view->tree, view->tvb, (unsigned)(batch->offset + KAFKA_BATCH_CRC), hf_kafka_batch_crc,
                                hf_kafka_batch_crc_status, ei, view->show->pinfo, computed, ENC_BIG_ENDIAN,
                                verify ? PROTO_CHECKSUM_VERIFY : PROTO_CHECKSUM_NO_FLAGS);
    }
}

static proto_item *show_attributes(const struct kafka_records_view *view, const struct kafka_batch *batch,
                                   proto_item *instead)
{
    int *const bits[] = {
        &hf_kafka_batch_codec,         &hf_kafka_batch_timestamp_type, &hf_kafka_batch_transactional,
        &hf_kafka_batch_control_batch, &hf_kafka_batch_delete_horizon, &hf_kafka_batch_unused,
    };
    int offset = (int)(batch->offset + KAFKA_BATCH_ATTRIBUTES);
    proto_tree *tree = view->tree;
    proto_item *item = instead;

    if (kafka_is_wanted(view->show, hf_kafka_batch_attributes)) {
        item = proto_tree_add_item(tree, hf_kafka_batch_attributes, view->tvb, offset, 2, ENC_BIG_ENDIAN);
        tree = proto_item_add_subtree(item, ett_kafka_attributes);
    }
    /* Bits without a meaning are worth an item of their own where there are any. */
    size_t shown = (batch->attributes & KAFKA_ATTRIBUTE_UNUSED) != 0 ? array_length(bits) : array_length(bits) - 1;
    for (size_t i = 0; i < shown; i++) {
        if (kafka_is_wanted(view->show, *bits[i])) {
            proto_tree_add_uint(tree, *bits[i], view->tvb, offset, 2, (uint16_t)batch->attributes);
        }
    }
    return item;
}

static void show_fields(const struct kafka_records_view *view, const struct kafka_batch *batch,
                        struct batch_items *items)
{
    size_t at = batch->offset;
    proto_item *whole = items->batch;

    proto_item *item = add_int64(view, hf_kafka_offset, at + KAFKA_BATCH_BASE_OFFSET, 8, batch->base_offset);
    if (view->wants.visible) {
        /* By itself the field has the name that it has in records. */
        kafka_item_label_number(item, "Base Offset: ", batch->base_offset, "");
    }
    add_int(view, hf_kafka_message_size, at + KAFKA_BATCH_LENGTH, 4, batch->length, NULL);
    add_int(view, hf_kafka_partition_leader_epoch, at + KAFKA_BATCH_LEADER_EPOCH, 4, batch->leader_epoch, NULL);
    items->magic = add_int(view, hf_kafka_message_magic, at + KAFKA_BATCH_MAGIC, 1, batch->magic, whole);
    show_crc(view, batch);
    items->attributes = show_attributes(view, batch, whole);
    items->last_offset_delta = add_uint(view, hf_kafka_batch_last_offset_delta, at + KAFKA_BATCH_LAST_OFFSET_DELTA, 4,
                                        (uint32_t)batch->last_offset_delta, whole);
    item = add_int64(view, hf_kafka_batch_last_offset, at + KAFKA_BATCH_LAST_OFFSET_DELTA, 4,
                     kafka_batch_last_offset(batch));
    if (item != NULL) {
        proto_item_set_generated(item);
    }
    item = add_time(view, hf_kafka_batch_first_timestamp, at + KAFKA_BATCH_BASE_TIMESTAMP, batch->base_timestamp);
    if (item != NULL && (batch->attributes & KAFKA_ATTRIBUTE_DELETE_HORIZON) != 0) {
        proto_item_append_text(item, " (delete horizon)");
    }
    item = add_time(view, hf_kafka_batch_last_timestamp, at + KAFKA_BATCH_MAX_TIMESTAMP, batch->max_timestamp);
    items->max_timestamp = item != NULL ? item : whole;
    item = add_int64(view, hf_kafka_batch_producer_id, at + KAFKA_BATCH_PRODUCER_ID, 8, batch->producer_id);
    items->producer_id = item != NULL ? item : whole;
    add_int(view, hf_kafka_batch_producer_epoch, at + KAFKA_BATCH_PRODUCER_EPOCH, 2, batch->producer_epoch, NULL);
    items->base_sequence =
        add_int(view, hf_kafka_batch_base_sequence, at + KAFKA_BATCH_BASE_SEQUENCE, 4, batch->base_sequence, whole);
    if (batch->base_sequence >= 0) {
        item = add_int(view, hf_kafka_batch_last_sequence, at + KAFKA_BATCH_BASE_SEQUENCE, 4,
                       kafka_batch_last_sequence(batch), NULL);
        if (item != NULL) {
            proto_item_set_generated(item);
        }
    }
    items->count =
        add_uint(view, hf_kafka_batch_size, at + KAFKA_BATCH_RECORD_COUNT, 4, (uint32_t)batch->record_count, whole);
    if (kafka_attributes_codec(batch->attributes) != KAFKA_CODEC_NONE && batch->size > 0) {
        kafka_add_compressed_size(view, at + KAFKA_BATCH_RECORDS, batch->captured - KAFKA_BATCH_RECORDS,
                                  batch->size - KAFKA_BATCH_RECORDS);
    }
}

static bool is_impossible(unsigned problems)
{
    return (problems & (KAFKA_BATCH_NEGATIVE_COUNT | KAFKA_BATCH_NEGATIVE_LAST_DELTA)) != 0;
}

/* Whether count and last offset delta differ as they do where offsets are missing, and not the other way round. */
static bool has_gaps(const struct kafka_batch *batch, unsigned problems)
{
    return !is_impossible(problems) && batch->last_offset_delta > batch->record_count - 1;
}

static void check_count(const struct kafka_records_view *view, const struct kafka_batch *batch, unsigned problems,
                        const struct batch_items *items)
{
    packet_info *pinfo = view->show->pinfo;
    int64_t offsets = (int64_t)batch->last_offset_delta + 1;

    if (is_impossible(problems)) {
        kafka_expert_add_format(pinfo, items->count, &ei_kafka_record_count,
                                "Record count %d and last offset delta %d cannot be", batch->record_count,
                                batch->last_offset_delta);
    } else if ((problems & KAFKA_BATCH_COUNT_AND_LAST_DELTA_DIFFER) == 0) {
        return;
    } else if (!has_gaps(batch, problems)) {
        kafka_expert_add_format(pinfo, items->last_offset_delta, &ei_kafka_last_offset_delta,
                                "%d records cannot have only %" PRId64 " offsets", batch->record_count, offsets);
    } else if (view->show->is_request) {
        kafka_expert_add_format(pinfo, items->last_offset_delta, &ei_kafka_last_offset_delta,
                                "%d records span %" PRId64 " offsets, which a producer must not write",
                                batch->record_count, offsets);
    } else {
        kafka_expert_add_format(pinfo, items->last_offset_delta, &ei_kafka_compacted,
                                "%d records span %" PRId64 " offsets: compaction leaves gaps", batch->record_count,
                                offsets);
    }
}

/* What Kafka enforces about a header, and what this API version may carry. */
static void check_header(const struct kafka_records_view *view, const struct kafka_batch *batch,
                         const struct batch_items *items)
{
    packet_info *pinfo = view->show->pinfo;
    unsigned problems = kafka_batch_check_header(batch);
    enum kafka_codec codec = kafka_attributes_codec(batch->attributes);

    check_count(view, batch, problems, items);
    if ((problems & KAFKA_BATCH_UNUSED_ATTRIBUTES) != 0) {
        kafka_expert_add_format(pinfo, items->attributes, &ei_kafka_batch_attributes,
                                "Attributes 0x%04x have bits without a meaning", batch->attributes);
    }
    if ((problems & KAFKA_BATCH_TRANSACTIONAL_WITHOUT_PRODUCER) != 0) {
        kafka_expert_add_format(pinfo, items->producer_id, &ei_kafka_producer,
                                "Transactional, but without a producer id");
    }
    if ((problems & KAFKA_BATCH_PRODUCER_WITHOUT_SEQUENCE) != 0 && view->show->is_request) {
        kafka_expert_add_format(pinfo, items->base_sequence, &ei_kafka_producer, "A producer id, but no sequence");
    }
    if ((problems & KAFKA_BATCH_SEVERAL_MARKERS) != 0) {
        kafka_expert_add_format(pinfo, items->count, &ei_kafka_control_batch,
                                "A transaction's control batch has %d records, not one", batch->record_count);
    }
    if ((problems & KAFKA_BATCH_CONTROL_COMPRESSED) != 0) {
        kafka_expert_add_format(pinfo, items->attributes, &ei_kafka_control_batch, "A control batch is compressed");
    }
    if (view->rules != NULL && view->rules->max_magic < 2) {
        kafka_expert_add_format(pinfo, items->magic, &ei_kafka_magic_not_allowed,
                                "Magic 2 in version %d, which may carry up to %d", view->show->version,
                                view->rules->max_magic);
    }
    if (view->rules != NULL && codec == KAFKA_CODEC_ZSTD && !view->rules->may_have_zstd) {
        kafka_expert_add_format(pinfo, items->attributes, &ei_kafka_codec_not_allowed,
                                "zstd in version %d, which may not carry it", view->show->version);
    }
}

/* Shows the header of a batch, and what is to be said of it. */
KAFKA_APART static void show_header(const struct kafka_records_view *view, const struct kafka_batch *batch,
                                    struct batch_items *items)
{
    if (view->tree != NULL) {
        show_fields(view, batch, items);
    } else if (view->wants.checksums) {
        show_crc(view, batch);
    }
    if (view->wants.headers) {
        check_header(view, batch, items);
        kafka_producers_show(view->show, view->tree, items->base_sequence, batch);
        kafka_transactions_show_marker(view->show, view->tree, batch);
    }
}

/* What a walk over the records found that the header says otherwise, where the header alone did not tell it. */
static void check_records(const struct kafka_records_view *view, const struct kafka_batch *batch,
                          const struct kafka_records_seen *seen, const struct batch_items *items)
{
    packet_info *pinfo = view->show->pinfo;
    unsigned header_problems = kafka_batch_check_header(batch);
    unsigned problems = kafka_batch_check_records(batch, seen);
    bool delta_told =
        is_impossible(header_problems) || (header_problems & KAFKA_BATCH_COUNT_AND_LAST_DELTA_DIFFER) != 0;

    if ((problems & KAFKA_BATCH_COUNT_DIFFERS) != 0 && !is_impossible(header_problems)) {
        kafka_expert_add_format(pinfo, items->count, &ei_kafka_record_count, "The batch counts %d records and has %d",
                                batch->record_count, seen->count);
    }
    if ((problems & KAFKA_BATCH_LAST_DELTA_TOO_LOW) != 0) {
        if (!delta_told || (has_gaps(batch, header_problems) && !view->show->is_request)) {
            kafka_expert_add_format(pinfo, items->last_offset_delta, &ei_kafka_last_offset_delta,
                                    "Last offset delta %d is below the last record's, %d", batch->last_offset_delta,
                                    seen->last_offset_delta);
        }
    } else if ((problems & KAFKA_BATCH_LAST_DELTA_TOO_HIGH) != 0 && !delta_told) {
        kafka_expert_add_format(pinfo, items->last_offset_delta,
                                view->show->is_request ? &ei_kafka_last_offset_delta : &ei_kafka_compacted,
                                "Last offset delta %d is above the last record's, %d%s", batch->last_offset_delta,
                                seen->last_offset_delta, view->show->is_request ? "" : ": compaction removes records");
    }
    if ((problems & KAFKA_BATCH_MAX_TIMESTAMP_TOO_LOW) != 0) {
        kafka_expert_add_format(pinfo, items->max_timestamp, &ei_kafka_max_timestamp,
                                "Max timestamp %" PRId64 " is below a record's, %" PRId64, batch->max_timestamp,
                                seen->max_create_timestamp);
    }
}

KAFKA_COLD static void show_left_over(const struct kafka_records_view *view, const struct kafka_records_seen *seen,
                                      proto_item *item)
{
    if (view->tree != NULL && kafka_is_wanted(view->show, hf_kafka_undecoded)) {
        item = proto_tree_add_item(view->tree, hf_kafka_undecoded, view->tvb, (int)seen->left_over_offset,
                                   (int)seen->left_over, ENC_NA);
    }
    kafka_expert_add_format(view->show->pinfo, item, &ei_kafka_records_left_over,
                            "%zu byte%s left over behind the last record", seen->left_over,
                            seen->left_over == 1 ? " is" : "s are");
}

/* The text of a control batch names what its records are. */
KAFKA_COLD static void tell_control(proto_item *item, const struct kafka_records_view *view,
                                    const struct kafka_record *record, bool is_first)
{
    struct kafka_control_key key;

    if (record->parts > KAFKA_RECORD_KEY && kafka_control_key_read(view->data, &record->key, &key) == KAFKA_OK) {
        proto_item_append_text(item, "%s%s", is_first ? ": " : ", ",
                               key.known != NULL ? key.known->name : "unknown type");
    }
}

/* Has the records of a compressed batch unpacked and read from there; false when there are none to be had. */
KAFKA_APART static bool begin_unpacked(struct kafka_records_view *view, const struct kafka_batch *batch,
                                       enum kafka_codec codec, struct kafka_record_iterator *records)
{
    size_t packed = batch->captured - KAFKA_BATCH_RECORDS;
    bool is_whole = true;

    if (packed == 0 && batch->record_count == 0) {
        /* Compaction may leave a compressed batch without records. */
        return false;
    }
    tvbuff_t *unpacked = kafka_unpack_records(view, view->item, codec, batch->offset + KAFKA_BATCH_RECORDS, packed,
                                              batch->status == KAFKA_ITEM_CUT, &is_whole);
    if (unpacked == NULL) {
        return false;
    }
    if (view->wants.visible) {
        unsigned size = tvb_captured_length(unpacked);
        proto_item_append_text(view->item, ", unpacked %u bytes (ratio %.3g)", size, (double)packed / size);
    }
    view->tvb = unpacked;
    view->data = tvb_get_ptr(unpacked, 0, -1);
    kafka_records_init_unpacked(records, batch, view->data, tvb_captured_length(unpacked),
                                is_whole && batch->status == KAFKA_ITEM_COMPLETE);
    return true;
}

/* Shows the records of a batch; the view is its own. */
static void walk_records(struct kafka_records_view *view, const struct kafka_batch *batch,
                         const struct batch_items *items)
{
    enum kafka_codec codec = kafka_attributes_codec(batch->attributes);
    bool is_control = (batch->attributes & KAFKA_ATTRIBUTE_CONTROL) != 0;
    const proto_tree *tree = view->tree;
    proto_item *item = items->batch;
    struct kafka_record_iterator records;
    struct kafka_record record;

    view->item = item;
    if (codec != KAFKA_CODEC_NONE) {
        if (!begin_unpacked(view, batch, codec, &records)) {
            return;
        }
    } else {
        size_t end = batch->offset + batch->size;
        struct kafka_cursor cursor = {view->data, batch->offset, end, batch->offset + batch->captured};
        kafka_records_init(&records, batch, &cursor);
    }
    kafka_work.record_walks++;
    bool was_ascending = true;
    while (kafka_records_next(&records, &record) != KAFKA_ITEM_END) {
        /* A packet that has no room never has any again. */
        kafka_limit_view(view);
        proto_item *record_item = view->item;
        if (is_control && view->wants.visible && records.seen.count <= CONTROL_RECORDS_TOLD) {
            tell_control(item, view, &record, records.seen.count == 1);
        }
        /* A broken record is shown beyond the limit of records, and at least told where there is no room for it. */
        bool is_broken = record.status == KAFKA_ITEM_MALFORMED;
        bool is_shown = (is_broken && view->tree == tree) || kafka_take_record(view);
        if (is_shown || is_broken) {
            record_item = kafka_show_record(view, batch, &record);
        }
        if (was_ascending && !records.seen.is_ascending) {
            kafka_expert_add_format(view->show->pinfo, record_item, &ei_kafka_offsets_not_ascending,
                                    "Offset delta %d is not above that of the record before", record.offset_delta);
            was_ascending = false;
        }
    }
    check_records(view, batch, &records.seen, items);
    if (records.seen.left_over > 0) {
        show_left_over(view, &records.seen, item);
    }
}

void kafka_show_batch(const struct kafka_records_view *outer, const struct kafka_batch *batch)
{
    struct kafka_records_view view = *outer;
    packet_info *pinfo = view.show->pinfo;
    proto_item *item = view.item;

    if (view.tree != NULL && view.wants.visible) {
        item = add_batch(&view, batch);
    }
    if (batch->status == KAFKA_ITEM_MALFORMED) {
        kafka_expert_add_format(pinfo, item, &ei_kafka_bad_batch, "Broken batch: %s", kafka_fault_text(batch->fault));
    } else if (batch->status == KAFKA_ITEM_CUT) {
        kafka_expert_add_format(pinfo, item, &ei_kafka_cut_batch, "The capture has %zu of this batch's %zu bytes",
                                batch->captured, batch->size);
    }
    if (!kafka_batch_has_header(batch)) {
        if (view.tree != NULL && kafka_is_wanted(view.show, hf_kafka_undecoded)) {
            proto_tree_add_item(view.tree, hf_kafka_undecoded, view.tvb, (int)batch->offset, (int)batch->captured,
                                ENC_NA);
        }
        return;
    }
    struct batch_items items = {item, item, item, item, item, item, item, item};
    bool is_control = (batch->attributes & KAFKA_ATTRIBUTE_CONTROL) != 0;
    if (view.wants.headers || view.wants.checksums) {
        show_header(&view, batch, &items);
    }
    if ((view.wants.records || (view.wants.control && is_control)) && batch->status != KAFKA_ITEM_MALFORMED) {
        walk_records(&view, batch, &items);
    }
}
