/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the messages that have both ends in the trace: those whose number in their channel is below that of
 * its sends and of its receives.
 */
#include "pairs.h"

#include <stdlib.h>

#include "base/array.h"

/* The channel's ends, added if they are new; NULL without memory. */
static struct efg_recorded_ends *ends_of(struct efg_recorded_pairs *p, const struct efg_recorded_message *m)
{
    const uint32_t key[] = {m->from, m->to, m->comm, m->tag};
    uint32_t known = p->channels.count, row = efg_otf2_intern(&p->channels, key, sizeof key);
    if (row == EFG_NONE || (row == known && efg_array_grow(&p->ends, known, 1, sizeof *p->ends)))
        return NULL;
    if (row == known)
        p->ends[row] = (struct efg_recorded_ends){0};
    return &p->ends[row];
}

uint64_t efg_recorded_pairs_add(struct efg_recorded_pairs *p, const struct efg_recorded_message *m)
{
    struct efg_recorded_ends *ends = ends_of(p, m);
    if (!ends)
        return EFG_RECORDED_NONE;
    ends->sends += m->is_send != 0;
    ends->receives += !m->is_send;
    return (uint64_t)(ends - p->ends) << 40 | (m->number & 0xffffffffff);
}

static uint64_t pairs_of(const struct efg_recorded_ends *ends)
{
    return ends->sends < ends->receives ? ends->sends : ends->receives;
}

uint64_t efg_recorded_pairs_count(const struct efg_recorded_pairs *p)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < p->channels.count; i++)
        count += pairs_of(&p->ends[i]);
    return count;
}

void efg_recorded_pairs_fini(struct efg_recorded_pairs *p)
{
    efg_otf2_table_fini(&p->channels);
    free(p->ends);
    *p = (struct efg_recorded_pairs){0};
}
