/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Labels of loops: where they are, and what they do.
 *
 *     in CommBrick::borders < Verlet::run: Send, Sendrecv, Irecv, 1 more
 *
 * All loops of a tree are named at once, so that no two of them are the same: of those that are, the one
 * inside says so, the others say who calls them, or at which offset they are. What still is the same is
 * numbered.
 *
 * Calls in the first round of a short loop have call paths of their own, in the loop around it: "from round 2
 * on" says that the others are meant.
 *
 * The MPI functions are those that take most of the time on the rank that stands for the run, also where the
 * loop is that of all ranks: so one loop has one label in all tables of a run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/map.h"
#include "names.h"
#include "summary.h"

#define CALLS_NAMED 3

struct naming {
    const struct efg_run *run;
    const struct efg_graph *graph;
    const struct efg_looptree *tree;
    struct efg_map times; /* of calls by their paths on the rank that stands for the run, ns + 1; empty if the
                             graph is its own */
    struct efg_map firsts; /* nodes of first rounds + 1, by what they would be in other ones */
    struct place {
        char text[EFG_PLACE + 8];
        uint32_t level; /* frame of its header that is in its function, EFG_NONE if none is */
    } * places;         /* by loop */
    uint32_t *sorted;   /* loops, those with the same place together */
};

/* --- what they do --- */

struct call { /* of a loop, all nodes together */
    uint32_t id;
    uint64_t time;
};

static int by_time(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    return x->time != y->time ? efg_compare(y->time, x->time) : efg_compare(x->id, y->id);
}

bool efg_summary_is_in(const struct efg_looptree *tree, uint32_t node, uint32_t loop)
{
    uint32_t inner = tree->loop_of[node];
    return inner != EFG_NONE && efg_looptree_is_inside(tree, inner, loop);
}

static uint64_t key_of(const struct efg_node *node)
{
    return efg_hash_mix(node->signature.path, node->signature.call);
}

static void find_times(struct naming *n)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&n->run->speaker);
    for (uint32_t v = 0; thread && n->graph != &thread->graph && v < thread->graph.node_count; v++) {
        const struct efg_node *node = &thread->graph.nodes[v];
        uint64_t *time = efg_map_put(&n->times, key_of(node));
        if (time)
            *time += efg_node_time(node) + !*time;
    }
}

/* The calls of LOOP, each once, to CALLS: those that the rank KNOWS, or all. */
static uint32_t list_calls(const struct naming *n, uint32_t loop, bool knows, struct call *calls)
{
    uint32_t count = 0, most = n->run->common.names.call_count;
    for (uint32_t v = 0; v < n->graph->node_count; v++) {
        const struct efg_node *node = &n->graph->nodes[v];
        const uint64_t *time = knows ? efg_map_find(&n->times, key_of(node)) : NULL;
        uint32_t at = 0;
        if (!efg_summary_is_in(n->tree, v, loop) || (knows && !time))
            continue;
        while (at < count && calls[at].id != node->signature.call)
            at++;
        if (at == count && count < most)
            calls[count++] = (struct call){node->signature.call, 0};
        calls[at].time += time ? *time - 1 : efg_node_time(node);
    }
    return count;
}

/* The MPI functions that take most of the time in it: "Send, Irecv, Wait, 2 more". */
static void put_calls(const struct naming *n, uint32_t loop, char *text, size_t size)
{
    struct call *calls = calloc((size_t)n->run->common.names.call_count + 1, sizeof *calls);
    uint32_t count = calls && n->times.count ? list_calls(n, loop, true, calls) : 0;
    size_t used = 0;
    *text = '\0';
    if (calls && !count)
        count = list_calls(n, loop, false, calls);
    if (count)
        qsort(calls, count, sizeof *calls, by_time);
    for (uint32_t i = 0; i < count && i < CALLS_NAMED && used < size; i++) {
        const char *name = efg_run_call_name(n->run, calls[i].id);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                                 strncmp(name, "MPI_", 4) ? name : name + 4);
    }
    if (count > CALLS_NAMED && used < size)
        snprintf(text + used, size - used, ", %u more", count - CALLS_NAMED);
    free(calls);
}

