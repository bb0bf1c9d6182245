/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run file, DIR/run.efg: what is kept of the whole run. Its format is in efgtrace-run(5).
 *
 * What the ranks have in common is kept once: call paths, names, and for each group of ranks
 * with the same graph its nodes and edges. What each rank has measured is in a section of its
 * own, so that ranks can be read one after the other, and written by many at once.
 *
 * In memory: struct efg_run holds everything except the ranks; one rank at a time is read into a
 * struct efg_run_rank. Each owns all that it points to. A graph that was read is consistent,
 * whatever the file held, and only for reading: of efg_rhythm it has visits and
 * time; it has no hash tables, call tree, marks or predictions. Signatures name paths that
 * exist, or 0.
 */
#ifndef EFG_RUNFILE_H
#define EFG_RUNFILE_H

#include <stdbool.h>

#include "core/flow/place.h"
#include "core/graph/counts.h"
#include "core/graph/graph.h"
#include "core/loop/finder.h"
#include "files/log/record.h"
#include "core/graph/series.h"
#include "core/graph/stability.h"
#include "core/graph/traffic.h"
#include "base/map.h"
#include "base/ranklist.h"
#include "files/order/sequence_file.h"
#include "totals.h"

#define EFG_RUN_MAGIC "efgrun\r\n"
#define EFG_RUN_VERSION 9

/* --- what the ranks have in common --- */

struct efg_run_call { /* an MPI function */
    uint32_t id;
    uint32_t class; /* enum efg_class */
    char *name;     /* "MPI_Send" */
};

struct efg_run_path {
    uint64_t hash; /* agrees between ranks */
    uint32_t depth;
    struct efg_frame *frames; /* innermost first; module = index into the modules */
};

struct efg_run_region { /* a user region whose name was kept */
    uint32_t id;        /* as signatures have it */
    char *name;
};

/* Where the call of a frame is in the loops of its function; known ones only. */
struct efg_run_position {
    uint32_t module;
    uint64_t offset; /* as in the frame */
    struct efg_position position;
};

struct efg_run_names { /* what signatures refer to */
    uint32_t call_count, module_count, path_count, region_count, position_count;
    struct efg_run_call *calls;
    char **modules;             /* path names */
    struct efg_run_path *paths; /* path id 1 is paths[0] */
    struct efg_run_region *regions;
    struct efg_run_position *positions; /* each frame once */
    struct efg_map by_frame;            /* their numbers, from 1 */
};

#define EFG_APART 8 /* frames that a label may need besides the innermost one */

/* Ranks whose threads have the same nodes and edges, in the same order. */
struct efg_run_group {
    uint64_t hash;        /* of the shape */
    unsigned char *shape; /* nodes and edges as efg_run_shape_get reads them */
    size_t size;
    uint32_t path_count;
    uint32_t *paths; /* ids of the paths that the shape numbers from 1 */
    struct efg_ranklist ranks;
};

/* Ranks that made the same calls in the same order. Their sequence is in the file once, under
 * the first of them. */
struct efg_run_order {
    uint64_t hash[2], size; /* of the bytes of the sequence */
    struct efg_ranklist ranks;
};

struct efg_run_common {
    struct efg_run_names names;
    uint32_t group_count;
    struct efg_run_group *groups; /* by their lowest rank */
    uint32_t order_count;
    struct efg_run_order *orders; /* by their lowest rank; of ranks with a sequence */
    struct efg_totals totals;
};

/* --- a rank --- */

struct efg_run_window {   /* a stretch of recorded iterations */
    uint64_t function;    /* of the loop, as in efg_run_loop */
    uint64_t first, last; /* iterations [first, last) by their agreed number */
    uint64_t start, end;  /* ns since the start of the run */
    uint64_t events;      /* calls recorded */
    uint64_t bytes;       /* in the log */
    uint32_t complete;    /* 1: ended after the iterations asked for */
    uint32_t agreed;      /* 1: the same one on all ranks */
    uint32_t is_apart;    /* 1: ranks do not wait for one another: its numbers count from one moment on */
    uint32_t select;      /* enum efg_select (files/conf/conf.h): why it was recorded */
    uint32_t times;       /* around a slow one: how many times the median that one took, in 1/1000; or 0 */
    uint32_t phase;       /* number of an efg_run_phase; 0: not known */
    uint32_t turn;        /* efg_agree.turns when it was made; only while the program runs */
};

