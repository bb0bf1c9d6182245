/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Totals: what the summary needs from all ranks, as sums, minima and maxima, so that it can be
 * combined in a tree. All-zero totals are those of no rank.
 */
#ifndef EFG_TOTALS_H
#define EFG_TOTALS_H

#include "base/buffer.h"
#include "openmp.h"

#define EFG_TOTALS_NOTES 16 /* different notes that are kept */

struct efg_totals_note {
    char *text;
    uint32_t rank;  /* the first one that has it */
    uint64_t count; /* of ranks */
};

struct efg_totals { /* to add a total: see fields_of_totals in totals.c */
    /* Sums over ranks and threads. */
    uint64_t ranks, hosts, threads;
    uint64_t calls, recorded;              /* MPI calls: made, recorded */
    uint64_t polls;                        /* of those made: found nothing */
    struct efg_totals_moved {
        uint64_t operations, bytes, time; /* calls that moved data; ns in them and in all others */
    } rma, file_io;                       /* one-sided communication; MPI-IO */
    struct {
        uint64_t messages, collectives, polls; /* parts of in_mpi; polls: those that found nothing */
    } within;
    uint64_t all_count, all_time, all_mpi; /* iterations: how many, ns, ns in MPI */
    uint64_t recorded_count, recorded_time, recorded_mpi; /* the same of those recorded */
    uint64_t like_count, like_time, like_mpi; /* of all iterations of those that recorded some */
    uint64_t time, in_mpi;                                /* ns: of runs, but for pauses; in MPI */
    uint64_t paused, unwatched;                           /* ns in pauses of watching; calls then */
    uint64_t cost;                                        /* ns */
    uint64_t with_loop;                                   /* ranks with a main loop */
    uint64_t with_window;        /* ranks, each of these: with a window; */
    uint64_t incomplete;         /* one of them ended early */
    uint64_t with_short_log;     /* a log ended early, for want of room */
    uint64_t disagreed;          /* one of them was not agreed on */
    uint64_t followers;          /* windows are those of others: it does not have their loop */
    uint64_t alone;              /* recorded without the others */
    uint64_t drifted;            /* counted iterations differently */
    uint64_t overflow, unstable; /* graphs */
    uint64_t crowded;            /* hosts whose ranks share cores */
    uint64_t processor_used, processor_waited; /* ns, as in struct efg_run_processor */
    struct efg_openmp_totals openmp; /* parallel regions; but of threads, the most */
    uint64_t openmp_ranks, openmp_time, openmp_mpi; /* ranks that have some; of these, as time and in_mpi */
    /* Least. */
    uint64_t nodes_least;
    uint64_t unserved_least; /* millionths of the time that a rank could have run: it had no processor */
    uint64_t start;                                      /* ns since 1970 */
    uint64_t without_first, follower_first, alone_first; /* ranks: the first one without a
                                   window, that follows, that is alone; UINT64_MAX: none */
    /* Most. */
    uint64_t end;                    /* ns since 1970 */
    uint64_t nodes_most, edges_most; /* of a thread */
    uint64_t stable_most,
        growth_most; /* ns from the start until a graph was stable, last grew */
    uint64_t memory_most, init_most, clock_error_most;
    uint64_t unserved_most; /* as unserved_least */
    uint64_t accuracy_most, error_most; /* as in efg_run_rank */
    uint64_t limit_most; /* millionths: the limit of what watching may take */
    uint64_t grace_most; /* ns that a shorter run counts as, for it */
    uint64_t limited; /* set of enum efg_limited: of any of them */
    uint64_t dropped; /* set of enum efg_drop: of any of them */
    /* The rank that represents the run: of those that counted the iterations of windows, else
     * of those with a main loop, the one with the most time in iterations; else the first one.
     */
    uint64_t speaker, speaker_standing, speaker_time, speaker_events;
    uint64_t computed_by, computed_most; /* the rank that is longest outside MPI: ns */
    /* The host whose ranks share cores most: how many ranks, threads of them that compute, cores. */
    struct efg_totals_crowd {
        uint64_t ranks, threads, cores;
    } crowd;
    char *crowd_host;
    char *said; /* by plug-ins, as said.h has it */
    char *counters; /* as counters.h has them */
    /* Notes of ranks, and how many more ranks have others. */
    uint32_t note_count;
    uint64_t notes_left;
    struct efg_totals_note notes[EFG_TOTALS_NOTES];
};

struct efg_run_rank;
struct efg_run_names;

/* Add RANK, without what the ranks of a host share. Returns 0 or -ENOMEM. */
int efg_totals_rank(struct efg_totals *totals, const struct efg_run_rank *rank);

/* What of RANK, whose calls have NAMES, is one-sided, what is MPI-IO, and what its time in MPI is. */
void efg_totals_classes(struct efg_totals *totals, const struct efg_run_names *names,
                        const struct efg_run_rank *rank);

/* Add a host and the COUNT RANKS on it, which are sorted by their cores. Returns the same. */
int efg_totals_host(struct efg_totals *totals, struct efg_run_rank *ranks, uint32_t count);

/* Add MORE, of later ranks, which is empty then. */
void efg_totals_add(struct efg_totals *totals, struct efg_totals *more);
void efg_totals_fini(struct efg_totals *totals);

void efg_totals_put(struct efg_buffer *out, const struct efg_totals *totals);
int efg_totals_get(struct efg_totals *totals, const void *bytes, size_t size);

#endif
