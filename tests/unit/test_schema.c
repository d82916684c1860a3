/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables that the schema compiler makes: what the walker and the dissector take for granted about them. */
#include "builder.h"

#include <ctype.h>
#include <stdio.h>

#include "wire/schema.h"

/* No released message nests deeper; the walker stops at three times as much. */
#define DEEPEST 10

/* What is being looked at, for the message when something is wrong. */
static const struct kafka_message *at_message;
static int at_version;

#define CHECK(condition, layout, field)                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fail_msg("%s version %d, %s.%s: %s", at_message->name, at_version, (layout)->name, (field)->name,          \
                     #condition);                                                                                      \
        }                                                                                                              \
    } while (0)

static bool is_empty(struct kafka_versions range)
{
    return range.last < range.first;
}

static bool is_sane(struct kafka_versions range)
{
    return is_empty(range) || range.first >= 0;
}

static bool is_within(struct kafka_versions inner, struct kafka_versions outer)
{
    return is_empty(inner) || (inner.first >= outer.first && inner.last <= outer.last);
}

static void check_field(const struct kafka_struct *layout, const struct kafka_field *field)
{
    CHECK(field->name != NULL && isalpha((unsigned char)field->name[0]), layout, field);
    CHECK(field->label != NULL && field->label[0] != '\0', layout, field);
    CHECK(field->type <= KAFKA_TYPE_STRUCT, layout, field);
    CHECK(!is_empty(field->versions) && field->versions.first >= 0, layout, field);
    CHECK(is_sane(field->nullable) && is_sane(field->tagged), layout, field);
    CHECK(is_within(field->nullable, field->versions), layout, field);
    CHECK(is_within(field->tagged, field->versions), layout, field);
    CHECK((field->tag >= 0) == !is_empty(field->tagged), layout, field);
    CHECK((field->type == KAFKA_TYPE_STRUCT) == (field->members != NULL), layout, field);
    CHECK((field->type == KAFKA_TYPE_STRUCT && field->is_array) == (field->element_label != NULL), layout, field);
    switch (field->type) {
    case KAFKA_TYPE_STRING:
    case KAFKA_TYPE_BYTES:
    case KAFKA_TYPE_RECORDS:
    case KAFKA_TYPE_STRUCT:
        break;
    default:
        /* Integers and the like have no way to be null. */
        CHECK(field->is_array || is_empty(field->nullable), layout, field);
        break;
    }
}

/* In the version at hand: is the field there, and is it a tagged one? */
static bool is_there(const struct kafka_field *field)
{
    return kafka_versions_has(field->versions, at_version);
}

static bool is_tagged(const struct kafka_field *field)
{
    return is_there(field) && kafka_versions_has(field->tagged, at_version);
}

/* Names are unique, and so are tags, which count from zero without gaps (KIP-482). */
static void check_names_and_tags(const struct kafka_struct *layout)
{
    int32_t count = 0;
    int32_t highest = -1;

    for (size_t i = 0; i < layout->count; i++) {
        const struct kafka_field *field = &layout->fields[i];
        if (!is_there(field)) {
            continue;
        }
        for (size_t j = 0; j < i; j++) {
            const struct kafka_field *other = &layout->fields[j];
            CHECK(!is_there(other) || strcmp(field->name, other->name) != 0, layout, field);
            CHECK(!is_tagged(field) || !is_tagged(other) || field->tag != other->tag, layout, field);
        }
        if (is_tagged(field)) {
            count++;
            highest = field->tag > highest ? field->tag : highest;
        }
    }
    if (highest != count - 1) {
        fail_msg("%s version %d: the tags of %s have a gap", at_message->name, at_version, layout->name);
    }
}

/* Goes down a layout in the version at hand, and returns how many levels of structures it has. */
static unsigned check_layout(const struct kafka_struct *layout, unsigned depth)
{
    bool is_flexible = kafka_versions_has(at_message->flexible, at_version);
    unsigned deepest = depth;

    assert_non_null(layout);
    assert_non_null(layout->name);
    assert_true(depth <= DEEPEST);
    check_names_and_tags(layout);
    for (size_t i = 0; i < layout->count; i++) {
        const struct kafka_field *field = &layout->fields[i];
        check_field(layout, field);
        if (!is_there(field)) {
            continue;
        }
        CHECK(is_flexible || !is_tagged(field), layout, field);
        if (field->members != NULL) {
            unsigned below = check_layout(field->members, depth + 1);
            deepest = below > deepest ? below : deepest;
        }
    }
    return deepest;
}

