/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of requests against a plain list: few handles, which are given out many times over;
 * and several threads that complete each other's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>

#include "runtime/base/memory.h"
#include "runtime/mpi/requests.h"

#define MOST 2000
#define TABLES 3

static struct efg_requests tables[TABLES];
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
    struct efg_request *r = efg_requests_add(&tables[thread], h);
    assert_non_null(r);
    assert_true(r->handle == h && r->thread == thread);
    assert_int_equal(r->kind + r->is_recorded + r->bytes + r->match, 0);
    r->bytes = random_state;
    r->kind = EFG_REQUEST_SEND;
    list[count++] = r;
}

/* The oldest one of THREAD, or of any one. */
static struct efg_request *expected(MPI_Request h, int thread)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i]->handle == h && (thread < 0 || list[i]->thread == thread))
            return list[i];
    return NULL;
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
    while (*at < count && list[*at]->thread != r->thread)
        ++*at;
    assert_true(*at < count && r == list[(*at)++]);
}

static void check_order(void)
{
    uint32_t visits = 0;
    for (uint16_t thread = 0; thread < TABLES; thread++) {
        uint32_t at = 0;
        efg_requests_each(&tables[thread], check_next, &at);
        for (; at < count; at++)
            assert_true(list[at]->thread != thread);
        visits += tables[thread].count;
    }
    assert_int_equal(visits, count);
}

/* By its own thread. */
static void remove_own(uint32_t at)
{
    efg_requests_remove(list[at]->table, list[at]);
    take_from_list(at);
}

static void empty(void)
{
    while (count) {
        remove_own(below(count));
    }
    check_order();
}

static void restart(uint32_t at)
{
    struct efg_request *r = list[at];
    efg_requests_restart(r->table, r);
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
        struct efg_request *found = efg_requests_find(&tables[thread], h);
        assert_ptr_equal(found, expected(h, thread));
        if (found && below(2))
            for (uint32_t at = 0; at < count; at++)
                if (list[at] == found)
                    remove_own(at);
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
    assert_null(efg_requests_add(&tables[0], MPI_REQUEST_NULL));
    assert_null(efg_requests_find(&tables[0], MPI_REQUEST_NULL));
    assert_null(efg_requests_find(&tables[0], handle(7)));
    assert_null(efg_requests_claim(&tables[0], MPI_REQUEST_NULL));
    assert_null(efg_requests_claim(&tables[0], handle(7)));
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
    while (efg_requests_add(&tables[0], handle(100000 + kept)))
        kept++;
    assert_true(kept > 0);
    assert_int_equal(efg_requests_refused(), 1);
    assert_null(efg_requests_find(&tables[0], handle(100000 + kept)));
    assert_non_null(efg_requests_find(&tables[0], handle(100000 + kept - 1)));
    for (int i = 0; i < kept; i++)
        efg_requests_remove(&tables[0], efg_requests_find(&tables[0], handle(100000 + i)));
    assert_non_null(efg_requests_add(&tables[0], handle(100000 + kept)));
    efg_requests_remove(&tables[0], efg_requests_find(&tables[0], handle(100000 + kept)));
    efg_memory.limit = limit;
}

/* --- claims --- */

static void test_own_ones_first_then_others(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        list[count] = efg_requests_add(&tables[i % 2], handle(1));
        list[count++]->bytes = (uint64_t)i;
    }
    for (int i = 0; i < 6; i++) {
        struct efg_request *mine = expected(handle(1), 1), *any = mine ? mine : expected(handle(1), 0);
        struct efg_request *r = efg_requests_claim(&tables[1], handle(1));
        assert_ptr_equal(r, any);
        assert_true(efg_requests_find(r->table, handle(1)) != r);
        efg_requests_release(r);
        assert_ptr_equal(efg_requests_claim(&tables[1], handle(1)), r);
        efg_requests_remove(&tables[1], r);
        for (uint32_t at = 0; at < count; at++)
            if (list[at] == r)
                take_from_list(at);
    }
    assert_null(efg_requests_claim(&tables[1], handle(1)));
    assert_null(efg_requests_find(&tables[0], handle(1))); /* takes out what was handed back */
    check_order();
}

static void count_visit(struct efg_request *r, void *data)
{
    (void)r;
    ++*(int *)data;
}

static int visits(struct efg_requests *table)
{
    int visited = 0;
    efg_requests_each(table, count_visit, &visited);
    return visited;
}

static void test_each_leaves_out_what_others_claim(void **state)
{
    (void)state;
    efg_requests_add(&tables[0], handle(1));
    efg_requests_add(&tables[0], handle(2));
    struct efg_request *mine = efg_requests_claim(&tables[0], handle(1));
    assert_int_equal(visits(&tables[0]), 2);
    struct efg_request *theirs = efg_requests_claim(&tables[1], handle(2));
    assert_int_equal(visits(&tables[0]), 1);
    assert_int_equal(visits(&tables[1]), 0);
    efg_requests_release(theirs);
    assert_int_equal(visits(&tables[0]), 2);
    efg_requests_remove(&tables[0], mine);
    efg_requests_remove(&tables[0], theirs);
    assert_int_equal(visits(&tables[0]), 0);
}

static void test_refers_to_communicators(void **state)
{
    (void)state;
    const struct efg_comm *comm = (const struct efg_comm *)&count;
    assert_false(efg_requests_refer_to(comm));
    struct efg_request *r = efg_requests_add(&tables[2], handle(3));
    r->comm = comm;
    assert_true(efg_requests_refer_to(comm));
    assert_ptr_equal(efg_requests_claim(&tables[0], handle(3)), r);
    efg_requests_remove(&tables[0], r); /* it is not taken out yet */
    assert_null(efg_requests_find(&tables[2], handle(3)));
    r->comm = NULL;
    assert_false(efg_requests_refer_to(comm));
}

