/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_records FILE: prints every batch, message and record of a file of raw record-set bytes (a segment file is one)
 * as a line of JSON each, so that tests can compare them with what Kafka says of the same bytes.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/batch_check.h"
#include "wire/codec.h"
#include "wire/control.h"
#include "wire/record.h"
#include "wire/record_set.h"

static const struct kafka_unpack_limits limits = {KAFKA_UNPACK_DEFAULT_OUTPUT, KAFKA_UNPACK_DEFAULT_ZSTD_WINDOW_LOG};

static const char *status_name(enum kafka_item_status status)
{
    static const char *const names[] = {"complete", "cut", "partial", "malformed", "end"};

    return names[status];
}

static void print_hex(const char *name, const uint8_t *data, const struct kafka_span *span)
{
    printf(", \"%s\": ", name);
    if (span->is_null) {
        printf("null");
        return;
    }
    putchar('"');
    for (size_t i = 0; i < span->length; i++) {
        printf("%02x", data[span->offset + i]);
    }
    putchar('"');
}

static void print_fault(enum kafka_item_status status, enum kafka_fault fault, size_t fault_offset)
{
    printf(", \"status\": \"%s\"", status_name(status));
    if (status == KAFKA_ITEM_MALFORMED) {
        printf(", \"fault\": \"%s\", \"fault_offset\": %zu", kafka_fault_text(fault), fault_offset);
    }
}

static void print_unpacked(const struct kafka_unpack_result *result, size_t packed, const struct kafka_buffer *buffer)
{
    printf(", \"packed\": %zu, \"unpacked\": %zu, \"parts\": %u, \"notes\": %u", packed, buffer->size, result->parts,
           result->notes);
    if (result->fault != KAFKA_UNPACK_NONE) {
        printf(", \"unpack_fault\": \"%s\", \"detail\": \"%s\"", kafka_unpack_fault_text(result->fault),
               result->detail != NULL ? result->detail : "");
    }
}

static void print_control(const uint8_t *data, const struct kafka_record *record)
{
    struct kafka_control_key key;
    struct kafka_control_value value;

    if (kafka_control_key_read(data, &record->key, &key) != KAFKA_OK) {
        return;
    }
    printf(", \"control\": {\"version\": %d, \"type\": %d, \"name\": \"%s\"", key.version, key.type,
           key.known != NULL ? key.known->name : "");
    if (key.known != NULL && kafka_control_value_read(data, &record->value, key.known, &value) == KAFKA_OK) {
        struct kafka_span body = {value.body_begin, value.end - value.body_begin, false};
        printf(", \"message\": \"%s\", \"value_version\": %d", key.known->message, value.version);
        print_hex("body", data, &body);
    }
    putchar('}');
}

static void print_record(const uint8_t *data, const struct kafka_batch *batch, const struct kafka_record *record)
{
    struct kafka_record_headers headers;
    struct kafka_record_header header;
    const char *separator = "";

    printf("{\"what\": \"record\", \"begin\": %zu, \"end\": %zu", record->begin[0], record->end);
    print_fault(record->status, record->fault, record->fault_offset);
    printf(", \"offset\": %" PRId64 ", \"timestamp\": %" PRId64 ", \"sequence\": %" PRId32, record->offset,
           record->timestamp, record->sequence);
    print_hex("key", data, &record->key);
    print_hex("value", data, &record->value);
    printf(", \"headers\": [");
    kafka_record_headers_init(&headers, record, data);
    while (kafka_record_headers_next(&headers, &header)) {
        printf("%s{\"at\": %zu", separator, header.offset);
        print_hex("key", data, &header.key);
        print_hex("value", data, &header.value);
        putchar('}');
        separator = ", ";
    }
    putchar(']');
    if ((batch->attributes & KAFKA_ATTRIBUTE_CONTROL) != 0) {
        print_control(data, record);
    }
    printf("}\n");
}