/* The fewest bytes that a structure takes in the version at hand. */
static size_t least_size(const struct kafka_struct *layout)
{
    size_t size = kafka_versions_has(at_message->flexible, at_version) ? 1 : 0;

    for (size_t i = 0; i < layout->count; i++) {
        const struct kafka_field *field = &layout->fields[i];
        if (!is_there(field) || is_tagged(field)) {
            continue;
        }
        bool is_plain_struct =
            field->type == KAFKA_TYPE_STRUCT && !field->is_array && !kafka_versions_has(field->nullable, at_version);
        size += is_plain_struct ? least_size(field->members) : 1;
    }
    return size;
}

/* The walker takes a count of elements for a lower bound of bytes: each element has one at least. */
static void check_elements(const struct kafka_struct *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct kafka_field *field = &layout->fields[i];
        if (!is_there(field) || field->members == NULL) {
            continue;
        }
        CHECK(!field->is_array || least_size(field->members) > 0, layout, field);
        check_elements(field->members);
    }
}

static unsigned check_message(const struct kafka_message *message)
{
    unsigned deepest = 0;

    at_message = message;
    assert_non_null(message);
    assert_non_null(message->name);
    assert_true(!is_empty(message->versions) && message->versions.first >= 0);
    assert_true(message->versions.last < 100);
    assert_true(is_sane(message->flexible));
    for (at_version = message->versions.first; at_version <= message->versions.last; at_version++) {
        unsigned depth = check_layout(message->body, 0);
        deepest = depth > deepest ? depth : deepest;
        check_elements(message->body);
    }
    return deepest;
}

/* Once a message is flexible it stays so. */
static void check_flexible(const struct kafka_message *message)
{
    assert_true(is_empty(message->flexible) || message->flexible.last >= message->versions.last);
}

static void test_apis(void **state)
{
    size_t requests = 0;
    size_t responses = 0;

    (void)state;
    for (size_t i = 0; i < kafka_api_count; i++) {
        const struct kafka_api *api = &kafka_apis[i];
        char name[100];
        assert_int_equal(api->key, i);
        assert_non_null(api->name);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(api->name, kafka_apis[j].name);
        }
        (void)snprintf(name, sizeof name, "%sRequest", api->name);
        assert_string_equal(api->request->name, name);
        (void)snprintf(name, sizeof name, "%sResponse", api->name);
        assert_string_equal(api->response->name, name);
        requests += (size_t)(api->request->versions.last - api->request->versions.first + 1);
        responses += (size_t)(api->response->versions.last - api->response->versions.first + 1);
    }
    assert_int_equal(kafka_api_count, 95);
    assert_int_equal(requests, 368);
    assert_int_equal(responses, 368);
}

static void test_request_and_response_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < kafka_api_count; i++) {
        const struct kafka_message *request = kafka_apis[i].request;
        const struct kafka_message *response = kafka_apis[i].response;
        assert_int_equal(request->versions.first, response->versions.first);
        assert_int_equal(request->versions.last, response->versions.last);
        for (int version = request->versions.first; version <= request->versions.last; version++) {
            assert_int_equal(kafka_versions_has(request->flexible, version),
                             kafka_versions_has(response->flexible, version));
        }
        check_flexible(request);
        check_flexible(response);
    }
}

static void test_layouts(void **state)
{
    unsigned deepest = 0;

    (void)state;
    for (size_t i = 0; i < kafka_api_count; i++) {
        unsigned request = check_message(kafka_apis[i].request);
        unsigned response = check_message(kafka_apis[i].response);
        deepest = request > deepest ? request : deepest;
        deepest = response > deepest ? response : deepest;
    }
    assert_true(deepest >= 3);
}

/* Another layout of some of the same versions; the message itself is what is tried first. */
static void test_variants(void **state)
{
    size_t count = 0;

    (void)state;
    for (size_t i = 0; i < 2 * kafka_api_count; i++) {
        const struct kafka_message *message = i % 2 == 0 ? kafka_apis[i / 2].request : kafka_apis[i / 2].response;
        const struct kafka_message *variant = message->variant;
        if (variant == NULL) {
            continue;
        }
        count++;
        (void)check_message(variant);
        assert_string_equal(variant->name, message->name);
        assert_true(is_within(variant->versions, message->versions));
        assert_ptr_not_equal(variant->body, message->body);
        assert_null(variant->variant);
        for (int version = variant->versions.first; version <= variant->versions.last; version++) {
            assert_int_equal(kafka_versions_has(variant->flexible, version),
                             kafka_versions_has(message->flexible, version));
        }
    }
    /* ReadShareGroupStateSummary's response of version 0 is one. */
    assert_true(count > 0);
    assert_non_null(kafka_apis[87].response->variant);
}

