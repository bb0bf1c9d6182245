/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace top: what the ranks of a running job have done since the last look: iterations, the share of MPI,
 * where they are now.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/options.h"
#include "cli/output.h"
#include "culprit.h"
#include "files/summary/summary.h"

static const char *const help[] = {
    "Usage: efgtrace top [OPTION...] DIR\n\n"
    "Shows what the ranks of the running job that writes to DIR are doing: the number of the\n"
    "iteration and how long one takes, the share of MPI, the slowest rank, and a line for each\n"
    "rank. On a terminal it goes on until the job ends or Control-C is typed, else it shows that\n"
    "once. Nothing is asked of the job: its ranks show what they do in DIR/live (the key `live`).\n\n"
    "  -t, --time SECONDS  between two looks (default 2)\n"
    "  -n, --number N      show it so many times\n"
    "  -r, --rows N        lines of ranks, at most: the slowest ones (default 40)\n"
    "  -h, --help          this text\n\n"
    "Exit code: 0 done, 1 there is nothing to look at, 2 wrong usage.\n",
    NULL,
};

/* A rank, since the look before. */
struct line {
    const struct efg_where *where; /* of its first thread */
    double mpi;                    /* share of the time, 0 to 1 */
    uint64_t iterations, each;     /* how many; ns of one, 0: none is known */
    double calls;                  /* a second */
};

struct screen {
    struct line *lines;
    uint32_t count;
    uint64_t rows;
};

/* Of the last look, or what it was before if nothing was added up in between. */
static struct line measure(const struct efg_where *w)
{
    const struct efg_live_sums *from = &w->rank->first.part.sums, *to = &w->rank->last.part.sums;
    struct line line = {.where = w, .mpi = w->doing == EFG_IN_CALL || w->doing == EFG_POLLS};
    uint64_t time = to->time - from->time;

    if (from->time && to->time > from->time && to->mpi >= from->mpi && to->calls >= from->calls) {
        line.mpi = (double)(to->mpi - from->mpi) / (double)time;
        line.calls = (double)(to->calls - from->calls) * 1e9 / (double)time;
    }
    line.mpi = line.mpi > 1 ? 1 : line.mpi;
    if (to->iterations > from->iterations && to->iteration_time >= from->iteration_time)
        line.each = (to->iteration_time - from->iteration_time) / (to->iterations - from->iterations);
    else if (to->iterations)
        line.each = to->iteration_time / to->iterations;
    line.iterations = to->number;
    return line;
}

static int compare_speed(const void *a, const void *b)
{
    double x = ((const struct line *)a)->mpi, y = ((const struct line *)b)->mpi;

    return (x > y) - (x < y);
}

static int compare_ranks(const void *a, const void *b)
{
    uint32_t x = ((const struct line *)a)->where->rank->last.part.rank;
    uint32_t y = ((const struct line *)b)->where->rank->last.part.rank;

    return (x > y) - (x < y);
}

/* --- text --- */

static void print_head(struct efg_buffer *out, const struct efg_look *look, const struct screen *screen)
{
    const struct efg_look_rank *rank = screen->lines[0].where->rank;
    char time[16];

    efg_format_ns(time, sizeof time, rank->last.time - rank->last.part.start);
    efg_buffer_print(out, "%s, %u rank%s on %u host%s, %s since MPI_Init\n", rank->node->head.application,
                     look->size, efg_plural(look->size), look->node_count, efg_plural(look->node_count),
                     time);
    if (look->rank_count < look->size)
        efg_buffer_print(out, "Only %u of them are shown\n", look->rank_count);
}

/* The slowest comes first. */
static void print_sums(struct efg_buffer *out, const struct screen *screen)
{
    const struct line *slowest = screen->lines, *fastest = &screen->lines[screen->count - 1];
    uint64_t number = 0, each = 0;
    bool is_recording = false;
    double mpi = 0;
    char time[16];

    for (uint32_t i = 0; i < screen->count; i++) {
        const struct line *line = &screen->lines[i];
        mpi += line->mpi / screen->count;
        is_recording |= line->where->rank->last.part.sums.is_recording != 0;
        number = line->iterations > number ? line->iterations : number;
        each = line->each > each ? line->each : each;
    }
    efg_format_ns(time, sizeof time, each);
    if (number)
        efg_buffer_print(out, "Iteration    %llu, %s each%s\n", (unsigned long long)number, each ? time : "?",
                         is_recording ? "; being recorded" : "");
    else
        efg_buffer_print(out, "Iteration    there is no main loop yet\n");
    efg_buffer_print(out, "MPI          %.1f%% of the time (%.1f to %.1f%%)\n", 100 * mpi, 100 * slowest->mpi,
                     100 * fastest->mpi);
    efg_buffer_print(out, "Slowest      rank %u: %.1f%% of its time outside of MPI\n\n",
                     slowest->where->rank->last.part.rank, 100 * (1 - slowest->mpi));
}

