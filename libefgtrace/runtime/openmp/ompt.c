/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runtimes of LLVM and Intel: they look for ompt_start_tool in the process, and call what it names.
 * Threads of a region tell when they begin their part of it, and when they wait; the last wait of each is
 * that for its end. These runtimes have the entry points of libgomp, too: a program of gcc may run with them.
 * Its regions are told of by gnu.c, which sees them first.
 *
 * Source: OpenMP 5.0, chapter 4, "OMPT interface". Its types are written down here, as gcc has no header of
 * them.
 */
#include <stddef.h>

#include "region.h"

#define EXPORT __attribute__((visibility("default")))

union data {
    uint64_t value;
    void *ptr;
};

struct frame {
    union data exit, enter; /* of the program; of the runtime that it has called */
    int exit_flags, enter_flags;
};

typedef void (*function)(void);
typedef function look_up(const char *name);
typedef int set_callback(int event, function callback);
typedef int get_task_info(int level, int *flags, union data **task, struct frame **frame,
                          union data **parallel, int *thread);

struct start_tool_result {
    int (*initialize)(look_up *find, int device, union data *tool);
    void (*finalize)(union data *tool);
    union data tool;
};

enum { PARALLEL_BEGIN = 3, PARALLEL_END = 4, IMPLICIT_TASK = 7, SYNC_REGION_WAIT = 16 }; /* events */
enum { BEGIN = 1, END = 2 };
enum { EXPLICIT = 3, TASKWAIT = 5, TASKGROUP = 6 }; /* what is waited for */

static get_task_info *task_info;
static _Atomic(struct efg_region *) own; /* the region at hand, if it is told of here */

/* Where the program has called the runtime. */
static const uintptr_t *frame_here(void)
{
    union data *task, *parallel;
    struct frame *frame = NULL;
    int flags, thread;
    if (!task_info || task_info(0, &flags, &task, &frame, &parallel, &thread) != 2 || !frame)
        return NULL;
    return frame->enter.ptr;
}

static void begin_parallel(union data *task, const struct frame *frame, union data *parallel, unsigned wanted,
                           int flags, const void *caller)
{
    (void)task, (void)wanted, (void)flags, (void)caller;
    parallel->ptr = frame && frame->enter.ptr ? efg_region_fork(frame->enter.ptr) : NULL;
    if (parallel->ptr)
        atomic_store(&own, parallel->ptr);
}

static void end_parallel(union data *parallel, union data *task, int flags, const void *caller)
{
    (void)task, (void)flags, (void)caller;
    const uintptr_t *frame = frame_here();
    struct efg_region *region = parallel->ptr;
    parallel->ptr = NULL;
    if (region) {
        efg_region_leave();
        atomic_store(&own, NULL);
        efg_region_join(region, frame);
    }
}

static void do_implicit_task(int endpoint, union data *parallel, union data *task, unsigned threads,
                             unsigned index, int flags)
{
    (void)task, (void)threads, (void)flags;
    if (endpoint == BEGIN && parallel && parallel->ptr)
        efg_region_enter(parallel->ptr, index);
    else if (endpoint == END && efg_region_is_inside())
        efg_region_leave();
}

static void wait(int kind, int endpoint, union data *parallel, union data *task, const void *caller)
{
    (void)parallel, (void)task, (void)caller;
    if (!atomic_load(&own) || !efg_region_is_inside() || kind == TASKWAIT || kind == TASKGROUP)
        return;
    const uintptr_t *frame = kind == EXPLICIT ? frame_here() : NULL;
    if (endpoint == BEGIN)
        efg_region_stop(frame != NULL, frame);
    else if (endpoint == END)
        efg_region_go(frame != NULL, frame);
}

static int initialize(look_up *find, int device, union data *tool)
{
    (void)device, (void)tool;
    set_callback *set = (set_callback *)find("ompt_set_callback");
    task_info = (get_task_info *)find("ompt_get_task_info");
    if (!set)
        return 0;
    set(PARALLEL_BEGIN, (function)begin_parallel);
    set(PARALLEL_END, (function)end_parallel);
    set(IMPLICIT_TASK, (function)do_implicit_task);
    set(SYNC_REGION_WAIT, (function)wait);
    return 1;
}

static void finalize(union data *tool)
{
    (void)tool;
}

EXPORT struct start_tool_result *ompt_start_tool(unsigned version, const char *runtime);

struct start_tool_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct start_tool_result result = {.initialize = initialize, .finalize = finalize};
    (void)version, (void)runtime;
    return &result;
}
