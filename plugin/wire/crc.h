/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two checksums of record batches and messages, by ISA-L, which picks the fastest code for the processor at run
 * time. */
#ifndef KAFKA_WIRE_CRC_H
#define KAFKA_WIRE_CRC_H

#include <stddef.h>
#include <stdint.h>

enum kafka_crc_type {
    KAFKA_CRC32,  /* IEEE 802.3: messages of magic 0 and 1 */
    KAFKA_CRC32C, /* Castagnoli: record batches of magic 2 */
};

/* Returns the checksum of size bytes at data as Kafka stores it. */
uint32_t kafka_crc(enum kafka_crc_type type, const uint8_t *data, size_t size);

#endif