static void print_line(struct efg_buffer *out, const struct efg_look *look, const struct line *line)
{
    struct efg_where w = *line->where;
    char each[16] = "", age[16] = "", doing[200], place[160] = "", number[24] = "", text[400];

    if (line->each)
        efg_format_ns(each, sizeof each, line->each);
    if (line->iterations)
        snprintf(number, sizeof number, "%llu", (unsigned long long)line->iterations);
    if (w.doing != EFG_MOVES)
        efg_format_ns(age, sizeof age, w.age);
    else
        w.doing = efg_where_is_in_call(w.live) ? EFG_IN_CALL : EFG_COMPUTES;
    efg_culprit_doing(&w, doing, sizeof doing);
    if (w.doing == EFG_IN_CALL)
        efg_look_place(look, w.rank, w.call->path, place, sizeof place);
    snprintf(text, sizeof text, "%6u %10s %8s %6.1f%% %9.0f %8s  %s%s%s", w.rank->last.part.rank, number,
             each, 100 * line->mpi, line->calls, age, doing, *place ? ", in " : "", place);
    efg_summary_line(out, "%s", text);
}

static void print_lines(struct efg_buffer *out, const struct efg_look *look, struct screen *screen)
{
    uint32_t shown = screen->count > screen->rows ? (uint32_t)screen->rows : screen->count;

    qsort(screen->lines, shown, sizeof *screen->lines, compare_ranks);
    efg_buffer_print(out, "%6s %10s %8s %7s %9s %8s  %s\n", "rank", "iteration", "each", "MPI", "calls/s",
                     "for", "what it does");
    for (uint32_t i = 0; i < shown; i++)
        print_line(out, look, &screen->lines[i]);
    if (shown < screen->count)
        efg_buffer_print(out, "%u faster ones are not shown (--rows)\n", screen->count - shown);
}

/* --- the command --- */

static int show(struct efg_look *look, const struct efg_wheres *wheres, uint64_t rows)
{
    struct screen screen = {calloc((size_t)wheres->count + 1, sizeof *screen.lines), 0, rows};
    struct efg_buffer out = {0};
    int error =
        screen.lines && efg_look_learn(look) == 0 ? 0 : efg_complain(look->command, "not enough memory");

    for (uint32_t i = 0; !error && i < wheres->count; i++)
        if (wheres->list[i].thread == 0)
            screen.lines[screen.count++] = measure(&wheres->list[i]);
    if (!error && screen.count) {
        qsort(screen.lines, screen.count, sizeof *screen.lines, compare_speed);
        if (isatty(STDOUT_FILENO))
            fputs("\033[H\033[J", stdout);
        print_head(&out, look, &screen);
        print_sums(&out, &screen);
        print_lines(&out, look, &screen);
        error = efg_output(look->command, &out, NULL);
        fflush(stdout);
    }
    efg_buffer_fini(&out);
    free(screen.lines);
    return error;
}

/* Returns the exit code; -1: the job is still there. */
static int look_once(struct efg_look *look, uint64_t seconds, uint64_t rows)
{
    struct efg_wheres wheres = {0};

    efg_look_shift(look);
    efg_look_wait(seconds * 1000000000u);
    if (!efg_look_again(look)) {
        printf("The job has ended\n");
        return EFG_EXIT_OK;
    }
    int error = efg_where_find(&wheres, look) ? efg_complain(look->command, "not enough memory")
                                              : show(look, &wheres, rows);
    free(wheres.list);
    return error ? EFG_EXIT_FAILED : -1;
}

int efg_cmd_top(int argc, char **argv)
{
    uint64_t seconds = 2, number = isatty(STDOUT_FILENO) ? UINT64_MAX : 1, rows = 40;
    struct efg_look look;
    const struct efg_option options[] = {{"time", 't', .number = &seconds, .least = 1},
                                         {"number", 'n', .number = &number, .least = 1},
                                         {"rows", 'r', .number = &rows, .least = 1},
                                         {0}};
    int code = efg_options_take("top", options, help, 1, argc, argv);

    if (code >= 0)
        return code;
    efg_output_for_people();
    code = efg_look_open(&look, "top", argv[optind]) ? EFG_EXIT_FAILED : -1;
    for (uint64_t i = 0; code < 0 && i < number; i++)
        code = look_once(&look, seconds, rows);
    efg_look_close(&look);
    return code < 0 ? EFG_EXIT_OK : code;
}
