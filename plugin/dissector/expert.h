/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The expert infos of messages: what is wrong or notable, and how much. */
#ifndef KAFKA_DISSECTOR_EXPERT_H
#define KAFKA_DISSECTOR_EXPERT_H

#include "compat.h"

#include "../wire/placement.h"

extern expert_field ei_kafka_cut;
extern expert_field ei_kafka_short;
extern expert_field ei_kafka_leftover;
extern expert_field ei_kafka_bad_varint;
extern expert_field ei_kafka_bad_string_length;
extern expert_field ei_kafka_bad_bytes_length;
extern expert_field ei_kafka_bad_array_length;
extern expert_field ei_kafka_unexpected_null;
extern expert_field ei_kafka_bad_presence;
extern expert_field ei_kafka_bad_boolean;
extern expert_field ei_kafka_bad_utf8;
extern expert_field ei_kafka_nul_in_string;
extern expert_field ei_kafka_bad_tag_order;
extern expert_field ei_kafka_bad_tag_size;
extern expert_field ei_kafka_unknown_api_key;
extern expert_field ei_kafka_unsupported_api_version;
extern expert_field ei_kafka_other_body_version;
extern expert_field ei_kafka_stray_bytes;
extern expert_field ei_kafka_request_missing;
extern expert_field ei_kafka_assumed;
extern expert_field ei_kafka_no_response;
extern expert_field ei_kafka_error_retriable;
extern expert_field ei_kafka_error_final;
extern expert_field ei_kafka_error_unknown;
extern expert_field ei_kafka_bad_length;
extern expert_field ei_kafka_other_protocol;
extern expert_field ei_kafka_continuation;
extern expert_field ei_kafka_items_left_out;
extern expert_field ei_kafka_experts_left_out;

/* Registers them; once, under the protocol. */
void kafka_expert_register(int proto);

/*
 * Returns whether the packet may have one more expert info, and counts it; the first one too many is told on item. For
 * what adds an expert info by other ways than the functions below.
 */
bool kafka_expert_take(packet_info *pinfo, proto_item *item);

/* As expert_add_info and expert_add_info_format, for as many as a packet may have. */
KAFKA_COLD void kafka_expert_add(packet_info *pinfo, proto_item *item, expert_field *ei);
KAFKA_COLD void kafka_expert_add_format(packet_info *pinfo, proto_item *item, expert_field *ei, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
