/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "expert.h"
#include "producers.h"

#include <stdlib.h>

#include "../wire/producer.h"
#include "../wire/record_set.h"
#include "fields.h"
#include "message.h"
#include "state.h"
#include "topics.h"
#include "transactions.h"

int hf_kafka_producer_repeats_frame = -1;
int hf_kafka_producer_previous_frame = -1;

expert_field ei_kafka_producer_repeated = EI_INIT;
expert_field ei_kafka_producer_gap = EI_INIT;
expert_field ei_kafka_producer_back = EI_INIT;
expert_field ei_kafka_producer_epoch = EI_INIT;
expert_field ei_kafka_producer_epoch_start = EI_INIT;
expert_field ei_kafka_producer_fenced = EI_INIT;
expert_field ei_kafka_producer_wrapped = EI_INIT;

struct remark {
    size_t offset; /* of the batch in the PDU */
    struct kafka_producer_report report;
};

struct kafka_batch_remarks {
    uint32_t count;
    uint32_t room;
    struct remark *list; /* in the order of the bytes */
};

struct counted {
    struct kafka_producer_partition key;
    struct kafka_producer producer;
};

/* A request that is being learned from. */
struct lesson {
    const packet_info *pinfo;
    struct kafka_exchange *exchange;
    const struct kafka_cursor *cursor;
    size_t start;                       /* of the PDU in the cursor's data */
    struct kafka_span transactional_id; /* until the transaction was noted */
};

/* struct kafka_producer_partition → struct counted; emptied when the capture is closed. */
static wmem_map_t *producers;

static struct kafka_producer *producer_of(const struct kafka_producer_partition *key)
{
    struct counted *counted = wmem_map_lookup(producers, key);

    if (counted == NULL) {
        counted = wmem_new0(wmem_file_scope(), struct counted);
        counted->key = *key;
        wmem_map_insert(producers, &counted->key, counted);
    }
    struct kafka_producer *producer = &counted->producer;
    uint32_t room = kafka_producer_wanted_room(producer);
    if (room > producer->room) {
        producer->kept = wmem_realloc(wmem_file_scope(), producer->kept, room * sizeof *producer->kept);
        producer->room = room;
    }
    return producer;
}

static void remark(struct lesson *lesson, const struct kafka_batch *batch, const struct kafka_producer_report *report)
{
    struct kafka_state *state = kafka_state_of(lesson->exchange);

    if (state->batches == NULL) {
        state->batches = wmem_new0(wmem_file_scope(), struct kafka_batch_remarks);
    }
    struct kafka_batch_remarks *remarks = state->batches;
    if (remarks->count == remarks->room) {
        remarks->room = remarks->room == 0 ? 1 : 2 * remarks->room;
        remarks->list = wmem_realloc(wmem_file_scope(), remarks->list, remarks->room * sizeof *remarks->list);
    }
    remarks->list[remarks->count++] = (struct remark){batch->offset - lesson->start, *report};
}

/* The first batch tells of which producer the transaction is. */
static void take_transaction(struct lesson *lesson, int64_t producer_id, int16_t epoch)
{
    if (lesson->transactional_id.length > 0) {
        kafka_transactions_take(lesson->pinfo, lesson->exchange,
                                (const char *)lesson->cursor->data + lesson->transactional_id.offset,
                                lesson->transactional_id.length, producer_id, epoch);
        lesson->transactional_id.length = 0;
    }
}

static void take_batch(struct lesson *lesson, const struct kafka_place *place, const struct kafka_batch *batch)
{
    struct kafka_producer_report report;

    if (!kafka_batch_has_header(batch) || batch->producer_id < 0 || batch->base_sequence < 0 ||
        batch->last_offset_delta < 0 || place->topic.bytes == NULL) {
        return;
    }
    take_transaction(lesson, batch->producer_id, batch->producer_epoch);
    struct kafka_producer_partition key = {batch->producer_id, {kafka_topic_keep(&place->topic), place->partition}};
    struct kafka_producer_batch counted = {batch->base_sequence, kafka_batch_last_sequence(batch), lesson->pinfo->num};
    kafka_producer_take(producer_of(&key), batch->producer_epoch, &counted, &report);
    if (report.finding != KAFKA_PRODUCER_FOLLOWS) {
        remark(lesson, batch, &report);
    }
}

static bool wants_no_number(const struct kafka_field *field _U_)
{
    return false;
}

static void take_leaf(void *context, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    struct lesson *lesson = context;
    struct kafka_record_set_entry entry;

    if (leaf->field->meaning == KAFKA_MEANING_TRANSACTIONAL_ID && leaf->value.length > 0) {
        lesson->transactional_id = leaf->value;
    }
    if (leaf->field->type != KAFKA_TYPE_RECORDS || leaf->value.is_null) {
        return;
    }
    struct kafka_cursor cursor = *lesson->cursor;
    cursor.offset = leaf->value.offset;
    cursor.limit = leaf->value.offset + leaf->value.length;
    while (kafka_record_set_next(&cursor, &entry) != KAFKA_ITEM_END) {
        if (entry.kind == KAFKA_ENTRY_BATCH) {
            take_batch(lesson, place, &entry.batch);
        }
    }
}

void kafka_producers_learn(packet_info *pinfo, struct kafka_exchange *exchange, const struct kafka_body *body,
                           size_t start)
{
    struct lesson lesson = {.pinfo = pinfo, .exchange = exchange, .cursor = &body->cursor, .start = start};

    (void)kafka_walk_places(body, wants_no_number, take_leaf, &lesson);
    take_transaction(&lesson, -1, -1);
}

