/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "problems.h"

#include "../wire/header.h"
#include "expert.h"
#include "fields.h"
#include "sasl.h"
#include "values.h"

const char *kafka_cut_reason(const packet_info *pinfo)
{
    /* TCP does not put segments together that the capture cut. */
    return pinfo->fd->cap_len < pinfo->fd->pkt_len ? "The capture cut this message in"
                                                   : "Only the beginning of this message came, up to";
}

/* Returns the kind of thing that the field is, for a sentence. */
static const char *name_of(const struct kafka_problem *problem)
{
    return problem->field != NULL ? problem->field->name : "a tagged field";
}

static const char *element_of(wmem_allocator_t *scope, const struct kafka_problem *problem)
{
    return problem->index >= 0 ? wmem_strdup_printf(scope, "[%d]", problem->index) : "";
}

/*
 * Returns a sentence part that names the versions in which the body of the message would fit to its last byte: the most
 * frequent reason for a body that does not fit is that one side wrote another version than it said.
 */
static const char *fitting_versions(struct kafka_show *show, size_t captured)
{
    const struct kafka_message *message = show->message;

    if (message == NULL || captured < tvb_reported_length(show->tvb)) {
        return "";
    }
    wmem_strbuf_t *text = wmem_strbuf_new(show->pinfo->pool, "");
    for (int version = message->versions.first; version <= message->versions.last; version++) {
        struct kafka_cursor cursor = {show->data, show->body_offset, captured, captured};
        if (version != show->version && kafka_check_fit(&cursor, message, (int16_t)version) == KAFKA_WALK_COMPLETE) {
            wmem_strbuf_append_printf(text, "%s%d", wmem_strbuf_get_len(text) == 0 ? "; would fit as version " : ", ",
                                      version);
        }
    }
    return wmem_strbuf_get_str(text);
}

/* The item that a problem is shown on: its bytes, below the subtree at hand. */
static proto_item *item_at(struct kafka_show *show, proto_tree *tree, const struct kafka_problem *problem,
                           size_t captured)
{
    if (tree == NULL || problem->length == 0 || !kafka_show_has_room(show) || kafka_sasl_hides_rest(show)) {
        return show->item;
    }
    size_t end = problem->offset + problem->length;
    size_t length = end <= captured ? problem->length : captured - problem->offset;
    bool is_left_over = problem->kind == KAFKA_PROBLEM_LEFTOVER || problem->kind == KAFKA_PROBLEM_TAG_EXCESS;
    return proto_tree_add_item(tree, is_left_over ? hf_kafka_undecoded : hf_kafka_problem, show->tvb,
                               (int)problem->offset, (int)length, ENC_NA);
}

static bool is_stray(const struct kafka_show *show, const struct kafka_problem *problem, size_t captured)
{
    return show->api_key == KAFKA_API_API_VERSIONS && show->version == 0 && problem->length == 4 &&
           problem->offset + 4 <= captured && kafka_load32(show->data + problem->offset) == 0;
}

void kafka_show_problem(struct kafka_show *show, proto_tree *tree, const struct kafka_problem *problem, size_t captured)
{
    packet_info *pinfo = show->pinfo;
    const char *name = name_of(problem);
    const char *element = element_of(pinfo->pool, problem);
    proto_item *item = item_at(show, tree, problem, captured);

    if (show->is_newer && problem->kind != KAFKA_PROBLEM_CUT) {
        /* What a newer version adds or changes is no fault of the message. */
        kafka_expert_add_format(pinfo, item, &ei_kafka_unsupported_api_version,
                                "Here version %d, which is not known, differs from version %d", show->said_version,
                                show->version);
        return;
    }
    switch (problem->kind) {
    case KAFKA_PROBLEM_CUT:
        kafka_expert_add_format(pinfo, item, &ei_kafka_cut, "%s %s%s", kafka_cut_reason(pinfo), name, element);
        break;
    case KAFKA_PROBLEM_SHORT:
        kafka_expert_add_format(pinfo, item, &ei_kafka_short,
                                "The message ends early: %s%s takes %" PRId64 " bytes, %zu are left%s", name, element,
                                problem->wanted, problem->remaining, fitting_versions(show, captured));
        break;
    case KAFKA_PROBLEM_VARINT:
        kafka_expert_add_format(pinfo, item, &ei_kafka_bad_varint, "Varint of %s%s is too long or too large", name,
                                element);
        break;
    case KAFKA_PROBLEM_LENGTH: {
        expert_field *ei = &ei_kafka_bad_bytes_length;
        if (problem->field == NULL) {
            ei = &ei_kafka_bad_tag_size;
        } else if (problem->field->type == KAFKA_TYPE_STRING) {
            ei = &ei_kafka_bad_string_length;
        }
        kafka_expert_add_format(pinfo, item, ei, "%s%s cannot be %" PRId64 " bytes long: %zu are left%s", name, element,
                                problem->wanted, problem->remaining, fitting_versions(show, captured));
        break;
    }
    case KAFKA_PROBLEM_COUNT:
        kafka_expert_add_format(pinfo, item, &ei_kafka_bad_array_length,
                                "%s%s cannot have %" PRId64 " elements: %zu bytes are left%s",
                                problem->field != NULL ? name : "a tag section", element, problem->wanted,
                                problem->remaining, fitting_versions(show, captured));
        break;
    case KAFKA_PROBLEM_NULL:
        kafka_expert_add_format(pinfo, item, &ei_kafka_unexpected_null, "%s%s is null, which version %d does not allow",
                                name, element, show->version);
        break;
    case KAFKA_PROBLEM_PRESENCE:
        kafka_expert_add_format(pinfo, item, &ei_kafka_bad_presence,
                                "The byte that tells whether %s is there is %" PRId64 ", neither -1 nor 1", name,
                                problem->wanted);
        break;
    case KAFKA_PROBLEM_BOOLEAN:
        kafka_expert_add_format(pinfo, item, &ei_kafka_bad_boolean, "%s%s is a boolean of %" PRId64 ", neither 0 nor 1",
                                name, element, problem->wanted);
        break;
    case KAFKA_PROBLEM_TAG_ORDER:
        kafka_expert_add_format(pinfo, item, &ei_kafka_bad_tag_order, "Tag %" PRId64 " does not ascend",
                                problem->wanted);
        break;
    case KAFKA_PROBLEM_TAG_EXCESS:
        kafka_expert_add_format(pinfo, item, &ei_kafka_leftover,
                                "%zu bytes are left over in the tagged field %s of %" PRId64 " bytes", problem->length,
                                name, problem->wanted);
        break;
    case KAFKA_PROBLEM_LEFTOVER:
        if (is_stray(show, problem, captured)) {
            kafka_expert_add(pinfo, item, &ei_kafka_stray_bytes);
        } else {
            kafka_expert_add_format(pinfo, item, &ei_kafka_leftover, "%zu byte%s left over behind the last field%s",
                                    problem->length, problem->length == 1 ? " is" : "s are",
                                    fitting_versions(show, captured));
        }
        break;
    }
}

void kafka_explain_error(packet_info *pinfo, proto_item *item, int64_t code)
{
    if (code == 0) {
        return;
    }
    const struct kafka_error *error = kafka_error_find(code);
    if (error == NULL) {
        kafka_expert_add_format(pinfo, item, &ei_kafka_error_unknown, "Error code %" PRId64 " is of no known release",
                                code);
        return;
    }
    kafka_expert_add_format(pinfo, item, error->retriable ? &ei_kafka_error_retriable : &ei_kafka_error_final, "%s: %s",
                            error->name, error->meaning);
}
