/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a producer's batches follow each other: repeats, gaps, epochs, and what comes behind the greatest sequence. */
#include "builder.h"

#include "wire/producer.h"

struct line {
    struct kafka_producer producer;
    uint32_t frame;
};

static void end_line(struct line *line)
{
    free(line->producer.kept);
    *line = (struct line){0};
}

/* Takes a batch of count records in the next frame. */
static struct kafka_producer_report take(struct line *line, int16_t epoch, int32_t first, int32_t count)
{
    struct kafka_producer_batch batch = {first, (int32_t)(((uint32_t)first + (uint32_t)count - 1) & INT32_MAX),
                                         ++line->frame};
    struct kafka_producer_report report;
    uint32_t room = kafka_producer_wanted_room(&line->producer);

    if (room > line->producer.room) {
        line->producer.kept = realloc(line->producer.kept, room * sizeof batch);
        assert_non_null(line->producer.kept);
        line->producer.room = room;
    }
    assert_true(line->producer.room <= KAFKA_PRODUCER_KEPT);
    kafka_producer_take(&line->producer, epoch, &batch, &report);
    return report;
}

static void test_batches_that_follow(void **state)
{
    struct line line = {0};

    (void)state;
    /* The capture may begin anywhere. */
    assert_int_equal(take(&line, 3, 50, 10).finding, KAFKA_PRODUCER_FOLLOWS);
    assert_int_equal(take(&line, 3, 60, 1).finding, KAFKA_PRODUCER_FOLLOWS);
    assert_int_equal(take(&line, 3, 61, 100).finding, KAFKA_PRODUCER_FOLLOWS);
    end_line(&line);
}

static void test_repeated(void **state)
{
    struct line line = {0};

    (void)state;
    take(&line, 0, 0, 5);
    take(&line, 0, 5, 5);
    take(&line, 0, 10, 5);
    struct kafka_producer_report report = take(&line, 0, 5, 5);
    assert_int_equal(report.finding, KAFKA_PRODUCER_REPEATED);
    assert_int_equal(report.frame, 2);
    /* Once more it is still the first one that counts, and nothing has moved. */
    report = take(&line, 0, 5, 5);
    assert_int_equal(report.finding, KAFKA_PRODUCER_REPEATED);
    assert_int_equal(report.frame, 2);
    assert_int_equal(take(&line, 0, 15, 5).finding, KAFKA_PRODUCER_FOLLOWS);
    end_line(&line);
}

static void test_repeated_after_many(void **state)
{
    struct line line = {0};

    (void)state;
    for (int32_t i = 0; i < 2 * KAFKA_PRODUCER_KEPT; i++) {
        assert_int_equal(take(&line, 0, i, 1).finding, KAFKA_PRODUCER_FOLLOWS);
    }
    struct kafka_producer_report report = take(&line, 0, KAFKA_PRODUCER_KEPT, 1);
    assert_int_equal(report.finding, KAFKA_PRODUCER_REPEATED);
    assert_int_equal(report.frame, KAFKA_PRODUCER_KEPT + 1);
    /* What is no longer remembered goes back. */
    assert_int_equal(take(&line, 0, KAFKA_PRODUCER_KEPT - 1, 1).finding, KAFKA_PRODUCER_BACK);
    end_line(&line);
}

static void test_gap_and_back(void **state)
{
    struct line line = {0};

    (void)state;
    take(&line, 0, 0, 5);
    struct kafka_producer_report report = take(&line, 0, 8, 5);
    assert_int_equal(report.finding, KAFKA_PRODUCER_GAP);
    assert_int_equal(report.expected, 5);
    assert_int_equal(report.frame, 1);
    assert_int_equal(take(&line, 0, 13, 1).finding, KAFKA_PRODUCER_FOLLOWS);
    report = take(&line, 0, 6, 2);
    assert_int_equal(report.finding, KAFKA_PRODUCER_BACK);
    assert_int_equal(report.expected, 14);
    /* The others go on where they were. */
    assert_int_equal(take(&line, 0, 14, 1).finding, KAFKA_PRODUCER_FOLLOWS);
    /* One that begins again goes on from there. */
    assert_int_equal(take(&line, 0, 0, 2).finding, KAFKA_PRODUCER_BACK);
    assert_int_equal(take(&line, 0, 2, 2).finding, KAFKA_PRODUCER_FOLLOWS);
    end_line(&line);
}

