/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thrift: does less where watching takes more than its share of the time (core/window/limit.h decides what).
 * The leader looks at what it has spent at each sample.
 *
 * Polls: one of EFG_THRIFT_POLLS_LEAST is measured and stands for those before it, or of more, up to
 * EFG_THRIFT_POLLS_MOST, where they come often; the others are counted, and what they find is an event that
 * took no time. One that has found nothing lets the next ones pass unseen, as long as they find nothing and
 * no other call comes.
 *
 * Pauses: calls pass unseen, but for those that make and free communicators, windows and files; where
 * passing alone would take much of the limit, most of them do not come here at all (bypass.h). Then
 * numbers of iterations are those of this rank only; so before the first pause all ranks agree that no
 * window follows (agree.h). Where the order of calls is asked for explicitly, by `sequence` or by recording
 * all, or iterations of the whole run are while the limit is not, or where several threads call MPI, watching
 * does not pause, and the summary says that the limit was exceeded.
 */
#ifndef EFG_THRIFT_H
#define EFG_THRIFT_H

#include <stdbool.h>

#include "files/run/runfile.h"
#include "threads.h"

#define EFG_THRIFT_POLLS_LEAST 61
#define EFG_THRIFT_POLLS_MOST 509

/* THREAD, the leader, has taken a sample. It may pause from here on. */
void efg_thrift_look(struct efg_thread *thread, uint64_t now);

/* Whether it would pause, if no window was to follow; and has paused before. */
bool efg_thrift_would_pause(void);
bool efg_thrift_has_paused(void);

/* Of how many blocks of iterations the ring is to record one; 0: of none. */
uint32_t efg_thrift_step(void);

/* A CALL of a thread that is_sparing begins. */
enum efg_spared { EFG_SPARED_NOTHING, EFG_SPARED_EVENT /* leave is wanted */, EFG_SPARED_ALL };
enum efg_spared efg_thrift_enter(struct efg_thread *thread, struct efg_call *call);

/* Polls that have passed unseen are counted, and no further one passes until efg_thrift_leave. The one that
 * has found something, or failed, is as if EFG_SPARED_EVENT had been the answer. */
void efg_thrift_count_passed(struct efg_thread *thread);

/* Such a call, for which EFG_SPARED_EVENT was the answer, has returned. Returns false if it is an event. */
bool efg_thrift_leave(struct efg_thread *thread, struct efg_call *call, int result);

/* The program ends while this thread may pause. */
void efg_thrift_end(uint64_t now);

/* What was left out, for the run file; of pauses, those of the thread ONLY, or of all if that is NULL. */
void efg_thrift_known(struct efg_run_rank *rank, struct efg_thread *only);

#endif
