/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile: the orders of the calls of some ranks, read with their loop tree; numbers of call
 * sites, times of loops.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "files/run/expand.h"
#include "files/summary/summary.h"
#include "profile.h"

int efg_profile_complain(const char *what)
{
    return efg_complain("profile", what ? what : "no memory for the profile");
}

const char *efg_profile_name(const struct efg_profile *profile, uint32_t node)
{
    const char *name = efg_run_call_name(profile->run, profile->graph->nodes[node].signature.call);
    return strncmp(name, "MPI_", 4) ? name : name + 4;
}

static int time_calls(struct efg_profile *profile)
{
    const struct efg_graph *graph = profile->graph;
    uint64_t *polled = calloc((size_t)graph->node_count + 1, sizeof *polled);
    double *count = calloc((size_t)graph->node_count + 1, sizeof *count);
    double *call = profile->call = calloc((size_t)graph->node_count + 1, sizeof *call);
    if (polled && count && call) {
        efg_graph_polled(graph, polled);
        for (uint32_t i = 0; i < graph->node_count; i++) {
            call[profile->site[i]] += (double)graph->nodes[i].time.sum + (double)polled[i];
            count[profile->site[i]] += (double)graph->nodes[i].time.count;
        }
        for (uint32_t i = 0; i < graph->node_count; i++)
            call[i] /= count[i] > 0 ? count[i] : 1;
        for (uint32_t i = 0; i < graph->node_count; i++)
            call[i] = call[profile->site[i]];
    }
    free(polled);
    free(count);
    return polled && count && call ? 0 : -ENOMEM;
}

static int number_nodes(struct efg_profile *profile)
{
    const struct efg_graph *graph = profile->graph;
    const struct efg_run_names *names = &profile->run->common.names;
    uint32_t most = 0;
    for (uint32_t i = 0; i < names->call_count; i++)
        most = names->calls[i].id > most ? names->calls[i].id : most;
    uint32_t *used = calloc((size_t)most + 2, sizeof *used);
    profile->number = calloc((size_t)graph->node_count + 1, sizeof *profile->number);
    for (uint32_t i = 0; used && profile->number && i < graph->node_count; i++) {
        uint32_t call = graph->nodes[i].signature.call, site = profile->site[i];
        if (!profile->number[site])
            profile->number[site] = ++used[call <= most ? call : most + 1];
        profile->number[i] = profile->number[site];
    }
    free(used);
    return used && profile->number ? 0 : -1;
}

/* Times of loops: their own calls, then the inner loops, which come later in the tree. */
static int sum_times(struct efg_profile *profile)
{
    const struct efg_program *program = &profile->program;
    uint32_t whole = profile->tree.count;
    double *time = profile->time = calloc((size_t)whole + 1, sizeof *time);
    double *iterations = profile->iterations = calloc((size_t)whole + 1, sizeof *iterations);
    if (!time || !iterations)
        return -ENOMEM;
    for (uint32_t i = 0; i < program->form_count; i++) {
        const struct efg_program_form *form = &program->forms[i];
        iterations[form->loop] += (double)form->count;
        for (uint32_t k = 0; k < form->size; k++) {
            const struct efg_program_item *item = &program->items[form->first + k];
            if (item->node != EFG_NONE)
                time[form->loop] += item->before + (double)item->repetitions * profile->call[item->node];
        }
    }
    for (uint32_t i = 0; i < profile->graph->node_count; i++)
        time[efg_program_loop_of(program, i)] +=
            program->of_node[i].before + (double)program->of_node[i].repetitions * profile->call[i];
    for (uint32_t i = whole; i-- > 0;) {
        uint32_t parent = profile->tree.loops[i].parent;
        iterations[i] += (double)program->of_loop[i].iterations;
        time[parent == EFG_NONE ? whole : parent] += time[i];
    }
    return 0;
}

