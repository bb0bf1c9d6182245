/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the OTF2 writer share.
 *
 *     scan.c      log -> scan             unify.c    scans -> unifier
 *     table.c     numbered keys           paths.c    call paths -> regions
 *     usage.c     ... what communicators, windows, files take
 *     archive.c   one archive             map.c      unifier -> maps
 *     rebuild.c   run file -> an archive  events.c   log + map -> events
 *     convert.c   all in one process      stack.c    ... the regions open there
 *     margins.c   ... without margins     metrics.c  ... and of what was counted
 *     team.c      threads of OpenMP
 *                                         define.c   unifier -> global definitions
 *                                         places.c   ... ranks, threads, hosts
 *
 * A scan is the head and an item for each definition of the log, in its order. A map is
 * the head and an entry for each of these items except modules and marks, in the same
 * order: the pass that writes events meets the definitions of the log again and takes an
 * entry for each. So a log may use an id twice, and no table of ids is sent.
 */
#ifndef EFG_OTF2_PARTS_H
#define EFG_OTF2_PARTS_H

#include <stdbool.h>

#include "base/map.h"
#include "files/log/clock.h"
#include "files/log/trim.h"
#include "otf2.h"
#include "table.h"

enum efg_otf2_item { /* in a scan; in a map: all but MODULE and the marks */
                     EFG_ITEM_END,
                     EFG_ITEM_BAD, /* an invalid definition: keeps the count */
                     EFG_ITEM_CALL,
                     EFG_ITEM_MODULE,
                     EFG_ITEM_PATH,
                     EFG_ITEM_COMM,
                     EFG_ITEM_WIN,
                     EFG_ITEM_FILE,
                     EFG_ITEM_REGION,
                     EFG_ITEM_WIN_CREATED, /* marks: there is an event that creates it */
                     EFG_ITEM_FILE_OPENED,
                     EFG_ITEM_GROUP,
                     EFG_ITEM_WHEN,
                     EFG_ITEM_PHASE,
                     EFG_ITEM_COUNTERS,
};

/* --- margins --- */

struct efg_otf2_windows { /* when there were some; ns since 1970, or ticks of a log */
    struct efg_span *all;
    size_t count;
    struct efg_map around; /* iterations around slow ones: how many logs have each of them */
    uint32_t logs;         /* that have iterations */
    bool is_whole;         /* all logs were looked at */
};

/* Add those of LOG, in ns; when all are there, join them; then leave out the margins of each log. Each
 * returns 0 or -ENOMEM. */
int efg_otf2_find_windows(struct efg_otf2_windows *windows, const struct efg_log_view *log);
void efg_otf2_join_windows(struct efg_otf2_windows *windows);
int efg_otf2_drop_margins(struct efg_log_view *log, const struct efg_otf2_windows *windows);
void efg_otf2_windows_fini(struct efg_otf2_windows *windows);

/* --- unifier: keys of its tables; references are numbers of rows --- */

struct efg_otf2_region {
    uint32_t name, linkage, file; /* strings; linkage: the name as the linker knows it, 0: the same */
    uint32_t role, paradigm;
    uint32_t line; /* first */
};

struct efg_otf2_site {
    uint32_t file, line;
};

struct efg_otf2_comm { /* value: parent + 1 */
    uint64_t identity;
    uint32_t kind;
    uint32_t group, remote; /* remote: EFG_NONE but for intercommunicators */
    uint32_t zero;
};

struct efg_otf2_win { /* value: 1 if an event creates it */
    uint64_t identity;
    uint32_t comm, zero;
};

struct efg_otf2_handle { /* value: 1 if an event opens it */
    uint64_t identity;
    uint32_t comm, file;
};

#define EFG_OTF2_DIMS 16
struct efg_otf2_grid { /* a Cartesian one; as a key without the dimensions that it does not have */
    uint32_t comm, dims;
    struct efg_otf2_dimension {
        uint32_t size, is_periodic;
    } dimension[EFG_OTF2_DIMS];
};

struct efg_otf2_node {            /* of the system tree */
    uint32_t parent, name, class; /* class: a string */
    uint32_t domain;
};

struct efg_otf2_reference { /* what an item of a log became */
    uint32_t item, row;
};

struct efg_otf2_set { /* what the items became that one log defines, or several alike */
    struct efg_otf2_reference *references;
    uint32_t reference_count;
    struct efg_buffer entries; /* of a map; empty until it is asked for */
};

