/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exact.h"

#include "wire/header.h"
#include "wire/walk.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#define NEVER 99

/* By API key: the newest version of each API and its first flexible one (KIP-482), as Kafka's protocol guide has them.
 */
static const struct {
    int newest;
    int flexible;
} apis[] = {
    {13, 9},    /* Produce */
    {18, 12},   /* Fetch */
    {11, 6},    /* ListOffsets */
    {13, 9},    /* Metadata */
    {7, 4},     /* LeaderAndIsr */
    {4, 2},     /* StopReplica */
    {8, 6},     /* UpdateMetadata */
    {3, 3},     /* ControlledShutdown */
    {10, 8},    /* OffsetCommit */
    {10, 6},    /* OffsetFetch */
    {6, 3},     /* FindCoordinator */
    {9, 6},     /* JoinGroup */
    {4, 4},     /* Heartbeat */
    {5, 4},     /* LeaveGroup */
    {5, 4},     /* SyncGroup */
    {6, 5},     /* DescribeGroups */
    {5, 3},     /* ListGroups */
    {1, NEVER}, /* SaslHandshake */
    {5, 3},     /* ApiVersions */
    {7, 5},     /* CreateTopics */
    {6, 4},     /* DeleteTopics */
    {2, 2},     /* DeleteRecords */
    {6, 2},     /* InitProducerId */
    {4, 4},     /* OffsetForLeaderEpoch */
    {5, 3},     /* AddPartitionsToTxn */
    {4, 3},     /* AddOffsetsToTxn */
    {5, 3},     /* EndTxn */
    {2, 1},     /* WriteTxnMarkers */
    {6, 3},     /* TxnOffsetCommit */
    {3, 2},     /* DescribeAcls */
    {3, 2},     /* CreateAcls */
    {3, 2},     /* DeleteAcls */
    {4, 4},     /* DescribeConfigs */
    {2, 2},     /* AlterConfigs */
    {2, 2},     /* AlterReplicaLogDirs */
    {5, 2},     /* DescribeLogDirs */
    {2, 2},     /* SaslAuthenticate */
    {3, 2},     /* CreatePartitions */
    {3, 2},     /* CreateDelegationToken */
    {2, 2},     /* RenewDelegationToken */
    {2, 2},     /* ExpireDelegationToken */
    {3, 2},     /* DescribeDelegationToken */
    {3, 2},     /* DeleteGroups */
    {2, 2},     /* ElectLeaders */
    {1, 1},     /* IncrementalAlterConfigs */
    {1, 0},     /* AlterPartitionReassignments */
    {0, 0},     /* ListPartitionReassignments */
    {0, NEVER}, /* OffsetDelete */
    {1, 1},     /* DescribeClientQuotas */
    {1, 1},     /* AlterClientQuotas */
    {0, 0},     /* DescribeUserScramCredentials */
    {0, 0},     /* AlterUserScramCredentials */
    {2, 0},     /* Vote */
    {1, 1},     /* BeginQuorumEpoch */
    {1, 1},     /* EndQuorumEpoch */
    {2, 0},     /* DescribeQuorum */
    {3, 0},     /* AlterPartition */
    {2, 0},     /* UpdateFeatures */
    {0, 0},     /* Envelope */
    {1, 0},     /* FetchSnapshot */
    {2, 0},     /* DescribeCluster */
    {0, 0},     /* DescribeProducers */
    {4, 0},     /* BrokerRegistration */
    {2, 0},     /* BrokerHeartbeat */
    {0, 0},     /* UnregisterBroker */
    {0, 0},     /* DescribeTransactions */
    {2, 0},     /* ListTransactions */
    {0, 0},     /* AllocateProducerIds */
    {1, 0},     /* ConsumerGroupHeartbeat */
    {1, 0},     /* ConsumerGroupDescribe */
    {0, 0},     /* ControllerRegistration */
    {0, 0},     /* GetTelemetrySubscriptions */
    {0, 0},     /* PushTelemetry */
    {0, 0},     /* AssignReplicasToDirs */
    {1, 0},     /* ListConfigResources */
    {0, 0},     /* DescribeTopicPartitions */
    {1, 0},     /* ShareGroupHeartbeat */
    {1, 0},     /* ShareGroupDescribe */
    {2, 0},     /* ShareFetch */
    {2, 0},     /* ShareAcknowledge */
    {1, 0},     /* AddRaftVoter */
    {0, 0},     /* RemoveRaftVoter */
    {0, 0},     /* UpdateRaftVoter */
    {0, 0},     /* InitializeShareGroupState */
    {0, 0},     /* ReadShareGroupState */
    {1, 0},     /* WriteShareGroupState */
    {0, 0},     /* DeleteShareGroupState */
    {1, 0},     /* ReadShareGroupStateSummary */
    {1, 0},     /* StreamsGroupHeartbeat */
    {1, 0},     /* StreamsGroupDescribe */
    {1, 0},     /* DescribeShareGroupOffsets */
    {0, 0},     /* AlterShareGroupOffsets */
    {0, 0},     /* DeleteShareGroupOffsets */
    {0, 0},     /* StreamsGroupTopologyDescriptionUpdate */
    {0, 0},     /* UnregisterController */
};

