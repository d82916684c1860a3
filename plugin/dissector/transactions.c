/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "transactions.h"

#include "../wire/places.h"
#include "fields.h"
#include "message.h"
#include "state.h"
#include "values.h"

#define INIT_PRODUCER_ID  22
#define END_TXN           26
#define WRITE_TXN_MARKERS 27

struct kafka_transaction {
    uint32_t first_frame;
    nstime_t first_time;
    uint32_t end_frame; /* of the EndTxn request; 0 while none was seen */
    bool is_committed;
    uint32_t answer_frame; /* of its response without error */
    nstime_t duration;     /* until then */
};

/* What is known of a transactional id. */
struct history {
    struct kafka_transaction *last;
    bool is_over; /* the last one has ended, or its producer began anew */
};

/* A request that is being learned from. */
struct lesson {
    const struct kafka_cursor *cursor;
    struct kafka_span id;
    bool has_id;
    int64_t producer_id;
    bool has_producer;
    bool is_committed;
    int16_t error;
};

/* Transactional id → struct history, and producer id → the transaction that ended last; of the capture. */
static wmem_map_t *histories;
static wmem_map_t *ended;

static int hf_transaction = -1;
static int hf_first_frame = -1;
static int hf_end_frame = -1;
static int hf_outcome = -1;
static int hf_duration = -1;
static int ett_transaction = -1;

static void take_leaf(void *context, const struct kafka_place *place _U_, const struct kafka_leaf *leaf)
{
    struct lesson *lesson = context;

    switch (leaf->field->meaning) {
    case KAFKA_MEANING_TRANSACTIONAL_ID:
        if (!lesson->has_id && leaf->value.length > 0) {
            lesson->id = leaf->value;
            lesson->has_id = true;
        }
        break;
    case KAFKA_MEANING_PRODUCER_ID:
        if (!lesson->has_producer) {
            lesson->producer_id = leaf->integer;
            lesson->has_producer = true;
        }
        break;
    case KAFKA_MEANING_TRANSACTION_RESULT:
        lesson->is_committed = leaf->integer != 0;
        break;
    case KAFKA_MEANING_ERROR_CODE:
        lesson->error = (int16_t)leaf->integer;
        break;
    default:
        break;
    }
}

static struct history *history_of(const char *id, size_t length)
{
    char *key = wmem_strndup(NULL, id, length);
    struct history *history = wmem_map_lookup(histories, key);

    if (history == NULL) {
        history = wmem_new0(wmem_file_scope(), struct history);
        wmem_map_insert(histories, wmem_strdup(wmem_file_scope(), key), history);
    }
    wmem_free(NULL, key);
    return history;
}

/* Returns the transaction that a request belongs to, which it begins where none is under way. */
static struct kafka_transaction *go_on(struct history *history, const packet_info *pinfo)
{
    if (history->last == NULL || history->is_over) {
        history->last = wmem_new0(wmem_file_scope(), struct kafka_transaction);
        history->last->first_frame = pinfo->num;
        history->last->first_time = pinfo->abs_ts;
        history->is_over = false;
    }
    return history->last;
}

void kafka_transactions_take(const packet_info *pinfo, struct kafka_exchange *exchange, const char *id, size_t length)
{
    kafka_state_of(exchange)->transaction = go_on(history_of(id, length), pinfo);
}

/* EndTxn may be sent again where no response came: then the transaction is the one that has ended already. */
static void take_end(const packet_info *pinfo, struct kafka_exchange *exchange, struct history *history,
                     const struct lesson *lesson)
{
    struct kafka_transaction *transaction = history->last;

    if (transaction == NULL || transaction->end_frame == 0 || transaction->answer_frame != 0) {
        transaction = go_on(history, pinfo);
    }
    transaction->end_frame = pinfo->num;
    transaction->is_committed = lesson->is_committed;
    history->is_over = true;
    if (lesson->has_producer) {
        wmem_map_insert(ended, wmem_memdup(wmem_file_scope(), &lesson->producer_id, sizeof lesson->producer_id),
                        transaction);
    }
    kafka_state_of(exchange)->transaction = transaction;
}

