/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields and expert infos of record batches, records and messages, and which of them somebody wants. */
#ifndef KAFKA_DISSECTOR_RECORDS_FIELDS_H
#define KAFKA_DISSECTOR_RECORDS_FIELDS_H

#include "compat.h"

/* Of batches of magic 2; several are of messages too. */
extern int hf_kafka_offset;
extern int hf_kafka_batch_last_offset;
extern int hf_kafka_message_size;
extern int hf_kafka_partition_leader_epoch;
extern int hf_kafka_message_magic;
extern int hf_kafka_batch_crc;
extern int hf_kafka_batch_crc_status;
extern int hf_kafka_batch_attributes;
extern int hf_kafka_batch_codec;
extern int hf_kafka_batch_timestamp_type;
extern int hf_kafka_batch_transactional;
extern int hf_kafka_batch_control_batch;
extern int hf_kafka_batch_delete_horizon;
extern int hf_kafka_batch_unused;
extern int hf_kafka_batch_last_offset_delta;
extern int hf_kafka_batch_first_timestamp;
extern int hf_kafka_batch_last_timestamp;
extern int hf_kafka_batch_producer_id;
extern int hf_kafka_batch_producer_epoch;
extern int hf_kafka_batch_base_sequence;
extern int hf_kafka_batch_last_sequence;
extern int hf_kafka_batch_size;
extern int hf_kafka_compressed_size;
extern int hf_kafka_uncompressed_size;
extern int hf_kafka_compression_reduction;
extern int hf_kafka_truncated_content;

/* Of records. */
extern int hf_kafka_record_length;
extern int hf_kafka_record_attributes;
extern int hf_kafka_record_timestamp_delta;
extern int hf_kafka_message_timestamp;
extern int hf_kafka_record_offset_delta;
extern int hf_kafka_record_sequence;
extern int hf_kafka_message_key;
extern int hf_kafka_message_key_text;
extern int hf_kafka_message_value;
extern int hf_kafka_message_value_text;
extern int hf_kafka_record_header_count;
extern int hf_kafka_header_key;
extern int hf_kafka_header_value;
extern int hf_kafka_header_value_text;
extern int hf_kafka_control_type;
extern int hf_kafka_control_version;

/* Of messages of magic 0 and 1. */
extern int hf_kafka_message_crc;
extern int hf_kafka_message_crc_status;
extern int hf_kafka_message_attributes;
extern int hf_kafka_message_codec;
extern int hf_kafka_message_timestamp_type;

extern int ett_kafka_batch;
extern int ett_kafka_record;
extern int ett_kafka_record_headers;
extern int ett_kafka_record_header;
extern int ett_kafka_attributes;
extern int ett_kafka_record_value;

extern expert_field ei_kafka_bad_batch_crc;
extern expert_field ei_kafka_bad_message_crc;
extern expert_field ei_kafka_partial_batch;
extern expert_field ei_kafka_cut_batch;
extern expert_field ei_kafka_bad_batch;
extern expert_field ei_kafka_bad_record;
extern expert_field ei_kafka_unknown_magic;
extern expert_field ei_kafka_magic_not_allowed;
extern expert_field ei_kafka_codec_not_allowed;
extern expert_field ei_kafka_unknown_codec;
extern expert_field ei_kafka_record_count;
extern expert_field ei_kafka_last_offset_delta;
extern expert_field ei_kafka_compacted;
extern expert_field ei_kafka_offsets_not_ascending;
extern expert_field ei_kafka_max_timestamp;
extern expert_field ei_kafka_records_left_over;
extern expert_field ei_kafka_batch_attributes;
extern expert_field ei_kafka_producer;
extern expert_field ei_kafka_control_batch;
extern expert_field ei_kafka_unpack;
extern expert_field ei_kafka_unpack_limit;
extern expert_field ei_kafka_unpack_note;
extern expert_field ei_kafka_wrapper;
extern expert_field ei_kafka_records_left_out;

/*
 * The fields that each record of magic 2 may have: whether they are wanted is asked once for a record set, and not for
 * each record.
 */
enum kafka_record_field {
    KAFKA_FIELD_LENGTH,
    KAFKA_FIELD_ATTRIBUTES,
    KAFKA_FIELD_TIMESTAMP_DELTA,
    KAFKA_FIELD_TIMESTAMP,
    KAFKA_FIELD_OFFSET_DELTA,
    KAFKA_FIELD_OFFSET,
    KAFKA_FIELD_SEQUENCE,
    KAFKA_FIELD_KEY,
    KAFKA_FIELD_VALUE,
    KAFKA_FIELD_HEADER_COUNT,
    KAFKA_FIELD_HEADER_KEY,
    KAFKA_FIELD_HEADER_VALUE,
    KAFKA_FIELD_NULL,
    /* Those that come to be when somebody names them. */
    KAFKA_FIELD_KEY_TEXT,
    KAFKA_FIELD_VALUE_TEXT,
    KAFKA_FIELD_HEADER_VALUE_TEXT,
};

/* What somebody wants of the record sets in a pass: what nobody wants is not computed. */
struct kafka_record_wants {
    uint32_t fields; /* a bit for each enum kafka_record_field */
    bool visible;    /* somebody looks at the tree */
    bool headers;    /* fields of batch headers */
    bool checksums;  /* whether checksums are right */
    bool records;    /* fields of records, or what is wrong with them */
    bool control;    /* fields that values of control records have, where there may be such */
};

/* Registers fields, subtrees and expert infos; once, after kafka_fields_register. */
void kafka_records_fields_register(int proto);

/*
 * Has the text fields of records registered once somebody asks for a name below "kafka" that Wireshark does not know;
 * once, when every other field has been registered, for that asks for names too.
 */
void kafka_text_fields_announce(void);

/* Finds what is wanted of the tree, which may be NULL; but for control, which kafka_wants_control_values tells. */
struct kafka_record_wants kafka_record_wants_find(const packet_info *pinfo, proto_tree *tree);

/* Returns whether somebody wants fields that messages inside compressed ones have as well as records. */
bool kafka_wants_inner(void);

/* Returns whether somebody references a field that values of control records have. */
bool kafka_wants_control_values(void);

#endif
