/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"

#include "wire/batch_check.h"
#include "wire/record.h"

static const struct batch_values ordinary = {
    .base_offset = 1000,
    .last_offset_delta = 2,
    .base_timestamp = 5000,
    .max_timestamp = 5100,
    .producer_id = 42,
    .base_sequence = INT32_MAX - 1,
    .record_count = 3,
};

/* A batch that is read and open for its records. */
struct opened {
    struct builder builder;
    struct kafka_cursor cursor;
    struct kafka_batch batch;
    struct kafka_record_iterator iterator;
};

static void open_batch(struct opened *opened, const struct batch_values *values, const struct builder *records)
{
    opened->builder.size = 0;
    put_batch(&opened->builder, values, records->data, records->size);
    opened->cursor = open_whole(&opened->builder);
    assert_int_equal(kafka_batch_read(&opened->cursor, &opened->batch), KAFKA_ITEM_COMPLETE);
    kafka_records_init(&opened->iterator, &opened->batch, &opened->cursor);
}

static void put_three(struct builder *records)
{
    put_record(records, 0, 0, "key", "value");
    put_record(records, -7, 1, NULL, NULL);
    put_record(records, 100, 2, "", "");
}

static unsigned walk(struct opened *opened)
{
    struct kafka_record record;

    while (kafka_records_next(&opened->iterator, &record) != KAFKA_ITEM_END) {
    }
    return kafka_batch_check_records(&opened->batch, &opened->iterator.seen);
}

static void test_three_records(void **state)
{
    struct builder records = {.size = 0};
    struct opened opened;
    struct kafka_record record;

    (void)state;
    put_three(&records);
    open_batch(&opened, &ordinary, &records);

    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_int_equal(record.parts, KAFKA_RECORD_PARTS);
    assert_int_equal(record.begin[KAFKA_RECORD_LENGTH], 61);
    assert_int_equal(record.begin[KAFKA_RECORD_ATTRIBUTES], 62);
    assert_int_equal(record.begin[KAFKA_RECORD_KEY], 66);
    assert_int_equal(record.begin[KAFKA_RECORD_VALUE_LENGTH], 69);
    assert_int_equal(record.begin[KAFKA_RECORD_VALUE], 70);
    assert_int_equal(record.begin[KAFKA_RECORD_HEADER_COUNT], 75);
    assert_int_equal(record.begin[KAFKA_RECORD_PARTS], 76);
    assert_int_equal(record.end, 76);
    assert_span(opened.cursor.data, &record.key, "key");
    assert_span(opened.cursor.data, &record.value, "value");
    assert_int_equal(record.offset, 1000);
    assert_int_equal(record.timestamp, 5000);
    assert_int_equal(record.sequence, INT32_MAX - 1);

    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_span(opened.cursor.data, &record.key, NULL);
    assert_span(opened.cursor.data, &record.value, NULL);
    assert_int_equal(record.offset, 1001);
    assert_int_equal(record.timestamp, 4993);
    assert_int_equal(record.sequence, INT32_MAX);

    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_span(opened.cursor.data, &record.key, "");
    assert_span(opened.cursor.data, &record.value, "");
    assert_int_equal(record.timestamp, 5100);
    assert_int_equal(record.sequence, 0);

    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_END);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_END);
    assert_int_equal(opened.iterator.seen.count, 3);
    assert_int_equal(opened.iterator.seen.status, KAFKA_ITEM_END);
    assert_int_equal(opened.iterator.seen.max_create_timestamp, 5100);
    assert_int_equal(kafka_batch_check_records(&opened.batch, &opened.iterator.seen), 0);
    close_cursor(&opened.cursor);
}

static void test_log_append_time(void **state)
{
    struct builder records = {.size = 0};
    struct batch_values values = ordinary;
    struct opened opened;
    struct kafka_record record;

    (void)state;
    put_three(&records);
    values.attributes = KAFKA_ATTRIBUTE_LOG_APPEND_TIME;
    values.max_timestamp = 1;
    open_batch(&opened, &values, &records);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_int_equal(record.timestamp, 1);
    assert_int_equal(walk(&opened), 0); /* the broker's time may be below the records' own */
    close_cursor(&opened.cursor);
}

