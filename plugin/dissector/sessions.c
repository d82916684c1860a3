/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "expert.h"
#include "sessions.h"

#include "../wire/session.h"
#include "fields.h"
#include "message.h"
#include "state.h"
#include "topics.h"

#define FETCH             1
#define SHARE_FETCH       78
#define SHARE_ACKNOWLEDGE 79

/* Of a session, changes beyond this number are not kept; a broker holds far fewer partitions for a client. */
#define MAX_ENTRIES 50000

#define HELD_STILL UINT32_MAX

/* A partition that a session held from one of its requests to another. */
struct entry {
    const struct session *session;
    const struct kafka_topic *topic;
    int32_t partition;
    uint32_t from; /* number of the request within the session */
    uint32_t to;   /* that took it out */
};

struct session {
    int32_t id;
    bool is_share;
    bool from_start; /* the request that opened it is in the capture */
    bool is_partial; /* not every change was kept */
    uint32_t first_frame;
    uint32_t clock; /* requests so far */
    int32_t last_epoch;
    uint32_t last_frame;
    uint32_t held;
    struct entry **entries; /* in the order in which they came */
    uint32_t count;
    uint32_t room;
};

struct kafka_session_use {
    struct session *session;
    uint32_t clock;
    uint32_t held;
    int32_t epoch;
    int32_t wanted_epoch;    /* that should have come, or 0 where any may */
    uint32_t previous_frame; /* of the request before */
    bool is_opening;
    bool is_open;  /* the broker opened it: shown in the response */
    int16_t error; /* by which the broker refused it */
};

struct kafka_sessions {
    wmem_map_t *fetch; /* session id → struct session */
    wmem_map_t *share; /* group and member → struct session */
};

/* What a request says about sessions. */
struct request {
    wmem_allocator_t *scope;
    int32_t id;
    int32_t epoch;
    bool has_epoch;
    int32_t max_wait;
    struct kafka_topic_ref group;
    struct kafka_topic_ref member;
    wmem_array_t *changes; /* of struct change */
    const uint8_t *data;
};

struct change {
    struct kafka_topic_ref topic;
    int32_t partition;
    bool is_forgotten;
};

/* Entries that are held still, by session and partition. Emptied when the capture is closed. */
static wmem_map_t *held_entries;

static int hf_session = -1;
static int hf_session_frame = -1;
static int hf_session_partitions = -1;
static int hf_session_topic = -1;
static int hf_session_partition = -1;
static int ett_session = -1;
static int ett_session_topic = -1;
static expert_field ei_session_epoch = EI_INIT;
static expert_field ei_session_lost = EI_INIT;

static const struct kafka_field *fetch_id;
static const struct kafka_field *fetch_epoch;
static const struct kafka_field *share_epoch;
static const struct kafka_field *acknowledge_epoch;
static const struct kafka_field *fetch_wait;
static const struct kafka_field *share_wait;
static const struct kafka_field *share_error;
static const struct kafka_field *acknowledge_error;

static struct kafka_topic_ref text_at(const struct request *request, const struct kafka_leaf *leaf)
{
    return (struct kafka_topic_ref){request->data + leaf->value.offset, leaf->value.length, false};
}

static void take_leaf(void *context, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    struct request *request = context;
    const struct kafka_field *field = leaf->field;

    if (field == fetch_id) {
        request->id = (int32_t)leaf->integer;
    } else if (field == fetch_epoch || field == share_epoch || field == acknowledge_epoch) {
        request->epoch = (int32_t)leaf->integer;
        request->has_epoch = true;
    } else if (field == fetch_wait || field == share_wait) {
        request->max_wait = (int32_t)leaf->integer;
    } else if (field->meaning == KAFKA_MEANING_GROUP_ID) {
        request->group = text_at(request, leaf);
    } else if (field->meaning == KAFKA_MEANING_MEMBER_ID) {
        request->member = text_at(request, leaf);
    } else if (field->meaning == KAFKA_MEANING_PARTITION && place->topic.bytes != NULL) {
        /* Those to forget are listed as numbers, those to fetch as structures. */
        struct change change = {place->topic, place->partition, leaf->index >= 0};
        if (request->changes == NULL) {
            request->changes = wmem_array_new(request->scope, sizeof change);
        }
        wmem_array_append_one(request->changes, change);
    }
}

