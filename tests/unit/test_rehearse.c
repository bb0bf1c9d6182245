/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small time-independent traces of two ranks. Whether they come to an end is what smpirun of SimGrid 3.32 has
 * said of each.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "export/rehearse.h"

static char area[] = "/tmp/efgtrace-rehearse.XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(area) && !chdir(area) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink("rank-0.txt") || unlink("rank-1.txt") || rmdir(area);
}

/* ACTIONS, with "; " between them, are those of a rank. */
static void write_rank(unsigned rank, const char *actions)
{
    char name[32];
    snprintf(name, sizeof name, "rank-%u.txt", rank);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "%u init\n", rank);
    for (size_t length; length = strcspn(actions, ";"), length; actions += length + (actions[length] ? 2 : 0))
        fprintf(file, "%u %.*s\n", rank, (int)length, actions);
    fprintf(file, "%u finalize\n", rank);
    fclose(file);
}

static void assert_rehearsed(int wanted, const char *first, const char *second)
{
    char message[256];
    write_rank(0, first);
    write_rank(1, second);
    assert_int_equal(efg_rehearse(".", 2, message, sizeof message), wanted);
}

static void test_receive(void **state)
{
    (void)state;
    assert_rehearsed(0, "send 1 7 10", "recv 0 7 10");
    assert_rehearsed(-EDEADLK, "send 1 7 10", "recv 0 8 10");
    assert_rehearsed(0, "send 1 1 10; recv 1 1 10", "send 0 1 10; recv 0 1 10");
    assert_rehearsed(-EDEADLK, "recv 1 1 10; send 1 1 10", "recv 0 1 10; send 0 1 10");
}

/* From 64 KiB on a message is not sent before it is received. */
static void test_large(void **state)
{
    (void)state;
    assert_rehearsed(0, "send 1 1 65535; recv 1 1 65535", "send 0 1 65535; recv 0 1 65535");
    assert_rehearsed(-EDEADLK, "send 1 1 65536; recv 1 1 65536", "send 0 1 65536; recv 0 1 65536");
    assert_rehearsed(-EDEADLK, "isend 1 1 70000; wait 0 1 1; recv 1 1 70000",
                     "isend 0 1 70000; wait 1 0 1; recv 0 1 70000");
    assert_rehearsed(0, "isend 1 1 70000; recv 1 1 70000; wait 0 1 1",
                     "isend 0 1 70000; recv 0 1 70000; wait 1 0 1");
}

/* Requests to itself are waited for in the order in which they began. */
static void test_self(void **state)
{
    (void)state;
    assert_rehearsed(0, "irecv 0 1 10; isend 0 1 10; wait 0 0 1; wait 0 0 1", "compute 1");
    assert_rehearsed(-EDEADLK, "irecv 0 1 10; wait 0 0 1; isend 0 1 10; wait 0 0 1", "compute 1");
}

/* The second wait is for the third message. */
static void test_receives_between(void **state)
{
    (void)state;
    assert_rehearsed(-EDEADLK, "irecv 1 1 9; recv 1 1 9; irecv 1 1 9; wait 1 0 1; wait 1 0 1; send 1 2 9",
                     "send 0 1 9; send 0 1 9; recv 0 2 9; send 0 1 9");
    assert_rehearsed(0, "irecv 1 1 9; recv 1 1 9; irecv 1 1 9; wait 1 0 1; send 1 2 9; wait 1 0 1",
                     "send 0 1 9; send 0 1 9; recv 0 2 9; send 0 1 9");
}

static void test_all(void **state)
{
    (void)state;
    assert_rehearsed(0, "barrier; recv 1 1 9", "barrier; send 0 1 9");
    assert_rehearsed(-EDEADLK, "recv 1 1 9; barrier", "barrier; send 0 1 9");
    assert_rehearsed(-EDEADLK, "barrier; barrier", "barrier");
}

static void test_damaged(void **state)
{
    (void)state;
    assert_rehearsed(-EBADMSG, "send 1 7", "compute 1");
    assert_rehearsed(-EBADMSG, "wait 1 0", "compute 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_receive),          cmocka_unit_test(test_large), cmocka_unit_test(test_self),
        cmocka_unit_test(test_receives_between), cmocka_unit_test(test_all),   cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
