/* SPDX-License-Identifier: BSD-3-Clause */
/* All is read and written, whatever the system does in between. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"

#define MUCH ((size_t)4 << 20) /* bytes: more than a pipe holds */

static volatile sig_atomic_t interruptions;

static void interrupt(int number)
{
    (void)number;
    interruptions++;
}

static int new_file(void)
{
    char path[] = "/tmp/efgtrace-io.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    return file;
}

/* Signals, each of which ends a system call. */
static void send_signals(int on)
{
    struct sigaction action = {.sa_handler = interrupt};
    struct itimerval often = {{0, on ? 300 : 0}, {0, on ? 300 : 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

/* Wait, then look whether what comes out of FILE is 1, 1, 1, ... */
static void read_slowly(int file)
{
    char bytes[10000];
    size_t all = 0;
    ssize_t got;
    for (; (got = read(file, bytes, sizeof bytes)) > 0; all += (size_t)got) {
        if (all % 7 == 0)
            usleep(500);
        for (ssize_t i = 0; i < got; i++)
            if (bytes[i] != 1)
                _exit(1);
    }
    _exit(all != MUCH);
}

static void test_pipe_with_signals(void **state)
{
    int ends[2], status;
    char *bytes = malloc(MUCH);
    (void)state;

    memset(bytes, 1, MUCH);
    assert_int_equal(pipe(ends), 0);
    pid_t reader = fork();
    if (!reader) {
        close(ends[1]);
        usleep(20000); /* the pipe is full by then, and who writes is interrupted */
        read_slowly(ends[0]);
    }
    send_signals(1);
    assert_int_equal(efg_write_all(ends[1], bytes, MUCH, EFG_IO_NEXT), 0);
    send_signals(0);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_int_equal(status, 0);
    assert_true(interruptions > 0);
    free(bytes);
}

static void test_places(void **state)
{
    int file = new_file();
    char bytes[8] = "";
    (void)state;

    assert_int_equal(efg_write_all(file, "abc", 3, EFG_IO_NEXT), 0);
    assert_int_equal(efg_write_all(file, "def", 3, EFG_IO_NEXT), 0);
    assert_int_equal(efg_write_all(file, "X", 1, 1), 0);
    assert_int_equal(efg_read_all(file, bytes, 6, 0), 0);
    assert_string_equal(bytes, "aXcdef");
    assert_int_equal(efg_read_all(file, bytes, 2, 4), 0);
    assert_memory_equal(bytes, "ef", 2);
    assert_int_equal(efg_read_all(file, bytes, 0, 100), 0);
    close(file);
}

static void test_shorter_file(void **state)
{
    int file = new_file();
    char bytes[8];
    (void)state;

    assert_int_equal(efg_write_all(file, "abc", 3, 0), 0);
    assert_int_equal(efg_read_all(file, bytes, 4, 0), -EIO);
    assert_int_equal(efg_read_all(file, bytes, 1, 3), -EIO);
    close(file);
}

static void test_largest_file(void **state)
{
    int file = new_file();
    struct rlimit before, limit;
    char bytes[200] = "";
    (void)state;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){100, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int error = efg_write_all(file, bytes, sizeof bytes, 0); /* first a part, then nothing */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(error, -EFBIG);
    assert_int_equal(lseek(file, 0, SEEK_END), 100);
    close(file);
}

static void test_errors(void **state)
{
    int full = open("/dev/full", O_WRONLY), ends[2];
    char byte = 0;
    (void)state;

    assert_true(full >= 0);
    assert_int_equal(efg_write_all(full, &byte, 1, EFG_IO_NEXT), -ENOSPC);
    close(full);
    assert_int_equal(efg_write_all(-1, &byte, 1, 0), -EBADF);
    assert_int_equal(efg_read_all(-1, &byte, 1, 0), -EBADF);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(efg_write_all(ends[1], &byte, 1, EFG_IO_NEXT), -EPIPE);
    assert_int_equal(efg_write_all(ends[1], &byte, 1, 0), -ESPIPE);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipe_with_signals),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_shorter_file),
        cmocka_unit_test(test_largest_file),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