static unsigned hash_entry(const void *key)
{
    const struct entry *entry = key;

    return g_direct_hash(entry->session) ^ (g_direct_hash(entry->topic) * 31U) ^
           ((uint32_t)entry->partition * 2654435761U);
}

static gboolean entries_equal(const void *a, const void *b)
{
    const struct entry *one = a;
    const struct entry *other = b;

    return one->session == other->session && one->topic == other->topic && one->partition == other->partition;
}

static void add_partition(struct session *session, const struct entry *wanted)
{
    if (wmem_map_contains(held_entries, wanted)) {
        return;
    }
    if (session->count == MAX_ENTRIES) {
        session->is_partial = true;
        return;
    }
    if (session->count == session->room) {
        session->room = session->room == 0 ? 4 : session->room * 2;
        session->entries = wmem_realloc(wmem_file_scope(), session->entries, session->room * sizeof(struct entry *));
    }
    struct entry *entry = wmem_memdup(wmem_file_scope(), wanted, sizeof *wanted);
    session->entries[session->count++] = entry;
    session->held++;
    wmem_map_insert(held_entries, entry, entry);
}

static void forget_partition(struct session *session, const struct entry *wanted)
{
    struct entry *entry = wmem_map_remove(held_entries, wanted);

    if (entry != NULL) {
        entry->to = session->clock;
        session->held--;
    }
}

/* Of a session that the broker did not open nothing is worth to be kept. */
static void free_session(struct session *session)
{
    for (uint32_t i = 0; i < session->count; i++) {
        wmem_map_remove(held_entries, session->entries[i]);
        wmem_free(wmem_file_scope(), session->entries[i]);
    }
    wmem_free(wmem_file_scope(), session->entries);
    wmem_free(wmem_file_scope(), session);
}

static void apply_changes(struct session *session, const struct request *request)
{
    unsigned count = request->changes != NULL ? wmem_array_get_count(request->changes) : 0;

    session->clock++;
    for (unsigned i = 0; i < count; i++) {
        const struct change *change = wmem_array_index(request->changes, i);
        struct entry entry = {session, kafka_topic_keep(&change->topic), change->partition, session->clock, HELD_STILL};
        if (change->is_forgotten) {
            forget_partition(session, &entry);
        } else {
            add_partition(session, &entry);
        }
    }
}

static struct session *new_session(const packet_info *pinfo, bool is_share, bool from_start)
{
    struct session *session = wmem_new0(wmem_file_scope(), struct session);

    session->is_share = is_share;
    session->from_start = from_start;
    session->first_frame = pinfo->num;
    return session;
}

static struct kafka_sessions *sessions_of(struct kafka_connection *connection)
{
    if (connection->sessions == NULL) {
        connection->sessions = wmem_new0(wmem_file_scope(), struct kafka_sessions);
        connection->sessions->fetch = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        connection->sessions->share = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
    }
    return connection->sessions;
}

/* Finds the session that the request names, in the map and under the key that are its. */
static struct session *find_session(const struct kafka_sessions *sessions, const struct request *request, bool is_share,
                                    const char *share_key)
{
    return is_share ? wmem_map_lookup(sessions->share, share_key)
                    : wmem_map_lookup(sessions->fetch, GINT_TO_POINTER(request->id));
}

static void drop_session(const struct kafka_sessions *sessions, int32_t id, const char *share_key)
{
    if (share_key != NULL) {
        wmem_map_remove(sessions->share, share_key);
    } else {
        wmem_map_remove(sessions->fetch, GINT_TO_POINTER(id));
    }
}

