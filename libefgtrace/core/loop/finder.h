/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finder: finds the main loop while the program runs. It samples the graph (judge.h has
 * the rule), and accepts a loop that several samples in a row chose:
 *
 *     3 equal choices, or 2 if the loop went round 4 times and the run is older than 0.5 s
 *
 * The very first loop waits while another one around it has gone round only 2 to 4 times: until
 * 2.5 x the time when it was first chosen, and one second. Judging never stops: the accepted loop is
 * replaced by another one that was chosen as often in a row, if
 *
 *   - the new one is around it, or is another level of the same function, and goes round more or less often;
 *   - or the program says that its iterations are the new one's, and not that they are the old one's;
 *   - or the old one has less than 45% of the time, or is over (fewer than 1.5 effective rounds).
 *
 * A loop other than the rule's can be asked for (struct efg_wish). It is taken as soon as it goes round,
 * whatever its share of the time, and stays. Until then the rule's own is taken, after 10 samples.
 */
#ifndef EFG_FINDER_H
#define EFG_FINDER_H

#include <stdbool.h>

#include "core/graph/graph.h"
#include "judge.h"

/* Where loops are nested, which of them is "the iteration". */
enum efg_level {
    EFG_LEVEL_AUTO,   /* the rule's own choice */
    EFG_LEVEL_FINER,  /* the next one inside of it: 1.25 x as frequent, or more */
    EFG_LEVEL_COARSER /* the next one around it: 0.8 x as frequent, or less */
};

struct efg_wish {
    enum efg_level level;
    uint64_t function; /* a loop of this function: the low EFG_WISH_BITS of its hash; 0: of any */
};
#define EFG_WISH_BITS 40

static inline bool efg_wish_is_for(struct efg_wish wish, uint64_t function)
{
    return wish.function && (wish.function ^ function) << (64 - EFG_WISH_BITS) == 0;
}

struct efg_finder; /* one per graph */

/* A finder for GRAPH, which outlives it and has a call tree (efg_graph_follow_calls). NULL
 * without memory. */
struct efg_finder *efg_finder_new(const struct efg_graph *graph, struct efg_wish wish);
/* One that looks at what the time since NOW, ns, was spent on: the main loop of what begins then. */
struct efg_finder *efg_finder_since(const struct efg_graph *graph, struct efg_wish wish, uint64_t now);
void efg_finder_free(struct efg_finder *finder);

/* From now on look for the loop of WISH. */
void efg_finder_wish(struct efg_finder *finder, struct efg_wish wish);

/* ns until the next sample should be taken, ELAPSED ns after the start: 2% of that, but at least
 * INTERVAL. */
uint64_t efg_finder_pause(uint64_t elapsed, uint64_t interval);

/* Take a sample at NOW ns. *LOOP is then the accepted loop, as it is now; its function is 0 if there
 * is none yet. Returns whether it has changed. Without memory the sample is
 * skipped. O(nodes + edges + sites) */
bool efg_finder_sample(struct efg_finder *finder, uint64_t now, struct efg_mainloop *loop);

/* The site that the accepted loop is best described by: the function of the outermost loop around it that has
 * the same iterations, as seen by now; else its own. EFG_NONE if there is no loop yet. */
uint32_t efg_finder_site(const struct efg_finder *finder);

/* Whether the loop that was accepted last has nothing to do with the one before: it is neither around it, nor
 * inside, nor another level of it. */
bool efg_finder_is_apart(const struct efg_finder *finder);

/* Whether time was spent at SITE in what the last sample looked at. */
bool efg_finder_sees(const struct efg_finder *finder, uint32_t site);

/* The graph was made coarser (coarsen.h): sites and ids have changed. Start again at NOW ns, but keep the
 * accepted loop if it can still be told apart. Returns that one, with the ids of now; else its function is
 * 0. */
struct efg_mainloop efg_finder_renew(struct efg_finder *finder, uint64_t now);

/* What the last sample saw; all ids are of its time. */
struct efg_judge *efg_finder_judge(struct efg_finder *finder);

/* The loop in the chain that WISH asks for; NULL if it is not there. */
const struct efg_loop_found *efg_wish_find(const struct efg_judge *judge, struct efg_wish wish);

#endif