static void test_extreme_deltas(void **state)
{
    struct builder records = {.size = 0};
    struct batch_values values = ordinary;
    struct opened opened;
    struct kafka_record record;

    (void)state;
    put_record(&records, INT64_MAX, INT32_MAX, NULL, NULL);
    put_record(&records, INT64_MIN, INT32_MIN, NULL, NULL);
    values.base_offset = INT64_MAX;
    values.record_count = 2;
    open_batch(&opened, &values, &records);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_int_equal(record.timestamp_delta, INT64_MAX);
    assert_int_equal(record.offset_delta, INT32_MAX);
    assert_int_equal(record.offset, INT64_MIN + INT32_MAX - 1); /* wraps around */
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_int_equal(record.timestamp_delta, INT64_MIN);
    assert_int_equal(record.offset_delta, INT32_MIN);
    close_cursor(&opened.cursor);
}

static void test_headers(void **state)
{
    struct builder body = {.size = 0};
    struct builder records = {.size = 0};
    struct batch_values values = ordinary;
    struct opened opened;
    struct kafka_record record;
    struct kafka_record_headers headers;
    struct kafka_record_header header;

    (void)state;
    put_record_fields(&body, 0, 2, "k", "v");
    put_varint(&body, 4);
    put_varint_text(&body, "trace");
    put_varint_text(&body, "1");
    put_varint_text(&body, "trace");
    put_varint_text(&body, NULL);
    put_varint_text(&body, "");
    put_varint_text(&body, "");
    put_varint_text(&body, "last");
    put_varint_text(&body, "x");
    put_record_around(&records, &body);
    values.record_count = 1;
    open_batch(&opened, &values, &records);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_int_equal(record.header_count, 4);
    kafka_record_headers_init(&headers, &record, opened.cursor.data);

    static const char *const expected[][2] = {{"trace", "1"}, {"trace", NULL}, {"", ""}, {"last", "x"}};
    size_t at = record.begin[KAFKA_RECORD_HEADERS];
    for (int i = 0; i < 4; i++) {
        assert_true(kafka_record_headers_next(&headers, &header));
        assert_int_equal(header.offset, at);
        assert_span(opened.cursor.data, &header.key, expected[i][0]);
        assert_span(opened.cursor.data, &header.value, expected[i][1]);
        assert_int_equal(header.value_offset, header.key.offset + header.key.length);
        at = header.end;
    }
    assert_int_equal(at, record.end);
    assert_false(kafka_record_headers_next(&headers, &header));
    assert_int_equal(walk(&opened), 0);
    close_cursor(&opened.cursor);
}

/* One record with that body between two good ones: it is malformed, and the next is read all the same. */
static void check_bad_body(const struct builder *body, enum kafka_fault fault, size_t fault_in_body, int headers_before)
{
    struct builder records = {.size = 0};
    struct opened opened;
    struct kafka_record record;
    struct kafka_record_headers headers;
    struct kafka_record_header header;

    put_record(&records, 0, 0, "key", "value");
    size_t start = 61 + records.size;
    put_record_around(&records, body);
    put_record(&records, 0, 2, "key", "value");
    open_batch(&opened, &ordinary, &records);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_MALFORMED);
    assert_int_equal(record.fault, fault);
    assert_int_equal(record.begin[0], start);
    assert_int_equal(record.fault_offset, start + 1 + fault_in_body);
    kafka_record_headers_init(&headers, &record, opened.cursor.data);
    int found = 0;
    while (kafka_record_headers_next(&headers, &header)) {
        found++;
    }
    assert_int_equal(found, headers_before);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_int_equal(record.offset_delta, 2);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_END);
    assert_int_equal(kafka_batch_check_records(&opened.batch, &opened.iterator.seen), KAFKA_BATCH_BAD_RECORD);
    close_cursor(&opened.cursor);
}

