/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kafka on any port: recognised by its requests, over TCP and inside TLS. */
#ifndef KAFKA_DISSECTOR_HEURISTICS_H
#define KAFKA_DISSECTOR_HEURISTICS_H

#include "compat.h"

/* Registers them; once, in the handoff. The handles are those that a connection is given to once it is recognised. */
void kafka_heuristics_handoff(dissector_handle_t tcp, dissector_handle_t stream);

#endif
