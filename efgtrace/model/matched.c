/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the same call sites and loops in two runs. Call sites are sorted by a hash of the names above
 * them, so that those of two runs are met side by side; where names are missing, by a hash of their places.
 * Loops are matched by the call sites that both have, those that share the most first.
 */
#include "matched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "files/summary/summary.h"

/* --- call sites --- */

struct site {
    uint64_t key;
    uint32_t node;
    uint32_t names; /* of frames that have one */
};

uint64_t efg_matched_key(const struct efg_contexts *contexts, uint32_t context)
{
    uint64_t key = 0;
    for (; contexts->items[context].parent != EFG_NONE; context = contexts->items[context].parent) {
        const char *name = contexts->items[context].name;
        key = efg_hash_bytes(key, name, strlen(name) + 1);
    }
    return key;
}

static int by_key(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* By their keys, those with the same one in the order of their nodes. */
static struct site *sort_sites(const struct efg_model *side)
{
    uint32_t count = side->merged.graph.node_count;
    struct site *sites = calloc((size_t)count + 1, sizeof *sites);
    for (uint32_t i = 0; sites && i < count; i++)
        sites[i] = (struct site){efg_matched_key(&side->contexts, side->contexts.of_node[i]), i, 0};
    if (sites)
        qsort(sites, count, sizeof *sites, by_key);
    return sites;
}

static int by_nodes(const void *a, const void *b)
{
    const struct efg_pair *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static int match_nodes(struct efg_matched *m, const struct efg_model *a, const struct efg_model *b)
{
    uint32_t na = a->merged.graph.node_count, nb = b->merged.graph.node_count, i = 0, k = 0;
    struct site *x = sort_sites(a), *y = sort_sites(b);
    m->nodes = calloc((size_t)na + nb + 1, sizeof *m->nodes);
    while (m->nodes && x && y && (i < na || k < nb)) {
        struct efg_pair *pair = &m->nodes[m->node_count++];
        bool has_a = i < na && (k == nb || x[i].key <= y[k].key);
        bool has_b = k < nb && (i == na || y[k].key <= x[i].key);
        *pair = (struct efg_pair){has_a ? x[i].node : EFG_NONE, has_b ? y[k].node : EFG_NONE};
        i += (uint32_t)has_a;
        k += (uint32_t)has_b;
    }
    free(x);
    free(y);
    if (m->node_count)
        qsort(m->nodes, m->node_count, sizeof *m->nodes, by_nodes);
    return m->nodes && x && y ? 0 : -ENOMEM;
}

/* --- call sites at the same places --- */

/* A hash of the call, and of where its frames are in their modules. */
static struct site place_of(const struct efg_model *side, uint32_t node)
{
    const struct efg_signature *signature = &side->merged.graph.nodes[node].signature;
    const struct efg_run_path *path = efg_run_path(&side->run, signature->path);
    const char *call = efg_run_call_name(&side->run, signature->call);
    struct site site = {efg_hash_bytes(0, call, strlen(call)), node, 0};
    for (uint32_t i = 0; path && i < path->depth; i++) {
        const char *module = efg_run_module(&side->run, path->frames[i].module);
        const char *name = efg_summary_last_part(module);
        site.key = efg_hash_bytes(efg_hash_mix(site.key, path->frames[i].offset), name, strlen(name) + 1);
        site.names += efg_run_site(&side->run, module, path->frames[i].offset) != NULL;
    }
    return site;
}

/* Those that have no partner yet, by their places: how many, to *COUNT. */
static struct site *sort_places(const struct efg_matched *m, const struct efg_model *side, bool is_b,
                                uint32_t *count)
{
    struct site *sites = calloc((size_t)m->node_count + 1, sizeof *sites);
    *count = 0;
    for (uint32_t i = 0; sites && i < m->node_count; i++) {
        uint32_t node = is_b ? m->nodes[i].b : m->nodes[i].a;
        if ((m->nodes[i].a == EFG_NONE) == is_b && (m->nodes[i].b == EFG_NONE) != is_b)
            sites[(*count)++] = place_of(side, node);
    }
    if (sites)
        qsort(sites, *count, sizeof *sites, by_key);
    return sites;
}

/* PARTNER[node of A] becomes the one of B at the same place. Returns how many there are. */
static uint32_t find_places(const struct site *x, uint32_t nx, const struct site *y, uint32_t ny,
                            uint32_t *partner)
{
    uint32_t found = 0;
    for (uint32_t i = 0, k = 0; i < nx && k < ny;) {
        if (x[i].key == y[k].key && x[i].names != y[k].names) {
            partner[x[i].node] = y[k].node;
            found++;
        }
        uint64_t a = x[i].key, b = y[k].key;
        i += a <= b;
        k += b <= a;
    }
    return found;
}

/* The pairs of PARTNER instead of those that had none. */
static void join(struct efg_matched *m, const uint32_t *partner, char *is_taken)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->node_count; i++) {
        struct efg_pair *pair = &m->nodes[i];
        if (pair->a == EFG_NONE || partner[pair->a] == EFG_NONE)
            continue;
        pair->b = partner[pair->a];
        is_taken[pair->b] = 1;
    }
    for (uint32_t i = 0; i < m->node_count; i++)
        if (m->nodes[i].a != EFG_NONE || !is_taken[m->nodes[i].b])
            m->nodes[kept++] = m->nodes[i];
    m->node_count = kept;
}

