/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace stuck: looks twice at a running job, and says whether it hangs, whose fault that is, and what each
 * rank is doing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/none.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/options.h"
#include "cli/output.h"
#include "culprit.h"
#include "files/summary/summary.h"

#define EXIT_STUCK 3
#define FIRST_LOOK 500000000u /* ns: then all may have moved */

static const char *const help[] = {
    "Usage: efgtrace stuck [OPTION...] DIR\n\n"
    "Says whether the running job that writes to DIR hangs: which ranks cannot go on, who waits\n"
    "for whom, and on which rank it depends. Nothing is asked of the job: its ranks show what they\n"
    "do in DIR/live (the key `live`), and on their own host the kernel knows more. Run it there.\n\n"
    "  -t, --time SECONDS  look on for so long (default 3); less if all ranks move\n"
    "  -h, --help          this text\n\n"
    "Exit code: 0 not stuck, 3 stuck, 1 there is nothing to look at, 2 wrong usage.\n",
    NULL,
};

/* Threads that do the same. */
struct row {
    char text[400];
    struct efg_ranklist ranks;
    uint64_t age; /* ns, the longest */
};

struct rows {
    struct row *list;
    uint32_t count;
    bool failed;
};

/* --- what each rank does --- */

struct waits {
    const struct efg_await *await;
    struct efg_ranklist ranks;
};

static bool add_awaited(void *context, uint32_t other)
{
    struct waits *waits = context;
    struct efg_ranklist one = {0};

    efg_ranklist_add(&one, waits->await->wheres->list[other].rank->last.part.rank);
    efg_ranklist_unite(&waits->ranks, &one);
    efg_ranklist_fini(&one);
    return false;
}

static void describe(const struct efg_await *await, uint32_t i, char *text, size_t size)
{
    const struct efg_where *w = &await->wheres->list[i];
    struct waits waits = {await, {0}};
    char place[160] = "", doing[200], ranks[60], thread[24] = "";

    efg_culprit_doing(w, doing, sizeof doing);
    if (w->doing == EFG_IN_CALL)
        efg_look_place(await->look, w->rank, w->call->path, place, sizeof place);
    if (w->doing != EFG_MOVES && w->doing != EFG_POLLS)
        efg_await_each(await, i, add_awaited, &waits);
    efg_ranklist_print(&waits.ranks, ranks, sizeof ranks);
    if (w->thread)
        snprintf(thread, sizeof thread, "thread %u ", w->thread);
    snprintf(text, size, "%s%s%s%s%s%s", thread, doing, *place ? ", in " : "", place,
             *ranks ? "; waits for " : "", ranks);
    efg_ranklist_fini(&waits.ranks);
}

static void add_row(struct rows *rows, const struct efg_where *w, const char *text)
{
    struct row *row = rows->list;

    while (row && row < rows->list + rows->count && strcmp(row->text, text) != 0)
        row++;
    if (!row || row == rows->list + rows->count) {
        if (efg_array_grow(&rows->list, rows->count, 1, sizeof *row) != 0) {
            rows->failed = true;
            return;
        }
        row = &rows->list[rows->count++];
        *row = (struct row){0};
        snprintf(row->text, sizeof row->text, "%s", text);
    }
    efg_ranklist_add(&row->ranks, w->rank->last.part.rank);
    if (w->age > row->age)
        row->age = w->age;
}

static void print_rows(struct efg_buffer *out, const struct efg_await *await)
{
    struct rows rows = {0};
    char text[400], ranks[24], age[16], head[60];

    for (uint32_t i = 0; i < await->wheres->count; i++) {
        describe(await, i, text, sizeof text);
        add_row(&rows, &await->wheres->list[i], text);
    }
    efg_buffer_print(out, "%-12s %8s  %s\n", "Ranks", "for", "what they do");
    for (uint32_t r = 0; r < rows.count; r++) {
        struct row *row = &rows.list[r];
        efg_ranklist_print(&row->ranks, ranks, sizeof ranks);
        efg_format_ns(age, sizeof age, row->age);
        snprintf(head, sizeof head, "%-12s %8s  ", ranks, strcmp(row->text, "moves") == 0 ? "" : age);
        efg_summary_wrap(out, head, row->text);
        efg_ranklist_fini(&row->ranks);
    }
    free(rows.list);
}

