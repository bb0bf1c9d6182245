/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What plug-ins have said: numbers with the least and the most of the ranks, and lines.
 */
#include <stdio.h>
#include <string.h>

#include "files/run/said.h"
#include "summary.h"

static void format(char *text, size_t size, const char *unit, uint64_t value)
{
    size_t length;

    if (strcmp(unit, "ns") == 0) {
        efg_format_ns(text, size, value);
    } else if (strcmp(unit, "B") == 0) {
        efg_format_bytes(text, size, value);
    } else {
        efg_format_count(text, size, (double)value);
        length = strlen(text);
        snprintf(text + length, size - length, "%s%s", *unit ? " " : "", unit);
    }
}

static void put_number(struct efg_buffer *out, const char *head, const struct efg_said_item *i)
{
    char least[64], most[64], mean[64];

    format(least, sizeof least, i->unit, i->least);
    format(most, sizeof most, i->unit, i->most);
    format(mean, sizeof mean, i->unit, i->sum / i->ranks);
    if (i->least == i->most)
        efg_summary_tell(out, "%s%s: %s %s", head, i->plugin, i->name, least);
    else
        efg_summary_tell(out, "%s%s: %s %s (rank %u) to %s (rank %u), mean %s", head, i->plugin, i->name,
                         least, i->least_rank, most, i->most_rank, mean);
}

static void put_line(struct efg_buffer *out, const char *head, const struct efg_said_item *i)
{
    if (i->ranks > 1)
        efg_summary_tell(out, "%s%s: %s (%llu ranks)", head, i->plugin, i->name,
                         (unsigned long long)i->ranks);
    else
        efg_summary_tell(out, "%s%s: %s (rank %u)", head, i->plugin, i->name, i->least_rank);
}

void efg_summary_plugins(struct efg_buffer *out, const struct efg_run *run, uint32_t most)
{
    struct efg_said said;

    if (efg_said_read(&said, run->common.totals.said))
        return;
    for (size_t i = 0; i < said.count && i < most; i++)
        (said.items[i].unit ? put_number : put_line)(out, i ? "             " : "Plug-ins     ",
                                                     &said.items[i]);
    if (said.count > most)
        efg_summary_tell(out, "             and %zu more: see `efgtrace report`", said.count - most);
    efg_said_fini(&said);
}