static void test_bad_lengths(void **state)
{
    struct builder body = {.size = 0};

    (void)state;
    put8(&body, 0);
    put_varint(&body, 0);
    put_varint(&body, 1);
    put_varint(&body, -2);
    put_varint_text(&body, "v");
    put_varint(&body, 0);
    check_bad_body(&body, KAFKA_FAULT_KEY_LENGTH, 3, 0);

    body.size = 3;
    put_varint(&body, 1);
    put8(&body, 'k');
    put_varint(&body, 9); /* more than there is */
    put_varint(&body, 0);
    check_bad_body(&body, KAFKA_FAULT_VALUE_LENGTH, 5, 0);

    body.size = 0;
    put_record_fields(&body, 0, 1, "k", "v");
    size_t count_at = body.size;
    put_varint(&body, -1);
    check_bad_body(&body, KAFKA_FAULT_HEADER_COUNT, count_at, 0);

    body.size = count_at;
    put_varint(&body, 5);
    check_bad_body(&body, KAFKA_FAULT_HEADER_COUNT, count_at, 0);

    body.size = count_at;
    put_varint(&body, 3); /* a header has two bytes at least */
    put_bytes(&body, "\0\0\0\0", 4);
    check_bad_body(&body, KAFKA_FAULT_HEADER_COUNT, count_at, 0);
}

static void test_bad_headers(void **state)
{
    struct builder body = {.size = 0};

    (void)state;
    put_record_fields(&body, 0, 1, "k", "v");
    put_varint(&body, 2);
    put_varint_text(&body, "good");
    put_varint_text(&body, "one");
    size_t second = body.size;
    put_varint_text(&body, NULL);
    put_varint_text(&body, "x");
    check_bad_body(&body, KAFKA_FAULT_HEADER_KEY_LENGTH, second, 1);

    body.size = second;
    put_varint_text(&body, "k");
    size_t value_at = body.size;
    put_varint(&body, -2);
    check_bad_body(&body, KAFKA_FAULT_HEADER_VALUE_LENGTH, value_at, 1);

    body.size = second;
    put_varint_text(&body, "key and no value");
    check_bad_body(&body, KAFKA_FAULT_RECORD_TOO_SHORT, body.size, 1);
}

static void test_bad_varint_and_left_over(void **state)
{
    struct builder body = {.size = 0};

    (void)state;
    put8(&body, 0);
    for (int i = 0; i < 10; i++) {
        put8(&body, 0xff);
    }
    put8(&body, 1);
    check_bad_body(&body, KAFKA_FAULT_VARINT, 1, 0);

    body.size = 0;
    put_record_fields(&body, 0, 1, "k", "v");
    put_varint(&body, 0);
    size_t rest = body.size;
    put_text(&body, "??");
    check_bad_body(&body, KAFKA_FAULT_LEFT_OVER, rest, 0);

    body.size = 0;
    put8(&body, 0);
    check_bad_body(&body, KAFKA_FAULT_RECORD_TOO_SHORT, 1, 0);
}

static void test_record_longer_than_batch(void **state)
{
    struct builder records = {.size = 0};
    struct opened opened;
    struct kafka_record record;

    (void)state;
    put_record(&records, 0, 0, "key", "value");
    size_t second = records.size;
    put_record(&records, 0, 1, "key", "value");
    records.data[second] += 2; /* zigzag: one byte more */
    open_batch(&opened, &ordinary, &records);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_MALFORMED);
    assert_int_equal(record.fault, KAFKA_FAULT_RECORD_TOO_LONG);
    assert_int_equal(record.fault_offset, 61 + second);
    assert_span(opened.cursor.data, &record.key, "key"); /* what is there is shown */
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_END);
    assert_int_equal(opened.iterator.seen.status, KAFKA_ITEM_MALFORMED);
    assert_true((kafka_batch_check_records(&opened.batch, &opened.iterator.seen) & KAFKA_BATCH_BAD_RECORD) != 0);
    close_cursor(&opened.cursor);

    records.size = 0;
    put_varint(&records, -1);
    put_text(&records, "rest");
    open_batch(&opened, &ordinary, &records);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_MALFORMED);
    assert_int_equal(record.fault, KAFKA_FAULT_RECORD_LENGTH);
    close_cursor(&opened.cursor);
}

