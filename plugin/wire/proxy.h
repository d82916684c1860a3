/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of the PROXY protocol, by which a load balancer tells a broker who the client is: before the first byte of
 * a connection, as a line (version 1) or in binary (version 2).
 */
#ifndef KAFKA_WIRE_PROXY_H
#define KAFKA_WIRE_PROXY_H

#include <stddef.h>
#include <stdint.h>

struct kafka_proxy_header {
    size_t length;
    int version;              /* 1, 2 */
    size_t address_length;    /* of version 2: 4, 16, or 0 where it tells no addresses of the Internet's */
    const uint8_t *addresses; /* the client's, and the one that it connected to */
    uint16_t ports[2];
};

/* Reads the header that the bytes begin with. Returns its length, 0 when there is none or it is not whole. */
size_t kafka_proxy_header_read(const uint8_t *data, size_t length, struct kafka_proxy_header *header);

#endif