static void add_frame(struct kafka_show *show, proto_tree *tree, const struct kafka_batch *batch, int hf,
                      uint32_t frame)
{
    if (tree != NULL && kafka_is_wanted(show, hf)) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, hf, show->tvb, (int)(batch->offset + KAFKA_BATCH_BASE_SEQUENCE), 4, frame));
    }
}

static void tell(struct kafka_show *show, proto_item *item, const struct kafka_batch *batch,
                 const struct kafka_producer_report *report)
{
    packet_info *pinfo = show->pinfo;
    int32_t first = batch->base_sequence;

    switch (report->finding) {
    case KAFKA_PRODUCER_FOLLOWS:
        break;
    case KAFKA_PRODUCER_WRAPPED:
        kafka_expert_add_format(pinfo, item, &ei_kafka_producer_wrapped,
                                "Behind sequence 2147483647 comes 0 (batch before: frame %u)", report->frame);
        break;
    case KAFKA_PRODUCER_REPEATED:
        kafka_expert_add_format(pinfo, item, &ei_kafka_producer_repeated,
                                "The batch from sequence %d to %d was sent before, in frame %u", first,
                                kafka_batch_last_sequence(batch), report->frame);
        break;
    case KAFKA_PRODUCER_GAP:
        kafka_expert_add_format(pinfo, item, &ei_kafka_producer_gap,
                                "Sequence numbers %d to %d are missing behind frame %u", report->expected,
                                first > 0 ? first - 1 : INT32_MAX, report->frame);
        break;
    case KAFKA_PRODUCER_BACK:
        kafka_expert_add_format(pinfo, item, &ei_kafka_producer_back,
                                "Sequence %d, where %d was to come behind frame %u", first, report->expected,
                                report->frame);
        break;
    case KAFKA_PRODUCER_NEW_EPOCH:
        kafka_expert_add_format(pinfo, item, &ei_kafka_producer_epoch, "Epoch %d follows epoch %d (frame %u)",
                                batch->producer_epoch, report->last_epoch, report->frame);
        break;
    case KAFKA_PRODUCER_NEW_EPOCH_NOT_AT_ZERO:
        kafka_expert_add_format(pinfo, item, &ei_kafka_producer_epoch_start,
                                "Epoch %d, which follows epoch %d (frame %u), begins at sequence %d and not at 0",
                                batch->producer_epoch, report->last_epoch, report->frame, first);
        break;
    case KAFKA_PRODUCER_OLD_EPOCH:
        kafka_expert_add_format(pinfo, item, &ei_kafka_producer_fenced,
                                "Epoch %d is fenced off by epoch %d, which began in frame %u", batch->producer_epoch,
                                report->last_epoch, report->frame);
        break;
    }
}

void kafka_producers_show(struct kafka_show *show, proto_tree *tree, proto_item *item, const struct kafka_batch *batch)
{
    const struct kafka_batch_remarks *remarks = show->state != NULL && show->is_request ? show->state->batches : NULL;
    const struct remark *found = remarks != NULL ? bsearch(&batch->offset, remarks->list, remarks->count,
                                                           sizeof *remarks->list, kafka_compare_offsets)
                                                 : NULL;

    if (found == NULL) {
        return;
    }
    int hf = found->report.finding == KAFKA_PRODUCER_REPEATED ? hf_kafka_producer_repeats_frame
                                                              : hf_kafka_producer_previous_frame;
    add_frame(show, tree, batch, hf, found->report.frame);
    tell(show, item, batch, &found->report);
}

void kafka_producers_register(int proto)
{
    const struct kafka_field_row fields[] = {
        {&hf_kafka_producer_repeats_frame,
         {"First Sent in Frame", "kafka.producer.repeats_frame", FT_FRAMENUM, BASE_NONE,
          FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV), 0, "Frame in which the producer sent the same batch before", HFILL}},
        {&hf_kafka_producer_previous_frame,
         {"Batch Before in Frame", "kafka.producer.previous_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "Frame of the producer's batch for this partition that this one does not follow", HFILL}},
    };
    static ei_register_info infos[] = {
        {&ei_kafka_producer_repeated,
         {"kafka.producer.repeated", PI_SEQUENCE, PI_NOTE, "The producer sent this batch before", EXPFILL}},
        {&ei_kafka_producer_gap,
         {"kafka.producer.gap", PI_SEQUENCE, PI_NOTE, "Sequences of the producer are missing", EXPFILL}},
        {&ei_kafka_producer_back,
         {"kafka.producer.back", PI_SEQUENCE, PI_WARN, "The producer's sequence goes back", EXPFILL}},
        {&ei_kafka_producer_epoch,
         {"kafka.producer.new_epoch", PI_SEQUENCE, PI_CHAT, "The producer has a new epoch", EXPFILL}},
        {&ei_kafka_producer_epoch_start,
         {"kafka.producer.epoch_start", PI_SEQUENCE, PI_NOTE, "A new epoch does not begin at sequence 0", EXPFILL}},
        {&ei_kafka_producer_fenced,
         {"kafka.producer.fenced", PI_SEQUENCE, PI_WARN, "The producer's epoch is an old one", EXPFILL}},
        {&ei_kafka_producer_wrapped,
         {"kafka.producer.wrapped", PI_SEQUENCE, PI_CHAT, "The producer's sequence begins again", EXPFILL}},
    };

    kafka_register_rows(fields, array_length(fields));
    expert_register_field_array(expert_register_protocol(proto), infos, array_length(infos));
    producers = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), kafka_producer_partition_hash,
                                       kafka_producer_partitions_equal);
}
