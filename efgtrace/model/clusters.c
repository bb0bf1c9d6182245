/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds clusters of ranks. Memory is that of the vectors, and a few numbers for each rank; time is that
 * of comparing each rank with the first one of each cluster. Nothing is drawn by lot: of equal ranks the
 * lowest one is taken.
 */
#include "clusters.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define APART 0.05 /* ranks that differ by less behave alike */
#define EQUAL 0.01 /* ranks that differ by less are the same, as far as times tell */
#define DROP 3     /* how much farther apart clusters are than what is in them */
#define SHOWN 0.01 /* of the time or of the calls: smaller differences say nothing */
#define FEW 10     /* outliers are at most one in so many */

/* --- how ranks behave --- */

static size_t width_of(const struct efg_behaviour *b)
{
    return (size_t)EFG_BEHAVIOUR_PARTS * b->nodes;
}

int efg_behaviour_init(struct efg_behaviour *b, uint32_t ranks, uint32_t nodes)
{
    *b = (struct efg_behaviour){.ranks = ranks, .nodes = nodes};
    b->values = calloc((size_t)ranks * width_of(b) + 1, sizeof *b->values);
    return b->values ? 0 : -ENOMEM;
}

float *efg_behaviour_of(const struct efg_behaviour *b, uint32_t rank, enum efg_behaviour_part part)
{
    return b->values + rank * width_of(b) + (size_t)part * b->nodes;
}

static double sum_of(const float *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i];
    return sum;
}

static void set_scale(struct efg_behaviour *b)
{
    for (uint32_t r = 0; r < b->ranks; r++) {
        b->time += 2 * sum_of(efg_behaviour_of(b, r, EFG_INSIDE), 2 * (size_t)b->nodes) / b->ranks;
        b->calls += 2 * sum_of(efg_behaviour_of(b, r, EFG_CALLS), b->nodes) / b->ranks;
    }
}

static double difference(const float *a, const float *b, size_t count, double scale)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs((double)a[i] - (double)b[i]);
    return scale > 0 ? sum / scale : 0;
}

/* Of two vectors: calls come behind the times. */
static double distance(const struct efg_behaviour *b, const float *x, const float *y)
{
    size_t times = (size_t)EFG_CALLS * b->nodes;
    return fmax(difference(x, y, times, b->time), difference(x + times, y + times, b->nodes, b->calls));
}

static const float *row(const struct efg_behaviour *b, uint32_t rank)
{
    return b->values + rank * width_of(b);
}

/* --- where clusters begin --- */

struct search {
    const struct efg_behaviour *b;
    double *nearest;                       /* by rank: the distance from the nearest first one */
    uint32_t first[EFG_CLUSTERS_MOST + 1]; /* where clusters would begin */
    double radius[EFG_CLUSTERS_MOST];      /* how far the next of these is from those before it */
    uint32_t count;                        /* of these */
};

/* The mean of the ranks that are in cluster K; with OF NULL, of all. */
static float *mean_of(const struct efg_behaviour *b, const uint32_t *of, uint32_t k)
{
    size_t width = width_of(b);
    double *sum = calloc(width + 1, sizeof *sum);
    float *mean = calloc(width + 1, sizeof *mean);
    uint32_t count = 0;
    for (uint32_t r = 0; sum && r < b->ranks; r++) {
        if (of && of[r] != k)
            continue;
        count++;
        for (size_t i = 0; i < width; i++)
            sum[i] += (double)row(b, r)[i];
    }
    for (size_t i = 0; sum && mean && count && i < width; i++)
        mean[i] = (float)(sum[i] / count);
    if (!sum) {
        free(mean);
        mean = NULL;
    }
    free(sum);
    return mean;
}

/* The rank of cluster K that is nearest to its MEAN; with OF NULL, of all. FAR: the largest distance. */
static uint32_t middle_of(const struct efg_behaviour *b, const uint32_t *of, uint32_t k, const float *mean,
                          double *far)
{
    uint32_t middle = 0;
    double least = HUGE_VAL;
    *far = 0;
    for (uint32_t r = 0; r < b->ranks; r++) {
        double d = of && of[r] != k ? HUGE_VAL : distance(b, row(b, r), mean);
        middle = d < least ? r : middle;
        least = d < least ? d : least;
        *far = d < HUGE_VAL && d > *far ? d : *far;
    }
    return middle;
}

