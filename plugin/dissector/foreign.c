/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "foreign.h"

#include <string.h>

#include "connection.h"

/* packet-tls-utils.h, which declares it, needs headers of gcrypt that are not part of Wireshark's development files. */
WS_DLL_PUBLIC void tls_set_appdata_dissector(dissector_handle_t tls_handle, packet_info *pinfo,
                                             dissector_handle_t app_handle);

#define TLS_RECORD_HEADER_SIZE 5
#define TLS_RECORD_MAX_LENGTH  (16384 + 2048)

static dissector_handle_t tls_handle;
static dissector_handle_t stream_handle;

void kafka_foreign_handoff(dissector_handle_t stream)
{
    tls_handle = find_dissector("tls");
    stream_handle = stream;
}

/* RFC 8446, 5.1: content type, version 3.0 to 3.4, length. */
static bool is_tls_record(const uint8_t *bytes, size_t length)
{
    return length >= TLS_RECORD_HEADER_SIZE && bytes[0] >= 20 && bytes[0] <= 24 && bytes[1] == 3 && bytes[2] <= 4 &&
           ((unsigned)bytes[3] << 8 | bytes[4]) <= TLS_RECORD_MAX_LENGTH;
}

const char *kafka_foreign_protocol(const uint8_t *bytes, size_t length)
{
    static const struct {
        const char *start;
        const char *protocol;
    } texts[] = {
        {"GET ", "HTTP"},
        {"HEAD ", "HTTP"},
        {"POST ", "HTTP"},
        {"PUT ", "HTTP"},
        {"DELETE ", "HTTP"},
        {"OPTIONS ", "HTTP"},
        {"PATCH ", "HTTP"},
        {"CONNECT ", "HTTP"},
        {"HTTP/", "HTTP"},
        {"PRI * HTTP/2", "HTTP/2"},
        {"SSH-", "SSH"},
        {"PROXY ", "the PROXY protocol"},
        {"\r\n\r\n\0\r\nQUIT\n", "the PROXY protocol"},
        {"*1\r\n$", "Redis"},
        {"+OK\r\n", "Redis"},
    };

    for (size_t i = 0; i < array_length(texts); i++) {
        size_t start_length = strlen(texts[i].start);
        if (length >= start_length && memcmp(bytes, texts[i].start, start_length) == 0) {
            return texts[i].protocol;
        }
    }
    return is_tls_record(bytes, length) ? "TLS" : NULL;
}

int kafka_hand_to_tls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, uint32_t first_frame)
{
    uint8_t header[TLS_RECORD_HEADER_SIZE];

    if (tls_handle == NULL || tvb_captured_length(tvb) < sizeof header) {
        return 0;
    }
    tvb_memcpy(tvb, header, 0, sizeof header);
    if (!is_tls_record(header, sizeof header)) {
        return 0;
    }
    /* What TLS decrypts belongs to the same connection, later. */
    const struct kafka_connection *connection = kafka_connection_get(pinfo);
    if (connection->first_frame != 0 && connection->first_frame <= pinfo->num) {
        return 0;
    }
    conversation_set_dissector_from_frame_number(find_or_create_conversation(pinfo), first_frame, tls_handle);
    tls_set_appdata_dissector(tls_handle, pinfo, stream_handle);
    return call_dissector_with_data(tls_handle, tvb, pinfo, tree, data);
}