/* --- where they are --- */

/* The function in a frame behind its line, "solver.c:120 solve"; NULL if there is none, as "A<x::b, y>". */
static const char *behind_line(const char *frame)
{
    const char *end = strchr(frame, ' '), *digit = end;
    while (digit && digit > frame && digit[-1] >= '0' && digit[-1] <= '9')
        digit--;
    return digit && digit < end && digit > frame && digit[-1] == ':' ? end + 1 : NULL;
}

/* Where the header is called in FUNCTION: "solver.c:120 FUNCTION", if that line is known. Returns at which of
 * its frames, the outermost of several, 0 for the innermost; EFG_NONE if at none. */
static uint32_t put_line(const struct efg_run *run, const struct efg_node *header, const char *function,
                         char *text, size_t size)
{
    char frame[EFG_PLACE];
    uint32_t level = EFG_NONE;
    snprintf(text, size, "%s", function);
    for (uint32_t i = 0; efg_summary_frame(run, header, i, frame, sizeof frame); i++) {
        efg_summary_strip_module(frame);
        const char *after = behind_line(frame);
        if (strcmp(after ? after : frame, function))
            continue;
        level = i;
        if (after)
            snprintf(text, size, "%s", frame);
    }
    return level;
}

/* "in solver.c:120 solve" */
static void find_place(const struct naming *n, uint32_t loop)
{
    const struct efg_node *header = &n->graph->nodes[n->tree->loops[loop].header];
    struct place *to = &n->places[loop];
    char function[EFG_NAME_SHORT], place[EFG_PLACE];
    efg_summary_function(n->run, n->graph, n->tree, loop, function, sizeof function);
    to->level = put_line(n->run, header, function, place, sizeof place);
    if (!*function)
        efg_summary_node(n->run, header, place, sizeof place);
    snprintf(to->text, sizeof to->text, "%s %s", *function ? "in" : "from", place);
}

/* --- those that have the same place --- */

static _Thread_local const struct naming *sorting; /* only while loops are sorted */

static int by_place(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = strcmp(sorting->places[x].text, sorting->places[y].text);
    const struct efg_loop *loops = sorting->tree->loops;
    return order                                ? order
           : loops[x].header != loops[y].header ? efg_compare(loops[x].header, loops[y].header)
                                                : efg_compare(x, y);
}

static void sort(const struct naming *n)
{
    for (uint32_t l = 0; l < n->tree->count; l++)
        n->sorted[l] = l;
    sorting = n;
    qsort(n->sorted, n->tree->count, sizeof *n->sorted, by_place);
}

/* How many of COUNT loops LOOP is inside of. */
static uint32_t depth_in(const struct naming *n, const uint32_t *loops, uint32_t count, uint32_t loop)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < count; i++)
        depth += loops[i] != loop && efg_looptree_is_inside(n->tree, loop, loops[i]);
    return depth;
}

static void append(const struct naming *n, uint32_t loop, const char *more)
{
    char *text = n->places[loop].text;
    size_t used = strlen(text);
    snprintf(text + used, sizeof n->places->text - used, "%s", more);
}

static void say_inner(const struct naming *n, const uint32_t *loops, uint32_t count)
{
    uint32_t *depth = calloc(count, sizeof *depth);
    char more[32];
    for (uint32_t i = 0; depth && i < count; i++)
        depth[i] = depth_in(n, loops, count, loops[i]);
    for (uint32_t i = 0; depth && i < count; i++) {
        snprintf(more, sizeof more, " (inner %u)", depth[i]);
        if (depth[i] == 1)
            append(n, loops[i], " (inner)");
        else if (depth[i])
            append(n, loops[i], more);
    }
    free(depth);
}

