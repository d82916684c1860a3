/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "transactions.h"

#include <string.h>

#include "../wire/fit.h"
#include "fields.h"
#include "message.h"
#include "state.h"
#include "transaction.h"
#include "values.h"

#define INIT_PRODUCER_ID  22
#define END_TXN           26
#define WRITE_TXN_MARKERS 27

/* From this version of EndTxn on, each transaction has an epoch of its own, which its markers have (KIP-890). */
#define END_TXN_BUMPS_EPOCH 5

/* Transactions of one message beyond this number are not kept; brokers put fewer into one request. */
#define MAX_USES 1000

/* An id longer than this stands below the item of its transaction only. */
#define LONGEST_IN_TEXT 100

int hf_kafka_transaction = -1;
int hf_kafka_transaction_id = -1;
int hf_kafka_transaction_init_frame = -1;
int hf_kafka_transaction_first_frame = -1;
int hf_kafka_transaction_end_frame = -1;
int hf_kafka_transaction_outcome = -1;
int hf_kafka_transaction_duration = -1;

struct kafka_transaction_uses {
    uint32_t count;
    uint32_t room;
    struct kafka_transaction **list;
};

/* A request that is being learned from. */
struct lesson {
    const packet_info *pinfo;
    struct kafka_exchange *exchange;
    const struct kafka_cursor *cursor;
    const char *id; /* not terminated; NULL where there is none */
    size_t id_length;
    int64_t producer_id;
    int16_t epoch;
    bool has_producer;
    bool is_committed;
    int16_t error;
    uint32_t count; /* transactions so far */
};

/* Transactional id → struct kafka_transaction_history, and producer id → the same; of the capture. */
static wmem_map_t *histories;
static wmem_map_t *producers;

static int ett_transaction = -1;

/* Returns whether the text of an item can have it as it is: short, and without control characters. */
static bool is_plain(const char *text)
{
    if (strlen(text) > LONGEST_IN_TEXT) {
        return false;
    }
    for (; *text != '\0'; text = g_utf8_next_char(text)) {
        if (!g_unichar_isprint(g_utf8_get_char(text))) {
            return false;
        }
    }
    return true;
}

static struct kafka_transaction_history *history_of(const char *id, size_t length)
{
    char *key = wmem_strndup(NULL, id, length);
    struct kafka_transaction_history *history = wmem_map_lookup(histories, key);

    if (history == NULL) {
        history = wmem_new0(wmem_file_scope(), struct kafka_transaction_history);
        const char *kept = wmem_strdup(wmem_file_scope(), key);
        history->id = g_utf8_validate(kept, -1, NULL) ? kept : "(not UTF-8)";
        history->is_plain = is_plain(history->id);
        wmem_map_insert(histories, kept, history);
    }
    wmem_free(NULL, key);
    return history;
}

static struct kafka_transaction *new_transaction(struct kafka_transaction_history *history)
{
    struct kafka_transaction *transaction = wmem_new0(wmem_file_scope(), struct kafka_transaction);

    transaction->producer_id = -1;
    transaction->epoch = -1;
    transaction->history = history;
    history->last = transaction;
    history->is_over = false;
    return transaction;
}

static void use(struct kafka_exchange *exchange, struct kafka_transaction *transaction)
{
    struct kafka_state *state = kafka_state_of(exchange);

    if (state->transactions == NULL) {
        state->transactions = wmem_new0(wmem_file_scope(), struct kafka_transaction_uses);
    }
    struct kafka_transaction_uses *uses = state->transactions;
    if (uses->count > 0 && uses->list[uses->count - 1] == transaction) {
        return;
    }
    if (uses->count == uses->room) {
        uses->room = uses->room == 0 ? 1 : 2 * uses->room;
        uses->list = wmem_realloc(wmem_file_scope(), uses->list, uses->room * sizeof(struct kafka_transaction *));
    }
    uses->list[uses->count++] = transaction;
}