/* A broker has a share session for each member of a group. */
static const char *share_key_of(const struct request *request)
{
    return wmem_strdup_printf(request->scope, "%.*s %.*s", (int)request->group.length,
                              request->group.bytes != NULL ? (const char *)request->group.bytes : "",
                              (int)request->member.length,
                              request->member.bytes != NULL ? (const char *)request->member.bytes : "");
}

/* Begins a session; one that is fetched from gets its id in the response. */
static struct session *open_session(const struct kafka_sessions *sessions, const packet_info *pinfo,
                                    const struct request *request, const char *share_key)
{
    struct session *session = new_session(pinfo, share_key != NULL, true);

    drop_session(sessions, request->id, share_key);
    if (share_key != NULL) {
        wmem_map_insert(sessions->share, wmem_strdup(wmem_file_scope(), share_key), session);
    }
    return session;
}

/* Returns the session that the request goes on with or ends; what was before the capture is not known of it. */
static struct session *continue_session(const struct kafka_sessions *sessions, const packet_info *pinfo,
                                        const struct request *request, const char *share_key)
{
    struct session *session = find_session(sessions, request, share_key != NULL, share_key);

    if (session == NULL) {
        session = new_session(pinfo, share_key != NULL, false);
        session->id = request->id;
        if (share_key != NULL) {
            wmem_map_insert(sessions->share, wmem_strdup(wmem_file_scope(), share_key), session);
        } else {
            wmem_map_insert(sessions->fetch, GINT_TO_POINTER(request->id), session);
        }
    }
    return session;
}

void kafka_sessions_learn_request(struct kafka_connection *connection, packet_info *pinfo,
                                  struct kafka_exchange *exchange, const struct kafka_body *body)
{
    struct request request = {.scope = pinfo->pool, .data = body->cursor.data};
    bool is_share = exchange->api_key != FETCH;

    if (kafka_walk_places(body, take_leaf, &request) == KAFKA_WALK_MALFORMED) {
        return;
    }
    if (request.max_wait > 0) {
        kafka_state_of(exchange)->max_wait = request.max_wait;
    }
    if (!request.has_epoch || (!is_share && request.id == 0 && request.epoch != KAFKA_SESSION_EPOCH_FIRST)) {
        return;
    }
    struct kafka_sessions *sessions = sessions_of(connection);
    const char *share_key = is_share ? share_key_of(&request) : NULL;
    struct kafka_session_use *use = wmem_new0(wmem_file_scope(), struct kafka_session_use);
    bool is_opening = request.epoch == KAFKA_SESSION_EPOCH_FIRST;
    struct session *session = is_opening ? open_session(sessions, pinfo, &request, share_key)
                                         : continue_session(sessions, pinfo, &request, share_key);

    use->session = session;
    use->is_opening = is_opening;
    use->epoch = request.epoch;
    use->previous_frame = session->last_frame;
    if (kafka_session_is_incremental(request.epoch) && session->last_frame != 0) {
        use->wanted_epoch = kafka_session_next_epoch(session->last_epoch);
    }
    if (exchange->api_key != SHARE_ACKNOWLEDGE && request.epoch != KAFKA_SESSION_EPOCH_FINAL) {
        apply_changes(session, &request);
    }
    if (request.epoch == KAFKA_SESSION_EPOCH_FINAL) {
        drop_session(sessions, request.id, share_key);
    }
    session->last_epoch = request.epoch;
    session->last_frame = pinfo->num;
    use->clock = session->clock;
    use->held = session->held;
    kafka_state_of(exchange)->session = use;
}

static void take_error(void *context, const struct kafka_place *place _U_, const struct kafka_leaf *leaf)
{
    if (leaf->field == share_error || leaf->field == acknowledge_error) {
        *(int16_t *)context = (int16_t)leaf->integer;
    }
}