/* The function around that of LOOP, MORE frames further out. */
static bool caller(const struct naming *n, uint32_t loop, uint32_t more, char *text, size_t size)
{
    const struct efg_node *header = &n->graph->nodes[n->tree->loops[loop].header];
    uint32_t level = n->places[loop].level;
    *text = '\0';
    if (level == EFG_NONE || !efg_summary_frame(n->run, header, level + more, text, size))
        return false;
    efg_summary_strip_module(text);
    return true;
}

static void say_caller(const struct naming *n, const uint32_t *loops, uint32_t count)
{
    char first[EFG_PLACE], text[EFG_PLACE];
    bool any = true, differ = false;
    uint32_t more = 0;
    while (any && !differ) {
        any = caller(n, loops[0], ++more, first, sizeof first);
        for (uint32_t i = 1; i < count; i++) {
            any |= caller(n, loops[i], more, text, sizeof text);
            differ |= strcmp(first, text) != 0;
        }
    }
    for (uint32_t i = 0; differ && i < count; i++)
        if (caller(n, loops[i], more, text, sizeof text)) {
            append(n, loops[i], " < ");
            append(n, loops[i], text);
        }
}

/* Of the frame of the header of LOOP that is in its function, or MORE further out; 0: there is none. */
static uint64_t offset(const struct naming *n, uint32_t loop, uint32_t more)
{
    const struct efg_node *header = &n->graph->nodes[n->tree->loops[loop].header];
    uint32_t level = n->places[loop].level;
    return level == EFG_NONE ? 0 : efg_summary_offset(n->run, header, level + more);
}

/* The offset of the frame MORE further out goes to its function, which is named first if it is not yet. */
static void put_offset(const struct naming *n, uint32_t loop, uint32_t more)
{
    char *text = n->places[loop].text, outer[EFG_PLACE], rest[sizeof n->places->text], number[32];
    char *next = more ? NULL : strstr(text, " < ");
    size_t used = strlen(text), length;
    uint64_t at = offset(n, loop, more);
    if (!at)
        return;
    snprintf(number, sizeof number, "@0x%llx", (unsigned long long)at);
    snprintf(rest, sizeof rest, "%s", next ? next : "");
    if (next)
        *next = '\0';
    caller(n, loop, more, outer, sizeof outer);
    length = strlen(outer);
    if (more && (length > used || strcmp(text + used - length, outer))) {
        append(n, loop, " < ");
        append(n, loop, outer);
    }
    append(n, loop, more && strstr(outer, "+0x") ? "" : number);
    append(n, loop, rest);
}

static void say_offset(const struct naming *n, const uint32_t *loops, uint32_t count)
{
    bool any = true, differ = false;
    uint32_t more = 0;
    for (; any && !differ; more += !differ) {
        any = offset(n, loops[0], more) != 0;
        for (uint32_t i = 1; i < count; i++) {
            any |= offset(n, loops[i], more) != 0;
            differ |= offset(n, loops[i], more) != offset(n, loops[0], more);
        }
    }
    for (uint32_t i = 0; differ && i < count; i++)
        put_offset(n, loops[i], more);
}

static void say_number(const struct naming *n, const uint32_t *loops, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        efg_summary_number(n->places[loops[i]].text, sizeof n->places->text, i + 1);
}

static void tell_apart(const struct naming *n)
{
    static void (*const ways[])(const struct naming *n, const uint32_t *loops,
                                uint32_t count) = {say_inner, say_caller, say_caller, say_offset, say_number};
    uint32_t next;
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        sort(n);
        for (uint32_t i = 0; i < n->tree->count; i = next) {
            for (next = i + 1; next < n->tree->count; next++)
                if (strcmp(n->places[n->sorted[i]].text, n->places[n->sorted[next]].text))
                    break;
            if (next > i + 1)
                ways[way](n, &n->sorted[i], next - i);
        }
    }
}

/* --- rounds --- */

