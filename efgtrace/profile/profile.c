/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace profile: what the program does, as a program: the order of its calls as loops, with
 * mean times. Ranks with the same graph have one profile.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "model/groups.h"
#include "profile.h"

#define GROUPS_SHOWN 3
#define FORMS_SHOWN 3

enum { CODE, TEXT, LATEX, JSON };
#define FORMATS "code text latex json" /* their names */

struct request {
    const char *rank, *output, *dir; /* RANK NULL: all groups of ranks */
    struct efg_profile_style style;
    bool is_all;
    int format; /* CODE, TEXT, LATEX or JSON */
};

/* --- output --- */

struct output {
    struct efg_buffer text;
    struct cJSON *document;
    void (*put)(struct efg_buffer *, const struct efg_profile *, const struct efg_profile_style *);
};

static int put_thread(const struct request *request, struct output *out, struct efg_profile *profile,
                      uint32_t thread)
{
    int failed = efg_profile_make(profile, thread);
    if (!failed && out->document)
        efg_profile_json_add(out->document, profile);
    else if (!failed)
        out->put(&out->text, profile, &request->style);
    efg_profile_fini(profile);
    return failed;
}

/* --- a group of ranks --- */

/* RANK has the same graph as SUM. */
static void add_rank(struct efg_run_rank *sum, const struct efg_run_rank *rank)
{
    for (uint32_t k = 0; k < sum->thread_count && k < rank->thread_count; k++) {
        struct efg_graph *to = &sum->threads[k].graph;
        const struct efg_graph *from = &rank->threads[k].graph;
        for (uint32_t i = 0; i < to->node_count && i < from->node_count; i++) {
            efg_stat_unite(&to->nodes[i].time, &from->nodes[i].time);
            to->nodes[i].polls += from->nodes[i].polls;
            to->nodes[i].poll_time += from->nodes[i].poll_time;
        }
        for (uint32_t i = 0; i < to->edge_count && i < from->edge_count; i++) {
            efg_stat_unite(&to->edges[i].time, &from->edges[i].time);
            to->edges[i].spent += from->edges[i].spent;
        }
    }
}

/* RANKS, which have the same graph, summed into SUM. */
static int read_ranks(const struct efg_run *run, const struct efg_ranklist *ranks, struct efg_run_rank *sum)
{
    struct efg_run_rank rank;
    bool is_first = true;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        if (!efg_ranklist_has(ranks, run->ranks[i].rank))
            continue;
        if (efg_open_rank(run, "profile", i, is_first ? sum : &rank)) {
            if (!is_first)
                efg_run_rank_fini(sum);
            return EFG_TOLD;
        }
        if (!is_first) {
            add_rank(sum, &rank);
            efg_run_rank_fini(&rank);
        }
        is_first = false;
    }
    return is_first ? efg_profile_complain("run.efg is damaged: a group without ranks") : 0;
}

static int put_group(const struct request *request, const struct efg_run *run,
                     const struct efg_ranklist *ranks, struct output *out)
{
    struct efg_run_rank sum;
    int failed = 0;
    if (read_ranks(run, ranks, &sum))
        return EFG_TOLD;
    for (uint32_t k = 0; k < sum.thread_count && !failed; k++) {
        struct efg_profile profile = {.run = run,
                                      .ranks = ranks,
                                      .thread = sum.threads[k].number,
                                      .graph = &sum.threads[k].graph,
                                      .main = &sum.threads[k].loops.main};
        failed = put_thread(request, out, &profile, k);
    }
    efg_run_rank_fini(&sum);
    return failed;
}

/* --- all groups --- */

static bool has_order(const struct efg_run *run, uint32_t rank)
{
    for (uint32_t i = 0; i < run->common.order_count; i++)
        if (efg_ranklist_has(&run->common.orders[i].ranks, rank))
            return true;
    return false;
}

/* For each group of the run, those of its ranks that have an order: of all, or of the one with
 * the index ONLY. */
