/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is kept of a rank is some numbers, in arrays by quantity, so that the memory for
 * many ranks stays small.
 */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/open.h"
#include "files/summary/summary.h"

#define HOSTS_SHOWN 16

/* --- hosts --- */

static void put_host(struct efg_hosts *hosts)
{
    char cores[EFG_COLUMNS];
    if (!hosts->count)
        return;
    hosts->shown++;
    if (hosts->shown <= HOSTS_SHOWN) {
        efg_summary_host(hosts->places, hosts->count, cores, sizeof cores);
        efg_summary_line(&hosts->lines, "host         %s: rank %u to %u%s", hosts->host,
                         hosts->first, hosts->last, cores);
    }
    for (uint32_t i = 0; i < hosts->count; i++)
        free(hosts->places[i].cores);
    free(hosts->host);
    hosts->host = NULL;
    hosts->count = 0;
}

/* Takes the host and the cores from RANK. */
static int add_host(struct efg_hosts *hosts, struct efg_run_rank *rank)
{
    if (hosts->count && strcmp(hosts->host, rank->host))
        put_host(hosts);
    if (hosts->count == hosts->room) {
        uint32_t room = hosts->room ? 2 * hosts->room : 64;
        struct efg_run_place *places = realloc(hosts->places, room * sizeof *places);
        if (!places)
            return -1;
        hosts->places = places;
        hosts->room = room;
    }
    if (!hosts->count) {
        hosts->host = rank->host;
        hosts->first = rank->rank;
        rank->host = NULL;
    }
    hosts->places[hosts->count++] = rank->place;
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

static void measure(struct efg_report_ranks *ranks, uint32_t index,
                    const struct efg_run_rank *rank)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(rank);
    uint64_t time = efg_run_rank_duration(rank);
    uint64_t mpi = thread ? thread->graph.node_time : 0, bytes = 0, events = 0;
    for (uint32_t k = 0; k < rank->thread_count; k++) {
        const struct efg_graph *graph = &rank->threads[k].graph;
        events += graph->events;
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
}

static int add_rank(struct efg_report_ranks *ranks, const struct efg_run *run, uint32_t index,
                    struct efg_run_rank *rank)
{
    measure(ranks, index, rank);
    if (*rank->note)
        efg_summary_line(&ranks->notes, "rank %-7u %s", rank->rank, rank->note);
    return efg_join_add(&ranks->calls, run, rank, index) ||
           efg_join_add(&ranks->sites, run, rank, index) || add_host(&ranks->hosts, rank);
}

int efg_report_ranks_read(struct efg_report_ranks *ranks, const struct efg_run *run,
                          const char *command)
{
    int error = 0;
    memset(ranks, 0, sizeof *ranks);
    efg_join_init(&ranks->calls, EFG_JOIN_CALLS, run->rank_count);
    efg_join_init(&ranks->sites, EFG_JOIN_SITES, run->rank_count);
    for (int i = 0; i < EFG_QUANTITIES; i++) {
        ranks->values[i] = calloc((size_t)run->rank_count + 1, sizeof *ranks->values[i]);
        error |= !ranks->values[i];
    }
    for (uint32_t i = 0; i < run->rank_count && !error; i++) {
        struct efg_run_rank rank;
        if (efg_open_rank(run, command, i, &rank))
            return -1;
        error = add_rank(ranks, run, i, &rank);
        efg_run_rank_fini(&rank);
    }
    if (error)
        return efg_complain(command, "no memory for what the ranks did");
    efg_join_sort(&ranks->calls);
    efg_join_sort(&ranks->sites);
    end_hosts(&ranks->hosts);
    return 0;
}

void efg_report_ranks_fini(struct efg_report_ranks *ranks)
{
    efg_join_fini(&ranks->calls);
    efg_join_fini(&ranks->sites);
    for (int i = 0; i < EFG_QUANTITIES; i++)
        free(ranks->values[i]);
    put_host(&ranks->hosts); /* frees those that came last */
    free(ranks->hosts.places);
    efg_buffer_fini(&ranks->hosts.lines);
    efg_buffer_fini(&ranks->notes);
}

/* --- the table --- */

static void format_events(char *text, size_t size, uint64_t value)
{
    efg_format_count(text, size, (double)value);
}

static const struct {
    const char *name;
    void (*format)(char *text, size_t size, uint64_t value);
} quantities[EFG_QUANTITIES] = {
    [EFG_RUN_TIME] = {"run", efg_format_ns},
    [EFG_MPI_TIME] = {"in MPI", efg_format_ns},
    [EFG_COMPUTE_TIME] = {"outside MPI", efg_format_ns},
    [EFG_LOOP_TIME] = {"iterations", efg_format_ns},
    [EFG_EVENTS] = {"MPI calls", format_events},
    [EFG_BYTES] = {"bytes", efg_format_bytes},
    [EFG_COST] = {"efgtrace itself", efg_format_ns},
};

const char *efg_quantity_name(enum efg_quantity quantity)
{
    return quantities[quantity].name;
}

static void put_quantity(struct efg_buffer *out, const struct efg_run *run,
                         enum efg_quantity quantity, const uint64_t *values, uint64_t *sorted)
{
    char least[32], median[32], most[32], mean[32];
    uint32_t low = 0, high = 0;
    double sum = 0;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        sum += (double)values[i];
        low = values[i] < values[low] ? i : low;
        high = values[i] > values[high] ? i : high;
    }
    struct efg_spread spread = efg_join_spread(values, run->rank_count, sorted);
    double average = sum / run->rank_count;
    quantities[quantity].format(least, sizeof least, spread.min);
    quantities[quantity].format(median, sizeof median, spread.median);
    quantities[quantity].format(most, sizeof most, spread.max);
    quantities[quantity].format(mean, sizeof mean,
                                average < 1e18 ? (uint64_t)average : UINT64_MAX);
    efg_summary_line(out, "%-16s %10s  %-7u %10s %10s  %-7u %10s %6.1f%%",
                     quantities[quantity].name, least, run->ranks[low].rank, median, most,
                     run->ranks[high].rank, mean,
                     efg_percent((double)spread.max - average, average));
}

void efg_report_ranks(struct efg_buffer *out, const struct efg_run *run,
                      const struct efg_report_ranks *ranks)
{
    uint64_t *sorted = calloc(run->rank_count, sizeof *sorted);
    efg_summary_line(out, "%-16s %10s  %-7s %10s %10s  %-7s %10s %7s", "per rank", "least",
                     "rank", "median", "most", "rank", "mean", "above");
    for (int i = 0; sorted && i < EFG_QUANTITIES; i++)
        put_quantity(out, run, (enum efg_quantity)i, ranks->values[i], sorted);
    efg_summary_line(out, "(above: how much more the rank with the most has than the mean, the "
                          "imbalance)");
    free(sorted);
}