static const int16_t produce = 0;
static const int16_t metadata = 3;
static const int16_t controlled_shutdown = 7;
static const int16_t heartbeat = 12;
static const int16_t api_versions = 18;

static void test_header_versions(void **state)
{
    size_t pairs = 0;

    (void)state;
    for (int key = 0; key < (int)COUNT_OF(apis); key++) {
        const struct kafka_api *api = kafka_api_find(key);
        assert_non_null(api);
        for (int version = 0; version <= apis[key].newest; version++, pairs++) {
            int request = version >= apis[key].flexible ? 2 : 1;
            int response = version >= apis[key].flexible ? 1 : 0;
            if (key == controlled_shutdown && version == 0) {
                request = 0;
            }
            if (key == api_versions) {
                response = 0;
            }
            assert_int_equal(kafka_request_header_version(api, (int16_t)version), request);
            assert_int_equal(kafka_response_header_version(api, (int16_t)version), response);
        }
    }
    assert_int_equal(pairs, 368);
}

static void test_api_find(void **state)
{
    (void)state;
    assert_int_equal(kafka_api_count, COUNT_OF(apis));
    assert_null(kafka_api_find(-1));
    assert_null(kafka_api_find(INT16_MIN));
    assert_null(kafka_api_find((int)COUNT_OF(apis)));
    assert_null(kafka_api_find(INT16_MAX));
    assert_string_equal(kafka_api_find(KAFKA_API_PRODUCE)->name, "Produce");
    assert_string_equal(kafka_api_find(KAFKA_API_CONTROLLED_SHUTDOWN)->name, "ControlledShutdown");
    assert_string_equal(kafka_api_find(KAFKA_API_SASL_HANDSHAKE)->name, "SaslHandshake");
    assert_string_equal(kafka_api_find(KAFKA_API_API_VERSIONS)->name, "ApiVersions");
}

static void test_known_version(void **state)
{
    static const struct kafka_message message = {.versions = {2, 5}};

    (void)state;
    assert_int_equal(kafka_known_version(&message, INT16_MIN), 2);
    assert_int_equal(kafka_known_version(&message, -1), 2);
    assert_int_equal(kafka_known_version(&message, 1), 2);
    assert_int_equal(kafka_known_version(&message, 2), 2);
    assert_int_equal(kafka_known_version(&message, 3), 3);
    assert_int_equal(kafka_known_version(&message, 5), 5);
    assert_int_equal(kafka_known_version(&message, 6), 5);
    assert_int_equal(kafka_known_version(&message, INT16_MAX), 5);
}

/* The fixed part and a client id; NULL for null. */
static void put_request(struct builder *builder, int key, int version, int64_t correlation_id, const char *client_id)
{
    put16(builder, key);
    put16(builder, version);
    put32(builder, correlation_id);
    put16(builder, client_id == NULL ? -1 : (int)strlen(client_id));
    if (client_id != NULL) {
        put_text(builder, client_id);
    }
}

