/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the recorded calls in the order of all calls. A window is a piece of the order: it is searched for as
 * a word is in a text, in one walk for all windows. Where the program does the same again and again it is
 * found often; then the place counts whose time, made up from the means of calls, is nearest to that of the
 * trace.
 *
 * Before and behind the iterations of a window are calls with gaps between them, for the messages that
 * crossed its edges: they are not searched for, unless all was recorded. A rank without iterations has such
 * calls, too. If its window is not found, it is searched for without 1, 2, 4 ... of the first ones.
 *
 * Then each node knows which of its visits were recorded; others repeat these.
 *
 * Source: Knuth, Morris, Pratt, "Fast pattern matching in strings" (1977).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files/conf/conf.h"
#include "parts.h"

struct window {
    uint64_t first, count; /* of the events among the recorded calls */
    uint64_t leave;        /* ns since the start of the thread: the end of the last one */
    uint64_t *back;        /* of each event: how many of the first ones end with it */
    uint64_t matched;
    bool is_found;
    uint64_t off, begin; /* the best place: by how many ns it is off; its first event in the order */
};

struct aligning {
    struct efg_replay_facts *facts;
    const struct efg_run_thread *thread;
    const struct efg_run_sequence_thread *sequence;
    uint64_t *events; /* recorded calls that are events */
    uint64_t event_count;
    struct window *windows;
    uint32_t window_count;
};

static uint32_t site_at(const struct aligning *a, uint64_t event)
{
    return a->facts->calls[a->events[event]].site;
}

/* --- a piece in itself --- */

/* BACK[i]: the most of the first ones, but fewer than i + 1, that are also the last ones up to i. */
static void fill_back(uint64_t *back, uint64_t count, bool (*is_same)(const void *, uint64_t, uint64_t),
                      const void *of)
{
    for (uint64_t i = 1, k = 0; i < count; i++) {
        while (k && !is_same(of, k, i))
            k = back[k - 1];
        k += is_same(of, k, i);
        back[i] = k;
    }
}

struct events {
    const struct aligning *a;
    uint64_t first;
};

static bool is_same_site(const void *of, uint64_t i, uint64_t j)
{
    const struct events *e = of;
    return site_at(e->a, e->first + i) == site_at(e->a, e->first + j);
}

/* --- windows --- */

static int prepare(struct aligning *a, struct window *w)
{
    free(w->back);
    w->back = calloc(w->count, sizeof *w->back);
    if (!w->back)
        return -ENOMEM;
    w->matched = 0;
    struct events of = {a, w->first};
    fill_back(w->back, w->count, is_same_site, &of);
    return 0;
}

/* ZERO: when the thread started, in ns since the start of the trace. */
static int find_windows(struct aligning *a, uint64_t zero)
{
    int error = 0;
    a->windows = calloc(a->event_count + 1, sizeof *a->windows);
    for (uint64_t i = 0; a->windows && i < a->event_count; i++) {
        const struct efg_replay_call *c = &a->facts->calls[a->events[i]];
        if (!i || c->window != a->facts->calls[a->events[i - 1]].window)
            a->windows[a->window_count++] = (struct window){.first = i};
        struct window *w = &a->windows[a->window_count - 1];
        w->count++;
        w->leave = c->end > zero ? c->end - zero : 0;
    }
    for (uint32_t i = 0; a->windows && i < a->window_count && !error; i++)
        error = prepare(a, &a->windows[i]);
    return a->windows ? error : -ENOMEM;
}

/* Event number NUMBER of the order is of SITE and ends at LEAVE. */
static void follow(struct aligning *a, struct window *w, uint64_t number, uint32_t site, uint64_t leave)
{
    while (w->matched && (w->matched == w->count || site_at(a, w->first + w->matched) != site))
        w->matched = w->back[w->matched - 1];
    w->matched += site_at(a, w->first + w->matched) == site;
    uint64_t off = leave > w->leave ? leave - w->leave : w->leave - leave;
    if (w->matched < w->count || (w->is_found && off >= w->off))
        return;
    w->is_found = true;
    w->off = off;
    w->begin = number + 1 - w->count;
}