/* The slow one of a window around it: the second of its iterations; the only one, until the job ends. */
static inline uint64_t efg_run_window_slow(const struct efg_run_window *window)
{
    return window->last - window->first > 1 ? window->first + 1 : window->first;
}

/* A loop of the program, as the rule for the main loop sees it (core/loop/judge.h). NODE is one of
 * its calls, and DEPTH says where it is: frame number DEPTH of that node's call path, counted
 * from the outermost one, from 0, is in the function that has the loop; as many frames as there
 * are: the call itself is repeated. */
struct efg_run_loop {
    uint64_t function;   /* hash of the call path of the function; agrees between ranks; 0: none */
    uint64_t iterations; /* over the run */
    uint32_t node, depth;
    uint32_t share; /* of the time in the last half of the run, in 1/EFG_WHOLE_SHARE */
};
#define EFG_WHOLE_SHARE 1000000

/* A phase of the program: it has a main loop of its own, while it lasts. */
struct efg_run_phase {
    uint32_t number;          /* as windows have it; 0: it has none */
    struct efg_run_loop loop; /* without a share */
    uint64_t begin, end;      /* ns since the start of the run */
    uint64_t time;            /* ns that it lasted: less, if another one came in between */
    /* Iterations since its pivot was marked, the one with most time: how many, ns, ns in MPI. */
    uint64_t counted, iterations_time, iterations_mpi;
};

/* What delimits the iterations of the recorded loop: visits of NODE (EFG_PIVOT_NODE), or
 * entries of the call site whose path is the DEPTH outermost frames of NODE's (EFG_PIVOT_SITE);
 * NODE then is the call that they mostly begin with. */
struct efg_run_pivot {
    uint32_t kind;  /* enum efg_pivot_kind; EFG_PIVOT_NONE: none was agreed on or found */
    uint32_t class; /* enum efg_pivot_class */
    uint32_t node, depth;
    uint64_t visits;   /* over the run */
    uint64_t function; /* of the loop, as in efg_run_loop; 0: that of loops.main */
};

/* Why a rank has no main loop. */
enum efg_run_reason {
    EFG_REASON_NONE,      /* it has one */
    EFG_REASON_NO_CALLS,  /* no MPI calls, or no time in them */
    EFG_REASON_NO_REPEAT, /* no call path came again 3 times */
    EFG_REASON_NO_SHARE,  /* no loop has half of the time; the longest one is `best` */
    EFG_REASON_UNEVEN,    /* one iteration of `best` is nearly the whole run */
    EFG_REASON_LATE       /* `best` is good enough, but was not seen in enough samples before the end */
};

struct efg_run_loops {
    struct efg_run_loop main;           /* the accepted one */
    struct efg_run_loop automatic;      /* what the rule chooses at the end */
    struct efg_run_loop finer, coarser; /* what it chooses with these levels; none if the same */
    struct efg_run_loop best;           /* see efg_run_reason */
    uint32_t reason;                    /* enum efg_run_reason */
};

/* What the ranks agreed on, as the leader of this rank knows it; the same on all ranks, except
 * is_owner. */
struct efg_run_agreed {
    uint32_t is_owner; /* 1: counted the iterations of the last window itself; 0: followed */
    uint32_t drifted;  /* 1: ranks counted differently at some collective */
    uint32_t is_alone; /* 1: recorded without the others, which did not answer */
    uint32_t wanted;   /* windows asked for */
};

/* Durations of iterations (pivot to pivot): of all and of those recorded. */
struct efg_run_iterations {
    struct efg_stat all, recorded;  /* ns */
    uint64_t all_mpi, recorded_mpi; /* ns in MPI calls */
};

struct efg_run_items {
    uint32_t count;
    struct efg_traffic_item *item; /* ascending by key */
};

/*
 * What a thread sent over the whole run; `recorded` is what it sent while a window was open. (A
 * rank that follows a window of others opens it earlier and closes it later than what the trace
 * keeps of it.)
 *
 * A send is a message that MPI was successfully asked to send to any process, including this
 * one, but not to MPI_PROC_NULL: by MPI_Send and its kinds (Bsend, Ssend, Rsend), those that
 * return a request (Isend ...), Sendrecv and Sendrecv_replace, and each start of a persistent
 * one. A send that was cancelled later counts. Data of one-sided calls does not count, nor what
 * MPI sends within collectives. Bytes are those of the arguments.
 *
 * Collectives, including nonblocking ones, count once, where they begin, with the bytes that the
 * rank gives to the operation and takes from it, as in the nodes of the graph.
 */