static void test_read_request_header(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_request_header header;

    (void)state;
    put8(&builder, 0);
    put_request(&builder, metadata, 12, -5, NULL);
    struct kafka_cursor cursor = open_exactly(&builder, builder.size);
    cursor.offset = 1;
    assert_int_equal(kafka_read_request_header(&cursor, &header), KAFKA_OK);
    assert_int_equal(header.api_key, metadata);
    assert_int_equal(header.api_version, 12);
    assert_int_equal(header.correlation_id, -5);
    assert_ptr_equal(header.api, kafka_api_find(metadata));
    assert_int_equal(header.known_version, 12);
    assert_int_equal(cursor.offset, 9);
    close_exactly(&cursor);
}

static void test_read_unknown_request_header(void **state)
{
    struct builder newer = {.size = 0};
    struct builder unknown = {.size = 0};
    struct kafka_request_header header;

    (void)state;
    put_request(&newer, metadata, 1000, 1, NULL);
    struct kafka_cursor cursor = open_exactly(&newer, newer.size);
    assert_int_equal(kafka_read_request_header(&cursor, &header), KAFKA_OK);
    assert_int_equal(header.api_version, 1000);
    assert_int_equal(header.known_version, apis[metadata].newest);
    close_exactly(&cursor);

    put_request(&unknown, -2, 7, 1, NULL);
    cursor = open_exactly(&unknown, unknown.size);
    assert_int_equal(kafka_read_request_header(&cursor, &header), KAFKA_OK);
    assert_int_equal(header.api_key, -2);
    assert_null(header.api);
    assert_int_equal(header.known_version, 7);
    close_exactly(&cursor);
}

static void test_read_partial_request_header(void **state)
{
    struct builder builder = {.size = 0};
    struct kafka_request_header header;

    (void)state;
    put_request(&builder, metadata, 12, 1, "client");
    for (size_t size = 0; size < KAFKA_REQUEST_FIXED_SIZE; size++) {
        struct kafka_cursor cursor = open_exactly(&builder, size);
        assert_int_equal(kafka_read_request_header(&cursor, &header), KAFKA_CUT);
        assert_int_equal(cursor.offset, 0);
        cursor.limit = size;
        assert_int_equal(kafka_read_request_header(&cursor, &header), KAFKA_SHORT);
        assert_int_equal(cursor.offset, 0);
        close_exactly(&cursor);
    }
}

/* Whether bytes of which so many are captured, −1 for all, could be a request. */
static bool is_plausible(const struct builder *builder, int captured)
{
    struct kafka_cursor cursor = open_exactly(builder, captured < 0 ? builder->size : (size_t)captured);
    bool result = kafka_is_plausible_request(&cursor);

    assert_int_equal(cursor.offset, 0);
    close_exactly(&cursor);
    return result;
}

static bool is_plausible_request(int key, int version, int64_t correlation_id, const char *client_id)
{
    struct builder builder = {.size = 0};

    put_request(&builder, key, version, correlation_id, client_id);
    return is_plausible(&builder, -1);
}

static void test_plausible_requests(void **state)
{
    (void)state;
    for (int key = 0; key < (int)COUNT_OF(apis); key++) {
        for (int version = 0; version <= apis[key].newest; version++) {
            assert_true(is_plausible_request(key, version, 0, NULL));
            assert_true(is_plausible_request(key, version, INT32_MAX, "consumer-1"));
            assert_true(is_plausible_request(key, version, 7, ""));
        }
        /* A client that is newer than the schema. */
        assert_true(is_plausible_request(key, apis[key].newest + 1, 7, "rdkafka"));
    }
    /* Correlation ids wrap. */
    assert_true(is_plausible_request(metadata, 1, INT32_MIN, "a"));
    assert_true(is_plausible_request(metadata, 1, 1, "M\xc3\xbcller \xe2\x82\xac"));
}

static void test_implausible_requests(void **state)
{
    (void)state;
    assert_false(is_plausible_request(-1, 0, 0, "a"));
    assert_false(is_plausible_request((int)COUNT_OF(apis), 0, 0, "a"));
    assert_false(is_plausible_request(0x4745, 0x5420, 0x2f204854, "a")); /* "GET / HT" */
    assert_false(is_plausible_request(metadata, -1, 0, "a"));
    assert_false(is_plausible_request(metadata, 1000, 0, "a"));
    assert_false(is_plausible_request(metadata, INT16_MAX, 0, "a"));
    assert_false(is_plausible_request(metadata, 1, 1, "a\nb"));
    assert_false(is_plausible_request(metadata, 1, 1, "\x1f"));
    assert_false(is_plausible_request(metadata, 1, 1, "a\x7f"));
}

