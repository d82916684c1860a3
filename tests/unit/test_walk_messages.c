/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every version of every message: what was written is found, leaf by leaf; and wherever a message is cut, by the
 * capture or by its own end, the walk tells the same story up to there and then the right reason.
 */
#include "compose.h"
#include "exact.h"

#define WATCH(condition) assert_true(condition)
#include "watch.h"

/* In all their versions; there are other messages too, and layouts that differ between releases. */
#define REQUESTS_AND_RESPONSES 736U

enum step_kind { LEAF, ARRAY_BEGIN, STRUCT_BEGIN, TAGS_BEGIN, TAG_BEGIN, END };

struct step {
    const struct kafka_field *field;
    size_t offset;
    size_t length;
    int64_t value;
    int32_t index;
    enum step_kind kind;
};

#define STEPS_MAX (1 << 14)

/* A walk that writes its steps down, or one that must take the same steps. */
struct follower {
    struct watch watch;
    struct step *steps;
    size_t count;
    bool follows;
    size_t problems[KAFKA_PROBLEM_LEFTOVER + 1];
    struct kafka_problem last;
};

static void take_step(struct follower *follower, struct step step)
{
    assert_true(follower->count < STEPS_MAX);
    struct step *at = &follower->steps[follower->count++];
    if (!follower->follows) {
        *at = step;
        return;
    }
    assert_int_equal(step.kind, at->kind);
    assert_ptr_equal(step.field, at->field);
    assert_int_equal(step.index, at->index);
    assert_int_equal(step.offset, at->offset);
    assert_int_equal(step.length, at->length);
    assert_int_equal(step.value, at->value);
}

static void follow_leaf(void *context, const struct kafka_leaf *leaf)
{
    struct follower *follower = context;

    watch_leaf(&follower->watch, leaf);
    take_step(follower,
              (struct step){.kind = LEAF,
                            .field = leaf->field,
                            .index = leaf->index,
                            .offset = leaf->offset,
                            .length = leaf->length,
                            .value = leaf->integer + (int64_t)leaf->value.length + (leaf->value.is_null ? -1 : 0)});
}

static void follow_array_begin(void *context, const struct kafka_field *field, size_t offset, size_t prefix,
                               int32_t count)
{
    struct follower *follower = context;

    watch_array_begin(&follower->watch, field, offset, prefix, count);
    take_step(follower,
              (struct step){.kind = ARRAY_BEGIN, .field = field, .offset = offset, .length = prefix, .value = count});
}

static void follow_struct_begin(void *context, const struct kafka_field *field, int32_t index, size_t offset,
                                bool is_null)
{
    struct follower *follower = context;

    watch_struct_begin(&follower->watch, field, index, offset, is_null);
    take_step(follower,
              (struct step){.kind = STRUCT_BEGIN, .field = field, .index = index, .offset = offset, .value = is_null});
}

static void follow_tags_begin(void *context, size_t offset, size_t prefix, uint32_t count)
{
    struct follower *follower = context;

    watch_tags_begin(&follower->watch, offset, prefix, count);
    take_step(follower, (struct step){.kind = TAGS_BEGIN, .offset = offset, .length = prefix, .value = count});
}

static void follow_tag_begin(void *context, const struct kafka_tag *tag)
{
    struct follower *follower = context;

    watch_tag_begin(&follower->watch, tag);
    take_step(follower, (struct step){.kind = TAG_BEGIN,
                                      .field = tag->field,
                                      .offset = tag->offset,
                                      .length = tag->data.length,
                                      .value = tag->tag});
}

/* Once there was a problem the ends are those of what was open, and come earlier. */
static void take_end(struct follower *follower, size_t end)
{
    if (follower->watch.problems == 0) {
        take_step(follower, (struct step){.kind = END, .offset = end, .value = follower->watch.depth});
    }
}

static void follow_array_end(void *context, size_t end)
{
    struct follower *follower = context;

    watch_array_end(&follower->watch, end);
    take_end(follower, end);
}

static void follow_struct_end(void *context, size_t end)
{
    struct follower *follower = context;

    watch_struct_end(&follower->watch, end);
    take_end(follower, end);
}

static void follow_tag_end(void *context, size_t end)
{
    struct follower *follower = context;

    watch_tag_end(&follower->watch, end);
    take_end(follower, end);
}

static void follow_tags_end(void *context, size_t end)
{
    struct follower *follower = context;

    watch_tags_end(&follower->watch, end);
    take_end(follower, end);
}

static void follow_problem(void *context, const struct kafka_problem *problem)
{
    struct follower *follower = context;

    watch_problem(&follower->watch, problem);
    follower->problems[problem->kind]++;
    follower->last = *problem;
}

static void follow_undecoded(void *context, size_t offset, size_t length)
{
    struct follower *follower = context;

    watch_undecoded(&follower->watch, offset, length);
}

static const struct kafka_visitor follow_visitor = {
    .leaf = follow_leaf,
    .array_begin = follow_array_begin,
    .array_end = follow_array_end,
    .struct_begin = follow_struct_begin,
    .struct_end = follow_struct_end,
    .tags_begin = follow_tags_begin,
    .tag_begin = follow_tag_begin,
    .tag_end = follow_tag_end,
    .tags_end = follow_tags_end,
    .problem = follow_problem,
    .undecoded = follow_undecoded,
};

static struct composer composer;
static struct step steps[STEPS_MAX];
static struct follower follower;

