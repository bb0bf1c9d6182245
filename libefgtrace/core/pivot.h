/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pivot: the node or edge whose visits delimit the iterations of the main loop.
 *
 * It is found by its regularity, not by its place in the loop tree: the finest
 * regular repetition such that everything rarer costs less than 2% of the time.
 * Replayed on recordings of 45 real applications this was right on 33, the
 * header of the outermost loop on 19.
 *
 * At every sample the rule looks at about the last half of the run, the window
 * [T/2, T], which it forms from differences of the counters in struct efg_rhythm:
 *
 *   rare(x) = share of the time of nodes visited < x times in the window
 *   v is a candidate if
 *     visited >= 10 times; its visits span >= 0.7 of the window; it is not silent for
 *     more than max(3 mean gaps, 1.5 largest gaps); rare(0.8 visits) <= 2%; and
 *     (CV <= 0.6 and LV <= 0.5) or (CV <= 1.2 and LV <= 0.25) of its gaps in events
 *   tier 1: nodes that are always collectives on a communicator as large as the world
 *   tier 2: other nodes, and edges u -> v (v not EFG_NODE_UNORDERED)
 *   tier 3: what steps that alternate have in common (P C / Q C): rare(0.45 visits) <= 2%
 *     and v on no cycle through nodes visited >= 0.8 as often. Taken if the tiers above
 *     are empty (P and Q at random), or instead of P or Q if it is visited about twice as
 *     often and the two kinds of steps cost about the same (see alternate.c)
 *   of the best tier, without EFG_NODE_UNORDERED and edges from there if there are others
 *   (how often Waitsome is called is a matter of timing, and differs between ranks), among
 *   those within 0.8 of the highest count: node before
 *   edge, then the most regular, then those that miss no visit, then the last
 *   choice, then the first seen. Differences in CV + LV below 0.05, and in counts below
 *   2%, are none: or else two equally good ones take turns and neither is accepted
 *
 * If the choice is a part of a step that repeats it two to four times (it has a loop of its
 * own, and another full candidate, a node of its tier, is visited once in exactly 2, 3 or 4
 * visits of it), that other one is taken: stages of Runge-Kutta steps and correctors of a
 * pressure solver are no iterations. EFG_LEVEL_FINER finds them.
 *
 * An edge u -> v counts the visits of v through it and through rarer edges into v. Rarer
 * means at most half as often: an edge that is about as frequent is another way into v, not a
 * variant of this one (see efg_graph_mark_pivot). An edge that so would count more than 1.6 times its own visits is no
 * candidate.
 *
 * Accepted when the same choice came out in 3 samples running (10, if LEVEL asks for
 * another repetition than the rule's own and one of the two is missing: it may need time to
 * show). It then holds, unless it is refuted: if in 3 samples running what is
 * rarer than the rule's choice costs more than 4% and another choice came out, that one
 * is accepted instead. So an inner loop that was all there was to be seen in the first, long
 * iteration is given up when more of them have passed.
 *
 * When the accepted pivot is silent for more than 3 of its largest gaps, and for more than a
 * fifth of the time since the search began (one minute at most), its phase is over, and the
 * caller restarts the search. The second condition is for pauses that come rarely, such
 * as a checkpoint: they are no new phase. Largest gaps are those since the beginning of the
 * window in which it was accepted; a restart forgets all gaps.
 *
 * LEVEL asks for another repetition than the rule's own: see enum efg_level.
 */
#ifndef EFG_PIVOT_H
#define EFG_PIVOT_H

#include "graph.h"

/*
 * Where loops are nested, which of them is "the iteration":
 *   AUTO     what the rule says
 *   FINER    the regular repetition next more frequent than AUTO's (visits > 1.25 x):
 *            without the condition on rare(), same regularity and tiers; AUTO's own if none.
 *            If AUTO has none, because what is rarer costs too much and comes too rarely to
 *            be an iteration itself, the least frequent of these repetitions
 *   COARSER  the one next less frequent (visits < 0.8 x); AUTO's own if none
 */
enum efg_level { EFG_LEVEL_AUTO, EFG_LEVEL_FINER, EFG_LEVEL_COARSER };

