/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the ranks ran, and how well the clocks of their hosts agree.
 *
 * Ranks share cores if more of them are bound to one and the same set of cores than it has, or
 * more are on a host than it has cores at all. (Sets that only overlap may still have a core
 * for each rank.) To find that, ranks are sorted by host and cores; of several such groups the
 * most crowded one is told.
 */
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct crowd {                       /* ranks that may use the same cores */
    const struct efg_run_rank *rank; /* one of them */
    uint32_t ranks, cores;
};

static const char *text(const char *string)
{
    return string ? string : "";
}

static int compare_hosts(const struct efg_run_rank *a, const struct efg_run_rank *b)
{
    return strcmp(text(a->host), text(b->host));
}

static int compare_places(const void *one, const void *other)
{
    const struct efg_run_rank *a = *(const struct efg_run_rank *const *)one;
    const struct efg_run_rank *b = *(const struct efg_run_rank *const *)other;
    int order = compare_hosts(a, b);
    return order ? order : strcmp(text(a->place.cores), text(b->place.cores));
}

static void keep_larger(struct crowd *most, struct crowd one)
{
    if (one.cores && one.ranks > one.cores &&
        (!most->cores || (uint64_t)one.ranks * most->cores > (uint64_t)most->ranks * one.cores))
        *most = one;
}

/* The most crowded cores among the COUNT ranks of a host, which are sorted. */
static struct crowd crowd_of(const struct efg_run_rank **ranks, uint32_t count)
{
    struct crowd most = {0};
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && !compare_places(&ranks[i], &ranks[next]);)
            next++;
        keep_larger(&most, (struct crowd){ranks[i], next - i, ranks[i]->place.core_count});
    }
    keep_larger(&most, (struct crowd){ranks[0], count, ranks[0]->place.node_cores});
    return most;
}

/* Returns on how many hosts ranks share cores. */
static uint32_t find_crowds(const struct efg_run_rank **ranks, uint32_t count,
                            struct crowd *most)
{
    uint32_t hosts = 0;
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && !compare_hosts(ranks[i], ranks[next]);)
            next++;
        struct crowd crowd = crowd_of(ranks + i, next - i);
        hosts += crowd.cores > 0;
        keep_larger(most, crowd);
    }
    return hosts;
}

void efg_summary_binding(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_run_rank **ranks = calloc(run->rank_count + 1, sizeof *ranks);
    struct crowd most = {0};
    char others[48] = "";
    if (!ranks || !run->rank_count) {
        free(ranks);
        return;
    }
    for (uint32_t i = 0; i < run->rank_count; i++)
        ranks[i] = &run->ranks[i];
    qsort(ranks, run->rank_count, sizeof *ranks, compare_places);
    uint32_t hosts = find_crowds(ranks, run->rank_count, &most);
    if (hosts > 1)
        snprintf(others, sizeof others, " (and on %u more host%s)", hosts - 1,
                 hosts == 2 ? "" : "s");
    if (hosts)
        efg_summary_line(out,
                         "Binding      %u ranks of host %.24s share %u core%s%s: times are "
                         "those of an overcommitted node",
                         most.ranks, text(most.rank->host), most.cores,
                         most.cores == 1 ? "" : "s", others);
    free(ranks);
}

void efg_summary_skew(const struct efg_run_skew *skew, char *to, size_t size)
{
    static const char *const ends[] = {
        [EFG_REPAIR_DONE] = "corrected",
        [EFG_REPAIR_CONTRADICTORY] = "contradictory",
        [EFG_REPAIR_FAILED] = "not corrected",
    };
    char most[32];
    unsigned long long early = skew->early, left = skew->left;
    *to = '\0';
    if (skew->repair == EFG_REPAIR_NONE || skew->repair > EFG_REPAIR_UNPROVEN)
        return;
    if (skew->repair == EFG_REPAIR_UNPROVEN) {
        snprintf(to, size,
                 "in doubt: %llu receive%s before %s send%s, or of sends before the window",
                 early, early == 1 ? "" : "s", early == 1 ? "its" : "their",
                 early == 1 ? "" : "s");
        return;
    }
    efg_format_ns(most, sizeof most, skew->most);
    snprintf(to, size, "off by %s or more, %llu receive%s before %s send%s: %s, %llu left",
             most, early, early == 1 ? "" : "s", early == 1 ? "its" : "their",
             early == 1 ? "" : "s", ends[skew->repair], left);
}

void efg_summary_clocks(struct efg_buffer *out, const struct efg_run *run)
{
    uint64_t error = 0;
    char most[32], skew[EFG_COLUMNS];
    for (uint32_t i = 0; i < run->rank_count; i++)
        if (run->ranks[i].clock_error > error)
            error = run->ranks[i].clock_error;
    efg_format_ns(most, sizeof most, error);
    if (error)
        efg_summary_line(out,
                         "Clocks       compared across hosts at the start and at the end, to "
                         "%s at worst",
                         most);
    efg_summary_skew(&run->skew, skew, sizeof skew);
    if (*skew)
        efg_summary_line(out, "%-13s%s", error ? "" : "Clocks", skew);
}

/* --- a host --- */

static int is_same(const struct efg_run_rank *ranks, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(text(ranks[i].place.cores), text(ranks[0].place.cores)))
            return 0;
    return 1;
}

static void put_cores(char *to, size_t size, const struct efg_run_rank *ranks, uint32_t count)
{
    size_t used = 0;
    if (is_same(ranks, count))
        count = 1;
    for (uint32_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%s", i ? " | " : "",
                                 text(ranks[i].place.cores));
}

void efg_summary_host(const struct efg_run_rank *ranks, uint32_t count, char *to, size_t size)
{
    const struct efg_run_place *place = &ranks[0].place;
    char cores[EFG_COLUMNS] = "not bound";
    *to = '\0';
    if (!place->node_cores)
        return;
    int same = is_same(ranks, count), bound = !same || place->core_count < place->node_cores;
    if (bound)
        put_cores(cores, sizeof cores, ranks, count);
    snprintf(to, size, "; %u core%s, %s%s%s", place->node_cores,
             place->node_cores == 1 ? "" : "s", same && bound && count > 1 ? "all " : "",
             bound ? "bound to " : "", cores);
}
