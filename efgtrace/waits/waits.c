/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of the analysis: all of a trace is taken; then calls of collectives are matched, times
 * summed up, causes and the critical path looked for.
 */
#include "waits.h"

#include <stdio.h>
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
        [EFG_WAIT_POST] = "late post",
        [EFG_WAIT_COMPLETE] = "late complete",
        [EFG_WAIT_LOCK] = "wait for a lock",
        [EFG_WAIT_POLLS] = "polls",
    };
    return names[kind];
}

void efg_waits_begin(struct efg_waits *waits, const struct efg_recorded *recorded)
{
    *waits = (struct efg_waits){.work = calloc(1, sizeof *waits->work)};
    if (waits->work)
        waits->work->recorded = recorded;
    else
        efg_waits_give_up(waits, "there is no memory");
}

/* From places. */
static void add_costs(struct efg_waits *waits)
{
    for (uint32_t i = 0; i < waits->place_count; i++) {
        const struct efg_waits_cost *cost = &waits->places[i].cost;
        for (int part = 0; part < EFG_PARTS; part++) {
            waits->caused += efg_waits_caused(cost, (enum efg_waits_part)part);
            waits->path += cost->path[part];
            if (waits->places[i].site == EFG_NONE)
                continue;
            waits->costs[waits->places[i].site].direct[part] += cost->direct[part];
            waits->costs[waits->places[i].site].indirect[part] += cost->indirect[part];
            waits->costs[waits->places[i].site].path[part] += cost->path[part];
        }
    }
}

void efg_waits_end(struct efg_waits *waits)
{
    if (*waits->missing)
        return;
    waits->alone = waits->work->open.count;
    int error = efg_waits_meet_epochs(waits);
    efg_waits_explain_polls(waits->work);
    efg_waits_meet(waits);
    if (error || efg_waits_sum_up(waits) || efg_waits_link(waits->work) || efg_waits_find_causes(waits) ||
        efg_waits_find_path(waits) || efg_waits_find_ideal(waits)) {
        efg_waits_give_up(waits, "there is no memory for so many calls");
        return;
    }
    add_costs(waits);
    efg_waits_sort(waits);
}

struct efg_waits_state efg_waits_state(const struct efg_waits *waits, uint32_t location, uint64_t number)
{
    struct efg_waits_state state = {EFG_WAIT_NONE, EFG_NONE, 0};
    if (*waits->missing || location >= waits->location_count || number >= waits->locations[location].count)
        return state;
    const struct efg_waits_call *calls = waits->work->calls,
                                *call = &calls[waits->locations[location].first + number];
    state.time = efg_waits_of(call);
    if (state.time)
        state.kind = (enum efg_wait)call->kind;
    if (state.time && call->by != EFG_NONE)
        state.rank = waits->locations[calls[call->by].location].rank;
    return state;
}

uint64_t *efg_waits_awaited(const struct efg_waits *waits)
{
    const struct efg_waits_work *w = waits->work;
    uint64_t *awaited = calloc((size_t)w->call_count + 1, sizeof *awaited);
    for (uint32_t i = 0; awaited && i < w->call_count; i++)
        if (w->calls[i].by != EFG_NONE)
            awaited[w->calls[i].by] += efg_waits_of(&w->calls[i]);
    return awaited;
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
    efg_buffer_fini(&w->accesses);
    free(w->first_edge);
    efg_map_fini(&w->place);
    free(w);
}

void efg_waits_fini(struct efg_waits *waits)
{
    if (waits->work)
        free_work(waits->work);
    free(waits->locations);
    free(waits->places);
    free(waits->sites);
    free(waits->costs);
    free(waits->objects);
    free(waits->pairs);
    free(waits->iterations);
    *waits = (struct efg_waits){0};
}

void efg_waits_give_up(struct efg_waits *waits, const char *why)
{
    efg_waits_fini(waits);
    snprintf(waits->missing, sizeof waits->missing, "%s", why);
}
