/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "fields.h"

#include "values.h"

int proto_kafka = -1;

int hf_kafka_len = -1;
int hf_kafka_api_key = -1;
int hf_kafka_request_key = -1;
int hf_kafka_response_key = -1;
int hf_kafka_api_version = -1;
int hf_kafka_request_version = -1;
int hf_kafka_response_version = -1;
int hf_kafka_response_assumed = -1;
int hf_kafka_response_candidate = -1;
int hf_kafka_correlation_id = -1;
int hf_kafka_client_id = -1;
int hf_kafka_consumer_group = -1;
int hf_kafka_group_id = -1;
int hf_kafka_header_version = -1;
int hf_kafka_body_version = -1;
int hf_kafka_request_frame = -1;
int hf_kafka_response_frame = -1;
int hf_kafka_time = -1;
int hf_kafka_no_response = -1;
int hf_kafka_null = -1;
int hf_kafka_uuid = -1;
int hf_kafka_timestamp = -1;
int hf_kafka_tagged_fields_count = -1;
int hf_kafka_tagged_field_tag = -1;
int hf_kafka_tagged_field_size = -1;
int hf_kafka_tagged_field_data = -1;
int hf_kafka_records_size = -1;
int hf_kafka_problem = -1;
int hf_kafka_undecoded = -1;
int hf_kafka_unknown_body = -1;
int hf_kafka_continuation = -1;
int hf_kafka_proxy_header = -1;
int hf_kafka_sasl_token = -1;

int ett_kafka = -1;
int ett_kafka_array = -1;
int ett_kafka_struct = -1;
int ett_kafka_leaf = -1;
int ett_kafka_tags = -1;
int ett_kafka_tag = -1;
static int ett_authorized_operations = -1;

int *hf_kafka_displays;
struct kafka_display_infos *kafka_display_infos;

/* Bit n of authorized operations stands for ACL operation n (KIP-430); 0 to 2 are never set. */
#define FIRST_OPERATION 3
#define LAST_OPERATION  15
static int hf_operations[LAST_OPERATION - FIRST_OPERATION + 1];

static enum ftenum wireshark_type(enum kafka_display_type type)
{
    switch (type) {
    case KAFKA_DISPLAY_BOOLEAN:
        return FT_BOOLEAN;
    case KAFKA_DISPLAY_INT8:
        return FT_INT8;
    case KAFKA_DISPLAY_INT16:
        return FT_INT16;
    case KAFKA_DISPLAY_INT32:
        return FT_INT32;
    case KAFKA_DISPLAY_INT64:
        return FT_INT64;
    case KAFKA_DISPLAY_UINT8:
        return FT_UINT8;
    case KAFKA_DISPLAY_UINT16:
        return FT_UINT16;
    case KAFKA_DISPLAY_UINT32:
        return FT_UINT32;
    case KAFKA_DISPLAY_UINT64:
        return FT_UINT64;
    case KAFKA_DISPLAY_DOUBLE:
        return FT_DOUBLE;
    case KAFKA_DISPLAY_GUID:
        return FT_GUID;
    case KAFKA_DISPLAY_STRING:
        return FT_STRING;
    case KAFKA_DISPLAY_BYTES:
        return FT_BYTES;
    case KAFKA_DISPLAY_TIME:
        return FT_ABSOLUTE_TIME;
    case KAFKA_DISPLAY_NONE:
        break;
    }
    return FT_NONE;
}

static struct kafka_value_style style_of(const struct kafka_display *display)
{
    struct kafka_value_style plain = {BASE_NONE, NULL};

    switch (display->type) {
    case KAFKA_DISPLAY_BOOLEAN:
    case KAFKA_DISPLAY_DOUBLE:
    case KAFKA_DISPLAY_GUID:
    case KAFKA_DISPLAY_STRING:
    case KAFKA_DISPLAY_BYTES:
    case KAFKA_DISPLAY_NONE:
        return plain;
    case KAFKA_DISPLAY_TIME:
        plain.base = ABSOLUTE_TIME_UTC;
        return plain;
    case KAFKA_DISPLAY_INT64:
    case KAFKA_DISPLAY_UINT64: {
        struct kafka_value_style style = kafka_value_style(display->meaning);
        return (style.base & BASE_UNIT_STRING) != 0 ? style : (struct kafka_value_style){BASE_DEC, NULL};
    }
    default: {
        struct kafka_value_style style = kafka_value_style(display->meaning);
        bool is_signed = display->type == KAFKA_DISPLAY_INT8 || display->type == KAFKA_DISPLAY_INT16 ||
                         display->type == KAFKA_DISPLAY_INT32;
        if (is_signed && style.base == BASE_HEX) {
            style.base = BASE_DEC;
        }
        return style;
    }
    }
}

