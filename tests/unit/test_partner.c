/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partners on lines and grids of all kinds: the steps lead from the own rank to the partner,
 * and no other way is shorter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/graph/partner.h"

static void test_line(void **state)
{
    (void)state;
    assert_int_equal(efg_partner_in_line(3, 4, 8), 2);
    assert_int_equal(efg_partner_in_line(3, 3, 8), 1);
    assert_int_equal(efg_partner_in_line(0, 7, 8), 8);
    assert_int_equal(efg_partner_in_line(7, 0, 8), 2);
}

static void coordinates(const struct efg_grid *grid, int rank, int *at)
{
    for (int d = grid->dims; d-- > 0; rank /= grid->size[d])
        at[d] = rank % grid->size[d];
}

static void check(const struct efg_grid *grid, int own, int peer)
{
    int steps[EFG_GRID_DIMS], from[EFG_GRID_DIMS], to[EFG_GRID_DIMS];
    int32_t partner = efg_partner_on_grid(grid, own, peer);

    assert_int_equal(efg_partner_steps(partner, steps), grid->dims);
    coordinates(grid, own, from);
    coordinates(grid, peer, to);
    for (int d = 0; d < grid->dims; d++) {
        int size = grid->size[d], reached = from[d] + steps[d];
        if (grid->is_periodic[d]) {
            reached = (reached + size) % size;
            assert_true(2 * abs(steps[d]) <= size && 2 * steps[d] != -size);
        }
        assert_int_equal(reached, to[d]);
    }
}

static void test_grids(void **state)
{
    (void)state;
    for (int run = 0; run < 2000; run++) {
        struct efg_grid grid = {.dims = 1 + rand() % EFG_GRID_DIMS};
        int ranks = 1;
        for (int d = 0; d < grid.dims; d++) {
            grid.size[d] = 1 + rand() % 9;
            grid.is_periodic[d] = rand() % 2;
            ranks *= grid.size[d];
        }
        for (int i = 0; i < 100; i++)
            check(&grid, rand() % ranks, rand() % ranks);
    }
}

/* The same steps from everywhere are the same partner; other steps are another one. */
static void test_alike(void **state)
{
    struct efg_grid grid = {2, {4, 5}, {1, 0}};

    (void)state;
    assert_int_equal(efg_partner_on_grid(&grid, 0, 6), efg_partner_on_grid(&grid, 13, 19));
    assert_int_equal(efg_partner_on_grid(&grid, 0, 5), efg_partner_on_grid(&grid, 15, 0));
    assert_int_not_equal(efg_partner_on_grid(&grid, 0, 1), efg_partner_on_grid(&grid, 1, 0));
    assert_int_not_equal(efg_partner_on_grid(&grid, 0, 5), efg_partner_on_grid(&grid, 5, 0));
}

static void test_limits(void **state)
{
    struct efg_grid none = {0}, four = {4, {200, 1, 1, 2}, {0}}, line = {1, {1 << 20}, {0}};
    int steps[EFG_GRID_DIMS];

    (void)state;
    assert_int_equal(efg_partner_on_grid(&none, 0, 1), 0);
    check(&four, 0, 2 * 63);
    check(&four, 2 * 64, 0);
    assert_int_equal(efg_partner_on_grid(&four, 0, 2 * 64), 0);
    check(&line, 0, (1 << 20) - 1);
    assert_int_equal(efg_partner_steps(0, steps), 0);
    assert_int_equal(efg_partner_steps(1 << 28, steps), 0);
    assert_int_equal(efg_partner_steps(-1, steps), 0);
    assert_int_equal(efg_partner_steps(-2, steps), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