struct kafka_transaction_history *kafka_transaction_history_of(int64_t producer_id)
{
    return wmem_map_lookup(producers, &producer_id);
}

bool kafka_transaction_any_producer(void)
{
    return wmem_map_size(producers) > 0;
}

struct kafka_transaction *kafka_transaction_used_by(const struct kafka_exchange *exchange)
{
    const struct kafka_transaction_uses *uses = exchange->state != NULL ? exchange->state->transactions : NULL;

    return uses != NULL ? uses->list[0] : NULL;
}

/* Returns the transaction that a request belongs to, which it begins where none is under way. */
static struct kafka_transaction *go_on(struct kafka_transaction_history *history, const packet_info *pinfo)
{
    const struct kafka_transaction *before = history->last;
    struct kafka_transaction *transaction = history->last;

    if (transaction == NULL || history->is_over) {
        transaction = new_transaction(history);
        if (before != NULL) {
            transaction->init_frame = before->init_frame;
            transaction->producer_id = before->producer_id;
            transaction->epoch = before->epoch;
        }
    }
    if (transaction->first_frame == 0) {
        transaction->first_frame = pinfo->num;
        transaction->first_time = pinfo->abs_ts;
    }
    return transaction;
}

static void set_producer(struct kafka_transaction *transaction, int64_t producer_id, int16_t epoch)
{
    if (wmem_map_lookup(producers, &producer_id) != transaction->history) {
        wmem_map_insert(producers, wmem_memdup(wmem_file_scope(), &producer_id, sizeof producer_id),
                        transaction->history);
    }
    transaction->producer_id = producer_id;
    transaction->epoch = epoch;
}

void kafka_transaction_end_at(struct kafka_transaction *transaction, const packet_info *pinfo, bool is_committed)
{
    struct kafka_transaction_history *history = transaction->history;

    if (transaction->end_frame == 0) {
        transaction->end_frame = pinfo->num;
    }
    transaction->is_committed = is_committed;
    history->ended = transaction;
    history->is_over = history->is_over || history->last == transaction;
}

static void confirm_end(struct kafka_transaction *transaction, const packet_info *pinfo)
{
    transaction->answer_frame = pinfo->num;
    transaction->known_frame = pinfo->num;
    transaction->is_refused = false;
    if (transaction->first_frame != 0) {
        nstime_delta(&transaction->duration, &pinfo->abs_ts, &transaction->first_time);
    }
}

/* EndTxn may be sent again where no response came: then the transaction is the one that has ended already. */
static void take_end(const struct lesson *lesson, struct kafka_transaction_history *history)
{
    struct kafka_transaction *transaction = history->last;

    if (transaction == NULL || transaction->end_frame == 0 ||
        (transaction->answer_frame != 0 && !transaction->is_ended_for_client)) {
        transaction = go_on(history, lesson->pinfo);
    }
    use(lesson->exchange, transaction);
    if (transaction->is_ended_for_client) {
        return;
    }
    if (lesson->has_producer) {
        bool is_bumped = lesson->exchange->api_version >= END_TXN_BUMPS_EPOCH;
        set_producer(transaction, lesson->producer_id, lesson->epoch);
        transaction->marker_epoch = (int16_t)(lesson->epoch + is_bumped);
        transaction->is_only_of_epoch = is_bumped;
    }
    kafka_transaction_end_at(transaction, lesson->pinfo, lesson->is_committed);
}

/* A producer that begins anew ends what was under way, once the broker accepts it. */
static void take_init(const struct lesson *lesson, struct kafka_transaction_history *history)
{
    struct kafka_transaction *before = history->last;
    bool is_again = before != NULL && !history->is_over && before->first_frame == 0 && before->is_refused;

    if (!is_again) {
        if (before != NULL && !history->is_over && before->first_frame != 0) {
            history->to_abort = before;
        }
        new_transaction(history)->init_frame = lesson->pinfo->num;
    }
    use(lesson->exchange, history->last);
}