/* For the windows that are marked in IS_SOUGHT. */
static int search(struct aligning *a, const char *is_sought)
{
    const struct efg_graph *graph = &a->thread->graph;
    struct efg_rebuild rebuild;
    struct efg_rebuilt call;
    int error = efg_rebuild_init(&rebuild, a->thread, a->sequence);
    for (uint64_t number = 0; !error && efg_rebuild_next(&rebuild, &call); number++) {
        uint32_t site = efg_replay_site(a->facts, &graph->nodes[call.node]);
        for (uint32_t i = 0; i < a->window_count; i++)
            if (is_sought[i])
                follow(a, &a->windows[i], number, site, call.leave);
    }
    if (!error && rebuild.failed)
        error = -EBADMSG;
    efg_rebuild_fini(&rebuild);
    return error;
}

/* Those not found lose DROP calls more. Returns how many are sought, or -ENOMEM. */
static int shorten(struct aligning *a, char *is_sought, uint64_t drop)
{
    int sought = 0;
    for (uint32_t i = 0; i < a->window_count; i++) {
        struct window *w = &a->windows[i];
        is_sought[i] = !w->is_found && w->count > drop;
        if (!is_sought[i])
            continue;
        w->first += drop;
        w->count -= drop;
        sought++;
        if (prepare(a, w))
            return -ENOMEM;
    }
    return sought;
}

static int search_all(struct aligning *a)
{
    char *is_sought = malloc((size_t)a->window_count + 1);
    if (!is_sought)
        return -ENOMEM;
    memset(is_sought, 1, a->window_count);
    int error = search(a, is_sought), sought = 1;
    for (uint64_t drop = 1; !error && sought > 0; drop *= 2) {
        sought = shorten(a, is_sought, drop);
        error = sought < 0 ? sought : sought ? search(a, is_sought) : 0;
    }
    free(is_sought);
    return error;
}

/* --- nodes --- */

/* The recorded call that is event NUMBER of the order; NULL: none. */
static struct efg_replay_call *call_at(const struct aligning *a, uint64_t number)
{
    for (uint32_t i = 0; i < a->window_count; i++) {
        const struct window *w = &a->windows[i];
        if (w->is_found && number >= w->begin && number - w->begin < w->count)
            return &a->facts->calls[a->events[w->first + number - w->begin]];
    }
    return NULL;
}

static int name_nodes(struct aligning *a)
{
    uint64_t *visits = calloc((size_t)a->thread->graph.node_count + 1, sizeof *visits), count = 0, number = 0;
    struct efg_expand expand;
    uint32_t node;
    int found = visits ? 1 : -ENOMEM;
    efg_expand_init(&expand, a->sequence, a->thread->graph.node_count);
    while (found > 0 && (found = efg_expand_next(&expand, &node, &count)) > 0)
        for (; count; count--, number++, visits[node]++) {
            struct efg_replay_call *call = call_at(a, number);
            if (call) {
                call->node = node;
                call->visit = visits[node];
            }
        }
    efg_expand_fini(&expand);
    free(visits);
    return found;
}

/* --- what repeats --- */

struct visits {
    const struct efg_replay_facts *f;
    const uint64_t *list;
};

/* Whether two recorded calls do the same, with whatever number of bytes. */
static bool is_same_deed(const void *of, uint64_t i, uint64_t j)
{
    const struct visits *v = of;
    const struct efg_replay_call *a = &v->f->calls[v->list[i]], *b = &v->f->calls[v->list[j]];
    bool is_same = a->fact_count == b->fact_count;
    for (uint64_t k = 0; is_same && k < a->fact_count; k++) {
        const struct efg_replay_fact *x = &v->f->facts[a->fact + k], *y = &v->f->facts[b->fact + k];
        is_same = x->does == y->does && x->is_send == y->is_send && x->with == y->with && x->root == y->root;
    }
    return is_same;
}

/* The shortest piece that repeats in a segment; its count if there is none, or it comes less than twice. */
static int find_period(struct efg_replay_facts *f, struct efg_replay_segment *s)
{
    uint64_t *back = calloc(s->count, sizeof *back);
    if (!back)
        return -ENOMEM;
    struct visits of = {f, f->list + s->first};
    fill_back(back, s->count, is_same_deed, &of);
    s->period = s->count - back[s->count - 1];
    if (2 * s->period > s->count)
        s->period = s->count;
    free(back);
    return 0;
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x ? a / x * b : 0;
}

/* All nodes of a rank must come again together: all of what was recorded, unless all repeat a piece that
 * comes twice in each; then as much as has such pieces as a whole. */
