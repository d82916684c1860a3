/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "codec.h"

#include <stdlib.h>

#include "codec_internal.h"

/* The first buffer: records are seldom packed better than to a quarter. */
#define FIRST_CAPACITY ((size_t)16 << 10)
#define FIRST_RATIO    4

const char *kafka_codec_name(enum kafka_codec codec)
{
    static const char *const names[KAFKA_CODEC_COUNT] = {"none", "gzip", "snappy", "lz4", "zstd"};

    return (size_t)codec < KAFKA_CODEC_COUNT ? names[codec] : "unknown";
}

const char *kafka_unpack_fault_text(enum kafka_unpack_fault fault)
{
    static const char *const texts[] = {
#define KAFKA_UNPACK_FAULT_TEXT(name, text) text,
        KAFKA_UNPACK_FAULTS(KAFKA_UNPACK_FAULT_TEXT)
#undef KAFKA_UNPACK_FAULT_TEXT
    };

    return (size_t)fault < sizeof texts / sizeof texts[0] ? texts[fault] : "unknown fault";
}

void kafka_buffer_free(struct kafka_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct kafka_buffer){0};
}

bool kafka_unpacking_fail(struct kafka_unpacking *unpacking, enum kafka_unpack_fault fault, size_t offset,
                          const char *detail)
{
    unpacking->result->fault = fault;
    unpacking->result->fault_offset = offset;
    unpacking->result->detail = detail;
    return false;
}

bool kafka_unpacking_fits(struct kafka_unpacking *unpacking, uint64_t more)
{
    size_t limit = unpacking->limits->output;
    size_t size = unpacking->output->size;

    if (size > limit || more > limit - size) {
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_LIMIT, unpacking->offset, NULL);
    }
    return true;
}

size_t kafka_unpacking_room(struct kafka_unpacking *unpacking, size_t want)
{
    struct kafka_buffer *output = unpacking->output;

    if (!kafka_unpacking_fits(unpacking, 0)) {
        return 0;
    }
    size_t most = unpacking->limits->output - output->size + 1;
    if (want > most) {
        want = most;
    }
    if (output->capacity - output->size < want) {
        size_t end = output->size + most;
        size_t first = unpacking->size < FIRST_CAPACITY / FIRST_RATIO ? FIRST_CAPACITY : FIRST_RATIO * unpacking->size;
        size_t capacity = output->capacity < first / 2 ? first : 2 * output->capacity;
        if (capacity > end) {
            capacity = end;
        }
        if (capacity < output->size + want) {
            capacity = output->size + want;
        }
        uint8_t *data = realloc(output->data, capacity);
        if (data == NULL) {
            (void)kafka_unpacking_fail(unpacking, KAFKA_UNPACK_MEMORY, unpacking->offset, NULL);
            return 0;
        }
        output->data = data;
        output->capacity = capacity;
    }
    size_t room = output->capacity - output->size;
    return room < most ? room : most;
}

static bool dispatch(enum kafka_codec codec, struct kafka_unpacking *unpacking)
{
    switch (codec) {
    case KAFKA_CODEC_NONE:
        return true;
    case KAFKA_CODEC_GZIP:
        return kafka_unpack_gzip(unpacking);
    case KAFKA_CODEC_SNAPPY:
        return kafka_unpack_snappy(unpacking);
    case KAFKA_CODEC_LZ4:
        return kafka_unpack_lz4(unpacking);
    case KAFKA_CODEC_ZSTD:
        return kafka_unpack_zstd(unpacking);
    default:
        return kafka_unpacking_fail(unpacking, KAFKA_UNPACK_UNKNOWN_CODEC, 0, NULL);
    }
}

bool kafka_unpack(enum kafka_codec codec, const uint8_t *input, size_t size, const struct kafka_unpack_limits *limits,
                  struct kafka_buffer *output, struct kafka_unpack_result *result)
{
    /* One byte beyond the limit must not overflow. */
    struct kafka_unpack_limits sane = *limits;
    if (sane.output > SIZE_MAX / 2) {
        sane.output = SIZE_MAX / 2;
    }
    struct kafka_unpacking unpacking = {
        .input = input, .size = size, .limits = &sane, .output = output, .result = result};

    *result = (struct kafka_unpack_result){0};
    output->size = 0;
    bool ok = dispatch(codec, &unpacking);
    if (output->size > sane.output) {
        ok = kafka_unpacking_fail(&unpacking, KAFKA_UNPACK_LIMIT, unpacking.offset, NULL);
    }
    result->consumed = unpacking.offset;
    result->made = output->size;
    if (result->fault == KAFKA_UNPACK_LIMIT || result->fault == KAFKA_UNPACK_MEMORY) {
        kafka_buffer_free(output);
    }
    return ok;
}