/* NODE, as if frame number I of its path, innermost first, was in the first round of FIRSTS loops. */
static uint64_t key_in_round(const struct naming *n, const struct efg_node *node, uint32_t i, unsigned firsts)
{
    const struct efg_run_path *path = efg_run_path(n->run, node->signature.path);
    uint64_t key = efg_hash_mix(node->signature.call, firsts);

    for (uint32_t k = 0; k < path->depth; k++) {
        uint64_t offset = path->frames[k].offset;
        key = efg_hash_mix(efg_hash_mix(key, path->frames[k].module),
                           k == i ? efg_frame_place(offset) : offset);
    }
    return efg_hash_mix(key, i);
}

static void find_firsts(struct naming *n)
{
    for (uint32_t v = 0; v < n->graph->node_count; v++) {
        const struct efg_node *node = &n->graph->nodes[v];
        const struct efg_run_path *path = efg_run_path(n->run, node->signature.path);
        for (uint32_t i = 0; path && i < path->depth; i++)
            for (unsigned firsts = efg_frame_firsts(path->frames[i].offset); firsts-- > 0;) {
                uint64_t *first = efg_map_put(&n->firsts, key_in_round(n, node, i, firsts));
                if (first)
                    *first = v + 1;
            }
    }
}

/* Whether NODE, which is in LOOP, has another path in the first round of that. */
static bool has_first(const struct naming *n, const struct efg_node *node, uint32_t loop)
{
    const struct efg_run_path *path = efg_run_path(n->run, node->signature.path);

    for (uint32_t i = 0; path && i < path->depth; i++) {
        uint64_t key = key_in_round(n, node, i, efg_frame_firsts(path->frames[i].offset));
        const uint64_t *first = efg_map_find(&n->firsts, key);
        uint32_t around = first ? n->tree->loop_of[*first - 1] : loop;
        if (around == EFG_NONE || (around != loop && efg_looptree_is_inside(n->tree, loop, around)))
            return true;
    }
    return false;
}

static bool is_from_second(const struct naming *n, uint32_t loop)
{
    for (uint32_t v = 0; n->firsts.count && v < n->graph->node_count; v++)
        if (n->tree->loop_of[v] == loop && has_first(n, &n->graph->nodes[v], loop))
            return true;
    return false;
}

/* --- all of a tree --- */

static void name_all(struct naming *n)
{
    char calls[EFG_NAME_SHORT];
    find_times(n);
    find_firsts(n);
    for (uint32_t l = 0; l < n->tree->count; l++)
        find_place(n, l);
    tell_apart(n);
    for (uint32_t l = 0; l < n->tree->count; l++) {
        put_calls(n, l, calls, sizeof calls);
        bool is_in_function = !strncmp(n->places[l].text, "in ", 3);
        const char *rounds = is_from_second(n, l) ? ", from round 2 on" : "";
        size_t size = strlen(n->places[l].text) + strlen(rounds) + strlen(calls) + 3;
        char *label = malloc(size);
        if (label)
            snprintf(label, size, "%s%s%s%s", n->places[l].text, rounds, is_in_function ? ": " : "",
                     is_in_function ? calls : "");
        n->tree->labels[l] = label;
    }
}

void efg_summary_loop_label(const struct efg_run *run, const struct efg_graph *graph,
                            const struct efg_looptree *tree, uint32_t loop, char *text, size_t size)
{
    struct naming n = {.run = run, .graph = graph, .tree = tree};
    if (!tree->labels[loop]) {
        n.places = calloc(tree->count, sizeof *n.places);
        n.sorted = calloc(tree->count, sizeof *n.sorted);
        if (n.places && n.sorted)
            name_all(&n);
        free(n.places);
        free(n.sorted);
        efg_map_fini(&n.times);
        efg_map_fini(&n.firsts);
    }
    snprintf(text, size, "%s", tree->labels[loop] ? tree->labels[loop] : "?");
}
