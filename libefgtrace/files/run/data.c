/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run in memory: freeing it, resolving its call paths.
 *
 * Invariant: run->sites is sorted by module, then offset, without doubles.
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/symbols/symbols.h"

/* --- freeing --- */

void efg_run_names_fini(struct efg_run_names *names)
{
    for (uint32_t i = 0; i < names->call_count; i++)
        free(names->calls[i].name);
    for (uint32_t i = 0; i < names->module_count; i++)
        free(names->modules[i]);
    for (uint32_t i = 0; i < names->path_count; i++)
        free(names->paths[i].frames);
    for (uint32_t i = 0; i < names->region_count; i++)
        free(names->regions[i].name);
    free(names->calls);
    free(names->modules);
    free(names->paths);
    free(names->regions);
    free(names->positions);
    efg_map_fini(&names->by_frame);
    memset(names, 0, sizeof *names);
}

void efg_run_common_fini(struct efg_run_common *common)
{
    for (uint32_t i = 0; i < common->group_count; i++) {
        free(common->groups[i].shape);
        free(common->groups[i].paths);
        efg_ranklist_fini(&common->groups[i].ranks);
    }
    free(common->groups);
    for (uint32_t i = 0; i < common->order_count; i++)
        efg_ranklist_fini(&common->orders[i].ranks);
    free(common->orders);
    efg_run_names_fini(&common->names);
    efg_totals_fini(&common->totals);
    memset(common, 0, sizeof *common);
}

void efg_run_rank_fini(struct efg_run_rank *rank)
{
    for (uint32_t i = 0; i < rank->thread_count; i++) {
        struct efg_run_thread *thread = &rank->threads[i];
        efg_graph_fini(&thread->graph);
        free(thread->windows);
        free(thread->phases);
        free(thread->series);
        efg_counts_free(thread->counts);
        free(thread->traffic.partners.item);
        free(thread->traffic.sends.item);
        free(thread->traffic.collectives.item);
    }
    free(rank->threads);
    free(rank->host);
    free(rank->place.cores);
    free(rank->note);
    free(rank->phases);
    free(rank->said);
    free(rank->sections);
    free(rank->counters);
    free(rank->openmp);
    memset(rank, 0, sizeof *rank);
}

void efg_run_sequence_fini(struct efg_run_sequence *sequence)
{
    for (uint32_t i = 0; i < sequence->thread_count; i++) {
        for (uint32_t k = 0; k < sequence->threads[i].table_count; k++)
            free(sequence->threads[i].tables[k].node);
        free(sequence->threads[i].tables);
    }
    free(sequence->threads);
    free(sequence->bytes);
    memset(sequence, 0, sizeof *sequence);
}

static void site_fini(struct efg_run_site *site)
{
    for (uint32_t i = 0; i < site->symbol_count; i++) {
        free(site->symbols[i].function);
        free(site->symbols[i].file);
    }
    free(site->symbols);
    free(site->module);
}

static void sites_fini(struct efg_run *run)
{
    for (uint32_t i = 0; i < run->site_count; i++)
        site_fini(&run->sites[i]);
    free(run->sites);
    run->sites = NULL;
    run->site_count = 0;
}

static void objects_fini(struct efg_run *run)
{
    for (uint32_t i = 0; i < run->object_count; i++)
        free(run->objects[i].name);
    free(run->objects);
}

void efg_run_fini(struct efg_run *run)
{
    if (run->file)
        close(run->file - 1);
    free(run->ranks);
    free(run->sequences);
    efg_run_common_fini(&run->common);
    efg_run_rank_fini(&run->speaker);
    sites_fini(run);
    objects_fini(run);
    free(run->apart);
    efg_map_fini(&run->alike);
    efg_map_fini(&run->twins);
    free(run->application);
    free(run->command);
    free(run->version);
    free(run->mpi);
    free(run->output);
    free(run->trace_note);
    free(run->when);
    free(run->loop);
    free(run->cuts);
    memset(run, 0, sizeof *run);
}

/* --- the source of call sites --- */

static int compare_sites(const void *a, const void *b)
{
    const struct efg_run_site *x = a, *y = b;
    int order = x->module == y->module ? 0 : strcmp(x->module, y->module);
    return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

void efg_run_sort_sites(struct efg_run *run)
{
    if (run->site_count)
        qsort(run->sites, run->site_count, sizeof *run->sites, compare_sites);
}

const struct efg_run_site *efg_run_site(const struct efg_run *run, const char *module, uint64_t offset)
{
    struct efg_run_site key = {.module = (char *)module, .offset = offset};
    return run->site_count ? bsearch(&key, run->sites, run->site_count, sizeof key, compare_sites) : NULL;
}

/* The places of all frames, which own nothing, sorted and without doubles; *COUNT of them. */
static struct efg_run_site *find_places(const struct efg_run_names *names, size_t *count)
{
    size_t frames = 0, kept = 0;
    for (uint32_t i = 0; i < names->path_count; i++)
        frames += names->paths[i].depth;
    struct efg_run_site *places = calloc(frames + 1, sizeof *places);
    frames = 0;
    for (uint32_t i = 0; places && i < names->path_count; i++)
        for (uint32_t k = 0; k < names->paths[i].depth; k++) {
            const struct efg_frame *frame = &names->paths[i].frames[k];
            places[frames].module = names->modules[frame->module];
            places[frames++].offset = frame->offset;
        }
    if (frames)
        qsort(places, frames, sizeof *places, compare_sites);
    for (size_t i = 0; i < frames; i++)
        if (!kept || compare_sites(&places[kept - 1], &places[i]))
            places[kept++] = places[i];
    *count = kept;
    return places;
}

static int copy_symbol(struct efg_run_symbol *to, const struct efg_symbol *from)
{
    to->function = strdup(from->function);
    to->file = strdup(from->file);
    to->line = from->line;
    return to->function && to->file ? 0 : -ENOMEM;
}

static int add_site(struct efg_run *run, const struct efg_run_site *place, int count,
                    const struct efg_symbol *frames)
{
    struct efg_run_site *site = &run->sites[run->site_count++];
    site->offset = place->offset;
    site->module = strdup(place->module);
    site->symbols = calloc((size_t)count, sizeof *site->symbols);
    if (!site->module || !site->symbols)
        return -ENOMEM;
    for (int i = 0; i < count; i++) {
        site->symbol_count++;
        if (copy_symbol(&site->symbols[i], &frames[i]))
            return -ENOMEM;
    }
    return 0;
}

static bool is_known(const struct efg_symbol *frames, int count)
{
    return count > 1 || strcmp(frames[0].function, "?") || frames[0].file[0];
}

static int resolve_all(struct efg_run *run, const struct efg_run_site *places, size_t count,
                       struct efg_symbols *symbols)
{
    run->sites = calloc(count + 1, sizeof *run->sites);
    if (!run->sites)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct efg_symbol *frames;
        int depth = efg_symbols_find(symbols, places[i].module, places[i].offset, &frames);
        if (is_known(frames, depth) && add_site(run, &places[i], depth, frames))
            return -ENOMEM;
    }
    return 0;
}

int efg_run_resolve(struct efg_run *run, struct efg_symbols *symbols)
{
    size_t count;
    sites_fini(run);
    struct efg_run_site *places = find_places(&run->common.names, &count);
    int error = places ? resolve_all(run, places, count, symbols) : -ENOMEM;
    if (error)
        sites_fini(run);
    free(places);
    return error;
}
