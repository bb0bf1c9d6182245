/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequences: expanded, each is what it was made of, whatever the shape, the limit and the
 * memory; and what sequence.h claims of them.
 *
 * EFG_TEST_SEQUENCES=N: so many sequences instead of the few of `make check-all`.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/order/reader.h"
#include "counted_memory.h"
#include "some_events.h"
#include "equal_segments.h"

#define PLENTY (1600 << 10)
#define SEQUENCES 10000

static struct efg_sequence sequence;

static void add_text(struct events *events, const char *text)
{
    for (; *text; text++)
        events_add(events, (uint32_t)(*text - 'a'));
}

static void expect_all(const struct kept *kept, const struct events *events)
{
    expect_expands(kept, events);
    expect_skips(kept, events);
}

/* ---- by hand ---- */

static void expect_run_is(const struct efg_sequence_run *run, char node, uint32_t count, uint32_t next,
                          uint64_t branch)
{
    assert_int_equal(run->node, node - 'a');
    assert_int_equal(run->count, count);
    assert_int_equal(run->next, next);
    assert_true(run->branch == branch);
}

/* The example of sequence.h. */
static void test_predicted_runs_are_left_out(void **state)
{
    struct events events = {0};
    struct kept kept = {0};
    (void)state;

    add_text(&events, "abbcabbcabbcdabbc");
    events_compress(&events, PLENTY, &kept);
    assert_int_equal(kept.count, 1);
    const struct efg_sequence_segment *segment = kept.segments;
    assert_int_equal(segment->run_count, 4);
    expect_run_is(&segment->runs[0], 'a', 1, 1, EFG_SEQUENCE_FOREVER);
    expect_run_is(&segment->runs[1], 'b', 2, 2, EFG_SEQUENCE_FOREVER);
    expect_run_is(&segment->runs[2], 'c', 1, 0, 11);
    expect_run_is(&segment->runs[3], 'd', 1, 0, EFG_SEQUENCE_FOREVER);
    assert_int_equal(segment->block_count, 1);
    assert_int_equal(segment->pair_count, 2);
    assert_int_equal(segment->pairs[0].symbol, 0); /* a, and all that is predicted after it */
    assert_int_equal(segment->pairs[1].symbol, 3); /* d */
    expect_all(&kept, &events);
    kept_free(&kept);
    events_free(&events);
}

static void test_no_events_make_no_segment(void **state)
{
    struct events events = {0};
    struct kept kept = {0};
    (void)state;

    events_compress(&events, PLENTY, &kept);
    assert_int_equal(kept.count, 0);
    expect_all(&kept, &events);
    kept_free(&kept);
}

static void test_one_event(void **state)
{
    struct events events = {0};
    struct kept kept = {0};
    (void)state;

    events_add(&events, EFG_NONE - 1);
    events_compress(&events, PLENTY, &kept);
    assert_int_equal(kept.count, 1);
    expect_all(&kept, &events);
    kept_free(&kept);
    events_free(&events);
}

/* 20 x (10 x ab, c): a branches, so its rounds are a pair with a count. */
static void test_rounds_are_counted(void **state)
{
    struct events events = {0};
    struct kept kept = {0};
    (void)state;

    for (int i = 0; i < 200; i++)
        add_text(&events, i % 10 == 9 ? "abc" : "ab");
    events_compress(&events, PLENTY, &kept);
    assert_int_equal(kept.count, 1);
    assert_true(kept.segments[0].pair_count < 12);
    expect_all(&kept, &events);
    kept_free(&kept);
    events_free(&events);
}

/* What is predicted for ever costs nothing, however long it goes on. */
static void test_a_plain_loop_is_one_pair(void **state)
{
    struct events events = {0};
    struct kept kept = {0};
    (void)state;

    for (int i = 0; i < 100000; i++)
        add_text(&events, "abbc");
    events_compress(&events, PLENTY, &kept);
    assert_int_equal(kept.segments[0].pair_count, 1);
    expect_all(&kept, &events);
    kept_free(&kept);
    events_free(&events);
}

/* A plain loop where predictions have ended before and no run branches anew. */
static void test_a_plain_loop_after_others(void **state)
{
    struct events events = {0};
    struct kept kept = {0};
    (void)state;

    add_text(&events, "abacaba");
    for (int i = 0; i < 1000; i++)
        add_text(&events, "def");
    events_compress(&events, PLENTY, &kept);
    expect_all(&kept, &events);
    kept_free(&kept);
    events_free(&events);
}

