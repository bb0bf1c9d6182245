/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads, joins and writes what plug-ins have said.
 */
#include "said.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define PARTS 10
#define MOST 512 /* items; further ones are left out */

/* Cuts LINE at its tabs into at most PARTS parts; returns how many there are. */
static unsigned split(char *line, char *part[PARTS])
{
    unsigned count = 0;

    while (line && count < PARTS)
        part[count++] = strsep(&line, "\t");
    return count;
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

/* Returns whether LINE is one. */
static bool read_item(struct efg_said_item *item, char *line)
{
    char *part[PARTS];
    unsigned count = split(line, part);

    if (count == 5 && strcmp(part[0], "line") == 0) {
        *item = (struct efg_said_item){.plugin = part[1],
                                       .name = part[2],
                                       .ranks = number(part[3]),
                                       .least_rank = (uint32_t)number(part[4])};
        return true;
    }
    if (count != PARTS || strcmp(part[0], "number") != 0)
        return false;
    *item = (struct efg_said_item){.plugin = part[1],
                                   .name = part[2],
                                   .unit = part[3],
                                   .ranks = number(part[4]),
                                   .sum = number(part[5]),
                                   .least = number(part[6]),
                                   .least_rank = (uint32_t)number(part[7]),
                                   .most = number(part[8]),
                                   .most_rank = (uint32_t)number(part[9])};
    return item->ranks > 0;
}

int efg_said_read(struct efg_said *said, const char *text)
{
    struct efg_said_item item;

    *said = (struct efg_said){.text = strdup(text ? text : "")};
    if (!said->text)
        return -ENOMEM;
    for (char *rest = said->text, *line; (line = strsep(&rest, "\n")) && said->count < MOST;) {
        if (!read_item(&item, line))
            continue;
        if (efg_array_grow(&said->items, said->count, 1, sizeof *said->items)) {
            efg_said_fini(said);
            return -ENOMEM;
        }
        said->items[said->count++] = item;
    }
    return 0;
}

void efg_said_fini(struct efg_said *said)
{
    free(said->items);
    free(said->text);
    *said = (struct efg_said){0};
}

void efg_said_put(struct efg_buffer *out, const struct efg_said_item *i)
{
    if (i->unit)
        efg_buffer_print(out, "number\t%s\t%s\t%s\t%llu\t%llu\t%llu\t%u\t%llu\t%u\n", i->plugin, i->name,
                         i->unit, (unsigned long long)i->ranks, (unsigned long long)i->sum,
                         (unsigned long long)i->least, i->least_rank, (unsigned long long)i->most,
                         i->most_rank);
    else
        efg_buffer_print(out, "line\t%s\t%s\t%llu\t%u\n", i->plugin, i->name, (unsigned long long)i->ranks,
                         i->least_rank);
}

/* --- joining --- */

static bool is_same(const struct efg_said_item *a, const struct efg_said_item *b)
{
    return strcmp(a->plugin, b->plugin) == 0 && strcmp(a->name, b->name) == 0 && !a->unit == !b->unit &&
           (!a->unit || strcmp(a->unit, b->unit) == 0);
}

static void add(struct efg_said_item *to, const struct efg_said_item *more)
{
    to->ranks += more->ranks;
    to->sum += more->sum;
    if (more->least < to->least) {
        to->least = more->least;
        to->least_rank = more->least_rank;
    }
    if (more->most > to->most) {
        to->most = more->most;
        to->most_rank = more->most_rank;
    }
}

/* Adds to ONE what OTHER has, too, and puts the rest of OTHER into REST. */
static void add_all(struct efg_said *one, const struct efg_said *other, struct efg_buffer *rest)
{
    for (size_t k = 0; k < other->count; k++) {
        size_t i = 0;
        while (i < one->count && !is_same(&one->items[i], &other->items[k]))
            i++;
        if (i < one->count)
            add(&one->items[i], &other->items[k]);
        else if (one->count + k < MOST)
            efg_said_put(rest, &other->items[k]);
    }
}

char *efg_said_join(const char *one, const char *other)
{
    struct efg_said a, b = {0};
    struct efg_buffer all = {0}, rest = {0};

    if (efg_said_read(&a, one) || efg_said_read(&b, other))
        all.failed = true;
    add_all(&a, &b, &rest);
    for (size_t i = 0; i < a.count; i++)
        efg_said_put(&all, &a.items[i]);
    efg_buffer_put(&all, rest.data, rest.size);
    efg_buffer_put(&all, "", 1);
    if (all.failed || rest.failed)
        efg_buffer_fini(&all);
    efg_buffer_fini(&rest);
    efg_said_fini(&a);
    efg_said_fini(&b);
    return (char *)all.data;
}