/* The broker ends a transaction without having been asked to; its markers have an epoch that nobody else has. */
static void abort_by_broker(struct kafka_transaction *transaction, const packet_info *pinfo, int16_t marker_epoch)
{
    kafka_transaction_end_at(transaction, pinfo, false);
    confirm_end(transaction, pinfo);
    transaction->marker_epoch = marker_epoch;
    transaction->is_only_of_epoch = true;
    transaction->is_ended_for_client = true;
    transaction->history->aborted = transaction;
}

/* What the coordinator writes without having been asked to: a transaction that took too long is aborted. */
static bool is_abort_of(const struct kafka_transaction_history *history, int16_t epoch, bool is_committed)
{
    const struct kafka_transaction *last = history->last;

    return !is_committed && !history->is_over && last != NULL && last->first_frame != 0 && last->end_frame == 0 &&
           epoch > last->epoch;
}

static void take_marker(const struct lesson *lesson, bool is_committed)
{
    struct kafka_transaction_history *history =
        lesson->has_producer ? kafka_transaction_history_of(lesson->producer_id) : NULL;

    if (history == NULL) {
        return;
    }
    struct kafka_transaction *ended = history->ended;
    if (ended != NULL && ended->marker_epoch == lesson->epoch && ended->is_committed == is_committed &&
        ended->producer_id == lesson->producer_id) {
        use(lesson->exchange, ended);
    } else if (is_abort_of(history, lesson->epoch, is_committed)) {
        struct kafka_transaction *last = history->last;
        abort_by_broker(last, lesson->pinfo, lesson->epoch);
        use(lesson->exchange, last);
    }
}

/* Returns whether another producer has the transactional id by now: the broker refuses what this one asks for. */
static bool is_fenced(const struct kafka_transaction_history *history, const struct lesson *lesson)
{
    const struct kafka_transaction *last = history->last;

    return lesson->has_producer && last != NULL && last->producer_id == lesson->producer_id &&
           lesson->epoch < last->epoch;
}

/* Takes note of the transaction whose id and producer id the lesson has. */
static void take_request(struct lesson *lesson)
{
    if (lesson->count == MAX_USES) {
        return;
    }
    lesson->count++;
    struct kafka_transaction_history *history = history_of(lesson->id, lesson->id_length);
    if (is_fenced(history, lesson)) {
        if (history->aborted != NULL && history->aborted->epoch == lesson->epoch) {
            use(lesson->exchange, history->aborted);
        }
        return;
    }
    switch (lesson->exchange->api_key) {
    case INIT_PRODUCER_ID:
        take_init(lesson, history);
        break;
    case END_TXN:
        take_end(lesson, history);
        break;
    default: {
        struct kafka_transaction *transaction = go_on(history, lesson->pinfo);
        if (lesson->has_producer) {
            set_producer(transaction, lesson->producer_id, lesson->epoch);
        }
        use(lesson->exchange, transaction);
        break;
    }
    }
}

void kafka_transactions_take(const packet_info *pinfo, struct kafka_exchange *exchange, const char *id, size_t length,
                             int64_t producer_id, int16_t epoch)
{
    struct lesson lesson = {
        .pinfo = pinfo,
        .exchange = exchange,
        .id = id,
        .id_length = length,
        .producer_id = producer_id,
        .epoch = epoch,
        .has_producer = producer_id >= 0,
    };

    take_request(&lesson);
}

