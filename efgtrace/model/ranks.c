/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps some figures of every rank. What is kept of a rank is some numbers, in arrays by quantity, so that
 * the memory for many ranks stays small.
 */
#include "ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/summary/summary.h"

#define HOSTS_SHOWN 16

/* --- hosts --- */

static void put_host(struct efg_hosts *hosts)
{
    struct efg_run_place *places = (struct efg_run_place *)hosts->places.data;
    uint32_t count = (uint32_t)(hosts->places.size / sizeof *places);
    char cores[EFG_COLUMNS], ranks[48];
    if (!count)
        return;
    hosts->shown++;
    if (hosts->shown <= HOSTS_SHOWN) {
        efg_summary_host(places, count, cores, sizeof cores);
        efg_format_range(ranks, sizeof ranks, hosts->first, hosts->last);
        efg_summary_line(&hosts->lines, "host         %s: rank %s%s", hosts->host, ranks, cores);
    }
    for (uint32_t i = 0; i < count; i++)
        free(places[i].cores);
    free(hosts->host);
    hosts->host = NULL;
    hosts->places.size = 0;
}

/* Takes the host and the cores from RANK. */
static int add_host(struct efg_hosts *hosts, struct efg_run_rank *rank)
{
    if (hosts->places.size && strcmp(hosts->host, rank->host))
        put_host(hosts);
    if (!hosts->places.size) {
        hosts->host = rank->host;
        hosts->first = rank->rank;
        rank->host = NULL;
    }
    efg_buffer_put(&hosts->places, &rank->place, sizeof rank->place);
    if (hosts->places.failed)
        return -ENOMEM;
    rank->place.cores = NULL;
    hosts->last = rank->rank;
    return 0;
}

static void end_hosts(struct efg_hosts *hosts)
{
    uint32_t last = hosts->last;
    put_host(hosts);
    if (hosts->shown > HOSTS_SHOWN)
        efg_summary_line(&hosts->lines, "             and so on, to rank %u", last);
}

/* --- all ranks --- */

static void measure(struct efg_ranks *ranks, uint32_t index, const struct efg_run_rank *rank,
                    struct efg_group_graph *group)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(rank);
    uint64_t time = efg_run_rank_watched(rank);
    uint64_t mpi = thread ? thread->graph.node_time : 0, bytes = 0, events = 0;
    *group = (struct efg_group_graph){0};
    for (uint32_t k = 0; k < rank->thread_count; k++) {
        const struct efg_graph *graph = &rank->threads[k].graph;
        events += graph->events;
        group->nodes += graph->node_count;
        group->edges += graph->edge_count;
        for (uint32_t i = 0; i < graph->node_count; i++)
            bytes += graph->nodes[i].bytes;
    }
    ranks->values[EFG_RUN_TIME][index] = time;
    ranks->values[EFG_MPI_TIME][index] = mpi;
    ranks->values[EFG_COMPUTE_TIME][index] = time > mpi ? time - mpi : 0;
    ranks->values[EFG_LOOP_TIME][index] = thread ? thread->iterations.all.sum : 0;
    ranks->values[EFG_EVENTS][index] = events;
    ranks->values[EFG_BYTES][index] = bytes;
    ranks->values[EFG_COST][index] = rank->cost;
    ranks->values[EFG_PROCESSOR_USED][index] = rank->processor.used;
    ranks->values[EFG_PROCESSOR_WAITED][index] = rank->processor.waited;
    ranks->values[EFG_PROCESSOR_SWITCHES][index] = rank->processor.switches;
    ranks->values[EFG_PAGE_FAULTS][index] = rank->processor.faults;
    ranks->values[EFG_PEAK_MEMORY][index] = rank->processor.peak;
}

int efg_ranks_add(struct efg_ranks *ranks, const struct efg_run *run, uint32_t index,
                  struct efg_run_rank *rank)
{
    measure(ranks, index, rank, &ranks->groups[run->ranks[index].group]);
    char head[32];
    snprintf(head, sizeof head, "rank %-7u ", rank->rank);
    if (*rank->note)
        efg_summary_notes(&ranks->notes, head, rank->note);
    return efg_join_add(&ranks->calls, run, rank, index) || efg_join_add(&ranks->sites, run, rank, index) ||
                   add_host(&ranks->hosts, rank)
               ? -ENOMEM
               : 0;
}

int efg_ranks_begin(struct efg_ranks *ranks, const struct efg_run *run)
{
    *ranks = (struct efg_ranks){0};
    efg_join_init(&ranks->calls, EFG_JOIN_CALLS, run->rank_count);
    efg_join_init(&ranks->sites, EFG_JOIN_SITES, run->rank_count);
    ranks->groups = calloc((size_t)run->common.group_count + 1, sizeof *ranks->groups);
    int error = !ranks->groups;
    for (int i = 0; i < EFG_QUANTITIES; i++) {
        ranks->values[i] = calloc((size_t)run->rank_count + 1, sizeof *ranks->values[i]);
        error |= !ranks->values[i];
    }
    return error ? -ENOMEM : 0;
}

void efg_ranks_end(struct efg_ranks *ranks)
{
    efg_join_sort(&ranks->calls);
    efg_join_sort(&ranks->sites);
    end_hosts(&ranks->hosts);
}

void efg_ranks_fini(struct efg_ranks *ranks)
{
    efg_join_fini(&ranks->calls);
    efg_join_fini(&ranks->sites);
    for (int i = 0; i < EFG_QUANTITIES; i++)
        free(ranks->values[i]);
    put_host(&ranks->hosts); /* frees those that came last */
    efg_buffer_fini(&ranks->hosts.places);
    efg_buffer_fini(&ranks->hosts.lines);
    efg_buffer_fini(&ranks->notes);
    free(ranks->groups);
}