static const struct kafka_message *find_data_message(const char *name)
{
    for (size_t i = 0; i < kafka_data_message_count; i++) {
        if (strcmp(kafka_data_messages[i].name, name) == 0) {
            return &kafka_data_messages[i];
        }
    }
    return NULL;
}

static void test_data_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < kafka_data_message_count; i++) {
        (void)check_message(&kafka_data_messages[i]);
        assert_ptr_equal(find_data_message(kafka_data_messages[i].name), &kafka_data_messages[i]);
    }
    assert_non_null(find_data_message("ConsumerProtocolSubscription"));
    assert_non_null(find_data_message("ConsumerProtocolAssignment"));
    assert_non_null(find_data_message("LeaderChangeMessage"));
}

static const struct kafka_field *find_field(const struct kafka_struct *layout, const char *name)
{
    for (size_t i = 0; i < layout->count; i++) {
        if (strcmp(layout->fields[i].name, name) == 0) {
            return &layout->fields[i];
        }
    }
    fail_msg("%s has no field %s", layout->name, name);
    return NULL;
}

/* A few fields by the protocol guide: one of each kind of thing that a definition can say. */
static void test_known_fields(void **state)
{
    const struct kafka_struct *fetch = kafka_apis[1].request->body;
    const struct kafka_struct *metadata = kafka_apis[3].response->body;
    const struct kafka_struct *produce = kafka_apis[0].request->body;
    const struct kafka_struct *quotas = kafka_apis[48].response->body;

    (void)state;
    const struct kafka_field *field = find_field(fetch, "ClusterId");
    assert_int_equal(field->type, KAFKA_TYPE_STRING);
    assert_int_equal(field->tag, 0);
    assert_int_equal(field->tagged.first, 12);
    assert_int_equal(field->nullable.first, 12);
    field = find_field(find_field(fetch, "ReplicaState")->members, "ReplicaEpoch");
    assert_int_equal(field->type, KAFKA_TYPE_INT64);
    assert_int_equal(field->meaning, KAFKA_MEANING_EPOCH);
    field = find_field(fetch, "ReplicaId");
    assert_int_equal(field->versions.first, 0);
    assert_int_equal(field->versions.last, 14);

    field = find_field(metadata, "Topics");
    assert_true(field->is_array);
    assert_int_equal(field->type, KAFKA_TYPE_STRUCT);
    assert_string_equal(field->element_label, "Topic");
    field = find_field(field->members, "TopicId");
    assert_int_equal(field->type, KAFKA_TYPE_UUID);
    assert_int_equal(field->versions.first, 10);
    assert_int_equal(field->meaning, KAFKA_MEANING_TOPIC_ID);

    field = find_field(find_field(find_field(produce, "TopicData")->members, "PartitionData")->members, "Records");
    assert_int_equal(field->type, KAFKA_TYPE_RECORDS);
    assert_int_equal(field->meaning, KAFKA_MEANING_RECORDS);
    assert_true(kafka_versions_has(field->nullable, 0));

    field = find_field(find_field(find_field(quotas, "Entries")->members, "Values")->members, "Value");
    assert_int_equal(field->type, KAFKA_TYPE_FLOAT64);
}

static void test_versions_has(void **state)
{
    static const struct kafka_versions some = {2, 5};
    static const struct kafka_versions none = {0, -1};
    static const struct kafka_versions open = {12, INT16_MAX};

    (void)state;
    assert_false(kafka_versions_has(some, 1));
    assert_true(kafka_versions_has(some, 2));
    assert_true(kafka_versions_has(some, 5));
    assert_false(kafka_versions_has(some, 6));
    assert_false(kafka_versions_has(none, 0));
    assert_false(kafka_versions_has(none, -1));
    assert_false(kafka_versions_has(open, 11));
    assert_true(kafka_versions_has(open, INT16_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apis),          cmocka_unit_test(test_request_and_response_agree),
        cmocka_unit_test(test_layouts),       cmocka_unit_test(test_variants),
        cmocka_unit_test(test_data_messages), cmocka_unit_test(test_known_fields),
        cmocka_unit_test(test_versions_has),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
