/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracer: joins the parts of the runtime. It gets every MPI call from the wrappers, and feeds the
 * graph of the thread and its recorder.
 *
 *     wrap.c -> tracer.c      enter, leave: call path, clock, graph, recorder
 *               threads.c     the state of each thread
 *               coarse.c      what to do when the graph finds no room
 *               leader.c      which thread steers
 *               steer.c       samples and visits of the pivot
 *               mainloop.c    the loop and the pivot of this rank
 *               rounds.c      what the ranks say to one another
 *               act.c         does what core/window/control.h decides
 *               asked.c       what the program asks for
 *               windows.c     what is recorded
 *               ring.c        what may yet be kept
 *               why.c         what the log says of why
 *               iterations.c  how long iterations take
 *               known.c       all that is known, as the run file has it
 *               save.c        what is left if the job is killed
 *               cost.c        what all this costs
 *               thrift.c      what is left out where that is too much
 *
 * State is per thread, except for what the ranks agree on: that is steered by one thread,
 * the leader.
 */
#ifndef EFG_TRACER_H
#define EFG_TRACER_H

#include <stdbool.h>

#include "runtime/calls/call.h"
#include "threads.h"

/* CALL begins; returns false if it is not traced. It has returned with RESULT. */
bool efg_tracer_enter(struct efg_call *call);
void efg_tracer_leave(struct efg_call *call, int result);

/* These; or, not IS_LIVE, the like of them without the question whether a thread is shown (live.h). */
const struct efg_hooks *efg_tracer_hooks(bool is_live);

/* MPI_Pcontrol; efgtrace_begin, efgtrace_end; efgtrace_record. */
void efg_tracer_control(int level, const char *name, const uintptr_t *frame);
void efg_tracer_region(int level, const char *name, const uintptr_t *frame);
void efg_tracer_record(uint64_t iterations);
/* A region begins or ends in the function that has called the one with this FRAME; none that the user
 * has asked to tell calls apart by. */
void efg_tracer_within(int level, const char *name, const uintptr_t *frame);
/* In the parallel region that ends now, THREAD of its team worked from BEGIN to END, in ticks. */
void efg_tracer_part(uint32_t thread, uint64_t begin, uint64_t end);

#endif
