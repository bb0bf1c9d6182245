/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes samples, and accepts the loop that they agree on. A loop is recognised by its function,
 * and by its level: a site of it that was entered once in each iteration still is, more or less.
 */
#include "finder.h"

#include <stdlib.h>

#define EQUAL 3
#define EQUAL_LATER 2
#define LATER 500000000u /* ns */
#define LATER_ROUNDS 4
#define EQUAL_FALLBACKS 10 /* if the loop that was asked for is missing */
#define WAIT 2.5
#define WAIT_MORE 1000000000u /* ns */
#define MINOR 0.45            /* share of the time */
#define SAME_LEVEL 0.8
#define FINER 1.25

/* A loop, to be known again. */
struct known {
    struct efg_mainloop loop;
    uint32_t site;     /* the function */
    uint32_t key;      /* entered once in each iteration ... */
    uint64_t key_hash; /* ... its hash: that of the function is in the loop */
    bool is_marked, is_call;
};

struct efg_finder {
    const struct efg_graph *graph;
    struct efg_wish wish;
    struct efg_history history;
    struct efg_callflow flow;
    struct efg_judge judge;
    struct known choice, accepted; /* function 0: none */
    uint32_t equal;                /* samples in a row that made the choice */
    uint64_t since;                /* ns: the first of them */
    bool is_apart;                 /* ACCEPTED is, from the one before */
};

struct efg_finder *efg_finder_since(const struct efg_graph *graph, struct efg_wish wish, uint64_t now)
{
    struct efg_finder *finder = calloc(1, sizeof *finder);

    if (!finder)
        return NULL;
    finder->graph = graph;
    finder->wish = wish;
    if (!efg_history_init(&finder->history, graph, now))
        return finder;
    efg_finder_free(finder);
    return NULL;
}

struct efg_finder *efg_finder_new(const struct efg_graph *graph, struct efg_wish wish)
{
    return efg_finder_since(graph, wish, graph->start);
}

void efg_finder_wish(struct efg_finder *finder, struct efg_wish wish)
{
    finder->wish = wish;
}

void efg_finder_free(struct efg_finder *finder)
{
    if (!finder)
        return;
    efg_judge_fini(&finder->judge);
    efg_callflow_fini(&finder->flow);
    efg_history_fini(&finder->history);
    free(finder);
}

uint64_t efg_finder_pause(uint64_t elapsed, uint64_t interval)
{
    return elapsed / 50 > interval ? elapsed / 50 : interval;
}

/* Find it by its hashes; it is none if there is one no longer, or what is called from there may have been cut
 * off. */
static void find_again(struct known *known, const struct efg_calltree *tree)
{
    bool is_any = tree && known->loop.function;
    uint32_t site = is_any ? efg_calltree_find(tree, known->loop.function) : EFG_NONE;
    uint32_t key = is_any ? efg_calltree_find(tree, known->key_hash) : EFG_NONE;

    if (site == EFG_NONE || key == EFG_NONE || efg_calltree_is_cut(tree, site) ||
        efg_calltree_is_cut(tree, key)) {
        *known = (struct known){.key = EFG_NONE};
        return;
    }
    known->site = site;
    known->key = known->loop.key = key;
}

struct efg_mainloop efg_finder_renew(struct efg_finder *finder, uint64_t now)
{
    efg_history_restart(&finder->history, now); /* without memory it looks back no further */
    efg_callflow_fini(&finder->flow);
    efg_judge_fini(&finder->judge);
    finder->judge.chosen = EFG_NONE;
    finder->choice = (struct known){.key = EFG_NONE};
    finder->equal = 0;
    find_again(&finder->accepted, finder->graph->tree);
    return finder->accepted.loop;
}

struct efg_judge *efg_finder_judge(struct efg_finder *finder)
{
    return &finder->judge;
}

/* ---- what is wished for ---- */

