/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "title.h"

#include "../wire/placement.h"
#include "../wire/schema.h"
#include "values.h"

/* Versions whose titles are kept; no API has more. */
#define VERSIONS 32

/* The longest name of an API, a version and a direction. */
#define TITLE_SIZE 80

struct title {
    const char *text; /* NULL until it is asked for */
    size_t length;
};

/* Of one API, requests first: put together once and not for each message. */
struct titles {
    struct title of_version[2][VERSIONS];
};

static struct titles *titles;

static void put(struct kafka_text *text, wmem_allocator_t *scope, int16_t api_key, int16_t version, bool is_request)
{
    kafka_text_string(text, kafka_api_name(scope, api_key));
    kafka_text_string(text, " v");
    kafka_text_number(text, version);
    kafka_text_string(text, is_request ? " Request" : " Response");
}

KAFKA_APART static void make_title(struct title *title, int16_t api_key, int16_t version, bool is_request)
{
    char room[TITLE_SIZE];
    struct kafka_text text;

    kafka_text_init(&text, room, sizeof room);
    put(&text, wmem_epan_scope(), api_key, version, is_request);
    title->text = wmem_strdup(wmem_epan_scope(), text.bytes);
    title->length = text.used;
}

void kafka_title_put(struct kafka_text *text, wmem_allocator_t *scope, int16_t api_key, int16_t version,
                     bool is_request)
{
    if (kafka_api_find(api_key) == NULL || version < 0 || version >= VERSIONS) {
        put(text, scope, api_key, version, is_request);
        return;
    }
    if (titles == NULL) {
        titles = wmem_alloc0_array(wmem_epan_scope(), struct titles, kafka_api_count);
    }
    struct title *title = &titles[api_key].of_version[is_request ? 0 : 1][version];
    if (title->text == NULL) {
        make_title(title, api_key, version, is_request);
    }
    kafka_text_put(text, title->text, title->length);
}
