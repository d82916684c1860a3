/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "values.h"

#include <epan/unit_strings.h>

#include <string.h>

#include "../wire/schema.h"

/* KIP-1 and later: what a producer waits for. */
static const value_string acks_names[] = {
    {(uint32_t)-1, "All in-sync replicas"},
    {0, "None"},
    {1, "Leader only"},
    {0, NULL},
};

/* KIP-98. */
static const value_string isolation_level_names[] = {
    {0, "READ_UNCOMMITTED"},
    {1, "READ_COMMITTED"},
    {0, NULL},
};

/* Of ACLs (KIP-11, KIP-140, KIP-290); configurations number their resources otherwise. */
static const value_string resource_type_names[] = {
    {0, "UNKNOWN"},          {1, "ANY"},  {2, "TOPIC"}, {3, "GROUP"}, {4, "CLUSTER"}, {5, "TRANSACTIONAL_ID"},
    {6, "DELEGATION_TOKEN"}, {7, "USER"}, {0, NULL},
};

/* KIP-133, KIP-412, KIP-714, KIP-848. */
static const value_string config_resource_type_names[] = {
    {0, "UNKNOWN"}, {2, "TOPIC"}, {4, "BROKER"}, {8, "BROKER_LOGGER"}, {16, "CLIENT_METRICS"}, {32, "GROUP"}, {0, NULL},
};

static const value_string acl_operation_names[] = {
    {0, "UNKNOWN"},
    {1, "ANY"},
    {2, "ALL"},
    {3, "READ"},
    {4, "WRITE"},
    {5, "CREATE"},
    {6, "DELETE"},
    {7, "ALTER"},
    {8, "DESCRIBE"},
    {9, "CLUSTER_ACTION"},
    {10, "DESCRIBE_CONFIGS"},
    {11, "ALTER_CONFIGS"},
    {12, "IDEMPOTENT_WRITE"},
    {13, "CREATE_TOKENS"},
    {14, "DESCRIBE_TOKENS"},
    {15, "TWO_PHASE_COMMIT"},
    {0, NULL},
};

static const value_string acl_permission_names[] = {
    {0, "UNKNOWN"}, {1, "ANY"}, {2, "DENY"}, {3, "ALLOW"}, {0, NULL},
};

/* KIP-290. */
static const value_string pattern_type_names[] = {
    {0, "UNKNOWN"}, {1, "ANY"}, {2, "MATCH"}, {3, "LITERAL"}, {4, "PREFIXED"}, {0, NULL},
};

/* KIP-226, KIP-412, KIP-714, KIP-848. */
static const value_string config_source_names[] = {
    {0, "UNKNOWN"},
    {1, "DYNAMIC_TOPIC_CONFIG"},
    {2, "DYNAMIC_BROKER_CONFIG"},
    {3, "DYNAMIC_DEFAULT_BROKER_CONFIG"},
    {4, "STATIC_BROKER_CONFIG"},
    {5, "DEFAULT_CONFIG"},
    {6, "DYNAMIC_BROKER_LOGGER_CONFIG"},
    {7, "DYNAMIC_CLIENT_METRICS_CONFIG"},
    {8, "DYNAMIC_GROUP_CONFIG"},
    {0, NULL},
};

/* KIP-569. */
static const value_string config_type_names[] = {
    {0, "UNKNOWN"}, {1, "BOOLEAN"}, {2, "STRING"}, {3, "INT"},      {4, "SHORT"}, {5, "LONG"},
    {6, "DOUBLE"},  {7, "LIST"},    {8, "CLASS"},  {9, "PASSWORD"}, {0, NULL},
};

/* KIP-339. */
static const value_string config_operation_names[] = {
    {0, "SET"}, {1, "DELETE"}, {2, "APPEND"}, {3, "SUBTRACT"}, {0, NULL},
};

/* KIP-98, KIP-932. */
static const value_string coordinator_type_names[] = {
    {0, "GROUP"},
    {1, "TRANSACTION"},
    {2, "SHARE"},
    {0, NULL},
};

/* KIP-460. */
static const value_string election_type_names[] = {
    {0, "PREFERRED"},
    {1, "UNCLEAN"},
    {0, NULL},
};

/* KIP-554. */
static const value_string scram_mechanism_names[] = {
    {0, "UNKNOWN"},
    {1, "SCRAM-SHA-256"},
    {2, "SCRAM-SHA-512"},
    {0, NULL},
};

/* KIP-546. */
static const value_string quota_match_type_names[] = {
    {0, "EXACT"},
    {1, "DEFAULT"},
    {2, "ANY"},
    {0, NULL},
};

