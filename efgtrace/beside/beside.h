/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two recorded iterations side by side: which call paths, on which ranks, took the difference.
 *
 *     time of an iteration on a rank = calls + computation before calls + that behind the last call
 *
 * Each of these is a row, summed over the ranks that have both iterations, so that the differences of
 * all rows sum up to that of the iterations, to the ns. A spin of polls that found nothing is a call.
 * Of a rank's threads those count that have iterations.
 *
 * The cause, in words: where a rank computed longer by at least half of what the iteration took longer, on
 * the rank with the largest difference, it is the rank that computed longest, and the call before which
 * it did most of that: what other ranks do meanwhile in MPI is to wait. Where none did, it is the call
 * whose time grew most on a rank.
 */
#ifndef EFG_BESIDE_H
#define EFG_BESIDE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/ranklist.h"
#include "recorded/sites.h"

struct efg_beside_row {
    uint32_t site;             /* of the trace; EFG_NONE: behind the last call */
    bool is_compute;           /* before the call, or behind the last one */
    int64_t time[2];           /* ns, all ranks */
    uint64_t calls[2];
    uint32_t rank;             /* the one with the largest difference */
    int64_t most;              /* ns: its difference */
    struct efg_ranklist ranks; /* whose difference is at least half of that */
};

struct efg_beside_rank {
    uint32_t rank;
    bool has[2];
    int64_t time[2], compute[2]; /* ns */
};

/* [0] is the iteration of interest, a slow one, [1] the one that it is compared with. */
struct efg_beside_pair {
    uint64_t number[2];
    bool is_found[2]; /* recorded on some rank; the rest is there if both are */
    uint32_t slot[2];
    uint32_t kept[2], times[2];    /* as in recorded.h */
    struct efg_beside_rank *ranks; /* that have both, ascending */
    uint32_t rank_count, left_out; /* LEFT_OUT: ranks that have only one of them */
    uint32_t longest;              /* index of the rank whose time differs most */
    int64_t time[2];               /* ns, all ranks */
    struct efg_beside_row *rows;   /* the largest difference first */
    uint32_t row_count;
    char sentence[1024];
};

struct efg_beside { /* all zero: nothing is asked for */
    const struct efg_run *run;
    const struct efg_recorded *recorded;
    struct efg_recorded_names names;
    struct efg_beside_pair *pairs;
    uint32_t pair_count;
    /* while the trace is read: beside.c */
    struct efg_map wanted;    /* numbers of iterations */
    struct efg_map slots;     /* key of an iteration -> index */
    struct efg_buffer slot;   /* struct efg_recorded_span: of the first rank that has it */
    struct efg_buffer cells;  /* struct cell: by iteration, rank and site */
    struct efg_map open;      /* site -> index of its cell, of the present iteration */
    size_t begun;             /* bytes of the cells before these */
    uint64_t key, first, last; /* the present iteration; when its first call began, its last one ended */
    uint32_t first_site, rank;
};

/* Begin with RUN, of which the trace RECORDED is read. Ask for the iterations NUMBER and OTHER; for all that
 * were kept because they were slow, each beside the one before it, or else behind it. Take an item of the
 * trace; it has been read. They return 0 or -ENOMEM. FINI in any case, also of what is all zero. */
int efg_beside_begin(struct efg_beside *b, const struct efg_run *run, const struct efg_recorded *recorded);
int efg_beside_ask(struct efg_beside *b, uint64_t number, uint64_t other);
int efg_beside_ask_slow(struct efg_beside *b);
int efg_beside_take(struct efg_beside *b, const struct efg_recorded_item *item);
int efg_beside_end(struct efg_beside *b);
void efg_beside_fini(struct efg_beside *b);

/* That with the slowest iteration of those that were found, or NULL. */
const struct efg_beside_pair *efg_beside_slowest(const struct efg_beside *b);

/* "computation before MPI_Send  solver.c:120 exchange". */
void efg_beside_label(const struct efg_beside *b, const struct efg_beside_row *row, char *text, size_t size);

/* Fill in the sentence (cause.c). */
void efg_beside_judge(const struct efg_beside *b, struct efg_beside_pair *pair);

/* Append the sentence and the table, in lines of at most 100 columns, at most MOST lines of it, the rest as
 * one (text.c); a pair as a JSON object, which is to be freed (json.c). */
void efg_beside_put(struct efg_buffer *out, const struct efg_beside *b, const struct efg_beside_pair *pair,
                    uint32_t most);
cJSON *efg_beside_json(const struct efg_beside *b, const struct efg_beside_pair *pair);

extern const char efg_beside_json_help[]; /* the schema of such an object */

#endif