struct efg_run_traffic {
    struct efg_run_items partners;    /* sends by world rank, or EFG_TRAFFIC_OTHERS, the last */
    struct efg_run_items sends;       /* the same sends by size, see efg_traffic_size */
    struct efg_run_items collectives; /* by size */
};

struct efg_run_thread {
    uint32_t number;        /* 0: the thread that called MPI_Init */
    struct efg_graph graph; /* nodes and edges; signature.path is a path's id */
    struct efg_stability stability;
    struct efg_run_pivot pivot;
    struct efg_run_loops loops;
    struct efg_run_agreed agreed;
    struct efg_run_iterations iterations;
    uint32_t window_count;
    struct efg_run_window *windows;
    struct efg_series *series; /* the iterations one after the other, rounded as efg_series_round
                    says; NULL: there are none, or there was no memory */
    struct efg_run_traffic traffic;
    struct efg_counts *counts;    /* from fact 30 of the rank; NULL: nothing was counted */
    uint32_t phase_count;         /* of the thread that leads; from fact 25 of the rank */
    struct efg_run_phase *phases; /* in the order in which they began */
    uint32_t main_phase;          /* number of that of loops.main; 0: not known */
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

/* What the operating system gave a process from start to end. */
struct efg_run_processor {
    uint64_t used;     /* ns of processor time, of all its threads */
    uint64_t waited;   /* ns for which threads were ready to run and had no processor; 0 also if not known */
    uint64_t switches; /* how often it was taken from a thread, or a thread offered it to others */
    uint64_t faults;   /* pages that had to be read from disk */
    uint64_t peak;     /* bytes in memory, at most, since the process began */
    uint32_t threads;  /* that compute, since it began; 0: not known */
};

/* What was left out for the limit of what watching may take. */
enum efg_limited {
    EFG_LIMITED_RING = 1 << 0,     /* not all iterations were looked at for slow ones */
    EFG_LIMITED_NO_RING = 1 << 1,  /* ... and none later on */
    EFG_LIMITED_POLLS = 1 << 2,    /* of polls some were measured and stand for the others */
    EFG_LIMITED_PAUSES = 1 << 3,   /* watching has paused now and then */
    EFG_LIMITED_EXCEEDED = 1 << 4, /* pauses would have been needed, and could not be made */
    EFG_LIMITED_ESTIMATED = 1 << 5, /* calls in pauses are not all counted: how many is an estimate */
};

struct efg_run_rank { /* to add a fact: see fields_of_rank in fields.c */
    uint32_t rank;
    char *host;
    struct efg_run_place place;
    uint64_t clock_error; /* ns by which its times may differ from those of rank 0, on other nodes */
    uint64_t start, end;  /* ns since 1970: return from MPI_Init, entry of MPI_Finalize */
    uint64_t cost;        /* ns spent by the library, as it estimates; 0 not known */
    uint64_t memory;      /* bytes held by the library */
    uint64_t init;        /* ns that MPI_Init took longer */
    uint64_t limit;       /* millionths of the time that watching was to take; 0: no limit */
    uint64_t grace;       /* ns that a shorter run counts as, for the limit */
    uint32_t limited;     /* set of enum efg_limited: what was left out for it */
    uint64_t paused;      /* ns in which calls were not watched */
    uint64_t unwatched;   /* calls then; they are in no other count */
    uint32_t short_logs;  /* of threads: for want of room they ended early */
    struct efg_run_processor processor;
    char *note;        /* what went wrong or is worth saying, "" for nothing */
    char *phases;      /* as efg_run_phases_text */
    char *said;        /* by plug-ins, as said.h has it */
    char *sections;    /* of plug-ins: a line each, its name, a tab, text with \n, \t and \\ */
    char *counters;    /* as counters.h has it; made when the rank is written */
    char *openmp;      /* parallel regions, as openmp.h has them; NULL or "": none */
    uint64_t accuracy; /* millionths that shares of the time may be off; 0: nothing was asked for */
    uint64_t error;    /* how far they are off in spread iterations, with 95% confidence; 0: not known */
    uint32_t thread_count;
    struct efg_run_thread *threads;
};

/* --- the order of calls --- */

struct efg_run_sequence_thread {
    uint64_t events;                   /* that are in it: the first ones, in the end all */
    uint32_t table_count;              /* the graph as it is has this number */
    struct efg_sequence_table *tables; /* of the graphs before it */
    const unsigned char *segments;     /* as sequence_file.h writes them */
    size_t size;                       /* of SEGMENTS, bytes */
};

struct efg_run_sequence { /* of a rank, and of all that have the same one */
    uint32_t thread_count;
    struct efg_run_sequence_thread *threads;
    unsigned char *bytes; /* where the segments are that were read; else NULL */
};

/* --- the run --- */

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
    uint64_t sends, receives;                             /* recorded, cancelled ones left out */
    uint64_t matched;                                     /* pairs of them */
    uint64_t early;                                       /* receives whose sends were before the window */
    uint64_t open_sends, open_receives, open_collectives; /* started in a window, never complete */
    uint64_t taken_along;                                 /* receives under way when a window began */
    uint64_t unknown;                                     /* ranks whose logs could not be checked */
    uint64_t ahead;                                       /* sends whose receives were before the window */
    uint64_t left_out; /* sends and receives that the trace lacks: of early and ahead, or open */
    uint64_t unproven; /* of these: of windows of which it is not known what belongs together */
    uint64_t doubt;    /* at least as many messages crossed the beginnings of windows in an
                             unknown way: matched is too large, or has wrong pairs */
    uint64_t absent;   /* sends to and receives from ranks that ran without us; not in the others */
};

