/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "expert.h"

#include <stdarg.h>
#include <string.h>

#include "connection.h"
#include "records_fields.h"

/* Wireshark keeps 5,000 of a packet for those who listen, and complains on standard error about each one beyond. */
#define MAX_EXPERTS 4000

/* Room beyond that for what says that something is not shown. */
#define MORE_FOR_LEFT_OUT 500

expert_field ei_kafka_cut = EI_INIT;
expert_field ei_kafka_short = EI_INIT;
expert_field ei_kafka_leftover = EI_INIT;
expert_field ei_kafka_bad_varint = EI_INIT;
expert_field ei_kafka_bad_string_length = EI_INIT;
expert_field ei_kafka_bad_bytes_length = EI_INIT;
expert_field ei_kafka_bad_array_length = EI_INIT;
expert_field ei_kafka_unexpected_null = EI_INIT;
expert_field ei_kafka_bad_presence = EI_INIT;
expert_field ei_kafka_bad_boolean = EI_INIT;
expert_field ei_kafka_bad_utf8 = EI_INIT;
expert_field ei_kafka_nul_in_string = EI_INIT;
expert_field ei_kafka_bad_tag_order = EI_INIT;
expert_field ei_kafka_bad_tag_size = EI_INIT;
expert_field ei_kafka_unknown_api_key = EI_INIT;
expert_field ei_kafka_unsupported_api_version = EI_INIT;
expert_field ei_kafka_other_body_version = EI_INIT;
expert_field ei_kafka_stray_bytes = EI_INIT;
expert_field ei_kafka_request_missing = EI_INIT;
expert_field ei_kafka_assumed = EI_INIT;
expert_field ei_kafka_no_response = EI_INIT;
expert_field ei_kafka_error_retriable = EI_INIT;
expert_field ei_kafka_error_final = EI_INIT;
expert_field ei_kafka_error_unknown = EI_INIT;
expert_field ei_kafka_bad_length = EI_INIT;
expert_field ei_kafka_other_protocol = EI_INIT;
expert_field ei_kafka_continuation = EI_INIT;
expert_field ei_kafka_items_left_out = EI_INIT;
expert_field ei_kafka_experts_left_out = EI_INIT;

