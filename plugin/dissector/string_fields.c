/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "string_fields.h"

#include <string.h>

#include "../wire/placement.h"
#include "../wire/text_kind.h"
#include "expert.h"
#include "fields.h"

const char *kafka_copy_text(wmem_allocator_t *scope, const void *bytes, size_t length)
{
    char *copy = wmem_alloc(scope, length + 1);

    memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

/* Returns length bytes as text that Wireshark shows in full: NUL as U+2400, what is not UTF-8 as U+FFFD. */
KAFKA_COLD static const char *mend_text(wmem_allocator_t *scope, const char *bytes, size_t length, bool *has_nul,
                                        bool *is_utf8)
{
    wmem_strbuf_t *mended = wmem_strbuf_new(scope, "");

    *has_nul = false;
    *is_utf8 = true;
    while (length > 0) {
        const char *valid_end;
        g_utf8_validate(bytes, (gssize)length, &valid_end);
        size_t valid = (size_t)(valid_end - bytes);
        wmem_strbuf_append_len(mended, bytes, valid);
        bytes += valid;
        length -= valid;
        if (length == 0) {
            break;
        }
        if (*bytes == '\0') {
            *has_nul = true;
            wmem_strbuf_append(mended, "\xe2\x90\x80");
        } else {
            *is_utf8 = false;
            wmem_strbuf_append(mended, "\xef\xbf\xbd");
        }
        bytes++;
        length--;
    }
    return wmem_strbuf_get_str(mended);
}

/* Returns the text to show for a string; its faults get expert infos on the item that is made for it. */
static const char *text_of(struct kafka_show *show, struct kafka_span value, bool *has_nul, bool *is_utf8)
{
    const char *bytes = (const char *)show->data + value.offset;

    *has_nul = false;
    *is_utf8 = true;
    if (value.is_null) {
        return KAFKA_NULL_TEXT;
    }
    if (kafka_text_kind((const uint8_t *)bytes, value.length) == KAFKA_TEXT_PRINTABLE ||
        g_utf8_validate(bytes, (gssize)value.length, NULL)) {
        return kafka_copy_text(show->pinfo->pool, bytes, value.length);
    }
    return mend_text(show->pinfo->pool, bytes, value.length, has_nul, is_utf8);
}

const char *kafka_text_of(struct kafka_show *show, struct kafka_span value)
{
    bool has_nul;
    bool is_utf8;

    return text_of(show, value, &has_nul, &is_utf8);
}

proto_item *kafka_add_text(struct kafka_show *show, proto_tree *tree, int hf, size_t offset, size_t length,
                           struct kafka_span value, const char **text)
{
    bool has_nul;
    bool is_utf8;

    *text = text_of(show, value, &has_nul, &is_utf8);
    proto_item *item = proto_tree_add_string(tree, hf, show->tvb, (int)offset, (int)length, *text);
    if (has_nul) {
        kafka_expert_add(show->pinfo, item, &ei_kafka_nul_in_string);
    }
    if (!is_utf8) {
        kafka_expert_add(show->pinfo, item, &ei_kafka_bad_utf8);
    }
    return item;
}

proto_item *kafka_add_string(struct kafka_show *show, proto_tree *tree, int hf, size_t offset, struct kafka_span value)
{
    const char *text;
    proto_item *item = kafka_add_text(show, tree, hf, offset, value.offset + value.length - offset, value, &text);

    if (value.is_null) {
        proto_item *mark = proto_tree_add_item(proto_item_add_subtree(item, ett_kafka_leaf), hf_kafka_null, show->tvb,
                                               (int)offset, (int)(value.offset - offset), ENC_NA);
        proto_item_set_generated(mark);
        proto_item_set_hidden(mark);
    }
    return item;
}

bool kafka_is_bad_text(const struct kafka_show *show, struct kafka_span value)
{
    return show->checks_text && !value.is_null && kafka_show_has_room_to_explain(show) &&
           !g_utf8_validate((const char *)show->data + value.offset, (gssize)value.length, NULL);
}