static void test_client_id_that_does_not_fit(void **state)
{
    struct builder builder = {.size = 0};

    (void)state;
    put_request(&builder, metadata, 1, 1, "abc");
    assert_true(is_plausible(&builder, -1));
    set_big_endian(&builder, 8, 4, 2);
    assert_false(is_plausible(&builder, -1));
    set_big_endian(&builder, 8, 0xfffe, 2);
    assert_false(is_plausible(&builder, -1));
    set_big_endian(&builder, 8, 3, 2);
    builder.size = 9;
    assert_false(is_plausible(&builder, -1));
    builder.size = 7;
    assert_false(is_plausible(&builder, -1));
}

/* Longer than any name that a person gives. */
static void test_endless_client_id(void **state)
{
    struct builder builder = {.size = 0};

    (void)state;
    put_request(&builder, metadata, 1, 1, NULL);
    set_big_endian(&builder, 8, 20000, 2);
    for (int i = 0; i < 20000; i++) {
        put8(&builder, 'a');
    }
    assert_false(is_plausible(&builder, -1));
}

/* A client id is looked at as far as the capture goes. */
static void test_plausible_when_cut(void **state)
{
    struct builder builder = {.size = 0};

    (void)state;
    put_request(&builder, metadata, 1, 1, "abc\n");
    for (int captured = 10; captured < 14; captured++) {
        assert_true(is_plausible(&builder, captured));
    }
    assert_false(is_plausible(&builder, 14));
    for (int captured = 0; captured < KAFKA_REQUEST_FIXED_SIZE; captured++) {
        assert_false(is_plausible(&builder, captured));
    }
}

static bool may_begin(const struct builder *builder, size_t captured)
{
    struct kafka_cursor cursor = open_exactly(builder, captured);
    bool result = kafka_may_begin_request(&cursor);

    assert_int_equal(cursor.offset, 0);
    close_exactly(&cursor);
    return result;
}

static void test_may_begin_request(void **state)
{
    struct builder builder = {.size = 0};

    (void)state;
    put_request(&builder, metadata, 1, 1, "abc");
    for (size_t captured = 0; captured <= builder.size; captured++) {
        assert_true(may_begin(&builder, captured));
    }
    /* No request is that short, however much was captured behind it. */
    for (size_t size = 0; size < KAFKA_REQUEST_FIXED_SIZE + 2; size++) {
        struct kafka_cursor cursor = open_exactly(&builder, builder.size);
        cursor.limit = size;
        assert_false(kafka_may_begin_request(&cursor));
        close_exactly(&cursor);
    }
}

static bool can_be(const struct builder *builder, size_t captured)
{
    struct kafka_cursor cursor = open_exactly(builder, captured);
    bool result = kafka_can_be_request(&cursor);

    assert_int_equal(cursor.offset, 0);
    close_exactly(&cursor);
    return result;
}

/* Where a message is known to begin, its client id may be as long as it likes and hold what it likes. */
static void test_can_be_request(void **state)
{
    struct builder builder = {.size = 0};
    char client_id[3000];

    (void)state;
    memset(client_id, '\n', sizeof client_id - 1);
    client_id[sizeof client_id - 1] = '\0';
    put_request(&builder, metadata, 1, 1, client_id);
    for (size_t captured = 0; captured <= builder.size; captured++) {
        assert_true(can_be(&builder, captured));
    }
    assert_false(may_begin(&builder, builder.size));
    /* But it does not end behind the message, and the API is one that there is. */
    struct kafka_cursor cursor = open_exactly(&builder, builder.size);
    cursor.limit = 100;
    assert_false(kafka_can_be_request(&cursor));
    close_exactly(&cursor);
    builder.data[0] = 0x7f;
    for (size_t captured = 2; captured <= builder.size; captured++) {
        assert_false(can_be(&builder, captured));
    }
}

