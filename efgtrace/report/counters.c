/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was counted: in an iteration, between the calls, and in them. As text and as JSON.
 */
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/text.h"
#include "files/summary/summary.h"
#include "json.h"
#include "tables.h"

#define COLUMNS 3 /* counters in a table */

/* --- text --- */

static double mean(uint64_t sum, uint64_t count)
{
    return count ? (double)sum / (double)count : 0;
}

static void put_total(struct efg_buffer *out, const struct efg_counter_total *t)
{
    char all[32], recorded[32], calls[32], between[32];
    efg_format_counted(all, sizeof all, t->name, mean(t->all, t->all_count));
    efg_format_counted(recorded, sizeof recorded, t->name, mean(t->recorded, t->recorded_count));
    efg_format_counted(calls, sizeof calls, t->name, (double)t->calls);
    efg_format_counted(between, sizeof between, t->name, (double)t->between);
    efg_summary_line(out, "%14s %14s %14s %14s  %s", between, calls, t->all_count ? all : "-",
                     t->recorded_count ? recorded : "-", t->name);
}

/* One that both IPC and its table need: its value, or 0. */
static double value_of(const struct efg_counted *counted, const struct efg_counted_item *item,
                       const char *name)
{
    int k = efg_counted_find(counted, name);
    return k < 0 ? 0 : (double)item->value[k];
}

static void name_item(const struct efg_run *run, const struct efg_counted_site *site, char *text, size_t size)
{
    struct efg_node node = {.signature = site->signature, .flags = site->flags};
    efg_summary_node(run, &node, text, size);
}

static void put_item(struct efg_buffer *out, const struct efg_model *model,
                     const struct efg_counted_item *item, unsigned first, bool has_ipc)
{
    const struct efg_counted *counted = &model->counted;
    char line[256], value[32], from[256], to[256];
    size_t used = 0;
    double cycles = value_of(counted, item, "cycles");
    for (unsigned k = first; k < counted->width && k < first + COLUMNS; k++) {
        efg_format_counted(value, sizeof value, counted->name[k], (double)item->value[k]);
        used += (size_t)snprintf(line + used, sizeof line - used, "%17s", value);
    }
    if (has_ipc)
        snprintf(line + used, sizeof line - used, " %5.2f",
                 cycles > 0 ? value_of(counted, item, "instructions") / cycles : 0);
    name_item(&model->run, &item->to, to, sizeof to);
    name_item(&model->run, &item->from, from, sizeof from);
    if (item->is_between)
        efg_summary_line(out, "%s  %.*s to %s", line, (int)strcspn(from, " "), from, to);
    else
        efg_summary_line(out, "%s  %s", line, to);
}

static bool has_both(const struct efg_counted *counted)
{
    return efg_counted_find(counted, "cycles") >= 0 && efg_counted_find(counted, "instructions") >= 0;
}

/* Of a long name the end: before :: is what many have in common. */
static const char *short_name(const char *name)
{
    const char *colons = strstr(name, "::");
    return strlen(name) > 16 && colons ? colons + 2 : name;
}

static void put_head(struct efg_buffer *out, const struct efg_counted *counted, unsigned first, bool has_ipc)
{
    for (unsigned k = first; k < counted->width && k < first + COLUMNS; k++)
        efg_buffer_print(out, "%17.16s", short_name(counted->name[k]));
    efg_buffer_print(out, "%s\n", has_ipc ? "   IPC" : "");
}

static void put_items(struct efg_buffer *out, const struct efg_model *model, bool is_between, uint32_t most)
{
    const struct efg_counted *counted = &model->counted;
    bool has_ipc = has_both(counted);
    for (unsigned first = 0; first < counted->width; first += COLUMNS) {
        uint32_t lines = 0;
        put_head(out, counted, first, has_ipc && !first);
        for (uint32_t i = 0; i < counted->count; i++) {
            if (counted->items[i].is_between != is_between)
                continue;
            if (lines++ < most)
                put_item(out, model, &counted->items[i], first, has_ipc && !first);
        }
        efg_text_rest(out, lines, most);
    }
}

/* In an iteration of each loop, on average. */
static void put_loop(struct efg_buffer *out, const struct efg_model *model, uint32_t l, unsigned first,
                     bool has_ipc)
{
    const struct efg_counted *counted = &model->counted;
    const struct efg_counted_loop *loop = &counted->loops[l];
    char line[256], value[32], name[512];
    size_t used = 0;
    for (unsigned k = first; k < counted->width && k < first + COLUMNS; k++) {
        efg_format_counted(value, sizeof value, counted->name[k], loop->value[k] / loop->iterations);
        used += (size_t)snprintf(line + used, sizeof line - used, "%17s", value);
    }
    if (has_ipc)
        snprintf(line + used, sizeof line - used, " %5.2f", efg_counted_ipc(counted, loop->value));
    efg_summary_loop_label(&model->run, &model->merged.graph, &model->merged.tree, l, name, sizeof name);
    efg_summary_line(out, "%s  %*s%s%s", line, 2 * (int)model->merged.tree.loops[l].depth, "", name,
                     l == model->merged.tree.main ? " *" : "");
}

