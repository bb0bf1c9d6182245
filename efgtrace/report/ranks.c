/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of what the ranks did: a line for each quantity, with the ranks that have least and
 * most.
 */
#include "files/summary/summary.h"
#include "model/distribution.h"
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
    [EFG_PROCESSOR_USED] = {"processor", efg_format_ns},
    [EFG_PROCESSOR_WAITED] = {"ready, without", efg_format_ns},
    [EFG_PROCESSOR_SWITCHES] = {"lost it", format_events},
    [EFG_PAGE_FAULTS] = {"page faults", format_events},
    [EFG_PEAK_MEMORY] = {"peak memory", efg_format_bytes},
};

const char *efg_report_quantity(enum efg_quantity quantity)
{
    return quantities[quantity].name;
}

const char *efg_report_quantity_unit(enum efg_quantity quantity)
{
    void (*format)(char *, size_t, uint64_t) = quantities[quantity].format;
    return format == efg_format_ns ? "ns" : format == efg_format_bytes ? "bytes" : "count";
}

/* What no rank has anything of has no line. */
static void put_quantity(struct efg_buffer *out, const struct efg_run *run, enum efg_quantity quantity,
                         const uint64_t *values)
{
    char least[32], median[32], most[32], mean[32];
    struct efg_distribution d = efg_distribution(values, run->rank_count, EFG_OF_ALL);
    if (!d.most)
        return;
    quantities[quantity].format(least, sizeof least, d.least);
    quantities[quantity].format(median, sizeof median, d.median);
    quantities[quantity].format(most, sizeof most, d.most);
    quantities[quantity].format(mean, sizeof mean, d.mean < 1e18 ? (uint64_t)d.mean : UINT64_MAX);
    efg_summary_line(out, "%-16s %10s  %-7u %10s %10s  %-7u %10s %6.1f%%", quantities[quantity].name, least,
                     run->ranks[d.least_at].rank, median, most, run->ranks[d.most_at].rank, mean,
                     efg_percent((double)d.most - d.mean, d.mean));
}

void efg_report_ranks(struct efg_buffer *out, const struct efg_model *model)
{
    efg_summary_line(out, "%-16s %10s  %-7s %10s %10s  %-7s %10s %7s", "per rank", "least", "rank", "median",
                     "most", "rank", "mean", "above");
    for (int i = 0; i < EFG_QUANTITIES; i++)
        put_quantity(out, &model->run, (enum efg_quantity)i, model->ranks.values[i]);
    efg_summary_wrap(out, "",
                     "(above: how much more the rank with the most has than the mean, the imbalance; ready, "
                     "without: its threads could have run, and had no processor; page faults: from disk)");
}