/* INNER may be in OUTER: in what that calls, or, of one function, in its loop of the code, if it is known. */
static bool may_be_in(const struct efg_calltree *tree, const struct efg_loop_found *inner,
                      const struct efg_loop_found *outer)
{
    bool is_known = inner->site == outer->site && inner->loop.place && outer->loop.place;

    return is_known ? inner->loop.place != outer->loop.place &&
                          efg_place_is_in(inner->loop.place, outer->loop.place)
                    : efg_calltree_is_below(tree, inner->site, outer->site);
}

/* Those at the end of the chain need not be inside of the others: they were asked for, or are marked. One of
 * whose rounds takes nearly all of the time, as in a file of commands, is none that anybody wants. */
static bool is_next(const struct efg_calltree *tree, const struct efg_loop_found *other,
                    const struct efg_loop_found *own, enum efg_level level)
{
    double n = (double)other->loop.iterations, of = (double)(own->loop.iterations * own->parts);

    if (other->rounds < EFG_GOES_ROUND)
        return false;
    return level == EFG_LEVEL_FINER
               ? n >= FINER * of && may_be_in(tree, other, own)
               : n <= SAME_LEVEL * (double)own->loop.iterations && n >= 2 && may_be_in(tree, own, other);
}

static uint32_t find_function(const struct efg_judge *judge, struct efg_wish wish)
{
    for (uint32_t i = 0; i < judge->count; i++)
        if (judge->chain[i].is_level && judge->chain[i].loop.iterations >= 2 &&
            efg_wish_is_for(wish, judge->chain[i].loop.function))
            return i;
    return EFG_NONE;
}

const struct efg_loop_found *efg_wish_find(const struct efg_judge *judge, struct efg_wish wish)
{
    uint32_t chosen = judge->chosen;

    if (wish.function)
        chosen = find_function(judge, wish);
    if (wish.level == EFG_LEVEL_AUTO || chosen == EFG_NONE)
        return chosen == EFG_NONE ? NULL : &judge->chain[chosen];
    int step = wish.level == EFG_LEVEL_FINER ? 1 : -1;
    for (uint32_t i = chosen + (uint32_t)step; i < judge->count; i += (uint32_t)step)
        if (is_next(judge->flow->tree, &judge->chain[i], &judge->chain[chosen], wish.level))
            return &judge->chain[i];
    return NULL;
}

/* The loop that is asked for need not have most of the time: with some of it, it gets into the chain. */
static void look_elsewhere(struct efg_finder *finder)
{
    const struct efg_callflow *flow = &finder->flow;

    for (uint32_t x = 0; x < flow->sites; x++)
        if (flow->flow[x].time > 0 && efg_wish_is_for(finder->wish, efg_callflow_site(flow, x)->hash))
            efg_judge_find(&finder->judge, efg_callflow_site(flow, x)->hash, 1);
}

static const struct efg_loop_found *choose(struct efg_finder *finder, uint32_t *needed, uint64_t elapsed)
{
    const struct efg_judge *judge = &finder->judge;
    const struct efg_loop_found *found = efg_wish_find(judge, finder->wish);

    if (!found && finder->wish.function) {
        look_elsewhere(finder);
        found = efg_wish_find(judge, finder->wish);
    }
    bool is_fallback = !found && (finder->wish.function || finder->wish.level);

    if (is_fallback)
        found = efg_wish_find(judge, (struct efg_wish){EFG_LEVEL_AUTO, 0});
    *needed = is_fallback                                                          ? EQUAL_FALLBACKS
              : found && found->loop.iterations >= LATER_ROUNDS && elapsed > LATER ? EQUAL_LATER
                                                                                   : EQUAL;
    return found;
}

/* ---- knowing a loop again ---- */

static uint32_t key_of(const struct efg_finder *finder, const struct efg_loop_found *found)
{
    uint64_t most = found->loop.iterations * found->parts;
    uint32_t key = found->site;

    if (found->is_call)
        return key;
    for (uint32_t i = 0; i < found->site_count; i++) {
        uint32_t site = finder->judge.sites[found->first_site + i];
        if (efg_callflow_turns(&finder->flow, site) == most)
            return site;
    }
    return key;
}

