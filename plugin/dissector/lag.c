/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "lag.h"

#include "../wire/record_set.h"
#include "fields.h"
#include "message.h"
#include "sessions.h"
#include "state.h"
#include "topic_ids.h"
#include "topics.h"
#include "transactions.h"

#define FETCH             1
#define OFFSET_COMMIT     8
#define TXN_OFFSET_COMMIT 28

/* The high watermark of a partition that was seen last. */
struct watermark {
    struct kafka_topic_partition at;
    int64_t offset;
    uint32_t frame;
};

struct commit_lag {
    int64_t lag;
    uint32_t frame; /* with the high watermark; 0 where none was seen */
};

struct kafka_commit_lags {
    uint32_t count;
    uint32_t room;
    struct commit_lag *lags;
};

/* Of a partition of which a response returns nothing. */
struct fetch_lag {
    size_t offset; /* of its records in the PDU */
    int64_t lag;
};

struct kafka_fetch_lags {
    uint32_t count;
    uint32_t room;
    struct fetch_lag *list; /* in the order of the bytes */
};

struct lesson {
    packet_info *pinfo;
    struct kafka_fetch_outcome outcome;
    const struct kafka_topic *topic; /* the last one, and what the message gave for it */
    struct kafka_topic_ref ref;
    struct kafka_commit_lags *commits;
    struct kafka_exchange *exchange;
    const struct kafka_cursor *cursor; /* of the body */
    size_t start;                      /* of the PDU in the cursor's data */
    int64_t high_watermark;            /* of the partition at hand, −1 for none */
    size_t budget;                     /* for what the records of the cluster's metadata tell */
};

/* struct kafka_topic_partition → struct watermark; emptied when the capture is closed. */
static wmem_map_t *watermarks;

static int hf_fetch_lag = -1;
static int hf_commit_lag = -1;
static int hf_watermark_frame = -1;
static int ett_lag = -1;

static const struct kafka_field *fetch_error;
static const struct kafka_field *fetch_session;
static const struct kafka_field *fetch_watermark;
static const struct kafka_field *committed;
static const struct kafka_field *committed_in_transaction;

/* Messages list partitions by topic: it is looked up once for all of them. */
static const struct kafka_topic *topic_at(struct lesson *lesson, const struct kafka_place *place)
{
    if (place->topic.bytes != lesson->ref.bytes) {
        lesson->ref = place->topic;
        lesson->topic = kafka_topic_keep(&place->topic);
        lesson->topic = lesson->topic != NULL ? kafka_topic_by_name(lesson->topic) : NULL;
    }
    return lesson->topic;
}

static void take_watermark(struct lesson *lesson, const struct kafka_place *place)
{
    struct kafka_topic_partition at = {topic_at(lesson, place), place->partition};

    if (at.topic == NULL) {
        return;
    }
    struct watermark *watermark = wmem_map_lookup(watermarks, &at);
    if (watermark == NULL) {
        watermark = wmem_new(wmem_file_scope(), struct watermark);
        watermark->at = at;
        wmem_map_insert(watermarks, &watermark->at, watermark);
    }
    watermark->offset = lesson->high_watermark;
    watermark->frame = lesson->pinfo->num;
}

/* Returns whether the records have at least one batch or message that is whole, as far as the capture shows. */
static bool returns_something(const struct lesson *lesson, const struct kafka_span *records)
{
    struct kafka_cursor cursor = *lesson->cursor;
    struct kafka_record_set_entry entry;

    cursor.offset = records->offset;
    cursor.limit = records->offset + records->length;
    return records->length > 0 && kafka_record_set_next(&cursor, &entry) != KAFKA_ITEM_PARTIAL;
}

/* Where nothing is returned, the consumer stays where its request was. */
static void take_nothing(struct lesson *lesson, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    struct kafka_state *state = kafka_state_of(lesson->exchange);
    int64_t asked;

    if (!kafka_sessions_fetch_offset(lesson->exchange, place, &asked)) {
        return;
    }
    if (state->lags == NULL) {
        state->lags = wmem_new0(wmem_file_scope(), struct kafka_fetch_lags);
    }
    struct kafka_fetch_lags *lags = state->lags;
    if (lags->count == lags->room) {
        lags->room = lags->room == 0 ? 1 : 2 * lags->room;
        lags->list = wmem_realloc(wmem_file_scope(), lags->list, lags->room * sizeof *lags->list);
    }
    lags->list[lags->count++] =
        (struct fetch_lag){leaf->offset - lesson->start, kafka_add64(lesson->high_watermark, -asked)};
}