/* A run of more events than a count can hold becomes two. */
static void test_a_run_longer_than_its_count(void **state)
{
    struct efg_sequence_reader reader;
    struct kept kept = {0};
    uint64_t count, total = 0;
    uint32_t node;
    (void)state;

    efg_sequence_init(&sequence, PLENTY, events_keep, &kept);
    efg_sequence_add(&sequence, 7);
    efg_sequence_flush(&sequence);
    sequence.hand.count = UINT32_MAX - 500; /* as if there had been so many */
    for (int i = 0; i < 2000; i++)
        efg_sequence_add(&sequence, 7);
    assert_int_equal(efg_sequence_close(&sequence), 0);
    efg_sequence_fini(&sequence);
    efg_sequence_reader_init(&reader, kept.segments, kept.count);
    while (efg_sequence_next(&reader, &node, &count) == 1) {
        assert_int_equal(node, 7);
        total += count;
    }
    assert_int_equal(total, (uint64_t)UINT32_MAX - 500 + 2000);
    efg_sequence_reader_fini(&reader);
    kept_free(&kept);
}

/* ---- segments ---- */

/* After a close the sequence goes on, after a break with another table; runs that were known
 * are not used across a break. */
static void test_close_and_break(void **state)
{
    struct events events = {0};
    struct kept kept = {0};
    (void)state;

    add_text(&events, "abcabcabc"
                      "cabcabx"
                      "abcabcab");
    efg_sequence_init(&sequence, PLENTY, events_keep, &kept);
    for (size_t i = 0; i < events.count; i++) {
        if (i == 9)
            assert_int_equal(efg_sequence_close(&sequence), 0);
        if (i == 16)
            efg_sequence_break(&sequence, 5);
        efg_sequence_add(&sequence, events.node[i]);
    }
    assert_int_equal(efg_sequence_close(&sequence), 0);
    efg_sequence_fini(&sequence);
    assert_int_equal(kept.count, 3);
    assert_int_equal(kept.segments[1].start, 9);
    assert_int_equal(kept.segments[1].table, 0);
    assert_int_equal(kept.segments[2].start, 16);
    assert_int_equal(kept.segments[2].table, 5);
    assert_int_equal(kept.segments[2].run_count, 3);
    expect_all(&kept, &events);
    kept_free(&kept);
    events_free(&events);
}

static int count_events(void *context, const struct efg_sequence_segment *segment)
{
    *(uint64_t *)context += segment->length;
    return 0;
}

/* The limit and 32 KB, when it is used up; for a moment, while a table grows, half as much
 * again. */
static void test_memory_is_bounded(void **state)
{
    static const size_t limits[] = {0, 10000, 100000, 1000000};
    (void)state;

    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        size_t before = memory_peak = memory_used, spare = (32 << 10) - sizeof sequence;
        uint64_t taken = 0;
        assert_int_equal(efg_sequence_init(&sequence, limits[l], count_events, &taken), 0);
        assert_true(memory_used - before < 24 << 10);
        for (uint32_t i = 0; i < 400000; i++)
            efg_sequence_add(&sequence, events_below(i < 300000 ? 40 : 40000));
        assert_true(sequence.segments > 1);
        assert_int_equal(sequence.early, 0);
        assert_true(memory_used - before <= limits[l] + spare);
        assert_true(memory_peak - before <= limits[l] * 3 / 2 + spare);
        assert_int_equal(efg_sequence_close(&sequence), 0);
        assert_int_equal(taken, 400000);
        efg_sequence_fini(&sequence);
        assert_int_equal(memory_used, before);
    }
}

/* Keeps segments whether or not there is memory for the sequence. */
static int keep_anyway(void *kept, const struct efg_sequence_segment *segment)
{
    uint64_t left = memory_left;
    memory_left = UINT64_MAX;
    int result = events_keep(kept, segment);
    memory_left = left;
    return result;
}

/* Without memory to grow, segments are handed out earlier, and nothing is lost. */
static void test_memory_runs_out(void **state)
{
    enum { INIT = 6, GROWN = 40 }; /* allocations of init; more than there are in this test */
    struct events events = {0};
    (void)state;

    for (int i = 0; i < 6000; i++)
        events_add(&events, events_below(i < 3000 ? 5 : 500));
    uint64_t early[GROWN + 1] = {0};
    for (uint64_t left = 0; left <= GROWN; left++) {
        size_t before = memory_used;
        struct kept kept = {0};
        memory_left = left;
        int result = efg_sequence_init(&sequence, PLENTY, keep_anyway, &kept);
        assert_int_equal(result, left < INIT ? -ENOMEM : 0);
        for (size_t i = 0; i < events.count && result == 0; i++)
            efg_sequence_add(&sequence, events.node[i]);
        if (result == 0) {
            assert_int_equal(efg_sequence_close(&sequence), 0);
            early[left] = sequence.early;
            assert_int_equal(sequence.kept, events.count);
            efg_sequence_fini(&sequence);
            memory_left = UINT64_MAX;
            expect_all(&kept, &events);
        }
        memory_left = UINT64_MAX;
        kept_free(&kept);
        assert_int_equal(memory_used, before);
    }
    assert_true(early[INIT] > 0);
    assert_true(early[GROWN] == 0);
    events_free(&events);
}

/* A copy hands out what the sequence would, and does not change it; without memory there is
 * none, and nothing is left of it. */
