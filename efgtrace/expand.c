/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace expand: all calls of the run in their order, from the sequences in the run file, as
 * text or as an OTF2 trace. They are written as they are read; nothing grows with their number.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "expand_iteration.h"
#include "files/disk/below.h"
#include "files/otf2/otf2.h"
#include "files/run/expand.h"
#include "files/summary/summary.h"

#define FULL 65536 /* bytes that are written at once */

enum { TEXT, TRACE };
#define FORMATS "text otf2" /* their names */

struct request {
    const char *dir, *output;  /* OUTPUT: the folder of an OTF2 trace; of text NULL for standard output */
    const char *ranks;         /* NULL: all */
    uint64_t thread, from, to; /* THREAD: UINT64_MAX for all; calls from 1, TO the last one */
    uint64_t iteration;        /* UINT64_MAX: the whole run */
    bool paths;
    int format; /* TEXT or TRACE */
};

struct output {
    struct efg_buffer text;
    int file;
    bool is_closed; /* nobody reads any more */
    int error;
};

/* --- output --- */

static void flush(struct output *out)
{
    if (!out->is_closed && !out->error)
        out->error = -efg_write_all(out->file, out->text.data, out->text.size, EFG_IO_NEXT);
    if (out->error == EPIPE) {
        out->is_closed = true;
        out->error = 0;
    }
    out->text.size = 0;
}

static bool is_over(const struct output *out)
{
    return out->is_closed || out->error || out->text.failed;
}

/* --- what a call is --- */

/* For each node of GRAPH a line, where line I ends in TEXT. */
static uint64_t *name_nodes(const struct request *request, const struct efg_run *run,
                            const struct efg_graph *graph, struct efg_buffer *text)
{
    char label[512];
    struct efg_run named = *run;
    if (request->paths)
        named.apart = NULL; /* all frames follow */
    uint64_t *ends = calloc((size_t)graph->node_count + 1, sizeof *ends);
    for (uint32_t i = 0; ends && i < graph->node_count; i++) {
        efg_summary_node(&named, &graph->nodes[i], label, sizeof label);
        efg_buffer_print(text, "%s", label);
        if (request->paths)
            efg_expand_put_frames(text, run, &graph->nodes[i]);
        efg_buffer_print(text, "\n");
        ends[i] = text->size;
    }
    return ends;
}

/* --- a thread --- */

struct walk {
    struct efg_expand expand;
    struct efg_buffer names;
    uint64_t *ends; /* of names */
    char where[32]; /* rank and thread, "" where there is but one */
};

static void put_calls(struct output *out, const struct walk *w, uint32_t node, uint64_t first, uint64_t count)
{
    uint64_t begin = node ? w->ends[node - 1] : 0;
    for (uint64_t i = 0; i < count && !is_over(out); i++) {
        efg_buffer_print(&out->text, "%10llu  %s", (unsigned long long)(first + i), w->where);
        efg_buffer_put(&out->text, w->names.data + begin, w->ends[node] - begin);
        if (out->text.size >= FULL)
            flush(out);
    }
}

static int walk(struct output *out, struct walk *w, uint64_t from, uint64_t to)
{
    uint32_t node;
    uint64_t count;
    int error = efg_expand_skip(&w->expand, from - 1), found = error ? error : 1;
    while (found > 0 && w->expand.at < to && !is_over(out)) {
        uint64_t at = w->expand.at;
        found = efg_expand_next(&w->expand, &node, &count);
        if (found > 0)
            put_calls(out, w, node, at + 1, count < to - at ? count : to - at);
    }
    return found < 0 ? found : 0;
}

/* THREAD of a rank, of which SEQUENCE is its order. */
static int expand_thread(const struct request *request, const struct efg_run *run,
                         const struct efg_run_thread *thread, const struct efg_run_sequence_thread *sequence,
                         const char *where, struct output *out)
{
    struct walk w = {0};
    snprintf(w.where, sizeof w.where, "%s", where);
    w.ends = name_nodes(request, run, &thread->graph, &w.names);
    efg_expand_init(&w.expand, sequence, thread->graph.node_count);
    int failed = !w.ends || w.names.failed ? efg_complain("expand", "no memory for the names of the calls")
                                           : walk(out, &w, request->from, request->to);
    efg_expand_fini(&w.expand);
    efg_buffer_fini(&w.names);
    free(w.ends);
    return failed;
}

/* --- a rank --- */

static void warn_of_end(const struct efg_run_rank *rank, const struct efg_run_thread *thread, uint64_t events)
{
    uint64_t all = thread->graph.events;
    if (events < all)
        fprintf(stderr,
                "efgtrace expand: of rank %u, thread %u, the first %llu of %llu calls were "
                "kept%s%s\n",
                rank->rank, thread->number, (unsigned long long)events, (unsigned long long)all,
                *rank->note ? ": " : "", rank->note);
}