struct efg_otf2_log {
    uint32_t rank, thread, host;
    uint32_t package, numa, core; /* + 1, as in the log's header */
    uint32_t pid;                 /* 0: not known */
    struct efg_log_clock clock;
    uint64_t count;       /* records */
    uint64_t first, last; /* ns since 1970; first > last without events */
    uint32_t set;
    uint64_t *parts; /* of each thread of its team, but for the main one: in how many parallel regions */
    uint32_t workers, team; /* how many of these threads; which of the teams it is */
};

struct efg_otf2_used { /* a communicator, window or file (row of files) in all logs */
    struct efg_otf2_reference what;
    uint32_t ranks, rank; /* that use it; the last one, */
    uint64_t of_rank;     /* and its time so far */
    uint64_t calls, bytes, time, least;
    uint32_t least_rank;
};

struct efg_otf2_unifier {
    struct efg_symbols *symbols;
    uint32_t ranks;
    bool has_openmp;                   /* constructs of OpenMP are among the regions */
    uint32_t team_count, worker_count; /* of all logs */
    uint32_t parallel, barrier;        /* regions, if there are teams */
    struct efg_otf2_log *logs;
    int log_count;
    uint64_t start, first, last; /* of all logs, ns since 1970: when they begin; of events */
    struct efg_otf2_table items; /* key: what a log defines, bytes; value: 1 if that made sense */
    struct efg_otf2_set *sets;   /* by row of items */
    uint32_t set_count;
    struct efg_otf2_table strings, regions, sites, positions, groups, comms, wins, files, handles, nodes;
    struct efg_otf2_table grids;
    struct efg_otf2_table counters; /* key: the names of those that a log has, with commas */
    struct efg_map names;           /* item << 32 | row of comms or wins -> string, of those that have one */
    struct efg_otf2_table paths;    /* key: struct efg_frame[] with strings as modules; value:
                                    where its entry begins in path_entries */
    struct efg_buffer path_entries;
    struct efg_map used_index; /* item << 32 | row -> in used */
    struct efg_otf2_used *used;
    uint64_t used_count;
    struct efg_map phase_names; /* number -> string, of those that were named */
    uint32_t *comm_ids;         /* by row: parents first; made when all were added */
    uint32_t *comm_order;       /* by id */
};

/* --- teams of threads (team.c) --- */

#define EFG_OTF2_PART 6 /* events of a thread in a parallel region */

/* The id of the communicator of TEAM, and of its group; that of the group of all threads in teams. */
uint32_t efg_otf2_team_comm(const struct efg_otf2_unifier *u, uint32_t team);
uint32_t efg_otf2_team_group(const struct efg_otf2_unifier *u, uint32_t team);
uint32_t efg_otf2_team_threads(const struct efg_otf2_unifier *u);
/* What a scan says of the threads of LOG. Returns 0, -ENOMEM, -EBADMSG. */
int efg_otf2_scan_team(const struct efg_log_view *log, struct efg_buffer *out);
int efg_otf2_add_team(struct efg_otf2_unifier *u, struct efg_otf2_log *log, struct efg_reader *reader);

/* Groups and communicators that always exist. */
enum { EFG_GROUP_WORLD };
enum { EFG_COMM_ROW_WORLD, EFG_COMM_ROW_SELF };
/* Ids of definitions that always exist. */
enum { EFG_STRING_EMPTY, EFG_STRING_ITERATION, EFG_STRING_KEPT /* EFG_KEPT_FIRST, and so on */ };
enum { EFG_REGION_ITERATION };
enum {
    EFG_ATTRIBUTE_SITE,
    EFG_ATTRIBUTE_ITERATION,
    EFG_ATTRIBUTE_POLLS,
    EFG_ATTRIBUTE_PATH,
    EFG_ATTRIBUTE_KEPT,
    EFG_ATTRIBUTE_TIMES,
    EFG_ATTRIBUTE_PHASE,
    EFG_ATTRIBUTE_PHASE_LOOP,
    EFG_ATTRIBUTE_WHEN
};
enum { EFG_PARAMETER_ITERATION };

/* The id of ROW of the groups, as written; that of a communicator's (own) group. */
uint32_t efg_otf2_group(uint32_t row);
uint32_t efg_otf2_group_of(const struct efg_otf2_comm *comm);
/* How many ranks a communicator has, of its own group. */
uint32_t efg_otf2_comm_size(const struct efg_otf2_unifier *u, uint32_t row);
/* Number the communicators, parents before children. Returns 0 or -ENOMEM. */
int efg_otf2_order_comms(struct efg_otf2_unifier *u);
/* The name of ROW of the communicators or windows, ITEM: a string, EFG_NONE if it has none. */
uint32_t efg_otf2_name(const struct efg_otf2_unifier *u, enum efg_otf2_item item, uint32_t row);
/* First and last moment of all logs, ns since 1970; 1 ns apart at least. */
void efg_otf2_span(const struct efg_otf2_unifier *u, uint64_t *first, uint64_t *last);