static void take_leaf(void *context, const struct kafka_place *place _U_, const struct kafka_leaf *leaf)
{
    struct lesson *lesson = context;

    switch (leaf->field->meaning) {
    case KAFKA_MEANING_TRANSACTIONAL_ID:
        /* Some requests have several transactions, one behind the other. */
        if (lesson->id != NULL) {
            take_request(lesson);
        }
        lesson->id = leaf->value.length > 0 ? (const char *)lesson->cursor->data + leaf->value.offset : NULL;
        lesson->id_length = leaf->value.length;
        lesson->has_producer = false;
        break;
    case KAFKA_MEANING_PRODUCER_ID:
        lesson->producer_id = leaf->integer;
        lesson->has_producer = leaf->integer >= 0;
        break;
    case KAFKA_MEANING_PRODUCER_EPOCH:
        lesson->epoch = (int16_t)leaf->integer;
        break;
    case KAFKA_MEANING_TRANSACTION_RESULT:
        lesson->is_committed = leaf->integer != 0;
        if (lesson->exchange->api_key == WRITE_TXN_MARKERS) {
            take_marker(lesson, lesson->is_committed);
        }
        break;
    case KAFKA_MEANING_ERROR_CODE:
        lesson->error = (int16_t)leaf->integer;
        break;
    default:
        break;
    }
}

void kafka_transactions_learn_request(packet_info *pinfo, struct kafka_exchange *exchange,
                                      const struct kafka_body *body)
{
    struct lesson lesson = {.pinfo = pinfo, .exchange = exchange, .cursor = &body->cursor};
    struct kafka_cursor cursor = body->cursor;

    if (kafka_check_fit(&cursor, body->message, body->version) == KAFKA_WALK_MALFORMED) {
        return;
    }
    (void)kafka_walk_places(body, NULL, take_leaf, &lesson);
    if (lesson.id != NULL) {
        take_request(&lesson);
    }
}

/* Reads a response; false where there is no transaction, or the response cannot be read. */
static bool read_response(struct lesson *lesson, const struct kafka_body *body)
{
    return kafka_transaction_used_by(lesson->exchange) != NULL &&
           kafka_walk_places(body, NULL, take_leaf, lesson) != KAFKA_WALK_MALFORMED;
}

void kafka_transactions_learn_init(packet_info *pinfo, struct kafka_exchange *exchange, const struct kafka_body *body)
{
    struct lesson lesson = {.pinfo = pinfo, .exchange = exchange, .cursor = &body->cursor};

    if (!read_response(&lesson, body)) {
        return;
    }
    struct kafka_transaction *transaction = kafka_transaction_used_by(exchange);
    struct kafka_transaction_history *history = transaction->history;
    struct kafka_transaction *aborted = history->to_abort;
    transaction->is_refused = lesson.error != 0;
    if (lesson.error != 0) {
        return;
    }
    history->to_abort = NULL;
    if (aborted != NULL && aborted->end_frame == 0) {
        /* It wrote the markers before it answered. */
        abort_by_broker(aborted, pinfo, (int16_t)(aborted->epoch + 1));
    }
    if (lesson.has_producer) {
        set_producer(transaction, lesson.producer_id, lesson.epoch);
    }
}

void kafka_transactions_learn_end(packet_info *pinfo, struct kafka_exchange *exchange, const struct kafka_body *body)
{
    struct lesson lesson = {.pinfo = pinfo, .exchange = exchange, .cursor = &body->cursor};

    if (!read_response(&lesson, body)) {
        return;
    }
    struct kafka_transaction *transaction = kafka_transaction_used_by(exchange);
    if (transaction->answer_frame == 0 && lesson.error != 0) {
        transaction->is_refused = true;
    } else if (transaction->answer_frame == 0) {
        confirm_end(transaction, pinfo);
    }
}

static void add_frame(struct kafka_show *show, proto_tree *tree, int hf, uint32_t frame)
{
    /* What is to come is known once the whole capture was read. */
    if (frame != 0 && frame != show->pinfo->num && (frame < show->pinfo->num || show->pinfo->fd->visited) &&
        kafka_is_wanted(show, hf)) {
        proto_item_set_generated(proto_tree_add_uint(tree, hf, show->tvb, 0, 0, frame));
    }
}

