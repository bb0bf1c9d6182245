/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event flow graph: nodes are signatures of events, edges are transitions from
 * one event to the next. One graph belongs to one thread.
 *
 *     node: how often, how long, how many bytes       edge: how often, how long
 *           the call itself took                            between the two calls
 *
 * A poll that found nothing (MPI_Test and its like in a spin) is counted and
 * timed at its node but is no event: it makes no edge and no visit. Polls that follow one another, whatever
 * they ask for, are a spin, if they are at most EFG_SPIN apart: all of its time is in MPI, that from one poll
 * to the next as well, which counts for the later one.
 *
 * Ids of nodes and edges are indices, given in the order of first appearance. They change only
 * when the graph is made coarser (coarsen.h). The caller does that when a step
 * says that the budget has no room for more: each step uses room that was made before. If
 * the caller does nothing, further signatures share one last node (EFG_NODE_OVERFLOW), and
 * further transitions are only counted in lost_edges.
 *
 * From the budget, a node or an edge takes its own size, EFG_ITEM_BYTES for the finder
 * (finder.h), and up to 16 bytes in a table; in all about 450 bytes.
 *
 * Sources: Fürlinger and Skinner, "Capturing and visualizing event flow graphs
 * of MPI applications" (2010).
 */
#ifndef EFG_GRAPH_H
#define EFG_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/none.h"
#include "calltree.h"
#include "signature.h"

#define EFG_ITEM_BYTES 128 /* of the finder's memory, for a node or an edge */
#define EFG_SPIN 5000      /* ns from poll to poll of a spin */
#define EFG_BINS 32        /* bins of a histogram: bin b holds [2^b, 2^(b+1)) ns */

/* Durations, in ns. Filled by efg_stat_add; min is meaningless while count is 0. */
struct efg_stat {
    uint64_t count, sum, min, max;
    uint32_t bin[EFG_BINS];
};

/*
 * How regularly a node recurs, in event numbers, and its share of the time. The sums only grow;
 * the difference between two moments says what happened in between.
 */
struct efg_rhythm {
    uint64_t visits;
    uint64_t time;      /* ns: sum of (end of the visit - end of the previous event) */
    uint64_t first;     /* ns of it: of the first visit */
    double gap1, gap2;  /* sum of gaps, and of their squares; a gap = events since the last visit */
    uint64_t last;      /* number of the event of the last visit, from 1; 0: none to count from */
    uint64_t last_time; /* ns: end of the last visit */
};

/* What a pivot is: visits of a node, or entries of a site of the call tree. */
enum efg_pivot_kind { EFG_PIVOT_NONE, EFG_PIVOT_NODE, EFG_PIVOT_SITE };

/* How well a pivot delimits iterations, the best first. */
enum efg_pivot_class {
    EFG_PIVOT_MARK,       /* the program says so */
    EFG_PIVOT_SURE_WORLD, /* as WORLD, and the machine code says that every iteration has it */
    EFG_PIVOT_SURE_CLEAN, /* as CLEAN, likewise */
    EFG_PIVOT_SURE_CALL,  /* as CALL, likewise */
    EFG_PIVOT_WORLD,      /* each visit is a collective on a communicator as large as the world */
    EFG_PIVOT_CLEAN,      /* as CALL, and not between the start of a request and its completion */
    EFG_PIVOT_CALL,       /* a call that comes in a fixed order */
    EFG_PIVOT_ENTRY,      /* a call site that is entered from outside */
    EFG_PIVOT_UNORDERED,  /* a call whose count is a matter of timing */
    EFG_PIVOT_CLASSES
};

/* Properties of an event besides its signature: a set, combined at the node by or, or by and. */
enum efg_node_flag {
    EFG_NODE_WORLD =
        1 << 0, /* every visit: a collective on a communicator as large as the world */
    EFG_NODE_UNORDERED =
        1 << 1, /* some visit: its order depends on timing (Waitany, Test*, *probe) */
    EFG_NODE_OVERFLOW = 1 << 2, /* stands for all signatures that found no room */
    EFG_NODE_STARTS = 1 << 3,   /* visits start requests that other calls complete (efg_event.is_start) */
    EFG_NODE_MARK = 1 << 4,     /* the program says that an iteration begins here */
    EFG_NODE_GROUP = 1 << 5,    /* the first visit: a collective of some of the ranks */
};

