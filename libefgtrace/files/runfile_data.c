/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run in memory: freeing it, looking things up, resolving its call paths.
 *
 * All ranks of a job have much the same call paths. So the frames are collected as
 * (module, offset), rank after rank, and made unique whenever their number has doubled:
 * memory stays within twice the distinct frames plus those of one rank.
 *
 * Invariant: run->sites is sorted by module, then offset, without doubles.
 */
#include "runfile_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

/* --- freeing --- */

void efg_run_rank_fini(struct efg_run_rank *rank)
{
    for (uint32_t i = 0; i < rank->call_count; i++)
        free(rank->calls[i].name);
    for (uint32_t i = 0; i < rank->module_count; i++)
        free(rank->modules[i]);
    for (uint32_t i = 0; i < rank->path_count; i++)
        free(rank->paths[i].frames);
    for (uint32_t i = 0; i < rank->region_count; i++)
        free(rank->regions[i].name);
    for (uint32_t i = 0; i < rank->thread_count; i++) {
        efg_graph_fini(&rank->threads[i].graph);
        free(rank->threads[i].windows);
    }
    free(rank->calls);
    free(rank->modules);
    free(rank->paths);
    free(rank->regions);
    free(rank->threads);
    free(rank->host);
    free(rank->place.cores);
    free(rank->note);
    memset(rank, 0, sizeof *rank);
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

void efg_run_sites_fini(struct efg_run *run)
{
    for (uint32_t i = 0; i < run->site_count; i++)
        site_fini(&run->sites[i]);
    free(run->sites);
    run->sites = NULL;
    run->site_count = 0;
}

void efg_run_fini(struct efg_run *run)
{
    for (uint32_t i = 0; i < run->rank_count; i++)
        efg_run_rank_fini(&run->ranks[i]);
    free(run->ranks);
    efg_run_sites_fini(run);
    free(run->application);
    free(run->command);
    free(run->version);
    free(run->mpi);
    free(run->output);
    free(run->trace_note);
    free(run->cuts);
    memset(run, 0, sizeof *run);
}

/* --- looking up --- */

const char *efg_runfile_call(const struct efg_run_rank *rank, uint32_t call)
{
    for (uint32_t i = 0; i < rank->call_count; i++) {
        if (rank->calls[i].id == call)
            return rank->calls[i].name;
    }
    return "?";
}

const struct efg_run_path *efg_runfile_path(const struct efg_run_rank *rank, uint32_t path)
{
    return path && path <= rank->path_count ? &rank->paths[path - 1] : NULL;
}

const char *efg_runfile_region(const struct efg_run_rank *rank, uint32_t region)
{
    for (uint32_t i = 0; i < rank->region_count; i++) {
        if (rank->regions[i].id == region)
            return rank->regions[i].name;
    }
    return NULL;
}

static int compare_sites(const void *a, const void *b)
{
    const struct efg_run_site *x = a, *y = b;
    int order = x->module == y->module ? 0 : strcmp(x->module, y->module);
    return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

const struct efg_run_site *efg_runfile_site(const struct efg_run *run, const char *module,
                                            uint64_t offset)
{
    struct efg_run_site key = {.module = (char *)module, .offset = offset};
    return run->site_count
               ? bsearch(&key, run->sites, run->site_count, sizeof key, compare_sites)
               : NULL;
}

/* --- resolving --- */

struct places { /* sites that own nothing yet: their modules are the ranks' */
    struct efg_run_site *item;
    size_t count, room, unique; /* unique: of the first ones, at the last look */
};

static void make_unique(struct places *places)
{
    size_t kept = 0;
    if (places->count)
        qsort(places->item, places->count, sizeof *places->item, compare_sites);
    for (size_t i = 0; i < places->count; i++) {
        if (!kept || compare_sites(&places->item[kept - 1], &places->item[i]))
            places->item[kept++] = places->item[i];
    }
    places->count = places->unique = kept;
}

static int add_place(struct places *places, char *module, uint64_t offset)
{
    if (places->count == places->room) {
        size_t room = places->room ? 2 * places->room : 256;
        struct efg_run_site *item = realloc(places->item, room * sizeof *item);
        if (!item)
            return -ENOMEM;
        places->item = item;
        places->room = room;
    }
    places->item[places->count++] = (struct efg_run_site){.module = module, .offset = offset};
    return 0;
}

static int add_rank(struct places *places, const struct efg_run_rank *rank)
{
    for (uint32_t i = 0; i < rank->path_count; i++) {
        for (uint32_t k = 0; k < rank->paths[i].depth; k++) {
            const struct efg_frame *frame = &rank->paths[i].frames[k];
            if (frame->module < rank->module_count &&
                add_place(places, rank->modules[frame->module], frame->offset))
                return -ENOMEM;
        }
    }
    if (places->count > 2 * places->unique)
        make_unique(places);
    return 0;
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

static int is_known(const struct efg_symbol *frames, int count)
{
    return count > 1 || strcmp(frames[0].function, "?") || frames[0].file[0];
}

static int resolve_all(struct efg_run *run, const struct places *places,
                       struct efg_symbols *symbols)
{
    run->sites = calloc(places->count + 1, sizeof *run->sites);
    if (!run->sites)
        return -ENOMEM;
    for (size_t i = 0; i < places->count; i++) {
        const struct efg_symbol *frames;
        const struct efg_run_site *place = &places->item[i];
        int count = efg_symbols_find(symbols, place->module, place->offset, &frames);
        if (is_known(frames, count) && add_site(run, place, count, frames))
            return -ENOMEM;
    }
    return 0;
}

int efg_runfile_resolve(struct efg_run *run, struct efg_symbols *symbols)
{
    struct places places = {0};
    int error = 0;
    efg_run_sites_fini(run);
    for (uint32_t i = 0; i < run->rank_count && !error; i++)
        error = add_rank(&places, &run->ranks[i]);
    make_unique(&places);
    if (!error)
        error = resolve_all(run, &places, symbols);
    if (error)
        efg_run_sites_fini(run);
    free(places.item);
    return error;
}