static void set_periods(struct efg_replay_facts *f)
{
    uint64_t piece = 1;
    bool is_whole = false;
    for (uint32_t i = 0; i < f->segment_count && !is_whole; i++) {
        piece = common_multiple(piece, f->segments[i].period);
        is_whole = piece > UINT32_MAX;
    }
    for (uint32_t i = 0; i < f->segment_count && !is_whole; i++)
        is_whole = 2 * piece > f->segments[i].count;
    for (uint32_t i = 0; i < f->segment_count; i++) {
        struct efg_replay_segment *s = &f->segments[i];
        s->period = s->count - (is_whole ? 0 : s->count % piece);
    }
}

/* LIST: the calls by node. */
static uint64_t sort_by_node(const struct aligning *a, uint64_t *next)
{
    struct efg_replay_facts *f = a->facts;
    uint32_t nodes = a->thread->graph.node_count;
    uint64_t sorted = 0;
    for (uint64_t i = 0; i < f->call_count; i++)
        if (f->calls[i].node != EFG_NONE)
            next[f->calls[i].node + 1]++;
    for (uint32_t i = 0; i < nodes; i++)
        next[i + 1] += next[i];
    for (uint64_t i = 0; i < f->call_count; i++)
        if (f->calls[i].node != EFG_NONE) {
            f->list[next[f->calls[i].node]++] = i;
            sorted++;
        }
    return sorted;
}

/* Visits that follow one another are a segment. */
static int make_segments(struct efg_replay_facts *f, uint64_t count, uint32_t nodes)
{
    int error = 0;
    f->segments = calloc(count + 1, sizeof *f->segments);
    f->first_segment = calloc((size_t)nodes + 2, sizeof *f->first_segment);
    if (!f->segments || !f->first_segment)
        return -ENOMEM;
    for (uint64_t i = 0; i < count; i++) {
        const struct efg_replay_call *c = &f->calls[f->list[i]],
                                     *before = i ? &f->calls[f->list[i - 1]] : NULL;
        if (!before || c->node != before->node || c->visit != before->visit + 1) {
            f->segments[f->segment_count++] = (struct efg_replay_segment){.first = i, .visit = c->visit};
            f->first_segment[c->node + 1]++;
        }
        f->segments[f->segment_count - 1].count++;
    }
    for (uint32_t i = 0; i < nodes; i++)
        f->first_segment[i + 1] += f->first_segment[i];
    for (uint32_t i = 0; i < f->segment_count && !error; i++)
        error = find_period(f, &f->segments[i]);
    set_periods(f);
    return error;
}

static int sort_nodes(struct aligning *a)
{
    uint32_t nodes = a->thread->graph.node_count;
    uint64_t *next = calloc((size_t)nodes + 2, sizeof *next);
    if (!next)
        return -ENOMEM;
    uint64_t count = sort_by_node(a, next);
    free(next);
    return make_segments(a->facts, count, nodes);
}

/* --- all of it --- */

/* Of the recorded calls from FIRST on, but not END. */
static void add_events(struct aligning *a, uint64_t first, uint64_t end, bool in_iterations)
{
    for (uint64_t i = first; i < end; i++)
        if (a->facts->calls[i].is_event && (a->facts->calls[i].is_inside || !in_iterations))
            a->events[a->event_count++] = i;
}

/* IS_ALL: all calls were recorded. */
static int begin(struct aligning *a, uint64_t zero, bool is_all)
{
    struct efg_replay_facts *f = a->facts;
    a->events = calloc(f->call_count + 1, sizeof *a->events);
    f->list = calloc(f->call_count + 1, sizeof *f->list);
    if (!a->events || !f->list)
        return -ENOMEM;
    for (uint64_t i = 0, end; i < f->call_count; i = end) {
        bool has_iterations = false;
        for (end = i; end < f->call_count && f->calls[end].window == f->calls[i].window; end++)
            has_iterations |= f->calls[end].is_inside;
        add_events(a, i, end, has_iterations && !is_all);
    }
    return find_windows(a, zero);
}

int efg_replay_align(struct efg_replay *r, struct efg_replay_facts *f, const struct efg_run_thread *thread,
                     const struct efg_run_sequence_thread *sequence, uint64_t start)
{
    struct aligning a = {.facts = f, .thread = thread, .sequence = sequence};
    int error = begin(&a, start > r->start ? start - r->start : 0, r->run->mode == EFG_MODE_FULL),
        missing = 0;
    if (!error)
        error = search_all(&a);
    if (!error)
        error = name_nodes(&a);
    if (!error)
        error = sort_nodes(&a);
    for (uint32_t i = 0; a.windows && i < a.window_count; i++) {
        missing += !a.windows[i].is_found;
        free(a.windows[i].back);
    }
    free(a.windows);
    free(a.events);
    return error ? error : missing;
}
