/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run file, DIR/run.efg: what is kept of the whole run.
 *
 *     "efgrun\r\n" | version u32 | size of the file u64 | facts of the run |
 *     a block per rank | resolved frames | CRC-32 of all before it
 *
 * A rank is encoded by itself, so that ranks can send their blocks to rank 0, which never
 * needs to understand them to write the file. Every block has its length in front.
 *
 * In memory: struct efg_run owns all that it points to. A graph that was read is whole as a
 * data structure, whatever the file held, and for reading only: its lists of edges were
 * made anew, it has no hash tables and no predictions. Signatures name paths that exist, or 0.
 */
#ifndef EFG_RUNFILE_H
#define EFG_RUNFILE_H

#include "buffer.h"
#include "core/graph.h"
#include "core/pivot.h"
#include "core/record.h"
#include "core/stability.h"

#define EFG_RUN_MAGIC "efgrun\r\n"
#define EFG_RUN_VERSION 4

struct efg_run_call { /* an MPI function */
    uint32_t id;
    uint32_t class; /* enum efg_class */
    char *name;     /* "MPI_Send" */
};

struct efg_run_path {
    uint64_t hash; /* agrees between ranks */
    uint32_t depth;
    struct efg_frame *frames; /* innermost first; module = index into the rank's modules */
};

struct efg_run_region { /* a user region whose name was kept */
    uint32_t id;        /* as signatures have it */
    char *name;
};

struct efg_run_window {   /* a stretch of recorded iterations */
    uint64_t first, last; /* iterations [first, last) by number of the pivot's visit */
    uint64_t start, end;  /* ns since the start of the run */
    uint64_t events;      /* calls recorded */
    uint64_t bytes;       /* in the log */
    uint32_t complete;    /* 1: ended after the iterations asked for */
    uint32_t agreed;      /* 1: the same one on all ranks */
};

/* Durations of iterations (pivot to pivot): of all and of those recorded. */
struct efg_run_iterations {
    struct efg_stat all, recorded;  /* ns */
    uint64_t all_mpi, recorded_mpi; /* ns in MPI calls */
};

struct efg_run_thread {
    uint32_t number; /* 0: the thread that called MPI_Init */
    struct efg_graph
        graph; /* nodes and edges; signature.path indexes the rank's paths (from 1) */
    struct efg_stability stability;
    struct efg_pivot pivot; /* kind EFG_PIVOT_NONE: none was found; visits: over the run */
    struct efg_pivot_levels levels;
    struct efg_run_iterations iterations;
    uint32_t window_count;
    struct efg_run_window *windows;
};

/* Where a rank was bound to, at the end of MPI_Init. Numbers are hwloc's logical ones, from 0;
 * EFG_NONE: not known or several. */
struct efg_run_place {
    uint32_t package, numa, core;
    uint32_t last_core;  /* where it was, bound or not */
    uint32_t core_count; /* that it may run on; 0: not known */
    uint32_t node_cores; /* of its node */
    char *cores;         /* that it may run on, "0-3,7" */
};

struct efg_run_rank {
    uint32_t rank;
    char *host;
    struct efg_run_place place;
    uint64_t clock_error; /* ns that its times may be off those of rank 0, on other nodes */
    uint64_t start, end;  /* ns since 1970: return from MPI_Init, entry of MPI_Finalize */
    uint64_t cost;        /* ns spent by the library, as it estimates; 0 not known */
    uint64_t memory;      /* bytes held by the library */
    uint64_t init;        /* ns that MPI_Init took longer */
    char *note;           /* what went wrong or is worth saying, "" for nothing */
    uint32_t call_count, module_count, path_count, region_count, thread_count;
    struct efg_run_call *calls;
    char **modules;             /* path names */
    struct efg_run_path *paths; /* path id 1 is paths[0] */
    struct efg_run_region *regions;
    struct efg_run_thread *threads;
};

struct efg_run_symbol { /* a resolved frame; inlined ones follow each other, innermost first */
    char *function, *file;
    uint32_t line;
};

struct efg_run_site { /* where a call path's frame is in the source */
    char *module;
    uint64_t offset;
    uint32_t symbol_count;
    struct efg_run_symbol *symbols;
};

/* What became of the messages that were recorded, over all ranks. */
struct efg_run_messages {
    uint64_t sends, receives; /* recorded, cancelled ones left out */
    uint64_t matched;         /* pairs of them */
    uint64_t early;           /* receives whose sends were before the window */
    uint64_t open_sends, open_receives,
        open_collectives; /* started in a window, never complete */
    uint64_t taken_along; /* receives under way when a window began */
    uint64_t unknown;     /* ranks whose logs could not be checked */
};

