/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "records.h"

#include <stdio.h>
#include <stdlib.h>

#include "../wire/record_set.h"
#include "connection.h"
#include "expert.h"
#include "fields.h"
#include "preferences.h"

struct kafka_work kafka_work;

static void write_work(void)
{
    const char *path = getenv("KAFKA_WORK_COUNTS");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;

    if (file != NULL) {
        fprintf(file, "checksums %" PRIu64 "\ninflations %" PRIu64 "\nrecord_walks %" PRIu64 "\n", kafka_work.checksums,
                kafka_work.inflations, kafka_work.record_walks);
        fclose(file);
    }
}

void kafka_records_handoff(void)
{
    register_cleanup_routine(write_work);
}

bool kafka_take_record(const struct kafka_records_view *view)
{
    struct kafka_frame_budget *budget = kafka_frame_budget(view->show->pinfo);

    /* Where nobody looks, a filter must find the last record as well as the first. */
    if ((view->wants.visible && budget->records >= kafka_max_records()) ||
        (view->show->tree != NULL && !kafka_show_has_room(view->show))) {
        budget->left_out++;
        return false;
    }
    budget->records++;
    return true;
}

/* Something that starts like a batch or message, and is neither. */
static void show_other(const struct kafka_records_view *view, const struct kafka_record_set_entry *entry)
{
    size_t shown = entry->captured;
    proto_item *item = view->item;

    if (view->tree != NULL && kafka_is_wanted(view->show, hf_kafka_undecoded)) {
        item = proto_tree_add_item(view->tree, hf_kafka_undecoded, view->tvb, (int)entry->offset, (int)shown, ENC_NA);
    }
    if (entry->status == KAFKA_ITEM_CUT) {
        expert_add_info(view->show->pinfo, item, &ei_kafka_cut_batch);
    } else if (entry->fault == KAFKA_FAULT_UNKNOWN_MAGIC) {
        expert_add_info_format(view->show->pinfo, item, &ei_kafka_unknown_magic, "Magic %d is not known (0 to 2 are)",
                               entry->batch.magic);
    } else {
        expert_add_info_format(view->show->pinfo, item, &ei_kafka_bad_batch, "No batch or message begins here: %s",
                               kafka_fault_text(entry->fault));
    }
}

/* What a fetch limit left of the last entry is normal in a response, and what a snapshot's part begins and ends with.
 */
static void show_partial(const struct kafka_records_view *view, const struct kafka_record_set_entry *entry)
{
    proto_item *item = view->item;

    if (view->tree != NULL && kafka_is_wanted(view->show, hf_kafka_truncated_content)) {
        item = proto_tree_add_item(view->tree, hf_kafka_truncated_content, view->tvb, (int)entry->offset,
                                   (int)entry->captured, ENC_NA);
        if (view->wants.visible) {
            if (entry->size > 0) {
                proto_item_set_text(item, "Partial batch, %zu of %zu bytes", entry->present, entry->size);
            } else {
                proto_item_set_text(item, "Partial batch, %zu bytes of its header", entry->present);
            }
        }
    }
    if (entry->size > 0) {
        expert_add_info_format(view->show->pinfo, item, &ei_kafka_partial_batch,
                               "Partial batch: %zu of %zu bytes, cut at the end of the record set", entry->present,
                               entry->size);
    } else {
        expert_add_info_format(view->show->pinfo, item, &ei_kafka_partial_batch,
                               "Partial batch: %zu bytes of its header, cut at the end of the record set",
                               entry->present);
    }
}

static void show_entry(const struct kafka_records_view *view, const struct kafka_record_set_entry *entry)
{
    if (entry->status == KAFKA_ITEM_PARTIAL) {
        show_partial(view, entry);
        return;
    }
    switch (entry->kind) {
    case KAFKA_ENTRY_BATCH:
        kafka_show_batch(view, &entry->batch);
        break;
    case KAFKA_ENTRY_OLD_MESSAGE:
        kafka_show_old_message(view, &entry->old_message);
        break;
    case KAFKA_ENTRY_OTHER:
        show_other(view, entry);
        break;
    }
}

void kafka_show_record_set(struct kafka_show *show, proto_tree *tree, proto_item *item, const struct kafka_span *value)
{
    struct kafka_records_view view = {
        .show = show,
        .wants = kafka_record_wants_find(show->tree),
        .rules = kafka_record_rules_find(show->api_key, show->version),
        .tvb = show->tvb,
        .data = show->data,
        .tree = show->tree != NULL ? tree : NULL,
        .item = item != NULL ? item : show->item,
    };

    if (show->summary != NULL) {
        kafka_summarise_record_set(show, value);
    }
    if (!view.wants.headers && !view.wants.checksums && !view.wants.records) {
        return;
    }
    size_t captured = tvb_captured_length(show->tvb);
    struct kafka_cursor cursor = {show->data, value->offset, value->offset + value->length, captured};
    struct kafka_record_set_entry entry;
    unsigned entries = 0;
    struct kafka_frame_budget *budget = kafka_frame_budget(show->pinfo);
    uint32_t left_out = budget->left_out;
    while (kafka_record_set_next(&cursor, &entry) != KAFKA_ITEM_END) {
        show_entry(&view, &entry);
        entries++;
    }
    if (view.wants.visible && item != NULL) {
        proto_item_append_text(item, value->length == 0 ? ": empty" : " (%u %s, %zu bytes)", entries,
                               entries == 1 ? "entry" : "entries", value->length);
    }
    if (budget->left_out > left_out) {
        expert_add_info_format(
            show->pinfo, view.item, &ei_kafka_records_left_out,
            "%u records are not shown: the preference for records in a packet (kafka.max_records) is %u",
            budget->left_out - left_out, kafka_max_records());
    }
}

void kafka_summarise_record_set(struct kafka_show *show, const struct kafka_span *value)
{
    struct kafka_cursor cursor = {show->data, value->offset, value->offset + value->length,
                                  tvb_captured_length(show->tvb)};
    struct kafka_record_set_entry entry;
    struct kafka_records_summary sum = {.bytes = value->length, .has_offsets = !show->is_request};

    while (kafka_record_set_next(&cursor, &entry) != KAFKA_ITEM_END) {
        if (entry.kind == KAFKA_ENTRY_BATCH && kafka_batch_has_header(&entry.batch)) {
            if (sum.entries == 0) {
                sum.first_offset = entry.batch.base_offset;
                sum.codec = kafka_codec_name(kafka_attributes_codec(entry.batch.attributes));
            }
            sum.last_offset = kafka_batch_last_offset(&entry.batch);
            sum.records += entry.batch.record_count > 0 ? (uint64_t)entry.batch.record_count : 0;
            sum.entries++;
            sum.batches++;
        } else if (entry.kind == KAFKA_ENTRY_OLD_MESSAGE && entry.old_message.parts > KAFKA_OLD_ATTRIBUTES) {
            if (sum.entries == 0) {
                sum.first_offset = entry.old_message.offset;
                sum.codec = kafka_codec_name(kafka_attributes_codec(entry.old_message.attributes));
            }
            sum.last_offset = entry.old_message.offset;
            sum.entries++;
            sum.records++;
        }
    }
    kafka_summary_records(show->summary, &sum);
}
