/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "expert.h"
#include "sessions.h"

#include "../wire/session.h"
#include "fields.h"
#include "message.h"
#include "pdu.h"
#include "state.h"
#include "topics.h"

#define FETCH             1
#define SHARE_FETCH       78
#define SHARE_ACKNOWLEDGE 79

/* Of a session, changes beyond this number are not kept; a broker holds far fewer partitions for a client. */
#define MAX_SPANS 50000

/* How far a response may list partitions in another order than its request. */
#define MAX_STEPS 100000

#define HELD_STILL UINT32_MAX

/* How long a session held a partition. */
struct span {
    uint32_t from;  /* number of the request within the session */
    uint32_t to;    /* that took it out */
    uint32_t frame; /* of the request that put it in */
};

/* A partition that a session holds or held. */
struct member {
    const struct session *session;
    const struct kafka_topic *topic;
    int32_t partition;
    uint32_t asked;       /* number of the last request that listed it */
    int64_t fetch_offset; /* that it asked for */
    struct span *spans;   /* in their order */
    uint32_t count;
    uint32_t room;
};

struct session {
    int32_t id;
    bool is_share;
    bool from_start; /* the request that opened it is in the capture */
    bool is_partial; /* not every change was kept, or requests are missing */
    uint32_t first_frame;
    uint32_t clock; /* requests so far */
    int32_t last_epoch;
    uint32_t last_frame;
    uint32_t held;
    uint32_t spans;          /* of all members */
    struct member **members; /* in the order in which they came */
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
    bool is_complete;        /* all that a response can be about is known */
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
    int64_t fetch_offset;
    bool is_forgotten;
};

/* Of a request without session, what it asks for, until the response comes. */
struct kafka_fetch_asked {
    uint32_t count;
    uint32_t next;  /* to be looked at first: responses list partitions as requests do */
    uint32_t steps; /* that looking may still take */
    struct asked {
        const struct kafka_topic *topic;
        int32_t partition;
        int64_t fetch_offset;
    } list[];
};

/* Session, topic and partition of a struct member → it. Emptied when the capture is closed. */
static wmem_map_t *members;

static int hf_session = -1;
static int hf_session_frame = -1;
static int hf_session_partitions = -1;
static int hf_session_topic = -1;
static int hf_session_partition = -1;
static int hf_session_asked = -1;
static int ett_session = -1;
static int ett_session_topic = -1;
static int ett_session_partition = -1;
static expert_field ei_session_epoch = EI_INIT;
static expert_field ei_session_lost = EI_INIT;
static expert_field ei_session_not_asked = EI_INIT;

static const struct kafka_field *fetch_id;
static const struct kafka_field *fetch_epoch;
static const struct kafka_field *share_epoch;
static const struct kafka_field *acknowledge_epoch;
static const struct kafka_field *fetch_offset;
static const struct kafka_field *fetch_wait;
static const struct kafka_field *share_wait;
static const struct kafka_field *share_error;
static const struct kafka_field *acknowledge_error;

static struct kafka_topic_ref text_at(const struct request *request, const struct kafka_leaf *leaf)
{
    return (struct kafka_topic_ref){request->data + leaf->value.offset, leaf->value.length, false};
}

static bool wants_number(const struct kafka_field *field)
{
    return field == fetch_id || field == fetch_epoch || field == share_epoch || field == acknowledge_epoch ||
           field == fetch_wait || field == share_wait || field == fetch_offset;
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
        struct change change = {place->topic, place->partition, -1, leaf->index >= 0};
        if (request->changes == NULL) {
            request->changes = wmem_array_new(request->scope, sizeof change);
        }
        wmem_array_append_one(request->changes, change);
    } else if (field == fetch_offset && request->changes != NULL) {
        struct change *last = wmem_array_index(request->changes, wmem_array_get_count(request->changes) - 1);
        last->fetch_offset = leaf->integer;
    }
}

static unsigned hash_member(const void *key)
{
    const struct member *member = key;

    return g_direct_hash(member->session) ^ (g_direct_hash(member->topic) * 31U) ^
           ((uint32_t)member->partition * 2654435761U);
}

static gboolean members_equal(const void *a, const void *b)
{
    const struct member *one = a;
    const struct member *other = b;

    return one->session == other->session && one->topic == other->topic && one->partition == other->partition;
}

static struct member *find_member(const struct session *session, const struct kafka_topic *topic, int32_t partition)
{
    const struct member wanted = {.session = session, .topic = topic, .partition = partition};