void kafka_expert_register(int proto)
{
    static ei_register_info infos[] = {
        {&ei_kafka_cut, {"kafka.cut", PI_UNDECODED, PI_NOTE, "Only the beginning of this message is there", EXPFILL}},
        {&ei_kafka_short, {"kafka.message_short", PI_MALFORMED, PI_ERROR, "The message ends early", EXPFILL}},
        {&ei_kafka_leftover,
         {"kafka.pdu_length_mismatch", PI_MALFORMED, PI_WARN, "Bytes left over behind the last field", EXPFILL}},
        {&ei_kafka_bad_varint, {"kafka.bad_varint", PI_MALFORMED, PI_ERROR, "Varint without end", EXPFILL}},
        {&ei_kafka_bad_string_length,
         {"kafka.bad_string_length", PI_MALFORMED, PI_ERROR, "Impossible string length", EXPFILL}},
        {&ei_kafka_bad_bytes_length,
         {"kafka.bad_bytes_length", PI_MALFORMED, PI_ERROR, "Impossible length of bytes", EXPFILL}},
        {&ei_kafka_bad_array_length,
         {"kafka.bad_array_length", PI_MALFORMED, PI_ERROR, "Impossible number of elements", EXPFILL}},
        {&ei_kafka_unexpected_null,
         {"kafka.unexpected_null", PI_PROTOCOL, PI_WARN, "Null where this version does not allow it", EXPFILL}},
        {&ei_kafka_bad_presence,
         {"kafka.bad_presence", PI_PROTOCOL, PI_WARN, "Presence byte is neither -1 nor 1", EXPFILL}},
        {&ei_kafka_bad_boolean, {"kafka.bad_boolean", PI_PROTOCOL, PI_WARN, "Boolean is neither 0 nor 1", EXPFILL}},
        {&ei_kafka_bad_utf8, {"kafka.bad_utf8", PI_PROTOCOL, PI_WARN, "String is not UTF-8", EXPFILL}},
        {&ei_kafka_nul_in_string,
         {"kafka.nul_in_string", PI_PROTOCOL, PI_NOTE, "String has NUL characters, shown as U+2400", EXPFILL}},
        {&ei_kafka_bad_tag_order, {"kafka.bad_tag_order", PI_PROTOCOL, PI_WARN, "Tags do not ascend", EXPFILL}},
        {&ei_kafka_bad_tag_size,
         {"kafka.bad_tag_size", PI_MALFORMED, PI_ERROR, "Impossible size of a tagged field", EXPFILL}},
        {&ei_kafka_unknown_api_key, {"kafka.unknown_api_key", PI_UNDECODED, PI_WARN, "Unknown API key", EXPFILL}},
        {&ei_kafka_unsupported_api_version,
         {"kafka.unsupported_api_version", PI_UNDECODED, PI_NOTE, "Unknown API version", EXPFILL}},
        {&ei_kafka_other_body_version,
         {"kafka.other_body_version", PI_PROTOCOL, PI_NOTE, "Answered in another version", EXPFILL}},
        {&ei_kafka_stray_bytes,
         {"kafka.stray_bytes", PI_PROTOCOL, PI_NOTE,
          "Four stray zero bytes, as librdkafka before 1.0 sent them after ApiVersions", EXPFILL}},
        {&ei_kafka_request_missing,
         {"kafka.request_missing", PI_UNDECODED, PI_NOTE, "The request is not in the capture", EXPFILL}},
        {&ei_kafka_assumed,
         {"kafka.response.assumed.expert", PI_ASSUMPTION, PI_NOTE, "API and version are assumed", EXPFILL}},
        {&ei_kafka_no_response,
         {"kafka.no_response.expert", PI_RESPONSE_CODE, PI_NOTE, "The capture has no response to this request",
          EXPFILL}},
        {&ei_kafka_error_retriable,
         {"kafka.error.retriable", PI_RESPONSE_CODE, PI_NOTE, "Error that Kafka calls retriable", EXPFILL}},
        {&ei_kafka_error_final, {"kafka.error.final", PI_RESPONSE_CODE, PI_WARN, "Error", EXPFILL}},
        {&ei_kafka_error_unknown, {"kafka.error.unknown", PI_RESPONSE_CODE, PI_WARN, "Unknown error code", EXPFILL}},
        {&ei_kafka_bad_length, {"kafka.bad_length", PI_MALFORMED, PI_ERROR, "Impossible message length", EXPFILL}},
        {&ei_kafka_other_protocol, {"kafka.other_protocol", PI_PROTOCOL, PI_WARN, "Another protocol's bytes", EXPFILL}},
        {&ei_kafka_continuation,
         {"kafka.continuation.expert", PI_REASSEMBLE, PI_NOTE, "Continuation of an earlier message", EXPFILL}},
        {&ei_kafka_items_left_out, {"kafka.items_left_out", PI_UNDECODED, PI_NOTE, "Fields are left out", EXPFILL}},
        {&ei_kafka_experts_left_out,
         {"kafka.experts_left_out", PI_UNDECODED, PI_NOTE, "Further expert infos of this packet are left out",
          EXPFILL}},
    };

    expert_register_field_array(expert_register_protocol(proto), infos, array_length(infos));
}

static bool take(packet_info *pinfo, proto_item *item, uint32_t limit)
{
    struct kafka_frame_budget *budget = kafka_frame_budget(pinfo);

    if (budget->experts < limit) {
        budget->experts++;
        return true;
    }
    if (!budget->experts_told) {
        budget->experts_told = true;
        expert_add_info(pinfo, item, &ei_kafka_experts_left_out);
    }
    return false;
}

bool kafka_expert_take(packet_info *pinfo, proto_item *item)
{
    return take(pinfo, item, MAX_EXPERTS);
}

void kafka_expert_add(packet_info *pinfo, proto_item *item, expert_field *ei)
{
    if (kafka_expert_take(pinfo, item)) {
        expert_add_info(pinfo, item, ei);
    }
}

/* Shortens a text to what an item can have. Wireshark would cut within a character, which no XML may have. */
static void shorten(char *text)
{
    static const char ellipsis[] = "\xe2\x80\xa6";

    if (strlen(text) >= ITEM_LABEL_LENGTH) {
        char *end = g_utf8_find_prev_char(text, text + ITEM_LABEL_LENGTH - sizeof ellipsis + 1);
        memcpy(end, ellipsis, sizeof ellipsis);
    }
}

void kafka_expert_add_format(packet_info *pinfo, proto_item *item, expert_field *ei, const char *format, ...)
{
    va_list arguments;

    bool is_left_out = ei == &ei_kafka_items_left_out || ei == &ei_kafka_records_left_out;
    if (!take(pinfo, item, is_left_out ? MAX_EXPERTS + MORE_FOR_LEFT_OUT : MAX_EXPERTS)) {
        return;
    }
    va_start(arguments, format);
    char *text = wmem_strdup_vprintf(pinfo->pool, format, arguments);
    va_end(arguments);
    shorten(text);
    expert_add_info_format(pinfo, item, ei, "%s", text);
}