/* Asserts that the first so many bytes may begin a request, and that one more speaks against it. */
static void check_refused_from(const struct builder *builder, size_t captured)
{
    assert_true(may_begin(builder, captured));
    for (size_t more = captured + 1; more <= builder->size; more++) {
        assert_false(may_begin(builder, more));
    }
}

/* As soon as the bytes cannot begin a request any more. */
static void test_may_not_begin_request(void **state)
{
    struct builder http = {.size = 0};
    struct builder unknown = {.size = 0};
    struct builder version = {.size = 0};
    struct builder negative = {.size = 0};
    struct builder client_id = {.size = 0};

    (void)state;
    put_text(&http, "GET / HTTP/1.1");
    check_refused_from(&http, 0);
    put_request(&unknown, (int)COUNT_OF(apis), 0, 1, "abc");
    check_refused_from(&unknown, 1);
    put_request(&version, metadata, 1000, 1, "abc");
    check_refused_from(&version, 3);
    put_request(&negative, metadata, -1, 1, "abc");
    check_refused_from(&negative, 3);
    put_request(&client_id, metadata, 1, 1, "ab\n");
    check_refused_from(&client_id, 12);
}

static bool has_shape(int key, int version, int64_t correlation_id, const char *client_id)
{
    struct builder builder = {.size = 0};

    put_request(&builder, key, version, correlation_id, client_id);
    struct kafka_cursor cursor = open_exactly(&builder, builder.size);
    bool result = kafka_has_request_shape(&cursor);
    assert_int_equal(cursor.offset, 0);
    close_exactly(&cursor);
    return result;
}

/* Of APIs that nobody knows more is asked than of the others. */
static void test_request_shape(void **state)
{
    (void)state;
    assert_true(has_shape(1000, 0, 0, "a"));
    assert_true(has_shape(-1, 3, INT32_MAX, "consumer-1"));
    assert_true(has_shape(metadata, 12, 1, "a"));
    assert_false(has_shape(1000, -1, 0, "a"));
    assert_false(has_shape(1000, 1000, 0, "a"));
    assert_false(has_shape(1000, 0, -1, "a"));
    assert_false(has_shape(1000, 0, 0, NULL));
    assert_false(has_shape(1000, 0, 0, ""));
    assert_false(has_shape(1000, 0, 0, "a\tb"));
    assert_false(has_shape(0x4745, 0x5420, 0x2f204854, "a"));

    struct builder partial = {.size = 0};
    put_request(&partial, 1000, 0, 0, "abc");
    for (size_t captured = 0; captured < 10; captured++) {
        struct kafka_cursor cursor = open_exactly(&partial, captured);
        assert_false(kafka_has_request_shape(&cursor));
        close_exactly(&cursor);
    }
    struct kafka_cursor cursor = open_exactly(&partial, 11);
    assert_true(kafka_has_request_shape(&cursor));
    cursor.limit = 12;
    assert_false(kafka_has_request_shape(&cursor));
    close_exactly(&cursor);
}

/* The request without a client id: its body follows at once, and its first bytes are no length. */
static void test_plausible_without_client_id(void **state)
{
    struct builder builder = {.size = 0};

    (void)state;
    put16(&builder, controlled_shutdown);
    put16(&builder, 0);
    put32(&builder, 1);
    put32(&builder, 0x7fffffff);
    assert_true(is_plausible(&builder, -1));
    set_big_endian(&builder, 2, 1, 2);
    assert_false(is_plausible(&builder, -1));
}

/* The start of a Produce body of that version; the transactional id is there from version 3 on. */
static void put_produce(struct builder *builder, int version, const char *transactional_id, int acks)
{
    if (version >= 9) {
        put_uvarint(builder, transactional_id == NULL ? 0 : strlen(transactional_id) + 1);
    } else if (version >= 3) {
        put16(builder, transactional_id == NULL ? -1 : (int)strlen(transactional_id));
    }
    if (version >= 3 && transactional_id != NULL) {
        put_text(builder, transactional_id);
    }
    put16(builder, acks);
    put32(builder, 30000);
}

static int acks_of(const struct builder *builder, size_t captured, int version)
{
    struct kafka_cursor cursor = open_exactly(builder, captured);
    int acks = kafka_produce_acks(&cursor, (int16_t)version);

    assert_int_equal(cursor.offset, 0);
    close_exactly(&cursor);
    return acks;
}

