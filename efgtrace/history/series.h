/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Series: runs of an index that do the same, in the order in which they began; and what has changed.
 */
#ifndef EFG_HISTORY_SERIES_H
#define EFG_HISTORY_SERIES_H

#include "change.h"
#include "database.h"

struct efg_query {                    /* NULL, 0: any */
    const char *application;          /* a part of its name, or of its command */
    const char *user, *since, *until; /* dates as SQLite takes them: "2026-11-24" */
    uint64_t ranks;
};

struct efg_series_run {
    int64_t id;
    char *folder, *user;
    double start;                          /* s since 1970 */
    double seconds, iterations, mpi_share; /* of a rank */
    double parallel, balance, communication;
    double value; /* s of an iteration of the main loop, or of the run where there is none */
    bool has_iterations, ended;
};

struct efg_series_site {
    char *name;
    double *time; /* s of a rank, by run: in an iteration, or in the run; 0 where it has none */
};

/* What changed from a run on: the whole, and the call sites with most of the difference. */
#define EFG_TURN_SITES 3
struct efg_turn {
    uint32_t at;                 /* the first run of the new level */
    double before, after, score; /* s of the whole */
    uint32_t site_count;
    struct efg_turn_site {
        uint32_t site;
        bool has_changed;     /* not only by chance: these come first */
        double before, after; /* s */
    } sites[EFG_TURN_SITES];
};

struct efg_past_series {
    char *application, *command, *loop;
    uint32_t ranks, count, site_count, event_count;
    struct efg_series_run *runs;
    struct efg_series_site *sites;
    struct efg_turn *events; /* ascending */
    double level;            /* s of the whole, since the last of these */
};

struct efg_past {
    struct efg_past_series *series; /* the one with the latest run first */
    uint32_t count;
};

/* Read what QUERY asks for. Returns 0; else says on standard error what is wrong, and returns EFG_TOLD. FINI
 * in any case. */
int efg_past_read(struct efg_past *history, struct efg_database *db, const struct efg_query *query);
void efg_past_fini(struct efg_past *history);

#endif