/* Walks over the first bytes of what was composed. */
static enum kafka_walk_result follow(const struct kafka_message *message, int16_t version, size_t limit,
                                     size_t captured, bool follows)
{
    struct kafka_cursor cursor = open_exactly(&composer.bytes, captured);

    cursor.limit = limit;
    follower = (struct follower){.steps = steps, .follows = follows};
    watch_start(&follower.watch, &cursor, kafka_versions_has(message->flexible, version));
    enum kafka_walk_result result = kafka_walk(&cursor, message, version, &follow_visitor, &follower);
    watch_finish(&follower.watch, result);
    close_exactly(&cursor);
    return result;
}

/* Asserts that the steps written down have just the leaves that were composed. */
static void assert_leaves(size_t step_count)
{
    size_t leaf = 0;

    for (size_t i = 0; i < step_count; i++) {
        if (steps[i].kind == LEAF) {
            assert_true(leaf < composer.leaf_count);
            assert_ptr_equal(steps[i].field, composer.leaves[leaf].field);
            assert_int_equal(steps[i].index, composer.leaves[leaf].index);
            assert_int_equal(steps[i].offset, composer.leaves[leaf].offset);
            assert_int_equal(steps[i].length, composer.leaves[leaf].length);
            leaf++;
        }
    }
    assert_int_equal(leaf, composer.leaf_count);
}

static void check_leaves(const struct kafka_message *message, int16_t version)
{
    for (uint32_t seed = 0; seed < 20; seed++) {
        compose_message(&composer, message, version, seed);
        size_t size = composer.bytes.size;
        assert_int_equal(follow(message, version, size, size, false), KAFKA_WALK_COMPLETE);
        assert_leaves(follower.count);
    }
}

static void test_leaves(void **state)
{
    (void)state;
    assert_true(for_each_layout(check_leaves) > REQUESTS_AND_RESPONSES);
}

static void check_cuts(const struct kafka_message *message, int16_t version)
{
    compose_message(&composer, message, version, 0);
    size_t size = composer.bytes.size;
    assert_int_equal(follow(message, version, size, size, false), KAFKA_WALK_COMPLETE);
    size_t whole = follower.count;

    for (size_t captured = 0; captured < size; captured++) {
        assert_int_equal(follow(message, version, size, captured, true), KAFKA_WALK_CUT);
        assert_int_equal(follower.problems[KAFKA_PROBLEM_CUT], 1);
        assert_true(follower.count <= whole);
        assert_int_equal(follower.last.offset + follower.last.length, captured);
    }
}

static void test_cut_by_the_capture(void **state)
{
    (void)state;
    assert_true(for_each_layout(check_cuts) > REQUESTS_AND_RESPONSES);
}

/* A message that ends early is not whole, whatever its last bytes are; that is never taken for the capture's cut. */
static void check_ends(const struct kafka_message *message, int16_t version)
{
    compose_message(&composer, message, version, 0);
    for (size_t limit = 0; limit < composer.bytes.size; limit++) {
        assert_int_equal(follow(message, version, limit, limit, false), KAFKA_WALK_MALFORMED);
        assert_int_equal(follower.problems[KAFKA_PROBLEM_CUT], 0);
        assert_int_equal(follower.problems[KAFKA_PROBLEM_LEFTOVER], 0);
    }
}

static void test_message_ends_early(void **state)
{
    (void)state;
    assert_true(for_each_layout(check_ends) > REQUESTS_AND_RESPONSES);
}

static void check_left_over(const struct kafka_message *message, int16_t version)
{
    compose_message(&composer, message, version, 0);
    size_t size = composer.bytes.size;
    assert_int_equal(follow(message, version, size, size, false), KAFKA_WALK_COMPLETE);
    size_t whole = follower.count;

    put32(&composer.bytes, 0);
    assert_int_equal(follow(message, version, size + 4, size + 4, true), KAFKA_WALK_MALFORMED);
    assert_int_equal(follower.count, whole);
    assert_int_equal(follower.watch.problems, 1);
    assert_int_equal(follower.last.kind, KAFKA_PROBLEM_LEFTOVER);
    assert_int_equal(follower.last.offset, size);
    assert_int_equal(follower.last.length, 4);
}

static void test_bytes_left_over(void **state)
{
    (void)state;
    assert_true(for_each_layout(check_left_over) > REQUESTS_AND_RESPONSES);
}

/* Bytes that are wrong anywhere: whatever comes of it, the walk keeps its promises. */
static void check_damage(const struct kafka_message *message, int16_t version)
{
    static const uint8_t damages[] = {0x00, 0x7f, 0x80, 0xff};

    compose_message(&composer, message, version, 0);
    size_t size = composer.bytes.size;
    for (size_t i = 0; i < size; i++) {
        uint8_t right = composer.bytes.data[i];
        composer.bytes.data[i] = damages[i % 4];
        (void)follow(message, version, size, size, false);
        (void)follow(message, version, size, size - (size - i) / 2, false);
        composer.bytes.data[i] = right;
    }
}

static void test_damaged_bytes(void **state)
{
    (void)state;
    assert_true(for_each_layout(check_damage) > REQUESTS_AND_RESPONSES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_cut_by_the_capture),
        cmocka_unit_test(test_message_ends_early),
        cmocka_unit_test(test_bytes_left_over),
        cmocka_unit_test(test_damaged_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
