/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Profiles as JSON; efg_profile_json_help is the schema.
 */
#include <stdio.h>

#include "cli/json.h"
#include "files/summary/summary.h"
#include "profile.h"

const char efg_profile_json_help[] =
    "JSON: one object. Times are ns.\n"
    "  format \"efgtrace-profile\", version 1, application, command, mpi\n"
    "  profiles [{ranks \"0-3\", rank_count, thread, calls, time (mean of a rank),\n"
    "             sites, loops, forms (of the whole)}]\n"
    "  sites    [{name \"Allreduce1\", call, hash, label, count (mean of a rank), time (mean)}];\n"
    "           first_round_of: the index of the site that stands for it in items, in time, too\n"
    "  loops    [{function, iterations, time (sums over the ranks), forms, rest}]\n"
    "  forms    [{count (iterations, of all ranks; of the whole: ranks), items}], falling\n"
    "  items    [{site or loop (indices), repetitions {mean min max} of each time,\n"
    "             before (mean time of the computation before it; not of a loop)}]\n"
    "  rest     iterations without a form, because there are too many\n"
    "  All forms are present, whatever the other options.\n";

static cJSON *make_item(const struct efg_program_item *item, double count)
{
    cJSON *to = cJSON_CreateObject();
    bool is_loop = item->node == EFG_NONE;
    cJSON_AddNumberToObject(to, is_loop ? "loop" : "site", is_loop ? item->loop : item->node);
    cJSON *repetitions = cJSON_AddObjectToObject(to, "repetitions");
    cJSON_AddNumberToObject(repetitions, "mean", (double)item->repetitions / count);
    cJSON_AddNumberToObject(repetitions, "min", (double)item->least);
    cJSON_AddNumberToObject(repetitions, "max", (double)item->most);
    if (!is_loop)
        cJSON_AddNumberToObject(to, "before", item->before / count);
    return to;
}

static void add_forms(cJSON *to, const struct efg_profile *profile, uint32_t loop)
{
    const struct efg_program *program = &profile->program;
    cJSON *forms = cJSON_AddArrayToObject(to, "forms");
    for (uint32_t f = program->first_form[loop]; f != EFG_NONE; f = program->forms[f].next) {
        const struct efg_program_form *form = &program->forms[f];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "count", (double)form->count);
        cJSON *items = cJSON_AddArrayToObject(object, "items");
        for (uint32_t i = 0; i < form->size; i++)
            cJSON_AddItemToArray(items, make_item(&program->items[form->first + i], (double)form->count));
        cJSON_AddItemToArray(forms, object);
    }
}

static cJSON *make_site(const struct efg_profile *profile, uint32_t id)
{
    const struct efg_node *node = &profile->graph->nodes[id];
    char text[512];
    cJSON *to = cJSON_CreateObject();
    snprintf(text, sizeof text, "%s%u", efg_profile_name(profile, id), profile->number[id]);
    efg_json_text(to, "name", text);
    efg_json_text(to, "call", efg_run_call_name(profile->run, node->signature.call));
    efg_json_hex(to, "hash", node->hash);
    efg_summary_node(profile->run, node, text, sizeof text);
    efg_json_text(to, "label", text);
    cJSON_AddNumberToObject(to, "count",
                            (double)node->time.count / (double)efg_ranklist_count(profile->ranks));
    cJSON_AddNumberToObject(to, "time", profile->call[id]);
    if (profile->site[id] != id)
        cJSON_AddNumberToObject(to, "first_round_of", profile->site[id]);
    return to;
}

static cJSON *make_loop(const struct efg_profile *profile, uint32_t loop)
{
    char function[256];
    cJSON *to = cJSON_CreateObject();
    efg_summary_function(profile->run, profile->graph, &profile->tree, loop, function, sizeof function);
    efg_json_text(to, "function", function);
    cJSON_AddNumberToObject(to, "iterations", profile->iterations[loop]);
    cJSON_AddNumberToObject(to, "time", profile->time[loop]);
    add_forms(to, profile, loop);
    cJSON_AddNumberToObject(to, "rest", (double)profile->program.of_loop[loop].iterations);
    return to;
}

cJSON *efg_profile_json_begin(const struct efg_run *run)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "format", "efgtrace-profile");
    cJSON_AddNumberToObject(document, "version", 1);
    efg_json_text(document, "application", run->application);
    efg_json_text(document, "command", run->command);
    efg_json_text(document, "mpi", run->mpi);
    cJSON_AddArrayToObject(document, "profiles");
    return document;
}

void efg_profile_json_add(cJSON *document, const struct efg_profile *profile)
{
    double count = (double)efg_ranklist_count(profile->ranks);
    cJSON *to = cJSON_CreateObject();
    efg_json_ranks(to, "ranks", profile->ranks);
    cJSON_AddNumberToObject(to, "rank_count", count);
    cJSON_AddNumberToObject(to, "thread", profile->thread);
    cJSON_AddNumberToObject(to, "calls", (double)profile->program.events / count);
    cJSON_AddNumberToObject(to, "time", profile->time[profile->tree.count] / count);
    cJSON *sites = cJSON_AddArrayToObject(to, "sites");
    for (uint32_t i = 0; i < profile->graph->node_count; i++)
        cJSON_AddItemToArray(sites, make_site(profile, i));
    cJSON *loops = cJSON_AddArrayToObject(to, "loops");
    for (uint32_t i = 0; i < profile->tree.count; i++)
        cJSON_AddItemToArray(loops, make_loop(profile, i));
    add_forms(to, profile, profile->tree.count);
    cJSON_AddItemToArray(cJSON_GetObjectItem(document, "profiles"), to);
}

void efg_profile_json_end(struct efg_buffer *out, cJSON *document)
{
    cJSON_AddBoolToObject(document, "complete", 1);
    efg_json_end(out, document, "complete");
}
