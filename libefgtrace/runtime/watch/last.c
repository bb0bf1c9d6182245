/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Saves the graph when a signal is about to end the process. A signal may come anywhere: in the middle of
 * malloc, or with locks held. So it is not this process that saves, but a copy of it, with memory, a stack
 * and files of its own; whatever happens to that copy, even if it waits for a lock for ever, this process
 * ends by SIGTERM as it would have.
 *
 *     handler:  in code of ours?  -> the same signal once more, a little later
 *               copy  ----------------> the piece of this thread
 *               the default action
 *
 * In code of ours the graph may be half of what it will be; where that takes long or takes a
 * lock, no signal comes (signals.h). Other threads may be anywhere: what they have saved last
 * stays.
 *
 * Batch systems end what is left of a job when its processes have ended, and wait for these; so
 * this process waits for the copy, a moment at most. Launchers of MPI wait for nobody: when one
 * process has ended, they kill the groups of the others, by SIGKILL. There the copy goes on
 * alone, in a group of its own, and all processes of a node end at the same moment: so each of
 * them has met SIGTERM before, and none ends by another signal. That moment is the next beat of
 * the clock that they share, and the kernel sees to it.
 *
 * The copy is made by clone without a signal at its end: no handler of the application learns
 * of it, and none of fork's is called, which would wait for malloc.
 */
#define _GNU_SOURCE
#include "last.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "events.h"
#include "keep.h"
#include "runtime/base/clock.h"
#include "runtime/base/heap.h"
#include "runtime/process/job.h"
#include "save.h"
#include "threads.h"

#define STACK ((size_t)1 << 20) /* bytes */
#define LONGEST 3000            /* ms: for the copy, where it is waited for */
#define PATIENCE 5              /* s that the copy goes on at most */
#define LATER 200000            /* ns */
#define MOST_TRIES 50
#define SECOND 1000000000ull
#define BEAT (SECOND / 4)          /* ns: processes of a node end at a multiple of it ... */
#define LEAST (SECOND / 1000 * 30) /* ... that is so far ahead, or further */

extern const char __ehdr_start[], etext[] __attribute__((visibility("hidden")));

static pid_t owner;          /* the process that set the handler; 0: it is not set */
static char *stack;          /* of the copy */
static bool is_waiting;      /* for the copy */
static int is_saving, tries; /* atomic */

/* --- the copy --- */

/* Nothing is said, no file of the process is held, and a fault of ours ends it without a word.
 */
static void withdraw(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    const struct rlimit none = {0, 0};
    struct sigaction end = {.sa_handler = SIG_DFL};
    sigset_t others;

    setpgid(0, 0);
    sigfillset(&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sigaction(faults[i], &end, NULL);
        sigdelset(&others, faults[i]);
    }
    sigprocmask(SIG_SETMASK, &others, NULL);
    setrlimit(RLIMIT_CORE, &none);
    int null = open("/dev/null", O_RDWR);
    for (int file = 0; file < 3; file++)
        dup2(null, file);
#ifdef SYS_close_range
    syscall(SYS_close_range, 3, ~0u, 0);
#endif
    alarm(PATIENCE);
}

static int save_piece(void *thread)
{
    struct efg_thread *t = thread;

    withdraw();
    if (efg_heap_begin() != 0)
        return 1;
    uint64_t now = efg_clock_ticks();
    efg_events_add(t, now, false);
    efg_save_last(t, now);
    efg_keep_files();
    efg_keep_end();
    return 0;
}

/* Returns the copy, or -1. */
static pid_t let_save(struct efg_thread *t)
{
    pid_t copy = clone(save_piece, stack + STACK, 0, t);

    if (copy > 0)
        setpgid(copy, copy); /* who comes first: it, or what kills the group of this process */
    return copy;
}

/* --- the signal once more --- */

/* AT that time, as timer_settime takes it. Returns whether it will come. */
static bool come_at(struct timespec at, int flags)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
    const struct itimerspec once = {.it_value = at};
    int timer; /* the kernel's */

    return syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0 &&
           syscall(SYS_timer_settime, timer, flags, &once, NULL) == 0;
}

static bool come_again(void)
{
    return __atomic_fetch_add(&tries, 1, __ATOMIC_RELAXED) < MOST_TRIES &&
           come_at((struct timespec){0, LATER}, 0);
}

static bool is_in_our_code(const void *context)
{
#ifdef __x86_64__
    const ucontext_t *at = context;
    const char *here = (const char *)at->uc_mcontext.gregs[REG_RIP];
    return here >= __ehdr_start && here < etext;
#else
    (void)context;
    return 0;
#endif
}

/* --- the end --- */

static void wait_for(pid_t copy)
{
    const struct timespec moment = {0, 1000000};

    for (int i = 0; i < LONGEST && waitpid(copy, NULL, __WCLONE | WNOHANG) == 0; i++)
        nanosleep(&moment, NULL);
}

/* At the next beat the signal comes, which has its default action by now. */
static void wait_for_others(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    uint64_t now = (uint64_t)at.tv_sec * SECOND + (uint64_t)at.tv_nsec;
    uint64_t beat = ((now + LEAST) / BEAT + 1) * BEAT;
    at = (struct timespec){(time_t)(beat / SECOND), (long)(beat % SECOND)};
    if (!come_at(at, TIMER_ABSTIME))
        return;
    at.tv_sec++;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void end_process(int signal, pid_t copy)
{
    struct sigaction end = {.sa_handler = SIG_DFL};
    sigset_t one;

    sigaction(signal, &end, NULL);
    sigemptyset(&one);
    sigaddset(&one, signal);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    if (copy > 0 && is_waiting)
        wait_for(copy);
    else if (copy > 0)
        wait_for_others();
    kill(getpid(), signal);
}

/* --- the handler --- */

static struct efg_thread *own_thread(void)
{
    struct efg_thread *t = efg_threads_become(NULL);

    efg_threads_become(t);
    return t;
}

static void handle(int signal, siginfo_t *info, void *context)
{
    int saved = errno, is_owner = getpid() == owner;
    struct efg_thread *t = is_owner ? own_thread() : NULL;

    (void)info;
    if ((t && is_in_our_code(context) && come_again()) ||
        (is_owner && __atomic_exchange_n(&is_saving, 1, __ATOMIC_RELAXED))) {
        errno = saved; /* another thread is at it */
        return;
    }
    end_process(signal, t ? let_save(t) : -1);
}

static bool is_ours(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == handle;
}

void efg_last_begin(void)
{
    struct sigaction before, ours = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

    if (efg_job.conf.save == 0 || !efg_job.folder[0] || sigaction(SIGTERM, NULL, &before) != 0 ||
        before.sa_flags & SA_SIGINFO || before.sa_handler != SIG_DFL)
        return;
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                 -1, 0);
    if (stack == MAP_FAILED)
        return;
    is_waiting = !getenv("OMPI_COMM_WORLD_RANK") && !getenv("MPI_LOCALRANKID");
    owner = getpid();
    sigaction(SIGTERM, &ours, NULL);
}

void efg_last_end(void)
{
    struct sigaction now, end = {.sa_handler = SIG_DFL};

    if (owner == getpid() && sigaction(SIGTERM, NULL, &now) == 0 && is_ours(&now))
        sigaction(SIGTERM, &end, NULL);
}
