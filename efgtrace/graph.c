/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace graph: writes the event flow graph of a rank, in one of three formats. All of it is
 * made in memory first, so that a file appears whole or not at all.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "files/nearest.h"
#include "files/summary.h"
#include "graph_formats.h"
#include "open.h"

static const struct format {
    const char *name;
    void (*put)(struct efg_buffer *out, const struct efg_graph_view *view);
} formats[] = {{"dot", efg_graph_put_dot},
               {"json", efg_graph_put_json},
               {"graphml", efg_graph_put_graphml},
               {0}};

struct request {
    const struct format *format;
    const char *rank, *output, *dir; /* rank NULL: the one that stands for the run */
};

/* --- text --- */

/* Bytes of the UTF-8 character at TEXT, 0 if it is none that XML and JSON may hold. */
static size_t character(const unsigned char *text)
{
    static const struct {
        unsigned char mask, lead, low, high;
    } kinds[] = {{0xe0, 0xc0, 0xc2, 0xdf}, {0xf0, 0xe0, 0xe0, 0xef}, {0xf8, 0xf0, 0xf0, 0xf4}};
    if (*text < 0x80)
        return *text >= ' ' && *text != 0x7f;
    for (size_t more = 1; more <= 3; more++) {
        if ((*text & kinds[more - 1].mask) != kinds[more - 1].lead)
            continue;
        if (*text < kinds[more - 1].low || *text > kinds[more - 1].high)
            return 0;
        for (size_t i = 1; i <= more; i++) {
            if ((text[i] & 0xc0) != 0x80)
                return 0;
        }
        unsigned second = text[1];
        int wrong = (*text == 0xe0 && second < 0xa0) || (*text == 0xed && second > 0x9f) ||
                    (*text == 0xf0 && second < 0x90) || (*text == 0xf4 && second > 0x8f) ||
                    (*text == 0xef && second == 0xbf && text[2] >= 0xbe);
        return wrong ? 0 : more + 1;
    }
    return 0;
}

char *efg_graph_clean(char *text)
{
    for (char *at = text; *at;) {
        size_t size = character((const unsigned char *)at);
        if (!size)
            *at = '?';
        at += size ? size : 1;
    }
    return text;
}

/* --- writing --- */

static int write_out(const struct efg_buffer *out, const char *path)
{
    FILE *file = path ? fopen(path, "w") : stdout;
    int written = file && fwrite(out->data, 1, out->size, file) == out->size;
    if (path && file && fclose(file))
        written = 0;
    if (!written)
        fprintf(stderr, "efgtrace graph: cannot write %s: %s\n",
                path ? path : "standard output", strerror(errno));
    return written ? EFG_EXIT_OK : EFG_EXIT_FAILED;
}

static int write_graph(const struct request *request, struct efg_graph_view *view)
{
    struct efg_buffer out = {0};
    int code = EFG_EXIT_FAILED;
    if (!efg_looptree_build(&view->tree, &view->thread->graph))
        request->format->put(&out, view);
    else
        out.failed = 1;
    if (out.failed)
        fprintf(stderr, "efgtrace graph: no memory for the graph of rank %u\n",
                view->rank->rank);
    else
        code = write_out(&out, request->output);
    efg_looptree_fini(&view->tree);
    efg_buffer_fini(&out);
    return code;
}

static int draw(const struct request *request, const struct efg_run *run,
                const struct efg_run_rank *rank)
{
    struct efg_graph_view view = {.run = run, .rank = rank};
    view.thread = efg_run_rank_thread(rank);
    if (view.thread)
        return write_graph(request, &view);
    fprintf(stderr, "efgtrace graph: rank %u left no graph in %s\n", rank->rank, request->dir);
    return EFG_EXIT_FAILED;
}

static int graph(const struct request *request)
{
    struct efg_run run;
    struct efg_run_rank rank;
    int code = EFG_EXIT_FAILED;
    if (efg_open_run(&run, "graph", request->dir))
        return EFG_EXIT_FAILED;
    if (request->rank || !run.rank_count) {
        uint32_t index = efg_open_find(&run, "graph", request->rank ? request->rank : "0");
        if (index != EFG_NONE && !efg_open_rank(&run, "graph", index, &rank)) {
            code = draw(request, &run, &rank);
            efg_run_rank_fini(&rank);
        }
    } else {
        code = draw(request, &run, &run.speaker);
    }
    efg_run_fini(&run);
    return code;
}

/* --- arguments --- */

static void print_help(FILE *out)
{
    fputs(
        "Usage: efgtrace graph [-f FORMAT] [-r RANK] [-o FILE] DIR\n\n"
        "Writes the event flow graph of a rank of the run that wrote DIR: nodes are MPI calls\n"
        "by call site, edges are transitions with the time between the calls.\n\n"
        "  -f, --format dot|json|graphml   dot: for graphviz, loops as boxes, colour by time "
        "in\n"
        "                                  MPI, width of edges by count (default)\n"
        "  -r, --rank RANK                 default: the rank with the most time in the main "
        "loop\n"
        "  -o, --output FILE               default: standard output\n"
        "  -h, --help                      this text\n\n"
        "For example: efgtrace graph DIR | dot -Tsvg -o graph.svg\n\n",
        out);
    fputs(efg_graph_json_help, out);
    fputs("\nExit code: 0 done, 1 failed, 2 wrong usage.\n", out);
}

static int set_format(struct request *request, const char *name)
{
    struct efg_nearest nearest = {.word = name};
    for (const struct format *f = formats; f->name; f++) {
        efg_nearest_offer(&nearest, f->name);
        if (!strcmp(f->name, name)) {
            request->format = f;
            return 0;
        }
    }
    fprintf(stderr, "efgtrace graph: there is no format \"%s\": dot, json, graphml", name);
    if (nearest.best)
        fprintf(stderr, "; did you mean \"%s\"?", nearest.best);
    fputs("\n", stderr);
    return EFG_EXIT_USAGE;
}

/* Returns 0 to go on, else the exit code + 1. */
static int take_option(struct request *request, int option, char **argv)
{
    switch (option) {
    case 'f':
        return set_format(request, optarg) ? EFG_EXIT_USAGE + 1 : 0;
    case 'r':
        request->rank = optarg;
        return 0;
    case 'o':
        request->output = optarg;
        return 0;
    case 'h':
        print_help(stdout);
        return EFG_EXIT_OK + 1;
    default:
        fprintf(stderr, "efgtrace graph: %s \"%s\"; see `efgtrace graph --help`\n",
                option == ':' ? "a value is missing after" : "there is no option",
                argv[optind - 1]);
        return EFG_EXIT_USAGE + 1;
    }
}

int efg_cmd_graph(int argc, char **argv)
{
    static const struct option options[] = {{"format", required_argument, NULL, 'f'},
                                            {"rank", required_argument, NULL, 'r'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct request request = {.format = formats};
    optind = 0;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":f:r:o:h", options, NULL)) != -1;) {
        int code = take_option(&request, c, argv);
        if (code)
            return code - 1;
    }
    if (optind + 1 != argc) {
        fprintf(stderr,
                "efgtrace graph: %s; usage: efgtrace graph [-f FORMAT] [-r RANK] [-o FILE] "
                "DIR\n",
                optind == argc ? "which run? DIR is missing" : "one DIR at a time");
        return EFG_EXIT_USAGE;
    }
    request.dir = argv[optind];
    return graph(&request);
}
