/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "expert.h"
#include "topic_ids.h"

#include <epan/uat.h>

#include <string.h>

#include "../wire/record_set.h"
#include "../wire/topic_records.h"
#include "fields.h"
#include "message.h"
#include "string_fields.h"
#include "values.h"

/* A row of the preference. */
struct topic_id_row {
    char *id;
    char *name;
};

/* A naming that is being learned. */
struct lesson {
    uint32_t frame;
};

static int hf_topic_name = -1; /* "kafka.topic_name", which the schema registered */
static int hf_topic_name_frame = -1;
static int ett_topic_name = -1;
static expert_field ei_topic_id_conflict = EI_INIT;

/* Of the capture: id → struct kafka_topic_name. Emptied when the capture is closed. */
static wmem_map_t *learned;
static bool has_conflicts;

/* Of the preference: the same. */
static GHashTable *preferred;
static struct topic_id_row *rows;
static unsigned row_count;

/* Field of an id → field of the name beside it. */
static wmem_map_t *names_beside;

static unsigned hash_id(const void *id)
{
    return kafka_load32(id) ^ kafka_load32((const uint8_t *)id + 4) ^ kafka_load32((const uint8_t *)id + 8) ^
           kafka_load32((const uint8_t *)id + 12);
}

static gboolean ids_equal(const void *a, const void *b)
{
    return memcmp(a, b, KAFKA_UUID_SIZE) == 0;
}

const struct kafka_topic_name *kafka_topic_ids_find(const uint8_t id[KAFKA_UUID_SIZE])
{
    static const struct kafka_topic_name metadata = {.name = "__cluster_metadata"};

    if (kafka_topic_id_is_reserved(id)) {
        return id[KAFKA_UUID_SIZE - 1] == 1 ? &metadata : NULL;
    }
    const struct kafka_topic_name *found = wmem_map_lookup(learned, id);
    return found != NULL ? found : g_hash_table_lookup(preferred, id);
}

static bool is_named(const struct kafka_topic_name *topic, const char *name, size_t length)
{
    return strlen(topic->name) == length && memcmp(topic->name, name, length) == 0;
}

static void learn_name(void *context, const struct kafka_topic_naming *naming)
{
    const struct lesson *lesson = context;
    struct kafka_topic_name *topic = wmem_map_lookup(learned, naming->id);

    if (topic == NULL) {
        topic = wmem_new0(wmem_file_scope(), struct kafka_topic_name);
        topic->name = wmem_strndup(wmem_file_scope(), naming->name, naming->name_length);
        topic->frame = lesson->frame;
        wmem_map_insert(learned, wmem_memdup(wmem_file_scope(), naming->id, KAFKA_UUID_SIZE), topic);
    } else if (topic->other_frame == 0 && !is_named(topic, naming->name, naming->name_length)) {
        topic->other_frame = lesson->frame;
        has_conflicts = true;
    }
}

void kafka_topic_ids_learn(const struct kafka_body *body, uint32_t frame)
{
    struct lesson lesson = {frame};

    kafka_find_topic_names(body, learn_name, &lesson);
}

void kafka_topic_ids_learn_records(const struct kafka_cursor *body, const struct kafka_place *place,
                                   const struct kafka_leaf *leaf, size_t *budget, uint32_t frame)
{
    struct lesson lesson = {frame};

    if (leaf->field->type == KAFKA_TYPE_RECORDS && leaf->value.length > 0 && kafka_topic_is_metadata(&place->topic)) {
        struct kafka_cursor records = *body;
        records.offset = leaf->value.offset;
        records.limit = leaf->value.offset + leaf->value.length;
        kafka_find_topic_records(&records, budget, learn_name, &lesson);
    }
}

/* A snapshot that is being learned from. */
struct snapshot {
    const struct kafka_body *body;
    size_t budget;
    uint32_t frame;
};

static void take_part(void *context, const struct kafka_place *place, const struct kafka_leaf *leaf)
{
    struct snapshot *snapshot = context;

    kafka_topic_ids_learn_records(&snapshot->body->cursor, place, leaf, &snapshot->budget, snapshot->frame);
}

void kafka_topic_ids_learn_snapshot(const struct kafka_body *body, uint32_t frame)
{
    struct snapshot snapshot = {body, KAFKA_FIND_MAX_BYTES, frame};

    (void)kafka_walk_places(body, NULL, take_part, &snapshot);
}

