/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace graph: writes the event flow graph of the run, merged over its ranks or some of
 * them, as text for other programs or as a picture. All of it is made in memory first, so that
 * a file appears whole or not at all.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "files/conf/conf.h"
#include "formats.h"
#include "model/groups.h"
#include "model/model.h"
#include "render.h"

static const struct format {
    const char *name;
    void (*put)(struct efg_buffer *out, const struct efg_model *model, bool all);
    bool is_picture; /* that dot makes of what is put */
} formats[] = {{"dot", efg_graph_put_dot, false},
               {"svg", efg_graph_put_dot, true},
               {"png", efg_graph_put_dot, true},
               {"pdf", efg_graph_put_dot, true},
               {"json", efg_graph_put_json, false}};
#define FORMATS "dot svg png pdf json" /* their names */

struct request {
    const char *dir;
    const struct format *format;
    const char *ranks, *group; /* neither of them: all */
    const char *signature;     /* NULL: as it was recorded; else DIMENSIONS */
    unsigned dimensions;
    const char *output; /* NULL: standard output */
    bool all;           /* nothing is drawn as one */
};

static int complain(const char *what)
{
    efg_complain("graph", what);
    return EFG_EXIT_FAILED;
}

/* --- writing --- */

static int draw(const struct request *request, const struct efg_buffer *dot, struct efg_buffer *picture)
{
    if (!request->output && isatty(STDOUT_FILENO) && strcmp(request->format->name, "svg"))
        return complain("a picture cannot be shown on a terminal: write it with --output FILE");
    return efg_render("graph", dot, request->format->name, picture) ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

static int write_graph(const struct request *request, const struct efg_model *model)
{
    struct efg_buffer text = {0}, picture = {0};
    int code = EFG_EXIT_OK;
    request->format->put(&text, model, request->all);
    if (request->format->is_picture && !text.failed)
        code = draw(request, &text, &picture);
    if (text.failed || picture.failed)
        code = complain("no memory for the graph");
    if (code == EFG_EXIT_OK)
        code = efg_output("graph", request->format->is_picture ? &picture : &text, request->output)
                   ? EFG_EXIT_FAILED
                   : EFG_EXIT_OK;
    efg_buffer_fini(&text);
    efg_buffer_fini(&picture);
    return code;
}

/* --- which ranks, in which detail --- */

static int choose_group(const struct efg_run *run, const char *text, char *is_wanted)
{
    struct efg_group_size *groups = efg_groups_sorted(run);
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    bool is_there = *text >= '0' && *text <= '9' && !*end && number >= 1 && number <= run->common.group_count;
    if (!groups)
        complain("no memory for the groups of ranks");
    else if (!is_there)
        fprintf(stderr,
                "efgtrace graph: there is no group \"%s\": groups are numbered from 1 to %u, see "
                "`efgtrace report`\n",
                text, run->common.group_count);
    for (uint32_t i = 0; groups && is_there && i < run->rank_count; i++)
        is_wanted[i] = run->ranks[i].group == groups[number - 1].index;
    free(groups);
    return groups && is_there ? 0 : EFG_TOLD;
}

static int choose(const struct request *request, const struct efg_run *run, char *is_wanted)
{
    if (request->ranks || !run->rank_count)
        return efg_open_choose(run, "graph", request->ranks ? request->ranks : "0", is_wanted);
    if (request->group)
        return choose_group(run, request->group, is_wanted);
    memset(is_wanted, 1, run->rank_count);
    return 0;
}

/* Sizes tell their classes. */
static unsigned with_classes(unsigned dimensions)
{
    return dimensions & EFG_DIM_SIZE ? dimensions | EFG_DIM_SIZE_CLASS : dimensions;
}

/* What is asked for must have been recorded, or something finer. */
static int check_signature(const struct request *request, const struct efg_run *run)
{
    unsigned missing = request->dimensions & ~with_classes(efg_merged_dimensions(run));
    if (!request->signature || !missing)
        return 0;
    fprintf(stderr, "efgtrace graph: %s has not all of --signature %s: %s\n", request->dir,
            request->signature,
            missing & with_classes(run->dimensions)
                ? "it was dropped for want of memory; record with a larger EFGTRACE_MEMORY"
                : "record with it as EFGTRACE_SIGNATURE");
    return EFG_TOLD;
}

static int merge(const struct request *request, struct efg_model *model, const char *is_wanted)
{
    unsigned parts = request->format->put == efg_graph_put_dot ? EFG_MODEL_CONTEXTS : 0;
    unsigned dimensions = request->signature ? request->dimensions : efg_merged_dimensions(&model->run);
    if (check_signature(request, &model->run) || efg_model_read(model, is_wanted, dimensions, parts))
        return EFG_EXIT_FAILED;
    model->run.dimensions = dimensions; /* what names of nodes tell */
    if (model->merged.rank_count)
        return write_graph(request, model);
    fprintf(stderr, "efgtrace graph: these ranks left no graph in %s\n", request->dir);
    return EFG_EXIT_FAILED;
}

static int graph(const struct request *request)
{
    struct efg_model model;
    int code = EFG_EXIT_FAILED;
    if (efg_model_open(&model, "graph", request->dir))
        return EFG_EXIT_FAILED;
    char *is_wanted = calloc((size_t)model.run.rank_count + 1, 1);
    if (!is_wanted)
        complain("no memory for the list of ranks");
    else if (!choose(request, &model.run, is_wanted))
        code = merge(request, &model, is_wanted);
    free(is_wanted);
    efg_model_fini(&model);
    return code;
}

/* --- arguments --- */

static const char *const help[] = {
    "Usage: efgtrace graph [OPTION...] DIR\n\n"
    "Writes the event flow graph of the run that wrote DIR, merged over its ranks: nodes are MPI\n"
    "calls by call site, edges are transitions with the time between the calls. Each has\n"
    "the count per rank, and the ranks unless it is all of them: \"9 x (0, 2)\".\n\n"
    "  -f, --format dot|svg|png|pdf|json\n"
    "                          dot: for Graphviz, loops as boxes, colour by time in MPI, width of\n"
    "                          edges by count; svg, png, pdf: as dot draws it, if it is installed;\n"
    "                          default: by the extension of FILE, else dot\n"
    "  -r, --rank LIST         only these ranks, for example 2 or 0,4-7; default: all\n"
    "  -g, --group N           the ranks with the same graph that `efgtrace report` calls group N\n"
    "  -s, --signature WORDS   tell calls apart only by these: none, or some of path,\n"
    "                          size-class or size, partner, communicator, region, element;\n"
    "                          default: all\n"
    "                          that was recorded\n"
    "  -a, --all               draw each call; default: calls that take little time share boxes,\n"
    "                          so that it is a picture to look at: some 25 boxes\n"
    "  -o, --output FILE       default, or -: standard output\n"
    "  -h, --help              this text\n\n"
    "For example: efgtrace graph -o graph.svg DIR\n\n",
    efg_graph_json_help,
    "Exit code: 0 done, 1 failed, 2 wrong usage.\n",
    NULL,
};

static int set_signature(struct request *request)
{
    struct efg_conf wanted;
    char message[256];
    efg_conf_default(&wanted);
    if (efg_conf_set(&wanted, "signature", request->signature, "option --signature", message,
                     sizeof message)) {
        complain(message);
        return EFG_EXIT_USAGE;
    }
    request->dimensions = wanted.signature;
    return 0;
}

int efg_cmd_graph(int argc, char **argv)
{
    struct request request = {0};
    int format = -1;
    const struct efg_option options[] = {{"format", 'f', .choice = &format, .words = FORMATS},
                                         {"rank", 'r', .text = &request.ranks},
                                         {"group", 'g', .text = &request.group},
                                         {"signature", 's', .text = &request.signature},
                                         {"all", 'a', .flag = &request.all},
                                         {"output", 'o', .text = &request.output},
                                         {0}};
    int code = efg_options_take("graph", options, help, 1, argc, argv);
    if (code < 0)
        code = efg_options_format("graph", FORMATS, &format, &request.output);
    if (code >= 0)
        return code;
    if (request.ranks && request.group)
        return efg_complain_usage("graph", "either --rank or --group");
    request.dir = argv[optind];
    request.format = &formats[format];
    if (request.signature && set_signature(&request))
        return EFG_EXIT_USAGE;
    return graph(&request);
}