static int expand_threads(const struct request *request, const struct efg_run *run,
                          const struct efg_run_rank *rank, const struct efg_run_sequence *sequence, bool many,
                          struct output *out)
{
    int failed = 0;
    if (sequence->thread_count != rank->thread_count)
        return efg_complain("expand", "run.efg is damaged: a sequence is of other threads than its ranks");
    for (uint32_t i = 0; i < rank->thread_count && !failed && !is_over(out); i++) {
        const struct efg_run_thread *thread = &rank->threads[i];
        char where[32] = "";
        if (request->thread != UINT64_MAX && request->thread != thread->number)
            continue;
        if (thread->number)
            snprintf(where, sizeof where, "%4u.%u  ", rank->rank, thread->number);
        else if (many)
            snprintf(where, sizeof where, "%4u  ", rank->rank);
        failed = expand_thread(request, run, thread, &sequence->threads[i], where, out);
        if (failed)
            fprintf(stderr,
                    "efgtrace expand: run.efg is damaged: the sequence of rank %u, thread %u "
                    "makes no sense, or there is no memory to read it\n",
                    rank->rank, thread->number);
        else if (request->to > sequence->threads[i].events)
            warn_of_end(rank, thread, sequence->threads[i].events);
    }
    return failed;
}

static int expand_rank(const struct request *request, const struct efg_run *run, uint32_t index, bool many,
                       struct output *out)
{
    struct efg_run_rank rank;
    struct efg_run_sequence sequence;
    char message[512];
    if (efg_open_rank(run, "expand", index, &rank))
        return EFG_TOLD;
    int failed = efg_runfile_sequence(run, rank.rank, &sequence, message, sizeof message);
    if (failed)
        efg_complain("expand", message);
    else
        failed = expand_threads(request, run, &rank, &sequence, many, out);
    efg_run_sequence_fini(&sequence);
    efg_run_rank_fini(&rank);
    return failed;
}

/* --- the ranks that are asked for --- */

static int expand_ranks(const struct request *request, const struct efg_run *run, const char *is_wanted,
                        struct output *out)
{
    uint32_t count = 0;
    int failed = 0;
    for (uint32_t i = 0; i < run->rank_count; i++)
        count += is_wanted[i];
    for (uint32_t i = 0; i < run->rank_count && !failed && !is_over(out); i++)
        if (is_wanted[i])
            failed = expand_rank(request, run, i, count > 1, out);
    return failed;
}

static int expand_iteration(const struct request *request, const struct efg_run *run, const char *is_wanted,
                            struct output *out)
{
    const struct efg_expand_iteration what = {.number = request->iteration,
                                              .is_wanted = is_wanted,
                                              .thread = request->thread,
                                              .from = request->from,
                                              .to = request->to,
                                              .paths = request->paths};
    return efg_expand_iteration(&out->text, run, &what);
}

static int complain_file(const char *path, int error)
{
    fprintf(stderr, "efgtrace expand: cannot write %s: %s\n", path, strerror(error));
    return EFG_TOLD;
}

/* All calls as text. */
static int write_text(const struct request *request, const struct efg_run *run, const char *is_wanted)
{
    const char *path = request->output;
    struct output out = {.file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : STDOUT_FILENO};
    if (out.file < 0)
        return complain_file(path, errno);
    int failed = request->iteration == UINT64_MAX ? expand_ranks(request, run, is_wanted, &out)
                                                  : expand_iteration(request, run, is_wanted, &out);
    flush(&out);
    if (path && close(out.file) && !out.error)
        out.error = errno;
    if (out.error)
        failed = path ? complain_file(path, out.error) : efg_output_lose(out.error);
    else if (out.text.failed)
        failed = efg_complain("expand", "no memory for a line");
    efg_buffer_fini(&out.text);
    return failed;
}

/* --- OTF2 --- */

static const char *explain(int error)
{
    switch (error) {
    case -EEXIST:
        return "there is a trace already, and it is left as it is";
    case -EBADMSG:
        return "not written: a sequence in run.efg makes no sense";
    case -EIO:
        return "cannot write there: no permission, or no room on the disk?";
    default:
        return strerror(-error);
    }
}