/*
 * Makes *id the field called info->abbrev. Where Wireshark's own dissector registered one of that name and type, that
 * one is taken and told to look like ours: two fields of one name make comparisons with value strings differ between
 * Wireshark versions, and two types of one name crash filters. (A start-up test holds the types of all versions against
 * ours.)
 */
static void register_field(int *id, const header_field_info *info)
{
    int existing = proto_registrar_get_id_byname(info->abbrev);

    if (existing >= 0) {
        header_field_info *theirs = proto_registrar_get_nth((unsigned)existing);
        if (theirs->type == info->type) {
            theirs->name = info->name;
            theirs->blurb = info->blurb;
            theirs->display = info->display;
            theirs->strings = info->strings;
            *id = existing;
            return;
        }
    }
    hf_register_info *row = wmem_new0(wmem_epan_scope(), hf_register_info);
    row->p_id = id;
    row->hfinfo = *info;
    if (existing >= 0) {
        row->hfinfo.abbrev = wmem_strdup_printf(wmem_epan_scope(), "%s_", info->abbrev);
    }
    proto_register_field_array(proto_kafka, row, 1);
}

void kafka_register_rows(const struct kafka_field_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        register_field(rows[i].id, &rows[i].info);
    }
}

static void register_displays(void)
{
    hf_kafka_displays = wmem_alloc_array(wmem_epan_scope(), int, kafka_display_count);
    kafka_display_infos = wmem_alloc0_array(wmem_epan_scope(), struct kafka_display_infos, kafka_display_count);
    for (size_t i = 0; i < kafka_display_count; i++) {
        const struct kafka_display *display = &kafka_displays[i];
        struct kafka_value_style style = style_of(display);
        header_field_info info = {
            display->label, display->filter, wireshark_type(display->type), style.base, style.strings, 0, NULL, HFILL};
        hf_kafka_displays[i] = -1;
        register_field(&hf_kafka_displays[i], &info);
        kafka_display_infos[i].own = proto_registrar_get_nth((unsigned)hf_kafka_displays[i]);
    }
    for (size_t i = 0; i < kafka_display_count; i++) {
        uint16_t alias = kafka_displays[i].alias;
        kafka_display_infos[i].alias = alias != KAFKA_NO_ALIAS ? kafka_display_infos[alias].own : NULL;
    }
}

static void register_operations(void)
{
    for (int i = FIRST_OPERATION; i <= LAST_OPERATION; i++) {
        const char *name = kafka_value_name(KAFKA_MEANING_ACL_OPERATION, i);
        char *lower = g_ascii_strdown(name, -1);
        char *filter = wmem_strdup_printf(wmem_epan_scope(), "kafka.authorized_operations.%s", lower);
        g_free(lower);
        header_field_info info = {name, filter, FT_BOOLEAN, 32, NULL, UINT64_C(1) << i, NULL, HFILL};
        hf_operations[i - FIRST_OPERATION] = -1;
        register_field(&hf_operations[i - FIRST_OPERATION], &info);
    }
}

