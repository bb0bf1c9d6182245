/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the document of a page small enough for a browser. What takes the most time is kept until the room
 * is used up. Of contexts and of the graph, what is left out is added to what it is part of, so that sums
 * stay right.
 */
#include "fit.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXTS_ROOM 800000 /* bytes */
#define GRAPH_ROOM 500000
#define EDGES_ROOM 300000
#define LOOPS_ROOM 200000
#define TABLE_ROOM 120000
#define GROUPS_ROOM 100000
#define DIFFERENCES_ROOM 500000

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static void put_number(cJSON *object, const char *name, double value)
{
    cJSON *item = cJSON_GetObjectItem(object, name);
    if (item)
        cJSON_SetNumberValue(item, value);
    else
        cJSON_AddNumberToObject(object, name, value);
}

static void add_number(cJSON *to, const cJSON *from, const char *name)
{
    put_number(to, name, number(to, name) + number(from, name));
}

/* Of ITEM as text of a page, where '<' is written \u003c. */
static size_t size_of(const cJSON *item)
{
    char *text = cJSON_PrintUnformatted(item);
    size_t size = text ? 1 : SIZE_MAX / 2;
    for (const char *c = text; c && *c; c++)
        size += *c == '<' ? 6 : 1;
    cJSON_free(text);
    return size;
}

/* --- what has room --- */

struct choice { /* of the items of an array */
    cJSON **item;
    char *is_kept;
    uint32_t count;
};

struct ranked {
    double time;
    uint32_t index;
};

static double time_of(const cJSON *item)
{
    const cJSON *time = cJSON_GetObjectItem(item, "time");
    if (cJSON_IsTrue(cJSON_GetObjectItem(item, "is_main")))
        return HUGE_VAL;
    return cJSON_IsNumber(time) ? time->valuedouble : number(time, "sum");
}

/* Of what two runs have, in either. */
static double time_of_both(const cJSON *item)
{
    return fmax(number(cJSON_GetObjectItem(item, "a"), "time"),
                number(cJSON_GetObjectItem(item, "b"), "time"));
}

/* It is not sorted: the largest come first. */
static double no_time(const cJSON *item)
{
    (void)item;
    return 0;
}

/* The most time first; without times, as they were. */
static int by_time(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static void choice_fini(struct choice *choice)
{
    free(choice->item);
    free(choice->is_kept);
}

/* Those of ARRAY with the most of TIME that have ROOM. */
static int choose(struct choice *choice, const cJSON *array, size_t room, double (*time)(const cJSON *))
{
    uint32_t count = (uint32_t)cJSON_GetArraySize(array), i = 0;
    struct ranked *ranked = calloc((size_t)count + 1, sizeof *ranked);
    choice->item = calloc((size_t)count + 1, sizeof(cJSON *));
    choice->is_kept = calloc((size_t)count + 1, 1);
    choice->count = count;
    int error = ranked && choice->item && choice->is_kept ? 0 : -ENOMEM;
    for (cJSON *item = array && !error ? array->child : NULL; item; item = item->next, i++) {
        choice->item[i] = item;
        ranked[i] = (struct ranked){time(item), i};
    }
    if (!error)
        qsort(ranked, count, sizeof *ranked, by_time);
    for (i = 0; i < count && !error; i++) {
        size_t size = size_of(choice->item[ranked[i].index]);
        if (size > room)
            break; /* a shorter one with less time does not take its place */
        choice->is_kept[ranked[i].index] = 1;
        room -= size;
    }
    free(ranked);
    return error;
}

/* Delete the others from PARENT's array NAME, and say in LEFT_OUT how many they were. */
static void leave_out(cJSON *left_out, cJSON *parent, const char *name, const struct choice *choice)
{
    cJSON *array = cJSON_GetObjectItem(parent, name);
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice->count; i++) {
        if (choice->is_kept[i])
            continue;
        cJSON_Delete(cJSON_DetachItemViaPointer(array, choice->item[i]));
        count++;
    }
    if (count)
        put_number(left_out, name, number(left_out, name) + count);
}

static int fit_by(cJSON *left_out, cJSON *parent, const char *name, size_t room,
                  double (*time)(const cJSON *))
{
    struct choice choice;
    int error = choose(&choice, cJSON_GetObjectItem(parent, name), room, time);
    if (!error)
        leave_out(left_out, parent, name, &choice);
    choice_fini(&choice);
    return error;
}

static int fit(cJSON *left_out, cJSON *parent, const char *name, size_t room)
{
    return fit_by(left_out, parent, name, room, time_of);
}

/* --- contexts --- */