/* The row of a call path; COUNT frames, innermost first, module = row of strings; HASH as the
 * log has it. */
uint32_t efg_otf2_path(struct efg_otf2_unifier *u, const struct efg_frame *frames, size_t count,
                       uint64_t hash);

/* The function that makes these COUNT calls, of what is inlined there the innermost one that makes all of
 * them: a string; EFG_NONE if there is none. */
uint32_t efg_otf2_common_function(struct efg_otf2_unifier *u, const struct efg_frame *frames, size_t count);

bool efg_otf2_is_out_of_memory(const struct efg_otf2_unifier *u);

/* Who took part. */
struct efg_otf2_cast {
    uint32_t *rank_nodes, *rank_names; /* rows of nodes and strings, by rank */
    struct efg_otf2_thread {
        uint64_t location, events;
        uint32_t name;
        bool has_log;
    } * threads; /* ascending locations; each rank has a thread 0 */
    uint32_t thread_count;
};

/* EVENTS by log. Returns 0 or -ENOMEM. */
int efg_otf2_cast(struct efg_otf2_unifier *u, const uint64_t *events, struct efg_otf2_cast *cast);
void efg_otf2_cast_fini(struct efg_otf2_cast *cast);

/* --- the regions that are open on a location --- */

struct efg_otf2_frame { /* a function on the call path, and where in it the next one was called
                         */
    uint32_t region, position;
};

/*
 *     iteration
 *       functions and the user's regions, as one is within the other      frames[0 .. depth)
 *         MPI call
 *
 * The first WRITTEN frames were entered. The others are as soon as something within them is, each at its own
 * time: those that are gone by then are not shown.
 */
struct efg_otf2_stack {
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    uint64_t next, end; /* times: the earliest one for the next event; the end of the trace */
    struct efg_otf2_open {
        struct efg_otf2_frame frame;
        bool is_users;  /* a region of the user */
        uint64_t since; /* when it is entered, if it was not written */
    } * frames;
    uint32_t depth, written, deepest; /* deepest: so far */
    bool in_iteration, in_call;
    uint32_t call;         /* region of the MPI call */
    uint32_t lasting;      /* frames that were open at each call of the iteration; EFG_NONE: none has come */
    uint64_t calls, marks; /* as in struct efg_otf2_count */
    bool failed;           /* OTF2 refused an event, or no memory */
    struct efg_otf2_team {
        uint32_t workers; /* threads beside the main one; 0: there is no team */
        uint32_t comm, parallel, barrier;
    } team;
};

/* When an event of TIME is: then, or just behind the last one, and not behind the end of the trace. */
uint64_t efg_otf2_tick(struct efg_otf2_stack *s, uint64_t time);
/* The call path is now PATH (COUNT functions, outermost first). */
void efg_otf2_walk(struct efg_otf2_stack *s, const struct efg_otf2_frame *path, uint32_t count,
                   uint64_t time);
/* The user's regions are now those of REGIONS (COUNT, outermost first): what is not among them is left, with
 * all within it, and what is new begins. */
void efg_otf2_regions(struct efg_otf2_stack *s, const uint32_t *regions, uint32_t count, uint64_t time);
/* SITE, and PATH, which names the call path: EFG_NONE if not known. POLLS: how many that
 * found nothing the visit stands for, 0 if it is none. */
void efg_otf2_call(struct efg_otf2_stack *s, uint32_t region, uint32_t site, uint32_t path, uint64_t polls,
                   uint64_t time);
void efg_otf2_return(struct efg_otf2_stack *s, uint64_t time);
/* As a log has it: d is the number of the iteration, a and b why it was kept, c the phase. WHEN: the
 * conditions of the log, LOOP: the function of the loop of the phase; strings, EFG_NONE if there is none. */
struct efg_otf2_why {
    uint32_t when, loop;
};
void efg_otf2_iteration_begin(struct efg_otf2_stack *s, const struct efg_record *iteration,
                              struct efg_otf2_why why, uint64_t time);
void efg_otf2_iteration_end(struct efg_otf2_stack *s, uint64_t time);
/* Leave all that is open. */
void efg_otf2_leave_all(struct efg_otf2_stack *s, uint64_t time);

#endif
