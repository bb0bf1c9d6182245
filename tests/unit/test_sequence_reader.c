/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readers of segments that are made by hand: longer than could be read event by event, wrong,
 * or not what they say.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/order/reader.h"
#include "some_events.h"

#define PLENTY (1600 << 10)

/* 10^18 events: who reads them one by one will not be done. */
static void test_skips_are_short(void **state)
{
    struct efg_sequence_run runs[] = {{1, 1, EFG_NONE, 0}, {2, 1, EFG_NONE, 0}};
    uint32_t b = EFG_SEQUENCE_IS_BLOCK, first[] = {0, 2, 4, 5};
    struct efg_sequence_pair pairs[] = {{0, 999999}, {1, 1}, {b | 0, 999999}, {1, 1000000}, {b | 1, 1000000}};
    struct efg_sequence_segment segment = {.length = 1000000000000000000,
                                           .run_count = 2,
                                           .block_count = 3,
                                           .pair_count = 5,
                                           .runs = runs,
                                           .pairs = pairs,
                                           .first = first};
    struct efg_sequence_reader reader;
    uint64_t count;
    uint32_t node;
    (void)state;

    assert_int_equal(efg_sequence_segment_check(&segment), 0);
    efg_sequence_reader_init(&reader, &segment, 1);
    assert_int_equal(efg_sequence_skip(&reader, 123456789012999999), 0);
    assert_int_equal(efg_sequence_next(&reader, &node, &count), 1);
    assert_int_equal(node, 2); /* the last one of a round of a million */
    assert_int_equal(efg_sequence_next(&reader, &node, &count), 1);
    assert_int_equal(node, 1);
    assert_int_equal(efg_sequence_skip(&reader, segment.length - 1), 0);
    assert_int_equal(efg_sequence_next(&reader, &node, &count), 1);
    assert_int_equal(efg_sequence_next(&reader, &node, &count), 0);
    efg_sequence_reader_fini(&reader);
}

/* x, then a b c round and round until event 10^15, when b is followed by d. */
static void test_skips_along_predictions(void **state)
{
    uint64_t branch = 999999999999998; /* b is there: (branch - 2) is a multiple of 3 */
    struct efg_sequence_run runs[] = {{9, 1, 1, EFG_SEQUENCE_FOREVER},
                                      {1, 1, 2, EFG_SEQUENCE_FOREVER},
                                      {2, 1, 3, branch},
                                      {3, 1, 1, EFG_SEQUENCE_FOREVER},
                                      {4, 1, EFG_NONE, 0}};
    uint32_t first[] = {0, 2};
    struct efg_sequence_pair pairs[] = {{0, 1}, {4, 1}};
    struct efg_sequence_segment segment = {.length = branch + 2,
                                           .run_count = 5,
                                           .block_count = 1,
                                           .pair_count = 2,
                                           .runs = runs,
                                           .pairs = pairs,
                                           .first = first};
    struct efg_sequence_reader reader;
    uint64_t count;
    uint32_t node;
    (void)state;

    assert_int_equal((branch - 2) % 3, 0);
    for (uint64_t to = branch - 5; to < branch + 2; to++) {
        efg_sequence_reader_init(&reader, &segment, 1);
        if (to % 2) /* from the middle of the loop, or from before it */
            assert_int_equal(efg_sequence_skip(&reader, 1000), 0);
        assert_int_equal(efg_sequence_skip(&reader, to), 0);
        assert_int_equal(efg_sequence_next(&reader, &node, &count), 1);
        assert_int_equal(node, to == branch + 1 ? 4 : 1 + (to - 1) % 3);
        assert_int_equal(count, 1);
        efg_sequence_reader_fini(&reader);
    }
}