static void test_produce_acks(void **state)
{
    static const char *const transactional_ids[] = {NULL, "", "t", "a transactional id of some length"};
    static const int values[] = {0, 1, -1, 2};

    (void)state;
    for (int version = 0; version <= apis[produce].newest; version++) {
        for (size_t i = 0; i < COUNT_OF(transactional_ids); i++) {
            for (size_t j = 0; j < COUNT_OF(values); j++) {
                struct builder builder = {.size = 0};
                put_produce(&builder, version, transactional_ids[i], values[j]);
                assert_int_equal(acks_of(&builder, builder.size, version), values[j]);
            }
        }
    }
}

/* A compact length of two bytes. */
static void test_produce_acks_behind_a_long_id(void **state)
{
    char id[301];
    struct builder builder = {.size = 0};

    (void)state;
    memset(id, 'x', sizeof id - 1);
    id[sizeof id - 1] = '\0';
    put_produce(&builder, 9, id, 0);
    assert_int_equal(acks_of(&builder, builder.size, 9), 0);
}

/* Where the acks are not there to be read the answer is 1: an answer is to be expected. */
static void test_produce_acks_unknown(void **state)
{
    (void)state;
    for (int version = 0; version <= apis[produce].newest; version++) {
        struct builder builder = {.size = 0};
        put_produce(&builder, version, "id", 0);
        size_t end = builder.size - 4;
        for (size_t captured = 0; captured < end; captured++) {
            assert_int_equal(acks_of(&builder, captured, version), 1);
        }
        assert_int_equal(acks_of(&builder, end, version), 0);
        builder.size = end - 1;
        assert_int_equal(acks_of(&builder, builder.size, version), 1);
    }
    struct builder bad = {.size = 0};
    put16(&bad, 0x7fff);
    put32(&bad, 0);
    assert_int_equal(acks_of(&bad, bad.size, 3), 1);
    set_big_endian(&bad, 0, 0x8000, 2);
    assert_int_equal(acks_of(&bad, bad.size, 3), 1);
}

static int body_version_of(const struct builder *builder, size_t captured, int key, int version)
{
    struct kafka_cursor cursor = open_exactly(builder, captured);
    int found = kafka_response_body_version(&cursor, kafka_api_find(key), (int16_t)version);

    assert_int_equal(cursor.offset, 0);
    close_exactly(&cursor);
    return found;
}

static int whole_body_version_of(const struct builder *builder, int key, int version)
{
    return body_version_of(builder, builder->size, key, version);
}

/* A broker that does not know the version of the request answers in version 0 (KIP-511). */
static void test_api_versions_refused(void **state)
{
    struct builder with_ranges = {.size = 0};
    struct builder without = {.size = 0};

    (void)state;
    put16(&with_ranges, KAFKA_ERROR_UNSUPPORTED_VERSION);
    put32(&with_ranges, 1);
    put16(&with_ranges, api_versions);
    put16(&with_ranges, 0);
    put16(&with_ranges, 2);
    put16(&without, KAFKA_ERROR_UNSUPPORTED_VERSION);
    put32(&without, 0);
    for (int version = 0; version <= apis[api_versions].newest; version++) {
        assert_int_equal(whole_body_version_of(&with_ranges, api_versions, version), 0);
        assert_int_equal(whole_body_version_of(&without, api_versions, version), 0);
    }
    /* As far as the capture goes. */
    assert_int_equal(body_version_of(&with_ranges, 9, api_versions, 3), 0);
    /* Nothing tells of an error yet. */
    assert_int_equal(body_version_of(&with_ranges, 0, api_versions, 3), 3);
    assert_int_equal(body_version_of(&with_ranges, 1, api_versions, 3), 3);
}

