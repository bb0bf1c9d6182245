/* SPDX-License-Identifier: BSD-3-Clause */
#include "progressions.h"

#include <stdlib.h>
#include <string.h>

struct progression {
    uint32_t node;                     /* that it leaves */
    uint64_t start, step, last, count; /* count 0: none yet */
    size_t bytes;                      /* of those before it */
};

static void *checked(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static size_t leb128(uint64_t value)
{
    size_t size = 1;
    while (value >>= 7)
        size++;
    return size;
}

static size_t size_of(const struct progression *p)
{
    return p->count ? p->bytes + leb128(p->start) + leb128(p->step) + leb128(p->count) : 0;
}

static void extend(struct progression *p, uint64_t visit)
{
    if (p->count == 1)
        p->step = visit - p->last;
    if (p->count && visit - p->last != p->step) {
        p->bytes = size_of(p);
        p->start = visit - p->last; /* counted from the last one */
        p->step = p->count = 0;
    } else if (!p->count) {
        p->start = visit;
    }
    p->last = visit;
    p->count++;
}

static struct progression *exit_of(struct progressions *p, uint32_t from, uint32_t to)
{
    uint64_t *number = checked(efg_map_put(&p->numbers, (uint64_t)from << 32 | to));
    if (*number)
        return &p->exits[*number - 1];
    if (p->exit_count == p->exit_room) {
        p->exit_room = p->exit_room ? 2 * p->exit_room : 64;
        p->exits = checked(realloc(p->exits, p->exit_room * sizeof *p->exits));
    }
    *number = ++p->exit_count;
    p->exits[*number - 1] = (struct progression){.node = from};
    return &p->exits[*number - 1];
}

static void know(struct progressions *p, uint32_t node)
{
    uint32_t room = p->node_room ? p->node_room : 64;
    if (node < p->node_room)
        return;
    while (room <= node)
        room *= 2;
    p->visits = checked(realloc(p->visits, room * sizeof *p->visits));
    memset(p->visits + p->node_room, 0, (room - p->node_room) * sizeof *p->visits);
    p->node_room = room;
}

void progressions_add(struct progressions *p, uint32_t node)
{
    know(p, node);
    if (p->has_last)
        extend(exit_of(p, p->last, node), p->visits[p->last]++);
    p->last = node;
    p->has_last = 1;
}

size_t progressions_bytes(const struct progressions *p)
{
    uint32_t *ways = checked(calloc((size_t)p->node_room + 1, sizeof *ways));
    size_t bytes = 0;
    for (uint32_t i = 0; i < p->exit_count; i++)
        ways[p->exits[i].node]++;
    for (uint32_t i = 0; i < p->exit_count; i++)
        bytes += ways[p->exits[i].node] > 1 ? size_of(&p->exits[i]) : 0;
    free(ways);
    return bytes;
}

void progressions_free(struct progressions *p)
{
    efg_map_fini(&p->numbers);
    free(p->exits);
    free(p->visits);
    *p = (struct progressions){0};
}
