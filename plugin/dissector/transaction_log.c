/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in partitions transactions begin, as responses of Produce tell, and which one a marker in the log ends. */
#include "compat.h"

#include "transactions.h"

#include <stdlib.h>

#include "../wire/control.h"
#include "../wire/header.h"
#include "../wire/record.h"
#include "../wire/record_set.h"
#include "message.h"
#include "state.h"
#include "topics.h"
#include "transaction.h"

struct marker {
    size_t offset; /* of the batch in the PDU */
    const struct kafka_transaction *transaction;
};

struct kafka_transaction_markers {
    uint32_t count;
    uint32_t room;
    struct marker *list; /* in the order of the bytes */
};

struct begin {
    int64_t offset;
    struct kafka_transaction *transaction;
};

/* Where in a partition the transactions of a producer begin. */
struct begins {
    struct kafka_producer_partition place;
    struct begin *list; /* offsets ascend */
    uint32_t count;
    uint32_t room;
};

/* struct kafka_producer_partition → struct begins; emptied when the capture is closed. */
static wmem_map_t *places;

static const struct kafka_field *produced_error;
static const struct kafka_field *produced_offset;

static struct kafka_producer_partition place_of(int64_t producer_id, const struct kafka_place *place)
{
    const struct kafka_topic *topic = kafka_topic_keep(&place->topic);

    return (struct kafka_producer_partition){producer_id,
                                             {topic != NULL ? kafka_topic_by_name(topic) : NULL, place->partition}};
}

/* A broker tells at which offset it put a batch: the first of a transaction is where that begins in the partition. */
static void add_begin(struct kafka_transaction *transaction, const struct kafka_place *at, int64_t offset)
{
    struct kafka_producer_partition place = place_of(transaction->producer_id, at);

    if (place.at.topic == NULL) {
        return;
    }
    struct begins *begins = wmem_map_lookup(places, &place);
    if (begins == NULL) {
        begins = wmem_new0(wmem_file_scope(), struct begins);
        begins->place = place;
        wmem_map_insert(places, &begins->place, begins);
    }
    if (begins->count > 0 && begins->list[begins->count - 1].transaction == transaction) {
        return;
    }
    if (begins->count > 0 && begins->list[begins->count - 1].offset >= offset) {
        /* The log was cut off, or is another one. */
        begins->count = 0;
    }
    if (begins->count == begins->room) {
        begins->room = begins->room == 0 ? 2 : 2 * begins->room;
        begins->list = wmem_realloc(wmem_file_scope(), begins->list, begins->room * sizeof *begins->list);
    }
    begins->list[begins->count++] = (struct begin){offset, transaction};
}

/* A response of Produce that is being learned from. */
struct produced {
    struct kafka_transaction *transaction;
    int16_t error;
};

static void take_produced(void *context, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    struct produced *produced = context;

    if (leaf->field == produced_error) {
        produced->error = (int16_t)leaf->integer;
    } else if (leaf->field == produced_offset && produced->error == 0 && leaf->integer >= 0) {
        add_begin(produced->transaction, place, leaf->integer);
    }
}

void kafka_transactions_learn_produced(struct kafka_exchange *exchange, const struct kafka_body *body)
{
    struct produced produced = {.transaction = kafka_transaction_used_by(exchange)};

    (void)kafka_walk_places(body, NULL, take_produced, &produced);
}