/* Without that error, or where only the version that was asked for fits, it is that one. */
static void test_api_versions_answered(void **state)
{
    struct builder flexible = {.size = 0};
    struct builder refused_in_kind = {.size = 0};
    struct builder other_error = {.size = 0};

    (void)state;
    put16(&flexible, 0);
    put_uvarint(&flexible, 2);
    put16(&flexible, api_versions);
    put16(&flexible, 0);
    put16(&flexible, 4);
    put_uvarint(&flexible, 0);
    put32(&flexible, 0);
    put_uvarint(&flexible, 0);
    assert_int_equal(whole_body_version_of(&flexible, api_versions, 3), 3);
    assert_int_equal(body_version_of(&flexible, 5, api_versions, 3), 3);

    put16(&refused_in_kind, KAFKA_ERROR_UNSUPPORTED_VERSION);
    put_uvarint(&refused_in_kind, 1);
    put32(&refused_in_kind, 0);
    put_uvarint(&refused_in_kind, 0);
    assert_int_equal(whole_body_version_of(&refused_in_kind, api_versions, 3), 3);

    put16(&other_error, 42);
    put32(&other_error, 0);
    assert_int_equal(whole_body_version_of(&other_error, api_versions, 3), 3);
    assert_int_equal(whole_body_version_of(&other_error, api_versions, 0), 0);
}

/* The error means nothing of the kind in other APIs. */
static void test_refused_elsewhere(void **state)
{
    struct builder builder = {.size = 0};

    (void)state;
    put16(&builder, KAFKA_ERROR_UNSUPPORTED_VERSION);
    assert_int_equal(whole_body_version_of(&builder, heartbeat, 0), 0);
    assert_int_equal(whole_body_version_of(&builder, heartbeat, 2), 2);
}

/* Brokers have answered a first version in the layout of version 0, without its throttle time. */
static void test_answer_without_throttle_time(void **state)
{
    struct builder api_versions_0 = {.size = 0};
    struct builder api_versions_1 = {.size = 0};
    struct builder heartbeat_0 = {.size = 0};
    struct builder heartbeat_1 = {.size = 0};

    (void)state;
    put16(&api_versions_0, 0);
    put32(&api_versions_0, 1);
    put16(&api_versions_0, metadata);
    put16(&api_versions_0, 0);
    put16(&api_versions_0, 5);
    api_versions_1 = api_versions_0;
    put32(&api_versions_1, 100);
    assert_int_equal(whole_body_version_of(&api_versions_0, api_versions, 1), 0);
    assert_int_equal(whole_body_version_of(&api_versions_1, api_versions, 1), 1);
    assert_int_equal(whole_body_version_of(&api_versions_0, api_versions, 2), 2);
    /* The capture ends where both layouts still fit. */
    assert_int_equal(body_version_of(&api_versions_0, 5, api_versions, 1), 1);

    put16(&heartbeat_0, 27);
    put32(&heartbeat_1, 0);
    put16(&heartbeat_1, 27);
    assert_int_equal(whole_body_version_of(&heartbeat_0, heartbeat, 1), 0);
    assert_int_equal(whole_body_version_of(&heartbeat_1, heartbeat, 1), 1);
    assert_int_equal(body_version_of(&heartbeat_1, 3, heartbeat, 1), 1);
    /* What fits neither is shown in the version that was asked for. */
    put8(&heartbeat_1, 0);
    assert_int_equal(whole_body_version_of(&heartbeat_1, heartbeat, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header_versions),
        cmocka_unit_test(test_api_find),
        cmocka_unit_test(test_known_version),
        cmocka_unit_test(test_read_request_header),
        cmocka_unit_test(test_read_unknown_request_header),
        cmocka_unit_test(test_read_partial_request_header),
        cmocka_unit_test(test_plausible_requests),
        cmocka_unit_test(test_implausible_requests),
        cmocka_unit_test(test_client_id_that_does_not_fit),
        cmocka_unit_test(test_endless_client_id),
        cmocka_unit_test(test_plausible_when_cut),
        cmocka_unit_test(test_may_begin_request),
        cmocka_unit_test(test_can_be_request),
        cmocka_unit_test(test_may_not_begin_request),
        cmocka_unit_test(test_request_shape),
        cmocka_unit_test(test_plausible_without_client_id),
        cmocka_unit_test(test_produce_acks),
        cmocka_unit_test(test_produce_acks_behind_a_long_id),
        cmocka_unit_test(test_produce_acks_unknown),
        cmocka_unit_test(test_api_versions_refused),
        cmocka_unit_test(test_api_versions_answered),
        cmocka_unit_test(test_refused_elsewhere),
        cmocka_unit_test(test_answer_without_throttle_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
