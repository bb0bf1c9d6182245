/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The finder: takes the rule's choice at each sample (rule.c), on the window that
 * the history forms (history.c), and decides what is accepted.
 *
 *     three equal choices               accepted; ten, if the level asked for is missing
 *                                       and the rule's own stands in, or the other way round
 *     silent                            still accepted: the caller restarts the search
 *     three samples in a row refute the rule's own choice that it came from (what is
 *     rarer costs twice what it may), and meanwhile three choose another one    replaced
 *
 * The last line is for programs whose steps take longer than three samples: all that can be
 * seen at first are the iterations inside the first step.
 *
 * Invariant: a pivot once accepted stays so until it is replaced, or until a restart.
 */
#include "pivot.h"

#include "history.h"
#include "rule.h"

#include <stdlib.h>

#define EQUAL_CHOICES 3
#define EQUAL_FALLBACKS 10 /* for want of the level asked for, or of what it is next to */
#define REFUTED_TIME 0.04
#define SILENT_GAPS 3
#define SILENT_SHARE 0.2         /* of the time since the search began ... */
#define SILENT_MOST 60000000000u /* ... but that is enough, in ns */

struct efg_pivot_finder {
    struct efg_history history;
    struct efg_rule rule;
    enum efg_level level;
    struct efg_pivot choice; /* of the last sample */
    uint32_t equal;          /* samples in a row that made it */
    uint32_t refuted;        /* samples in a row that refuted the basis */
    struct efg_pivot accepted;
    struct efg_pivot basis; /* the rule's own choice when that was accepted */
    uint64_t longest;       /* ns: largest time between two visits of the accepted one */
};

struct efg_pivot_finder *efg_pivot_finder_new(struct efg_graph *graph, enum efg_level level)
{
    struct efg_pivot_finder *finder = calloc(1, sizeof *finder);

    if (!finder)
        return NULL;
    finder->level = level;
    efg_rule_init(&finder->rule, &finder->history);
    if (!efg_history_init(&finder->history, graph, graph->last_leave))
        return finder;
    efg_pivot_finder_free(finder);
    return NULL;
}

void efg_pivot_finder_free(struct efg_pivot_finder *finder)
{
    if (!finder)
        return;
    efg_rule_fini(&finder->rule);
    efg_history_fini(&finder->history);
    free(finder);
}

uint64_t efg_pivot_pause(uint64_t elapsed, uint64_t interval)
{
    return elapsed / 50 > interval ? elapsed / 50 : interval;
}

static int is_same(const struct efg_pivot *a, const struct efg_pivot *b)
{
    return a->kind == b->kind && (a->kind == EFG_PIVOT_NONE || a->id == b->id);
}

static const struct efg_pivot *at_level(const struct efg_pivot_levels *levels,
                                        enum efg_level level)
{
    if (level == EFG_LEVEL_FINER && levels->finer.kind)
        return &levels->finer;
    if (level == EFG_LEVEL_COARSER && levels->coarser.kind)
        return &levels->coarser;
    return &levels->automatic;
}

static uint32_t equal_choices(const struct efg_pivot_finder *finder)
{
    const struct efg_pivot *own = &finder->rule.levels.automatic;

    if (finder->level == EFG_LEVEL_AUTO)
        return EQUAL_CHOICES;
    return !own->kind || is_same(&finder->choice, own) ? EQUAL_FALLBACKS : EQUAL_CHOICES;
}

/* What is rarer than the rule's choice costs too much, or there was none and now is. */
static int is_doubtful(const struct efg_pivot_finder *finder)
{
    if (!finder->accepted.kind)
        return 0;
    if (!finder->basis.kind)
        return finder->rule.levels.automatic.kind != EFG_PIVOT_NONE;
    return efg_rule_doubt(&finder->rule, &finder->basis) > REFUTED_TIME;
}

static void accept(struct efg_pivot_finder *finder)
{
    finder->accepted = finder->choice;
    finder->basis = finder->rule.levels.automatic;
    finder->longest = 0;
    finder->refuted = 0;
}

