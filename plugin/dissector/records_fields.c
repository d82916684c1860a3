/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "records_fields.h"

#include "../wire/batch.h"
#include "../wire/codec.h"
#include "expert.h"
#include "fields.h"
#include "pdu.h"
#include "producers.h"
#include "transactions.h"
#include "records.h"
#include "values.h"
#include "watched.h"

int hf_kafka_offset = -1;
int hf_kafka_batch_last_offset = -1;
int hf_kafka_message_size = -1;
int hf_kafka_partition_leader_epoch = -1;
int hf_kafka_message_magic = -1;
int hf_kafka_batch_crc = -1;
int hf_kafka_batch_crc_status = -1;
int hf_kafka_batch_attributes = -1;
int hf_kafka_batch_codec = -1;
int hf_kafka_batch_timestamp_type = -1;
int hf_kafka_batch_transactional = -1;
int hf_kafka_batch_control_batch = -1;
int hf_kafka_batch_delete_horizon = -1;
int hf_kafka_batch_unused = -1;
int hf_kafka_batch_last_offset_delta = -1;
int hf_kafka_batch_first_timestamp = -1;
int hf_kafka_batch_last_timestamp = -1;
int hf_kafka_batch_producer_id = -1;
int hf_kafka_batch_producer_epoch = -1;
int hf_kafka_batch_base_sequence = -1;
int hf_kafka_batch_last_sequence = -1;
int hf_kafka_batch_size = -1;
int hf_kafka_compressed_size = -1;
int hf_kafka_uncompressed_size = -1;
int hf_kafka_compression_reduction = -1;
int hf_kafka_truncated_content = -1;
int hf_kafka_record_length = -1;
int hf_kafka_record_attributes = -1;
int hf_kafka_record_timestamp_delta = -1;
int hf_kafka_message_timestamp = -1;
int hf_kafka_record_offset_delta = -1;
int hf_kafka_record_sequence = -1;
int hf_kafka_message_key = -1;
int hf_kafka_message_key_text = -1;
int hf_kafka_message_value = -1;
int hf_kafka_message_value_text = -1;
int hf_kafka_record_header_count = -1;
int hf_kafka_header_key = -1;
int hf_kafka_header_value = -1;
int hf_kafka_header_value_text = -1;
int hf_kafka_control_type = -1;
int hf_kafka_control_version = -1;
int hf_kafka_message_crc = -1;
int hf_kafka_message_crc_status = -1;
int hf_kafka_message_attributes = -1;
int hf_kafka_message_codec = -1;
int hf_kafka_message_timestamp_type = -1;

int ett_kafka_batch = -1;
int ett_kafka_record = -1;
int ett_kafka_record_headers = -1;
int ett_kafka_record_header = -1;
int ett_kafka_attributes = -1;
int ett_kafka_record_value = -1;

expert_field ei_kafka_bad_batch_crc = EI_INIT;
expert_field ei_kafka_bad_message_crc = EI_INIT;
expert_field ei_kafka_partial_batch = EI_INIT;
expert_field ei_kafka_cut_batch = EI_INIT;
expert_field ei_kafka_bad_batch = EI_INIT;
expert_field ei_kafka_bad_record = EI_INIT;
expert_field ei_kafka_unknown_magic = EI_INIT;
expert_field ei_kafka_magic_not_allowed = EI_INIT;
expert_field ei_kafka_codec_not_allowed = EI_INIT;
expert_field ei_kafka_unknown_codec = EI_INIT;
expert_field ei_kafka_record_count = EI_INIT;
expert_field ei_kafka_last_offset_delta = EI_INIT;
expert_field ei_kafka_compacted = EI_INIT;
expert_field ei_kafka_offsets_not_ascending = EI_INIT;
expert_field ei_kafka_max_timestamp = EI_INIT;
expert_field ei_kafka_records_left_over = EI_INIT;
expert_field ei_kafka_batch_attributes = EI_INIT;
expert_field ei_kafka_producer = EI_INIT;
expert_field ei_kafka_control_batch = EI_INIT;
expert_field ei_kafka_unpack = EI_INIT;
expert_field ei_kafka_unpack_limit = EI_INIT;
expert_field ei_kafka_unpack_note = EI_INIT;
expert_field ei_kafka_wrapper = EI_INIT;
expert_field ei_kafka_records_left_out = EI_INIT;