enum efg_run_repair {
    EFG_REPAIR_NONE, /* nothing was early */
    EFG_REPAIR_DONE,
    EFG_REPAIR_CONTRADICTORY, /* no shift of clocks puts all of them right */
    EFG_REPAIR_FAILED,        /* no memory, or a log that could not be written to */
    EFG_REPAIR_UNPROVEN,      /* not known: early ones really are, or belong to sends before the window */
};

/* What the recorded messages tell about the clocks of different hosts, beyond their comparison. */
struct efg_run_skew {
    uint32_t repair; /* enum efg_run_repair; EFG_REPAIR_NONE: the others are 0 */
    uint32_t moved;  /* clocks that were corrected */
    uint64_t early;  /* receives before their sends, before correction; 0 not known */
    uint64_t most;   /* ns that the earliest one was before its send; 0 not known */
    uint64_t left;   /* receives that are before their sends now */
};

/* Iterations [first, last) of a window as the logs have them: least and most over its ranks;
 * and when they began and ended, in ns on the common time line. */
struct efg_run_cut {
    uint64_t first_least, first_most, last_least, last_most;
    uint32_t ranks;                                        /* that recorded iterations of it */
    uint64_t begin_least, begin_most, end_least, end_most; /* all 0: not known */
};

/* A communicator, an RMA window or a file: the calls of recorded iterations that have to do with it. */
struct efg_run_object {
    char *name;
    uint32_t ranks;              /* that made some */
    uint32_t least_rank;         /* the one that was in them for the shortest time, */
    uint64_t least;              /* ns */
    uint64_t calls, bytes, time; /* of all ranks; bytes sent, or moved by file; ns */
};
#define EFG_RUN_OBJECTS 16 /* at most, those with the most time */

struct efg_run_entry { /* where a rank is in the file */
    uint32_t rank;
    uint32_t group; /* index into the groups */
    uint64_t offset, size;
};