/* The lowest hash of a site that is entered about once in each iteration; never 0. */
static uint16_t mark_of(const struct efg_finder *finder, const struct efg_loop_found *found)
{
    double least = SAME_LEVEL * (double)(found->loop.iterations * found->parts);
    uint64_t lowest = UINT64_MAX;

    for (uint32_t i = 0; i < found->site_count; i++) {
        uint32_t site = finder->judge.sites[found->first_site + i];
        uint64_t hash = efg_callflow_site(&finder->flow, site)->hash;
        if ((double)efg_callflow_turns(&finder->flow, site) >= least && hash < lowest)
            lowest = hash;
    }
    return (uint16_t)(1 + lowest % UINT16_MAX);
}

/* Whether the iterations of KNOWN are as many as those of FOUND, more or less. */
static bool is_as_often(const struct efg_finder *finder, const struct known *known,
                        const struct efg_loop_found *found)
{
    double now = (double)(known->is_call ? efg_callflow_visits(&finder->flow, known->key)
                                         : efg_callflow_turns(&finder->flow, known->key)),
           then = (double)(found->loop.iterations * found->parts);

    return now >= SAME_LEVEL * then && SAME_LEVEL * now <= then;
}

static bool is_same(const struct efg_finder *finder, const struct known *known,
                    const struct efg_loop_found *found)
{
    if (!found || known->loop.function != found->loop.function || known->is_marked != found->is_marked)
        return false;
    return found->is_call || is_as_often(finder, known, found);
}

/* The place in the code by which ranks compare their loops. Those of a script may do the same in two loops of
 * one function, one after the other in the source. */
static efg_place place_of(const struct efg_finder *finder, const struct efg_loop_found *found, uint32_t key)
{
    uint32_t function = efg_order_function(efg_callflow_site(&finder->flow, key)->order);

    return function >= EFG_ORDER_SCRIPTS ? EFG_PLACE_UNKNOWN : found->loop.place;
}

static struct known remember(const struct efg_finder *finder, const struct efg_loop_found *found)
{
    struct known known = {.loop = found->loop,
                          .site = found->site,
                          .key = key_of(finder, found),
                          .is_marked = found->is_marked,
                          .is_call = found->is_call};

    known.key_hash = efg_callflow_site(&finder->flow, known.key)->hash;
    known.loop.place = place_of(finder, found, known.key);
    known.loop.key = known.key;
    known.loop.mark = mark_of(finder, found);
    return known;
}

/* ---- accepting ---- */

static bool has_waited(const struct efg_finder *finder, uint64_t now)
{
    uint64_t zero = finder->history.zero;
    double began = (double)(finder->since - zero);

    return !finder->judge.is_beginning || (double)(now - zero) > WAIT * began + WAIT_MORE;
}

/* A loop around it that goes round as often has the same iterations: a call again and again, until
 * something else comes in the same loop of the code. */
static bool is_worn_out(const struct efg_finder *finder, const struct efg_loop_found *by)
{
    const struct known *old = &finder->accepted;
    double all = finder->flow.flow[EFG_CALLTREE_ROOT].time;
    bool is_wished = efg_wish_is_for(finder->wish, by->loop.function);

    if (is_wished != efg_wish_is_for(finder->wish, old->loop.function))
        return is_wished;
    return by->is_marked > old->is_marked ||
           (efg_calltree_is_below(finder->flow.tree, old->site, by->site) && !is_as_often(finder, old, by)) ||
           finder->flow.flow[old->site].time < MINOR * all ||
           efg_callflow_rounds(&finder->flow, old->key) < EFG_GOES_ROUND;
}

/* Loops of one function are levels of it if they have sites in common. */
static bool is_apart(const struct efg_finder *finder, const struct efg_loop_found *found)
{
    const struct known *old = &finder->accepted;
    const struct efg_calltree *tree = finder->flow.tree;

    if (!old->loop.function)
        return false;
    if (found->site != old->site)
        return !efg_calltree_is_below(tree, found->site, old->site) &&
               !efg_calltree_is_below(tree, old->site, found->site);
    for (uint32_t i = 0; i < found->site_count; i++)
        if (finder->judge.sites[found->first_site + i] == old->key)
            return false;
    return !found->is_call;
}