static int find_ranks(const struct efg_run *run, uint32_t only, struct efg_ranklist *of_group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        if ((only != EFG_NONE && i != only) || !has_order(run, run->ranks[i].rank))
            continue;
        if (efg_ranklist_add(&of_group[run->ranks[i].group], run->ranks[i].rank))
            return efg_profile_complain(NULL);
        count++;
    }
    return count ? 0
                 : efg_profile_complain("run.efg has no order of calls: the key `sequence` was "
                                        "off, or it could not be kept");
}

static int put_groups(const struct request *request, const struct efg_run *run,
                      const struct efg_group_size *groups, const struct efg_ranklist *of_group,
                      struct output *out)
{
    uint32_t most = request->is_all || out->document ? UINT32_MAX : GROUPS_SHOWN;
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->common.group_count; i++) {
        const struct efg_ranklist *ranks = &of_group[groups[i].index];
        if (ranks->range_count && count++ < most && put_group(request, run, ranks, out))
            return EFG_TOLD;
    }
    if (count > most)
        efg_buffer_print(&out->text,
                         "%s(%u more groups of ranks, with other graphs: --all or --rank shows "
                         "them)\n",
                         out->put == efg_profile_put_latex ? "% " : "\n", count - most);
    return 0;
}

static int put_run(const struct request *request, const struct efg_run *run, struct output *out)
{
    uint32_t only = request->rank ? efg_open_find(run, "profile", request->rank) : EFG_NONE;
    if (request->rank && only == EFG_NONE)
        return EFG_TOLD;
    struct efg_group_size *groups = efg_groups_sorted(run);
    struct efg_ranklist *of_group = calloc((size_t)run->common.group_count + 1, sizeof *of_group);
    int failed = groups && of_group ? find_ranks(run, only, of_group) : efg_profile_complain(NULL);
    if (!failed)
        failed = put_groups(request, run, groups, of_group, out);
    for (uint32_t i = 0; of_group && i < run->common.group_count; i++)
        efg_ranklist_fini(&of_group[i]);
    free(of_group);
    free(groups);
    return failed;
}

static int write_run(const struct request *request, const struct efg_run *run)
{
    struct output out = {.put = efg_profile_put_code};
    if (request->format == TEXT)
        out.put = efg_profile_put_text;
    if (request->format == LATEX)
        out.put = efg_profile_put_latex;
    if (request->format == JSON)
        out.document = efg_profile_json_begin(run);
    int failed = put_run(request, run, &out);
    if (out.document)
        efg_profile_json_end(&out.text, out.document);
    if (!failed && out.text.failed)
        failed = efg_profile_complain(NULL);
    if (!failed)
        failed = efg_output("profile", &out.text, request->output);
    efg_buffer_fini(&out.text);
    return failed;
}