struct efg_run {                       /* to add a fact: see fields_of_run in fields.c */
    char *application;                 /* name of the program */
    char *command;                     /* arguments, separated by spaces */
    char *version;                     /* of efgtrace that wrote it */
    char *mpi;                         /* version of the MPI library */
    char *output;                      /* folder */
    uint32_t mode;                     /* enum efg_mode */
    uint32_t level;                    /* enum efg_level that was asked for */
    char *loop;                        /* function or hash that the main loop was asked for by, "" for none */
    uint32_t dimensions;               /* set of enum efg_dimension */
    uint64_t iterations;               /* asked for per window */
    uint64_t interval;                 /* ns between samples, at least */
    char *when;                        /* conditions that recorded iterations were chosen by, "" for none */
    uint64_t trace_events;             /* OTF2 events written, all locations; 0 for no trace */
    uint64_t trace_bytes;              /* size of the OTF2 archive */
    uint64_t trace_definitions;        /* bytes of it that are not of events */
    uint64_t trace_marks, trace_calls; /* of the events: as in struct efg_otf2_count */
    char *trace_note;                  /* why there is no trace, or what it lacks; "" for nothing */
    uint32_t is_checked;               /* 1: messages, skew and cuts are known */
    struct efg_run_messages messages;
    struct efg_run_skew skew;
    uint32_t cut_count;
    struct efg_run_cut *cuts; /* the windows, in their order */
    uint32_t object_count;
    struct efg_run_object *objects; /* falling time */
    uint64_t objects_left;          /* how many more there are */
    uint32_t size;                  /* ranks of the job */
    uint32_t is_saved;              /* 1: what ranks saved while the job ran; it did not end normally,
                                 or has not ended. Ranks may be missing */
    uint64_t rounds;                /* of the agreement */
    uint64_t finish;                /* ns from when all ranks had reached MPI_Finalize, on rank 0 */
    uint64_t own;                   /* ns of CPU that rank 0 then worked for all ranks, apart from writing
                     this file */
    struct efg_run_common common;
    struct efg_run_rank speaker; /* the rank common.totals.speaker, which represents the run;
                                    without threads if there is none */
    uint32_t site_count;
    struct efg_run_site *sites;  /* sorted by module, then offset */
    uint32_t rank_count;         /* ranks that can be read */
    struct efg_run_entry *ranks; /* ascending */
    uint32_t sequence_count;
    struct efg_run_entry *sequences;   /* ascending; of some of the ranks */
    int file;                          /* descriptor + 1, to read them from; 0: none */
    unsigned char (*apart)[EFG_APART]; /* by path, id 1 first: what else its label needs, as
                                          files/summary/apart.c has it; NULL: not known. Not in the file */
    struct efg_map alike; /* names of functions that are the same when they are shortened, by their hash:
                             where they differ, from << 32 | to << 16 | how many letters of one are those
                             that another one begins with */
    struct efg_map twins; /* paths whose labels are the same after all, by id: their numbers */
};

/* --- looking up --- */

/* The thread that represents a rank: the one with the most time in iterations, else one with
 * windows, with a main loop, with the most events; NULL if the rank has none. */
const struct efg_run_thread *efg_run_rank_thread(const struct efg_run_rank *rank);

/* Whether WINDOW, or what the pivot delimits, belongs to the main loop, not to an earlier one or
 * to another level of it. */
bool efg_run_is_main(const struct efg_run_thread *thread, const struct efg_run_window *window);
bool efg_run_has_main(const struct efg_run_thread *thread); /* any such window */
bool efg_run_begins_main(const struct efg_run_thread *thread);

/* How much an iteration of each window of THREAD counts where it stands for the main loop, to WEIGHT: 1 on
 * average; 0: it stands for none. */
void efg_run_weigh(const struct efg_run_thread *thread, double *weight);

/* The phase with this NUMBER, or NULL; all phases of THREAD, and those of its windows, as a text for the
 * facts of the rank: to be freed, NULL without memory. */
const struct efg_run_phase *efg_run_phase(const struct efg_run_thread *thread, uint32_t number);
char *efg_run_phases_text(const struct efg_run_thread *thread);

/* ns that a rank ran (to its last call when it never finished). */
uint64_t efg_run_rank_duration(const struct efg_run_rank *rank);
/* The same without the pauses of watching: what times and counts are of. */
uint64_t efg_run_rank_watched(const struct efg_run_rank *rank);

/* The index of RANK among those that can be read, or EFG_NONE. */
uint32_t efg_run_index(const struct efg_run *run, uint32_t rank);

/* The group of a rank, or NULL. Only for few ranks, as all groups are searched. */
const struct efg_run_group *efg_run_group_of(const struct efg_run_common *common, uint32_t rank);

/* The name of the MPI function with the id CALL, "?" if there is none. */
const char *efg_run_call_name(const struct efg_run *run, uint32_t call);

/* The call path with the id PATH, or NULL. */
const struct efg_run_path *efg_run_path(const struct efg_run *run, uint32_t path);

/* The id of the MPI function that is called on each path, id 1 first: EFG_NONE for none. Free it; NULL
 * without memory. */
uint32_t *efg_run_path_calls(const struct efg_run *run);

/* The position of FRAME, all zero if it is not known; add the one that it has, unless that is not known or
 * FRAME is there. Returns 0 or -ENOMEM. */
struct efg_position efg_run_position(const struct efg_run_names *names, const struct efg_frame *frame);
int efg_run_position_add(struct efg_run_names *names, const struct efg_frame *frame,
                         struct efg_position position);