static void test_count_differs(void **state)
{
    struct builder records = {.size = 0};
    struct batch_values values = ordinary;
    struct opened opened;

    (void)state;
    put_three(&records);
    values.record_count = 4;
    open_batch(&opened, &values, &records);
    assert_int_equal(walk(&opened), KAFKA_BATCH_COUNT_DIFFERS);
    close_cursor(&opened.cursor);

    values.record_count = 2; /* the third is a record nevertheless */
    open_batch(&opened, &values, &records);
    assert_int_equal(walk(&opened), KAFKA_BATCH_COUNT_DIFFERS);
    assert_int_equal(opened.iterator.seen.count, 3);
    close_cursor(&opened.cursor);
}

static void test_left_over(void **state)
{
    struct builder records = {.size = 0};
    struct opened opened;

    (void)state;
    put_three(&records);
    put_text(&records, "rest");
    open_batch(&opened, &ordinary, &records);
    assert_int_equal(walk(&opened), KAFKA_BATCH_LEFT_OVER);
    assert_int_equal(opened.iterator.seen.left_over, 4);
    assert_int_equal(opened.iterator.seen.left_over_offset, opened.builder.size - 4);
    assert_int_equal(opened.iterator.seen.count, 3);
    close_cursor(&opened.cursor);
}

static void test_deltas_and_times(void **state)
{
    struct builder records = {.size = 0};
    struct batch_values values = ordinary;
    struct opened opened;

    (void)state;
    put_record(&records, 0, 0, "k", "v");
    size_t second = records.size;
    put_record(&records, 150, 0, "k", "v");
    put_record(&records, 100, 5, "k", "v");
    open_batch(&opened, &values, &records);
    assert_int_equal(walk(&opened), KAFKA_BATCH_OFFSETS_NOT_ASCENDING | KAFKA_BATCH_MAX_TIMESTAMP_TOO_LOW |
                                        KAFKA_BATCH_LAST_DELTA_TOO_LOW);
    assert_int_equal(opened.iterator.seen.not_ascending_offset, 61 + second);
    assert_int_equal(opened.iterator.seen.max_timestamp_offset, 61 + second);
    assert_int_equal(opened.iterator.seen.max_create_timestamp, 5150);
    close_cursor(&opened.cursor);

    records.size = 0;
    put_record(&records, 0, 0, "k", "v");
    values.record_count = 1;
    open_batch(&opened, &values, &records);
    assert_int_equal(walk(&opened), KAFKA_BATCH_LAST_DELTA_TOO_HIGH);
    close_cursor(&opened.cursor);
}

/* The capture, or the record set, ends at each byte of the records. */
static void test_cut_anywhere(void **state)
{
    struct builder records = {.size = 0};
    struct builder builder = {.size = 0};

    (void)state;
    put_three(&records);
    put_batch(&builder, &ordinary, records.data, records.size);
    size_t whole = builder.size;
    for (size_t captured = 61; captured < whole; captured++) {
        for (int partial = 0; partial < 2; partial++) {
            struct kafka_batch batch;
            struct kafka_record_iterator iterator;
            struct kafka_record record;
            builder.size = partial != 0 ? captured : whole;
            struct kafka_cursor cursor = open_cut(&builder, captured);
            (void)kafka_batch_read(&cursor, &batch);
            assert_int_equal(batch.status, partial != 0 ? KAFKA_ITEM_PARTIAL : KAFKA_ITEM_CUT);
            kafka_records_init(&iterator, &batch, &cursor);
            enum kafka_item_status status;
            int complete = 0;
            while ((status = kafka_records_next(&iterator, &record)) != KAFKA_ITEM_END) {
                assert_true(status == KAFKA_ITEM_COMPLETE || status == KAFKA_ITEM_CUT);
                complete += status == KAFKA_ITEM_COMPLETE ? 1 : 0;
                /* of a value that is cut, what is there */
                assert_true(record.value.offset + record.value.length <= captured);
                if (captured > 70 && captured < 75) {
                    assert_int_equal(record.value.length, captured - 70);
                }
            }
            assert_int_equal(complete, captured < 76 ? 0 : captured < 83 ? 1 : 2);
            assert_int_equal(iterator.seen.status, KAFKA_ITEM_CUT);
            assert_int_equal(kafka_batch_check_records(&batch, &iterator.seen), 0);
            close_cursor(&cursor);
        }
    }
}

