/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic against a model that adds each message to a table at once, and that keeps the
 * messages of each window apart until it is known whether the window stays.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/traffic.h"
#include "random_run.h"

#define OWN 100
#define RANKS 3000 /* more than there is room for */

struct sum {
    struct efg_traffic_amount all, kept, window;
};

struct model {
    struct sum partner[RANKS + 1], send[EFG_TRAFFIC_SIZES], collective[EFG_TRAFFIC_SIZES];
    int is_open;
};

static uint32_t size_of(uint64_t bytes)
{
    uint32_t size = 0;
    while (bytes) {
        size++;
        bytes /= 2;
    }
    return size;
}

static void add(struct model *m, struct sum *sum, uint64_t bytes)
{
    sum->all.count++;
    sum->all.bytes += bytes;
    sum->window.count += (uint64_t)m->is_open;
    sum->window.bytes += m->is_open ? bytes : 0;
}

/* Those who know what they send, or that they send nothing. */
static struct sender {
    uint64_t something;
    struct efg_traffic_run run;
} senders[OWN];

static void lend(struct efg_traffic *t)
{
    memset(senders, 0, sizeof senders);
    efg_traffic_lend(t, &senders[0].run, sizeof senders[0], OWN);
}

/* One of these counts it, or it is looked up. */
static void count(struct efg_traffic *t, uint32_t partner, uint64_t bytes)
{
    struct efg_traffic_run *run = &senders[random_below(OWN)].run;

    if (random_below(3)) {
        efg_traffic_add(t, partner, bytes);
        return;
    }
    if (random_below(3) == 0) {
        efg_traffic_own(t, run, EFG_TRAFFIC_NOTHING, 0);
        run->count++;
    }
    efg_traffic_own(t, run, partner, bytes);
    run->count++;
}

static void message(struct efg_traffic *t, struct model *m, uint32_t partner, uint64_t bytes)
{
    count(t, partner, bytes);
    if (partner == EFG_TRAFFIC_COLLECTIVE) {
        add(m, &m->collective[size_of(bytes)], bytes);
        return;
    }
    add(m, &m->partner[partner == EFG_TRAFFIC_OTHERS ? RANKS : partner], bytes);
    add(m, &m->send[size_of(bytes)], bytes);
}

static void end_window(struct model *m, struct sum *sums, uint32_t count, int stays)
{
    for (uint32_t i = 0; i < count; i++) {
        sums[i].kept.count += stays ? sums[i].window.count : 0;
        sums[i].kept.bytes += stays ? sums[i].window.bytes : 0;
        sums[i].window = (struct efg_traffic_amount){0};
    }
    m->is_open = 0;
}

static void end_windows(struct model *m, int stays)
{
    end_window(m, m->partner, RANKS + 1, stays);
    end_window(m, m->send, EFG_TRAFFIC_SIZES, stays);
    end_window(m, m->collective, EFG_TRAFFIC_SIZES, stays);
}

static void assert_items(const struct efg_traffic_item *items, uint32_t count, const struct sum *sums,
                         uint32_t most)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < most; i++) {
        const struct sum *sum = &sums[i];
        if (!sum->all.count)
            continue;
        assert_true(k < count);
        assert_int_equal(items[k].key, i == RANKS ? EFG_TRAFFIC_OTHERS : i);
        assert_int_equal(items[k].all.count, sum->all.count);
        assert_int_equal(items[k].all.bytes, sum->all.bytes);
        assert_int_equal(items[k].recorded.count, sum->kept.count + sum->window.count);
        assert_int_equal(items[k].recorded.bytes, sum->kept.bytes + sum->window.bytes);
        k++;
    }
    assert_int_equal(k, count);
}

static void assert_traffic(struct efg_traffic *t, const struct model *m)
{
    struct efg_traffic_item *items = calloc(efg_traffic_most(t), sizeof *items);
    assert_items(items, efg_traffic_partners(t, items), m->partner, RANKS + 1);
    assert_items(items, efg_traffic_sends(t, items), m->send, EFG_TRAFFIC_SIZES);
    assert_items(items, efg_traffic_collectives(t, items), m->collective, EFG_TRAFFIC_SIZES);
    free(items);
}