enum efg_run_repair {
    EFG_REPAIR_NONE, /* nothing was early */
    EFG_REPAIR_DONE,
    EFG_REPAIR_CONTRADICTORY, /* no shift of clocks makes all of them right */
    EFG_REPAIR_FAILED,        /* no memory, or a log that could not be written to */
    EFG_REPAIR_UNPROVEN,      /* early are, or belong to sends before the window: not known */
};

/* What the recorded messages tell of the clocks of different hosts, beyond their comparison. */
struct efg_run_skew {
    uint32_t repair; /* enum efg_run_repair; EFG_REPAIR_NONE: the others are 0 */
    uint32_t moved;  /* clocks that were corrected */
    uint64_t early;  /* receives before their sends, until then; 0 not known */
    uint64_t most;   /* ns that the earliest one was before its send; 0 not known */
    uint64_t left;   /* receives that are before their sends now */
};

/* Iterations [first, last) of a window as the logs have them: least and most over its ranks. */
struct efg_run_cut {
    uint64_t first_least, first_most, last_least, last_most;
    uint32_t ranks; /* that recorded iterations of it */
};

struct efg_run {
    char *application;     /* name of the program */
    char *command;         /* arguments, separated by spaces */
    char *version;         /* of efgtrace that wrote it */
    char *mpi;             /* version of the MPI library */
    char *output;          /* folder */
    uint32_t mode;         /* enum efg_mode */
    uint32_t level;        /* enum efg_level that was asked for */
    uint32_t dimensions;   /* set of enum efg_dimension */
    uint64_t iterations;   /* asked for per window */
    uint64_t interval;     /* ns between samples, at least */
    uint64_t trace_events; /* OTF2 events written, all locations; 0 for no trace */
    uint64_t trace_bytes;  /* size of the OTF2 archive */
    char *trace_note;      /* why there is no trace, or what it lacks; "" for nothing */
    uint32_t is_checked;   /* 1: messages, skew and cuts are known */
    struct efg_run_messages messages;
    struct efg_run_skew skew;
    uint32_t cut_count;
    struct efg_run_cut *cuts; /* the windows, in their order */
    uint64_t rounds;          /* of the agreement */
    uint64_t finish;          /* ns from when all ranks had come to MPI_Finalize, on rank 0 */
    uint64_t own;             /* ns of CPU that rank 0 worked then for all ranks, but for writing
                                 this file */
    uint32_t rank_count;
    struct efg_run_rank *ranks; /* ascending */
    uint32_t site_count;
    struct efg_run_site *sites; /* sorted by module, then offset */
};

/* Append the block of RANK to OUT. */
void efg_runfile_put_rank(struct efg_buffer *out, const struct efg_run_rank *rank);

/* Fill RANK (owns what it points to) from a block. Returns 0, -EBADMSG, -ENOMEM. */
int efg_runfile_get_rank(struct efg_run_rank *rank, const void *block, size_t size);

void efg_run_rank_fini(struct efg_run_rank *rank);

/* The name of the MPI function with the id CALL, "?" if there is none. */
const char *efg_runfile_call(const struct efg_run_rank *rank, uint32_t call);

/* The call path with the id PATH, or NULL. */
const struct efg_run_path *efg_runfile_path(const struct efg_run_rank *rank, uint32_t path);

/* The name of the user region with the id REGION, or NULL if it was not kept. */
const char *efg_runfile_region(const struct efg_run_rank *rank, uint32_t region);

/* Resolve the frames of all ranks' paths into run->sites. Returns 0 or -ENOMEM. */
struct efg_symbols;
int efg_runfile_resolve(struct efg_run *run, struct efg_symbols *symbols);

/* The site of a frame, or NULL when it was not resolved. */
const struct efg_run_site *efg_runfile_site(const struct efg_run *run, const char *module,
                                            uint64_t offset);

/* Write RUN to PATH: to a new file beside it, then renamed. Returns 0 or -errno. */
int efg_runfile_write(const struct efg_run *run, const char *path);

/* Read PATH. Returns 0; else -errno or -EBADMSG, with MESSAGE filled (what is wrong, where,
 * what was expected). */
int efg_runfile_read(struct efg_run *run, const char *path, char *message, size_t size);
void efg_run_fini(struct efg_run *run);

#endif