/*
 * The order of the fields is that of the cache lines. A predicted step touches
 * the first three lines of a node (identity; rhythm; head of the time), the first two of an
 * edge, one line of each histogram, and two of each site of the call tree that it enters.
 */
struct efg_node {
    struct efg_signature signature;
    uint64_t hash;       /* agrees between ranks: call and call path by module and offset */
    uint32_t flags;      /* enum efg_node_flag */
    uint32_t leaf;       /* its site of the call tree */
    uint32_t first_edge; /* list of the edges that leave, by efg_edge.next; EFG_NONE ends it */
    uint32_t predicted;  /* the edge taken last from here, or EFG_NONE */
    uint64_t bytes;
    struct efg_rhythm rhythm;
    struct efg_stat time;      /* ns inside the call */
    uint64_t polls, poll_time; /* polls that found nothing, and their time in ns, as parts of spins */
    uint64_t fill[3];          /* to the end of the cache line */
};

struct efg_edge {
    uint32_t from, to;
    union {
        struct {
            uint32_t next; /* next edge that leaves FROM */
            uint32_t mark; /* 1: a visit counts for the pivot; set by efg_graph_mark_pivot */
        };
        uint64_t marked; /* 2^32 or more, if so */
    };
    /* Where it is in the call tree: a step between two sites of one function. */
    uint32_t function;  /* the deepest site that both of its ends are below; for an edge from a node
                           to itself, the leaf */
    uint32_t out, into; /* its children that are left and entered */
    uint32_t top;       /* depth of INTO, the outermost site that is entered */
    uint64_t visits;
    uint64_t spent; /* ns: sum of (end of the visit - end of the previous event) */
    struct efg_stat time; /* ns between the calls, polls in between left out */
    bool is_settled;      /* 1: it is known whether the code leads from OUT to INTO */
    uint64_t fill[5];     /* to the end of the cache line */
};

struct efg_graph {
    struct efg_node *nodes;
    struct efg_edge *edges;
    uint32_t node_count, edge_count;
    uint32_t dropped;    /* set of enum efg_drop (detail.h): what is not told apart */
    uint32_t first;      /* node of the first event, EFG_NONE before it */
    uint32_t current;    /* node of the last event, EFG_NONE before the first */
    uint32_t edge;       /* edge of the last event, EFG_NONE for the first or a lost edge */
    uint64_t events;     /* so far, polls that found nothing left out */
    uint64_t start;      /* ns: time given at creation */
    uint64_t last_leave; /* ns: end of the last event */
    uint64_t poll_time;  /* ns of polls since the last event */
    uint64_t poll_leave; /* ns: end of the last of them, 0 for none */
    uint64_t node_time;  /* ns in calls, all of them, polls included */
    uint32_t *node_table, *edge_table;   /* open addressing, hold id + 1 */
    uint32_t node_slots, edge_slots;     /* powers of two */
    uint32_t node_room, edge_room;       /* allocated */
    uint32_t pivot_kind, pivot_id;       /* see efg_graph_mark_pivot */
    uint32_t overflow;                   /* the overflow node, or EFG_NONE */
    uint32_t polled;                     /* node of the last poll, or EFG_NONE */
    uint64_t lost_edges;                 /* transitions that found no room for their edge */
    bool is_full;                        /* 1: there is no room for another node, edge or site */
    struct efg_budget *budget;           /* for arrays and tables */
    struct efg_calltree *tree;           /* NULL for none */
    uint8_t *awaited;      /* per call path, 1: a visit of the pivot may end there */
    uint32_t awaited_room; /* paths in AWAITED; of others it is not known */
    uint64_t poll_bound, bound_time; /* ns: end of the last poll that stood for others; node_time then */
};

/* ns in MPI at NODE: in its calls, with the polls that found nothing. */
static inline uint64_t efg_node_time(const struct efg_node *node)
{
    return node->time.sum + node->poll_time;
}

/* One event, times in ns: a cache line of memory (backlog.h). */
struct efg_event {
    struct efg_signature signature;
    uint64_t path_hash; /* of the call path: agrees between ranks */
    uint64_t enter, leave;
    union {
        struct {
            uint64_t flags : 6;    /* EFG_NODE_WORLD, _UNORDERED, _MARK, _GROUP */
            uint64_t is_start : 1; /* starts a request: a visit counts from when it was entered */
            uint64_t is_poll : 1;  /* one that found nothing */
            uint64_t bytes : 56;   /* of a poll: how many others it stands for */
        };
        uint64_t more; /* all of that */
    };
};