static void take_records(struct lesson *lesson, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    kafka_topic_ids_learn_records(lesson->cursor, place, leaf, &lesson->budget, lesson->pinfo->num);
    kafka_transactions_learn_fetched(lesson->pinfo, lesson->exchange, lesson->start, lesson->cursor, place, leaf);
    if (lesson->high_watermark >= 0 && !returns_something(lesson, &leaf->value)) {
        take_nothing(lesson, place, leaf);
    }
    lesson->high_watermark = -1;
}

static bool wants_fetched(const struct kafka_field *field)
{
    return field == fetch_error || field == fetch_session || field == fetch_watermark;
}

static void take_fetched(void *context, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    struct lesson *lesson = context;

    if (leaf->field == fetch_error) {
        lesson->outcome.error = (int16_t)leaf->integer;
    } else if (leaf->field == fetch_session) {
        lesson->outcome.session_id = (int32_t)leaf->integer;
    } else if (leaf->field == fetch_watermark && leaf->integer >= 0) {
        lesson->high_watermark = leaf->integer;
        take_watermark(lesson, place);
    } else if (leaf->field->type == KAFKA_TYPE_RECORDS) {
        take_records(lesson, place, leaf);
    }
}

struct kafka_fetch_outcome kafka_lag_learn_fetch(packet_info *pinfo, struct kafka_exchange *exchange,
                                                 const struct kafka_body *body, size_t start)
{
    struct lesson lesson = {
        .pinfo = pinfo,
        .exchange = exchange,
        .cursor = &body->cursor,
        .start = start,
        .high_watermark = -1,
        .budget = KAFKA_FIND_MAX_BYTES,
    };

    (void)kafka_walk_places(body, wants_fetched, take_fetched, &lesson);
    kafka_sessions_forget_asked(exchange);
    return lesson.outcome;
}

static void add_lag(struct kafka_commit_lags *lags, struct commit_lag lag)
{
    if (lags->count == lags->room) {
        lags->room = lags->room == 0 ? 4 : 2 * lags->room;
        lags->lags = wmem_realloc(wmem_file_scope(), lags->lags, lags->room * sizeof *lags->lags);
    }
    lags->lags[lags->count++] = lag;
}

static void take_committed(void *context, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    struct lesson *lesson = context;
    struct commit_lag lag = {0};

    if (leaf->field != committed && leaf->field != committed_in_transaction) {
        return;
    }
    struct kafka_topic_partition at = {topic_at(lesson, place), place->partition};
    const struct watermark *watermark = at.topic != NULL ? wmem_map_lookup(watermarks, &at) : NULL;
    if (watermark != NULL && leaf->integer >= 0) {
        lag.lag = watermark->offset - leaf->integer;
        lag.frame = watermark->frame;
    }
    add_lag(lesson->commits, lag);
}

void kafka_lag_learn_commit(packet_info *pinfo, struct kafka_exchange *exchange, const struct kafka_body *body)
{
    struct lesson lesson = {
        .pinfo = pinfo,
        .commits = wmem_new0(wmem_file_scope(), struct kafka_commit_lags),
        .exchange = exchange,
        .cursor = &body->cursor,
    };

    (void)kafka_walk_places(body, NULL, take_committed, &lesson);
    kafka_state_of(exchange)->commits = lesson.commits;
}

static void show_committed(struct kafka_show *show, proto_tree *tree, proto_item *item, const struct kafka_leaf *leaf,
                           const struct commit_lag *lag)
{
    bool wants_lag = kafka_is_wanted(show, hf_commit_lag);
    bool wants_frame = kafka_is_wanted(show, hf_watermark_frame);

    if (item != NULL && (wants_lag || wants_frame)) {
        tree = proto_item_add_subtree(item, ett_lag);
    }
    if (wants_lag) {
        proto_item_set_generated(
            proto_tree_add_int64(tree, hf_commit_lag, show->tvb, (int)leaf->offset, (int)leaf->length, lag->lag));
    }
    if (wants_frame) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, hf_watermark_frame, show->tvb, (int)leaf->offset, (int)leaf->length, lag->frame));
    }
}

bool kafka_lag_uses(const struct kafka_show *show, const struct kafka_field *field)
{
    if (field == fetch_watermark) {
        return kafka_is_wanted(show, hf_fetch_lag);
    }
    return (field == committed || field == committed_in_transaction) && show->state != NULL &&
           show->state->commits != NULL;
}