struct efg_pivot {
    uint32_t kind;   /* enum efg_pivot_kind */
    uint32_t id;     /* node or edge */
    uint32_t tier;   /* 1 to 3, 0 for none */
    int world;       /* 1: a collective of the world, tier 1 */
    uint64_t hash;   /* agrees between ranks: of the node, or of both ends of the edge */
    uint64_t visits; /* in the window, of an edge with those of the rarer edges that count */
    double period;   /* ns: mean time between visits in the window */
    double cv, lv;   /* of its gaps in the window */
};

struct efg_pivot_finder; /* one per graph */

/* A finder for GRAPH, which outlives it. The finder sets efg_rhythm.recent to 0 now and then,
 * and nothing else but on a restart. NULL without memory. */
struct efg_pivot_finder *efg_pivot_finder_new(struct efg_graph *graph, enum efg_level level);
void efg_pivot_finder_free(struct efg_pivot_finder *finder);

/* Bytes held; at most EFG_ITEM_BYTES for each node and edge that the graph has had room for
 * since it was last made coarser, and some for the finder itself. */
uint64_t efg_pivot_finder_memory(const struct efg_pivot_finder *finder);

/* GRAPH was made coarser (coarsen.h) and its ids have changed: search again, from NOW on. What
 * is still counted as the pivot stays accepted if it is PIVOT, NULL for none. */
void efg_pivot_renew(struct efg_pivot_finder *finder, const struct efg_pivot *pivot,
                     uint64_t now);

/* ns until the next sample is worth taking, given the time ELAPSED in ns since the
 * start and the smallest INTERVAL in ns: max(interval, 2% of elapsed). */
uint64_t efg_pivot_pause(uint64_t elapsed, uint64_t interval);

/*
 * Take a sample at time NOW in ns. Returns 1 when a pivot is accepted by this
 * sample or still holds, and 0 otherwise; *pivot then is the accepted one, which may be
 * another than that of the sample before, or of kind EFG_PIVOT_NONE. Without memory the
 * sample is skipped. Takes O(n log n) time for n nodes and edges, and about 1 kB for each.
 */
int efg_pivot_sample(struct efg_pivot_finder *finder, uint64_t now, struct efg_pivot *pivot);

/* 1 if the accepted pivot has been silent for so long at NOW ns that its phase is over. */
int efg_pivot_is_silent(const struct efg_pivot_finder *finder, uint64_t now);

/* Forget the accepted pivot and all samples: search again from NOW ns on. Gaps begin anew,
 * so efg_rhythm.last and .last_gap of the graph become 0. */
void efg_pivot_restart(struct efg_pivot_finder *finder, uint64_t now);

/* The choices that the last sample saw, for people: the pivot one level finer, the
 * rule's own, and one level coarser (kind EFG_PIVOT_NONE where there is none). */
struct efg_pivot_levels {
    struct efg_pivot finer, automatic, coarser;
};
const struct efg_pivot_levels *efg_pivot_levels(const struct efg_pivot_finder *finder);

/* The hash by which ranks name a node or an edge (KIND, enum efg_pivot_kind). */
uint64_t efg_pivot_hash(const struct efg_graph *graph, uint32_t kind, uint32_t id);

/* Visits of a pivot over the whole run: of an edge, with those of rarer edges into its target.
 * 0 for none. */
uint64_t efg_pivot_visits(const struct efg_graph *graph, uint32_t kind, uint32_t id);

/* ns between the visits of a node or edge in the window of the last sample; 0 if it was not
 * visited. */
uint64_t efg_pivot_period(const struct efg_pivot_finder *finder, uint32_t kind, uint32_t id);

/* What could be taken as well as PIVOT, the accepted one: hashes of regular repetitions that in
 * the last sample were as frequent, up to ROOM of them, those with the lowest hashes, so that
 * ranks that have many name the same ones. Returns how many. */
uint32_t efg_pivot_peers(const struct efg_pivot_finder *finder, const struct efg_pivot *pivot,
                         uint64_t *hashes, uint32_t room);

/* The ranks have taken PIVOT: it is the accepted one from now on. */
void efg_pivot_accept(struct efg_pivot_finder *finder, const struct efg_pivot *pivot);

/* Find the node or edge of GRAPH whose hash has these low 40 BITS: what another rank calls its
 * pivot. Fills kind, id, hash and world of *PIVOT; returns 1, or 0 if there is none. */
int efg_pivot_find(const struct efg_graph *graph, uint64_t bits, struct efg_pivot *pivot);

#endif