static void judge(struct efg_pivot_finder *finder)
{
    const struct efg_pivot *choice = at_level(&finder->rule.levels, finder->level);
    int is_equal = is_same(choice, &finder->choice);

    finder->choice = *choice;
    finder->equal = choice->kind ? (is_equal ? finder->equal + 1 : 1) : 0;
    finder->refuted = is_doubtful(finder) ? finder->refuted + 1 : 0;
    if (finder->equal < equal_choices(finder))
        return;
    if (!finder->accepted.kind ||
        (finder->refuted >= EQUAL_CHOICES && !is_same(choice, &finder->accepted)))
        accept(finder);
}

static const struct efg_rhythm *rhythm_of(const struct efg_graph *graph,
                                          const struct efg_pivot *pivot)
{
    return pivot->kind == EFG_PIVOT_NODE ? &graph->nodes[pivot->id].rhythm
                                         : &graph->edges[pivot->id].rhythm;
}

/* What the accepted pivot did in the window of this sample. */
static void refresh(struct efg_pivot_finder *finder)
{
    struct efg_pivot *pivot = &finder->accepted;

    if (!pivot->kind)
        return;
    const struct efg_pace *pace = pivot->kind == EFG_PIVOT_NODE
                                      ? &finder->history.nodes[pivot->id]
                                      : &finder->history.edges[pivot->id];
    if (is_same(pivot, &finder->choice))
        *pivot = finder->choice;
    if (pace->longest > finder->longest)
        finder->longest = pace->longest;
}

int efg_pivot_sample(struct efg_pivot_finder *finder, uint64_t now, struct efg_pivot *pivot)
{
    if (!efg_history_sample(&finder->history, now) && !efg_rule_apply(&finder->rule)) {
        judge(finder);
        refresh(finder);
    }
    *pivot = finder->accepted;
    return pivot->kind != EFG_PIVOT_NONE;
}

int efg_pivot_is_silent(const struct efg_pivot_finder *finder, uint64_t now)
{
    if (!finder->accepted.kind)
        return 0;
    const struct efg_rhythm *rhythm = rhythm_of(finder->history.graph, &finder->accepted);
    uint64_t longest = rhythm->recent > finder->longest ? rhythm->recent : finder->longest;
    double least = SILENT_SHARE * (double)(now - finder->history.zero);

    least = least < (double)SILENT_MOST ? least : (double)SILENT_MOST;
    if (now < rhythm->last_time)
        return 0;
    double silence = (double)(now - rhythm->last_time);
    return silence > least && silence > SILENT_GAPS * (double)longest;
}

void efg_pivot_restart(struct efg_pivot_finder *finder, uint64_t now)
{
    struct efg_pivot none = {.kind = EFG_PIVOT_NONE};

    efg_rule_restart(&finder->rule);
    finder->choice = finder->accepted = finder->basis = none;
    finder->equal = finder->refuted = 0;
    finder->longest = 0;
    efg_history_restart(&finder->history, now);
}

uint64_t efg_pivot_finder_memory(const struct efg_pivot_finder *finder)
{
    return sizeof *finder + efg_history_memory(&finder->history) +
           efg_rule_memory(&finder->rule);
}

/* Arrays go, too: they are as large as the graph was. */
void efg_pivot_renew(struct efg_pivot_finder *finder, const struct efg_pivot *pivot,
                     uint64_t now)
{
    efg_rule_fini(&finder->rule);
    efg_history_fini(&finder->history);
    efg_pivot_restart(finder, now);
    if (pivot)
        efg_pivot_accept(finder, pivot);
}

const struct efg_pivot_levels *efg_pivot_levels(const struct efg_pivot_finder *finder)
{
    return &finder->rule.levels;
}

/* ---- among ranks ---- */

/* Insert HASH into the COUNT lowest ones so far, in order. */
static uint32_t keep_low(uint64_t *hashes, uint32_t count, uint32_t room, uint64_t hash)
{
    if (count == room && hash >= hashes[count - 1])
        return count;
    uint32_t i = count < room ? count++ : count - 1;
    for (; i > 0 && hashes[i - 1] > hash; i--)
        hashes[i] = hashes[i - 1];
    hashes[i] = hash;
    return count;
}

