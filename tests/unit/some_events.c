/* SPDX-License-Identifier: BSD-3-Clause */
#include "some_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state;

unsigned long fuzz_count(unsigned long few)
{
    const char *wanted = getenv("EFG_TEST_SEQUENCES"), *level = getenv("CHECK_LEVEL");
    if (wanted)
        return strtoul(wanted, NULL, 10);
    return level && strcmp(level, "some") == 0 ? few / 4 : few;
}

void fuzz_add(struct fuzzed *fuzzed, const struct events *events, const struct kept *kept)
{
    fuzzed->sequences++;
    fuzzed->events += events->count;
    fuzzed->bounded += kept->count > 1;
}

void fuzz_tell(const struct fuzzed *fuzzed)
{
    if (getenv("EFG_TEST_SEQUENCES"))
        print_message("%lu sequences of %llu events in all; %llu reached the bound\n", fuzzed->sequences,
                      (unsigned long long)fuzzed->events, (unsigned long long)fuzzed->bounded);
}

void events_seed(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u + 1;
}

uint32_t events_below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

void events_add(struct events *events, uint32_t node)
{
    if (events->count == events->room) {
        events->room = events->room ? 2 * events->room : 256;
        events->node = realloc(events->node, events->room * sizeof *events->node);
        assert_non_null(events->node);
    }
    events->node[events->count++] = node;
}

void events_free(struct events *events)
{
    free(events->node);
    memset(events, 0, sizeof *events);
}

/* ---- shapes ---- */

static void at_random(struct events *e, size_t most)
{
    for (uint32_t kinds = 1 + events_below(6); e->count < most;)
        events_add(e, events_below(kinds));
}

/* A loop whose body is chosen once, but is something else now and then. */
static void loop(struct events *e, size_t most, unsigned depth)
{
    for (uint32_t items = 1 + events_below(4); items > 0 && e->count < most; items--) {
        if (depth == 0 || events_below(3)) {
            events_add(e, events_below(8));
            continue;
        }
        uint64_t body = state;
        for (uint32_t rounds = events_below(20); rounds > 0 && e->count < most; rounds--) {
            if (events_below(8))
                state = body;
            loop(e, most, depth - 1);
        }
    }
}

static void loops(struct events *e, size_t most)
{
    while (e->count < most)
        loop(e, most, 4);
}

static void changing_runs(struct events *e, size_t most)
{
    while (e->count < most) {
        for (uint32_t node = 0; node < 3; node++)
            for (uint32_t n = 1 + events_below(node ? 12 : 3); n > 0; n--)
                events_add(e, node);
    }
}

static void polls(struct events *e, size_t most)
{
    while (e->count < most) {
        for (uint32_t node = 0; node < 4; node++)
            events_add(e, node);
        for (uint32_t left = 4; left > 0; left -= events_below(2) && left > 1 ? 2 : 1)
            events_add(e, 10 + events_below(3));
    }
}

static void fibonacci(struct events *e, size_t most)
{
    size_t before = 1;

    events_add(e, 0);
    events_add(e, 1);
    while (e->count < most) {
        size_t count = e->count;
        for (size_t i = 0; i < before; i++)
            events_add(e, e->node[i]);
        before = count;
    }
}

/* Each event of the word is a node between two others, so that nothing is predicted. */
static void thue_morse(struct events *e, size_t most)
{
    for (uint32_t i = 0; e->count < most; i++) {
        events_add(e, 2);
        events_add(e, (uint32_t)__builtin_popcount(i) & 1);
    }
}

/* Each word of N letters once; Fredricksen, Kessler, Maiorana. */
static void extend_lyndon(struct events *e, uint32_t *word, uint32_t n, uint32_t t, uint32_t p,
                          uint32_t letters)
{
    if (t > n) {
        for (uint32_t i = 1; n % p == 0 && i <= p; i++)
            events_add(e, word[i]);
        return;
    }
    for (uint32_t letter = word[t - p]; letter < letters; letter++) {
        word[t] = letter;
        extend_lyndon(e, word, n, t + 1, letter == word[t - p] ? p : t, letters);
    }
}

static void de_bruijn(struct events *e, size_t most)
{
    uint32_t word[32] = {0}, letters = 2 + events_below(3), n = 1;

    for (size_t size = letters; size * letters <= most && n < 30; size *= letters)
        n++;
    extend_lyndon(e, word, n, 1, 1, letters);
}

static void alternating(struct events *e, size_t most)
{
    for (uint32_t turn = 0; e->count < most; turn++) {
        events_add(e, turn % 2);
        if (events_below(50) == 0)
            turn++;
    }
}

/* As in sequence.c. */
static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

