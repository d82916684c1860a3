/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topic_names.h"

#include <string.h>

#include "walk.h"

/* The walker goes no deeper; the body itself is the outermost. */
#define MAX_STRUCTS 33

/* Structures of the schema may repeat, but none holds itself: this bounds a mistake in the schema. */
#define MAX_SCHEMA_DEPTH 32

/* What is known of a structure before it ends. */
struct half {
    const uint8_t *id;
    const char *name;
    size_t name_length;
};

struct search {
    const struct kafka_cursor *cursor;
    kafka_topic_naming_found *found;
    void *context;
    unsigned depth;
    struct half halves[MAX_STRUCTS];
};

const struct kafka_field *kafka_topic_name_beside(const struct kafka_struct *layout, const struct kafka_field *field)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct kafka_field *other = &layout->fields[i];
        if (other->meaning == KAFKA_MEANING_TOPIC_NAME && other->type == KAFKA_TYPE_STRING && !other->is_array &&
            other != field) {
            return other;
        }
    }
    return NULL;
}

static bool struct_names_topics(const struct kafka_struct *layout, int16_t version, unsigned depth)
{
    bool has_id = false;
    bool has_name = false;

    for (size_t i = 0; i < layout->count; i++) {
        const struct kafka_field *field = &layout->fields[i];
        if (!kafka_versions_has(field->versions, version)) {
            continue;
        }
        if (field->members != NULL) {
            if (depth < MAX_SCHEMA_DEPTH && struct_names_topics(field->members, version, depth + 1)) {
                return true;
            }
        } else if (!field->is_array) {
            has_id = has_id || field->meaning == KAFKA_MEANING_TOPIC_ID;
            has_name = has_name || field->meaning == KAFKA_MEANING_TOPIC_NAME;
        }
    }
    return has_id && has_name;
}

bool kafka_message_names_topics(const struct kafka_message *message, int16_t version)
{
    return struct_names_topics(message->body, version, 0);
}

bool kafka_topic_id_is_reserved(const uint8_t id[KAFKA_UUID_SIZE])
{
    static const uint8_t zeros[KAFKA_UUID_SIZE - 1] = {0};

    return memcmp(id, zeros, sizeof zeros) == 0 && id[KAFKA_UUID_SIZE - 1] <= 1;
}

static const bool legal[UINT8_MAX + 1] = {
    ['a'] = true, ['b'] = true, ['c'] = true, ['d'] = true, ['e'] = true, ['f'] = true, ['g'] = true, ['h'] = true,
    ['i'] = true, ['j'] = true, ['k'] = true, ['l'] = true, ['m'] = true, ['n'] = true, ['o'] = true, ['p'] = true,
    ['q'] = true, ['r'] = true, ['s'] = true, ['t'] = true, ['u'] = true, ['v'] = true, ['w'] = true, ['x'] = true,
    ['y'] = true, ['z'] = true, ['A'] = true, ['B'] = true, ['C'] = true, ['D'] = true, ['E'] = true, ['F'] = true,
    ['G'] = true, ['H'] = true, ['I'] = true, ['J'] = true, ['K'] = true, ['L'] = true, ['M'] = true, ['N'] = true,
    ['O'] = true, ['P'] = true, ['Q'] = true, ['R'] = true, ['S'] = true, ['T'] = true, ['U'] = true, ['V'] = true,
    ['W'] = true, ['X'] = true, ['Y'] = true, ['Z'] = true, ['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true,
    ['4'] = true, ['5'] = true, ['6'] = true, ['7'] = true, ['8'] = true, ['9'] = true, ['-'] = true, ['.'] = true,
    ['_'] = true,
};

bool kafka_may_be_topic_name(const char *name, size_t length)
{
    if (length == 0 || length > KAFKA_TOPIC_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!legal[(uint8_t)name[i]]) {
            return false;
        }
    }
    return true;
}

static void take_leaf(void *context, const struct kafka_leaf *leaf)
{
    struct search *search = context;
    struct half *half = &search->halves[search->depth];
    const struct kafka_cursor *cursor = search->cursor;

    if (leaf->index >= 0 || leaf->value.offset + leaf->value.length > cursor->captured) {
        return;
    }
    const uint8_t *value = cursor->data + leaf->value.offset;
    if (leaf->field->meaning == KAFKA_MEANING_TOPIC_ID && !kafka_topic_id_is_reserved(value)) {
        half->id = value;
    } else if (leaf->field->meaning == KAFKA_MEANING_TOPIC_NAME && leaf->field->type == KAFKA_TYPE_STRING &&
               kafka_may_be_topic_name((const char *)value, leaf->value.length)) {
        half->name = (const char *)value;
        half->name_length = leaf->value.length;
    }
}

static void begin_struct(void *context, const struct kafka_field *field, int32_t index, size_t offset, bool is_null)
{
    struct search *search = context;

    (void)field;
    (void)index;
    (void)offset;
    (void)is_null;
    if (search->depth + 1 < MAX_STRUCTS) {
        search->depth++;
    }
    search->halves[search->depth] = (struct half){0};
}

static void tell_struct(struct search *search)
{
    const struct half *half = &search->halves[search->depth];

    if (half->id != NULL && half->name != NULL) {
        struct kafka_topic_naming naming = {half->id, half->name, half->name_length};
        search->found(search->context, &naming);
    }
}

static void end_struct(void *context, size_t end)
{
    struct search *search = context;

    (void)end;
    tell_struct(search);
    if (search->depth > 0) {
        search->depth--;
    }
}

void kafka_find_topic_names(const struct kafka_body *body, kafka_topic_naming_found *found, void *context)
{
    struct kafka_cursor cursor = body->cursor;
    struct search search = {.cursor = &body->cursor, .found = found, .context = context};
    struct kafka_visitor visitor = kafka_visit_nothing;

    if (kafka_check_fit(&cursor, body->message, body->version) == KAFKA_WALK_MALFORMED) {
        return;
    }
    visitor.leaf = take_leaf;
    visitor.struct_begin = begin_struct;
    visitor.struct_end = end_struct;
    (void)kafka_walk(&cursor, body->message, body->version, &visitor, &search);
    tell_struct(&search);
}

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* 22 characters hold 132 bits: the last four are zero. */
static bool parse_base64(const char *text, uint8_t uuid[KAFKA_UUID_SIZE])
{
    uint32_t bits = 0;
    unsigned held = 0;
    size_t size = 0;

    for (; *text != '\0'; text++) {
        int value = base64_value(*text);
        if (value < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8 && size < KAFKA_UUID_SIZE) {
            held -= 8;
            uuid[size++] = (uint8_t)(bits >> held);
            bits &= (1U << held) - 1;
        }
    }
    return bits == 0;
}

static bool parse_hex(const char *text, uint8_t uuid[KAFKA_UUID_SIZE])
{
    size_t digits = 0;

    for (; *text != '\0'; text++) {
        int value = hex_value(*text);
        if (*text == '-' && digits % 4 == 0) {
            continue;
        }
        if (value < 0 || digits == (size_t)2 * KAFKA_UUID_SIZE) {
            return false;
        }
        uuid[digits / 2] = (uint8_t)(digits % 2 == 0 ? value << 4 : uuid[digits / 2] | value);
        digits++;
    }
    return digits == (size_t)2 * KAFKA_UUID_SIZE;
}

bool kafka_uuid_parse(const char *text, uint8_t uuid[KAFKA_UUID_SIZE])
{
    return strlen(text) == 22 ? parse_base64(text, uuid) : parse_hex(text, uuid);
}