static int profile(const struct request *request)
{
    struct efg_run run;
    if (efg_open_run(&run, "profile", request->dir))
        return EFG_EXIT_FAILED;
    int failed = write_run(request, &run);
    efg_run_fini(&run);
    return failed ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

/* --- arguments --- */

static const char *const help[] = {
    "Usage: efgtrace profile [OPTION...] DIR\n\n"
    "Writes what the ranks of the run that wrote DIR did as a program: their MPI calls in\n"
    "order, as loops and branches, with the time they take. Ranks with the same graph share\n"
    "one profile.\n\n"
    "  -r, --rank RANK    the profile of this rank only; default: the 3 most common ones\n"
    "  -a, --all          all groups of ranks, all forms of iterations, all calls\n"
    "  -t, --terse        as text: calls and loops only, no computation, no times\n"
    "  -n, --names        as text: calls named by function and line instead of by numbers\n"
    "  -f, --format code|text|latex|json\n"
    "                     default: by the extension of FILE, else code\n"
    "  -o, --output FILE  default, or -: standard output\n"
    "  -h, --help         this text\n\n"
    "   491 ms    1.2%  setup: 127 calls\n"
    "   39.6 s   98.3%  for 2000 times in Verlet::run {  * main loop\n"
    "  6.69 ms    0.0%      rest: 12 calls\n"
    "   24.3 s   60.4%      for 4 times in CommBrick::reverse_comm {\n"
    "   1.29 s    3.2%          compute\n"
    "   23.0 s   57.2%          CommBrick::reverse_comm < Verlet::run: Irecv, Send, Wait\n"
    "                       }\n"
    "   286 ms    0.7%      rest: 200 calls\n"
    "   12.7 s   31.5%      if 1899 of 2000 {\n"
    "   12.7 s   31.5%          for 4 times: CommBrick::forward_comm: Irecv, Send, Wait\n"
    "                       }\n"
    "   2.28 s    5.7%      if 100 of 2000 {\n"
    "   235 ms    0.6%          for 2 times: CommBrick::exchange < Verlet::run: Sendrecv, Irecv, Send, Wait\n"
    "   2.04 s    5.1%          for 4 times: CommBrick::borders < Verlet::run: Sendrecv, Irecv, Send, Wait\n"
    "                       }\n"
    "                   }\n"
    "   193 ms    0.5%  later: 49 calls\n\n"
    "Code: before each line how long it takes in the whole run, of one rank, the mean of the\n"
    "ranks, and which share of the run that is. Lines add up to that which they are in. The\n"
    "time of calls has the computation before them, unless that is 1% of the run: then it has\n"
    "a line. Loops are those of efgtrace report, and what comes in a row; \"if 100 of 2000\": so\n"
    "many of the iterations of the loop around it do this. Rest, setup and later: what takes\n"
    "less than 0.5% of the run; with --all there are none.\n\n"
    "  Bcast1 : 12.00 + CPU1 : 5.10 + (\n"
    "    Irecv1 : 0.20 + CPU2 : 0.11 + Send1[4] : 1.50 + CPU3 : 90.25 + Allreduce1 : 7.00\n"
    "  )[1000] : 103560.00\n\n"
    "Text: Allreduce1 is a call site, the first one of MPI_Allreduce; the list below the program\n"
    "says which. Send1[4] is called four times in a row, CPU2 is what the application does\n"
    "between two calls. The number after a colon is the mean time of one of them, in us;\n"
    "after a loop, the time of all its iterations each time it is reached. [3-9, mean 5.2]:\n"
    "the number varies. Where iterations of a loop differ in their calls, it has several\n"
    "forms, the most frequent first: ( 900 x { ... } | 100 x { ... } )[1000]. A loop that is in\n"
    "several places has a label, L1 = ( ... ), and is written once. Allreduce3..9: these call\n"
    "sites one after the other, outside all loops, with all between them; not with --all.\n"
    "Loops are those of efgtrace report, and anything else that comes at least twice in a\n"
    "row; for those with a label the list has the total of iterations on each rank.\n\n",
    efg_profile_json_help,
    "\nExit code: 0 done, 1 failed, 2 wrong usage.\n",
    NULL,
};

int efg_cmd_profile(int argc, char **argv)
{
    struct request request = {.format = -1};
    const struct efg_option options[] = {{"rank", 'r', .text = &request.rank},
                                         {"terse", 't', .flag = &request.style.is_terse},
                                         {"names", 'n', .flag = &request.style.has_names},
                                         {"all", 'a', .flag = &request.is_all},
                                         {"format", 'f', .choice = &request.format, .words = FORMATS},
                                         {"output", 'o', .text = &request.output},
                                         {0}};
    int code = efg_options_take("profile", options, help, 1, argc, argv);
    if (code < 0)
        code = efg_options_format("profile", FORMATS, &request.format, &request.output);
    if (code >= 0)
        return code;
    if (request.format == CODE && (request.style.is_terse || request.style.has_names))
        request.format = TEXT;
    request.style.forms = request.is_all ? UINT32_MAX : FORMS_SHOWN;
    request.dir = argv[optind];
    return profile(&request);
}
