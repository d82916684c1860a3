/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "sasl.h"

#include <epan/exceptions.h>
#include <epan/show_exception.h>
#include <epan/to_str.h>

#include <string.h>

#include "../wire/header.h"
#include "authentications.h"
#include "expert.h"
#include "fields.h"
#include "preferences.h"
#include "sasl_messages.h"
#include "string_fields.h"
#include "values.h"

static int hf_mechanism = -1;
static int hf_previous = -1;
static int hf_session_end = -1;

static int ett_sasl = -1;

expert_field ei_kafka_sasl_failed = EI_INIT;
static expert_field ei_reauthentication = EI_INIT;
expert_field ei_kafka_sasl_malformed = EI_INIT;

static dissector_handle_t gssapi_handle;

void kafka_sasl_register(int proto)
{
    static int *etts[] = {&ett_sasl};
    static ei_register_info infos[] = {
        {&ei_kafka_sasl_failed, {"kafka.sasl_failed", PI_SECURITY, PI_WARN, "Authentication failed", EXPFILL}},
        {&ei_reauthentication, {"kafka.sasl_reauthentication", PI_SECURITY, PI_NOTE, "Re-authentication", EXPFILL}},
        {&ei_kafka_sasl_malformed,
         {"kafka.sasl_malformed", PI_MALFORMED, PI_WARN, "Bytes that are no message of the mechanism", EXPFILL}},
    };
    const struct kafka_field_row rows[] = {
        {&hf_mechanism, {"SASL Mechanism", "kafka.sasl_mechanism", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_previous,
         {"Authenticated Before in Frame", "kafka.sasl_previous_authentication", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "Where the broker accepted what this connection was authenticated with so far", HFILL}},
        {&hf_session_end,
         {"Session Ends", "kafka.session_end", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0,
          "When the client has to have authenticated again", HFILL}},
    };

    kafka_register_rows(rows, array_length(rows));
    kafka_sasl_messages_register();
    expert_register_field_array(expert_register_protocol(proto), infos, array_length(infos));
    proto_register_subtree_array(etts, array_length(etts));
}

void kafka_sasl_handoff(void)
{
    gssapi_handle = find_dissector_add_dependency("gssapi", proto_kafka);
}

bool kafka_sasl_is_for_others(packet_info *pinfo, const struct kafka_pdu *pdu)
{
    if (pdu == NULL || pdu->authentication == 0) {
        return false;
    }
    const struct kafka_authentication *authentication = kafka_authentication_of(kafka_connection_get(pinfo), pdu);

    return authentication != NULL && authentication->family == KAFKA_SASL_GSSAPI;
}

bool kafka_sasl_hides_rest(const struct kafka_show *show)
{
    return show->api_key == KAFKA_API_SASL_AUTHENTICATE && show->is_request && !kafka_shows_passwords();
}

/* GSSAPI belongs to Wireshark's own dissectors; the Info column stays ours. */
static void show_gssapi(const struct kafka_sasl_token *token)
{
    packet_info *pinfo = token->show->pinfo;
    size_t there = kafka_sasl_captured_end(&token->bytes) - token->bytes.offset;
    size_t length = token->bytes.limit - token->bytes.offset;
    bool was_writable = col_get_writable(pinfo->cinfo, -1);

    if (gssapi_handle == NULL || there == 0) {
        return;
    }
    tvbuff_t *tvb = tvb_new_subset_length_caplen(token->show->tvb, (int)token->bytes.offset, (int)there, (int)length);
    col_set_writable(pinfo->cinfo, -1, false);
    TRY
    {
        call_dissector(gssapi_handle, tvb, pinfo, token->tree);
    }
    CATCH_NONFATAL_ERRORS
    {
        show_exception(tvb, pinfo, token->tree, EXCEPT_CODE, GET_MESSAGE);
    }
    FINALLY
    {
        col_set_writable(pinfo->cinfo, -1, was_writable);
    }
    ENDTRY;
}

/* Adds the bytes of the token. Where some are masked, the item ends before them: outputs have an item's bytes too. */
static void add_bytes(struct kafka_sasl_token *token, proto_tree *tree, size_t offset)
{
    struct kafka_show *show = token->show;
    size_t begin = token->bytes.offset;
    size_t end = kafka_sasl_captured_end(&token->bytes);
    uint8_t *value = NULL;
    size_t covered = end;

    token->tree = tree;
    token->item = show->item;
    if (!kafka_is_wanted(show, hf_kafka_sasl_token)) {
        return;
    }
    if (!token->mask.is_null) {
        value = wmem_memdup(show->pinfo->pool, show->data + begin, end - begin);
        memset(value + (token->mask.offset - begin), '*', token->mask.length);
        covered = token->mask.offset;
    }
    token->item =
        proto_tree_add_bytes_with_length(tree, hf_kafka_sasl_token, show->tvb, (int)offset, (int)(covered - offset),
                                         value != NULL ? value : show->data + begin, (int)(end - begin));
    token->tree = proto_item_add_subtree(token->item, ett_sasl);
    if (begin == token->bytes.limit) {
        proto_item_set_text(token->item, "SASL Token: (empty)");
    } else if (value != NULL) {
        proto_item_append_text(token->item, " (%zu bytes masked)", token->mask.length);
    }
}

static void add_mechanism(const struct kafka_sasl_token *token)
{
    if (token->mechanism == NULL) {
        return;
    }
    if (token->show->summary != NULL) {
        kafka_summary_add_name(token->show->summary, "", token->mechanism);
    }
    if (kafka_is_wanted(token->show, hf_mechanism)) {
        proto_item_set_generated(
            proto_tree_add_string(token->tree, hf_mechanism, token->show->tvb, 0, 0, token->mechanism));
    }
}

/* Returns the mechanism that the handshake named as a text, which its bytes need not be; NULL where none did. */
static const char *mechanism_of(const struct kafka_show *show, const struct kafka_authentication *authentication)
{
    struct kafka_show handshake = *show;

    if (authentication == NULL || authentication->mechanism == NULL) {
        return NULL;
    }
    handshake.data = (const uint8_t *)authentication->mechanism;
    return kafka_text_of(&handshake, (struct kafka_span){.length = strlen(authentication->mechanism)});
}

void kafka_sasl_show(struct kafka_show *show, proto_tree *tree, size_t offset, const struct kafka_span *value)
{
    const struct kafka_authentication *authentication =
        kafka_authentication_of(kafka_connection_get(show->pinfo), show->pdu);
    struct kafka_sasl_token token = {
        .show = show,
        .family = authentication != NULL ? authentication->family : KAFKA_SASL_UNKNOWN,
        .mechanism = mechanism_of(show, authentication),
        .to_broker = show->is_request,
        .bytes = {.data = show->data,
                  .offset = value->offset,
                  .limit = value->offset + value->length,
                  .captured = tvb_captured_length(show->tvb)},
    };

    token.mask = kafka_sasl_find_secret(&token);
    add_bytes(&token, tree, offset);
    add_mechanism(&token);
    if (value->length == 0) {
        return;
    }
    if (token.family == KAFKA_SASL_GSSAPI) {
        show_gssapi(&token);
    } else {
        kafka_sasl_show_message(&token);
    }
}

void kafka_sasl_explain_mechanism(struct kafka_show *show, proto_item *item)
{
    const struct kafka_authentication *authentication =
        kafka_authentication_of(kafka_connection_get(show->pinfo), show->pdu);

    if (!show->is_request || authentication == NULL || authentication->before == NULL) {
        return;
    }
    uint32_t frame = authentication->before->done_frame;
    if (kafka_is_wanted(show, hf_previous)) {
        proto_tree *tree = item != NULL ? proto_item_add_subtree(item, ett_sasl) : show->tree;
        proto_item_set_generated(proto_tree_add_uint(tree, hf_previous, show->tvb, 0, 0, frame));
    }
    kafka_expert_add_format(show->pinfo, item != NULL ? item : show->item, &ei_reauthentication,
                            "Re-authentication: the broker accepted this connection in frame %u before", frame);
}

void kafka_sasl_explain_error(struct kafka_show *show, proto_item *item, struct kafka_span message)
{
    if (show->api_key == KAFKA_API_SASL_AUTHENTICATE && message.length > 0) {
        kafka_expert_add_format(show->pinfo, item != NULL ? item : show->item, &ei_kafka_sasl_failed,
                                "The broker says: %s", kafka_text_of(show, message));
    }
}

void kafka_sasl_explain_lifetime(struct kafka_show *show, proto_item *item, const struct kafka_leaf *leaf)
{
    if (leaf->integer <= 0) {
        if (item != NULL && leaf->integer == 0) {
            proto_item_append_text(item, " (no end)");
        }
        return;
    }
    nstime_t lifetime = kafka_time_of(leaf->integer);
    nstime_t end;
    nstime_sum(&end, &show->pinfo->abs_ts, &lifetime);
    if (item != NULL) {
        proto_item_append_text(item, " (%s)", rel_time_to_str(show->pinfo->pool, &lifetime));
    }
    if (kafka_is_wanted(show, hf_session_end)) {
        proto_tree *tree = item != NULL ? proto_item_add_subtree(item, ett_sasl) : show->tree;
        proto_item_set_generated(
            proto_tree_add_time(tree, hf_session_end, show->tvb, (int)leaf->offset, (int)leaf->length, &end));
    }
}