static const value_string security_protocol_names[] = {
    {0, "PLAINTEXT"}, {1, "SSL"}, {2, "SASL_PLAINTEXT"}, {3, "SASL_SSL"}, {0, NULL},
};

/* KIP-919. */
static const value_string endpoint_type_names[] = {
    {1, "BROKER"},
    {2, "CONTROLLER"},
    {0, NULL},
};

/* KIP-704. */
static const value_string leader_recovery_state_names[] = {
    {0, "RECOVERED"},
    {1, "RECOVERING"},
    {0, NULL},
};

/* KIP-584. */
static const value_string feature_upgrade_type_names[] = {
    {0, "UNKNOWN"}, {1, "UPGRADE"}, {2, "SAFE_DOWNGRADE"}, {3, "UNSAFE_DOWNGRADE"}, {0, NULL},
};

/* KIP-932, KIP-1222. */
static const value_string acknowledge_type_names[] = {
    {0, "GAP"}, {1, "ACCEPT"}, {2, "RELEASE"}, {3, "REJECT"}, {4, "RENEW"}, {0, NULL},
};

/* KIP-1206. */
static const value_string share_acquire_mode_names[] = {
    {0, "BATCH_OPTIMIZED"},
    {1, "RECORD_LIMIT"},
    {0, NULL},
};

/* KIP-932: what share partitions keep of a record. */
static const value_string delivery_state_names[] = {
    {0, "AVAILABLE"}, {1, "ACQUIRED"}, {2, "ACKNOWLEDGED"}, {4, "ARCHIVED"}, {0, NULL},
};

/* KIP-1071. */
static const value_string streams_status_names[] = {
    {0, "STALE_TOPOLOGY"},
    {1, "MISSING_SOURCE_TOPICS"},
    {2, "INCORRECTLY_PARTITIONED_TOPICS"},
    {3, "MISSING_INTERNAL_TOPICS"},
    {4, "SHUTDOWN_APPLICATION"},
    {5, "ASSIGNMENT_DELAYED"},
    {6, "MISSING_CLIENT_TAGS"},
    {0, NULL},
};

static const value_string transaction_result_names[] = {
    {0, "ABORT"},
    {1, "COMMIT"},
    {0, NULL},
};

/* KIP-866. */
static const value_string leader_and_isr_type_names[] = {
    {0, "UNKNOWN"},
    {1, "INCREMENTAL"},
    {2, "FULL"},
    {0, NULL},
};

/* KIP-848, KIP-1099. */
static const value_string member_type_names[] = {
    {(uint32_t)-1, "UNKNOWN"},
    {0, "CLASSIC"},
    {1, "CONSUMER"},
    {0, NULL},
};

/* KIP-714: what a client may compress telemetry with. */
static const value_string compression_type_names[] = {
    {0, "none"}, {1, "gzip"}, {2, "snappy"}, {3, "lz4"}, {4, "zstd"}, {0, NULL},
};

/* KIP-1331. */
static const value_string topology_node_type_names[] = {
    {1, "SOURCE"},
    {2, "PROCESSOR"},
    {3, "SINK"},
    {0, NULL},
};

static const value_string topology_description_status_names[] = {
    {0, "NOT_REQUESTED"}, {1, "NOT_STORED"}, {2, "ERROR"}, {3, "AVAILABLE"}, {0, NULL},
};

/* KIP-98, KIP-595, KIP-630, KIP-853. */
static const value_string control_record_type_names[] = {
    {0, "Abort"},           {1, "Commit"},        {2, "Leader change"}, {3, "Snapshot header"},
    {4, "Snapshot footer"}, {5, "KRaft version"}, {6, "KRaft voters"},  {0, NULL},
};

/* AssignorError of Kafka Streams. */
static const value_string streams_error_names[] = {
    {0, "NONE"},
    {1, "INCOMPLETE_SOURCE_TOPIC_METADATA"},
    {2, "VERSION_PROBING"},
    {3, "ASSIGNMENT_ERROR"},
    {4, "SHUTDOWN_REQUESTED"},
    {0, NULL},
};

/* ConnectProtocol.Assignment of Kafka Connect. */
static const value_string connect_error_names[] = {
    {0, "NO_ERROR"},
    {1, "CONFIG_MISMATCH"},
    {0, NULL},
};

static const value_string broker_id_names[] = {
    {(uint32_t)-1, "None"},
    {0, NULL},
};

