/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "records.h"

#include <stdio.h>
#include <stdlib.h>

#include "../wire/placement.h"
#include "../wire/record_set.h"
#include "connection.h"
#include "expert.h"
#include "fields.h"
#include "label.h"
#include "preferences.h"
#include "text.h"

/* The API whose records may begin and end inside a batch (KIP-630). */
#define FETCH_SNAPSHOT 59

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

void kafka_limit_view(struct kafka_records_view *view)
{
    if (view->tree != NULL && !kafka_show_has_room(view->show)) {
        view->tree = NULL;
        view->item = NULL;
    }
}

bool kafka_take_record(const struct kafka_records_view *view)
{
    struct kafka_frame_budget *budget = view->budget;

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
KAFKA_COLD static void show_other(const struct kafka_records_view *view, const struct kafka_record_set_entry *entry)
{
    size_t shown = entry->captured;
    proto_item *item = view->item;

    if (view->tree != NULL && kafka_is_wanted(view->show, hf_kafka_undecoded)) {
        item = proto_tree_add_item(view->tree, hf_kafka_undecoded, view->tvb, (int)entry->offset, (int)shown, ENC_NA);
    }
    if (entry->status == KAFKA_ITEM_CUT) {
        kafka_expert_add(view->show->pinfo, item, &ei_kafka_cut_batch);
    } else if (entry->fault == KAFKA_FAULT_UNKNOWN_MAGIC) {
        kafka_expert_add_format(view->show->pinfo, item, &ei_kafka_unknown_magic, "Magic %d is not known (0 to 2 are)",
                                entry->batch.magic);
    } else {
        kafka_expert_add_format(view->show->pinfo, item, &ei_kafka_bad_batch, "No batch or message begins here: %s",
                                kafka_fault_text(entry->fault));
    }
}

/* What a fetch limit left of the last entry is normal in a response, as is what a snapshot's part ends with. */
KAFKA_APART static void show_partial(const struct kafka_records_view *view, const struct kafka_record_set_entry *entry)
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
    if (view->show->is_request) {
        kafka_expert_add_format(view->show->pinfo, item, &ei_kafka_bad_batch,
                                "The last batch goes beyond the end of the record set, which has %zu bytes of it",
                                entry->present);
    } else if (entry->size > 0) {
        kafka_expert_add_format(view->show->pinfo, item, &ei_kafka_partial_batch,
                                "Partial batch: %zu of %zu bytes, cut at the end of the record set", entry->present,
                                entry->size);
    } else {
        kafka_expert_add_format(view->show->pinfo, item, &ei_kafka_partial_batch,
                                "Partial batch: %zu bytes of its header, cut at the end of the record set",
                                entry->present);
    }
}

/* Of a part of a snapshot, what belongs to a batch that began in the part before. */
KAFKA_COLD static void show_end_of_batch(const struct kafka_records_view *view, size_t offset, size_t length)
{
    proto_item *item = view->item;

    if (view->tree != NULL && kafka_is_wanted(view->show, hf_kafka_truncated_content)) {
        item = proto_tree_add_item(view->tree, hf_kafka_truncated_content, view->tvb, (int)offset, (int)length, ENC_NA);
        if (view->wants.visible) {
            proto_item_set_text(item, "Rest of a batch that began in an earlier part, %zu bytes", length);
        }
    }
    kafka_expert_add_format(view->show->pinfo, item, &ei_kafka_partial_batch,
                            "%zu bytes of a batch that began in an earlier part of the snapshot", length);
}

/* Finds a batch that begins before end; all searches in a frame share a budget. */
static bool find_batch(const struct kafka_records_view *view, struct kafka_cursor *cursor, size_t end)
{
    struct kafka_frame_budget *budget = view->budget;
    size_t left = KAFKA_FIND_MAX_BYTES - budget->searched;
    bool is_found = kafka_record_set_find_batch(cursor, end, &left);

    budget->searched = KAFKA_FIND_MAX_BYTES - left;
    return is_found;
}

/* FetchSnapshot cuts a snapshot anywhere: moves the cursor to the first batch that begins in the part at hand. */
KAFKA_APART static void skip_end_of_batch(const struct kafka_records_view *view, struct kafka_cursor *cursor)
{
    struct kafka_cursor at = *cursor;
    struct kafka_cursor next = *cursor;
    struct kafka_record_set_entry entry;
    bool is_found = find_batch(view, &next, cursor->limit);
    bool is_batch =
        kafka_record_set_next(&at, &entry) == KAFKA_ITEM_END ||
        (entry.kind == KAFKA_ENTRY_BATCH && (!is_found || next.offset <= entry.offset || next.offset == at.offset));

    if (!is_batch) {
        size_t end = cursor->limit < cursor->captured ? cursor->limit : cursor->captured;
        size_t begin = cursor->offset;
        cursor->offset = is_found ? next.offset : end;
        show_end_of_batch(view, begin, cursor->offset - begin);
    }
}

