/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of the analysis: all of a trace is taken; then calls of collectives are matched, and times
 * summed up.
 */
#include "waits.h"

#include <errno.h>
#include <stdlib.h>

#include "parts.h"

const char *efg_wait_name(enum efg_wait kind)
{
    static const char *const names[EFG_WAITS] = {
        [EFG_WAIT_NONE] = "none",
        [EFG_WAIT_SENDER] = "late sender",
        [EFG_WAIT_RECEIVER] = "late receiver",
        [EFG_WAIT_ALL] = "wait at N x N",
        [EFG_WAIT_BARRIER] = "wait at barrier",
        [EFG_WAIT_FENCE] = "wait at fence",
        [EFG_WAIT_ROOT] = "late broadcast",
        [EFG_WAIT_REDUCE] = "early reduce",
        [EFG_WAIT_SCAN] = "early scan",
        [EFG_WAIT_POLLS] = "polls",
    };
    return names[kind];
}

int efg_waits_begin(struct efg_waits *waits, const struct efg_recorded *recorded)
{
    *waits = (struct efg_waits){.work = calloc(1, sizeof *waits->work)};
    if (!waits->work)
        return -ENOMEM;
    waits->work->recorded = recorded;
    return 0;
}

int efg_waits_end(struct efg_waits *waits)
{
    if (*waits->missing)
        return 0;
    waits->alone = waits->work->open.count;
    return efg_waits_meet(waits) || efg_waits_sum_up(waits) ? -ENOMEM : 0;
}

static void free_work(struct efg_waits_work *w)
{
    free(w->calls);
    free(w->traits);
    efg_recorded_pairs_fini(&w->pairs);
    efg_map_fini(&w->open);
    efg_map_fini(&w->iteration);
    efg_buffer_fini(&w->spans);
    efg_buffer_fini(&w->edges);
    efg_buffer_fini(&w->meetings);
    free(w);
}

void efg_waits_fini(struct efg_waits *waits)
{
    if (waits->work)
        free_work(waits->work);
    free(waits->locations);
    free(waits->places);
    free(waits->sites);
    free(waits->pairs);
    free(waits->iterations);
    *waits = (struct efg_waits){0};
}
