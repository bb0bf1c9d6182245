/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a run into the model, from which all commands print. Each rank is read once, handed to all that
 * want to know of it, and forgotten.
 */
#include "model.h"

#include <string.h>

#include "cli/complain.h"
#include "cli/open.h"

/* Whether the graph of all ranks is that of those that recorded, too. */
static bool is_shared(const struct efg_model *m)
{
    return !(m->merged.dimensions & ~(unsigned)EFG_DIM_PATH) &&
           !memchr(m->has_recorded, 0, m->run.rank_count);
}

static int begin(struct efg_model *m, const char *is_wanted, unsigned dimensions, unsigned parts)
{
    int error = efg_merged_begin(&m->merged, &m->run, is_wanted, dimensions);
    m->merged.keeps_parts = !!(parts & (EFG_MODEL_TIMES | EFG_MODEL_CLUSTERS));
    if (!error && parts & EFG_MODEL_RANKS)
        error = efg_ranks_begin(&m->ranks, &m->run);
    if (!error && parts & EFG_MODEL_HEAT)
        error = efg_heat_begin(&m->heat, &m->run);
    efg_sent_begin(&m->sent);
    if (m->has_recorded)
        m->recorded = is_shared(m) ? &m->merged : &m->apart;
    if (!error && m->recorded == &m->apart)
        error = efg_merged_begin(&m->apart, &m->run, m->has_recorded, dimensions & EFG_DIM_PATH);
    return error;
}

static int add(struct efg_model *m, uint32_t index, struct efg_run_rank *rank, unsigned parts)
{
    int error = efg_merged_add(&m->merged, &m->run, rank, index);
    if (!error && m->recorded == &m->apart && m->has_recorded[index])
        error = efg_merged_add(&m->apart, &m->run, rank, index);
    if (!error && parts & EFG_MODEL_SENT)
        error = efg_sent_add(&m->sent, rank);
    if (!error && parts & EFG_MODEL_HEAT)
        error = efg_heat_add(&m->heat, rank);
    if (!error && parts & EFG_MODEL_RANKS)
        error = efg_ranks_add(&m->ranks, &m->run, index, rank);
    if (!error && parts & EFG_MODEL_RANKS)
        error = efg_counted_add(&m->counted, rank);
    if (!error && parts & EFG_MODEL_RANKS)
        error = efg_threaded_add(&m->threaded, rank);
    return error;
}

static int end(struct efg_model *m, unsigned parts)
{
    int error = efg_merged_end(&m->merged, &m->run);
    efg_ranks_end(&m->ranks);
    if (!error)
        error = efg_counted_end(&m->counted, &m->merged);
    efg_threaded_end(&m->threaded);
    if (!error && m->recorded == &m->apart)
        error = efg_merged_end(&m->apart, &m->run);
    if (!error)
        error = efg_sent_end(&m->sent, m->run.size);
    if (!error && parts & EFG_MODEL_CONTEXTS)
        error = efg_contexts_build(&m->contexts, &m->run, &m->merged);
    if (!error && parts & EFG_MODEL_TIMES)
        error = efg_by_rank_make(&m->by, m->run.rank_count, &m->merged,
                                 parts & EFG_MODEL_CONTEXTS ? &m->contexts : NULL);
    if (!error && parts & EFG_MODEL_CLUSTERS)
        error = efg_clusters_make(&m->clusters, m->run.rank_count, &m->merged);
    return error;
}

int efg_model_open(struct efg_model *model, const char *command, const char *dir)
{
    *model = (struct efg_model){.command = command};
    return efg_open_run(&model->run, command, dir);
}

int efg_model_read(struct efg_model *m, const char *is_wanted, unsigned dimensions, unsigned parts)
{
    int error = begin(m, is_wanted, dimensions, parts);
    for (uint32_t i = 0; i < m->run.rank_count && !error; i++) {
        struct efg_run_rank rank;
        if (is_wanted && !is_wanted[i])
            continue;
        if (efg_open_rank(&m->run, m->command, i, &rank))
            return EFG_TOLD;
        error = add(m, i, &rank, parts);
        efg_run_rank_fini(&rank);
    }
    if (!error)
        error = end(m, parts);
    return error ? efg_complain(m->command, "no memory for what is known of the ranks") : 0;
}

void efg_model_fini(struct efg_model *m)
{
    efg_clusters_fini(&m->clusters);
    efg_by_rank_fini(&m->by);
    efg_contexts_fini(&m->contexts);
    efg_heat_fini(&m->heat);
    efg_sent_fini(&m->sent);
    efg_counted_fini(&m->counted);
    efg_threaded_fini(&m->threaded);
    efg_ranks_fini(&m->ranks);
    efg_merged_fini(&m->merged);
    efg_merged_fini(&m->apart);
    efg_run_fini(&m->run);
}