/*
 * An entry whose length is wrong takes the rest of the set along. Where a good batch begins inside of it, the entry
 * ends there. Returns whether that is so.
 */
KAFKA_COLD static bool cut_to_next_batch(const struct kafka_records_view *view, struct kafka_cursor *cursor,
                                         struct kafka_record_set_entry *entry)
{
    bool may_be_wrong = entry->status == KAFKA_ITEM_PARTIAL || entry->kind == KAFKA_ENTRY_OTHER ||
                        (entry->status == KAFKA_ITEM_MALFORMED && entry->size == 0);
    struct kafka_cursor next = *cursor;

    next.offset = entry->offset + 1;
    if (!may_be_wrong || !find_batch(view, &next, cursor->offset)) {
        return false;
    }
    cursor->offset = next.offset;
    entry->present = next.offset - entry->offset;
    entry->captured = entry->present;
    if (entry->kind == KAFKA_ENTRY_OLD_MESSAGE) {
        entry->old_message.present = entry->old_message.captured = entry->present;
    } else {
        entry->batch.present = entry->batch.captured = entry->present;
    }
    return true;
}

/* Bytes before a batch that make no entry of their own: their length says more than there is. */
KAFKA_COLD static void show_broken(const struct kafka_records_view *view, const struct kafka_record_set_entry *entry)
{
    proto_item *item = view->item;

    if (view->tree != NULL && kafka_is_wanted(view->show, hf_kafka_undecoded)) {
        item = proto_tree_add_item(view->tree, hf_kafka_undecoded, view->tvb, (int)entry->offset, (int)entry->captured,
                                   ENC_NA);
    }
    kafka_expert_add_format(view->show->pinfo, item, &ei_kafka_bad_batch,
                            "A length of %zu bytes, but the next batch begins after %zu", entry->size, entry->captured);
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

/* Says how many records and batches there was no room for, at least one of either. */
KAFKA_COLD static const char *left_out_text(wmem_allocator_t *scope, uint32_t records, uint32_t batches)
{
    const char *are = records + batches == 1 ? "is" : "are";
    const char *some_records = records == 1 ? "record" : "records";
    const char *some_batches = batches == 1 ? "batch" : "batches";

    if (records == 0) {
        return wmem_strdup_printf(scope, "%u %s %s", batches, some_batches, are);
    }
    if (batches == 0) {
        return wmem_strdup_printf(scope, "%u %s %s", records, some_records, are);
    }
    return wmem_strdup_printf(scope, "%u %s and %u %s %s", records, some_records, batches, some_batches, are);
}

/* What is told of a record set in the Info column, and whether there may be a control batch in it. */
struct told {
    struct kafka_records_summary sum;
    bool may_have_control;
};

/* Takes note of what the header of one entry tells. Behind what is broken, and inside of it, others are looked for. */
static void tell_entry(struct told *told, const struct kafka_record_set_entry *entry)
{
    struct kafka_records_summary *sum = &told->sum;

    if (entry->kind == KAFKA_ENTRY_BATCH && kafka_batch_has_header(&entry->batch)) {
        if (sum->entries == 0) {
            sum->first_offset = entry->batch.base_offset;
            sum->codec = kafka_codec_name(kafka_attributes_codec(entry->batch.attributes));
        }
        sum->last_offset = kafka_batch_last_offset(&entry->batch);
        sum->records += entry->batch.record_count > 0 ? (uint64_t)entry->batch.record_count : 0;
        sum->entries++;
        sum->batches++;
        told->may_have_control = told->may_have_control || (entry->batch.attributes & KAFKA_ATTRIBUTE_CONTROL) != 0;
    } else if (entry->kind == KAFKA_ENTRY_OLD_MESSAGE && entry->old_message.parts > KAFKA_OLD_ATTRIBUTES) {
        if (sum->entries == 0) {
            sum->first_offset = entry->old_message.offset;
            sum->codec = kafka_codec_name(kafka_attributes_codec(entry->old_message.attributes));
        }
        sum->last_offset = entry->old_message.offset;
        sum->entries++;
        sum->records++;
    }
    told->may_have_control =
        told->may_have_control || (entry->status != KAFKA_ITEM_COMPLETE && entry->status != KAFKA_ITEM_CUT);
}

/* Does the same for all entries from the cursor on. */
static void tell_rest(struct told *told, const struct kafka_cursor *cursor)
{
    struct kafka_cursor at = *cursor;
    struct kafka_record_set_entry entry;

    while (kafka_record_set_next(&at, &entry) != KAFKA_ITEM_END) {
        tell_entry(told, &entry);
    }
}

KAFKA_APART static void label_record_set(proto_item *item, unsigned entries, size_t size)
{
    const field_info *info = item != NULL ? PITEM_FINFO(item) : NULL;
    char room[ITEM_LABEL_LENGTH];
    struct kafka_text text;

    if (info == NULL) {
        return;
    }
    kafka_text_init(&text, room, sizeof room);
    kafka_text_string(&text, info->hfinfo->name);
    if (size == 0) {
        kafka_text_string(&text, ": empty");
    } else {
        kafka_text_string(&text, " (");
        kafka_text_number(&text, entries);
        kafka_text_string(&text, entries == 1 ? " entry, " : " entries, ");
        kafka_text_number(&text, (int64_t)size);
        kafka_text_string(&text, " bytes)");
    }
    kafka_item_set_label(item, text.bytes, text.used);
}

/* Says how many records and batches of the set are not shown. */
KAFKA_COLD static void tell_left_out(const struct kafka_records_view *view, uint32_t records, uint32_t batches)
{
    packet_info *pinfo = view->show->pinfo;

    kafka_expert_add_format(pinfo, view->item, &ei_kafka_records_left_out,
                            "%s not shown: kafka.max_records (%u) and kafka.max_items (%u) limit a packet",
                            left_out_text(pinfo->pool, records, batches), kafka_max_records(), kafka_max_items());
}

/*
 * Shows the entries from the cursor on, and returns how many there are. Where told is not NULL, takes note of them on
 * the way: of all that are behind one that is not whole at once, for the way may go on otherwise than is told.
 */
static unsigned show_entries(struct kafka_records_view *view, struct kafka_cursor *cursor, struct told *told)
{
    struct kafka_frame_budget *budget = view->budget;
    struct kafka_records_view shown = *view;
    struct kafka_record_set_entry entry;
    uint32_t left_out = budget->left_out;
    unsigned entries = 0;
    uint32_t entries_left_out = 0;

    while (kafka_record_set_next(cursor, &entry) != KAFKA_ITEM_END) {
        if (told != NULL) {
            tell_entry(told, &entry);
            if (entry.status != KAFKA_ITEM_COMPLETE) {
                tell_rest(told, cursor);
            }
            if (told->may_have_control && view->tree != NULL && !view->wants.control) {
                view->wants.control = kafka_wants_control_values();
            }
            if (entry.status != KAFKA_ITEM_COMPLETE) {
                told = NULL;
            }
        }
        /* A packet that has no room never has any again. */
        kafka_limit_view(&shown);
        shown.wants.control = view->wants.control;
        if (entry.status != KAFKA_ITEM_COMPLETE && cut_to_next_batch(view, cursor, &entry) &&
            entry.status == KAFKA_ITEM_PARTIAL) {
            show_broken(&shown, &entry);
        } else {
            show_entry(&shown, &entry);
        }
        entries++;
        entries_left_out += view->tree != NULL && shown.tree == NULL ? 1 : 0;
    }
    if (budget->left_out > left_out || entries_left_out > 0) {
        tell_left_out(view, budget->left_out - left_out, entries_left_out);
    }
    return entries;
}

static bool shows_something(const struct kafka_record_wants *wants)
{
    return wants->headers || wants->checksums || wants->records || wants->control;
}

void kafka_show_record_set(struct kafka_show *show, proto_tree *tree, proto_item *item, const struct kafka_span *value)
{
    struct kafka_records_view view = {
        .show = show,
        .wants = kafka_record_wants_find(show->pinfo, show->tree),
        .rules = kafka_record_rules_find(show->api_key, show->version),
        .tvb = show->tvb,
        .data = show->data,
        .tree = show->tree != NULL ? tree : NULL,
        .item = item != NULL ? item : show->item,
    };
    struct kafka_cursor cursor = {show->data, value->offset, value->offset + value->length,
                                  tvb_captured_length(show->tvb)};
    struct told told = {.sum = {.bytes = value->length, .has_offsets = !show->is_request},
                        .may_have_control = show->api_key == FETCH_SNAPSHOT || show->summary == NULL};
    bool is_told = show->summary == NULL;

    /* A part of a snapshot is shown from its first batch on, but told of as a whole. */
    if (!is_told && (show->api_key == FETCH_SNAPSHOT || !shows_something(&view.wants))) {
        tell_rest(&told, &cursor);
        is_told = true;
    }
    if (told.may_have_control && view.tree != NULL && !view.wants.control) {
        view.wants.control = kafka_wants_control_values();
    }
    if (shows_something(&view.wants)) {
        view.budget = kafka_frame_budget(show->pinfo);
        if (show->api_key == FETCH_SNAPSHOT) {
            skip_end_of_batch(&view, &cursor);
        }
        unsigned entries = show_entries(&view, &cursor, is_told ? NULL : &told);
        if (view.wants.visible) {
            label_record_set(item, entries, value->length);
        }
    }
    if (show->summary != NULL) {
        kafka_summary_records(show->summary, &told.sum);
    }
}
