/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "proxy.h"

#include <epan/address.h>
#include <epan/to_str.h>

#include "../wire/proxy.h"
#include "fields.h"
#include "pdu.h"

static int proto_proxy = -1;

void kafka_proxy_handoff(void)
{
    proto_proxy = proto_get_id_by_filter_name("proxy");
}

bool kafka_proxy_handed_on(const packet_info *pinfo)
{
    wmem_list_frame_t *own = wmem_list_tail(pinfo->layers);
    wmem_list_frame_t *below = own != NULL ? wmem_list_frame_prev(own) : NULL;

    return below != NULL && GPOINTER_TO_INT(wmem_list_frame_data(below)) == proto_proxy;
}

static size_t read_header(tvbuff_t *tvb, struct kafka_proxy_header *header)
{
    size_t captured = tvb_captured_length(tvb);

    return captured > 0 ? kafka_proxy_header_read(tvb_get_ptr(tvb, 0, (int)captured), captured, header) : 0;
}

size_t kafka_proxy_header_size(tvbuff_t *tvb)
{
    struct kafka_proxy_header header;

    return read_header(tvb, &header);
}

static const char *address_text(wmem_allocator_t *scope, const struct kafka_proxy_header *header, int which)
{
    address shown;
    int length = (int)header->address_length;

    set_address(&shown, length == 4 ? AT_IPv4 : AT_IPv6, length, header->addresses + (size_t)(which * length));
    return address_to_str(scope, &shown);
}

/* Returns the header as version 1 writes it. */
static const char *header_text(tvbuff_t *tvb, packet_info *pinfo, const struct kafka_proxy_header *header)
{
    static const size_t line_end = 2;

    if (header->version == 1) {
        return (const char *)tvb_get_string_enc(pinfo->pool, tvb, 0, (int)(header->length - line_end), ENC_ASCII);
    }
    if (header->address_length == 0) {
        return "PROXY UNKNOWN";
    }
    return wmem_strdup_printf(pinfo->pool, "PROXY TCP%d %s %s %u %u", header->address_length == 4 ? 4 : 6,
                              address_text(pinfo->pool, header, 0), address_text(pinfo->pool, header, 1),
                              header->ports[0], header->ports[1]);
}

size_t kafka_proxy_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    struct kafka_proxy_header header;

    if (read_header(tvb, &header) == 0) {
        return 0;
    }
    struct kafka_connection *connection = kafka_connection_get(pinfo);
    if (connection->first_frame != 0 && connection->first_frame < pinfo->num) {
        return 0;
    }
    if (!pinfo->fd->visited) {
        connection->proxy_size = (uint32_t)header.length;
    }
    const char *text = header_text(tvb, pinfo, &header);
    proto_item *root = proto_tree_add_item(tree, proto_kafka, tvb, 0, (int)header.length, ENC_NA);
    proto_item_append_text(root, " (%s)", text);
    proto_tree_add_string(proto_item_add_subtree(root, ett_kafka), hf_kafka_proxy_header, tvb, 0, (int)header.length,
                          text);
    kafka_columns_add(pinfo, text);
    return header.length;
}
