/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mapped files that are cut short: what is guarded can be touched all the same, and a SIGBUS of
 * anything else comes to whoever would have had it without us.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/disk/guard.h"

#define SIZE ((size_t)4 << 20)

/* A file of SIZE bytes of 1, which has no name, mapped. */
static char *map_file(int *file)
{
    *file = memfd_create("guard", MFD_CLOEXEC);
    assert_int_equal(ftruncate(*file, SIZE), 0);
    char *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    memset(map, 1, SIZE);
    return map;
}

static void unmap(char *map, int file)
{
    munmap(map, SIZE);
    close(file);
}

static void test_cut(void **state)
{
    int file;
    volatile char *map = map_file(&file);
    (void)state;

    efg_guard_add((char *)map, SIZE);
    assert_false(efg_guard_is_cut((char *)map));
    assert_int_equal(ftruncate(file, 10000), 0);
    map[9999] = 2;
    assert_false(efg_guard_is_cut((char *)map));
    map[SIZE - 1] = 3;
    assert_true(efg_guard_is_cut((char *)map));
    for (size_t at = 12288; at < SIZE; at++) {
        assert_int_equal(map[at], 0); /* what was there is lost, be it that it was stored later */
        map[at] = 4;
    }
    assert_int_equal(map[9999], 2);
    assert_true(efg_guard_remove((char *)map));
    unmap((char *)map, file);
}

static void *touch(void *map)
{
    for (size_t at = 0; at < SIZE; at += 4096)
        ((volatile char *)map)[at]++;
    return NULL;
}

/* Each in its own mapping, and all at once. */
static void test_threads(void **state)
{
    pthread_t thread[8];
    int file[8];
    char *map[8];
    (void)state;

    for (int i = 0; i < 8; i++) {
        map[i] = map_file(&file[i]);
        efg_guard_add(map[i], SIZE);
        assert_int_equal(ftruncate(file[i], 0), 0);
        assert_int_equal(pthread_create(&thread[i], NULL, touch, map[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(map[i][SIZE - 4096], 1);
        assert_true(efg_guard_remove(map[i]));
        unmap(map[i], file[i]);
    }
}

static sigjmp_buf target;
static volatile int seen;
static void *volatile place;

static void note_info(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    seen = 1;
    place = info->si_addr;
    siglongjmp(target, 1);
}

static void note(int signal)
{
    seen = signal;
    siglongjmp(target, 1);
}

/* SIGBUS at MAP, whose file is gone. */
static void fault(volatile char *map)
{
    seen = 0;
    if (!sigsetjmp(target, 1))
        map[5] = 1;
}

static void assert_passes(const struct sigaction *theirs, int wanted)
{
    struct sigaction now;
    int file, other;
    char *map = map_file(&file), *guarded = map_file(&other);

    assert_int_equal(sigaction(SIGBUS, theirs, NULL), 0);
    efg_guard_add(guarded, SIZE);
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(ftruncate(other, 0), 0);
    fault(guarded);
    assert_int_equal(seen, 0);
    fault(map);
    assert_int_equal(seen, wanted);
    if (theirs->sa_flags & SA_SIGINFO)
        assert_ptr_equal(place, map + 5);
    assert_true(efg_guard_remove(guarded));
    sigaction(SIGBUS, NULL, &now);
    assert_ptr_equal(now.sa_handler, theirs->sa_handler);
    unmap(map, file);
    unmap(guarded, other);
}

static void test_others_have_theirs(void **state)
{
    struct sigaction none = {.sa_handler = SIG_DFL};
    (void)state;
    assert_passes(&(struct sigaction){.sa_handler = note}, SIGBUS);
    assert_passes(&(struct sigaction){.sa_sigaction = note_info, .sa_flags = SA_SIGINFO}, 1);
    sigaction(SIGBUS, &none, NULL);
}

/* How a process ends that is guarded, does what HOW says, and goes on. */
enum how { FAULT, SEND, SEND_IGNORED, FAULT_IGNORED, FAULT_ONCE };

static int end_of(enum how how)
{
    int status, file;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        char *map = map_file(&file), *guarded = map_file(&(int){0});
        signal(SIGBUS, SIG_DFL); /* the tests have one of theirs */
        if (how == SEND_IGNORED || how == FAULT_IGNORED)
            signal(SIGBUS, SIG_IGN);
        if (how == FAULT_ONCE)
            sigaction(SIGBUS, &(struct sigaction){.sa_handler = note, .sa_flags = SA_RESETHAND}, NULL);
        efg_guard_add(guarded, SIZE);
        if (how == SEND || how == SEND_IGNORED)
            kill(getpid(), SIGBUS);
        if (how == FAULT || how == FAULT_IGNORED || how == FAULT_ONCE) {
            if (ftruncate(file, 0) != 0)
                _exit(9);
            fault(map);
            if (how == FAULT_ONCE)
                *(volatile char *)map = 1;
        }
        _exit(7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void test_default(void **state)
{
    (void)state;
    assert_int_equal(end_of(FAULT), SIGBUS);
    assert_int_equal(end_of(SEND), SIGBUS);
    assert_int_equal(end_of(SEND_IGNORED), -7);
    assert_int_equal(end_of(FAULT_IGNORED), SIGBUS); /* as the kernel does it */
    assert_int_equal(end_of(FAULT_ONCE), SIGBUS);
}

/* A handler that is set on top of ours stays, and may call ours: nobody goes in circles. */
static struct sigaction below_it;
static volatile int calls;

static void call_on(int signal, siginfo_t *info, void *context)
{
    calls++;
    below_it.sa_sigaction(signal, info, context);
}

static void test_covered(void **state)
{
    struct sigaction theirs = {.sa_handler = note}, now,
                     cover = {.sa_sigaction = call_on, .sa_flags = SA_SIGINFO};
    int file, other;
    char *map = map_file(&file), *guarded = map_file(&other);
    (void)state;

    sigaction(SIGBUS, &theirs, NULL);
    efg_guard_add(guarded, SIZE);
    sigaction(SIGBUS, &cover, &below_it);
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(ftruncate(other, 0), 0);
    fault(guarded);
    assert_true(calls == 1 && !seen);
    efg_guard_remove(guarded);
    efg_guard_add(guarded, SIZE);
    sigaction(SIGBUS, NULL, &now);
    assert_ptr_equal(now.sa_sigaction, call_on);
    fault(map);
    assert_true(calls == 2 && seen == SIGBUS);
    efg_guard_remove(guarded);
    unmap(map, file);
    unmap(guarded, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_others_have_theirs),
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_covered), /* last: from here on, ours is not set again */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