int efg_profile_rest(const struct efg_profile *profile, uint32_t loop, uint32_t most,
                     struct efg_profile_rest *rest)
{
    const struct efg_program *program = &profile->program;
    *rest = (struct efg_profile_rest){.iterations = program->of_loop[loop].iterations};
    rest->of_node = calloc((size_t)profile->graph->node_count + 1, sizeof *rest->of_node);
    rest->of_loop = calloc((size_t)profile->tree.count + 1, sizeof *rest->of_loop);
    if (!rest->of_node || !rest->of_loop) {
        efg_profile_rest_fini(rest);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < profile->graph->node_count; i++)
        if (efg_program_loop_of(program, i) == loop) {
            rest->of_node[profile->site[i]].repetitions += program->of_node[i].repetitions;
            rest->of_node[profile->site[i]].before += program->of_node[i].before;
        }
    for (uint32_t i = 0; i < profile->tree.count; i++) {
        uint32_t parent = profile->tree.loops[i].parent;
        if ((parent == EFG_NONE ? profile->tree.count : parent) == loop)
            rest->of_loop[i] = program->of_loop[i];
    }
    for (uint32_t f = program->first_form[loop]; f != EFG_NONE; f = program->forms[f].next) {
        const struct efg_program_form *form = &program->forms[f];
        if (most) {
            most--;
            continue;
        }
        rest->iterations += form->count;
        for (uint32_t i = 0; i < form->size; i++) {
            const struct efg_program_item *item = &program->items[form->first + i];
            struct efg_program_rest *of =
                item->node == EFG_NONE ? &rest->of_loop[item->loop] : &rest->of_node[item->node];
            of->repetitions += item->repetitions;
            of->before += item->before;
        }
    }
    return 0;
}

void efg_profile_rest_fini(struct efg_profile_rest *rest)
{
    free(rest->of_node);
    free(rest->of_loop);
    memset(rest, 0, sizeof *rest);
}

void efg_profile_fini(struct efg_profile *profile)
{
    efg_program_fini(&profile->program);
    efg_looptree_fini(&profile->tree);
    free(profile->number);
    free(profile->call);
    free(profile->site);
    free(profile->time);
    free(profile->iterations);
}

static int complain_damage(void)
{
    return efg_profile_complain("run.efg is damaged: a sequence makes no sense, or there is no memory");
}

static int add_order(struct efg_profile *profile, const struct efg_run_sequence_thread *sequence,
                     uint64_t ranks)
{
    struct efg_expand expand;
    uint32_t node;
    uint64_t count;
    int found;
    efg_program_begin(&profile->program, ranks);
    efg_expand_init(&expand, sequence, profile->graph->node_count);
    while ((found = efg_expand_next(&expand, &node, &count)) > 0)
        efg_program_add(&profile->program, node, count);
    efg_expand_fini(&expand);
    return found ? complain_damage() : 0;
}

static uint64_t count_common(const struct efg_ranklist *a, const struct efg_ranklist *b)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < a->range_count; i++)
        for (uint32_t k = 0; k < a->ranges[i].count; k++)
            count += (uint64_t)efg_ranklist_has(b, a->ranges[i].first + k * a->ranges[i].stride);
    return count;
}

/* All orders that some of the profile's ranks have, each as often as there are such ranks. */
static int add_orders(struct efg_profile *profile, uint32_t thread)
{
    const struct efg_run *run = profile->run;
    struct efg_run_sequence sequence;
    char message[512];
    int failed = 0;
    for (uint32_t i = 0; i < run->common.order_count && !failed; i++) {
        const struct efg_ranklist *ranks = &run->common.orders[i].ranks;
        uint64_t count = count_common(ranks, profile->ranks);
        if (!count)
            continue;
        if (efg_runfile_sequence(run, ranks->ranges[0].first, &sequence, message, sizeof message))
            return efg_profile_complain(message);
        failed = thread < sequence.thread_count ? add_order(profile, &sequence.threads[thread], count)
                                                : complain_damage();
        efg_run_sequence_fini(&sequence);
    }
    return failed;
}

int efg_profile_make(struct efg_profile *profile, uint32_t thread)
{
    if (efg_summary_tree(&profile->tree, profile->run, profile->graph, profile->main) ||
        efg_program_init(&profile->program, profile->graph, &profile->tree, EFG_PROGRAM_ITEMS))
        return efg_profile_complain(NULL);
    if (add_orders(profile, thread))
        return EFG_TOLD;
    if (efg_program_close(&profile->program) || efg_profile_unite(profile) || number_nodes(profile) ||
        time_calls(profile) || sum_times(profile))
        return efg_profile_complain(NULL);
    return 0;
}