/* A graph within BUDGET, which outlives it (NULL for no limit), that starts at time START in
 * ns. Returns 0, or -ENOMEM if the budget or the memory is not enough. */
int efg_graph_init(struct efg_graph *graph, struct efg_budget *budget, uint64_t start);
void efg_graph_fini(struct efg_graph *graph);

/* From now on the graph has a call tree; KEYS and POSITION (NULL: not known) as in calltree.h. Before
 * the first event. Returns 0, or -ENOMEM. */
int efg_graph_follow_calls(struct efg_graph *graph, efg_path_keys *keys,
                           efg_path_position *position);

/* Put all nodes and edges in their places in the call tree, which has no leaves yet. */
void efg_graph_place_all(struct efg_graph *graph);

/* Whether the code of EDGE's function does not lead from OUT to INTO, so that the function has been left and
 * was called again. What is known are places that were asked for (core/loop/callflow.h). GRAPH has a call
 * tree. */
bool efg_graph_is_called_again(const struct efg_graph *graph, const struct efg_edge *edge);

/* Its function has been left and was called again: EDGE is a step from the call site of the function to
 * itself, and the same may be true of that step. */
void efg_graph_lift(const struct efg_graph *graph, struct efg_edge *edge);

/* Whether EVENT may count for the pivot when it is added. If the answer is no, it does not count,
 * unless it is the first that enters the pivot's site by this path. */
static inline bool efg_graph_may_count(const struct efg_graph *graph,
                                       const struct efg_event *event)
{
    uint32_t path = event->signature.path;

    return graph->pivot_kind != EFG_PIVOT_NONE &&
           (path >= graph->awaited_room || graph->awaited[path]);
}

/* Add an event; graph->current and graph->edge are then its node and edge.
 * Returns whether it counts for the pivot. Never fails: if there is no room (see
 * graph->is_full), the event goes to the overflow node. */
bool efg_graph_step(struct efg_graph *graph, const struct efg_event *event);

/* The same for the first of COUNT events, from EVENT on, as long as each follows the one before as was
 * predicted, counts for no pivot and is no poll; none does right after a poll. NODES gets the node of each,
 * WORLDS is raised by how many are EFG_NODE_WORLD. IS_PLAIN: all signatures, those of the graph too, have a
 * call and a path and nothing else. Returns how many these are. */
uint32_t efg_graph_pass(struct efg_graph *graph, const struct efg_event *event, uint32_t count,
                        uint32_t *nodes, uint64_t *worlds, bool is_plain);

/* Add a poll that found nothing: counted and timed, no visit, no edge. If it stands for others, they are
 * as long as it is, but no longer than there was time for since the last one that did. */
void efg_graph_poll(struct efg_graph *graph, const struct efg_event *event);

/* Add COUNT polls like the last one until NOW, each as long as those of its node are on average, but no
 * longer than there was time for. Returns whether there is one. */
bool efg_graph_poll_again(struct efg_graph *graph, uint64_t count, uint64_t now);

/* For each node, in POLLED: ns of the polls, whatever they asked for, between its visits and the events
 * before these. They are parts of spins that its visits have ended. */
void efg_graph_polled(const struct efg_graph *graph, uint64_t *polled);

/* Set the pivot; KIND is enum efg_pivot_kind. What counts are visits of a node, or entries of a
 * site of the call tree from outside. */
void efg_graph_mark_pivot(struct efg_graph *graph, uint32_t kind, uint32_t id);

/* Visits so far of what would be the pivot of this KIND and ID; 0 for none. */
uint64_t efg_graph_visits(const struct efg_graph *graph, uint32_t kind, uint32_t id);

/* The hash by which ranks name the pivot of this KIND and ID. */
uint64_t efg_graph_name(const struct efg_graph *graph, uint32_t kind, uint32_t id);

/* Add a duration of NS; add all durations in MORE. */
void efg_stat_add(struct efg_stat *stat, uint64_t ns);
void efg_stat_unite(struct efg_stat *stat, const struct efg_stat *more);

#endif
