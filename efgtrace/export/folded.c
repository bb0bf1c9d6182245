/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Folded stacks, which flamegraph.pl, speedscope and inferno read: a line for each calling context of the
 * whole run that has time of its own, "main;exchange;MPI_Send 1234": the functions on the way to it, and the
 * ns of all ranks.
 */
#include <errno.h>
#include <stdlib.h>

#include "cli/complain.h"
#include "formats.h"

/* Time of all ranks in context ID, those below it included. */
static uint64_t time_in(const struct efg_by_rank *by, uint32_t id)
{
    uint64_t time = 0;
    for (uint32_t i = 0; i < by->ranks; i++)
        time += by->context_time[(size_t)id * by->ranks + i];
    return time;
}

/* What separates functions, or lines, is not part of a name. */
static void put_name(FILE *file, const char *name)
{
    for (; *name; name++)
        putc(*name == ';' || (unsigned char)*name < ' ' ? '_' : *name, file);
}

static void put_path(FILE *file, const struct efg_contexts *contexts, uint32_t id)
{
    if (contexts->items[id].parent != EFG_NONE) {
        put_path(file, contexts, contexts->items[id].parent);
        putc(';', file);
    }
    put_name(file, contexts->items[id].name);
}

static void put_all(FILE *file, const struct efg_model *model, uint64_t *own)
{
    const struct efg_contexts *contexts = &model->contexts;
    for (uint32_t i = 0; i < contexts->count; i++) {
        uint64_t time = time_in(&model->by, i);
        own[i] += time;
        if (i)
            own[contexts->items[i].parent] -= time;
    }
    for (uint32_t i = 0; i < contexts->count; i++)
        if (own[i]) {
            put_path(file, contexts, i);
            fprintf(file, " %llu\n", (unsigned long long)own[i]);
        }
}

int efg_export_folded(FILE *file, struct efg_model *model)
{
    const unsigned parts = EFG_MODEL_CONTEXTS | EFG_MODEL_TIMES;
    if (efg_model_read(model, NULL, efg_merged_dimensions(&model->run), parts))
        return EFG_TOLD;
    uint64_t *own = calloc((size_t)model->contexts.count + 1, sizeof *own);
    if (!own)
        return -ENOMEM;
    put_all(file, model, own);
    free(own);
    return ferror(file) ? -EIO : 0;
}
