/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts as text and back. Lines that are not known are passed over.
 */
#include "counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

/* --- of a rank, written --- */

static void put_values(struct efg_buffer *out, const uint64_t *values, unsigned width)
{
    for (unsigned k = 0; k < width; k++)
        efg_buffer_print(out, " %" PRIu64, values[k]);
    efg_buffer_print(out, "\n");
}

static void put_sums(struct efg_buffer *out, const char *word, const struct efg_counts *c,
                     const uint64_t *sums, uint32_t count)
{
    static const uint64_t none[EFG_COUNTERS];

    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *values = efg_counts_of(c, sums, count, i);
        if (memcmp(values, none, c->width * sizeof *values) == 0)
            continue;
        efg_buffer_print(out, "%s %" PRIu32, word, i);
        put_values(out, values, c->width);
    }
}

static void put_iterations(struct efg_buffer *out, const char *word, const struct efg_counts *c,
                           const struct efg_counts_iterations *iterations)
{
    if (!iterations->count)
        return;
    efg_buffer_print(out, "%s %" PRIu64, word, iterations->count);
    put_values(out, iterations->sum, c->width);
}

static void put_thread(struct efg_buffer *out, const struct efg_run_thread *thread)
{
    const struct efg_counts *c = thread->counts;

    efg_buffer_print(out, "counters");
    for (unsigned k = 0; k < c->width; k++)
        efg_buffer_print(out, " %s", c->name[k]);
    efg_buffer_print(out, "\nthread %" PRIu32 "\nrest", thread->number);
    put_values(out, c->rest, c->width);
    put_sums(out, "node", c, c->nodes, c->node_count);
    put_sums(out, "edge", c, c->edges, c->edge_count);
    put_iterations(out, "all", c, &c->all);
    put_iterations(out, "recorded", c, &c->recorded);
}

char *efg_run_counters_text(const struct efg_run_rank *rank)
{
    struct efg_buffer out = {0};

    for (uint32_t i = 0; i < rank->thread_count; i++)
        if (rank->threads[i].counts)
            put_thread(&out, &rank->threads[i]);
    return out.size ? efg_buffer_text(&out) : NULL;
}

/* --- of a rank, read --- */

struct reading {
    struct efg_run_rank *rank;
    struct efg_run_thread *thread; /* the present one, or NULL */
    struct efg_counts names;       /* of what follows */
};

static void get_names(struct efg_counts *c, const char *names, size_t length)
{
    const char *end = names + length;

    *c = (struct efg_counts){0};
    while (names < end && c->width < EFG_COUNTERS) {
        size_t size = strcspn(names, " \n");
        if (size)
            snprintf(c->name[c->width++], EFG_COUNTER_NAME, "%.*s", (int)size, names);
        names += size + 1;
    }
}

static int get_thread(struct reading *in, const char *text)
{
    uint32_t number = (uint32_t)strtoul(text, NULL, 10);

    in->thread = NULL;
    for (uint32_t i = 0; i < in->rank->thread_count; i++)
        if (in->rank->threads[i].number == number && !in->rank->threads[i].counts)
            in->thread = &in->rank->threads[i];
    if (!in->thread || !in->names.width)
        return -EBADMSG;
    in->thread->counts = efg_counts_new(in->names.width, NULL);
    if (!in->thread->counts)
        return -ENOMEM;
    memcpy(in->thread->counts->name, in->names.name, sizeof in->names.name);
    return 0;
}

/* WIDTH numbers behind the first one, which is returned. */
static uint64_t get_values(const char *text, unsigned width, uint64_t *values)
{
    char *end;
    uint64_t first = strtoull(text, &end, 10);

    for (unsigned k = 0; k < width; k++)
        values[k] = *end == ' ' ? strtoull(end, &end, 10) : 0;
    return first;
}