static int match_places(struct efg_matched *m, const struct efg_model *a, const struct efg_model *b)
{
    uint32_t na = a->merged.graph.node_count, nb = b->merged.graph.node_count, nx, ny;
    struct site *x = sort_places(m, a, false, &nx), *y = sort_places(m, b, true, &ny);
    uint32_t *partner = malloc(((size_t)na + 1) * sizeof *partner);
    char *is_taken = calloc((size_t)nb + 1, 1);
    int error = x && y && partner && is_taken ? 0 : -ENOMEM;
    if (!error) {
        memset(partner, 0xff, na * sizeof *partner); /* EFG_NONE */
        uint32_t found = find_places(x, nx, y, ny, partner), least = nx < ny ? nx : ny;
        m->placed = 2 * found >= least ? found : 0; /* else they are of another build */
        m->is_apart = !m->placed && least && 2 * least >= (na < nb ? na : nb);
    }
    if (!error && m->placed)
        join(m, partner, is_taken);
    free(x);
    free(y);
    free(partner);
    free(is_taken);
    return error;
}

/* --- loops --- */

struct overlap {
    uint32_t a, b;
    uint32_t common; /* nodes that both have */
    double share;    /* of those that one of them has */
};

static int by_falling_share(const void *x, const void *y)
{
    const struct overlap *a = x, *b = y;
    if (a->share != b->share)
        return a->share < b->share ? 1 : -1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static void count_common(struct overlap *overlap, const struct efg_matched *m, const struct efg_looptree *a,
                         const struct efg_looptree *b)
{
    for (uint32_t i = 0; i < m->node_count; i++) {
        const struct efg_pair *pair = &m->nodes[i];
        if (pair->a == EFG_NONE || pair->b == EFG_NONE)
            continue;
        for (uint32_t x = a->loop_of[pair->a]; x != EFG_NONE; x = a->loops[x].parent)
            for (uint32_t y = b->loop_of[pair->b]; y != EFG_NONE; y = b->loops[y].parent)
                overlap[(size_t)x * b->count + y].common++;
    }
}

/* PARTNER[x] of each loop of A, EFG_NONE for none. */
static void choose(struct overlap *overlap, const struct efg_looptree *a, const struct efg_looptree *b,
                   uint32_t *partner, char *is_taken)
{
    size_t count = (size_t)a->count * b->count;
    for (size_t i = 0; i < count; i++) {
        struct overlap *o = &overlap[i];
        o->a = (uint32_t)(i / b->count);
        o->b = (uint32_t)(i % b->count);
        o->share = (double)o->common / (a->loops[o->a].node_count + b->loops[o->b].node_count - o->common);
    }
    qsort(overlap, count, sizeof *overlap, by_falling_share);
    for (size_t i = 0; i < count && overlap[i].share >= 0.5; i++) {
        if (partner[overlap[i].a] != EFG_NONE || is_taken[overlap[i].b])
            continue;
        partner[overlap[i].a] = overlap[i].b;
        is_taken[overlap[i].b] = 1;
    }
}

static void list_loops(struct efg_matched *m, const struct efg_looptree *a, const struct efg_looptree *b,
                       const uint32_t *partner, const char *is_taken)
{
    for (uint32_t x = efg_looptree_next(a, EFG_NONE); x != EFG_NONE; x = efg_looptree_next(a, x))
        m->loops[m->loop_count++] = (struct efg_pair){x, partner[x]};
    for (uint32_t y = efg_looptree_next(b, EFG_NONE); y != EFG_NONE; y = efg_looptree_next(b, y))
        if (!is_taken[y])
            m->loops[m->loop_count++] = (struct efg_pair){EFG_NONE, y};
}

static int match_loops(struct efg_matched *m, const struct efg_looptree *a, const struct efg_looptree *b)
{
    struct overlap *overlap = calloc((size_t)a->count * b->count + 1, sizeof *overlap);
    uint32_t *partner = malloc(((size_t)a->count + 1) * sizeof *partner);
    char *is_taken = calloc((size_t)b->count + 1, 1);
    m->loops = calloc((size_t)a->count + b->count + 1, sizeof *m->loops);
    int error = overlap && partner && is_taken && m->loops ? 0 : -ENOMEM;
    if (!error) {
        memset(partner, 0xff, a->count * sizeof *partner); /* EFG_NONE */
        count_common(overlap, m, a, b);
        choose(overlap, a, b, partner, is_taken);
        list_loops(m, a, b, partner, is_taken);
    }
    free(overlap);
    free(partner);
    free(is_taken);
    return error;
}

int efg_matched_make(struct efg_matched *matched, const struct efg_model *a, const struct efg_model *b)
{
    *matched = (struct efg_matched){0};
    if (match_nodes(matched, a, b) || match_places(matched, a, b))
        return -ENOMEM;
    return match_loops(matched, &a->merged.tree, &b->merged.tree);
}

void efg_matched_fini(struct efg_matched *matched)
{
    free(matched->nodes);
    free(matched->loops);
}