static void register_fixed(void)
{
    struct kafka_value_style api = kafka_value_style(KAFKA_MEANING_API_KEY);
    const struct kafka_field_row fixed[] = {
        {&hf_kafka_len, {"Length", "kafka.len", FT_INT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_api_key, {"API Key", "kafka.api_key", FT_INT16, api.base, api.strings, 0, NULL, HFILL}},
        {&hf_kafka_request_key,
         {"API Key of the Request", "kafka.request_key", FT_INT16, api.base, api.strings, 0, NULL, HFILL}},
        {&hf_kafka_response_key,
         {"API Key of the Response", "kafka.response_key", FT_INT16, api.base, api.strings, 0, NULL, HFILL}},
        {&hf_kafka_api_version, {"API Version", "kafka.api_version", FT_INT16, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_request_version,
         {"API Version of the Request", "kafka.request.version", FT_INT16, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_response_version,
         {"API Version", "kafka.response.version", FT_INT16, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_response_assumed,
         {"Assumed", "kafka.response.assumed", FT_STRING, BASE_NONE, NULL, 0,
          "What a response whose request is not in the capture is taken for, since nothing else fits it", HFILL}},
        {&hf_kafka_response_candidate,
         {"May Be", "kafka.response.candidate", FT_STRING, BASE_NONE, NULL, 0,
          "What a response whose request is not in the capture may be: several fit it", HFILL}},
        {&hf_kafka_correlation_id,
         {"Correlation ID", "kafka.correlation_id", FT_INT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_client_id, {"Client ID", "kafka.client_id", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_kafka_consumer_group,
         {"Consumer Group", "kafka.consumer_group", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_kafka_group_id, {"Group ID", "kafka.group_id", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_kafka_header_version,
         {"Header Version", "kafka.header_version", FT_UINT8, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_body_version,
         {"Version of the Body", "kafka.body_version", FT_INT16, BASE_DEC, NULL, 0,
          "Version by which the body was decoded, where it is not the API version", HFILL}},
        {&hf_kafka_request_frame,
         {"Request in Frame", "kafka.request_frame", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0,
          NULL, HFILL}},
        {&hf_kafka_response_frame,
         {"Response in Frame", "kafka.response_frame", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), 0,
          NULL, HFILL}},
        {&hf_kafka_time,
         {"Time Since Request", "kafka.time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
          "Time between the last packet of the request and that of the response", HFILL}},
        {&hf_kafka_no_response,
         {"No Response", "kafka.no_response", FT_BOOLEAN, BASE_NONE, NULL, 0,
          "The request should have a response, and the capture has none", HFILL}},
        {&hf_kafka_null, {"Null", "kafka.null", FT_NONE, BASE_NONE, NULL, 0, "The field is null", HFILL}},
        {&hf_kafka_uuid, {"Base64", "kafka.uuid", FT_STRING, BASE_NONE, NULL, 0, "The uuid as Kafka writes it", HFILL}},
        {&hf_kafka_timestamp,
         {"Timestamp", "kafka.timestamp", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_tagged_fields_count,
         {"Tagged Fields", "kafka.tagged_fields_count", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_tagged_field_tag, {"Tag", "kafka.tagged_field_tag", FT_UINT64, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_kafka_tagged_field_size,
         {"Size", "kafka.tagged_field_size", FT_UINT32, BASE_DEC | BASE_UNIT_STRING,
          kafka_value_style(KAFKA_MEANING_SIZE_BYTES).strings, 0, NULL, HFILL}},
        {&hf_kafka_tagged_field_data, {"Data", "kafka.tagged_field_data", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_kafka_records_size,
         {"Size", "kafka.records_size", FT_INT32, BASE_DEC | BASE_UNIT_STRING,
          kafka_value_style(KAFKA_MEANING_SIZE_BYTES).strings, 0, "Size of a record set, -1 for null", HFILL}},
        {&hf_kafka_problem,
         {"Problem", "kafka.problem", FT_BYTES, BASE_NONE, NULL, 0, "Bytes that show what is wrong with a message",
          HFILL}},
        {&hf_kafka_undecoded,
         {"Undecoded", "kafka.undecoded", FT_BYTES, BASE_NONE, NULL, 0, "Bytes that nothing could be made of", HFILL}},
        {&hf_kafka_unknown_body,
         {"Body", "kafka.body", FT_BYTES, BASE_NONE, NULL, 0, "Body of a message whose fields are not known", HFILL}},
        {&hf_kafka_proxy_header,
         {"PROXY Protocol Header", "kafka.proxy_header", FT_STRING, BASE_NONE, NULL, 0,
          "What a load balancer says of the client before its first byte, as version 1 writes it", HFILL}},
        {&hf_kafka_continuation,
         {"Continuation", "kafka.continuation", FT_BYTES, BASE_NONE, NULL, 0,
          "Bytes of a message that began before what was captured, or that was not put together", HFILL}},
        {&hf_kafka_sasl_token, {"SASL Token", "kafka.sasl_authentication", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL}},
    };

    kafka_register_rows(fixed, array_length(fixed));
}

void kafka_fields_register(void)
{
    static int *etts[] = {
        &ett_kafka,      &ett_kafka_array, &ett_kafka_struct,          &ett_kafka_leaf,
        &ett_kafka_tags, &ett_kafka_tag,   &ett_authorized_operations,
    };

    /* Wireshark's own dissector has the protocol, and registering it twice aborts Wireshark. */
    proto_kafka = proto_get_id_by_filter_name("kafka");
    if (proto_kafka < 0) {
        proto_kafka = proto_register_protocol("Kafka", "Kafka", "kafka");
    }
    kafka_values_init();
    register_displays();
    register_fixed();
    register_operations();
    proto_register_subtree_array(etts, array_length(etts));
}

bool kafka_wants_authorized_operations(proto_tree *tree)
{
    for (size_t i = 0; i < array_length(hf_operations); i++) {
        if (proto_field_is_referenced(tree, hf_operations[i])) {
            return true;
        }
    }
    return false;
}

void kafka_add_authorized_operations(proto_item *parent, tvbuff_t *tvb, int offset, int32_t value)
{
    if (value == INT32_MIN) {
        proto_item_append_text(parent, " (not asked for)");
        return;
    }
    proto_tree *tree = proto_item_add_subtree(parent, ett_authorized_operations);

    for (int i = FIRST_OPERATION; i <= LAST_OPERATION; i++) {
        proto_tree_add_boolean(tree, hf_operations[i - FIRST_OPERATION], tvb, offset, 4, (uint32_t)value);
        if ((uint32_t)value >> i & 1) {
            proto_item_append_text(parent, " %s", kafka_value_name(KAFKA_MEANING_ACL_OPERATION, i));
        }
    }
}