static uint32_t farthest(const struct search *s)
{
    uint32_t far = 0;
    for (uint32_t r = 1; r < s->b->ranks; r++)
        far = s->nearest[r] > s->nearest[far] ? r : far;
    return far;
}

static int traverse(struct search *s)
{
    double far;
    float *mean = mean_of(s->b, NULL, 0);
    if (!mean)
        return -ENOMEM;
    s->first[0] = middle_of(s->b, NULL, 0, mean, &far);
    free(mean);
    for (uint32_t r = 0; r < s->b->ranks; r++)
        s->nearest[r] = HUGE_VAL;
    while (s->count < EFG_CLUSTERS_MOST && s->count + 1 < s->b->ranks) {
        for (uint32_t r = 0; r < s->b->ranks; r++)
            s->nearest[r] = fmin(s->nearest[r], distance(s->b, row(s->b, r), row(s->b, s->first[s->count])));
        uint32_t next = farthest(s);
        s->radius[s->count] = s->nearest[next];
        s->first[++s->count] = next;
    }
    return 0;
}

/* How many clusters there are: of few ranks that scatter, two are often near each other by chance, so there
 * are three for each cluster but one. */
static uint32_t cut(const struct search *s)
{
    uint32_t most = s->b->ranks < 3 ? 2 : s->b->ranks / 3 + 1, clusters = 1;
    for (uint32_t i = 0; i < s->count && i + 2 <= most; i++) {
        double after = i + 1 < s->count ? s->radius[i + 1] : 0;
        if (i + 1 == EFG_CLUSTERS_MOST) /* how far the next one is was not asked */
            break;
        if (s->radius[i] >= APART && s->radius[i] >= DROP * fmax(after, EQUAL))
            clusters = i + 2;
    }
    return clusters;
}

/* --- which ranks they have --- */

static void assign(struct efg_clusters *c, const struct search *s)
{
    for (uint32_t r = 0; r < s->b->ranks; r++) {
        double least = HUGE_VAL;
        for (uint32_t k = 0; k < c->count; k++) {
            double d = distance(s->b, row(s->b, r), row(s->b, s->first[k]));
            c->of_rank[r] = d < least ? k : c->of_rank[r];
            least = d < least ? d : least;
        }
        c->items[c->of_rank[r]].count++;
    }
}

struct place { /* of a cluster, before they are in order */
    uint32_t k, count, lowest;
};

static int by_size(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->lowest > y->lowest) - (x->lowest < y->lowest);
}

static void put_in_order(struct efg_clusters *c, uint32_t ranks)
{
    struct place places[EFG_CLUSTERS_MOST + 1];
    uint32_t to[EFG_CLUSTERS_MOST + 1];
    for (uint32_t k = 0; k < c->count; k++)
        places[k] = (struct place){k, c->items[k].count, UINT32_MAX};
    for (uint32_t r = ranks; r-- > 0;)
        places[c->of_rank[r]].lowest = r;
    qsort(places, c->count, sizeof *places, by_size);
    for (uint32_t k = 0; k < c->count; k++) {
        to[places[k].k] = k;
        c->items[k].count = places[k].count;
    }
    for (uint32_t r = 0; r < ranks; r++)
        c->of_rank[r] = to[c->of_rank[r]];
}

static int describe(struct efg_clusters *c, const struct efg_behaviour *b)
{
    for (uint32_t k = 0; k < c->count; k++) {
        struct efg_cluster *cluster = &c->items[k];
        cluster->mean = mean_of(b, c->of_rank, k);
        if (!cluster->mean)
            return -ENOMEM;
        cluster->representative = middle_of(b, c->of_rank, k, cluster->mean, &cluster->spread);
        /* as exact as what it is made of: so text and JSON round it alike */
        cluster->apart = (float)distance(b, cluster->mean, c->items[0].mean);
        cluster->is_outlier = k && (cluster->count == 1 || cluster->count <= b->ranks / FEW) && b->ranks > 2;
    }
    return 0;
}