static int get_line(struct reading *in, const char *line, size_t length)
{
    struct efg_counts *c = in->thread ? in->thread->counts : NULL;
    const struct efg_graph *graph = in->thread ? &in->thread->graph : NULL;
    uint64_t values[EFG_COUNTERS], first = 0;
    char word[16] = "";
    int at = 0;

    if (sscanf(line, "%15[a-z]%n", word, &at) != 1 || (size_t)at > length)
        return 0;
    if (strcmp(word, "counters") == 0)
        get_names(&in->names, line + at, length - (size_t)at);
    if (strcmp(word, "thread") == 0)
        return get_thread(in, line + at);
    if (!c)
        return 0;
    if (strcmp(word, "rest") == 0) {
        c->rest[0] = get_values(line + at, c->width - 1, c->rest + 1);
        return 0;
    }
    first = get_values(line + at, c->width, values);
    if (strcmp(word, "node") == 0 && first < graph->node_count)
        efg_counts_add_node(c, (uint32_t)first, values);
    else if (strcmp(word, "edge") == 0 && first < graph->edge_count)
        efg_counts_add_edge(c, graph, (uint32_t)first, values);
    else if (strcmp(word, "node") == 0 || strcmp(word, "edge") == 0)
        return -EBADMSG;
    else if (strcmp(word, "all") == 0 || strcmp(word, "recorded") == 0) {
        struct efg_counts_iterations *to = *word == 'a' ? &c->all : &c->recorded;
        to->count = first;
        memcpy(to->sum, values, c->width * sizeof *values);
    }
    return 0;
}

int efg_run_counters_read(struct efg_run_rank *rank)
{
    struct reading in = {.rank = rank};
    int error = 0;

    for (const char *line = rank->counters; line && *line && !error;) {
        size_t length = strcspn(line, "\n");
        error = get_line(&in, line, length);
        line += length + (line[length] == '\n');
    }
    return error;
}

/* --- of all ranks --- */

static bool read_total(struct efg_counter_total *t, const char *line)
{
    *t = (struct efg_counter_total){0};
    return sscanf(line,
                  "%23s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                  t->name, &t->ranks, &t->calls, &t->between, &t->all_count, &t->all, &t->recorded_count,
                  &t->recorded) == 8;
}

unsigned efg_counter_totals_read(struct efg_counter_total totals[EFG_COUNTER_TOTALS], const char *text)
{
    unsigned count = 0;

    for (const char *line = text; line && *line && count < EFG_COUNTER_TOTALS;) {
        count += read_total(&totals[count], line);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return count;
}

static char *write_totals(const struct efg_counter_total *totals, unsigned count)
{
    struct efg_buffer out = {0};

    for (const struct efg_counter_total *t = totals; t < totals + count; t++)
        efg_buffer_print(
            &out, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
            t->name, t->ranks, t->calls, t->between, t->all_count, t->all, t->recorded_count, t->recorded);
    return efg_buffer_text(&out);
}

/* Adds MORE to the COUNT of TOTALS. Returns how many there are then. */
static unsigned add_total(struct efg_counter_total *totals, unsigned count,
                          const struct efg_counter_total *more)
{
    struct efg_counter_total *t = totals;

    while (t < totals + count && strcmp(t->name, more->name) != 0)
        t++;
    if (t == totals + EFG_COUNTER_TOTALS)
        return count;
    if (t == totals + count) {
        *t = *more;
        return count + 1;
    }
    t->ranks += more->ranks;
    t->calls += more->calls;
    t->between += more->between;
    t->all_count += more->all_count;
    t->all += more->all;
    t->recorded_count += more->recorded_count;
    t->recorded += more->recorded;
    return count;
}

char *efg_counter_totals_join(const char *one, const char *other)
{
    struct efg_counter_total a[EFG_COUNTER_TOTALS], b[EFG_COUNTER_TOTALS];
    unsigned count = efg_counter_totals_read(a, one), more = efg_counter_totals_read(b, other);

    for (unsigned i = 0; i < more; i++)
        count = add_total(a, count, &b[i]);
    return write_totals(a, count);
}

char *efg_run_counters_total(const struct efg_run_rank *rank)
{
    struct efg_counter_total all[EFG_COUNTER_TOTALS];
    unsigned count = 0;

    for (uint32_t i = 0; i < rank->thread_count; i++) {
        const struct efg_counts *c = rank->threads[i].counts;
        for (unsigned k = 0; c && k < c->width; k++) {
            struct efg_counter_total one = {.ranks = 1,
                                            .calls = efg_counts_in_calls(c, k),
                                            .between = efg_counts_between(c, k),
                                            .all_count = c->all.count,
                                            .all = c->all.sum[k],
                                            .recorded_count = c->recorded.count,
                                            .recorded = c->recorded.sum[k]};
            memcpy(one.name, c->name[k], sizeof one.name);
            count = add_total(all, count, &one);
        }
    }
    for (unsigned i = 0; i < count; i++)
        all[i].ranks = 1; /* with several threads */
    return count ? write_totals(all, count) : NULL;
}