/* TO: the new ids of contexts, of those that are left out that of the next one above. */
static void fold_contexts(const struct choice *choice, uint32_t *to)
{
    uint32_t kept = 0;
    choice->is_kept[0] = 1;
    for (uint32_t i = 0; i < choice->count; i++) { /* parents come first */
        cJSON *context = choice->item[i];
        uint32_t parent = (uint32_t)number(context, "parent");
        if (i && (!choice->is_kept[i] || !choice->is_kept[parent])) {
            cJSON *above = choice->item[parent];
            choice->is_kept[i] = 0;
            to[i] = to[parent];
            if (choice->is_kept[parent])
                put_number(above, "left_out", number(above, "left_out") + time_of(context));
            continue;
        }
        to[i] = kept++;
        if (i)
            put_number(context, "parent", to[parent]);
    }
}

static void renumber(cJSON *array, const uint32_t *to)
{
    for (cJSON *item = array ? array->child : NULL; item; item = item->next)
        put_number(item, "context", to[(uint32_t)number(item, "context")]);
}

static int fit_contexts(cJSON *left_out, cJSON *document)
{
    struct choice choice;
    int error = choose(&choice, cJSON_GetObjectItem(document, "contexts"), CONTEXTS_ROOM, time_of);
    uint32_t *to = calloc((size_t)choice.count + 1, sizeof *to);
    error = to ? error : -ENOMEM;
    if (!error && choice.count) {
        fold_contexts(&choice, to);
        leave_out(left_out, document, "contexts", &choice);
        renumber(cJSON_GetObjectItem(document, "loops"), to);
        renumber(cJSON_GetObjectItem(document, "sites"), to);
        renumber(cJSON_GetObjectItem(cJSON_GetObjectItem(document, "graph"), "nodes"), to);
    }
    choice_fini(&choice);
    free(to);
    return error;
}

/* --- the graph --- */

static cJSON *make_sum(cJSON *array, uint32_t id)
{
    cJSON *sum = cJSON_CreateObject();
    cJSON_AddNumberToObject(sum, "id", id);
    cJSON_AddItemToArray(array, sum);
    return sum;
}

static void add_time(cJSON *to, const cJSON *from)
{
    cJSON *time = cJSON_GetObjectItem(to, "time");
    if (!time)
        time = cJSON_AddObjectToObject(to, "time");
    add_number(time, cJSON_GetObjectItem(from, "time"), "sum");
}

static void add_node(cJSON *to, const cJSON *node)
{
    put_number(to, "context", number(node, "context"));
    put_number(to, "nodes", number(to, "nodes") + 1);
    add_number(to, node, "count");
    add_number(to, node, "bytes");
    add_number(to, node, "polls");
    add_number(to, node, "poll_time");
    add_time(to, node);
}

/* One of each context; TO: the new ids of nodes. */
static cJSON *unite_nodes(const cJSON *nodes, uint32_t contexts, uint32_t *to)
{
    cJSON *united = cJSON_CreateArray();
    cJSON **of = calloc((size_t)contexts + 1, sizeof(cJSON *));
    uint32_t count = 0;
    for (const cJSON *node = of && nodes ? nodes->child : NULL; node; node = node->next) {
        cJSON **sum = &of[(uint32_t)number(node, "context")];
        if (!*sum)
            *sum = make_sum(united, count++);
        add_node(*sum, node);
        *to++ = (uint32_t)number(*sum, "id");
    }
    if (!of) {
        cJSON_Delete(united);
        united = NULL;
    }
    free(of);
    return united;
}

struct way { /* an edge, between new nodes */
    uint32_t from, to;
    const cJSON *edge;
};