static void test_copies(void **state)
{
    enum { ARRAYS = 6 };
    struct events events = {0};
    struct kept kept = {0}, seen = {0};
    struct efg_sequence copy;
    (void)state;

    assert_int_equal(efg_sequence_init(&sequence, PLENTY, keep_anyway, &kept), 0);
    for (int i = 0; i < 5000; i++) {
        events_add(&events, events_below(i < 3000 ? 5 : 500));
        efg_sequence_add(&sequence, events.node[i]);
        if (i % 500 != 77)
            continue;
        size_t before = memory_used;
        for (uint64_t left = 0; left < ARRAYS; left++) {
            memory_left = left;
            assert_int_equal(efg_sequence_copy(&copy, &sequence, keep_anyway, &seen), -ENOMEM);
            assert_int_equal(memory_used, before);
        }
        memory_left = UINT64_MAX;
        assert_int_equal(efg_sequence_copy(&copy, &sequence, keep_anyway, &seen), 0);
        assert_int_equal(efg_sequence_close(&copy), 0);
        expect_all(&seen, &events);
        kept_free(&seen);
        seen = (struct kept){0};
        efg_sequence_fini(&copy);
        assert_int_equal(memory_used, before);
    }
    assert_int_equal(efg_sequence_close(&sequence), 0);
    assert_int_equal(sequence.segments, 1);
    expect_all(&kept, &events);
    kept_free(&kept);
    efg_sequence_fini(&sequence);
    events_free(&events);
}

/* When segments cannot be kept the sequence ends with the last one that was. */
static void test_the_sink_fails(void **state)
{
    struct events events = {0};
    struct kept kept = {.most = 3};
    (void)state;

    for (int i = 0; i < 5000; i++)
        events_add(&events, events_below(5));
    efg_sequence_init(&sequence, 2000, events_keep, &kept);
    for (size_t i = 0; i < events.count; i++)
        efg_sequence_add(&sequence, events.node[i]);
    assert_int_equal(efg_sequence_close(&sequence), -ECANCELED);
    assert_int_equal(sequence.failed, 1);
    assert_int_equal(sequence.segments, 3);
    assert_in_range(sequence.kept, 1, events.count - 1);
    events.count = sequence.kept;
    efg_sequence_break(&sequence, 1);
    efg_sequence_add(&sequence, 1);
    assert_int_equal(efg_sequence_close(&sequence), -ECANCELED);
    assert_int_equal(sequence.kept, events.count);
    efg_sequence_fini(&sequence);
    expect_all(&kept, &events);
    kept_free(&kept);
    events_free(&events);
}

static void test_equal_events_make_equal_segments(void **state)
{
    struct events events = {0};
    struct kept a = {0}, b = {0}, c = {0};
    (void)state;

    events_seed(3);
    events_make(&events, 1, 3000);
    events_compress(&events, 3000, &a);
    events_compress(&events, 3000, &b);
    events.node[events.count / 2] ^= 1;
    events_compress(&events, 3000, &c);
    assert_int_equal(a.count, b.count);
    int different = a.count != c.count;
    for (size_t i = 0; i < a.count; i++) {
        assert_true(are_equal_segments(&a.segments[i], &b.segments[i]));
        if (i < c.count && !are_equal_segments(&a.segments[i], &c.segments[i]))
            different = 1;
    }
    assert_true(different);
    kept_free(&a);
    kept_free(&b);
    kept_free(&c);
    events_free(&events);
}

/* ---- any ---- */

static void test_random_sequences(void **state)
{
    static const size_t limits[] = {0, 500, 3000, 20000, PLENTY};
    unsigned long sequences = fuzz_count(SEQUENCES);
    struct events events = {0};
    struct fuzzed fuzzed = {0};
    (void)state;

    for (unsigned long i = 0; i < sequences; i++) {
        struct kept kept = {0};
        events_seed(i);
        size_t limit = limits[events_below(5)];
        size_t most = i % 100 == 0 ? 20000 : events_below(i % 10 ? 100 : 1000);
        if (limit == 0 && most > 1000)
            most = 1000;
        events_make(&events, (unsigned)i, most);
        events_compress(&events, limit, &kept);
        expect_all(&kept, &events);
        fuzz_add(&fuzzed, &events, &kept);
        kept_free(&kept);
    }
    fuzz_tell(&fuzzed);
    events_free(&events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predicted_runs_are_left_out),
        cmocka_unit_test(test_no_events_make_no_segment),
        cmocka_unit_test(test_one_event),
        cmocka_unit_test(test_rounds_are_counted),
        cmocka_unit_test(test_a_plain_loop_is_one_pair),
        cmocka_unit_test(test_a_plain_loop_after_others),
        cmocka_unit_test(test_a_run_longer_than_its_count),
        cmocka_unit_test(test_close_and_break),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_the_sink_fails),
        cmocka_unit_test(test_equal_events_make_equal_segments),
        cmocka_unit_test(test_random_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