void kafka_transactions_learn_request(packet_info *pinfo, struct kafka_exchange *exchange,
                                      const struct kafka_body *body)
{
    struct lesson lesson = {.cursor = &body->cursor};

    if (kafka_walk_places(body, take_leaf, &lesson) == KAFKA_WALK_MALFORMED) {
        return;
    }
    const char *id = (const char *)body->cursor.data + lesson.id.offset;
    if (exchange->api_key == WRITE_TXN_MARKERS) {
        struct kafka_transaction *transaction =
            lesson.has_producer ? wmem_map_lookup(ended, &lesson.producer_id) : NULL;
        if (transaction != NULL && transaction->is_committed == lesson.is_committed) {
            kafka_state_of(exchange)->transaction = transaction;
        }
    } else if (!lesson.has_id) {
        return;
    } else if (exchange->api_key == INIT_PRODUCER_ID) {
        history_of(id, lesson.id.length)->is_over = true;
    } else if (exchange->api_key == END_TXN) {
        take_end(pinfo, exchange, history_of(id, lesson.id.length), &lesson);
    } else {
        kafka_transactions_take(pinfo, exchange, id, lesson.id.length);
    }
}

void kafka_transactions_learn_end(packet_info *pinfo, struct kafka_exchange *exchange, const struct kafka_body *body)
{
    struct kafka_transaction *transaction = exchange->state != NULL ? exchange->state->transaction : NULL;
    struct lesson lesson = {.cursor = &body->cursor};

    if (transaction == NULL || transaction->answer_frame != 0 ||
        kafka_walk_places(body, take_leaf, &lesson) == KAFKA_WALK_MALFORMED || lesson.error != 0) {
        return;
    }
    transaction->answer_frame = pinfo->num;
    nstime_delta(&transaction->duration, &pinfo->abs_ts, &transaction->first_time);
}

void kafka_transactions_show(struct kafka_show *show, const struct kafka_transaction *transaction)
{
    proto_tree *tree = show->tree;
    tvbuff_t *tvb = show->tvb;
    /* What is to come is known once the whole capture was read. */
    bool is_before_end = show->pinfo->fd->visited && transaction->end_frame > show->pinfo->num;
    bool is_over = transaction->answer_frame != 0 && transaction->answer_frame <= show->pinfo->num;

    if (kafka_is_wanted(show, hf_transaction)) {
        proto_item *item = proto_tree_add_item(tree, hf_transaction, tvb, 0, 0, ENC_NA);
        proto_item_set_generated(item);
        tree = proto_item_add_subtree(item, ett_transaction);
    }
    if (kafka_is_wanted(show, hf_first_frame)) {
        proto_item_set_generated(proto_tree_add_uint(tree, hf_first_frame, tvb, 0, 0, transaction->first_frame));
    }
    if (is_before_end && kafka_is_wanted(show, hf_end_frame)) {
        proto_item_set_generated(proto_tree_add_uint(tree, hf_end_frame, tvb, 0, 0, transaction->end_frame));
    }
    if (is_before_end && kafka_is_wanted(show, hf_outcome)) {
        proto_item_set_generated(proto_tree_add_uint(tree, hf_outcome, tvb, 0, 0, transaction->is_committed));
    }
    if (is_over && kafka_is_wanted(show, hf_duration)) {
        proto_item_set_generated(proto_tree_add_time(tree, hf_duration, tvb, 0, 0, &transaction->duration));
    }
}

void kafka_transactions_register(void)
{
    const struct kafka_field_row fields[] = {
        {&hf_transaction,
         {"Transaction", "kafka.transaction", FT_NONE, BASE_NONE, NULL, 0,
          "The transaction that the message belongs to, as known from other messages", HFILL}},
        {&hf_first_frame,
         {"Began in Frame", "kafka.transaction.first_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "The first request of the transaction", HFILL}},
        {&hf_end_frame,
         {"Ended in Frame", "kafka.transaction.end_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "The EndTxn request behind this message", HFILL}},
        {&hf_outcome,
         {"Outcome", "kafka.transaction.outcome", FT_UINT8, BASE_DEC,
          kafka_value_style(KAFKA_MEANING_TRANSACTION_RESULT).strings, 0, "What the EndTxn request asks for", HFILL}},
        {&hf_duration,
         {"Duration", "kafka.transaction.duration", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
          "Time from the first request of the transaction to the response of EndTxn", HFILL}},
    };
    static int *etts[] = {&ett_transaction};

    kafka_register_rows(fields, array_length(fields));
    proto_register_subtree_array(etts, array_length(etts));
    histories = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal);
    ended = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_int64_hash, g_int64_equal);
}
