/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer.h"

#include "batch.h"

#define FIRST_ROOM 4

uint32_t kafka_producer_wanted_room(const struct kafka_producer *producer)
{
    if (producer->kept_count < producer->room || producer->room == KAFKA_PRODUCER_KEPT) {
        return producer->room;
    }
    return producer->room == 0 ? FIRST_ROOM : 2 * producer->room;
}

static void keep(struct kafka_producer *producer, const struct kafka_producer_batch *batch)
{
    if (producer->kept_count < producer->room) {
        producer->kept[producer->kept_count++] = *batch;
    } else if (producer->room > 0) {
        producer->kept[producer->next] = *batch;
        producer->next = (producer->next + 1) % producer->room;
    }
}

static const struct kafka_producer_batch *find_kept(const struct kafka_producer *producer,
                                                    const struct kafka_producer_batch *batch)
{
    for (uint32_t i = 0; i < producer->kept_count; i++) {
        if (producer->kept[i].first == batch->first && producer->kept[i].last == batch->last) {
            return &producer->kept[i];
        }
    }
    return NULL;
}

static void begin_epoch(struct kafka_producer *producer, int16_t epoch, const struct kafka_producer_batch *batch)
{
    producer->is_known = true;
    producer->epoch = epoch;
    producer->epoch_frame = batch->frame;
    producer->kept_count = 0;
    producer->next = 0;
    producer->last = *batch;
    keep(producer, batch);
}

/* A batch of the epoch at hand. */
static enum kafka_producer_finding take_sequence(struct kafka_producer *producer,
                                                 const struct kafka_producer_batch *batch,
                                                 struct kafka_producer_report *report)
{
    if (batch->first == report->expected) {
        bool is_wrapped = batch->first < producer->last.last || batch->last < batch->first;
        producer->last = *batch;
        keep(producer, batch);
        return is_wrapped ? KAFKA_PRODUCER_WRAPPED : KAFKA_PRODUCER_FOLLOWS;
    }
    const struct kafka_producer_batch *same = find_kept(producer, batch);
    if (same != NULL) {
        report->frame = same->frame;
        return KAFKA_PRODUCER_REPEATED;
    }
    /* Sequences go round: the shorter way tells whether this is ahead or behind. */
    uint32_t ahead = ((uint32_t)batch->first - (uint32_t)report->expected) & INT32_MAX;
    bool is_ahead = ahead < UINT32_C(1) << 30;
    keep(producer, batch);
    /* One that begins again at 0 goes on from there. */
    if (is_ahead || batch->first == 0) {
        producer->last = *batch;
    }
    return is_ahead ? KAFKA_PRODUCER_GAP : KAFKA_PRODUCER_BACK;
}

void kafka_producer_take(struct kafka_producer *producer, int16_t epoch, const struct kafka_producer_batch *batch,
                         struct kafka_producer_report *report)
{
    *report = (struct kafka_producer_report){
        .finding = KAFKA_PRODUCER_FOLLOWS,
        .frame = producer->last.frame,
        .expected = kafka_sequence_add(producer->last.last, 1),
        .last_epoch = producer->epoch,
    };
    if (!producer->is_known) {
        begin_epoch(producer, epoch, batch);
    } else if (epoch > producer->epoch) {
        report->finding = batch->first == 0 ? KAFKA_PRODUCER_NEW_EPOCH : KAFKA_PRODUCER_NEW_EPOCH_NOT_AT_ZERO;
        begin_epoch(producer, epoch, batch);
    } else if (epoch < producer->epoch) {
        report->finding = KAFKA_PRODUCER_OLD_EPOCH;
        report->frame = producer->epoch_frame;
    } else {
        report->finding = take_sequence(producer, batch, report);
    }
}