/* Visits of PIVOT in the window of the last sample; if it is no candidate any longer, of what
 * would be chosen now. */
static double visits_now(const struct efg_pivot_finder *finder, const struct efg_pivot *pivot)
{
    const struct efg_rule *rule = &finder->rule;

    for (uint32_t i = 0; i < rule->candidate_count; i++)
        if (rule->candidates[i].kind == pivot->kind && rule->candidates[i].id == pivot->id)
            return (double)rule->candidates[i].counted;
    return (double)(finder->choice.kind ? finder->choice.visits : pivot->visits);
}

uint32_t efg_pivot_peers(const struct efg_pivot_finder *finder, const struct efg_pivot *pivot,
                         uint64_t *hashes, uint32_t room)
{
    const struct efg_rule *rule = &finder->rule;
    double visits = visits_now(finder, pivot), least = EFG_RARE_VISITS * visits - 2,
           most = visits / EFG_RARE_VISITS + 2;
    uint32_t count = 0;

    for (uint32_t i = 0; i < rule->candidate_count; i++) {
        const struct efg_candidate *c = &rule->candidates[i];
        if (c->ordered && (c->full || finder->level != EFG_LEVEL_AUTO) &&
            (double)c->counted >= least && (double)c->counted <= most)
            count = keep_low(hashes, count, room,
                             efg_pivot_hash(finder->history.graph, c->kind, c->id));
    }
    return count;
}

void efg_pivot_accept(struct efg_pivot_finder *finder, const struct efg_pivot *pivot)
{
    finder->accepted = finder->basis = *pivot;
    finder->longest = 0;
    finder->refuted = 0;
}

/* ---- names that agree between ranks ---- */

uint64_t efg_pivot_hash(const struct efg_graph *graph, uint32_t kind, uint32_t id)
{
    if (kind == EFG_PIVOT_NODE)
        return graph->nodes[id].hash;
    return efg_hash_mix(graph->nodes[graph->edges[id].from].hash,
                        graph->nodes[graph->edges[id].to].hash);
}

uint64_t efg_pivot_visits(const struct efg_graph *graph, uint32_t kind, uint32_t id)
{
    if (kind == EFG_PIVOT_NODE && id < graph->node_count)
        return graph->nodes[id].rhythm.visits;
    if (kind != EFG_PIVOT_EDGE || id >= graph->edge_count)
        return 0;
    return efg_graph_count_edge(graph, id);
}

uint64_t efg_pivot_period(const struct efg_pivot_finder *finder, uint32_t kind, uint32_t id)
{
    const struct efg_history *h = &finder->history;
    int is_node = kind == EFG_PIVOT_NODE;

    if (id >= (is_node ? h->node_room : h->edge_room))
        return 0; /* came after the last sample */
    const struct efg_pace *pace = is_node ? &h->nodes[id] : &h->edges[id];
    return pace->visits ? (uint64_t)pace->period : 0;
}

static int has_hash(const struct efg_graph *graph, uint32_t kind, uint32_t id, uint64_t bits)
{
    return ((efg_pivot_hash(graph, kind, id) ^ bits) & (((uint64_t)1 << 40) - 1)) == 0;
}

int efg_pivot_find(const struct efg_graph *graph, uint64_t bits, struct efg_pivot *pivot)
{
    uint32_t nodes = graph->node_count;

    for (uint32_t i = 0; i < nodes + graph->edge_count; i++) {
        uint32_t kind = i < nodes ? EFG_PIVOT_NODE : EFG_PIVOT_EDGE;
        uint32_t id = i < nodes ? i : i - nodes;
        if (!has_hash(graph, kind, id, bits))
            continue;
        pivot->kind = kind;
        pivot->id = id;
        pivot->hash = efg_pivot_hash(graph, kind, id);
        pivot->world = kind == EFG_PIVOT_NODE && graph->nodes[id].flags & EFG_NODE_WORLD;
        return 1;
    }
    return 0;
}
