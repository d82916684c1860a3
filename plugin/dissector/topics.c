/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "topics.h"

#include <string.h>

#include "topic_ids.h"
#include "values.h"

/* Topic's struct kafka_topic_ref → struct kafka_topic; emptied when the capture is closed. */
static wmem_map_t *topics;

/* FNV-1a: names differ at their ends as often as at their beginnings. */
static unsigned hash_ref(const void *key)
{
    const struct kafka_topic_ref *ref = key;
    uint32_t hash = 2166136261U;

    for (size_t i = 0; i < ref->length; i++) {
        hash = (hash ^ ref->bytes[i]) * 16777619U;
    }
    return hash;
}

static gboolean refs_equal(const void *a, const void *b)
{
    const struct kafka_topic_ref *one = a;
    const struct kafka_topic_ref *other = b;

    return one->is_id == other->is_id && one->length == other->length &&
           memcmp(one->bytes, other->bytes, one->length) == 0;
}

unsigned kafka_producer_partition_hash(const void *key)
{
    const struct kafka_producer_partition *partition = key;

    return (unsigned)((uint64_t)partition->producer_id * 11400714819323198485U >> 32) ^
           kafka_topic_partition_hash(&partition->at);
}

gboolean kafka_producer_partitions_equal(const void *a, const void *b)
{
    const struct kafka_producer_partition *one = a;
    const struct kafka_producer_partition *other = b;

    return one->producer_id == other->producer_id && kafka_topic_partitions_equal(&one->at, &other->at);
}

void kafka_topics_register(void)
{
    topics = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_ref, refs_equal);
}

const struct kafka_topic *kafka_topic_keep(const struct kafka_topic_ref *ref)
{
    if (ref->bytes == NULL) {
        return NULL;
    }
    struct kafka_topic *topic = wmem_map_lookup(topics, ref);
    if (topic == NULL) {
        topic = wmem_new0(wmem_file_scope(), struct kafka_topic);
        topic->ref = *ref;
        topic->ref.bytes = wmem_memdup(wmem_file_scope(), ref->bytes, ref->length);
        wmem_map_insert(topics, &topic->ref, topic);
    }
    return topic;
}

const struct kafka_topic *kafka_topic_find(const struct kafka_topic_ref *ref)
{
    return ref->bytes != NULL ? wmem_map_lookup(topics, ref) : NULL;
}

const struct kafka_topic *kafka_topic_by_name(const struct kafka_topic *topic)
{
    const struct kafka_topic_name *named = topic->ref.is_id ? kafka_topic_ids_find(topic->ref.bytes) : NULL;

    if (named == NULL) {
        return topic;
    }
    struct kafka_topic_ref ref = {.bytes = (const uint8_t *)named->name, .length = strlen(named->name)};
    return kafka_topic_keep(&ref);
}

const char *kafka_topic_text(wmem_allocator_t *scope, const struct kafka_topic *topic)
{
    if (!topic->ref.is_id) {
        char *text = wmem_strndup(scope, (const char *)topic->ref.bytes, topic->ref.length);
        return g_utf8_validate(text, -1, NULL) ? text : "(not UTF-8)";
    }
    const struct kafka_topic_name *named = kafka_topic_ids_find(topic->ref.bytes);
    if (named != NULL) {
        return named->name;
    }
    char *text = wmem_alloc_array(scope, char, KAFKA_UUID_TEXT_SIZE);
    kafka_uuid_to_text(topic->ref.bytes, text);
    return text;
}

unsigned kafka_topic_partition_hash(const void *key)
{
    const struct kafka_topic_partition *at = key;

    return g_direct_hash(at->topic) ^ ((uint32_t)at->partition * 2654435761U);
}

gboolean kafka_topic_partitions_equal(const void *a, const void *b)
{
    const struct kafka_topic_partition *one = a;
    const struct kafka_topic_partition *other = b;

    return one->topic == other->topic && one->partition == other->partition;
}