static int by_ends(const void *a, const void *b)
{
    const struct way *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static cJSON *visits_of(cJSON *visits, const char *ranks)
{
    cJSON *of = visits->child;
    while (of && strcmp(ranks, cJSON_GetStringValue(cJSON_GetObjectItem(of, "ranks"))))
        of = of->next;
    return of;
}

/* The same ranks visit both, one after the other. */
static void add_visits(cJSON *to, const cJSON *edge)
{
    const cJSON *visits = cJSON_GetObjectItem(edge, "visits");
    cJSON *all = cJSON_GetObjectItem(to, "visits");
    if (!all)
        all = cJSON_AddArrayToObject(to, "visits");
    for (const cJSON *v = visits && all ? visits->child : NULL; v; v = v->next) {
        const char *ranks = cJSON_GetStringValue(cJSON_GetObjectItem(v, "ranks"));
        cJSON *known = ranks ? visits_of(all, ranks) : NULL;
        if (known) {
            add_number(known, v, "least");
            add_number(known, v, "most");
        } else if (ranks) {
            cJSON_AddItemToArray(all, cJSON_Duplicate(v, 1));
        }
    }
}

static void add_edge(cJSON *to, const struct way *way)
{
    put_number(to, "from", way->from);
    put_number(to, "to", way->to);
    put_number(to, "edges", number(to, "edges") + 1);
    add_number(to, way->edge, "count");
    add_time(to, way->edge);
    add_visits(to, way->edge);
}

/* One between each two; TO: the new ids of nodes. */
static cJSON *unite_edges(const cJSON *edges, const uint32_t *to)
{
    cJSON *united = cJSON_CreateArray(), *sum = NULL;
    uint32_t count = (uint32_t)cJSON_GetArraySize(edges), i = 0, made = 0;
    struct way *ways = calloc((size_t)count + 1, sizeof *ways);
    for (const cJSON *e = ways && edges ? edges->child : NULL; e; e = e->next)
        ways[i++] = (struct way){to[(uint32_t)number(e, "from")], to[(uint32_t)number(e, "to")], e};
    if (ways)
        qsort(ways, count, sizeof *ways, by_ends);
    for (i = 0; ways && i < count; i++) {
        if (!i || by_ends(&ways[i - 1], &ways[i]))
            sum = make_sum(united, made++);
        add_edge(sum, &ways[i]);
    }
    if (!ways) {
        cJSON_Delete(united);
        united = NULL;
    }
    free(ways);
    return united;
}

static int unite(cJSON *left_out, cJSON *graph, uint32_t contexts)
{
    cJSON *nodes = cJSON_GetObjectItem(graph, "nodes");
    cJSON *edges = cJSON_GetObjectItem(graph, "edges");
    int count = cJSON_GetArraySize(nodes);
    uint32_t *to = calloc((size_t)count + 1, sizeof *to);
    cJSON *fewer = to ? unite_nodes(nodes, contexts, to) : NULL;
    cJSON *ways = fewer ? unite_edges(edges, to) : NULL;
    free(to);
    if (!ways) {
        cJSON_Delete(fewer);
        return -ENOMEM;
    }
    put_number(left_out, "nodes", count - cJSON_GetArraySize(fewer));
    cJSON_ReplaceItemInObject(graph, "nodes", fewer);
    cJSON_ReplaceItemInObject(graph, "edges", ways);
    cJSON_ReplaceItemInObject(graph, "pivot", cJSON_CreateNull());
    return fit(left_out, graph, "edges", EDGES_ROOM);
}

static int fit_graph(cJSON *left_out, cJSON *document)
{
    cJSON *graph = cJSON_GetObjectItem(document, "graph");
    int contexts = cJSON_GetArraySize(cJSON_GetObjectItem(document, "contexts"));
    return size_of(graph) > GRAPH_ROOM ? unite(left_out, graph, (uint32_t)contexts) : 0;
}

/* Slow iterations share what room there is; a page does not show times of single ranks. */
static int fit_slow(cJSON *left_out, cJSON *document)
{
    cJSON *slow = cJSON_GetObjectItem(document, "slow"), *pair;
    size_t count = (size_t)cJSON_GetArraySize(slow);
    int error = 0;
    cJSON_ArrayForEach(pair, slow)
    {
        cJSON_DeleteItemFromObject(pair, "ranks");
        error = error || fit_by(left_out, pair, "differences", TABLE_ROOM / count, no_time);
    }
    return error;
}

/* --- the document --- */

/* Puts what was LEFT_OUT into the document, which is COMPLETE unless there was an ERROR. */
static void tell(cJSON *document, cJSON *left_out, cJSON *complete, int error)
{
    cJSON_AddItemToObject(document, "left_out", left_out);
    if (error)
        cJSON_Delete(complete);
    else
        cJSON_AddItemToObject(document, "complete", complete);
}

void efg_report_fit(cJSON *document)
{
    cJSON *left_out = cJSON_CreateObject();
    cJSON *complete = cJSON_DetachItemFromObject(document, "complete");
    int error =
        fit_contexts(left_out, document) || fit_graph(left_out, document) ||
        fit(left_out, document, "loops", LOOPS_ROOM) || fit(left_out, document, "sites", TABLE_ROOM) ||
        fit(left_out, document, "groups", GROUPS_ROOM) ||
        fit_by(left_out, document, "clusters", GROUPS_ROOM, no_time) || fit_slow(left_out, document) ||
        fit(left_out, cJSON_GetObjectItem(document, "representative"), "rows", TABLE_ROOM);
    tell(document, left_out, complete, error);
}

void efg_report_fit_comparison(cJSON *document)
{
    cJSON *left_out = cJSON_CreateObject();
    cJSON *complete = cJSON_DetachItemFromObject(document, "complete");
    int error = fit_by(left_out, document, "loops", LOOPS_ROOM, time_of_both) ||
                fit_by(left_out, document, "differences", DIFFERENCES_ROOM, no_time);
    tell(document, left_out, complete, error);
}