/* What KIP-79, KIP-734, KIP-405 and KIP-1005 made of timestamps that no record can have. */
static const val64_string list_offsets_timestamps[] = {
    {(uint64_t)-1, "Latest"},
    {(uint64_t)-2, "Earliest"},
    {(uint64_t)-3, "Maximum timestamp"},
    {(uint64_t)-4, "Earliest local"},
    {(uint64_t)-5, "Latest tiered"},
    {(uint64_t)-6, "Earliest pending upload"},
    {0, NULL},
};

static value_string *api_names;
static value_string *error_names;
static value_string_ext *api_names_ext;
static value_string_ext *error_names_ext;

void kafka_values_init(void)
{
    api_names = wmem_alloc_array(wmem_epan_scope(), value_string, kafka_api_count + 1);
    for (size_t i = 0; i < kafka_api_count; i++) {
        api_names[i] = (value_string){(uint32_t)kafka_apis[i].key, kafka_apis[i].name};
    }
    api_names[kafka_api_count] = (value_string){0, NULL};
    api_names_ext = kafka_value_string_ext_new(api_names, (unsigned)kafka_api_count + 1, "kafka_api_keys");

    error_names = wmem_alloc_array(wmem_epan_scope(), value_string, kafka_error_count + 1);
    /* value_string_ext searches by unsigned values, where −1 is the greatest. */
    size_t used = 0;
    for (size_t i = 0; i < kafka_error_count; i++) {
        if (kafka_errors[i].code >= 0) {
            error_names[used++] = (value_string){(uint32_t)kafka_errors[i].code, kafka_errors[i].name};
        }
    }
    for (size_t i = 0; i < kafka_error_count; i++) {
        if (kafka_errors[i].code < 0) {
            error_names[used++] = (value_string){(uint32_t)kafka_errors[i].code, kafka_errors[i].name};
        }
    }
    error_names[used] = (value_string){0, NULL};
    error_names_ext = kafka_value_string_ext_new(error_names, (unsigned)used + 1, "kafka_errors");
}

static const value_string *names_of(enum kafka_meaning meaning)
{
    switch (meaning) {
    case KAFKA_MEANING_ACKS:
        return acks_names;
    case KAFKA_MEANING_ISOLATION_LEVEL:
        return isolation_level_names;
    case KAFKA_MEANING_RESOURCE_TYPE:
        return resource_type_names;
    case KAFKA_MEANING_CONFIG_RESOURCE_TYPE:
        return config_resource_type_names;
    case KAFKA_MEANING_ACL_OPERATION:
        return acl_operation_names;
    case KAFKA_MEANING_ACL_PERMISSION:
        return acl_permission_names;
    case KAFKA_MEANING_PATTERN_TYPE:
        return pattern_type_names;
    case KAFKA_MEANING_CONFIG_SOURCE:
        return config_source_names;
    case KAFKA_MEANING_CONFIG_TYPE:
        return config_type_names;
    case KAFKA_MEANING_CONFIG_OPERATION:
        return config_operation_names;
    case KAFKA_MEANING_COORDINATOR_TYPE:
        return coordinator_type_names;
    case KAFKA_MEANING_ELECTION_TYPE:
        return election_type_names;
    case KAFKA_MEANING_SCRAM_MECHANISM:
        return scram_mechanism_names;
    case KAFKA_MEANING_QUOTA_MATCH_TYPE:
        return quota_match_type_names;
    case KAFKA_MEANING_SECURITY_PROTOCOL:
        return security_protocol_names;
    case KAFKA_MEANING_ENDPOINT_TYPE:
        return endpoint_type_names;
    case KAFKA_MEANING_LEADER_RECOVERY_STATE:
        return leader_recovery_state_names;
    case KAFKA_MEANING_FEATURE_UPGRADE_TYPE:
        return feature_upgrade_type_names;
    case KAFKA_MEANING_ACKNOWLEDGE_TYPE:
        return acknowledge_type_names;
    case KAFKA_MEANING_SHARE_ACQUIRE_MODE:
        return share_acquire_mode_names;
    case KAFKA_MEANING_DELIVERY_STATE:
        return delivery_state_names;
    case KAFKA_MEANING_STREAMS_STATUS:
        return streams_status_names;
    case KAFKA_MEANING_TRANSACTION_RESULT:
        return transaction_result_names;
    case KAFKA_MEANING_LEADER_AND_ISR_TYPE:
        return leader_and_isr_type_names;
    case KAFKA_MEANING_MEMBER_TYPE:
        return member_type_names;
    case KAFKA_MEANING_COMPRESSION_TYPE:
        return compression_type_names;
    case KAFKA_MEANING_TOPOLOGY_NODE_TYPE:
        return topology_node_type_names;
    case KAFKA_MEANING_TOPOLOGY_DESCRIPTION_STATUS:
        return topology_description_status_names;
    case KAFKA_MEANING_CONTROL_RECORD_TYPE:
        return control_record_type_names;
    case KAFKA_MEANING_STREAMS_ERROR:
        return streams_error_names;
    case KAFKA_MEANING_CONNECT_ERROR:
        return connect_error_names;
    default:
        return NULL;
    }
}