/* What was told comes to the thread that recorded it, the oldest first, with its status or
 * none.
 */
static void test_news(void **state)
{
    (void)state;
    MPI_Status mpi_status = {.MPI_TAG = 77};
    struct efg_request r = {.thread = 1, .number = 1};
    assert_false(efg_requests_has_news(&tables[1]));
    efg_requests_tell(&r, &mpi_status);
    r.number = 2;
    efg_requests_tell(&r, NULL);
    r.thread = 99; /* there is no such thread */
    efg_requests_tell(&r, NULL);
    assert_false(efg_requests_has_news(&tables[0]));
    assert_true(efg_requests_has_news(&tables[1]));
    struct efg_request_news *first = efg_requests_news(&tables[1]), *second = first->next;
    assert_false(efg_requests_has_news(&tables[1]));
    assert_int_equal(first->request.number, 1);
    assert_int_equal(first->has_status + first->status.MPI_TAG, 78);
    assert_int_equal(second->request.number, 2);
    assert_true(!second->has_status && !second->next);
    free(first);
    free(second);
}

/* Each thread makes requests, and completes its own and those of the next thread, by a handle
 * that tells which it is, as soon as it learns of it; some handles are used again at once. */
#define ROUNDS 200000
#define UNDER_WAY 64

static pthread_barrier_t both_there;

static struct exchange {
    pthread_t thread;
    uint16_t number;
    uint64_t offered[UNDER_WAY]; /* handle numbers for the other one, 0: none; atomic */
    uint64_t wrong, own, others;
} exchanges[2];

static void check_claim(struct exchange *e, uint64_t number, uint16_t owner)
{
    struct efg_request *r = efg_requests_claim(&tables[e->number], handle((uint32_t)number));
    if (!r || r->thread != owner || r->bytes != number) {
        e->wrong++;
        return;
    }
    if (number % 3 == 0) { /* a test that finds it incomplete first */
        efg_requests_release(r);
        r = efg_requests_claim(&tables[e->number], handle((uint32_t)number));
        e->wrong += !r || r->bytes != number;
    }
    if (r)
        efg_requests_remove(&tables[e->number], r);
}

static void take(struct exchange *me, uint64_t *place)
{
    uint64_t theirs = __atomic_exchange_n(place, 0, __ATOMIC_ACQ_REL);
    if (!theirs)
        return;
    check_claim(me, theirs, 1 - me->number);
    me->others++;
}

static void *exchange(void *data)
{
    struct exchange *me = data, *other = &exchanges[1 - me->number];
    pthread_barrier_wait(&both_there);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t number = 1000 + i % 500 * 4 + me->number, at = i % UNDER_WAY;
        struct efg_request *r = efg_requests_add(&tables[me->number], handle((uint32_t)number));
        if (!r) {
            me->wrong++;
            break;
        }
        r->bytes = number;
        if (i % 4 == 0) {
            check_claim(me, number, me->number);
            me->own++;
        } else if (!__atomic_load_n(&me->offered[at], __ATOMIC_ACQUIRE)) {
            __atomic_store_n(&me->offered[at], number, __ATOMIC_RELEASE);
        } else { /* the other one has not taken the last */
            check_claim(me, number, me->number);
        }
        take(me, &other->offered[at]);
    }
    return NULL;
}

static void test_threads_complete_each_other_s(void **state)
{
    (void)state;
    pthread_barrier_init(&both_there, NULL, 2);
    for (uint16_t i = 0; i < 2; i++) {
        exchanges[i].number = i;
        assert_int_equal(pthread_create(&exchanges[i].thread, NULL, exchange, &exchanges[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(exchanges[i].thread, NULL);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < UNDER_WAY; k++)
            take(&exchanges[1 - i], &exchanges[i].offered[k]);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(exchanges[i].wrong, 0);
        assert_true(exchanges[i].own > 0 && exchanges[i].others > 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_null(efg_requests_find(&tables[i], handle(7)));
        assert_int_equal(tables[i].count, 0);
    }
}

static int begin(void **state)
{
    (void)state;
    for (uint16_t i = 0; i < TABLES; i++)
        efg_requests_init(&tables[i], i);
    return 0;
}

/* Persistent ones are there for later, and wait for nothing. */
static void test_forgotten(void **state)
{
    static struct efg_requests one;
    struct efg_request *kept;

    (void)state;
    efg_requests_forget(&one);
    for (uint32_t i = 1; i <= 100; i++)
        efg_requests_add(&one, handle(i % 10 + 1));
    kept = efg_requests_add(&one, handle(5));
    kept->is_persistent = kept->is_active = 1;
    efg_requests_forget(&one);
    assert_int_equal(one.count, 1);
    assert_ptr_equal(efg_requests_find(&one, handle(5)), kept);
    assert_int_equal(kept->is_active, 0);
    for (uint32_t i = 1; i <= 10; i++)
        assert_true(i == 5 || !efg_requests_find(&one, handle(i)));
    struct efg_request *next = efg_requests_add(&one, handle(7));
    assert_ptr_equal(efg_requests_find(&one, handle(7)), next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_is_not_kept),
        cmocka_unit_test(test_found_is_the_oldest),
        cmocka_unit_test(test_restarted_ones_come_last),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_own_ones_first_then_others),
        cmocka_unit_test(test_each_leaves_out_what_others_claim),
        cmocka_unit_test(test_refers_to_communicators),
        cmocka_unit_test(test_news),
        cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_threads_complete_each_other_s),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
