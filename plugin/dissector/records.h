/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows record sets: batches, messages, and the records in them. What nobody wants to see is not done: a checksum only
 * where its status is wanted, unpacking only where something of a record is.
 */
#ifndef KAFKA_DISSECTOR_RECORDS_H
#define KAFKA_DISSECTOR_RECORDS_H

#include "compat.h"

#include "../wire/batch.h"
#include "../wire/control.h"
#include "../wire/message_set.h"
#include "../wire/record.h"
#include "../wire/record_rules.h"
#include "connection.h"
#include "message.h"
#include "records_fields.h"

/* Some bytes that hold batches, messages or records, and how they are to be shown. */
struct kafka_records_view {
    struct kafka_show *show;
    struct kafka_record_wants wants;
    const struct kafka_record_rules *rules; /* what this API version may carry; NULL for anything */
    tvbuff_t *tvb;                          /* the PDU, or what was unpacked from it */
    const uint8_t *data;                    /* its bytes */
    proto_tree *tree;                       /* that items are added to */
    proto_item *item;                       /* above it, for what belongs to no field */
    struct kafka_frame_budget *budget;      /* of the packet */
};

/*
 * Shows the record set at value in the PDU, which may be cut by the capture, below tree, whose item is item; both may
 * be NULL.
 */
void kafka_show_record_set(struct kafka_show *show, proto_tree *tree, proto_item *item, const struct kafka_span *value);

/* Shows one batch of magic 2 (records_batch.c). */
void kafka_show_batch(const struct kafka_records_view *view, const struct kafka_batch *batch);

/* Returns the message of Kafka's definitions that the value of that control record holds, or NULL (records_record.c).
 */
const struct kafka_message *kafka_control_message(const struct kafka_control_type *type);

/*
 * Shows one record of a batch, and the control record that it may be (records_record.c). Returns its item, or the
 * view's where it has none.
 */
proto_item *kafka_show_record(const struct kafka_records_view *view, const struct kafka_batch *batch,
                              const struct kafka_record *record);

/* Shows one message of magic 0 or 1, and the messages inside it (records_message.c). */
void kafka_show_old_message(const struct kafka_records_view *view, const struct kafka_old_message *message);

/*
 * Unpacks size bytes at offset of the view's bytes (records_unpack.c). Returns the unpacked bytes, a data source of the
 * packet, or NULL with an expert info on item; is_cut says that the capture has only the beginning of them, *is_whole
 * tells whether unpacking came to its end. Adds uncompressed size and ratio to the view's tree.
 */
tvbuff_t *kafka_unpack_records(const struct kafka_records_view *view, proto_item *item, enum kafka_codec codec,
                               size_t offset, size_t size, bool is_cut, bool *is_whole);

/* Adds the size of what is compressed, at as many of its bytes as were captured: no unpacking is needed for it. */
void kafka_add_compressed_size(const struct kafka_records_view *view, size_t offset, size_t captured, size_t size);

/* A field of bytes that may be text, and the second field for the text. */
struct kafka_payload_field {
    const int *hf;
    const int *hf_text;
    const char *label;
    enum kafka_record_field field;
    enum kafka_record_field text_field;
};
extern const struct kafka_payload_field kafka_key_field;
extern const struct kafka_payload_field kafka_value_field;

/* Returns whether an item of that field is to be added to the view's tree: it is wanted, and there is room. */
static inline bool kafka_view_wants(const struct kafka_records_view *view, enum kafka_record_field field)
{
    return (view->wants.fields >> field & 1) != 0 && view->tree != NULL && kafka_show_has_room(view->show);
}

/*
 * Adds bytes that may be text: the item covers prefix and value, and its text is the value's where that is text; below
 * it the text field for filters. Adds nothing that is not wanted.
 */
proto_item *kafka_add_payload(const struct kafka_records_view *view, const struct kafka_payload_field *field,
                              size_t offset, const struct kafka_span *value);

/* Adds a point in time in milliseconds; −1 is none. The caller has asked whether it is wanted. */
proto_item *kafka_add_milliseconds(const struct kafka_records_view *view, int hf, size_t offset, size_t length,
                                   int64_t milliseconds);

/*
 * Where the packet has no room for further items, takes the tree and the item from the view: what is wrong is still
 * found, and told to those who listen, but not shown.
 */
void kafka_limit_view(struct kafka_records_view *view);

/* Takes one of the records that a packet may show; false when there is none left, which is counted. */
bool kafka_take_record(const struct kafka_records_view *view);

/* What was done since Wireshark started, for tests that require that nothing was. */
struct kafka_work {
    uint64_t checksums;
    uint64_t inflations;
    uint64_t record_walks;
};
extern struct kafka_work kafka_work;

/* Has the counts written to the file that the environment variable KAFKA_WORK_COUNTS names, whenever a capture is
 * closed. */
void kafka_records_handoff(void);

#endif
