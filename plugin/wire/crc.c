/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "crc.h"

#include <isa-l/crc.h>

/* crc32_iscsi takes its length as an int. */
#define CRC32C_MAX_BYTES ((size_t)1 << 30)

uint32_t kafka_crc(enum kafka_crc_type type, const uint8_t *data, size_t size)
{
    if (type == KAFKA_CRC32) {
        return crc32_gzip_refl(0, data, size);
    }
    uint32_t crc = UINT32_MAX;
    while (size > 0) {
        size_t part = size < CRC32C_MAX_BYTES ? size : CRC32C_MAX_BYTES;
        /* ISA-L reads only: the parameter lacks its const. */
        crc = crc32_iscsi((unsigned char *)data, (int)part, crc);
        data += part;
        size -= part;
    }
    return ~crc;
}