static int find(struct efg_clusters *c, const struct efg_behaviour *b)
{
    struct search s = {.b = b, .nearest = calloc((size_t)b->ranks + 1, sizeof(double))};
    c->of_rank = calloc((size_t)b->ranks + 1, sizeof *c->of_rank);
    int error = s.nearest && c->of_rank ? traverse(&s) : -ENOMEM;
    if (!error) {
        c->range = s.count ? s.radius[0] : 0;
        c->far = s.count ? s.first[1] : s.first[0];
        c->count = cut(&s);
        c->items = calloc(c->count, sizeof *c->items);
        error = c->items ? 0 : -ENOMEM;
    }
    if (!error) {
        assign(c, &s);
        put_in_order(c, b->ranks);
        error = describe(c, b);
    }
    free(s.nearest);
    return error;
}

int efg_clusters_find(struct efg_clusters *c, struct efg_behaviour *behave)
{
    *c = (struct efg_clusters){0};
    set_scale(behave);
    int error = behave->ranks ? find(c, behave) : 0;
    free(behave->values);
    behave->values = NULL;
    c->behaviour = *behave;
    return error;
}

int efg_clusters_make(struct efg_clusters *c, uint32_t ranks, const struct efg_merged *merged)
{
    struct efg_behaviour b;
    const struct efg_merged_part *nodes = (struct efg_merged_part *)merged->node_parts.data,
                                 *edges = (struct efg_merged_part *)merged->edge_parts.data;
    *c = (struct efg_clusters){0};
    if (efg_behaviour_init(&b, ranks, merged->graph.node_count))
        return -ENOMEM;
    for (size_t i = 0; i < merged->node_parts.size / sizeof *nodes; i++) {
        efg_behaviour_of(&b, nodes[i].rank, EFG_INSIDE)[nodes[i].id] = (float)nodes[i].time;
        efg_behaviour_of(&b, nodes[i].rank, EFG_CALLS)[nodes[i].id] = (float)nodes[i].calls;
    }
    for (size_t i = 0; i < merged->edge_parts.size / sizeof *edges; i++)
        efg_behaviour_of(&b, edges[i].rank, EFG_BEFORE)[merged->graph.edges[edges[i].id].to] +=
            (float)edges[i].time;
    return efg_clusters_find(c, &b);
}

void efg_clusters_fini(struct efg_clusters *c)
{
    for (uint32_t k = 0; c->items && k < c->count; k++)
        free(c->items[k].mean);
    free(c->items);
    free(c->of_rank);
    *c = (struct efg_clusters){0};
}

/* --- what makes them different --- */

/* Put D where it belongs in TO, which has COUNT of MOST. Returns how many it has then. */
static uint32_t insert(struct efg_cluster_difference *to, uint32_t count, uint32_t most,
                       const struct efg_cluster_difference *d)
{
    uint32_t at = count;
    while (at && to[at - 1].share < d->share)
        at--;
    if (at == most)
        return count;
    count = count < most ? count + 1 : most;
    memmove(to + at + 1, to + at, (count - at - 1) * sizeof *to);
    to[at] = *d;
    return count;
}

uint32_t efg_clusters_differences(const struct efg_clusters *c, uint32_t k, struct efg_cluster_difference *to,
                                  uint32_t most)
{
    const struct efg_behaviour *b = &c->behaviour;
    uint32_t count = 0;
    for (size_t i = 0; i < width_of(b); i++) {
        struct efg_cluster_difference d = {.part = (enum efg_behaviour_part)(i / b->nodes),
                                           .node = (uint32_t)(i % b->nodes)};
        double scale = (d.part == EFG_CALLS ? b->calls : b->time) / 2;
        d.by = (double)c->items[k].mean[i] - (double)c->items[0].mean[i];
        d.share = scale > 0 ? fabs(d.by) / scale : 0;
        if (d.share >= SHOWN)
            count = insert(to, count, most, &d);
    }
    return count;
}

int efg_clusters_ranks(const struct efg_clusters *c, const struct efg_run *run, uint32_t k,
                       struct efg_ranklist *list)
{
    int error = 0;
    for (uint32_t r = 0; r < c->behaviour.ranks && !error; r++) {
        uint32_t of = c->of_rank[r];
        if (k == EFG_NONE ? c->items[of].is_outlier : of == k)
            error = efg_ranklist_add(list, run->ranks[r].rank);
    }
    return error;
}
