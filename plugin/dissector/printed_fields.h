/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields that tshark -T fields prints. Before 4.4 tshark has it all dissected as for eyes, and tells nobody which
 * fields it will print: texts would be made, checksums computed and records unpacked that nobody asked for.
 */
#ifndef KAFKA_DISSECTOR_PRINTED_FIELDS_H
#define KAFKA_DISSECTOR_PRINTED_FIELDS_H

#include "compat.h"

/*
 * Makes a visible tree invisible of which only fields are printed that tshark was told by -e, and those fields
 * referenced as by a filter; not where expert infos are wanted, which may be about any field. Returns whether it did;
 * what it did is undone by kafka_show_unprinted, to whom that goes.
 */
bool kafka_hide_unprinted(const packet_info *pinfo, proto_tree *tree);
void kafka_show_unprinted(proto_tree *tree, bool is_hidden);

#endif