void kafka_lag_show_offset(struct kafka_lag_walk *walk, struct kafka_show *show, proto_tree *tree, proto_item *item,
                           const struct kafka_leaf *leaf)
{
    if (leaf->field == fetch_watermark) {
        walk->high_watermark = leaf->integer;
        walk->has_high_watermark = leaf->integer >= 0;
        return;
    }
    if (leaf->field != committed && leaf->field != committed_in_transaction) {
        return;
    }
    const struct kafka_commit_lags *lags = show->state != NULL && show->is_request ? show->state->commits : NULL;
    uint32_t at = walk->commits++;
    if (lags != NULL && at < lags->count && lags->lags[at].frame != 0) {
        show_committed(show, tree, item, leaf, &lags->lags[at]);
    }
}

/* Finds the last offset of the whole batches and messages; false when there is none. */
static bool find_last_offset(struct kafka_cursor cursor, int64_t *last)
{
    struct kafka_record_set_entry entry;
    bool is_found = false;

    while (kafka_record_set_next(&cursor, &entry) != KAFKA_ITEM_END) {
        if (entry.status == KAFKA_ITEM_PARTIAL || entry.status == KAFKA_ITEM_MALFORMED) {
            continue;
        }
        if (entry.kind == KAFKA_ENTRY_BATCH && kafka_batch_has_header(&entry.batch)) {
            *last = kafka_batch_last_offset(&entry.batch);
            is_found = true;
        } else if (entry.kind == KAFKA_ENTRY_OLD_MESSAGE && entry.old_message.parts > KAFKA_OLD_ATTRIBUTES) {
            *last = entry.old_message.offset;
            is_found = true;
        }
    }
    return is_found;
}

/* Finds what the first pass found for records of which nothing is returned. */
static bool find_lag(const struct kafka_show *show, size_t offset, int64_t *lag)
{
    const struct kafka_fetch_lags *lags = show->state != NULL ? show->state->lags : NULL;
    uint32_t low = 0;
    uint32_t high = lags != NULL ? lags->count : 0;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lags->list[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (lags == NULL || low == lags->count || lags->list[low].offset != offset) {
        return false;
    }
    *lag = lags->list[low].lag;
    return true;
}

void kafka_lag_show_records(const struct kafka_lag_walk *walk, struct kafka_show *show, proto_tree *tree,
                            const struct kafka_leaf *leaf)
{
    const struct kafka_span *records = &leaf->value;
    struct kafka_cursor cursor = {show->data, records->offset, records->offset + records->length,
                                  tvb_captured_length(show->tvb)};
    int64_t last;
    int64_t lag;

    if (show->api_key != FETCH || show->is_request || !walk->has_high_watermark ||
        !kafka_is_wanted(show, hf_fetch_lag)) {
        return;
    }
    if (find_last_offset(cursor, &last)) {
        lag = kafka_add64(walk->high_watermark, -kafka_add64(last, 1));
    } else if (!find_lag(show, leaf->offset, &lag)) {
        return;
    }
    proto_item_set_generated(proto_tree_add_int64(tree, hf_fetch_lag, show->tvb, (int)leaf->offset, 0, lag));
}

void kafka_lag_register(void)
{
    const struct kafka_field_row fields[] = {
        {&hf_fetch_lag,
         {"Lag", "kafka.fetch_lag", FT_INT64, BASE_DEC, NULL, 0,
          "Offsets between the last one that the response returns, or what was asked for, and the high watermark",
          HFILL}},
        {&hf_commit_lag,
         {"Lag", "kafka.commit_lag", FT_INT64, BASE_DEC, NULL, 0,
          "Offsets between the committed one and the high watermark that was seen last", HFILL}},
        {&hf_watermark_frame,
         {"High Watermark in Frame", "kafka.high_watermark_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "Frame of the high watermark that the lag was computed by", HFILL}},
    };
    static int *etts[] = {&ett_lag};

    kafka_register_rows(fields, array_length(fields));
    proto_register_subtree_array(etts, array_length(etts));
    watermarks = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), kafka_topic_partition_hash,
                                        kafka_topic_partitions_equal);
    fetch_error = kafka_field_at(kafka_apis[FETCH].response, "ErrorCode");
    fetch_session = kafka_field_at(kafka_apis[FETCH].response, "SessionId");
    fetch_watermark = kafka_field_at(kafka_apis[FETCH].response, "Responses.Partitions.HighWatermark");
    committed = kafka_field_at(kafka_apis[OFFSET_COMMIT].request, "Topics.Partitions.CommittedOffset");
    committed_in_transaction =
        kafka_field_at(kafka_apis[TXN_OFFSET_COMMIT].request, "Topics.Partitions.CommittedOffset");
}
