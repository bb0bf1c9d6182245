/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequences as bytes: what is written is read again, in both codings, and what was damaged on
 * the way is refused or harmless.
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

#include "counted_memory.h"
#include "files/order/mixer.h"
#include "files/order/sequence_file.h"
#include "some_events.h"
#include "equal_segments.h"

#define PLENTY (1600 << 10)
#define SEQUENCES 1000

/* ---- the mixer ---- */

static void contexts_of(uint32_t what, uint32_t *contexts)
{
    for (uint32_t i = 0; i < EFG_MIXER_CONTEXTS; i++)
        contexts[i] = efg_mixer_hash(what, i);
}

/* Numbers of all sizes, each in contexts of its own. */
static uint64_t some_number(uint32_t i)
{
    uint64_t all = UINT64_C(1) << 62;
    return i == 0 ? all - 1 : (i * UINT64_C(0x9e3779b97f4a7c15) >> i % 62) % all;
}

static void test_numbers_of_all_sizes(void **state)
{
    enum { NUMBERS = 2000 };
    uint32_t contexts[EFG_MIXER_CONTEXTS];
    struct efg_buffer bytes = {0};
    struct efg_mixer mixer;
    (void)state;

    assert_int_equal(efg_mixer_init(&mixer, &bytes, efg_reader(NULL, 0), 1024), 0);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        contexts_of(i % 7, contexts);
        efg_mixer_number(&mixer, contexts, i % EFG_MIXER_SETS, some_number(i));
        efg_mixer_bit(&mixer, contexts, 0, i % 3 == 0);
    }
    efg_mixer_end(&mixer);
    efg_mixer_fini(&mixer);
    assert_int_equal(efg_mixer_init(&mixer, NULL, efg_reader(bytes.data, bytes.size), 1024), 0);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        contexts_of(i % 7, contexts);
        uint64_t number = efg_mixer_number(&mixer, contexts, i % EFG_MIXER_SETS, 0);
        assert_true(number == some_number(i));
        assert_int_equal(efg_mixer_bit(&mixer, contexts, 0, 0), i % 3 == 0);
    }
    efg_mixer_fini(&mixer);
    efg_buffer_fini(&bytes);
}

/* Bits that can be guessed take next to nothing; each context alone would be wrong half of the
 * time. */
static void test_what_can_be_guessed_is_small(void **state)
{
    uint32_t contexts[EFG_MIXER_CONTEXTS];
    struct efg_buffer bytes = {0};
    struct efg_mixer mixer;
    (void)state;

    efg_mixer_init(&mixer, &bytes, efg_reader(NULL, 0), 1024);
    for (uint32_t i = 0; i < 80000; i++) {
        contexts_of(5, contexts);
        contexts[3] = i % 16;
        efg_mixer_bit(&mixer, contexts, 1, 0x5a3c >> i % 16 & 1);
    }
    efg_mixer_end(&mixer);
    assert_in_range(bytes.size, 1, 80000 / 8 / 100);
    efg_mixer_fini(&mixer);
    efg_buffer_fini(&bytes);
}

/* ---- whole sequences ---- */

static void expect_bytes_to_be(const struct efg_buffer *bytes, const struct efg_sequence_segment *expected)
{
    struct efg_reader reader = efg_reader(bytes->data, bytes->size);
    struct efg_sequence_segment segment;

    assert_int_equal(efg_sequence_get(&reader, &segment), 0);
    assert_int_equal(reader.at, bytes->size);
    assert_true(are_equal_segments(&segment, expected));
    efg_sequence_segment_fini(&segment);
}

static void expect_written(const struct efg_sequence_segment *segment)
{
    for (int mixed = 0; mixed < 2; mixed++) {
        struct efg_buffer bytes = {0}, again = {0};
        uint32_t most = mixed ? UINT32_MAX : 0;
        assert_int_equal(efg_sequence_put(&bytes, segment, most), mixed);
        assert_int_equal(efg_sequence_put(&again, segment, most), mixed);
        assert_int_equal(bytes.size, again.size);
        assert_memory_equal(bytes.data, again.data, bytes.size);
        expect_bytes_to_be(&bytes, segment);
        efg_buffer_fini(&bytes);
        efg_buffer_fini(&again);
    }
}

static void test_random_sequences(void **state)
{
    static const size_t limits[] = {800, 5000, 30000, PLENTY};
    unsigned long sequences = fuzz_count(SEQUENCES);
    struct events events = {0};
    struct fuzzed fuzzed = {0};
    (void)state;

    for (unsigned long i = 0; i < sequences; i++) {
        struct kept kept = {0};
        events_seed(i);
        size_t limit = limits[events_below(4)];
        events_make(&events, (unsigned)i, i % 50 == 0 ? 10000 : events_below(200));
        events_compress(&events, limit, &kept);
        for (size_t s = 0; s < kept.count && s < 3; s++)
            expect_written(&kept.segments[s]);
        fuzz_add(&fuzzed, &events, &kept);
        kept_free(&kept);
    }
    fuzz_tell(&fuzzed);
    events_free(&events);
}

