/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of what the ranks did: a line for each quantity, with the ranks that have least and most.
 */
#include <stdlib.h>

#include "files/summary/summary.h"
#include "tables.h"

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

const char *efg_report_quantity(enum efg_quantity quantity)
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

void efg_report_ranks(struct efg_buffer *out, const struct efg_model *model)
{
    uint64_t *sorted = calloc(model->run.rank_count, sizeof *sorted);
    efg_summary_line(out, "%-16s %10s  %-7s %10s %10s  %-7s %10s %7s", "per rank", "least",
                     "rank", "median", "most", "rank", "mean", "above");
    for (int i = 0; sorted && i < EFG_QUANTITIES; i++)
        put_quantity(out, &model->run, (enum efg_quantity)i, model->ranks.values[i], sorted);
    efg_summary_line(out, "(above: how much more the rank with the most has than the mean, the "
                          "imbalance)");
    free(sorted);
}