void kafka_transaction_show_one(struct kafka_show *show, proto_tree *tree, const struct kafka_transaction *transaction)
{
    tvbuff_t *tvb = show->tvb;
    uint32_t now = show->pinfo->num;
    bool is_end_known = (transaction->known_frame != 0 && transaction->known_frame <= now) ||
                        (show->pinfo->fd->visited && transaction->end_frame != 0 && !transaction->is_refused);
    bool is_over = transaction->answer_frame != 0 && transaction->answer_frame <= now && transaction->first_frame != 0;

    if (kafka_is_wanted(show, hf_kafka_transaction)) {
        proto_item *item = proto_tree_add_item(tree, hf_kafka_transaction, tvb, 0, 0, ENC_NA);
        if (transaction->history->is_plain) {
            proto_item_append_text(item, ": %s", transaction->history->id);
        }
        proto_item_set_generated(item);
        tree = proto_item_add_subtree(item, ett_transaction);
    }
    if (kafka_is_wanted(show, hf_kafka_transaction_id)) {
        proto_item_set_generated(
            proto_tree_add_string(tree, hf_kafka_transaction_id, tvb, 0, 0, transaction->history->id));
    }
    add_frame(show, tree, hf_kafka_transaction_init_frame, transaction->init_frame);
    if (transaction->first_frame != 0 && (transaction->first_frame <= now || show->pinfo->fd->visited) &&
        kafka_is_wanted(show, hf_kafka_transaction_first_frame)) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, hf_kafka_transaction_first_frame, tvb, 0, 0, transaction->first_frame));
    }
    add_frame(show, tree, hf_kafka_transaction_end_frame, transaction->end_frame);
    if (is_end_known && kafka_is_wanted(show, hf_kafka_transaction_outcome)) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, hf_kafka_transaction_outcome, tvb, 0, 0, transaction->is_committed));
    }
    if (is_over && kafka_is_wanted(show, hf_kafka_transaction_duration)) {
        proto_item_set_generated(
            proto_tree_add_time(tree, hf_kafka_transaction_duration, tvb, 0, 0, &transaction->duration));
    }
}

void kafka_transactions_show(struct kafka_show *show, const struct kafka_transaction_uses *uses)
{
    for (uint32_t i = 0; i < uses->count; i++) {
        kafka_transaction_show_one(show, show->tree, uses->list[i]);
    }
}

void kafka_transactions_register(void)
{
    const struct kafka_field_row fields[] = {
        {&hf_kafka_transaction,
         {"Transaction", "kafka.transaction", FT_NONE, BASE_NONE, NULL, 0,
          "The transaction that the message belongs to, as known from other messages", HFILL}},
        {&hf_kafka_transaction_id,
         {"Transactional ID", "kafka.transaction.id", FT_STRING, BASE_NONE, NULL, 0,
          "The transactional id, also where the message itself has only the producer id or neither", HFILL}},
        {&hf_kafka_transaction_init_frame,
         {"Producer Began in Frame", "kafka.transaction.init_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "The InitProducerId request of the producer whose transaction it is", HFILL}},
        {&hf_kafka_transaction_first_frame,
         {"Began in Frame", "kafka.transaction.first_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "The first request of the transaction", HFILL}},
        {&hf_kafka_transaction_end_frame,
         {"Ended in Frame", "kafka.transaction.end_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "The EndTxn request; where a broker ended the transaction by itself, the message that tells", HFILL}},
        {&hf_kafka_transaction_outcome,
         {"Outcome", "kafka.transaction.outcome", FT_UINT8, BASE_DEC,
          kafka_value_style(KAFKA_MEANING_TRANSACTION_RESULT).strings, 0,
          "What the EndTxn request asks for and the broker did not refuse, or what the broker did by itself", HFILL}},
        {&hf_kafka_transaction_duration,
         {"Duration", "kafka.transaction.duration", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
          "Time from the first request of the transaction to the response of EndTxn", HFILL}},
    };
    static int *etts[] = {&ett_transaction};

    kafka_register_rows(fields, array_length(fields));
    proto_register_subtree_array(etts, array_length(etts));
    histories = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal);
    producers = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_int64_hash, g_int64_equal);
    kafka_transaction_log_register();
}
