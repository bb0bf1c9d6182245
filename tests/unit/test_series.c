/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A series against a model that keeps every iteration: slots are sums of them, in order,
 * whatever their number; the longest are the longest. And rounding moves nothing by more than
 * it says.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/series.h"
#include "random_run.h"

#define MOST 5000

struct model {
    struct efg_iteration all[MOST];
    uint32_t count;
};

static void add_any(struct efg_series *s, struct model *m, uint64_t length)
{
    struct efg_iteration *one = &m->all[m->count], *last = m->count ? one - 1 : NULL;
    one->number = last ? last->number + 1 : 17;
    one->start = last ? last->start + last->time : 123456;
    one->time = length / 2 + random_any() % length;
    one->mpi = random_any() % (one->time + 1);
    m->count++;
    efg_series_add(s, one);
}

static int longer_first(const void *a, const void *b)
{
    const struct efg_iteration *x = a, *y = b;
    return x->time < y->time ? 1 : x->time > y->time ? -1 : 0;
}

static void assert_longest(const struct efg_series *s, const struct model *m)
{
    static struct efg_iteration sorted[MOST];
    uint32_t count = m->count < EFG_SERIES_LONGEST ? m->count : EFG_SERIES_LONGEST;
    memcpy(sorted, m->all, m->count * sizeof *sorted);
    qsort(sorted, m->count, sizeof *sorted, longer_first);
    assert_int_equal(s->longest_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct efg_iteration *kept = &s->longest[i];
        assert_true(kept->time >= sorted[count - 1].time);
        assert_memory_equal(kept, &m->all[kept->number - m->all[0].number], sizeof *kept);
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(kept->number, s->longest[k].number);
    }
}

static void assert_slots(const struct efg_series *s, const struct model *m)
{
    uint32_t at = 0, slots = efg_series_slots(s);
    assert_int_equal(s->count, m->count);
    assert_true(slots <= EFG_SERIES_SLOTS);
    assert_true(!s->shift || slots > EFG_SERIES_SLOTS / 2);
    for (uint32_t i = 0; i < slots; i++) {
        struct efg_series_slot sum = {.least = UINT64_MAX};
        for (uint64_t k = efg_series_in_slot(s, i); k; k--, at++) {
            uint64_t time = m->all[at].time;
            sum.time += time;
            sum.mpi += m->all[at].mpi;
            sum.least = time < sum.least ? time : sum.least;
            sum.most = time > sum.most ? time : sum.most;
        }
        assert_memory_equal(&sum, &s->slot[i], sizeof sum);
    }
    assert_int_equal(at, m->count);
}

static void test_slots_and_longest(void **state)
{
    (void)state;
    static struct model m;
    struct efg_series *s = efg_series_new();
    while (m.count < MOST) {
        add_any(s, &m, 1000000);
        if (m.count < 3 * EFG_SERIES_SLOTS || m.count % 97 == 0) {
            assert_slots(s, &m);
            assert_longest(s, &m);
        }
    }
    assert_int_equal(s->first, 17);
    assert_int_equal(s->start, 123456);
    efg_series_clear(s);
    assert_int_equal(efg_series_slots(s), 0);
    m.count = 0;
    add_any(s, &m, 50);
    assert_slots(s, &m);
    assert_longest(s, &m);
    free(s);
}

/* ROUNDED, of S: what is left of it, and by how much it is off. */
static void assert_rounded(const struct efg_series *s, const struct efg_series *rounded)
{
    uint64_t unit = UINT64_C(1) << efg_series_unit(s), time = 0, mpi = 0, mean = 0;
    uint32_t slots = efg_series_slots(s);
    for (uint32_t i = 0; i < slots; i++)
        mean += s->slot[i].time;
    mean /= s->count;
    assert_true(mean < 1024 ? unit == 1 : mean / unit >= 512 && mean / unit < 1024);
    for (uint32_t i = 0; i < slots; i++) {
        const struct efg_series_slot *a = &s->slot[i], *b = &rounded->slot[i];
        time += a->time - b->time;
        mpi += a->mpi - b->mpi;
        assert_true(time < unit << s->shift && mpi < unit << s->shift);
        if (s->shift) {
            assert_true(a->least - b->least < unit && a->most - b->most < unit);
            assert_int_equal(b->least % unit | b->most % unit, 0);
        } else {
            assert_true(b->least == b->time && b->most == b->time);
        }
        if (i + 1 < slots)
            assert_int_equal((b->time | b->mpi) % (unit << s->shift), 0);
    }
    assert_int_equal(time, 0);
    assert_int_equal(mpi, 0);
    for (uint32_t i = 1; i < rounded->longest_count; i++)
        assert_true(rounded->longest[i - 1].number < rounded->longest[i].number);
}

static void test_rounding(void **state)
{
    (void)state;
    static struct model m;
    size_t size = efg_series_size(EFG_SERIES_SLOTS);
    struct efg_series *s = efg_series_new(), *once = malloc(size), *twice = malloc(size);
    for (int run = 0; run < 200; run++) {
        uint64_t length = 2 + (random_any() >> 20);
        efg_series_clear(s);
        m.count = 0;
        for (uint32_t i = 1 + random_below(random_below(2) ? 300 : MOST - 1); i; i--)
            add_any(s, &m, length);
        memcpy(once, s, size);
        efg_series_round(once);
        assert_rounded(s, once);
        assert_longest(once, &m);
        memcpy(twice, once, size);
        efg_series_round(twice);
        assert_memory_equal(once, twice, efg_series_size(efg_series_slots(s)));
    }
    free(s);
    free(once);
    free(twice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_and_longest),
        cmocka_unit_test(test_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
