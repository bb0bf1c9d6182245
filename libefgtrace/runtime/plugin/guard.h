/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guard: calls functions of plug-ins. One that crashes, throws an exception, takes too long or calls MPI is
 * named on standard error and in the summary, and its plug-in is not called any more.
 */
#ifndef EFG_PLUGIN_GUARD_H
#define EFG_PLUGIN_GUARD_H

#include <pthread.h>
#include <setjmp.h>

#include "list.h"
#include "runtime/watch/threads.h"

/* A call of a plug-in that is under way; on the stack. */
struct efg_attempt {
    sigjmp_buf jump;
    uint64_t number; /* that of its guard; anything else once the stack is used for something else */
};

/* Of each thread that calls plug-ins. It is taken over as efg_thread is, and stays. */
struct efg_guard {
    const struct efg_thread *thread;
    pthread_t self;
    struct efg_attempt *attempt; /* the present one, or NULL; atomic, as are those up to FUNCTION */
    struct efg_plugin *plugin;
    uint64_t number, since; /* of the attempt: counted, and ticks */
    const char *moment, *function; /* "pre of ", "MPI_Send" */
    struct efgtrace_event event;   /* the present call of the application */
    bool is_followed;              /* ... which the tracer wants to see returning */
    struct efg_guard *next;
};

/* That of this thread, whose state is THREAD; NULL without memory. And of all of them. */
struct efg_guard *efg_guard_of(const struct efg_thread *thread);
struct efg_guard *efg_guards(void);

/* Do CALL(PLUGIN, DATA), unless the plug-in is out. What it is, for people: "pre of " "MPI_Send". */
typedef void efg_plugin_call(const struct efg_plugin *plugin, const void *data);
void efg_guard_call(struct efg_guard *guard, struct efg_plugin *plugin, const char *moment,
                    const char *function, efg_plugin_call *call, const void *data);

/* Take the signals of faults, and give them back. */
void efg_guard_begin(void);
void efg_guard_end(void);

/* The attempt NUMBER of GUARD takes too long: leave it. Returns whether that can be done. */
bool efg_guard_interrupt(const struct efg_guard *guard, uint64_t number);

/* Whether this thread, which is about to end the process, is in an attempt: that is said. */
bool efg_guard_is_left(void);

#endif