static void put_loops(struct efg_buffer *out, const struct efg_model *model, uint32_t most)
{
    const struct efg_counted *counted = &model->counted;
    const struct efg_looptree *tree = &model->merged.tree;
    for (unsigned first = 0; first < counted->width; first += COLUMNS) {
        uint32_t lines = 0;
        put_head(out, counted, first, has_both(counted) && !first);
        for (uint32_t l = efg_looptree_next(tree, EFG_NONE); l != EFG_NONE; l = efg_looptree_next(tree, l))
            if (counted->loops[l].iterations > 0 && lines++ < most)
                put_loop(out, model, l, first, has_both(counted) && !first);
        efg_text_rest(out, lines, most);
    }
}

void efg_report_counters(struct efg_buffer *out, const struct efg_model *model, uint32_t most)
{
    struct efg_counter_total totals[EFG_COUNTER_TOTALS];
    unsigned count = efg_counter_totals_read(totals, model->run.common.totals.counters);
    if (!count)
        return;
    efg_text_title(out, "Counters, all ranks: between calls, in them, and in an iteration");
    efg_buffer_print(out, " between calls       in calls   an iteration       recorded  counter\n");
    for (unsigned i = 0; i < count; i++)
        put_total(out, &totals[i]);
    if (model->counted.loops && model->merged.tree.count) {
        efg_text_title(out, "Counters in an iteration of each loop (* the main loop)");
        put_loops(out, model, most);
    }
    efg_text_title(out, "Counters between calls, all ranks");
    put_items(out, model, true, most);
    efg_text_title(out, "Counters in calls, all ranks");
    put_items(out, model, false, most);
}

/* --- JSON --- */

static void add_total(cJSON *to, const struct efg_counter_total *t)
{
    cJSON *total = cJSON_CreateObject();
    efg_json_text(total, "name", t->name);
    efg_json_number(total, "ranks", t->ranks);
    efg_json_number(total, "between", t->between);
    efg_json_number(total, "in_calls", t->calls);
    efg_json_number(total, "iterations", t->all_count);
    efg_json_number(total, "in_iterations", t->all);
    efg_json_number(total, "recorded", t->recorded_count);
    efg_json_number(total, "in_recorded", t->recorded);
    cJSON_AddItemToArray(to, total);
}

static void add_site(cJSON *to, const struct efg_run *run, const char *label, const char *hash,
                     const struct efg_counted_site *site)
{
    char name[512];
    name_item(run, site, name, sizeof name);
    efg_json_text(to, label, name);
    efg_json_hex(to, hash, site->hash);
}

static void add_item(cJSON *to, const struct efg_model *model, const struct efg_counted_item *item)
{
    cJSON *one = cJSON_CreateObject(), *values;
    if (item->is_between) {
        add_site(one, &model->run, "from", "from_hash", &item->from);
        add_site(one, &model->run, "to", "to_hash", &item->to);
    } else {
        add_site(one, &model->run, "label", "hash", &item->to);
    }
    efg_json_number(one, "count", item->visits);
    efg_json_number(one, "time", item->time);
    values = cJSON_AddArrayToObject(one, "values");
    for (unsigned k = 0; k < model->counted.width; k++)
        cJSON_AddItemToArray(values, cJSON_CreateNumber((double)item->value[k]));
    cJSON_AddItemToArray(to, one);
}

void efg_report_json_counted_loop(cJSON *loop, const struct efg_model *model, uint32_t l)
{
    const struct efg_counted *counted = &model->counted;
    const struct efg_counted_loop *of = counted->loops ? &counted->loops[l] : NULL;
    if (!of || of->iterations <= 0)
        return;
    cJSON *each = cJSON_AddObjectToObject(loop, "counters");
    for (unsigned k = 0; k < counted->width; k++)
        cJSON_AddNumberToObject(each, counted->name[k], of->value[k] / of->iterations);
    if (has_both(counted))
        cJSON_AddNumberToObject(each, "ipc", efg_counted_ipc(counted, of->value));
}

void efg_report_json_counters(cJSON *document, const struct efg_model *model, uint32_t most)
{
    struct efg_counter_total totals[EFG_COUNTER_TOTALS];
    unsigned count = efg_counter_totals_read(totals, model->run.common.totals.counters);
    if (!count)
        return;
    cJSON *counters = cJSON_AddObjectToObject(document, "counters");
    cJSON *all = cJSON_AddArrayToObject(counters, "totals"),
          *names = cJSON_AddArrayToObject(counters, "names");
    for (unsigned i = 0; i < count; i++)
        add_total(all, &totals[i]);
    for (unsigned k = 0; k < model->counted.width; k++)
        cJSON_AddItemToArray(names, cJSON_CreateString(model->counted.name[k]));
    cJSON *between = cJSON_AddArrayToObject(counters, "between");
    cJSON *calls = cJSON_AddArrayToObject(counters, "in_calls");
    for (uint32_t i = 0; i < model->counted.count && i < most; i++)
        add_item(model->counted.items[i].is_between ? between : calls, model, &model->counted.items[i]);
    if (model->counted.count > most)
        efg_json_number(counters, "left_out", model->counted.count - most);
}