/* Mixed up to the number of pairs that is given, and never beyond what is read again. */
static void test_which_coding(void **state)
{
    struct events events = {0};
    struct kept kept = {0};
    struct efg_buffer bytes = {0};
    (void)state;

    for (int i = 0; i < 200000; i++)
        events_add(&events, events_below(16));
    events_compress(&events, 4 * PLENTY, &kept);
    assert_true(kept.segments[0].pair_count > 1 << 17);
    assert_int_equal(efg_sequence_put(&bytes, &kept.segments[0], UINT32_MAX), EFG_SEQUENCE_PLAIN);
    expect_bytes_to_be(&bytes, &kept.segments[0]);
    efg_buffer_fini(&bytes);
    kept_free(&kept);

    events.count = 120000; /* nearly as much as can be mixed */
    events_compress(&events, 4 * PLENTY, &kept);
    size_t before = memory_peak = memory_used;
    assert_int_equal(efg_sequence_put(&bytes, &kept.segments[0], UINT32_MAX), EFG_SEQUENCE_MIXED);
    expect_bytes_to_be(&bytes, &kept.segments[0]);
    assert_in_range(kept.segments[0].pair_count, 100000, 1 << 17);
    assert_true(memory_peak - before <= 32 << 20);
    efg_buffer_fini(&bytes);
    kept_free(&kept);

    events.count = 500;
    events_compress(&events, PLENTY, &kept);
    uint32_t pairs = kept.segments[0].pair_count;
    assert_int_equal(efg_sequence_put(&bytes, &kept.segments[0], pairs - 1), EFG_SEQUENCE_PLAIN);
    size_t plain = bytes.size;
    assert_int_equal(efg_sequence_put(&bytes, &kept.segments[0], pairs), EFG_SEQUENCE_MIXED);
    assert_in_range(bytes.size - plain, 1, plain * 3 / 4);
    efg_buffer_fini(&bytes);
    kept_free(&kept);
    events_free(&events);
}

/* A segment that no encoder would make is written plain. */
static void test_strange_blocks_are_written_plain(void **state)
{
    struct efg_sequence_run run = {1, 1, EFG_NONE, 0};
    uint32_t b = EFG_SEQUENCE_IS_BLOCK, first[] = {0, 1, 3};
    struct efg_sequence_pair pairs[] = {{0, 2}, {0, 1}, {b | 0, 5}};
    struct efg_sequence_segment segment = {.length = 11,
                                           .run_count = 1,
                                           .block_count = 2,
                                           .pair_count = 3,
                                           .runs = &run,
                                           .pairs = pairs,
                                           .first = first};
    struct efg_buffer bytes = {0};
    (void)state;

    assert_int_equal(efg_sequence_put(&bytes, &segment, 100), EFG_SEQUENCE_PLAIN);
    expect_bytes_to_be(&bytes, &segment);
    pairs[2].symbol = b | 1; /* itself */
    assert_int_equal(efg_sequence_put(&bytes, &segment, 100), -EBADMSG);
    assert_int_equal(bytes.failed, 1);
    efg_buffer_fini(&bytes);
}

/* What is not needed is left out: of the runs that were known before, and of the predictions.
 */
static void test_copies_have_what_is_needed(void **state)
{
    struct efg_sequence_run runs[] = {
        {5, 1, EFG_NONE, 0}, {6, 1, 3, 1000}, {7, 2, 0, 100}, {8, 1, EFG_NONE, 0}};
    uint32_t first[] = {0, 2};
    struct efg_sequence_pair pairs[] = {{2, 1}, {1, 1}};
    struct efg_sequence_segment copy, segment = {.start = 100,
                                                 .length = 4,
                                                 .run_count = 4,
                                                 .block_count = 1,
                                                 .pair_count = 2,
                                                 .runs = runs,
                                                 .pairs = pairs,
                                                 .first = first};
    (void)state;

    assert_int_equal(efg_sequence_segment_copy(&copy, &segment), 0);
    assert_int_equal(copy.run_count, 3);
    assert_int_equal(copy.runs[0].node, 6);
    assert_int_equal(copy.runs[0].next, 2);
    assert_int_equal(copy.runs[1].node, 7); /* has branched before the segment */
    assert_int_equal(copy.runs[1].next, EFG_NONE);
    assert_int_equal(copy.runs[1].branch, 0);
    assert_int_equal(copy.runs[2].node, 8);
    efg_sequence_segment_fini(&copy);
}