/* --- the verdict --- */

static uint64_t longest_wait(const struct efg_await *await)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < await->wheres->count; i++)
        if (!await->goes_on[i] && await->wheres->list[i].age > longest)
            longest = await->wheres->list[i].age;
    return longest;
}

static void print_verdict(struct efg_buffer *out, const struct efg_await *await,
                          const struct efg_culprit *culprit)
{
    char ranks[100], age[16], head[128];

    efg_format_ns(age, sizeof age, longest_wait(await));
    efg_ranklist_print(&culprit->ranks, ranks, sizeof ranks);
    efg_buffer_print(out, "Stuck        for %s\n", age);
    snprintf(head, sizeof head,
             "Culprit      %s %s: ", efg_ranklist_count(&culprit->ranks) > 1 ? "ranks" : "rank", ranks);
    efg_summary_wrap(out, head, (const char *)culprit->why.data);
}

static int judge(struct efg_look *look, const struct efg_wheres *wheres)
{
    struct efg_await await = {0};
    struct efg_culprit culprit = {0};
    struct efg_buffer out = {0};

    if (efg_look_learn(look) != 0 || efg_await_find(&await, look, wheres) != 0)
        return efg_complain(look->command, "not enough memory");
    bool is_stuck = efg_culprit_find(&culprit, &await);
    if (is_stuck)
        print_verdict(&out, &await, &culprit);
    else
        efg_buffer_print(&out, "Not stuck\n");
    if (look->rank_count < look->size)
        efg_buffer_print(&out, "Only %u of %u ranks are shown: what the others do is not known\n",
                         look->rank_count, look->size);
    print_rows(&out, &await);
    efg_culprit_fini(&culprit);
    efg_await_fini(&await);
    int error = efg_output(look->command, &out, NULL);
    efg_buffer_fini(&out);
    return error ? error : is_stuck ? EXIT_STUCK : EFG_EXIT_OK;
}

static bool has_all_moved(const struct efg_wheres *wheres)
{
    for (uint32_t i = 0; i < wheres->count; i++)
        if (wheres->list[i].doing != EFG_MOVES)
            return false;
    return true;
}

/* Look again after NS. Returns the exit code; -1: some have not moved. */
static int look_after(struct efg_look *look, uint64_t ns, bool is_last)
{
    struct efg_wheres wheres = {0};
    int code = -1;

    efg_look_wait(ns);
    if (!efg_look_again(look)) {
        printf("The job has ended\n");
        return EFG_EXIT_OK;
    }
    if (efg_where_find(&wheres, look) != 0)
        code = efg_complain(look->command, "not enough memory");
    else if (is_last || has_all_moved(&wheres))
        code = judge(look, &wheres);
    free(wheres.list);
    return code == EFG_TOLD ? EFG_EXIT_FAILED : code;
}

int efg_cmd_stuck(int argc, char **argv)
{
    uint64_t seconds = 3;
    struct efg_look look;
    const struct efg_option options[] = {{"time", 't', .number = &seconds, .least = 1}, {0}};
    int code = efg_options_take("stuck", options, help, 1, argc, argv);

    if (code >= 0)
        return code;
    efg_output_for_people();
    code = efg_look_open(&look, "stuck", argv[optind]) ? EFG_EXIT_FAILED : -1;
    if (code < 0)
        code = look_after(&look, FIRST_LOOK, false);
    if (code < 0)
        code = look_after(&look, seconds * 1000000000u - FIRST_LOOK, true);
    efg_look_close(&look);
    return code;
}