static bool decide(struct efg_finder *finder, const struct efg_loop_found *found, uint32_t needed,
                   uint64_t now)
{
    bool is_equal = is_same(finder, &finder->choice, found);

    finder->equal = !found ? 0 : is_equal ? finder->equal + 1 : 1;
    if (finder->equal == 1)
        finder->since = now;
    finder->choice = found ? remember(finder, found) : (struct known){.key = EFG_NONE};
    if (finder->equal < needed || !found || is_same(finder, &finder->accepted, found))
        return false;
    if (finder->accepted.loop.function ? !is_worn_out(finder, found) : !has_waited(finder, now))
        return false;
    finder->is_apart = is_apart(finder, found);
    finder->accepted = finder->choice;
    return true;
}

/* The accepted loop as it is now; NULL if it is no longer one. Where something beside it takes longer at the
 * moment, the chain leads there. */
static const struct efg_loop_found *find_accepted(struct efg_finder *finder)
{
    const struct known *accepted = &finder->accepted;
    struct efg_judge *judge = &finder->judge;

    for (uint32_t i = 0; i < judge->count; i++)
        if (is_same(finder, accepted, &judge->chain[i]))
            return &judge->chain[i];
    const struct efg_loop_found *found =
        efg_judge_find(judge, accepted->loop.function, accepted->loop.iterations);
    return is_same(finder, accepted, found) ? found : NULL;
}

static void refresh(struct efg_finder *finder)
{
    struct known *accepted = &finder->accepted;
    const struct efg_loop_found *found = accepted->loop.function ? find_accepted(finder) : NULL;
    double all = finder->flow.flow[EFG_CALLTREE_ROOT].time;

    if (found) {
        uint16_t mark = accepted->loop.mark;
        accepted->loop = found->loop;
        accepted->loop.place = place_of(finder, found, accepted->key);
        accepted->loop.key = accepted->key;
        accepted->loop.mark = mark;
    } else if (accepted->loop.function)
        accepted->loop.share = all > 0 ? finder->flow.flow[accepted->site].time / all : 0;
}

bool efg_finder_is_apart(const struct efg_finder *finder)
{
    return finder->is_apart;
}

bool efg_finder_sees(const struct efg_finder *finder, uint32_t site)
{
    return site < finder->flow.sites && finder->flow.flow[site].time > 0;
}

/* FOUND is around the accepted loop and has its iterations: those of a function are known one by one. */
static bool is_the_same_around(const struct efg_finder *finder, const struct efg_loop_found *found)
{
    const struct known *accepted = &finder->accepted;
    uint64_t now = accepted->loop.iterations, then = found->loop.iterations;

    return found->is_level && efg_calltree_is_below(finder->flow.tree, accepted->site, found->site) &&
           (accepted->is_call ? is_as_often(finder, accepted, found) : now <= then + 1 && then <= now + 1);
}

uint32_t efg_finder_site(const struct efg_finder *finder)
{
    const struct known *accepted = &finder->accepted;

    for (uint32_t i = 0; accepted->loop.function && i < finder->judge.count; i++)
        if (is_the_same_around(finder, &finder->judge.chain[i]))
            return finder->judge.chain[i].site;
    return accepted->loop.function ? accepted->site : EFG_NONE;
}

bool efg_finder_sample(struct efg_finder *finder, uint64_t now, struct efg_mainloop *loop)
{
    bool is_new = false;

    if (!efg_callflow_fill(&finder->flow, &finder->history, now) &&
        !efg_judge_look(&finder->judge, &finder->flow)) {
        uint32_t needed;
        const struct efg_loop_found *found = choose(finder, &needed, now - finder->history.zero);
        is_new = decide(finder, found, needed, now);
        refresh(finder);
    }
    efg_history_sample(&finder->history, now);
    *loop = finder->accepted.loop;
    return is_new;
}
