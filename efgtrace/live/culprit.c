/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names the culprit. First those that are held up by something else than MPI: stopped, gone, computing or
 * sleeping far longer than ever before, in a file. Else threads wait for one another: of the graph of waits a
 * component is taken that waits for nothing outside of it, and looked through for what is wrong in it.
 *
 * Two calls that do not fit do not say which of them is wrong. Often their past does: a thread that comes to
 * the call by another way than before, or calls it with other arguments, is the one.
 */
#include "culprit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/none.h"
#include "core/flow/components.h"
#include "files/log/record.h"
#include "roots.h"

#define MOST_EDGES 64 /* of a thread, that are looked at */

struct search {
    struct efg_culprit *out;
    const struct efg_await *await;
    const struct efg_where *list;
    uint32_t *knot; /* the component: indices of its threads, ascending */
    uint32_t count;
};

static uint32_t rank_of(const struct efg_where *w)
{
    return w->rank->last.part.rank;
}

/* --- words --- */

static void name_comm(const struct efg_where *w, uint32_t id, char *text, size_t size)
{
    const struct efg_look_comm *comm = efg_look_comm(w->rank, id);

    if (!comm)
        snprintf(text, size, "a communicator");
    else if (comm->kind == EFG_COMM_WORLD || comm->kind == EFG_COMM_SELF)
        snprintf(text, size, comm->kind == EFG_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    else
        snprintf(text, size, "a communicator of %d ranks (%llx)", comm->size,
                 (unsigned long long)comm->identity & 0xfffff);
}

static void name_end(const struct efg_where *w, const struct efg_await_end *end, char *text, size_t size)
{
    char peer[32] = "any rank", tag[32] = "";

    if (end->peer != EFG_NONE)
        snprintf(peer, sizeof peer, "rank %u", end->peer);
    if (end->tag != w->rank->node->head.any_tag)
        snprintf(tag, sizeof tag, ", tag %d", end->tag);
    snprintf(text, size, "%s %s%s", end->sends ? "to" : "from", peer, tag);
}

static void describe_call(const struct efg_where *w, char *text, size_t size)
{
    struct efg_await_end ends[EFG_AWAIT_ENDS];
    uint32_t count = efg_await_ends(w, w->call, ends);
    char on[96] = "";

    snprintf(text, size, "in %s", efg_look_call(w->rank, w->call->call));
    if (w->call->kind == EFG_LIVE_COLLECTIVE) {
        name_comm(w, w->call->comm, on, sizeof on);
        snprintf(text + strlen(text), size - strlen(text), " on %s", on);
    }
    if (w->call->kind == EFG_LIVE_LOCK && w->call->peer >= 0)
        snprintf(text + strlen(text), size - strlen(text), " of rank %u's part",
                 efg_look_partner(efg_look_comm(w->rank, w->call->comm), w->call->peer));
    for (uint32_t i = 0; i < count && i < 3; i++) {
        name_end(w, &ends[i], on, sizeof on);
        snprintf(text + strlen(text), size - strlen(text), "%s %s", i ? " and" : "", on);
    }
    if (count && (uint32_t)w->call->requests > count)
        snprintf(text + strlen(text), size - strlen(text), " (of %d requests)", w->call->requests);
}

void efg_culprit_doing(const struct efg_where *w, char *text, size_t size)
{
    static const char *const words[] = {
        [EFG_MOVES] = "moves",
        [EFG_POLLS] = "polls, and finds nothing",
        [EFG_COMPUTES] = "computes",
        [EFG_SLEEPS] = "sleeps outside of MPI",
        [EFG_FINALIZES] = "in MPI_Finalize",
        [EFG_STOPPED] = "is stopped",
        [EFG_GONE] = "has ended without MPI_Finalize",
    };

    if (w->doing == EFG_IN_CALL)
        describe_call(w, text, size);
    else
        snprintf(text, size, "%s", words[w->doing]);
}

static void blame(struct search *s, const struct efg_where *w)
{
    struct efg_range rank = {rank_of(w), 1, 1};

    efg_ranklist_unite(&s->out->ranks, &(struct efg_ranklist){&rank, 1});
}

/* --- held up by something else --- */

static bool is_other(void *context, uint32_t other)
{
    return *(uint32_t *)context == other;
}

/* Whether a thread that cannot go on waits for thread I. */
static bool is_awaited(const struct search *s, uint32_t i)
{
    for (uint32_t j = 0; j < s->await->wheres->count; j++)
        if (j != i && !s->await->goes_on[j] && s->list[j].age && efg_await_each(s->await, j, is_other, &i))
            return true;
    return false;
}

static bool is_in_locks(const struct search *s, uint32_t i)
{
    uint32_t sleep = 0;

    for (uint32_t j = 0; j < s->await->wheres->count; j++)
        sleep +=
            !s->await->goes_on[j] && s->list[j].rank == s->list[i].rank && s->list[j].doing == EFG_SLEEPS;
    return s->list[i].doing == EFG_SLEEPS && sleep > 1;
}

/* What holds up thread I; NULL if nothing does but others. */
static const char *held_by(const struct search *s, uint32_t i)
{
    const struct efg_where *w = &s->list[i];

    if (s->await->goes_on[i])
        return NULL;
    if (w->doing == EFG_STOPPED)
        return "is stopped, by a signal (SIGSTOP) or a debugger";
    if (w->doing == EFG_GONE)
        return "has ended without MPI_Finalize";
    if (efg_await_is_held_by_file(w))
        return "reads or writes a file, and gets no byte further";
    if (is_in_locks(s, i))
        return "has threads that wait for one another outside of MPI, as in locks that they take in "
               "different orders";
    if (!is_awaited(s, i))
        return NULL;
    if (w->doing == EFG_SLEEPS)
        return "sleeps outside of MPI, far longer than ever before";
    return w->doing == EFG_COMPUTES
               ? "computes without calling MPI, far longer than ever before, as in an endless loop"
               : NULL;
}

static bool find_held(struct search *s)
{
    const char *last = NULL;
    uint32_t before = EFG_NONE;

    for (uint32_t i = 0; i < s->await->wheres->count; i++) {
        const struct efg_where *w = &s->list[i];
        const char *why = held_by(s, i);
        if (!why)
            continue;
        bool is_new = last != why || before != rank_of(w);
        blame(s, w);
        if (is_new)
            efg_buffer_print(&s->out->why, "%srank %u %s", last ? "; " : "", rank_of(w), why);
        if (is_new && (w->doing == EFG_COMPUTES || w->doing == EFG_SLEEPS))
            efg_buffer_print(&s->out->why, " (%.1f s; %.3f s before)", (double)w->age / 1e9,
                             (double)w->live->longest / 1e9);
        last = why;
        before = rank_of(w);
    }
    return last != NULL;
}

/* --- the past of a thread --- */

static bool is_same_place(const struct efg_live_call *a, const struct efg_live_call *b, bool by_path)
{
    return a && b && a->call == b->call && (!by_path || a->path == b->path);
}

static bool has_same_arguments(const struct efg_live_call *a, const struct efg_live_call *b)
{
    return a->comm == b->comm && a->peer == b->peer && a->tag == b->tag && a->rpeer == b->rpeer &&
           a->rtag == b->rtag && a->root == b->root;
}

/* Whether call number N of W was made before: 1 in the same way, -1 by another way or with other arguments;
 * 0: it was not, as far as is remembered. Calls are the same if their paths are, or, not BY_PATH, their
 * functions. */
static int compare_past(const struct efg_where *w, uint64_t n, bool by_path)
{
    const struct efg_live_call *call = efg_where_call(w->live, n), *before = efg_where_call(w->live, n - 1);
    int was = 0;

    for (uint64_t m = n - 1; call && m > 1 && efg_where_call(w->live, m - 1); m--) {
        const struct efg_live_call *then = efg_where_call(w->live, m);
        if (!is_same_place(call, then, by_path))
            continue;
        was = -1;
        if (is_same_place(before, efg_where_call(w->live, m - 1), by_path) && has_same_arguments(call, then))
            return 1;
    }
    return was;
}

static bool deviates(const struct efg_where *w, uint64_t n)
{
    int was = compare_past(w, n, true);

    return (was ? was : compare_past(w, n, false)) < 0;
}

static bool deviates_now(const struct efg_where *w)
{
    return deviates(w, w->live->begun);
}

/* The latest message that W sent, to rank TO or, if LIKE is given, to anybody with its tag and communicator.
 * Returns the number of the call, 0: none is remembered; and the message in *END. */
static uint64_t last_sent(const struct efg_where *w, uint32_t to, const struct efg_await_end *like,
                          struct efg_await_end *end)
{
    struct efg_await_end ends[EFG_AWAIT_ENDS];

    for (uint64_t n = w->live->begun; efg_where_call(w->live, n); n--) {
        uint32_t count = efg_await_ends(w, efg_where_call(w->live, n), ends);
        for (uint32_t i = 0; i < count; i++) {
            *end = ends[i];
            if (end->sends &&
                (like ? end->tag == like->tag && end->identity == like->identity : end->peer == to))
                return n;
        }
    }
    return 0;
}

/* Whether W has received what END of rank FROM has sent, as far as it is remembered. */
static bool has_received(const struct efg_where *w, const struct efg_await_end *end, uint32_t from)
{
    struct efg_await_end ends[EFG_AWAIT_ENDS];

    for (uint64_t n = w->live->begun; efg_where_call(w->live, n); n--) {
        const struct efg_live_call *call = efg_where_call(w->live, n);
        uint32_t count = efg_await_ends(w, call, ends);
        if (call->kind == EFG_LIVE_WAIT_ALL && call != w->call)
            return true; /* what that was for is not remembered */
        for (uint32_t i = 0; i < count; i++)
            if (efg_await_fits(w, end, from, &ends[i], rank_of(w)))
                return true;
    }
    return false;
}

/* --- messages --- */

/* W waits to receive by END what OTHER has not sent: a message of another kind is there, or none. */
static void explain_receive(struct search *s, const struct efg_where *w, const struct efg_await_end *end,
                            const struct efg_where *other)
{
    struct efg_await_end sent = {0}, alike = {0};
    char wants[96], has[160];
    uint64_t n = last_sent(other, rank_of(w), NULL, &sent), strayed = last_sent(other, 0, end, &alike);
    bool is_there = n && !has_received(w, &sent, rank_of(other));
    bool is_astray = strayed && alike.peer != rank_of(w) && deviates(other, strayed);

    name_end(w, end, wants, sizeof wants);
    efg_culprit_doing(other, has, sizeof has);
    efg_buffer_print(&s->out->why, "rank %u waits for a message %s, which rank %u has ", rank_of(w), wants,
                     rank_of(other));
    if (is_there && sent.identity != end->identity)
        efg_buffer_print(&s->out->why, "sent on another communicator");
    else if (is_there && sent.tag != end->tag)
        efg_buffer_print(&s->out->why, "sent with tag %d", sent.tag);
    else if (is_astray)
        efg_buffer_print(&s->out->why, "sent to rank %u", alike.peer);
    else
        efg_buffer_print(&s->out->why, "not sent: it is %s", has);
    bool is_own = deviates_now(w) && !is_astray && !(is_there ? deviates(other, n) : deviates_now(other));
    if (is_own)
        efg_buffer_print(&s->out->why, "; rank %u got there by another way than before", rank_of(w));
    blame(s, is_own ? w : other);
}

/* W waits to send by END what OTHER does not receive. */
static void explain_send(struct search *s, const struct efg_where *w, const struct efg_await_end *end,
                         const struct efg_where *other)
{
    char wants[96], has[160];
    bool is_own = deviates_now(w) && !deviates_now(other);

    name_end(w, end, wants, sizeof wants);
    efg_culprit_doing(other, has, sizeof has);
    efg_buffer_print(&s->out->why,
                     "rank %u waits to send a message %s, which rank %u does not receive: it is %s",
                     rank_of(w), wants, rank_of(other), has);
    blame(s, is_own ? w : other);
}

/* The first thread of the knot that is of rank RANK; NULL: none. */
static const struct efg_where *in_knot(const struct search *s, uint32_t rank)
{
    for (uint32_t k = 0; k < s->count; k++)
        if (rank_of(&s->list[s->knot[k]]) == rank)
            return &s->list[s->knot[k]];
    return NULL;
}

/* Whether an end of W fits END of rank RANK. */
static bool answers(const struct efg_where *w, const struct efg_await_end *end, uint32_t rank)
{
    struct efg_await_end ends[EFG_AWAIT_ENDS];
    uint32_t count = w->doing == EFG_IN_CALL ? efg_await_ends(w, w->call, ends) : 0;

    for (uint32_t i = 0; i < count; i++)
        if (efg_await_fits(w, end, rank, &ends[i], rank_of(w)))
            return true;
    return false;
}

/* How many of the knot are in a call of a kind in the set KINDS. */
static uint32_t count_kinds(const struct search *s, unsigned kinds)
{
    uint32_t count = 0;

    for (uint32_t k = 0; k < s->count; k++) {
        const struct efg_where *w = &s->list[s->knot[k]];
        count += w->doing == EFG_IN_CALL && (kinds >> w->call->kind & 1);
    }
    return count;
}

static void blame_knot(struct search *s, const char *why)
{
    for (uint32_t k = 0; k < s->count; k++)
        blame(s, &s->list[s->knot[k]]);
    efg_buffer_print(&s->out->why, "%s: %s",
                     s->count > 1 ? "they wait for one another" : "it waits for itself", why);
}

struct pair { /* an end that its partner does not answer */
    const struct efg_where *w, *partner;
    struct efg_await_end end;
    int weight; /* 0: none */
};

/* Of several ends some may be done, and sooner those that send. */
static int weigh(const struct efg_where *w, const struct efg_await_end *end, const struct efg_where *partner)
{
    return 1 + (deviates_now(w) || deviates_now(partner)) +
           2 * (!end->sends || w->call->kind == EFG_LIVE_SEND);
}

static void look_at_ends(const struct search *s, const struct efg_where *w, struct pair *best)
{
    struct efg_await_end ends[EFG_AWAIT_ENDS];
    uint32_t count = w->doing == EFG_IN_CALL ? efg_await_ends(w, w->call, ends) : 0;

    for (uint32_t e = 0; e < count; e++) {
        const struct efg_where *other = ends[e].peer == EFG_NONE ? NULL : in_knot(s, ends[e].peer);
        if (!other || answers(other, &ends[e], rank_of(w)))
            continue;
        int weight = weigh(w, &ends[e], other);
        if (weight > best->weight)
            *best = (struct pair){w, other, ends[e], weight};
    }
}

/* Returns whether there is one. */
static bool find_message(struct search *s)
{
    struct pair best = {0};

    for (uint32_t k = 0; k < s->count; k++)
        look_at_ends(s, &s->list[s->knot[k]], &best);
    if (best.weight && best.end.sends)
        explain_send(s, best.w, &best.end, best.partner);
    else if (best.weight)
        explain_receive(s, best.w, &best.end, best.partner);
    return best.weight;
}

/* Those that poll do not say for what. */
static bool find_polls(struct search *s)
{
    for (uint32_t k = 0; k < s->count; k++)
        if (s->list[s->knot[k]].doing == EFG_POLLS) {
            blame(s, &s->list[s->knot[k]]);
            if (!s->out->why.size)
                efg_buffer_print(&s->out->why, "polls for what does not come, while others wait for it");
        }
    return s->out->why.size;
}

/* --- collectives --- */

/* How many of the knot are in the same collective as thread I. */
static uint32_t count_same(const struct search *s, uint32_t i)
{
    uint32_t count = 0;

    for (uint32_t k = 0; k < s->count; k++)
        count += s->await->same[s->knot[k]] == s->await->same[i];
    return count;
}

static bool is_of_collective(const struct efg_where *w)
{
    return w->doing == EFG_FINALIZES || (w->doing == EFG_IN_CALL && w->call->kind == EFG_LIVE_COLLECTIVE);
}

/* Whether thread I is rather the culprit than thread J: fewer do the same, or it deviates. */
static bool is_odder(const struct search *s, uint32_t i, uint32_t j)
{
    bool finalizes = s->list[i].doing == EFG_FINALIZES, other = s->list[j].doing == EFG_FINALIZES;
    uint32_t count = count_same(s, i), others = count_same(s, j);

    if (finalizes != other)
        return finalizes;
    if (count != others)
        return count < others;
    return deviates_now(&s->list[i]) && !deviates_now(&s->list[j]);
}

/* The ranks that are in the same collective as thread I, and what that is. */
static void print_same(struct search *s, uint32_t i, bool blames)
{
    struct efg_ranklist ranks = {0};
    char text[200], doing[200];

    for (uint32_t j = 0; j < s->await->wheres->count; j++)
        if (s->await->same[j] == s->await->same[i]) {
            efg_ranklist_add(&ranks, rank_of(&s->list[j]));
            if (blames)
                blame(s, &s->list[j]);
        }
    efg_ranklist_print(&ranks, text, sizeof text);
    efg_culprit_doing(&s->list[i], doing, sizeof doing);
    efg_buffer_print(&s->out->why, efg_ranklist_count(&ranks) > 1 ? "ranks %s are %s" : "rank %s is %s", text,
                     doing);
    efg_ranklist_fini(&ranks);
}

/* Thread ODD is the culprit, and those of it; MOST does what is right. */
static void explain_collective(struct search *s, uint32_t odd, uint32_t most)
{
    const struct efg_where *one = &s->list[odd], *other = &s->list[most];

    print_same(s, odd, true);
    efg_buffer_print(&s->out->why, "; ");
    print_same(s, most, false);
    if (one->doing == EFG_IN_CALL && other->doing == EFG_IN_CALL && one->call->call == other->call->call &&
        one->call->root != other->call->root)
        efg_buffer_print(&s->out->why, "; the root is %d and %d", one->call->root, other->call->root);
}

static bool find_collective(struct search *s)
{
    uint32_t odd = s->knot[0], most = s->knot[0];

    for (uint32_t k = 1; k < s->count; k++) {
        if (is_odder(s, s->knot[k], odd))
            odd = s->knot[k];
        if (is_odder(s, most, s->knot[k]))
            most = s->knot[k];
    }
    if (odd == most || !is_of_collective(&s->list[odd]) || !is_of_collective(&s->list[most]))
        return false;
    explain_collective(s, odd, most);
    return true;
}

/* Who has named another root than most. */
static bool find_root(struct search *s)
{
    uint32_t odd, most;

    if (!efg_roots_find(s->await, &odd, &most))
        return false;
    explain_collective(s, odd, most);
    return true;
}

/* --- threads that wait for one another --- */

static void explain_knot(struct search *s)
{
    const unsigned receives = 1u << EFG_LIVE_RECV | 1u << EFG_LIVE_PROBE, sends = 1u << EFG_LIVE_SEND;
    const unsigned locks = 1u << EFG_LIVE_LOCK | 1u << EFG_LIVE_UNLOCK;

    if (count_kinds(s, locks) > 0)
        blame_knot(s, "each has locked a part of a window that another one wants, in another order");
    else if (count_kinds(s, receives) == s->count)
        blame_knot(s, "each receives before it sends");
    else if (count_kinds(s, sends) == s->count)
        blame_knot(s, "each sends before it receives");
    else if (!find_root(s) && !find_polls(s) && !find_message(s) && !find_collective(s))
        blame_knot(s, "none of them can go on before another one does");
}

/* --- the graph of waits --- */

struct edges {
    struct search *search;
    uint32_t *targets;
    uint32_t count, least;
};

static bool add_edge(void *context, uint32_t other)
{
    struct edges *e = context;

    if (!e->search->await->goes_on[other])
        e->targets[e->count++] = other;
    return e->count - e->least >= MOST_EDGES;
}

/* The first component that is found has no way out. One of a single thread that waits for nobody is none. */
static bool find_knot(struct search *s)
{
    uint32_t n = s->await->wheres->count;
    struct edges edges = {s, calloc((size_t)n * MOST_EDGES + 1, sizeof(uint32_t)), 0, 0};
    uint32_t *first = calloc((size_t)n + 1, sizeof *first),
             *component = calloc((size_t)n + 1, sizeof *component);
    struct efg_digraph graph = {n, first, edges.targets};
    int64_t components = 0;

    for (uint32_t i = 0; edges.targets && first && i < n; i++) {
        first[i] = edges.least = edges.count;
        if (!s->await->goes_on[i])
            efg_await_each(s->await, i, add_edge, &edges);
        first[i + 1] = edges.count;
    }
    if (edges.targets && first && component)
        components = efg_components_find(&graph, component);
    for (int64_t c = 0; c < components && !s->count; c++) {
        bool has_edges = false;
        for (uint32_t i = 0; i < n; i++)
            has_edges |= component[i] == c && first[i + 1] > first[i];
        for (uint32_t i = 0; has_edges && i < n; i++)
            if (component[i] == c)
                s->knot[s->count++] = i;
    }
    free(edges.targets);
    free(first);
    free(component);
    return s->count > 0;
}

bool efg_culprit_find(struct efg_culprit *culprit, const struct efg_await *await)
{
    uint32_t *knot = calloc((size_t)await->wheres->count + 1, sizeof *knot);
    struct search s = {culprit, await, await->wheres->list, knot, 0};
    bool is_stuck = false;

    *culprit = (struct efg_culprit){0};
    if (find_held(&s))
        is_stuck = true;
    else if (knot && find_knot(&s)) {
        explain_knot(&s);
        is_stuck = true;
    }
    free(knot);
    efg_buffer_put(&culprit->why, "", 1);
    return is_stuck;
}

void efg_culprit_fini(struct efg_culprit *culprit)
{
    efg_ranklist_fini(&culprit->ranks);
    efg_buffer_fini(&culprit->why);
}