/* Returns the field that names the topic of the leaf's id in this version, or NULL. */
static const struct kafka_field *name_beside(const struct kafka_show *show, const struct kafka_leaf *leaf)
{
    const struct kafka_field *name = wmem_map_lookup(names_beside, leaf->field);

    return name != NULL && kafka_versions_has(name->versions, show->version) ? name : NULL;
}

/* Returns whether the name, whose field comes before the id's in their structure, was there and not null. */
static bool was_named(const struct kafka_topic_ids_walk *walk, const struct kafka_field *name)
{
    return walk->last_name == name && walk->last_value.length > 0;
}

const char *kafka_topic_ids_lone_name(const struct kafka_topic_ids_walk *walk, const struct kafka_show *show,
                                      const struct kafka_leaf *leaf)
{
    const struct kafka_field *name = name_beside(show, leaf);

    if (leaf->field->meaning != KAFKA_MEANING_TOPIC_ID ||
        (name != NULL && (name > leaf->field || was_named(walk, name)))) {
        return NULL;
    }
    const struct kafka_topic_name *topic = kafka_topic_ids_find(show->data + leaf->value.offset);
    return topic != NULL ? topic->name : NULL;
}

static void add_frame(struct kafka_show *show, proto_tree *tree, const struct kafka_topic_name *topic, size_t offset)
{
    if (topic->frame != 0) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, hf_topic_name_frame, show->tvb, (int)offset, KAFKA_UUID_SIZE, topic->frame));
    }
}

/* Adds the name of a topic that has only an id, over the id's bytes. */
static void add_name(struct kafka_show *show, proto_tree *tree, size_t offset)
{
    bool wants_name = kafka_is_wanted(show, hf_topic_name);
    bool wants_frame = kafka_is_wanted(show, hf_topic_name_frame);
    const struct kafka_topic_name *topic = wants_name || wants_frame ? kafka_topic_ids_find(show->data + offset) : NULL;

    if (topic == NULL) {
        return;
    }
    if (wants_name) {
        proto_item *item =
            proto_tree_add_string(tree, hf_topic_name, show->tvb, (int)offset, KAFKA_UUID_SIZE, topic->name);
        proto_item_set_generated(item);
        tree = proto_item_add_subtree(item, ett_topic_name);
    }
    if (wants_frame) {
        add_frame(show, tree, topic, offset);
    }
}

/* Tells where the capture gives the id another name than it has here. */
static void check_conflict(struct kafka_show *show, proto_tree *tree, proto_item *item, size_t id_offset,
                           const struct kafka_span *name)
{
    const struct kafka_topic_name *topic = has_conflicts ? wmem_map_lookup(learned, show->data + id_offset) : NULL;
    size_t captured = tvb_captured_length(show->tvb);

    if (topic == NULL || topic->other_frame == 0 || name->offset + name->length > captured) {
        return;
    }
    const char *here = (const char *)show->data + name->offset;
    if (!is_named(topic, here, name->length)) {
        kafka_expert_add_format(show->pinfo, item != NULL ? item : show->item, &ei_topic_id_conflict,
                                "This topic id is %s in frame %u, and %s in frame %u", topic->name, topic->frame,
                                kafka_text_of(show, *name), show->pinfo->num);
        if (kafka_is_wanted(show, hf_topic_name_frame)) {
            add_frame(show, tree, topic, id_offset);
        }
    }
}

void kafka_topic_ids_show_id(struct kafka_topic_ids_walk *walk, struct kafka_show *show, proto_tree *tree,
                             proto_item *item, const struct kafka_leaf *leaf)
{
    const struct kafka_field *name = name_beside(show, leaf);

    if (name != NULL && name > leaf->field) {
        walk->awaited = name;
        walk->awaited_id = leaf->value;
        walk->awaited_tree = tree;
    } else if (name != NULL && was_named(walk, name)) {
        check_conflict(show, tree, item, leaf->value.offset, &walk->last_value);
    } else {
        add_name(show, tree, leaf->value.offset);
    }
}

void kafka_topic_ids_show_name(struct kafka_topic_ids_walk *walk, struct kafka_show *show, proto_item *item,
                               const struct kafka_leaf *leaf)
{
    kafka_topic_ids_pass_name(walk, leaf);
    if (walk->awaited != leaf->field) {
        return;
    }
    walk->awaited = NULL;
    if (leaf->value.length > 0) {
        check_conflict(show, walk->awaited_tree, item, walk->awaited_id.offset, &leaf->value);
    } else {
        add_name(show, walk->awaited_tree, walk->awaited_id.offset);
    }
}