/* Messages as a stencil sends them, few partners and sizes, or of any kind. */
static void any_message(struct efg_traffic *t, struct model *m, uint32_t ranks, int wild)
{
    uint32_t partner = wild ? random_below(ranks) : random_below(4) % ranks;
    uint64_t bytes = wild ? random_any() >> (1 + random_below(63)) : 8u << random_below(3);
    switch (random_below(20)) {
    case 0:
        message(t, m, EFG_TRAFFIC_COLLECTIVE, bytes);
        break;
    case 1:
        message(t, m, EFG_TRAFFIC_OTHERS, bytes);
        break;
    default:
        message(t, m, partner, bytes);
    }
}

/* The least bytes of a size class. */
static uint64_t least_of(uint32_t size)
{
    return size ? UINT64_C(1) << (size - 1) : 0;
}

static void test_any(void **state)
{
    (void)state;
    struct model *m = malloc(sizeof *m);
    for (int run = 0; run < 60; run++) {
        uint32_t ranks = 1 + random_below(random_below(2) ? 5 : EFG_TRAFFIC_PARTNERS);
        struct efg_traffic *t = efg_traffic_new(ranks);
        lend(t);
        memset(m, 0, sizeof *m);
        int was_open = 0, wild = run % 3 == 0;
        for (int i = 0; i < 3000; i++) {
            any_message(t, m, ranks, wild);
            if (random_below(200))
                continue;
            if (m->is_open) {
                efg_traffic_end(t);
                m->is_open = 0; /* it may still be thrown away */
            } else {
                int stays = was_open && random_below(2);
                if (was_open && !stays)
                    efg_traffic_discard(t);
                end_windows(m, stays);
                efg_traffic_begin(t);
                m->is_open = was_open = 1;
            }
            if (random_below(3) == 0)
                assert_traffic(t, m);
        }
        assert_traffic(t, m);
        efg_traffic_free(t);
    }
    free(m);
}

/* Of more partners than there is room for, some are themselves, and the rest are together. */
static void test_many_partners(void **state)
{
    (void)state;
    struct efg_traffic *t = efg_traffic_new(1000000);
    struct efg_traffic_item *items = calloc(efg_traffic_most(t), sizeof *items);
    uint64_t memory = efg_traffic_memory(t), count = 0, bytes = 0;
    for (uint32_t i = 0; i < 10 * RANKS; i++)
        efg_traffic_add(t, i % RANKS * 331, i % RANKS);
    uint32_t partners = efg_traffic_partners(t, items);
    assert_int_equal(partners, EFG_TRAFFIC_PARTNERS + 1);
    for (uint32_t i = 0; i + 1 < partners; i++) {
        assert_int_equal(items[i].all.count, 10);
        assert_int_equal(items[i].all.bytes, 10 * (items[i].key / 331));
        bytes += items[i].all.bytes;
    }
    assert_int_equal(items[partners - 1].key, EFG_TRAFFIC_OTHERS);
    assert_int_equal(items[partners - 1].all.count, 10 * (RANKS - EFG_TRAFFIC_PARTNERS));
    bytes += items[partners - 1].all.bytes;
    assert_int_equal(bytes, 10 * (uint64_t)RANKS * (RANKS - 1) / 2);
    uint32_t sizes = efg_traffic_sends(t, items);
    for (uint32_t i = 0; i < sizes; i++) {
        assert_true(least_of(items[i].key) * items[i].all.count <= items[i].all.bytes);
        count += items[i].all.count;
    }
    assert_int_equal(count, 10 * RANKS);
    assert_int_equal(efg_traffic_collectives(t, items), 0);
    assert_int_equal(efg_traffic_memory(t), memory);
    free(items);
    efg_traffic_free(t);
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(efg_traffic_size(0), 0);
    assert_int_equal(efg_traffic_size(1), 1);
    assert_int_equal(efg_traffic_size(UINT64_MAX), EFG_TRAFFIC_SIZES - 1);
    for (uint32_t size = 1; size < EFG_TRAFFIC_SIZES; size++) {
        assert_int_equal(efg_traffic_size(least_of(size)), size);
        assert_int_equal(efg_traffic_size(least_of(size) - 1), size - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_many_partners),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
