/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "buffers.h"

#include <stdlib.h>

/* A packet seldom has more batches than this; those of further ones are not kept. */
#define MOST_KEPT 8

/* Clients send batches of up to 1 MiB by default, packed as they may be. */
#define LARGEST_KEPT ((size_t)2 << 20)

static struct {
    struct kafka_buffer buffer;
    bool is_given; /* some tvb has its bytes */
} kept[MOST_KEPT];

struct kafka_buffer kafka_buffers_take(void)
{
    struct kafka_buffer buffer = {0};

    for (size_t i = 0; i < MOST_KEPT; i++) {
        if (!kept[i].is_given && kept[i].buffer.data != NULL) {
            buffer = kept[i].buffer;
            buffer.size = 0;
            kept[i].buffer = (struct kafka_buffer){0};
            break;
        }
    }
    return buffer;
}

static bool keep(const struct kafka_buffer *buffer, bool is_given)
{
    for (size_t i = 0; buffer->capacity <= LARGEST_KEPT && i < MOST_KEPT; i++) {
        if (kept[i].buffer.data == NULL) {
            kept[i].buffer = *buffer;
            kept[i].is_given = is_given;
            return true;
        }
    }
    return false;
}

/* The tvb with these bytes is gone. */
static void take_back(void *data)
{
    for (size_t i = 0; i < MOST_KEPT; i++) {
        if (kept[i].buffer.data == data) {
            kept[i].is_given = false;
            return;
        }
    }
    free(data);
}

tvbuff_t *kafka_buffers_give(tvbuff_t *parent, const struct kafka_buffer *buffer)
{
    tvbuff_t *tvb = tvb_new_child_real_data(parent, buffer->data, (unsigned)buffer->size, (int)buffer->size);

    (void)keep(buffer, true);
    tvb_set_free_cb(tvb, take_back);
    return tvb;
}

void kafka_buffers_drop(struct kafka_buffer *buffer)
{
    if (buffer->data == NULL || !keep(buffer, false)) {
        kafka_buffer_free(buffer);
    }
    *buffer = (struct kafka_buffer){0};
}

/* What a tvb still has is freed with it. */
static void free_kept(void)
{
    for (size_t i = 0; i < MOST_KEPT; i++) {
        if (!kept[i].is_given) {
            kafka_buffer_free(&kept[i].buffer);
        }
        kept[i].buffer = (struct kafka_buffer){0};
        kept[i].is_given = false;
    }
}

void kafka_buffers_register(void)
{
    register_cleanup_routine(free_kept);
}