static int compare_mixed(const void *a, const void *b)
{
    uint32_t x = mix(*(const uint32_t *)a), y = mix(*(const uint32_t *)b);
    return (x > y) - (x < y);
}

/* Runs get their numbers in the order in which they appear. Then ascending hashes: no minimum,
 * full blocks; or small and large ones in turn: the smallest blocks. */
static void against_hash(struct events *e, size_t most)
{
    enum { NODES = 40 };
    uint32_t order[NODES];

    for (uint32_t i = 0; i < NODES; i++)
        order[i] = i;
    for (uint32_t i = 0; i < NODES; i++)
        events_add(e, i);
    qsort(order, NODES, sizeof *order, compare_mixed);
    for (uint32_t turn = events_below(2); e->count < most; turn++) {
        uint32_t skip = 1 + events_below(3);
        for (uint32_t i = events_below(8); i < NODES; i += skip)
            events_add(e, order[turn % 2 && i % 2 ? NODES - i : i]);
    }
}

void events_make(struct events *events, unsigned shape, size_t most)
{
    static void (*const shapes[EVENT_SHAPES])(struct events *, size_t) = {
        at_random, loops, changing_runs, polls, fibonacci, thue_morse, de_bruijn, alternating, against_hash};

    events->count = 0;
    if (most)
        shapes[shape % EVENT_SHAPES](events, most);
}

/* ---- segments ---- */

int events_keep(void *context, const struct efg_sequence_segment *segment)
{
    struct kept *kept = context;

    if (kept->most && kept->count == kept->most)
        return -1;
    if (kept->count == kept->room) {
        kept->room = kept->room ? 2 * kept->room : 16;
        kept->segments = realloc(kept->segments, kept->room * sizeof *kept->segments);
        assert_non_null(kept->segments);
    }
    struct efg_sequence_segment *copy = &kept->segments[kept->count++];
    assert_int_equal(efg_sequence_segment_check(segment), 0);
    assert_int_equal(efg_sequence_segment_copy(copy, segment), 0);
    assert_int_equal(efg_sequence_segment_check(copy), 0);
    return 0;
}

void kept_free(struct kept *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        efg_sequence_segment_fini(&kept->segments[i]);
    free(kept->segments);
    memset(kept, 0, sizeof *kept);
}

void events_compress(const struct events *events, size_t memory, struct kept *kept)
{
    static struct efg_sequence sequence;

    assert_int_equal(efg_sequence_init(&sequence, memory, events_keep, kept), 0);
    for (size_t i = 0; i < events->count; i++)
        efg_sequence_add(&sequence, events->node[i]);
    assert_int_equal(efg_sequence_close(&sequence), 0);
    assert_int_equal(sequence.kept, events->count);
    assert_int_equal(sequence.segments, kept->count);
    efg_sequence_fini(&sequence);
}

/* COUNT of the events from AT on are of NODE; once for all, as it is asked for often. */
static void expect_run(const struct events *events, uint64_t at, uint32_t node, uint64_t count)
{
    int wrong = at > events->count || count > events->count - at || count == 0;
    for (uint64_t i = 0; i < count && !wrong; i++)
        wrong = events->node[at + i] != node;
    assert_false(wrong);
}

void expect_expands(const struct kept *kept, const struct events *events)
{
    struct efg_sequence_reader reader;
    uint64_t at = 0, count;
    uint32_t node;
    int more;

    efg_sequence_reader_init(&reader, kept->segments, kept->count);
    while ((more = efg_sequence_next(&reader, &node, &count)) == 1) {
        expect_run(events, at, node, count);
        at += count;
        assert_int_equal(reader.at, at);
    }
    assert_int_equal(more, 0);
    assert_int_equal(at, events->count);
    efg_sequence_reader_fini(&reader);
}

void expect_skips(const struct kept *kept, const struct events *events)
{
    struct efg_sequence_reader reader;
    uint64_t to = 0, count;
    uint32_t node, stride = (uint32_t)(1 + events->count / (1 + events_below(5)));

    efg_sequence_reader_init(&reader, kept->segments, kept->count);
    for (;;) {
        to += events_below(stride + 1);
        assert_int_equal(efg_sequence_skip(&reader, to), 0);
        if (to >= events->count)
            break;
        assert_int_equal(reader.at, to);
        for (uint32_t some = events_below(4); some > 0 && to < events->count; some--) {
            assert_int_equal(efg_sequence_next(&reader, &node, &count), 1);
            expect_run(events, to, node, count);
            to += count;
        }
    }
    assert_int_equal(reader.at, events->count);
    assert_int_equal(efg_sequence_next(&reader, &node, &count), 0);
    efg_sequence_reader_fini(&reader);
}
