/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logs of jobs that never ran, with records of every kind. Times are given in ns since the
 * job's start; every rank has a clock of its own.
 */
#ifndef EFG_TEST_OTF2_LOGS_H
#define EFG_TEST_OTF2_LOGS_H

#include "files/log/log.h"

#define SYNTH_RANKS 4
#define SYNTH_START UINT64_C(1700000000000000000) /* ns since 1970 */

enum synth_comm { /* ids in the logs, far from 0 and in no order on purpose */
                  SYNTH_WORLD = 70,
                  SYNTH_SELF = 12,
                  SYNTH_COPY = 1000000, /* of the world */
                  SYNTH_HALF = 3,       /* ranks of the same parity; child of the copy */
                  SYNTH_INTER = 4,      /* both halves */
};
enum { SYNTH_WIN = 9, SYNTH_FILE = 5, SYNTH_GROUP = 18 }; /* GROUP: the next rank */

struct synth { /* a log that is being written */
    struct efg_log log;
    uint32_t rank;
    uint64_t now; /* ns since SYNTH_START */
    uint64_t ticks_per_second, ticks;
    uint32_t request, known_calls;
};

/* Begin the log DIR/logs/RANK.THREAD.log of a job with RANKS ranks. */
void synth_open(struct synth *s, const char *dir, uint32_t rank, uint32_t thread,
                uint32_t ranks);
/* End it; IN_ORDER: as MPI_Finalize would, else as a kill would. */
void synth_close(struct synth *s, int in_order);
/* Put R, 100 ns after the one before. */
void synth_put(struct synth *s, struct efg_record r);
/* Enter and leave a function of MPI, by name, from call path PATH. */
void synth_enter(struct synth *s, const char *call, uint32_t path);
void synth_leave(struct synth *s, const char *call);
__attribute__((noinline)) /* or else the first bytes of its callers may be called its own */
void synth_mark(struct synth *s, uint16_t kind, uint64_t number);
/* Define PATH as the call sites WHERE, innermost first (0: an unknown module). */
void synth_path(struct synth *s, uint32_t path, const void *const *where, uint32_t count);
/* Define REGION, of the user, within AROUND (0: within none). */
void synth_region(struct synth *s, uint32_t region, uint32_t around, const char *name);
/* Define the conditions of the log; and PHASE, whose loop's function makes COUNT calls, at WHERE. */
void synth_when(struct synth *s, const char *conditions);
/* Define COUNT counters by their NAMES. */
void synth_counters(struct synth *s, uint32_t count, const char *names);
void synth_phase(struct synth *s, uint32_t phase, const void *const *where, uint32_t count);
void synth_comm(struct synth *s, uint32_t comm, uint32_t kind, uint32_t parent,
                uint64_t identity, uint32_t local, uint32_t remote, const uint32_t *ranks);

/* All communicators, a window, a file, and PATH 1: called from main, 2: from a function of it.
 */
void synth_define(struct synth *s);
/* An iteration with every kind of call; all ranks do it at the same time. */
void synth_iteration(struct synth *s, uint64_t number);
/* A whole log: two windows of 3 and 1 iterations. Returns how many words of records it has. */
uint64_t synth_log(const char *dir, uint32_t rank);

#endif
