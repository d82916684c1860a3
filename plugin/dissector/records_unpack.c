/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "../wire/codec.h"
#include "buffers.h"
#include "expert.h"
#include "connection.h"
#include "fields.h"
#include "preferences.h"
#include "records.h"

void kafka_add_compressed_size(const struct kafka_records_view *view, size_t offset, size_t captured, size_t size)
{
    if (view->tree != NULL && kafka_is_wanted(view->show, hf_kafka_compressed_size)) {
        proto_item_set_generated(proto_tree_add_uint(view->tree, hf_kafka_compressed_size, view->tvb, (int)offset,
                                                     (int)captured, (uint32_t)size));
    }
}

/* What unpacking tells covers no bytes of its own. */
static void add_sizes(const struct kafka_records_view *view, size_t offset, size_t packed, size_t unpacked)
{
    if (view->tree != NULL && kafka_is_wanted(view->show, hf_kafka_uncompressed_size)) {
        proto_item_set_generated(
            proto_tree_add_uint(view->tree, hf_kafka_uncompressed_size, view->tvb, (int)offset, 0, (uint32_t)unpacked));
    }
    if (unpacked > 0 && view->tree != NULL && kafka_is_wanted(view->show, hf_kafka_compression_reduction)) {
        proto_item_set_generated(proto_tree_add_float(view->tree, hf_kafka_compression_reduction, view->tvb,
                                                      (int)offset, 0, (float)packed / (float)unpacked));
    }
}

static void explain_fault(const struct kafka_records_view *view, proto_item *item, enum kafka_codec codec,
                          const struct kafka_unpack_result *result, size_t limit, bool is_cut)
{
    packet_info *pinfo = view->show->pinfo;

    switch (result->fault) {
    case KAFKA_UNPACK_NONE:
        break;
    case KAFKA_UNPACK_TRUNCATED:
        /* Of what the capture cut there is an expert info already. */
        if (is_cut) {
            break;
        }
        kafka_expert_add_format(pinfo, item, &ei_kafka_unpack, "%s, at byte %zu of the %s data",
                                kafka_unpack_fault_text(result->fault), result->fault_offset, kafka_codec_name(codec));
        break;
    case KAFKA_UNPACK_UNKNOWN_CODEC:
        kafka_expert_add_format(pinfo, item, &ei_kafka_unknown_codec, "Codec %d is not known: its records stay packed",
                                (int)codec);
        break;
    case KAFKA_UNPACK_LIMIT:
        kafka_expert_add_format(pinfo, item, &ei_kafka_unpack_limit,
                                limit > 0 ? "Not unpacked: more than %zu bytes, what the preferences "
                                            "kafka.max_unpacked_batch and kafka.max_unpacked_packet leave"
                                          : "Not unpacked: nothing is left of what the preferences "
                                            "kafka.max_unpacked_batch and kafka.max_unpacked_packet allow",
                                limit);
        break;
    case KAFKA_UNPACK_WINDOW:
    case KAFKA_UNPACK_MEMORY:
        kafka_expert_add_format(pinfo, item, &ei_kafka_unpack_limit, "Not unpacked: %s",
                                kafka_unpack_fault_text(result->fault));
        break;
    default:
        kafka_expert_add_format(pinfo, item, &ei_kafka_unpack, "%s at byte %zu of the %s data%s%s%s",
                                kafka_unpack_fault_text(result->fault), result->fault_offset, kafka_codec_name(codec),
                                result->detail != NULL ? " (" : "", result->detail != NULL ? result->detail : "",
                                result->detail != NULL ? ")" : "");
        break;
    }
    if ((result->notes & KAFKA_UNPACK_NOTE_LZ4_OLD_CHECKSUM) != 0) {
        kafka_expert_add_format(pinfo, item, &ei_kafka_unpack_note,
                                "The checksum in the lz4 frame's header is computed over the wrong bytes, as clients "
                                "before 0.10 do");
    }
    if ((result->notes & KAFKA_UNPACK_NOTE_XERIAL_SWAPPED) != 0) {
        kafka_expert_add_format(pinfo, item, &ei_kafka_unpack_note,
                                "The version words of the snappy stream are little-endian");
    }
    if ((result->notes & KAFKA_UNPACK_NOTE_LEFT_OVER) != 0) {
        kafka_expert_add_format(pinfo, item, &ei_kafka_unpack_note, "Bytes are left over behind the %s data",
                                kafka_codec_name(codec));
    }
}

tvbuff_t *kafka_unpack_records(const struct kafka_records_view *view, proto_item *item, enum kafka_codec codec,
                               size_t offset, size_t size, bool is_cut, bool *is_whole)
{
    struct kafka_frame_budget *budget = view->budget;
    size_t left = kafka_max_unpacked_packet() > budget->unpacked ? kafka_max_unpacked_packet() - budget->unpacked : 0;
    struct kafka_unpack_limits limits = {
        .output = left < kafka_max_unpacked_batch() ? left : kafka_max_unpacked_batch(),
        .zstd_window_log = KAFKA_UNPACK_DEFAULT_ZSTD_WINDOW_LOG,
    };
    struct kafka_buffer buffer = kafka_buffers_take();
    struct kafka_unpack_result result;

    kafka_work.inflations++;
    *is_whole = kafka_unpack(codec, view->data + offset, size, &limits, &buffer, &result);
    /* What is given up took as much time as what is kept. */
    budget->unpacked += result.made;
    explain_fault(view, item, codec, &result, limits.output, is_cut);
    if (result.fault == KAFKA_UNPACK_UNKNOWN_CODEC || result.fault == KAFKA_UNPACK_LIMIT ||
        result.fault == KAFKA_UNPACK_WINDOW || result.fault == KAFKA_UNPACK_MEMORY || buffer.size == 0) {
        kafka_buffers_drop(&buffer);
        return NULL;
    }
    add_sizes(view, offset, size, buffer.size);
    tvbuff_t *unpacked = kafka_buffers_give(view->show->tvb, &buffer);
    add_new_data_source(view->show->pinfo, unpacked, "Unpacked records");
    return unpacked;
}
