/* SPDX-License-Identifier: BSD-3-Clause */
/* Trimming: what is kept of calls, requests and definitions at the edges of a span. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/trim.h"

#define ROOM 4096

static struct efg_record records[ROOM];
static size_t count;

static struct efg_record *add(uint64_t time, int kind, uint64_t e)
{
    records[count] = (struct efg_record){.time = time, .kind = (uint16_t)kind, .e = e};
    return &records[count++];
}

static void call(uint64_t enter, uint64_t leave, int kind, uint64_t e)
{
    add(enter, EFG_REC_ENTER, 0);
    if (kind)
        add(leave, kind, e);
    add(leave, EFG_REC_LEAVE, 0);
}

static int has(int kind, uint64_t e)
{
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == kind && records[i].e == e)
            return 1;
    return 0;
}

static int start(void **state)
{
    (void)state;
    count = 0;
    return 0;
}

static void test_calls_across_the_edges_go(void **state)
{
    (void)state;
    add(0, EFG_REC_WINDOW_BEGIN, 0);
    call(10, 20, EFG_REC_SEND, 0);  /* before */
    call(90, 110, EFG_REC_SEND, 0); /* across */
    call(110, 120, EFG_REC_SEND, 0);
    call(190, 200, EFG_REC_SEND, 0);
    call(195, 201, EFG_REC_SEND, 0); /* across */
    add(300, EFG_REC_WINDOW_END, 0);
    count = efg_trim(records, count, 100, 200);
    assert_int_equal(count, 2 + 2 * 3);
    assert_int_equal(records[0].kind, EFG_REC_WINDOW_BEGIN);
    assert_int_equal(records[0].time, 100);
    assert_int_equal(records[1].time, 110);
    assert_int_equal(records[count - 1].time, 200);
}

static void test_definitions_stay(void **state)
{
    (void)state;
    struct efg_record *d = add(0, EFG_REC_DEF_CALL, 1);
    d->d = 50; /* two records of payload, that look like calls */
    add(1, EFG_REC_ENTER, 77);
    add(1, EFG_REC_ENTER, 78);
    add(10, EFG_REC_ENTER, 0);
    d = add(0, EFG_REC_DEF_COMM, 2); /* inside of a call that goes */
    d->d = 40;
    add(0, EFG_REC_LEAVE, 79);
    add(20, EFG_REC_LEAVE, 0);
    count = efg_trim(records, count, 100, 200);
    assert_int_equal(count, 3 + 2);
    assert_true(has(EFG_REC_DEF_CALL, 1) && has(EFG_REC_ENTER, 77) && has(EFG_REC_ENTER, 78));
    assert_true(has(EFG_REC_DEF_COMM, 2) && has(EFG_REC_LEAVE, 79));
}

static void test_requests_across_the_edges(void **state)
{
    (void)state;
    call(10, 20, EFG_REC_ISEND, 1);
    call(20, 30, EFG_REC_IRECV_REQUEST, 2);
    call(110, 120, EFG_REC_ISEND, 3);
    call(130, 140, EFG_REC_ISEND_COMPLETE, 1); /* of a send that goes */
    call(140, 150, EFG_REC_IRECV, 2);          /* of a receive that goes */
    call(150, 160, EFG_REC_ISEND_COMPLETE, 3);
    count = efg_trim(records, count, 100, 200);
    assert_false(has(EFG_REC_ISEND, 1) || has(EFG_REC_ISEND_COMPLETE, 1) ||
                 has(EFG_REC_IRECV, 2));
    assert_true(has(EFG_REC_RECV, 0) && has(EFG_REC_ISEND, 3) &&
                has(EFG_REC_ISEND_COMPLETE, 3));
}

static void test_a_call_that_never_ended_goes(void **state)
{
    (void)state;
    call(110, 120, 0, 0);
    add(130, EFG_REC_ENTER, 0);
    add(130, EFG_REC_SEND, 0);
    count = efg_trim(records, count, 100, 200);
    assert_int_equal(count, 2);
}

/* Whatever the records are: calls stay whole, and nothing is invented. */
static void test_noise(void **state)
{
    (void)state;
    srand(3);
    for (int round = 0; round < 2000; round++) {
        size_t before = (size_t)rand() % 200;
        for (count = 0; count < before; count++) {
            records[count] = (struct efg_record){.time = (uint64_t)rand() % 300,
                                                 .kind = (uint16_t)(rand() % 45),
                                                 .d = (uint64_t)rand() % 100,
                                                 .e = (uint64_t)rand() % 8};
            if (rand() % 8 == 0)
                records[count].kind = (uint16_t)(EFG_REC_DEF_CALL + rand() % 6);
            if (rand() % 50 == 0)
                records[count].d = UINT64_MAX - (uint64_t)rand() % 100;
        }
        assert_true(efg_trim(records, before, 100, 200) <= before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_calls_across_the_edges_go, start),
        cmocka_unit_test_setup(test_definitions_stay, start),
        cmocka_unit_test_setup(test_requests_across_the_edges, start),
        cmocka_unit_test_setup(test_a_call_that_never_ended_goes, start),
        cmocka_unit_test_setup(test_noise, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
