/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a field means, whichever message it stands in. schema/meanings.tsv gives meanings to fields by these names in
 * lower case.
 */
#ifndef KAFKA_WIRE_MEANING_H
#define KAFKA_WIRE_MEANING_H

#define KAFKA_MEANINGS(X)                                                                                              \
    X(NONE)                                                                                                            \
    /* what names something */                                                                                         \
    X(TOPIC_NAME)                                                                                                      \
    X(TOPIC_ID)                                                                                                        \
    X(PARTITION)                                                                                                       \
    X(BROKER_ID) /* broker, node, replica, leader, voter: −1 and −2 are special */                                 \
    X(HOST)                                                                                                            \
    X(PORT)                                                                                                            \
    X(RACK)                                                                                                            \
    X(GROUP_ID)                                                                                                        \
    X(GROUP_INSTANCE_ID)                                                                                               \
    X(MEMBER_ID)                                                                                                       \
    X(TRANSACTIONAL_ID)                                                                                                \
    X(PRODUCER_ID)                                                                                                     \
    X(PRODUCER_EPOCH)                                                                                                  \
    X(COORDINATOR_KEY)                                                                                                 \
    X(RESOURCE_NAME)                                                                                                   \
    X(CONFIG_NAME)                                                                                                     \
    X(PRINCIPAL)                                                                                                       \
    X(DIRECTORY_ID) /* uuid with reserved values of its own (KIP-858) */                                               \
    X(SOFTWARE_NAME)                                                                                                   \
    X(SOFTWARE_VERSION)                                                                                                \
    X(SASL_MECHANISM)                                                                                                  \
    X(PROTOCOL_TYPE) /* of a group: "consumer", "connect" */                                                           \
    X(PROTOCOL_NAME) /* of a group: what its members agreed on, such as the name of an assignor */                     \
    X(FEATURE_NAME)                                                                                                    \
    X(SUBTOPOLOGY) /* of Kafka Streams: with a partition it names a task */                                            \
    /* numbers */                                                                                                      \
    X(ERROR_CODE)                                                                                                      \
    X(ERROR_MESSAGE)                                                                                                   \
    X(API_KEY)                                                                                                         \
    X(API_VERSION)                                                                                                     \
    X(OFFSET)                                                                                                          \
    X(EPOCH) /* leader, controller, member, group, session … */                                                      \
    X(GENERATION)                                                                                                      \
    X(TIMESTAMP)              /* point in time, milliseconds since 1970, shown as FT_ABSOLUTE_TIME */                  \
    X(TIMESTAMP_MS)           /* the same where the built-in's field is an integer: shown as both */                   \
    X(LIST_OFFSETS_TIMESTAMP) /* TIMESTAMP_MS with special negative values */                                          \
    X(DURATION_MS)                                                                                                     \
    X(SESSION_LIFETIME) /* DURATION_MS until which a client has to authenticate again (KIP-368) */                     \
    X(SIZE_BYTES)                                                                                                      \
    X(AUTHORIZED_OPERATIONS) /* bit field over acl_operation; INT32_MIN: not asked for */                              \
    /* enumerations */                                                                                                 \
    X(ACKS)                                                                                                            \
    X(ISOLATION_LEVEL)                                                                                                 \
    X(RESOURCE_TYPE)                                                                                                   \
    X(CONFIG_RESOURCE_TYPE)                                                                                            \
    X(ACL_OPERATION)                                                                                                   \
    X(ACL_PERMISSION)                                                                                                  \
    X(PATTERN_TYPE)                                                                                                    \
    X(CONFIG_SOURCE)                                                                                                   \
    X(CONFIG_TYPE)                                                                                                     \
    X(CONFIG_OPERATION)                                                                                                \
    X(COORDINATOR_TYPE)                                                                                                \
    X(ELECTION_TYPE)                                                                                                   \
    X(SCRAM_MECHANISM)                                                                                                 \
    X(QUOTA_MATCH_TYPE)                                                                                                \
    X(SECURITY_PROTOCOL)                                                                                               \
    X(ENDPOINT_TYPE)                                                                                                   \
    X(LEADER_RECOVERY_STATE)                                                                                           \
    X(FEATURE_UPGRADE_TYPE)                                                                                            \
    X(ACKNOWLEDGE_TYPE)                                                                                                \
    X(SHARE_ACQUIRE_MODE)                                                                                              \
    X(DELIVERY_STATE)                                                                                                  \
    X(STREAMS_STATUS)                                                                                                  \
    X(TRANSACTION_RESULT)                                                                                              \
    X(LEADER_AND_ISR_TYPE)                                                                                             \
    X(MEMBER_TYPE)                                                                                                     \
    X(COMPRESSION_TYPE) /* of telemetry */                                                                             \
    X(TOPOLOGY_NODE_TYPE)                                                                                              \
    X(TOPOLOGY_DESCRIPTION_STATUS)                                                                                     \
    X(CONTROL_RECORD_TYPE)                                                                                             \
    X(STREAMS_ERROR) /* of Kafka Streams' assignor */                                                                  \
    X(CONNECT_ERROR) /* of Kafka Connect's assignor */                                                                 \
    /* what carries something else */                                                                                  \
    X(RECORDS)                                                                                                         \
    X(CONSUMER_METADATA)   /* JoinGroup: what one member subscribes to, by protocol type */                            \
    X(CONSUMER_ASSIGNMENT) /* SyncGroup: what one member is assigned */                                                \
    X(CONSUMER_USER_DATA)  /* what an assignor adds to either, by protocol name */                                     \
    X(CONNECT_ALLOCATION)  /* what a worker had when it joined: an assignment (KIP-415) */                             \
    X(TEXT_BYTES)          /* text that Kafka writes as bytes */                                                       \
    X(SASL_BYTES)                                                                                                      \
    X(ENVELOPE_REQUEST)                                                                                                \
    X(ENVELOPE_RESPONSE)                                                                                               \
    X(ENVELOPE_PRINCIPAL) /* the default form: DefaultPrincipalData behind its int16 version */                        \
    X(CLIENT_ADDRESS)     /* 4 or 16 bytes of an IP address */                                                         \
    X(SECRET)             /* never in Info */

enum kafka_meaning {
#define KAFKA_MEANING_ENUM(name) KAFKA_MEANING_##name,
    KAFKA_MEANINGS(KAFKA_MEANING_ENUM)
#undef KAFKA_MEANING_ENUM
        KAFKA_MEANING_COUNT
};

#endif