struct kafka_value_style kafka_value_style(enum kafka_meaning meaning)
{
    const value_string *names = names_of(meaning);

    if (names != NULL) {
        return (struct kafka_value_style){BASE_DEC, names};
    }
    switch (meaning) {
    case KAFKA_MEANING_ERROR_CODE:
        return (struct kafka_value_style){BASE_DEC | BASE_EXT_STRING, error_names_ext};
    case KAFKA_MEANING_API_KEY:
        return (struct kafka_value_style){BASE_DEC | BASE_EXT_STRING, api_names_ext};
    case KAFKA_MEANING_BROKER_ID:
        return (struct kafka_value_style){BASE_DEC | BASE_SPECIAL_VALS, broker_id_names};
    case KAFKA_MEANING_DURATION_MS:
    case KAFKA_MEANING_SESSION_LIFETIME:
        return (struct kafka_value_style){BASE_DEC | BASE_UNIT_STRING, &units_milliseconds};
    case KAFKA_MEANING_SIZE_BYTES:
        return (struct kafka_value_style){BASE_DEC | BASE_UNIT_STRING, &units_byte_bytes};
    case KAFKA_MEANING_AUTHORIZED_OPERATIONS:
        return (struct kafka_value_style){BASE_HEX, NULL};
    default:
        return (struct kafka_value_style){BASE_DEC, NULL};
    }
}

const char *kafka_value_name(enum kafka_meaning meaning, int64_t value)
{
    if (meaning == KAFKA_MEANING_ERROR_CODE) {
        const struct kafka_error *error = kafka_error_find(value);
        return error != NULL ? error->name : NULL;
    }
    if (meaning == KAFKA_MEANING_API_KEY) {
        const struct kafka_api *api = kafka_api_find((int)value);
        return api != NULL ? api->name : NULL;
    }
    if (meaning == KAFKA_MEANING_LIST_OFFSETS_TIMESTAMP) {
        return try_val64_to_str((uint64_t)value, list_offsets_timestamps);
    }
    const value_string *names = names_of(meaning);
    return names != NULL ? try_val_to_str((uint32_t)value, names) : NULL;
}

const struct kafka_error *kafka_error_find(int64_t code)
{
    size_t low = 0;
    size_t high = kafka_error_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kafka_errors[middle].code == code) {
            return &kafka_errors[middle];
        }
        if (kafka_errors[middle].code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

const char *kafka_api_name(wmem_allocator_t *scope, int16_t key)
{
    const struct kafka_api *api = kafka_api_find(key);

    return api != NULL ? api->name : wmem_strdup_printf(scope, "Unknown API %d", key);
}

nstime_t kafka_time_of(int64_t milliseconds)
{
    int64_t seconds = milliseconds / 1000;
    int64_t rest = milliseconds % 1000;

    if (rest < 0) {
        rest += 1000;
        seconds--;
    }
    return (nstime_t){.secs = (time_t)seconds, .nsecs = (int)rest * 1000000};
}

void kafka_uuid_to_text(const uint8_t uuid[16], char *text)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint32_t bits = 0;
    unsigned held = 0;

    for (size_t i = 0; i < 16; i++) {
        bits = bits << 8 | uuid[i];
        held += 8;
        while (held >= 6) {
            held -= 6;
            *text++ = alphabet[bits >> held & 0x3f];
        }
    }
    *text++ = alphabet[bits << (6 - held) & 0x3f];
    *text = '\0';
}

const char *kafka_uuid_reserved_name(const uint8_t uuid[16], enum kafka_meaning meaning)
{
    static const uint8_t zeros[15] = {0};

    if (memcmp(uuid, zeros, sizeof zeros) != 0) {
        return NULL;
    }
    bool is_directory = meaning == KAFKA_MEANING_DIRECTORY_ID;
    switch (uuid[15]) {
    case 0:
        return is_directory ? "MIGRATING" : "ZERO_UUID";
    case 1:
        return is_directory ? "UNASSIGNED" : "METADATA_TOPIC_ID";
    case 2:
        return is_directory ? "LOST" : NULL;
    default:
        return NULL;
    }
}
