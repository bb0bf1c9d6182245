/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of requests against a plain list: few handles, which are given out many times over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/memory.h"
#include "runtime/requests.h"

#define MOST 2000

static struct efg_request *list[MOST]; /* in the order of their serials */
static uint32_t count;
static uint64_t random_state = 1;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

static MPI_Request handle(uint32_t number)
{
    return (MPI_Request)(uintptr_t)(0x1000 + 64 * (uint64_t)number);
}

static void add(uint32_t handles, uint16_t threads)
{
    MPI_Request h = handle(below(handles));
    uint16_t thread = (uint16_t)below(threads);
    struct efg_request *r = efg_requests_add(h, thread);
    assert_non_null(r);
    assert_true(r->handle == h && r->thread == thread);
    assert_int_equal(r->kind + r->is_recorded + r->bytes + r->match, 0);
    r->bytes = random_state;
    r->kind = EFG_REQUEST_SEND;
    list[count++] = r;
}

static struct efg_request *expected(MPI_Request h, uint16_t thread)
{
    struct efg_request *any = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i]->handle == h && list[i]->thread == thread)
            return list[i];
        if (list[i]->handle == h && !any)
            any = list[i];
    }
    return any;
}

static void take_from_list(uint32_t at)
{
    count--;
    for (; at < count; at++)
        list[at] = list[at + 1];
}

static void check_next(struct efg_request *r, void *data)
{
    uint32_t *at = data;
    assert_true(*at < count && r == list[(*at)++]);
}

static void check_order(void)
{
    uint32_t at = 0;
    efg_requests_each(check_next, &at);
    assert_int_equal(at, count);
}

static void empty(void)
{
    while (count) {
        uint32_t at = below(count);
        efg_requests_remove(list[at]);
        take_from_list(at);
    }
    check_order();
}

static void restart(uint32_t at)
{
    struct efg_request *r = list[at];
    efg_requests_restart(r);
    take_from_list(at);
    list[count++] = r;
}

/* Where a handle is found is decided by the order of adding; restarts change that of
 * efg_requests_each only, so there are none here. */
static void run(uint32_t handles, uint16_t threads)
{
    for (int step = 0; step < 20000; step++) {
        if (count < MOST && below(100) < (step / 2000 % 2 ? 30 : 70))
            add(handles, threads);
        MPI_Request h = handle(below(handles));
        uint16_t thread = (uint16_t)below(threads);
        struct efg_request *found = efg_requests_find(h, thread);
        assert_ptr_equal(found, expected(h, thread));
        if (found && below(2))
            for (uint32_t at = 0; at < count; at++)
                if (list[at] == found) {
                    efg_requests_remove(found);
                    take_from_list(at);
                }
        if (step % 1000 == 0)
            check_order();
    }
    empty();
}

static void test_found_is_the_oldest(void **state)
{
    (void)state;
    run(1, 1);
    run(5, 3);
    run(MOST, 2);
}

static void test_restarted_ones_come_last(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++)
        add(50, 2);
    for (int i = 0; i < 1000; i++)
        restart(below(count));
    check_order();
    empty();
}

static void test_null_is_not_kept(void **state)
{
    (void)state;
    assert_null(efg_requests_add(MPI_REQUEST_NULL, 0));
    assert_null(efg_requests_find(MPI_REQUEST_NULL, 0));
    assert_null(efg_requests_find(handle(7), 0));
}

/* Memory follows the requests under way, not those that ever were. */
static void test_memory(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++)
        add(1000, 1);
    uint64_t memory = efg_memory.used;
    assert_true(memory > 1000 * sizeof(struct efg_request));
    empty();
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 1000; i++)
            add(1000, 1);
        empty();
    }
    assert_int_equal(efg_memory.used, memory);
}

/* Beyond half of the budget they are refused, and found again is none of them. */
static void test_refused(void **state)
{
    (void)state;
    uint64_t limit = efg_memory.limit;
    efg_memory.limit = 2 * efg_memory.used;
    int kept = 0;
    while (efg_requests_add(handle(100000 + kept), 0))
        kept++;
    assert_true(kept > 0);
    assert_int_equal(efg_requests_refused(), 1);
    assert_null(efg_requests_find(handle(100000 + kept), 0));
    assert_non_null(efg_requests_find(handle(100000 + kept - 1), 0));
    for (int i = 0; i < kept; i++)
        efg_requests_remove(efg_requests_find(handle(100000 + i), 0));
    assert_non_null(efg_requests_add(handle(100000 + kept), 0));
    efg_requests_remove(efg_requests_find(handle(100000 + kept), 0));
    efg_memory.limit = limit;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_is_not_kept),
        cmocka_unit_test(test_found_is_the_oldest),
        cmocka_unit_test(test_restarted_ones_come_last),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
