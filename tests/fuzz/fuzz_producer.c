/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches of a producer, in pieces of eight bytes: epoch, first sequence, number of records. */
#include "fuzz.h"
#include "wire/batch.h"
#include "wire/producer.h"

#define PIECE       8
#define MAX_BATCHES 4096

struct sent {
    int16_t epoch;
    struct kafka_producer_batch batch;
};

static struct sent sent[MAX_BATCHES];

static const struct sent *find_sent(uint32_t count, int16_t epoch, const struct kafka_producer_batch *batch)
{
    for (uint32_t i = 0; i < count; i++) {
        if (sent[i].epoch == epoch && sent[i].batch.first == batch->first && sent[i].batch.last == batch->last) {
            return &sent[i];
        }
    }
    return NULL;
}

/* The finding agrees with all that was sent before. */
static void check_report(const struct kafka_producer_report *report, uint32_t before, int16_t epoch, int16_t highest,
                         const struct kafka_producer_batch *batch)
{
    const struct sent *same = find_sent(before, epoch, batch);

    REQUIRE(before == 0 || (report->frame > 0 && report->frame <= before));
    switch (report->finding) {
    case KAFKA_PRODUCER_FOLLOWS:
        REQUIRE(before == 0 || (epoch == highest && batch->first == report->expected));
        break;
    case KAFKA_PRODUCER_WRAPPED:
        REQUIRE(epoch == highest && batch->first == report->expected);
        break;
    case KAFKA_PRODUCER_REPEATED:
        REQUIRE(epoch == highest && same != NULL);
        break;
    case KAFKA_PRODUCER_GAP:
    case KAFKA_PRODUCER_BACK:
        REQUIRE(epoch == highest && batch->first != report->expected);
        REQUIRE(same == NULL || before > KAFKA_PRODUCER_KEPT);
        break;
    case KAFKA_PRODUCER_NEW_EPOCH:
        REQUIRE(epoch > highest && batch->first == 0);
        break;
    case KAFKA_PRODUCER_NEW_EPOCH_NOT_AT_ZERO:
        REQUIRE(epoch > highest && batch->first != 0);
        break;
    case KAFKA_PRODUCER_OLD_EPOCH:
        REQUIRE(epoch < highest && report->last_epoch == highest);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct kafka_producer_batch ring[KAFKA_PRODUCER_KEPT];
    struct kafka_producer producer = {.kept = ring};
    struct kafka_producer_report report;
    int16_t highest = 0;
    uint32_t count = 0;

    for (size_t at = 0; at + PIECE <= size && count < MAX_BATCHES; at += PIECE) {
        int16_t epoch = (int16_t)kafka_load16(data + at);
        int32_t first = (int32_t)(kafka_load32(data + at + 2) & INT32_MAX);
        int32_t last = kafka_sequence_add(first, (int32_t)kafka_load16(data + at + 6));
        struct kafka_producer_batch batch = {first, last, count + 1};
        uint32_t room = kafka_producer_wanted_room(&producer);
        REQUIRE(room >= producer.room && room > 0 && room <= KAFKA_PRODUCER_KEPT);
        producer.room = room;
        kafka_producer_take(&producer, epoch, &batch, &report);
        REQUIRE(producer.kept_count > 0 && producer.kept_count <= room && producer.next < room);
        check_report(&report, count, epoch, highest, &batch);
        highest = count == 0 || epoch > highest ? epoch : highest;
        sent[count++] = (struct sent){epoch, batch};
    }
    return 0;
}