static void test_same_start_other_end_is_no_repeat(void **state)
{
    struct line line = {0};

    (void)state;
    take(&line, 0, 0, 5);
    take(&line, 0, 5, 5);
    assert_int_equal(take(&line, 0, 5, 2).finding, KAFKA_PRODUCER_BACK);
    end_line(&line);
}

static void test_wraps(void **state)
{
    struct line line = {0};

    (void)state;
    take(&line, 0, INT32_MAX - 1, 2);
    assert_int_equal(take(&line, 0, 0, 3).finding, KAFKA_PRODUCER_WRAPPED);
    assert_int_equal(take(&line, 0, 3, 3).finding, KAFKA_PRODUCER_FOLLOWS);
    end_line(&line);
    /* Inside a batch. */
    take(&line, 0, INT32_MAX - 9, 5);
    assert_int_equal(take(&line, 0, INT32_MAX - 4, 10).finding, KAFKA_PRODUCER_WRAPPED);
    assert_int_equal(take(&line, 0, 5, 1).finding, KAFKA_PRODUCER_FOLLOWS);
    end_line(&line);
    /* A gap across. */
    take(&line, 0, INT32_MAX - 9, 5);
    assert_int_equal(take(&line, 0, 7, 1).finding, KAFKA_PRODUCER_GAP);
    assert_int_equal(take(&line, 0, INT32_MAX - 2, 1).finding, KAFKA_PRODUCER_BACK);
    end_line(&line);
}

static void test_epochs(void **state)
{
    struct line line = {0};

    (void)state;
    take(&line, 4, 0, 5);
    struct kafka_producer_report report = take(&line, 5, 0, 5);
    assert_int_equal(report.finding, KAFKA_PRODUCER_NEW_EPOCH);
    assert_int_equal(report.last_epoch, 4);
    assert_int_equal(report.frame, 1);
    /* The same sequences in another epoch are other batches. */
    assert_int_equal(take(&line, 5, 5, 5).finding, KAFKA_PRODUCER_FOLLOWS);
    report = take(&line, 4, 5, 5);
    assert_int_equal(report.finding, KAFKA_PRODUCER_OLD_EPOCH);
    assert_int_equal(report.last_epoch, 5);
    assert_int_equal(report.frame, 2);
    assert_int_equal(take(&line, 5, 10, 5).finding, KAFKA_PRODUCER_FOLLOWS);
    assert_int_equal(take(&line, 9, 3, 5).finding, KAFKA_PRODUCER_NEW_EPOCH_NOT_AT_ZERO);
    assert_int_equal(take(&line, 9, 8, 5).finding, KAFKA_PRODUCER_FOLLOWS);
    assert_int_equal(take(&line, 9, 3, 5).finding, KAFKA_PRODUCER_REPEATED);
    end_line(&line);
}

static void test_without_room(void **state)
{
    struct kafka_producer producer = {0};
    struct kafka_producer_report report;

    (void)state;
    for (int32_t i = 0; i < 3; i++) {
        struct kafka_producer_batch batch = {i, i, (uint32_t)i + 1};
        kafka_producer_take(&producer, 0, &batch, &report);
        assert_int_equal(report.finding, KAFKA_PRODUCER_FOLLOWS);
    }
    struct kafka_producer_batch again = {1, 1, 4};
    kafka_producer_take(&producer, 0, &again, &report);
    assert_int_equal(report.finding, KAFKA_PRODUCER_BACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_that_follow),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_repeated_after_many),
        cmocka_unit_test(test_gap_and_back),
        cmocka_unit_test(test_same_start_other_end_is_no_repeat),
        cmocka_unit_test(test_wraps),
        cmocka_unit_test(test_epochs),
        cmocka_unit_test(test_without_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
