/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was counted, in an iteration of a rank, or in all of its run if iterations were not counted.
 */
#include <stdio.h>
#include <string.h>

#include "files/run/counters.h"
#include "summary.h"

#define ROOM (EFG_COLUMNS - 14) /* of a line, behind its head and before its comma */

void efg_format_counted(char *text, size_t size, const char *name, double value)
{
    if (efg_counter_is_time(name))
        efg_format_ns(text, size, (uint64_t)value);
    else if (value < 99.95)
        efg_format_digits(text, size, value, 3);
    else
        efg_format_count(text, size, value);
}

static const struct efg_counter_total *find(const struct efg_counter_total *totals, unsigned count,
                                            const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (efg_counter_is(totals[i].name, name))
            return &totals[i];
    return NULL;
}

static double each(const struct efg_counter_total *t)
{
    if (t->all_count)
        return (double)t->all / (double)t->all_count;
    return ((double)t->calls + (double)t->between) / (double)(t->ranks ? t->ranks : 1);
}

static size_t put_one(char *line, size_t size, const struct efg_counter_total *t)
{
    char value[32];

    efg_format_counted(value, sizeof value, t->name, each(t));
    return (size_t)snprintf(line, size, "%s %s (%.0f%%)", t->name, value,
                            efg_percent((double)t->between, (double)t->between + (double)t->calls));
}

void efg_summary_counters(struct efg_buffer *out, const struct efg_totals *totals)
{
    struct efg_counter_total t[EFG_COUNTER_TOTALS];
    unsigned count = efg_counter_totals_read(t, totals->counters);
    const struct efg_counter_total *instructions = find(t, count, "instructions");
    const struct efg_counter_total *cycles = find(t, count, "cycles");
    char line[EFG_COLUMNS] = "";
    size_t used = 0;

    if (!count)
        return;
    efg_summary_tell(out, "Counters     of a rank in %s (and how much of that between calls):",
                     t->all_count ? "an iteration" : "the run");
    for (unsigned i = 0; i < count; i++) {
        char one[ROOM];
        size_t length = put_one(one, sizeof one, &t[i]);
        if (used && used + length + 2 > ROOM) {
            efg_summary_tell(out, "             %s,", line);
            used = 0;
        }
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", used ? ", " : "", one);
    }
    efg_summary_tell(out, "             %s", line);
    if (instructions && cycles && each(cycles) > 0)
        efg_summary_tell(out, "             IPC %.2f", each(instructions) / each(cycles));
}