/* The capture ends inside the headers: those before that are given out, and no byte beyond is read. */
static void test_headers_cut(void **state)
{
    struct builder body = {.size = 0};
    struct builder records = {.size = 0};
    struct builder builder = {.size = 0};
    struct kafka_batch batch;
    struct kafka_record_iterator iterator;
    struct kafka_record record;
    struct kafka_record_headers headers;
    struct kafka_record_header header;

    (void)state;
    put_record_fields(&body, 0, 0, "k", "v");
    put_varint(&body, 3);
    size_t first = body.size;
    for (int i = 0; i < 3; i++) {
        put_varint_text(&body, "key");
        put_varint_text(&body, "val");
    }
    put_record_around(&records, &body);
    put_batch(&builder, &ordinary, records.data, records.size);
    for (size_t there = first; there < body.size; there++) {
        struct kafka_cursor cursor = open_cut(&builder, 62 + there);
        assert_int_equal(kafka_batch_read(&cursor, &batch), KAFKA_ITEM_CUT);
        kafka_records_init(&iterator, &batch, &cursor);
        assert_int_equal(kafka_records_next(&iterator, &record), KAFKA_ITEM_CUT);
        kafka_record_headers_init(&headers, &record, cursor.data);
        size_t found = 0;
        while (kafka_record_headers_next(&headers, &header)) {
            assert_span(cursor.data, &header.value, "val");
            found++;
        }
        assert_int_equal(found, (there - first) / 8);
        close_cursor(&cursor);
    }
}

static void test_unpacked(void **state)
{
    struct builder records = {.size = 0};
    struct opened opened;
    struct kafka_record record;
    struct builder none = {.size = 0};

    (void)state;
    put_three(&records);
    open_batch(&opened, &ordinary, &none);
    kafka_records_init_unpacked(&opened.iterator, &opened.batch, records.data, records.size, true);
    assert_int_equal(kafka_records_next(&opened.iterator, &record), KAFKA_ITEM_COMPLETE);
    assert_int_equal(record.begin[0], 0);
    assert_int_equal(record.offset, 1000);
    assert_int_equal(walk(&opened), 0);

    /* Unpacking stopped at a fault, inside the third record and right before it. */
    for (size_t less = 3; less < 10; less++) {
        kafka_records_init_unpacked(&opened.iterator, &opened.batch, records.data, records.size - less, false);
        assert_int_equal(walk(&opened), 0);
        assert_int_equal(opened.iterator.seen.status, KAFKA_ITEM_CUT);
        assert_int_equal(opened.iterator.seen.malformed, 0);
    }
    close_cursor(&opened.cursor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_records),
        cmocka_unit_test(test_log_append_time),
        cmocka_unit_test(test_extreme_deltas),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_bad_lengths),
        cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_bad_varint_and_left_over),
        cmocka_unit_test(test_record_longer_than_batch),
        cmocka_unit_test(test_count_differs),
        cmocka_unit_test(test_left_over),
        cmocka_unit_test(test_deltas_and_times),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_headers_cut),
        cmocka_unit_test(test_unpacked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