static int write_trace(const struct request *request, const struct efg_run *run, const char *is_wanted)
{
    char message[512];
    int error = efg_below_make_folder(request->output, 0), made = !error;
    if (error == -EEXIST)
        error = 0;
    *message = '\0';
    if (!error)
        error = efg_otf2_rebuild(request->output, run, is_wanted, message, sizeof message);
    if (!error) {
        printf("%s/traces.otf2\n", request->output);
        return 0;
    }
    if (made)
        efg_below_remove_folder(request->output, 0);
    if (*message)
        return efg_complain("expand", message);
    fprintf(stderr, "efgtrace expand: %s: %s\n", request->output, explain(error));
    return EFG_TOLD;
}

static int expand(const struct request *request)
{
    struct efg_run run;
    if (efg_open_run(&run, "expand", request->dir))
        return EFG_EXIT_FAILED;
    char *is_wanted = calloc((size_t)run.rank_count + 1, 1);
    int failed = is_wanted ? 0 : efg_complain("expand", "no memory for the list of ranks");
    if (!failed && !run.rank_count)
        failed = efg_complain("expand", "the run file has no ranks");
    if (!failed && request->ranks)
        failed = efg_open_choose(&run, "expand", request->ranks, is_wanted);
    else if (!failed)
        memset(is_wanted, 1, run.rank_count);
    if (!failed)
        failed = request->format == TRACE ? write_trace(request, &run, is_wanted)
                                          : write_text(request, &run, is_wanted);
    free(is_wanted);
    efg_run_fini(&run);
    return failed ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

/* --- arguments --- */

static const char *const help[] = {
    "Usage: efgtrace expand [OPTION...] DIR\n"
    "       efgtrace expand --iteration N [OPTION...] DIR\n\n"
    "Writes all MPI calls of the run that wrote DIR in order, one per line: number, rank\n"
    "(RANK.THREAD for threads other than 0) where there are several, function, call site,\n"
    "and what else the signature has. Polls that found nothing are left out, as in the\n"
    "graph.\n"
    "\n"
    "  -r, --rank LIST    these ranks, for example 0,4-7 or 0-62:2; default: all\n"
    "  -t, --thread N     this thread of each rank; default: all\n"
    "      --from N       begin with call number N of each; the first one is 1\n"
    "      --to N         end with call number N\n"
    "  -i, --iteration N  only the calls of iteration N, if it was recorded, from the trace: for\n"
    "                     each also when it began, counted from the beginning of the iteration\n"
    "                     on its rank, and how long it took, both in us; numbered from 1 again\n"
    "  -p, --paths        the whole call path of each call, innermost frame first\n"
    "  -f, --format text|otf2   default: text\n"
    "  -o, --output FILE  default, or -: standard output; for otf2 a folder: FILE/traces.otf2\n"
    "                     is written, and FILE made if necessary\n"
    "  -h, --help         this text\n\n"
    "Calls before --from are skipped at once, however many there are.\n\n"
    "OTF2: all calls of the ranks, in order, with their call paths. Their times are\n"
    "rebuilt, not those of the run: each call takes the mean of its call site, each\n"
    "transition its mean, so that the sums are those of the run. There are no messages,\n"
    "and ranks are not aligned. The trace is marked: property EFGTRACE::TIMES_REBUILT, and\n"
    "its description.\n\n"
    "Exit code: 0 done, 1 failed, 2 wrong usage.\n",
    NULL,
};

int efg_cmd_expand(int argc, char **argv)
{
    struct request request = {
        .format = -1, .thread = UINT64_MAX, .from = 1, .to = UINT64_MAX, .iteration = UINT64_MAX};
    const struct efg_option options[] = {{"rank", 'r', .text = &request.ranks},
                                         {"thread", 't', .number = &request.thread},
                                         {"from", .number = &request.from, .least = 1},
                                         {"to", .number = &request.to, .least = 1},
                                         {"iteration", 'i', .number = &request.iteration},
                                         {"format", 'f', .choice = &request.format, .words = FORMATS},
                                         {"output", 'o', .text = &request.output},
                                         {"paths", 'p', .flag = &request.paths},
                                         {0}};
    int code = efg_options_take("expand", options, help, 1, argc, argv);
    if (code < 0)
        code = efg_options_format("expand", FORMATS, &request.format, &request.output);
    if (code >= 0)
        return code;
    if (request.format == TRACE && !request.output)
        return efg_complain_usage("expand", "--format otf2 wants a folder, --output DIR2");
    if (request.format == TRACE && (request.paths || request.thread != UINT64_MAX || request.from > 1 ||
                                    request.to != UINT64_MAX || request.iteration != UINT64_MAX))
        return efg_complain_usage("expand", "--format otf2 allows --rank, but no other choice of calls");
    request.dir = argv[optind];
    signal(SIGPIPE, SIG_IGN); /* who reads no further has seen enough */
    return expand(&request);
}