    return wmem_map_lookup(members, &wanted);
}

static struct member *new_member(struct session *session, const struct kafka_topic *topic, int32_t partition)
{
    struct member *member = wmem_new0(wmem_file_scope(), struct member);

    member->session = session;
    member->topic = topic;
    member->partition = partition;
    if (session->count == session->room) {
        session->room = session->room == 0 ? 4 : session->room * 2;
        session->members = wmem_realloc(wmem_file_scope(), session->members, session->room * sizeof(struct member *));
    }
    session->members[session->count++] = member;
    wmem_map_insert(members, member, member);
    return member;
}

static bool is_held(const struct member *member)
{
    return member->count > 0 && member->spans[member->count - 1].to == HELD_STILL;
}

/* Returns the span of time in which the member was held when the request of that number had come, or NULL. */
static const struct span *span_at(const struct member *member, uint32_t clock)
{
    uint32_t low = 0;
    uint32_t high = member->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (member->spans[middle].from <= clock) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && clock < member->spans[low - 1].to ? &member->spans[low - 1] : NULL;
}

static void add_partition(struct session *session, const packet_info *pinfo, const struct kafka_topic *topic,
                          const struct change *change)
{
    struct member *member = find_member(session, topic, change->partition);

    if (member == NULL || !is_held(member)) {
        if (session->spans == MAX_SPANS) {
            session->is_partial = true;
            return;
        }
        if (member == NULL) {
            member = new_member(session, topic, change->partition);
        }
        if (member->count == member->room) {
            member->room = member->room == 0 ? 1 : member->room * 2;
            member->spans = wmem_realloc(wmem_file_scope(), member->spans, member->room * sizeof *member->spans);
        }
        member->spans[member->count++] = (struct span){session->clock, HELD_STILL, pinfo->num};
        session->spans++;
        session->held++;
    }
    member->asked = session->clock;
    member->fetch_offset = change->fetch_offset;
}

static void forget_partition(struct session *session, const struct kafka_topic *topic, int32_t partition)
{
    struct member *member = find_member(session, topic, partition);

    if (member != NULL && is_held(member)) {
        member->spans[member->count - 1].to = session->clock;
        session->held--;
    }
}

/* Of a session that the broker did not open nothing is worth to be kept. */
static void free_session(struct session *session)
{
    for (uint32_t i = 0; i < session->count; i++) {
        struct member *member = session->members[i];
        wmem_map_remove(members, member);
        wmem_free(wmem_file_scope(), member->spans);
        wmem_free(wmem_file_scope(), member);
    }
    wmem_free(wmem_file_scope(), session->members);
    wmem_free(wmem_file_scope(), session);
}

static unsigned change_count(const struct request *request)
{
    return request->changes != NULL ? wmem_array_get_count(request->changes) : 0;
}

static const struct change *change_at(const struct request *request, unsigned at)
{
    return wmem_array_index(request->changes, at);
}

/* Messages list partitions by topic: it is looked up once for all of them. */
static const struct kafka_topic *topic_of(const struct request *request, unsigned at, const struct kafka_topic *before)
{
    const struct kafka_topic_ref *topic = &change_at(request, at)->topic;

    return at > 0 && topic->bytes == change_at(request, at - 1)->topic.bytes ? before : kafka_topic_keep(topic);
}

static void apply_changes(struct session *session, const packet_info *pinfo, const struct request *request)
{
    const struct kafka_topic *topic = NULL;

    session->clock++;
    for (unsigned i = 0; i < change_count(request); i++) {
        const struct change *change = change_at(request, i);
        topic = topic_of(request, i, topic);
        if (change->is_forgotten) {
            forget_partition(session, topic, change->partition);
        } else {
            add_partition(session, pinfo, topic, change);
        }
    }
}

