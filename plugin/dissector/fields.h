/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields that have no row in the schema: framing, headers, and what the walker finds around fields. */
#ifndef KAFKA_DISSECTOR_FIELDS_H
#define KAFKA_DISSECTOR_FIELDS_H

#include "compat.h"

#include "display.h"

extern int proto_kafka;

extern int hf_kafka_len;
extern int hf_kafka_api_key;
extern int hf_kafka_request_key;
extern int hf_kafka_response_key;
extern int hf_kafka_api_version;
extern int hf_kafka_request_version;
extern int hf_kafka_response_version;
extern int hf_kafka_response_assumed;
extern int hf_kafka_response_candidate;
extern int hf_kafka_correlation_id;
extern int hf_kafka_client_id;
extern int hf_kafka_consumer_group;
extern int hf_kafka_group_id;
extern int hf_kafka_header_version;
extern int hf_kafka_body_version;
extern int hf_kafka_request_frame;
extern int hf_kafka_response_frame;
extern int hf_kafka_time;
extern int hf_kafka_no_response;
extern int hf_kafka_null;
extern int hf_kafka_uuid;
extern int hf_kafka_timestamp;
extern int hf_kafka_tagged_fields_count;
extern int hf_kafka_tagged_field_tag;
extern int hf_kafka_tagged_field_size;
extern int hf_kafka_tagged_field_data;
extern int hf_kafka_records_size;
extern int hf_kafka_problem;
extern int hf_kafka_undecoded;
extern int hf_kafka_unknown_body;
extern int hf_kafka_continuation;
extern int hf_kafka_proxy_header;
extern int hf_kafka_sasl_token;

extern int ett_kafka;
extern int ett_kafka_array;
extern int ett_kafka_struct;
extern int ett_kafka_leaf;
extern int ett_kafka_tags;
extern int ett_kafka_tag;

/* The field of each row of kafka_displays[]. */
extern int *hf_kafka_displays;

/* And what Wireshark knows of it and of the field of its alias, NULL where it has none. */
struct kafka_display_infos {
    const header_field_info *own;
    const header_field_info *alias;
};
extern struct kafka_display_infos *kafka_display_infos;

/* The value of a field that tells null from every text (docs/display.md). */
#define KAFKA_NULL_TEXT "[ Null ]"

/* A field to register: where its id goes, and what it is. */
struct kafka_field_row {
    int *id;
    header_field_info info;
};

/* Registers fields, or adopts those of Wireshark's own dissector that have the same name and type. */
void kafka_register_rows(const struct kafka_field_row *rows, size_t count);

/* Registers the protocol, where Wireshark does not have it yet, and every field and subtree; once. */
void kafka_fields_register(void);

/*
 * Adds the bits of an authorized operations field (KIP-430) below parent, for the 4 bytes at offset. Nothing is added
 * where the broker was not asked for them.
 */
void kafka_add_authorized_operations(proto_item *parent, tvbuff_t *tvb, int offset, int32_t value);

/* Returns whether somebody has a use for one of them. */
bool kafka_wants_authorized_operations(proto_tree *tree);

#endif