int16_t kafka_sessions_share_error(const struct kafka_body *body)
{
    int16_t error = 0;

    (void)kafka_walk_places(body, take_error, &error);
    return error;
}

void kafka_sessions_learn_response(struct kafka_connection *connection, struct kafka_exchange *exchange, int16_t error,
                                   int32_t session_id)
{
    struct kafka_session_use *use = exchange->state != NULL ? exchange->state->session : NULL;

    if (use == NULL) {
        return;
    }
    struct session *session = use->session;
    struct kafka_sessions *sessions = sessions_of(connection);
    if (use->is_opening && error == 0 && (session->is_share || session_id != 0)) {
        use->is_open = true;
        if (!session->is_share) {
            session->id = session_id;
            wmem_map_insert(sessions->fetch, GINT_TO_POINTER(session_id), session);
        }
    } else if (use->is_opening && !session->is_share) {
        free_session(session);
        wmem_free(wmem_file_scope(), use);
        exchange->state->session = NULL;
        return;
    }
    if (!kafka_session_is_lost(error)) {
        return;
    }
    use->error = error;
    /* A share session that is lost is opened anew under its key. */
    if (!session->is_share && wmem_map_lookup(sessions->fetch, GINT_TO_POINTER(session->id)) == session) {
        drop_session(sessions, session->id, NULL);
    }
}

static void set_generated(proto_item *item)
{
    proto_item_set_generated(item);
}

static bool was_held(const struct entry *entry, uint32_t clock)
{
    return entry->from <= clock && clock < entry->to;
}

/* Adds the topics that the session held, and below each its partitions. */
static void show_partitions(struct kafka_show *show, proto_tree *tree, const struct kafka_session_use *use)
{
    const struct session *session = use->session;
    const struct kafka_topic *last = NULL;
    proto_tree *topic_tree = tree;

    if (!kafka_is_wanted(show, hf_session_topic) && !kafka_is_wanted(show, hf_session_partition)) {
        return;
    }
    for (uint32_t i = 0; i < session->count; i++) {
        const struct entry *entry = session->entries[i];
        if (!was_held(entry, use->clock)) {
            continue;
        }
        if (entry->topic != last && kafka_is_wanted(show, hf_session_topic)) {
            proto_item *item = proto_tree_add_string(tree, hf_session_topic, show->tvb, 0, 0,
                                                     kafka_topic_text(show->pinfo->pool, entry->topic));
            set_generated(item);
            topic_tree = proto_item_add_subtree(item, ett_session_topic);
        }
        last = entry->topic;
        if (kafka_is_wanted(show, hf_session_partition)) {
            set_generated(proto_tree_add_int(topic_tree, hf_session_partition, show->tvb, 0, 0, entry->partition));
        }
    }
}

static void tell_problems(const struct kafka_show *show, proto_item *item, const struct kafka_session_use *use)
{
    if (show->is_request && use->wanted_epoch != 0 && use->epoch != use->wanted_epoch) {
        kafka_expert_add_format(show->pinfo, item, &ei_session_epoch,
                                "Session epoch %d does not follow that of frame %u: %d was to come", use->epoch,
                                use->previous_frame, use->wanted_epoch);
    }
    if (!show->is_request && use->error != 0) {
        bool is_gone =
            use->error == KAFKA_ERROR_FETCH_SESSION_ID_NOT_FOUND || use->error == KAFKA_ERROR_SHARE_SESSION_NOT_FOUND;
        kafka_expert_add_format(show->pinfo, item, &ei_session_lost,
                                is_gone
                                    ? "The broker has no such session any more; it was first seen in frame %u"
                                    : "The broker counts the epochs of this session otherwise; first seen in frame %u",
                                use->session->first_frame);
    }
}