/* What a segment may not be, each in one way. */
static void test_wrong_segments_are_refused(void **state)
{
    uint32_t b = EFG_SEQUENCE_IS_BLOCK;
    (void)state;

    for (int wrong = 0; wrong <= 14; wrong++) {
        struct efg_sequence_run runs[] = {{1, 1, 1, 5}, {2, 3, EFG_NONE, 0}};
        struct efg_sequence_pair pairs[] = {{0, 1}, {1, 2}, {b | 0, 3}};
        uint32_t first[] = {0, 2, 3};
        struct efg_sequence_segment segment = {.length = 9,
                                               .run_count = 2,
                                               .block_count = 2,
                                               .pair_count = 3,
                                               .runs = runs,
                                               .pairs = pairs,
                                               .first = first};
        switch (wrong) {
        case 1:
            runs[0].count = 0;
            break;
        case 2:
            runs[0].next = 2;
            break;
        case 3:
            runs[1].branch = 1;
            break;
        case 4:
            pairs[0].symbol = 2;
            break;
        case 5:
            pairs[0].symbol = b | 0;
            break; /* itself */
        case 6:
            pairs[2].symbol = b | 1;
            break;
        case 7:
            pairs[1].count = 0;
            break;
        case 8:
            first[0] = 1;
            break;
        case 9:
            first[1] = 0;
            break;
        case 10:
            first[1] = 3;
            break;
        case 11:
            first[2] = 4;
            break;
        case 12:
            segment.length = UINT64_MAX;
            break;
        case 13:
            segment.start = UINT64_MAX - 3;
            break;
        case 14:
            segment.block_count = 0;
            break;
        }
        assert_int_equal(efg_sequence_segment_check(&segment), wrong ? -EBADMSG : 0);
    }
}

static void test_blocks_are_not_nested_too_deep(void **state)
{
    struct efg_sequence_run run = {1, 1, EFG_NONE, 0};
    struct efg_sequence_pair pairs[EFG_SEQUENCE_LEVELS + 1] = {{0, 1}};
    uint32_t first[EFG_SEQUENCE_LEVELS + 2] = {0};
    struct efg_sequence_segment segment = {.length = UINT64_C(1) << EFG_SEQUENCE_LEVELS,
                                           .run_count = 1,
                                           .runs = &run,
                                           .pairs = pairs,
                                           .first = first};
    struct kept kept = {.segments = &segment, .count = 1};
    struct events events = {0};
    (void)state;

    pairs[0].count = 2;
    for (uint32_t i = 0; i <= EFG_SEQUENCE_LEVELS; i++) {
        first[i + 1] = i + 1;
        if (i)
            pairs[i] = (struct efg_sequence_pair){EFG_SEQUENCE_IS_BLOCK | (i - 1), 2};
        segment.block_count = segment.pair_count = i + 1;
        assert_int_equal(efg_sequence_segment_check(&segment), i < EFG_SEQUENCE_LEVELS ? 0 : -EBADMSG);
    }
    segment.block_count = segment.pair_count = EFG_SEQUENCE_LEVELS;
    for (uint64_t i = 0; i < segment.length; i++)
        events_add(&events, 1);
    expect_skips(&kept, &events);
    events_free(&events);
}

/* Segments that hold less than they say, or that do not follow one another. */
static void test_what_is_missing_is_noticed(void **state)
{
    struct events events = {0};
    struct kept kept = {0};
    struct efg_sequence_reader reader;
    uint64_t count, at = 0;
    uint32_t node;
    int more;
    (void)state;

    for (uint32_t i = 0; i < 12; i++)
        events_add(&events, i % 2 ? i : 0);
    events_compress(&events, PLENTY, &kept);
    kept.segments[0].length += 1000;
    for (uint32_t r = 0; r < kept.segments[0].run_count; r++) /* nothing goes on for ever */
        if (kept.segments[0].runs[r].branch == EFG_SEQUENCE_FOREVER)
            kept.segments[0].runs[r].branch = events.count;
    efg_sequence_reader_init(&reader, kept.segments, 1);
    while ((more = efg_sequence_next(&reader, &node, &count)) == 1)
        at += count;
    assert_int_equal(more, -EBADMSG);
    assert_int_equal(at, events.count);
    efg_sequence_reader_fini(&reader);
    efg_sequence_reader_init(&reader, kept.segments, 1);
    assert_int_equal(efg_sequence_skip(&reader, events.count + 5), -EBADMSG);
    efg_sequence_reader_fini(&reader);

    kept.segments[0].length -= 1000;
    struct efg_sequence_segment twice[] = {kept.segments[0], kept.segments[0]};
    efg_sequence_reader_init(&reader, twice, 2);
    while ((more = efg_sequence_next(&reader, &node, &count)) == 1)
        ;
    assert_int_equal(more, -EBADMSG);
    efg_sequence_reader_fini(&reader);
    kept_free(&kept);
    events_free(&events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skips_are_short),
        cmocka_unit_test(test_skips_along_predictions),
        cmocka_unit_test(test_wrong_segments_are_refused),
        cmocka_unit_test(test_blocks_are_not_nested_too_deep),
        cmocka_unit_test(test_what_is_missing_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