/* The bytes are these, on every machine. */
static void test_bytes_of_a_sequence(void **state)
{
    struct events events = {0};
    struct kept kept = {0};
    struct efg_buffer bytes = {0};
    (void)state;

    events_seed(1);
    events_make(&events, 1, 20000);
    events_compress(&events, PLENTY, &kept);
    efg_sequence_put(&bytes, &kept.segments[0], 0);
    assert_int_equal(efg_crc32(0, bytes.data, bytes.size), 0xfbfb226a);
    bytes.size = 0;
    efg_sequence_put(&bytes, &kept.segments[0], UINT32_MAX);
    assert_int_equal(efg_crc32(0, bytes.data, bytes.size), 0xf0bfc012);
    efg_buffer_fini(&bytes);
    kept_free(&kept);
    events_free(&events);
}

/* ---- damage ---- */

/* Reads as much as a reader would want to: no more than it says, and in bounded time. */
static void read_somewhat(const struct efg_sequence_segment *segment)
{
    struct efg_sequence_reader reader;
    uint64_t count, end = segment->start + segment->length, at = segment->start;
    uint32_t node;

    efg_sequence_reader_init(&reader, segment, 1);
    for (int i = 0; i < 300 && efg_sequence_next(&reader, &node, &count) == 1; i++) {
        at += count;
        assert_true(count > 0 && at <= end);
    }
    for (int i = 0; i < 5 && reader.at < end; i++) {
        uint64_t to = reader.at + (end - reader.at) / 3 + 1;
        if (efg_sequence_skip(&reader, to) != 0)
            break;
        assert_true(reader.at == to);
    }
    efg_sequence_reader_fini(&reader);
}

static int read_damaged(const unsigned char *data, size_t size)
{
    struct efg_reader reader = efg_reader(data, size);
    struct efg_sequence_segment segment;
    size_t before = memory_peak = memory_used;
    int result = efg_sequence_get(&reader, &segment);

    assert_true(memory_peak - before <= (37 << 20) + 24 * size);
    if (result == 0) {
        assert_int_equal(efg_sequence_segment_check(&segment), 0);
        read_somewhat(&segment);
        efg_sequence_segment_fini(&segment);
    }
    assert_int_equal(memory_used, before);
    return result;
}

/* Every bit flipped, cut off everywhere, and many wrong bytes. */
static void damage(const struct efg_buffer *bytes)
{
    unsigned char *copy = malloc(bytes->size);

    for (size_t size = 0; size < bytes->size; size++) {
        memcpy(copy, bytes->data, size);
        assert_int_equal(read_damaged(copy, size), -EBADMSG);
    }
    memcpy(copy, bytes->data, bytes->size);
    for (size_t at = 0; at < bytes->size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            copy[at] ^= (unsigned char)(1 << bit);
            read_damaged(copy, bytes->size);
            copy[at] ^= (unsigned char)(1 << bit);
        }
    }
    for (int i = 0; i < 200; i++) {
        memcpy(copy, bytes->data, bytes->size);
        for (uint32_t n = 1 + events_below(8); n > 0; n--)
            copy[events_below((uint32_t)bytes->size)] = (unsigned char)events_below(256);
        read_damaged(copy, bytes->size);
    }
    free(copy);
}

static void test_damaged_bytes(void **state)
{
    struct events events = {0};
    (void)state;

    for (unsigned shape = 0; shape < EVENT_SHAPES; shape++) {
        struct kept kept = {0};
        events_seed(shape);
        events_make(&events, shape, 150);
        events_compress(&events, PLENTY, &kept);
        for (uint32_t most = 0; most <= 1000; most += 1000) {
            struct efg_buffer bytes = {0};
            efg_sequence_put(&bytes, &kept.segments[0], most);
            damage(&bytes);
            efg_buffer_fini(&bytes);
        }
        kept_free(&kept);
    }
    events_free(&events);
}

/* Bytes that never were a sequence, after a beginning that is right. */
static void test_random_bytes(void **state)
{
    unsigned char data[200];
    unsigned read = 0;
    (void)state;

    for (int i = 0; i < 20000; i++) {
        size_t size = 8 + events_below(sizeof data - 8);
        for (size_t k = 0; k < size; k++)
            data[k] = (unsigned char)events_below(i % 3 ? 256 : 6);
        data[0] = (unsigned char)(i % 2);
        data[4] = (unsigned char)events_below(5);
        data[5] = (unsigned char)(1 + events_below(4));
        data[6] = (unsigned char)(data[5] + events_below(8));
        data[7] = (unsigned char)(size - 8 < 128 ? size - 8 : 127);
        read += read_damaged(data, size) == 0;
    }
    assert_true(read > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_all_sizes),
        cmocka_unit_test(test_what_can_be_guessed_is_small),
        cmocka_unit_test(test_random_sequences),
        cmocka_unit_test(test_which_coding),
        cmocka_unit_test(test_strange_blocks_are_written_plain),
        cmocka_unit_test(test_copies_have_what_is_needed),
        cmocka_unit_test(test_bytes_of_a_sequence),
        cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
