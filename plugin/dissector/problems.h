/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Says what is wrong with a message, at the bytes that show it, and what an error code means. */
#ifndef KAFKA_DISSECTOR_PROBLEMS_H
#define KAFKA_DISSECTOR_PROBLEMS_H

#include "message.h"

/* Adds the expert info of a problem that the walker found; tree is the subtree at hand, or NULL. */
void kafka_show_problem(struct kafka_show *show, proto_tree *tree, const struct kafka_problem *problem,
                        size_t captured);

/* Returns the beginning of a sentence that says why a message is cut, and ends with where. */
const char *kafka_cut_reason(const packet_info *pinfo);

/* Adds the expert info of an error code other than NONE to its item. */
void kafka_explain_error(packet_info *pinfo, proto_item *item, int64_t code);

#endif
