/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip by ISA-L, which is about three times as fast as zlib: one or several members. */
#include "codec_internal.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

static uint32_t clip(size_t size)
{
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

/* Whether another member begins here. Java's reader ignores bytes that are not one, and so does Kafka. */
static bool is_member(const uint8_t *data, size_t size)
{
    static const uint8_t magic[] = {0x1f, 0x8b};

    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

static const char *fault_detail(int status)
{
    switch (status) {
    case ISAL_INVALID_BLOCK:
        return "invalid block";
    case ISAL_INVALID_SYMBOL:
        return "invalid symbol";
    case ISAL_INVALID_LOOKBACK:
        return "distance too far back";
    case ISAL_INVALID_WRAPPER:
        return "invalid header";
    case ISAL_UNSUPPORTED_METHOD:
        return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
        return "wrong checksum or length";
    default:
        return NULL;
    }
}

static bool inflate_all(struct kafka_unpacking *unpacking, struct inflate_state *state)
{
    struct kafka_buffer *output = unpacking->output;

    for (;;) {
        size_t room = kafka_unpacking_room(unpacking, 1);
        if (room == 0) {
            return false;
        }
        uint32_t in = clip(unpacking->size - unpacking->offset);
        uint32_t out = clip(room);
        state->next_in = (uint8_t *)unpacking->input + unpacking->offset;
        state->avail_in = in;
        state->next_out = output->data + output->size;
        state->avail_out = out;
        int status = isal_inflate(state);
        size_t made = out - state->avail_out;
        /* After a fault that the end of the input brought, the library may speak of more than there was. */
        size_t taken = state->avail_in <= in ? in - state->avail_in : in;
        size_t start = unpacking->offset;
        output->size += made;
        unpacking->offset += taken;
        if (status < 0) {
            return kafka_unpacking_fail(
                unpacking, status == ISAL_INCORRECT_CHECKSUM ? KAFKA_UNPACK_CHECKSUM : KAFKA_UNPACK_CORRUPT,
                unpacking->offset, fault_detail(status));
        }
        if (state->block_state == ISAL_BLOCK_FINISH) {
            unpacking->result->parts++;
            if (unpacking->offset == unpacking->size) {
                return true;
            }
            if (!is_member(unpacking->input + unpacking->offset, unpacking->size - unpacking->offset)) {
                unpacking->result->notes |= KAFKA_UNPACK_NOTE_LEFT_OVER;
                return true;
            }
            isal_inflate_reset(state);
            state->crc_flag = ISAL_GZIP;
        } else if (made == 0 && taken == 0) {
            /* With room and input there is always progress, so without it the input has ended. */
            return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_TRUNCATED, start, NULL);
        }
    }
}

bool kafka_unpack_gzip(struct kafka_unpacking *unpacking)
{
    struct inflate_state *state = malloc(sizeof *state);

    if (state == NULL) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_MEMORY, 0, NULL);
    }
    isal_inflate_init(state);
    state->crc_flag = ISAL_GZIP;
    bool ok = inflate_all(unpacking, state);
    free(state);
    return ok;
}