static const value_string codec_names[] = {
    {KAFKA_CODEC_NONE, "none"}, {KAFKA_CODEC_GZIP, "gzip"}, {KAFKA_CODEC_SNAPPY, "snappy"},
    {KAFKA_CODEC_LZ4, "lz4"},   {KAFKA_CODEC_ZSTD, "zstd"}, {0, NULL},
};

/* KIP-32. */
static const value_string timestamp_type_names[] = {
    {0, "CreateTime"},
    {1, "LogAppendTime"},
    {0, NULL},
};

static const value_string transactional_names[] = {
    {0, "Not transactional"},
    {1, "Transactional"},
    {0, NULL},
};

static const value_string control_names[] = {
    {0, "Data batch"},
    {1, "Control batch"},
    {0, NULL},
};

/* KIP-534. */
static const value_string delete_horizon_names[] = {
    {0, "First timestamp is a record's"},
    {1, "First timestamp is the delete horizon"},
    {0, NULL},
};

static const void *unit(enum kafka_meaning meaning)
{
    return kafka_value_style(meaning).strings;
}

static void register_batch_fields(void)
{
    const struct kafka_field_row rows[] = {
        {&hf_kafka_offset, {"Offset", "kafka.offset", FT_INT64, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_last_offset,
         {"Last Offset", "kafka.batch_last_offset", FT_INT64, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_message_size,
         {"Length", "kafka.message_size", FT_INT32, BASE_DEC | BASE_UNIT_STRING, unit(KAFKA_MEANING_SIZE_BYTES), 0,
          "Length of a batch or message, counted from behind this field", HFILL}},
        {&hf_kafka_partition_leader_epoch,
         {"Leader Epoch", "kafka.leader_epoch", FT_INT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_message_magic, {"Magic", "kafka.message_magic", FT_INT8, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_crc, {"CRC-32C", "kafka.batch_crc", FT_UINT32, BASE_HEX, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_crc_status,
         {"CRC-32C Status", "kafka.batch_crc.status", FT_UINT8, BASE_NONE, VALS(proto_checksum_vals), 0, NULL, HFILL}},
        {&hf_kafka_batch_attributes,
         {"Attributes", "kafka.batch_attributes", FT_UINT16, BASE_HEX, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_codec,
         {"Codec", "kafka.batch_codec", FT_UINT16, BASE_DEC, codec_names, KAFKA_ATTRIBUTE_CODEC, NULL, HFILL}},
        {&hf_kafka_batch_timestamp_type,
         {"Timestamp Type", "kafka.batch_timestamp_type", FT_UINT16, BASE_DEC, timestamp_type_names,
          KAFKA_ATTRIBUTE_LOG_APPEND_TIME, NULL, HFILL}},
        {&hf_kafka_batch_transactional,
         {"Transactional", "kafka.batch_transactional", FT_UINT16, BASE_DEC, transactional_names,
          KAFKA_ATTRIBUTE_TRANSACTIONAL, NULL, HFILL}},
        {&hf_kafka_batch_control_batch,
         {"Control Batch", "kafka.batch_control_batch", FT_UINT16, BASE_DEC, control_names, KAFKA_ATTRIBUTE_CONTROL,
          NULL, HFILL}},
        {&hf_kafka_batch_delete_horizon,
         {"Delete Horizon", "kafka.batch_delete_horizon", FT_UINT16, BASE_DEC, delete_horizon_names,
          KAFKA_ATTRIBUTE_DELETE_HORIZON, NULL, HFILL}},
        {&hf_kafka_batch_unused,
         {"Unused", "kafka.batch_attributes.unused", FT_UINT16, BASE_HEX, NULL, KAFKA_ATTRIBUTE_UNUSED, NULL, HFILL}},
        {&hf_kafka_batch_last_offset_delta,
         {"Last Offset Delta", "kafka.batch_last_offset_delta", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_first_timestamp,
         {"First Timestamp", "kafka.batch_first_timestamp", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_last_timestamp,
         {"Max Timestamp", "kafka.batch_last_timestamp", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_producer_id, {"Producer ID", "kafka.producer_id", FT_INT64, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_producer_epoch,
         {"Producer Epoch", "kafka.producer_epoch", FT_INT16, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_base_sequence,
         {"Base Sequence", "kafka.batch_base_sequence", FT_INT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_last_sequence,
         {"Last Sequence", "kafka.batch_last_sequence", FT_INT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_batch_size, {"Record Count", "kafka.batch_size", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_compressed_size,
         {"Compressed Size", "kafka.compressed_size", FT_UINT32, BASE_DEC | BASE_UNIT_STRING,
          unit(KAFKA_MEANING_SIZE_BYTES), 0, NULL, HFILL}},
        {&hf_kafka_uncompressed_size,
         {"Uncompressed Size", "kafka.uncompressed_size", FT_UINT32, BASE_DEC | BASE_UNIT_STRING,
          unit(KAFKA_MEANING_SIZE_BYTES), 0, NULL, HFILL}},
        {&hf_kafka_compression_reduction,
         {"Compression Ratio", "kafka.message_compression_reduction", FT_FLOAT, BASE_NONE, NULL, 0,
          "Compressed size divided by uncompressed size", HFILL}},
        {&hf_kafka_truncated_content,
         {"Truncated Content", "kafka.truncated_content", FT_BYTES, BASE_NONE, NULL, 0,
          "What a fetch limit left of the last batch or message of a record set", HFILL}},
    };

    kafka_register_rows(rows, array_length(rows));
}

static void register_record_fields(void)
{
    const struct kafka_field_row rows[] = {
        {&hf_kafka_record_length,
         {"Length", "kafka.record_length", FT_INT32, BASE_DEC | BASE_UNIT_STRING, unit(KAFKA_MEANING_SIZE_BYTES), 0,
          NULL, HFILL}},
        {&hf_kafka_record_attributes,
         {"Attributes", "kafka.record_attributes", FT_INT8, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_record_timestamp_delta,
         {"Timestamp Delta", "kafka.record_timestamp_delta", FT_INT64, BASE_DEC | BASE_UNIT_STRING,
          unit(KAFKA_MEANING_DURATION_MS), 0, NULL, HFILL}},
        {&hf_kafka_message_timestamp,
         {"Timestamp", "kafka.message_timestamp", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_record_offset_delta,
         {"Offset Delta", "kafka.record_offset_delta", FT_INT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_record_sequence, {"Sequence", "kafka.record_sequence", FT_INT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_message_key, {"Key", "kafka.message_key", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_kafka_message_value, {"Value", "kafka.message_value", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_kafka_record_header_count,
         {"Headers", "kafka.record_header_count", FT_INT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_header_key, {"Header Key", "kafka.header_key", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_kafka_header_value, {"Header Value", "kafka.header_value", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_kafka_control_type,
         {"Control Type", "kafka.control_record_type", FT_INT16, BASE_DEC,
          kafka_value_style(KAFKA_MEANING_CONTROL_RECORD_TYPE).strings, 0, NULL, HFILL}},
        {&hf_kafka_control_version,
         {"Version", "kafka.control_record_version", FT_INT16, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_message_crc, {"CRC-32", "kafka.message_crc", FT_UINT32, BASE_HEX, NULL, 0, NULL, HFILL}},
        {&hf_kafka_message_crc_status,
         {"CRC-32 Status", "kafka.message_crc.status", FT_UINT8, BASE_NONE, VALS(proto_checksum_vals), 0, NULL, HFILL}},
        {&hf_kafka_message_attributes,
         {"Attributes", "kafka.message_attributes", FT_UINT8, BASE_HEX, NULL, 0, NULL, HFILL}},
        {&hf_kafka_message_codec,
         {"Codec", "kafka.message_codec", FT_UINT8, BASE_DEC, codec_names, KAFKA_ATTRIBUTE_CODEC, NULL, HFILL}},
        {&hf_kafka_message_timestamp_type,
         {"Timestamp Type", "kafka.message_timestamp_type", FT_UINT8, BASE_DEC, timestamp_type_names,
          KAFKA_ATTRIBUTE_LOG_APPEND_TIME, NULL, HFILL}},
    };

    kafka_register_rows(rows, array_length(rows));
}

/*
 * The text fields of records cost as much as all their others together, and Wireshark before 4.4 does not tell which
 * fields -T fields prints. So they come to be when somebody names one of them, be it in a filter, a column or with -e:
 * Wireshark then asks for names below a prefix that it does not know yet.
 */
static void register_text_fields(const char *name _U_)
{
    /* Not by kafka_register_rows, which looks for the names and would come here again. */
    static hf_register_info infos[] = {
        {&hf_kafka_message_key_text,
         {"Text", "kafka.message_key.text", FT_STRING, BASE_NONE, NULL, 0, "The key as text, where it is text", HFILL}},
        {&hf_kafka_message_value_text,
         {"Text", "kafka.message_value.text", FT_STRING, BASE_NONE, NULL, 0, "The value as text, where it is text",
          HFILL}},
        {&hf_kafka_header_value_text,
         {"Text", "kafka.header_value.text", FT_STRING, BASE_NONE, NULL, 0,
          "The header's value as text, where it is text", HFILL}},
    };

    proto_register_field_array(proto_kafka, infos, array_length(infos));
}

static void register_experts(int proto)
{
    static ei_register_info infos[] = {
        {&ei_kafka_bad_batch_crc, {"kafka.batch_crc.bad", PI_CHECKSUM, PI_ERROR, "Bad CRC-32C", EXPFILL}},
        {&ei_kafka_bad_message_crc, {"kafka.message_crc.bad", PI_CHECKSUM, PI_ERROR, "Bad CRC-32", EXPFILL}},
        {&ei_kafka_partial_batch,
         {"kafka.partial_batch", PI_PROTOCOL, PI_NOTE, "Cut at the end of the record set", EXPFILL}},
        {&ei_kafka_cut_batch, {"kafka.cut_batch", PI_UNDECODED, PI_NOTE, "The capture cut this batch", EXPFILL}},
        {&ei_kafka_bad_batch,
         {"kafka.ei_kafka_bad_message_set_length", PI_MALFORMED, PI_ERROR, "Batch or message is broken", EXPFILL}},
        {&ei_kafka_bad_record, {"kafka.bad_record_length", PI_MALFORMED, PI_ERROR, "Record is broken", EXPFILL}},
        {&ei_kafka_unknown_magic, {"kafka.unknown_message_magic", PI_UNDECODED, PI_ERROR, "Unknown magic", EXPFILL}},
        {&ei_kafka_magic_not_allowed,
         {"kafka.magic_not_allowed", PI_PROTOCOL, PI_WARN, "Magic that this API version may not have", EXPFILL}},
        {&ei_kafka_codec_not_allowed,
         {"kafka.codec_not_allowed", PI_PROTOCOL, PI_WARN, "Codec that this API version may not have", EXPFILL}},
        {&ei_kafka_unknown_codec, {"kafka.unknown_codec", PI_UNDECODED, PI_WARN, "Unknown codec", EXPFILL}},
        {&ei_kafka_record_count,
         {"kafka.batch_size.bad", PI_PROTOCOL, PI_WARN, "Record count does not match the records", EXPFILL}},
        {&ei_kafka_last_offset_delta,
         {"kafka.batch_last_offset_delta.bad", PI_PROTOCOL, PI_WARN, "Last offset delta does not match the records",
          EXPFILL}},
        {&ei_kafka_compacted,
         {"kafka.batch_compacted", PI_PROTOCOL, PI_NOTE, "Offsets without records, as compaction leaves them",
          EXPFILL}},
        {&ei_kafka_offsets_not_ascending,
         {"kafka.record_offset_delta.bad", PI_PROTOCOL, PI_WARN, "Offset deltas do not ascend", EXPFILL}},
        {&ei_kafka_max_timestamp,
         {"kafka.batch_last_timestamp.bad", PI_PROTOCOL, PI_WARN, "Max timestamp is below a record's", EXPFILL}},
        {&ei_kafka_records_left_over,
         {"kafka.records_left_over", PI_MALFORMED, PI_WARN, "Bytes left over behind the last record", EXPFILL}},
        {&ei_kafka_batch_attributes,
         {"kafka.batch_attributes.bad", PI_PROTOCOL, PI_NOTE, "Attribute bits without a meaning", EXPFILL}},
        {&ei_kafka_producer,
         {"kafka.batch_producer.bad", PI_PROTOCOL, PI_WARN, "Producer fields do not go together", EXPFILL}},
        {&ei_kafka_control_batch,
         {"kafka.batch_control.bad", PI_PROTOCOL, PI_WARN, "Control batch that Kafka does not write", EXPFILL}},
        {&ei_kafka_unpack,
         {"kafka.ei_kafka_bad_decompression_length", PI_MALFORMED, PI_ERROR, "Records cannot be unpacked", EXPFILL}},
        {&ei_kafka_unpack_limit,
         {"kafka.unpack_limit", PI_UNDECODED, PI_NOTE, "Records are not unpacked: too large", EXPFILL}},
        {&ei_kafka_unpack_note,
         {"kafka.unpack_note", PI_PROTOCOL, PI_NOTE, "Compressed data that is unusual", EXPFILL}},
        {&ei_kafka_wrapper,
         {"kafka.wrapper.bad", PI_PROTOCOL, PI_WARN, "Compressed message that Kafka would not accept", EXPFILL}},
        {&ei_kafka_records_left_out,
         {"kafka.records_left_out", PI_UNDECODED, PI_NOTE, "Records are left out", EXPFILL}},
    };

    expert_register_field_array(expert_register_protocol(proto), infos, array_length(infos));
}

void kafka_records_fields_register(int proto)
{
    static int *etts[] = {
        &ett_kafka_batch,         &ett_kafka_record,     &ett_kafka_record_headers,
        &ett_kafka_record_header, &ett_kafka_attributes, &ett_kafka_record_value,
    };

    register_batch_fields();
    register_record_fields();
    register_experts(proto);
    proto_register_subtree_array(etts, array_length(etts));
}

void kafka_text_fields_announce(void)
{
    proto_register_prefix("kafka", register_text_fields);
}

static bool wants_headers(void)
{
    static const int *const ids[] = {
        &hf_kafka_offset,
        &hf_kafka_batch_last_offset,
        &hf_kafka_message_size,
        &hf_kafka_partition_leader_epoch,
        &hf_kafka_message_magic,
        &hf_kafka_batch_crc,
        &hf_kafka_batch_attributes,
        &hf_kafka_batch_codec,
        &hf_kafka_batch_timestamp_type,
        &hf_kafka_batch_transactional,
        &hf_kafka_batch_control_batch,
        &hf_kafka_batch_delete_horizon,
        &hf_kafka_batch_unused,
        &hf_kafka_batch_last_offset_delta,
        &hf_kafka_batch_first_timestamp,
        &hf_kafka_batch_last_timestamp,
        &hf_kafka_batch_producer_id,
        &hf_kafka_batch_producer_epoch,
        &hf_kafka_batch_base_sequence,
        &hf_kafka_batch_last_sequence,
        &hf_kafka_batch_size,
        &hf_kafka_compressed_size,
        &hf_kafka_truncated_content,
        &hf_kafka_message_crc,
        &hf_kafka_message_attributes,
        &hf_kafka_message_codec,
        &hf_kafka_message_timestamp_type,
        &ei_kafka_partial_batch.hf,
        &ei_kafka_cut_batch.hf,
        &ei_kafka_bad_batch.hf,
        &ei_kafka_unknown_magic.hf,
        &ei_kafka_magic_not_allowed.hf,
        &ei_kafka_codec_not_allowed.hf,
        &ei_kafka_unknown_codec.hf,
        &ei_kafka_batch_attributes.hf,
        &ei_kafka_producer.hf,
        &ei_kafka_control_batch.hf,
        &ei_kafka_record_count.hf,
        &ei_kafka_last_offset_delta.hf,
        &ei_kafka_compacted.hf,
        &hf_kafka_producer_repeats_frame,
        &hf_kafka_producer_previous_frame,
        &ei_kafka_producer_repeated.hf,
        &ei_kafka_producer_gap.hf,
        &ei_kafka_producer_back.hf,
        &ei_kafka_producer_epoch.hf,
        &ei_kafka_producer_epoch_start.hf,
        &ei_kafka_producer_fenced.hf,
        &ei_kafka_producer_wrapped.hf,
        &hf_kafka_transaction,
        &hf_kafka_transaction_id,
        &hf_kafka_transaction_init_frame,
        &hf_kafka_transaction_first_frame,
        &hf_kafka_transaction_end_frame,
        &hf_kafka_transaction_outcome,
        &hf_kafka_transaction_duration,
    };

    static struct kafka_watched fields = {ids, array_length(ids), NULL};

    return kafka_any_referenced(&fields);
}

static bool wants_checksums(void)
{
    static const int *const ids[] = {
        &hf_kafka_batch_crc_status,
        &hf_kafka_message_crc_status,
        &ei_kafka_bad_batch_crc.hf,
        &ei_kafka_bad_message_crc.hf,
    };

    static struct kafka_watched fields = {ids, array_length(ids), NULL};

    return kafka_any_referenced(&fields);
}

bool kafka_wants_inner(void)
{
    static const int *const ids[] = {
        &hf_kafka_message_size,           &hf_kafka_message_magic,      &hf_kafka_message_crc,
        &hf_kafka_message_crc_status,     &hf_kafka_message_attributes, &hf_kafka_message_codec,
        &hf_kafka_message_timestamp_type, &ei_kafka_bad_message_crc.hf, &ei_kafka_bad_batch.hf,
    };

    static struct kafka_watched fields = {ids, array_length(ids), NULL};

    return kafka_any_referenced(&fields);
}

/* The bits of the text fields of records that somebody has named, or of those that are referenced. */
static uint32_t text_fields(bool only_referenced)
{
    static const struct {
        const int *id;
        enum kafka_record_field field;
    } texts[] = {
        {&hf_kafka_message_key_text, KAFKA_FIELD_KEY_TEXT},
        {&hf_kafka_message_value_text, KAFKA_FIELD_VALUE_TEXT},
        {&hf_kafka_header_value_text, KAFKA_FIELD_HEADER_VALUE_TEXT},
    };
    uint32_t bits = 0;

    for (size_t i = 0; i < array_length(texts); i++) {
        int id = *texts[i].id;
        if (id > 0 && (!only_referenced || proto_registrar_get_nth((unsigned)id)->ref_type != HF_REF_TYPE_NONE)) {
            bits |= UINT32_C(1) << texts[i].field;
        }
    }
    return bits;
}

/* The bits of the fields of records that are referenced. */
static uint32_t referenced_record_fields(void)
{
    static const int *const ids[] = {
        [KAFKA_FIELD_LENGTH] = &hf_kafka_record_length,
        [KAFKA_FIELD_ATTRIBUTES] = &hf_kafka_record_attributes,
        [KAFKA_FIELD_TIMESTAMP_DELTA] = &hf_kafka_record_timestamp_delta,
        [KAFKA_FIELD_TIMESTAMP] = &hf_kafka_message_timestamp,
        [KAFKA_FIELD_OFFSET_DELTA] = &hf_kafka_record_offset_delta,
        [KAFKA_FIELD_OFFSET] = &hf_kafka_offset,
        [KAFKA_FIELD_SEQUENCE] = &hf_kafka_record_sequence,
        [KAFKA_FIELD_KEY] = &hf_kafka_message_key,
        [KAFKA_FIELD_VALUE] = &hf_kafka_message_value,
        [KAFKA_FIELD_HEADER_COUNT] = &hf_kafka_record_header_count,
        [KAFKA_FIELD_HEADER_KEY] = &hf_kafka_header_key,
        [KAFKA_FIELD_HEADER_VALUE] = &hf_kafka_header_value,
        [KAFKA_FIELD_NULL] = &hf_kafka_null,
    };

    static struct kafka_watched fields = {ids, array_length(ids), NULL};
    uint32_t bits = text_fields(true);

    if (!kafka_any_referenced(&fields)) {
        return bits;
    }
    for (size_t i = 0; i < fields.count; i++) {
        bits |= fields.infos[i]->ref_type != HF_REF_TYPE_NONE ? UINT32_C(1) << i : 0;
    }
    return bits;
}

/* The bits of the fields of records that a visible tree has. */
static uint32_t visible_record_fields(void)
{
    return ((UINT32_C(1) << KAFKA_FIELD_KEY_TEXT) - 1) | text_fields(false);
}

/* What only a walk over the records finds, besides their own fields. */
static bool wants_walk(void)
{
    static const int *const ids[] = {
        &hf_kafka_undecoded,
        &hf_kafka_uncompressed_size,
        &hf_kafka_compression_reduction,
        &hf_kafka_control_type,
        &hf_kafka_control_version,
        &ei_kafka_bad_record.hf,
        &ei_kafka_record_count.hf,
        &ei_kafka_last_offset_delta.hf,
        &ei_kafka_compacted.hf,
        &ei_kafka_offsets_not_ascending.hf,
        &ei_kafka_max_timestamp.hf,
        &ei_kafka_records_left_over.hf,
        &ei_kafka_unpack.hf,
        &ei_kafka_unpack_limit.hf,
        &ei_kafka_unpack_note.hf,
        &ei_kafka_wrapper.hf,
        &ei_kafka_records_left_out.hf,
        &ei_kafka_bad_utf8.hf,
        &ei_kafka_nul_in_string.hf,
    };

    static struct kafka_watched fields = {ids, array_length(ids), NULL};

    return kafka_any_referenced(&fields);
}

/* Adds the ids of the fields that a structure has, and what is inside it. */
static void add_struct(GPtrArray *ids, const struct kafka_struct *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct kafka_field *field = &fields->fields[i];
        if (field->type == KAFKA_TYPE_STRUCT) {
            add_struct(ids, field->members);
        } else {
            uint16_t alias = kafka_displays[field->display].alias;
            g_ptr_array_add(ids, &hf_kafka_displays[field->display]);
            if (alias != KAFKA_NO_ALIAS) {
                g_ptr_array_add(ids, &hf_kafka_displays[alias]);
            }
            if (field->type == KAFKA_TYPE_UUID) {
                g_ptr_array_add(ids, &hf_kafka_uuid);
            }
        }
        if (field->is_array) {
            g_ptr_array_add(ids, &hf_kafka_displays[field->count_display]);
        }
    }
}

bool kafka_wants_control_values(void)
{
    static struct kafka_watched fields;

    if (fields.ids == NULL) {
        const struct kafka_control_type *type;
        GPtrArray *ids = g_ptr_array_new();
        for (int16_t i = 0; (type = kafka_control_type_find(i)) != NULL; i++) {
            const struct kafka_message *message = kafka_control_message(type);
            if (message != NULL) {
                add_struct(ids, message->body);
            }
        }
        fields.count = ids->len;
        fields.ids = (const int *const *)wmem_memdup(wmem_epan_scope(), ids->pdata, ids->len * sizeof *ids->pdata);
        g_ptr_array_free(ids, TRUE);
    }
    return kafka_any_referenced(&fields);
}

struct kafka_record_wants kafka_record_wants_find(const packet_info *pinfo, proto_tree *tree)
{
    if (kafka_wants_expert(pinfo, tree) || (tree != NULL && PTREE_DATA(tree)->visible)) {
        return (struct kafka_record_wants){
            .fields = tree != NULL && PTREE_DATA(tree)->visible ? visible_record_fields() : referenced_record_fields(),
            .visible = tree != NULL && PTREE_DATA(tree)->visible,
            .headers = true,
            .checksums = true,
            .records = true,
            .control = true,
        };
    }
    if (tree == NULL) {
        return (struct kafka_record_wants){.headers = false};
    }
    uint32_t fields = referenced_record_fields();
    return (struct kafka_record_wants){
        .fields = fields,
        .headers = wants_headers(),
        .checksums = wants_checksums(),
        .records = fields != 0 || wants_walk(),
    };
}