/* The name of a module of a frame, "?" if there is none. */
const char *efg_run_module(const struct efg_run *run, uint32_t module);

/* The name of the user region with the id REGION, or NULL if it was not kept. */
const char *efg_run_region_name(const struct efg_run *run, uint32_t region);

/* Resolve the frames of all paths into run->sites. Returns 0 or -ENOMEM. */
struct efg_symbols;
int efg_run_resolve(struct efg_run *run, struct efg_symbols *symbols);

/* The site of a frame, or NULL when it was not resolved. */
const struct efg_run_site *efg_run_site(const struct efg_run *run, const char *module, uint64_t offset);

/* Sort the sites again, as efg_run_site needs it, after the names of modules were changed. */
void efg_run_sort_sites(struct efg_run *run);

void efg_run_names_fini(struct efg_run_names *names);
void efg_run_common_fini(struct efg_run_common *common);
void efg_run_rank_fini(struct efg_run_rank *rank);
void efg_run_sequence_fini(struct efg_run_sequence *sequence);
void efg_run_fini(struct efg_run *run);

/* --- reading --- */

/* Read PATH, of which the last BELOW names must not be links (below.h), without its ranks.
 * Returns 0; else -errno or -EBADMSG, with MESSAGE filled (what is wrong, where, what was
 * expected). */
int efg_runfile_open(struct efg_run *run, const char *path, unsigned below, char *message, size_t size);

/* Read the rank run->ranks[INDEX]. Returns as efg_runfile_open. */
int efg_runfile_rank(const struct efg_run *run, uint32_t index, struct efg_run_rank *rank, char *message,
                     size_t size);

/* Read the sequence of RANK. Returns as efg_runfile_open; -ENODATA, with a MESSAGE, too, if
 * there is none. */
int efg_runfile_sequence(const struct efg_run *run, uint32_t rank, struct efg_run_sequence *sequence,
                         char *message, size_t size);

/* --- writing, by several processes --- */

/* Append the section of RANK to OUT. */
void efg_runfile_put_rank(struct efg_buffer *out, const struct efg_run_rank *rank);

/* Read such a section again: but for the threads; and all of it, of a rank of GROUP. Return 0,
 * -EBADMSG, -ENOMEM. */
int efg_runfile_get_facts(struct efg_run_rank *rank, const void *section, size_t size);
int efg_runfile_get_rank(struct efg_run_rank *rank, const void *section, size_t size,
                         const struct efg_run_group *group);

/* Append the section of the sequence of RANK to OUT, which is empty. What is said of it in the
 * ORDER: its hash and size. */
void efg_runfile_put_sequence(struct efg_buffer *out, uint32_t rank, const struct efg_run_sequence *sequence,
                              struct efg_run_order *order);

/* Append padding from OFFSET to a multiple of EFG_RUN_ALIGN: where several processes write, each
 * one's sections begin at such a multiple, so that they share no page of the file. */
#define EFG_RUN_ALIGN 4096
void efg_runfile_put_filler(struct efg_buffer *out, uint64_t offset);

/* Where the first section is. */
#define EFG_RUN_SECTIONS 24

/* Make the file beside PATH (PATH.new), with a mark by which others recognise it. Each process puts
 * sections into it with efg_runfile_put, at places that adjoin without gaps; then FINISH appends those
 * of RUN at END and gives it its name. After an error, ABANDON removes it. The last BELOW names in
 * PATH must not be links (below.h). They return 0 or -errno; PUT returns -ESTALE
 * if PATH.new is not the file with this mark. */
int efg_runfile_create(const char *path, unsigned below, uint64_t mark);
int efg_runfile_put(const char *path, unsigned below, uint64_t mark, uint64_t offset, const void *sections,
                    size_t size);
int efg_runfile_finish(const struct efg_run *run, const char *path, unsigned below, uint64_t end);
void efg_runfile_abandon(const char *path, unsigned below);

/* The same by one process and at once: append the file that has the SECTIONS, and those of RUN,
 * to OUT, which is empty. And make BYTES the file PATH, in place of the one that is there; not
 * safe from a power cut. Returns 0 or -errno; then there is what was. */
void efg_runfile_put_all(struct efg_buffer *out, const struct efg_run *run,
                         const struct efg_buffer *sections);
int efg_runfile_replace(const char *path, unsigned below, const struct efg_buffer *bytes);

#endif
