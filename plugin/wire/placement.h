/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the machine code of a function is put. A message takes a walk through so much code, Wireshark's and this
 * plugin's, that it hardly fits into the processor's first cache: what seldom runs is better not among what always
 * does.
 */
#ifndef KAFKA_WIRE_PLACEMENT_H
#define KAFKA_WIRE_PLACEMENT_H

/* For errors and oddities; also says that what leads to a call is unlikely. */
#define KAFKA_COLD __attribute__((cold, noinline))

/* For what only some messages or visible trees need. */
#define KAFKA_APART __attribute__((noinline))

#endif