/* Returns the last transaction of the producer that begins in the partition before the offset, or NULL. */
static struct kafka_transaction *begun_before(int64_t producer_id, const struct kafka_place *at, int64_t offset)
{
    struct kafka_producer_partition place = place_of(producer_id, at);
    const struct begins *begins = place.at.topic != NULL ? wmem_map_lookup(places, &place) : NULL;
    uint32_t low = 0;
    uint32_t high = begins != NULL ? begins->count : 0;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (begins->list[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? begins->list[low - 1].transaction : NULL;
}

/* Returns whether the marker can be that of a transaction that has ended. */
static bool ends_as(const struct kafka_transaction *transaction, const struct kafka_batch *batch, bool is_committed)
{
    return transaction->end_frame != 0 && transaction->marker_epoch == batch->producer_epoch &&
           transaction->is_committed == is_committed;
}

/*
 * Returns the transaction that the marker in the log ends, or NULL. Where nothing else told its end, the marker does.
 */
static struct kafka_transaction *ended_by(const packet_info *pinfo, const struct kafka_place *place,
                                          const struct kafka_batch *batch, bool is_committed)
{
    struct kafka_transaction_history *history = kafka_transaction_history_of(batch->producer_id);

    if (history == NULL) {
        return NULL;
    }
    struct kafka_transaction *transaction = begun_before(batch->producer_id, place, batch->base_offset);
    if (transaction == NULL) {
        transaction = history->ended;
        return transaction != NULL && transaction->is_only_of_epoch && transaction->producer_id == batch->producer_id &&
                       ends_as(transaction, batch, is_committed)
                   ? transaction
                   : NULL;
    }
    if (transaction->end_frame == 0 && transaction == history->last && batch->producer_epoch >= transaction->epoch) {
        kafka_transaction_end_at(transaction, pinfo, is_committed);
        transaction->marker_epoch = batch->producer_epoch;
        transaction->is_ended_for_client = true;
        transaction->known_frame = pinfo->num;
        history->aborted = is_committed ? history->aborted : transaction;
    }
    return ends_as(transaction, batch, is_committed) ? transaction : NULL;
}

/* Reads what the one record of a control batch says about a transaction; false for other control batches. */
static bool read_marker(const struct kafka_cursor *cursor, const struct kafka_batch *batch, bool *is_committed)
{
    const uint16_t marks = KAFKA_ATTRIBUTE_CONTROL | KAFKA_ATTRIBUTE_TRANSACTIONAL;
    struct kafka_record_iterator iterator;
    struct kafka_record record;
    struct kafka_control_key key;

    if (!kafka_batch_has_header(batch) || (batch->attributes & marks) != marks || batch->size == 0 ||
        kafka_attributes_codec(batch->attributes) != KAFKA_CODEC_NONE) {
        return false;
    }
    kafka_records_init(&iterator, batch, cursor);
    if (kafka_records_next(&iterator, &record) != KAFKA_ITEM_COMPLETE ||
        kafka_control_key_read(cursor->data, &record.key, &key) != KAFKA_OK || key.type > 1 || key.type < 0) {
        return false;
    }
    *is_committed = key.type == 1;
    return true;
}

static void add_marker(struct kafka_exchange *exchange, struct marker marker)
{
    struct kafka_state *state = kafka_state_of(exchange);

    if (state->markers == NULL) {
        state->markers = wmem_new0(wmem_file_scope(), struct kafka_transaction_markers);
    }
    struct kafka_transaction_markers *markers = state->markers;
    if (markers->count == markers->room) {
        markers->room = markers->room == 0 ? 2 : 2 * markers->room;
        markers->list = wmem_realloc(wmem_file_scope(), markers->list, markers->room * sizeof *markers->list);
    }
    markers->list[markers->count++] = marker;
}

void kafka_transactions_learn_fetched(const packet_info *pinfo, struct kafka_exchange *exchange, size_t start,
                                      const struct kafka_cursor *body, const struct kafka_place *place,
                                      const struct kafka_leaf *leaf)
{
    struct kafka_cursor cursor = *body;
    struct kafka_record_set_entry entry;
    bool is_committed;

    if (leaf->value.length == 0 || !kafka_transaction_any_producer()) {
        return;
    }
    cursor.offset = leaf->value.offset;
    cursor.limit = leaf->value.offset + leaf->value.length;
    while (kafka_record_set_next(&cursor, &entry) != KAFKA_ITEM_END) {
        if (entry.kind != KAFKA_ENTRY_BATCH || !read_marker(&cursor, &entry.batch, &is_committed)) {
            continue;
        }
        struct kafka_transaction *transaction = ended_by(pinfo, place, &entry.batch, is_committed);
        if (transaction != NULL) {
            add_marker(exchange, (struct marker){entry.offset - start, transaction});
        }
    }
}

void kafka_transactions_show_marker(struct kafka_show *show, proto_tree *tree, const struct kafka_batch *batch)
{
    const struct kafka_transaction_markers *markers =
        show->state != NULL && !show->is_request ? show->state->markers : NULL;
    const struct marker *found = markers != NULL ? bsearch(&batch->offset, markers->list, markers->count,
                                                           sizeof *markers->list, kafka_compare_offsets)
                                                 : NULL;

    if (tree != NULL && found != NULL) {
        kafka_transaction_show_one(show, tree, found->transaction);
    }
}

void kafka_transaction_log_register(void)
{
    places = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), kafka_producer_partition_hash,
                                    kafka_producer_partitions_equal);
    produced_error = kafka_field_at(kafka_apis[KAFKA_API_PRODUCE].response, "Responses.PartitionResponses.ErrorCode");
    produced_offset = kafka_field_at(kafka_apis[KAFKA_API_PRODUCE].response, "Responses.PartitionResponses.BaseOffset");
}