static void print_records(struct kafka_record_iterator *iterator)
{
    const struct kafka_batch *batch = iterator->batch;
    const struct kafka_records_seen *seen = &iterator->seen;
    struct kafka_record record;

    while (kafka_records_next(iterator, &record) != KAFKA_ITEM_END) {
        print_record(iterator->cursor.data, batch, &record);
    }
    printf("{\"what\": \"seen\", \"count\": %" PRId32 ", \"malformed\": %" PRId32 ", \"left_over\": %zu, "
           "\"problems\": %u, \"status\": \"%s\"}\n",
           seen->count, seen->malformed, seen->left_over, kafka_batch_check_records(batch, seen),
           status_name(seen->status));
}

static void print_batch(const struct kafka_cursor *set, const struct kafka_batch *batch, struct kafka_buffer *buffer)
{
    struct kafka_record_iterator iterator;
    enum kafka_codec codec = kafka_attributes_codec(batch->attributes);

    printf("{\"what\": \"batch\", \"position\": %zu, \"size\": %zu, \"present\": %zu", batch->offset, batch->size,
           batch->present);
    print_fault(batch->status, batch->fault, batch->offset);
    printf(", \"base_offset\": %" PRId64 ", \"last_offset\": %" PRId64 ", \"length\": %" PRId32
           ", \"leader_epoch\": %" PRId32 ", \"magic\": %d, \"crc\": %" PRIu32 ", \"attributes\": %u",
           batch->base_offset, kafka_batch_last_offset(batch), batch->length, batch->leader_epoch, batch->magic,
           batch->crc, batch->attributes);
    printf(", \"last_offset_delta\": %" PRId32 ", \"base_timestamp\": %" PRId64 ", \"max_timestamp\": %" PRId64
           ", \"producer_id\": %" PRId64 ", \"producer_epoch\": %d, \"base_sequence\": %" PRId32
           ", \"last_sequence\": %" PRId32 ", \"count\": %" PRId32 ", \"codec\": \"%s\"",
           batch->last_offset_delta, batch->base_timestamp, batch->max_timestamp, batch->producer_id,
           batch->producer_epoch, batch->base_sequence, kafka_batch_last_sequence(batch), batch->record_count,
           kafka_codec_name(codec));
    if (batch->status == KAFKA_ITEM_COMPLETE) {
        printf(", \"crc_good\": %s", kafka_batch_compute_crc(batch, set->data) == batch->crc ? "true" : "false");
    }
    if (!kafka_batch_has_header(batch) || batch->size == 0) {
        printf("}\n");
        return;
    }
    printf(", \"problems\": %u", kafka_batch_check_header(batch));
    if (codec == KAFKA_CODEC_NONE) {
        kafka_records_init(&iterator, batch, set);
    } else {
        struct kafka_unpack_result result;
        size_t packed = batch->captured - KAFKA_BATCH_RECORDS;
        bool is_whole =
            kafka_unpack(codec, set->data + batch->offset + KAFKA_BATCH_RECORDS, packed, &limits, buffer, &result);
        print_unpacked(&result, packed, buffer);
        kafka_records_init_unpacked(&iterator, batch, buffer->data, buffer->size, is_whole);
    }
    printf("}\n");
    print_records(&iterator);
}

static void print_message(const char *what, const uint8_t *data, const struct kafka_old_message *message,
                          int64_t offset, int64_t timestamp, bool with_value)
{
    printf("{\"what\": \"%s\", \"position\": %zu, \"size\": %zu, \"present\": %zu", what, message->begin[0],
           message->whole_size, message->present);
    print_fault(message->status, message->fault, message->fault_offset);
    printf(", \"offset\": %" PRId64 ", \"magic\": %d, \"crc\": %" PRIu32 ", \"attributes\": %u, \"timestamp\": %" PRId64
           ", \"codec\": \"%s\"",
           offset, message->magic, message->crc, message->attributes, timestamp,
           kafka_codec_name(kafka_attributes_codec(message->attributes)));
    if (kafka_old_message_has_crc(message)) {
        printf(", \"crc_good\": %s", kafka_old_message_compute_crc(message, data) == message->crc ? "true" : "false");
    }
    print_hex("key", data, &message->key);
    if (with_value) {
        print_hex("value", data, &message->value);
    }
}