static void find_names_beside(const struct kafka_struct *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct kafka_field *field = &layout->fields[i];
        if (field->members != NULL) {
            find_names_beside(field->members);
        } else if (field->meaning == KAFKA_MEANING_TOPIC_ID && !field->is_array) {
            const struct kafka_field *name = kafka_topic_name_beside(layout, field);
            if (name != NULL) {
                wmem_map_insert(names_beside, field, (void *)name);
            }
        }
    }
}

/* The names of the preference, by id; before each capture is read. */
static void take_preference(void)
{
    uint8_t id[KAFKA_UUID_SIZE];

    has_conflicts = false;
    g_hash_table_remove_all(preferred);
    for (unsigned i = 0; i < row_count; i++) {
        if (kafka_uuid_parse(rows[i].id, id) && !g_hash_table_contains(preferred, id)) {
            struct kafka_topic_name *topic = g_new0(struct kafka_topic_name, 1);
            topic->name = rows[i].name;
            uint8_t *key = g_new(uint8_t, KAFKA_UUID_SIZE);
            memcpy(key, id, sizeof id);
            g_hash_table_insert(preferred, key, topic);
        }
    }
}

void kafka_topic_ids_register(int proto)
{
    const struct kafka_field_row fields[] = {
        {&hf_topic_name_frame,
         {"Named in Frame", "kafka.topic_name_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "Frame from which the name of this topic id is known", HFILL}},
    };
    static int *etts[] = {&ett_topic_name};
    static ei_register_info infos[] = {
        {&ei_topic_id_conflict,
         {"kafka.topic_id_conflict", PI_PROTOCOL, PI_NOTE, "A topic id has several names", EXPFILL}},
    };

    kafka_register_rows(fields, array_length(fields));
    proto_register_subtree_array(etts, array_length(etts));
    expert_register_field_array(expert_register_protocol(proto), infos, array_length(infos));
    hf_topic_name = proto_registrar_get_id_byname("kafka.topic_name");
    learned = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_id, ids_equal);
    preferred = g_hash_table_new_full(hash_id, ids_equal, g_free, g_free);
    names_beside = wmem_map_new(wmem_epan_scope(), g_direct_hash, g_direct_equal);
    for (size_t i = 0; i < kafka_api_count; i++) {
        find_names_beside(kafka_apis[i].request->body);
        find_names_beside(kafka_apis[i].response->body);
    }
    register_init_routine(take_preference);
}

UAT_CSTRING_CB_DEF(topic_ids, id, struct topic_id_row)
UAT_CSTRING_CB_DEF(topic_ids, name, struct topic_id_row)

static void *copy_row(void *to, const void *from, size_t size _U_)
{
    struct topic_id_row *copy = to;
    const struct topic_id_row *row = from;

    copy->id = g_strdup(row->id);
    copy->name = g_strdup(row->name);
    return copy;
}

static void free_row(void *record)
{
    struct topic_id_row *row = record;

    g_free(row->id);
    g_free(row->name);
}

static kafka_pref_bool check_row(void *record, char **error)
{
    const struct topic_id_row *row = record;
    uint8_t id[KAFKA_UUID_SIZE];

    *error = NULL;
    if (row->id == NULL || !kafka_uuid_parse(row->id, id)) {
        *error = g_strdup("A topic id has 22 characters of base64, as Kafka writes it, or 32 hexadecimal digits");
    } else if (row->name == NULL || !kafka_may_be_topic_name(row->name, strlen(row->name))) {
        *error = g_strdup("The name of a topic has at most 249 letters, digits, dots, underscores and hyphens");
    }
    return *error == NULL;
}

void kafka_topic_ids_register_preference(module_t *module)
{
    static uat_field_t columns[] = {
        UAT_FLD_CSTRING(topic_ids, id, "Topic ID", "22 characters of base64 or 32 hexadecimal digits"),
        UAT_FLD_CSTRING(topic_ids, name, "Topic", "Its name"),
        UAT_END_FIELDS,
    };
    uat_t *table = uat_new("Kafka topic ids", sizeof(struct topic_id_row), "kafka_topic_ids", true, &rows, &row_count,
                           UAT_AFFECTS_DISSECTION, NULL, copy_row, check_row, free_row, NULL, NULL, columns);

    prefs_register_uat_preference(module, "topic_ids", "Names of topic ids",
                                  "Names for topic ids that no message of a capture names", table);
}