void kafka_sessions_show(struct kafka_show *show, const struct kafka_session_use *use)
{
    const struct session *session = use->session;
    proto_tree *tree = show->tree;
    proto_item *item = show->item;

    /* Whether a request opens a session is up to the broker. */
    if (use->is_opening && (show->is_request || !use->is_open)) {
        return;
    }
    if (kafka_is_wanted(show, hf_session)) {
        item = proto_tree_add_item(tree, hf_session, show->tvb, 0, 0, ENC_NA);
        tree = proto_item_add_subtree(item, ett_session);
        if (session->is_share) {
            proto_item_set_text(item, "Share session");
        } else {
            proto_item_set_text(item, "Fetch session %d", session->id);
        }
        proto_item_append_text(item, ", %s%u partition%s",
                               session->from_start && !session->is_partial ? "" : "at least ", use->held,
                               use->held == 1 ? "" : "s");
        set_generated(item);
    }
    tell_problems(show, item, use);
    if (kafka_is_wanted(show, hf_session_frame)) {
        set_generated(proto_tree_add_uint(tree, hf_session_frame, show->tvb, 0, 0, session->first_frame));
    }
    if (kafka_is_wanted(show, hf_session_partitions)) {
        set_generated(proto_tree_add_uint(tree, hf_session_partitions, show->tvb, 0, 0, use->held));
    }
    show_partitions(show, tree, use);
}

void kafka_sessions_register(int proto)
{
    const struct kafka_field_row fields[] = {
        {&hf_session,
         {"Session", "kafka.session", FT_NONE, BASE_NONE, NULL, 0,
          "The fetch or share session that the message belongs to, as known from the messages before it", HFILL}},
        {&hf_session_frame,
         {"First Seen in Frame", "kafka.session.first_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "Request that opened the session, or the first one of it in the capture", HFILL}},
        {&hf_session_partitions,
         {"Partitions", "kafka.session.partition_count", FT_UINT32, BASE_DEC, NULL, 0,
          "How many partitions the session holds after this request", HFILL}},
        {&hf_session_topic,
         {"Topic", "kafka.session.topic_name", FT_STRING, BASE_NONE, NULL, 0, "Topic of partitions in the session",
          HFILL}},
        {&hf_session_partition,
         {"Partition", "kafka.session.partition", FT_INT32, BASE_DEC, NULL, 0, "Partition in the session", HFILL}},
    };
    static int *etts[] = {&ett_session, &ett_session_topic};
    static ei_register_info infos[] = {
        {&ei_session_epoch,
         {"kafka.session.epoch_gap", PI_SEQUENCE, PI_NOTE, "A session epoch does not follow the last one", EXPFILL}},
        {&ei_session_lost,
         {"kafka.session.lost", PI_SEQUENCE, PI_WARN, "The broker does not have the session as the client does",
          EXPFILL}},
    };

    kafka_register_rows(fields, array_length(fields));
    proto_register_subtree_array(etts, array_length(etts));
    expert_register_field_array(expert_register_protocol(proto), infos, array_length(infos));
    held_entries = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_entry, entries_equal);
    fetch_id = kafka_field_at(kafka_apis[FETCH].request, "SessionId");
    fetch_epoch = kafka_field_at(kafka_apis[FETCH].request, "SessionEpoch");
    share_epoch = kafka_field_at(kafka_apis[SHARE_FETCH].request, "ShareSessionEpoch");
    acknowledge_epoch = kafka_field_at(kafka_apis[SHARE_ACKNOWLEDGE].request, "ShareSessionEpoch");
    fetch_wait = kafka_field_at(kafka_apis[FETCH].request, "MaxWaitMs");
    share_wait = kafka_field_at(kafka_apis[SHARE_FETCH].request, "MaxWaitMs");
    share_error = kafka_field_at(kafka_apis[SHARE_FETCH].response, "ErrorCode");
    acknowledge_error = kafka_field_at(kafka_apis[SHARE_ACKNOWLEDGE].response, "ErrorCode");
}