/* Keeps what a request without session asks for. */
static void keep_asked(struct kafka_exchange *exchange, const struct request *request)
{
    unsigned count = change_count(request);
    const struct kafka_topic *topic = NULL;

    if (count == 0) {
        return;
    }
    struct kafka_fetch_asked *asked = wmem_alloc(wmem_file_scope(), sizeof *asked + count * sizeof *asked->list);
    asked->count = count;
    asked->next = 0;
    asked->steps = count + MAX_STEPS;
    for (unsigned i = 0; i < count; i++) {
        topic = topic_of(request, i, topic);
        asked->list[i] = (struct asked){topic, change_at(request, i)->partition, change_at(request, i)->fetch_offset};
    }
    kafka_state_of(exchange)->asked = asked;
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

    if (kafka_walk_places(body, wants_number, take_leaf, &request) == KAFKA_WALK_MALFORMED) {
        return;
    }
    if (request.max_wait > 0) {
        kafka_state_of(exchange)->max_wait = request.max_wait;
    }
    if (!request.has_epoch || (!is_share && request.id == 0 && request.epoch != KAFKA_SESSION_EPOCH_FIRST)) {
        keep_asked(exchange, &request);
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
        session->is_partial = session->is_partial || use->wanted_epoch != request.epoch;
    }
    if (exchange->api_key != SHARE_ACKNOWLEDGE && request.epoch != KAFKA_SESSION_EPOCH_FINAL) {
        apply_changes(session, pinfo, &request);
    }
    if (request.epoch == KAFKA_SESSION_EPOCH_FINAL) {
        drop_session(sessions, request.id, share_key);
    }
    session->last_epoch = request.epoch;
    session->last_frame = pinfo->num;
    use->clock = session->clock;
    use->held = session->held;
    use->is_complete = session->from_start && !session->is_partial && request.epoch != KAFKA_SESSION_EPOCH_FINAL;
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

    (void)kafka_walk_places(body, NULL, take_error, &error);
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

bool kafka_sessions_fetch_offset(const struct kafka_exchange *exchange, const struct kafka_place *place,
                                 int64_t *offset)
{
    const struct kafka_state *state = exchange->state;
    const struct kafka_topic *topic = state != NULL ? kafka_topic_find(&place->topic) : NULL;

    if (topic == NULL) {
        return false;
    }
    if (state->session != NULL) {
        const struct member *member = find_member(state->session->session, topic, place->partition);
        *offset = member != NULL ? member->fetch_offset : -1;
        /* Not where a later request, which is under way, asked for another one. */
        return member != NULL && member->asked <= state->session->clock && *offset >= 0;
    }
    struct kafka_fetch_asked *asked = state->asked;
    for (uint32_t i = 0; asked != NULL && i < asked->count && asked->steps > 0; i++, asked->steps--) {
        const struct asked *at = &asked->list[(asked->next + i) % asked->count];
        if (at->topic == topic && at->partition == place->partition) {
            asked->next = (asked->next + i + 1) % asked->count;
            *offset = at->fetch_offset;
            return *offset >= 0;
        }
    }
    return false;
}

void kafka_sessions_forget_asked(struct kafka_exchange *exchange)
{
    if (exchange->state != NULL) {
        wmem_free(wmem_file_scope(), exchange->state->asked);
        exchange->state->asked = NULL;
    }
}

/* A member to show, and by what it is put in order: its topic's first member, and its own place. */
struct listed {
    const struct member *member;
    uint32_t topic;
    uint32_t own;
};

static int compare_listed(const void *a, const void *b)
{
    const struct listed *one = a;
    const struct listed *other = b;

    if (one->topic != other->topic) {
        return one->topic < other->topic ? -1 : 1;
    }
    return one->own < other->own ? -1 : one->own > other->own;
}

/* Returns the members that the session held, topic by topic, in the order in which they came. */
static struct listed *list_members(wmem_allocator_t *scope, const struct kafka_session_use *use, uint32_t *count)
{
    const struct session *session = use->session;
    struct listed *list = wmem_alloc_array(scope, struct listed, session->count + 1);
    wmem_map_t *first = wmem_map_new(scope, g_direct_hash, g_direct_equal);

    *count = 0;
    for (uint32_t i = 0; i < session->count; i++) {
        const struct member *member = session->members[i];
        if (span_at(member, use->clock) != NULL) {
            if (!wmem_map_contains(first, member->topic)) {
                wmem_map_insert(first, member->topic, GUINT_TO_POINTER(i));
            }
            list[(*count)++] = (struct listed){member, GPOINTER_TO_UINT(wmem_map_lookup(first, member->topic)), i};
        }
    }
    qsort(list, *count, sizeof *list, compare_listed);
    return list;
}

/* Adds the topics that the session held, and below each its partitions. */
static void show_partitions(struct kafka_show *show, proto_tree *tree, const struct kafka_session_use *use)
{
    const struct kafka_topic *last = NULL;
    proto_tree *topic_tree = tree;
    uint32_t count;

    if (!kafka_is_wanted(show, hf_session_topic) && !kafka_is_wanted(show, hf_session_partition)) {
        return;
    }
    const struct listed *list = list_members(show->pinfo->pool, use, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct member *member = list[i].member;
        if (member->topic != last && kafka_is_wanted(show, hf_session_topic)) {
            proto_item *item = proto_tree_add_string(tree, hf_session_topic, show->tvb, 0, 0,
                                                     kafka_topic_text(show->pinfo->pool, member->topic));
            set_generated(item);
            topic_tree = proto_item_add_subtree(item, ett_session_topic);
        }
        last = member->topic;
        if (kafka_is_wanted(show, hf_session_partition)) {
            set_generated(proto_tree_add_int(topic_tree, hf_session_partition, show->tvb, 0, 0, member->partition));
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
        proto_item_append_text(item, ", %s%u partition%s", use->is_complete ? "" : "at least ", use->held,
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

void kafka_sessions_show_partition(struct kafka_show *show, proto_tree *tree, proto_item *item,
                                   const struct kafka_topic_ref *topic, const struct kafka_leaf *leaf)
{
    const struct kafka_session_use *use = show->state != NULL ? show->state->session : NULL;

    if (use == NULL || show->is_request || (use->is_opening && !use->is_open) ||
        !(kafka_is_wanted(show, hf_session_asked) || kafka_is_wanted(show, ei_session_not_asked.hf) ||
          kafka_wants_errors(show))) {
        return;
    }
    const struct kafka_topic *found = kafka_topic_find(topic);
    const struct member *member = found != NULL ? find_member(use->session, found, (int32_t)leaf->integer) : NULL;
    const struct span *span = member != NULL ? span_at(member, use->clock) : NULL;
    if (span != NULL && kafka_is_wanted(show, hf_session_asked)) {
        tree = item != NULL ? proto_item_add_subtree(item, ett_session_partition) : tree;
        set_generated(
            proto_tree_add_uint(tree, hf_session_asked, show->tvb, (int)leaf->offset, (int)leaf->length, span->frame));
    } else if (span == NULL && use->is_complete) {
        kafka_expert_add_format(show->pinfo, item != NULL ? item : show->item, &ei_session_not_asked,
                                "The session does not hold this partition; it was first seen in frame %u",
                                use->session->first_frame);
    }
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
        {&hf_session_asked,
         {"In Session Since Frame", "kafka.session.since_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "Request that put this partition of a response into the session", HFILL}},
    };
    static int *etts[] = {&ett_session, &ett_session_topic, &ett_session_partition};
    static ei_register_info infos[] = {
        {&ei_session_epoch,
         {"kafka.session.epoch_gap", PI_SEQUENCE, PI_NOTE, "A session epoch does not follow the last one", EXPFILL}},
        {&ei_session_lost,
         {"kafka.session.lost", PI_SEQUENCE, PI_WARN, "The broker does not have the session as the client does",
          EXPFILL}},
        {&ei_session_not_asked,
         {"kafka.session.not_held", PI_SEQUENCE, PI_NOTE, "The session does not hold the partition of a response",
          EXPFILL}},
    };

    kafka_register_rows(fields, array_length(fields));
    proto_register_subtree_array(etts, array_length(etts));
    expert_register_field_array(expert_register_protocol(proto), infos, array_length(infos));
    members = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_member, members_equal);
    fetch_id = kafka_field_at(kafka_apis[FETCH].request, "SessionId");
    fetch_epoch = kafka_field_at(kafka_apis[FETCH].request, "SessionEpoch");
    share_epoch = kafka_field_at(kafka_apis[SHARE_FETCH].request, "ShareSessionEpoch");
    acknowledge_epoch = kafka_field_at(kafka_apis[SHARE_ACKNOWLEDGE].request, "ShareSessionEpoch");
    fetch_offset = kafka_field_at(kafka_apis[FETCH].request, "Topics.Partitions.FetchOffset");
    fetch_wait = kafka_field_at(kafka_apis[FETCH].request, "MaxWaitMs");
    share_wait = kafka_field_at(kafka_apis[SHARE_FETCH].request, "MaxWaitMs");
    share_error = kafka_field_at(kafka_apis[SHARE_FETCH].response, "ErrorCode");
    acknowledge_error = kafka_field_at(kafka_apis[SHARE_ACKNOWLEDGE].response, "ErrorCode");
}