/* A message, and when it is a wrapper the messages inside it. */
static void print_old_message(const struct kafka_cursor *set, const struct kafka_old_message *message,
                              struct kafka_buffer *buffer)
{
    enum kafka_codec codec = kafka_attributes_codec(message->attributes);
    bool is_wrapper = codec != KAFKA_CODEC_NONE && message->parts == KAFKA_OLD_PARTS;

    print_message(is_wrapper ? "wrapper" : "message", set->data, message, message->offset, message->timestamp,
                  !is_wrapper);
    if (!is_wrapper) {
        printf("}\n");
        return;
    }
    struct kafka_unpack_result result;
    struct kafka_wrapper wrapper;
    struct kafka_record_set_entry entry;
    bool is_whole =
        kafka_unpack(codec, set->data + message->value.offset, message->value.length, &limits, buffer, &result);
    struct kafka_cursor inner = {.data = buffer->data, .limit = buffer->size, .captured = buffer->size};
    kafka_wrapper_read(&wrapper, message, buffer->data, buffer->size, is_whole);
    print_unpacked(&result, message->value.length, buffer);
    printf(", \"problems\": %u, \"count\": %" PRId32 "}\n", wrapper.problems, wrapper.count);
    while (kafka_record_set_next(&inner, &entry) != KAFKA_ITEM_END) {
        if (entry.kind == KAFKA_ENTRY_OLD_MESSAGE) {
            print_message("inner", inner.data, &entry.old_message, kafka_wrapper_offset(&wrapper, &entry.old_message),
                          kafka_wrapper_timestamp(&wrapper, &entry.old_message), true);
            printf("}\n");
        } else {
            printf("{\"what\": \"inner other\", \"position\": %zu", entry.offset);
            print_fault(entry.status, entry.fault, entry.fault_offset);
            printf("}\n");
        }
    }
}

static void print_set(const uint8_t *data, size_t size)
{
    struct kafka_cursor cursor = {.data = data, .limit = size, .captured = size};
    struct kafka_record_set_entry entry;
    struct kafka_buffer buffer = {0};

    while (kafka_record_set_next(&cursor, &entry) != KAFKA_ITEM_END) {
        switch (entry.kind) {
        case KAFKA_ENTRY_BATCH:
            print_batch(&cursor, &entry.batch, &buffer);
            break;
        case KAFKA_ENTRY_OLD_MESSAGE:
            print_old_message(&cursor, &entry.old_message, &buffer);
            break;
        case KAFKA_ENTRY_OTHER:
            printf("{\"what\": \"other\", \"position\": %zu, \"size\": %zu, \"present\": %zu", entry.offset, entry.size,
                   entry.present);
            print_fault(entry.status, entry.fault, entry.fault_offset);
            printf("}\n");
            break;
        }
    }
    kafka_buffer_free(&buffer);
}

/* Returns the bytes of the file, which the caller frees, or NULL. */
static uint8_t *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    uint8_t *data = NULL;

    if (file == NULL) {
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file);
        rewind(file);
        data = end >= 0 ? malloc((size_t)end + 1) : NULL;
        if (data != NULL) {
            *size = fread(data, 1, (size_t)end, file);
        }
    }
    (void)fclose(file);
    return data;
}

int main(int argc, char **argv)
{
    size_t size = 0;

    if (argc != 2) {
        (void)fprintf(stderr, "usage: dump_records FILE\n");
        return 2;
    }
    uint8_t *data = read_file(argv[1], &size);
    if (data == NULL) {
        perror(argv[1]);
        return 1;
    }
    print_set(data, size);
    free(data);
    return 0;
}
