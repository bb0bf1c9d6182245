/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the summary says of the main loop and of the windows in it. All of it is what the rule
 * says: how often the loop went round is its number here, in the table of loops and in the
 * report; hints name the loops that the rule chose with that level.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/conf/conf.h"
#include "summary.h"

#define WINDOWS_LISTED 4 /* with their times; of more, only the numbers */
#define MEANS_APART 0.01 /* of the mean iteration of all ranks: that of a rank is told apart */

/* What the paragraphs share. */
struct view {
    const struct efg_run *run;
    const struct efg_run_thread *thread;
    const struct efg_looptree *tree;
};

/* --- names --- */

/* As the phase that it is the loop of, if there is one; loops that are called at one place have one hash. */
static void name_loop(const struct view *view, const struct efg_run_loop *loop, char *text, size_t size)
{
    const struct efg_run_thread *thread = view->thread;

    for (uint32_t i = 0; i < thread->phase_count; i++) {
        const struct efg_run_phase *phase = &thread->phases[i];
        if (phase->loop.function == loop->function && phase->loop.node == loop->node) {
            efg_summary_phase_name(view->run, thread, view->tree, phase, text, size);
            return;
        }
    }
    efg_summary_loop_name(view->run, &view->thread->graph, view->tree, loop, text, size);
}

/* --- none --- */

static void put_best(struct efg_buffer *out, const struct view *view, const char *why)
{
    const struct efg_run_loop *best = &view->thread->loops.best;
    char name[256];
    efg_summary_tell(out, "Main loop    none: %s", why);
    if (!best->function)
        return;
    name_loop(view, best, name, sizeof name);
    efg_summary_tell(out, "             in %s, went round %llu times, %.1f%% of the time", name,
                     (unsigned long long)best->iterations, efg_percent(best->share, EFG_WHOLE_SHARE));
}

static void put_anyway(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run_loop *best = &view->thread->loops.best;
    if (best->function)
        efg_summary_tell(out, "             EFGTRACE_LOOP=%010llx selects it anyway",
                         (unsigned long long)(best->function & EFG_LOOP_BITS));
}

static void put_no_repeat(struct efg_buffer *out, const struct efg_run *run)
{
    bool has_paths = run->dimensions & EFG_DIM_PATH;
    efg_summary_tell(out, "Main loop    none: no call %scame again 3 times",
                     has_paths ? "on the same call path " : "");
    if (has_paths && !run->common.totals.dropped)
        efg_summary_tell(out, "             EFGTRACE_SIGNATURE=none takes calls from several "
                              "places as the same");
}

/* To name the loop would not help: it is known as late. */
static void put_late(struct efg_buffer *out, const struct view *view)
{
    char interval[32];
    efg_format_ns(interval, sizeof interval, view->run->interval);
    put_best(out, view, "the loop was not seen often enough before the run was over");
    efg_summary_tell(out, "             a longer run, or a shorter EFGTRACE_INTERVAL than %s, helps",
                     interval);
}

static void put_reason(struct efg_buffer *out, const struct view *view)
{
    switch (view->thread->loops.reason) {
    case EFG_REASON_NO_REPEAT:
        put_no_repeat(out, view->run);
        break;
    case EFG_REASON_NO_SHARE:
        put_best(out, view, "no loop has half of the time; this is the one with most of it:");
        put_anyway(out, view);
        break;
    case EFG_REASON_UNEVEN:
        put_best(out, view, "one iteration of the outermost loop is nearly the whole run");
        put_anyway(out, view);
        break;
    case EFG_REASON_LATE:
        put_late(out, view);
        break;
    case EFG_REASON_NONE: /* it had one, before the last graphs were united */
        efg_summary_tell(out, "Main loop    none: the one that was found can no longer be told apart");
        break;
    default:
        efg_summary_tell(out, "Main loop    none: the calls of rank %u took no time",
                         view->run->speaker.rank);
    }
}

static void put_none(struct efg_buffer *out, const struct view *view)
{
    if (view->run->common.totals.calls)
        put_reason(out, view);
    else
        efg_summary_tell(out, "Main loop    none: the program made no MPI calls");
    if (view->run->common.totals.dropped)
        efg_summary_tell(out, "             for want of memory, see Graph, %s",
                         "calls are lumped together: a longer run, or more EFGTRACE_MEMORY, helps");
}

/* --- the main loop --- */

/* On all ranks that recorded some of them, as below; if nobody did, on this one. */
static uint64_t mean_time(const struct view *view)
{
    const struct efg_totals *totals = &view->run->common.totals;
    const struct efg_stat *all = &view->thread->iterations.all;
    if (totals->like_count)
        return totals->like_time / totals->like_count;
    return all->count ? all->sum / all->count : 0;
}

/* Of this rank, as in the table of phases, where that is another figure: " (33.7 ms on rank 3)", or "". */
static void say_own_mean(const struct view *view, char *text, size_t size)
{
    const struct efg_stat *all = &view->thread->iterations.all;
    double mean = (double)mean_time(view), own = all->count ? (double)all->sum / (double)all->count : mean;
    char time[32];
    *text = '\0';
    if (fabs(own - mean) <= MEANS_APART * mean)
        return;
    efg_format_ns(time, sizeof time, (uint64_t)own);
    snprintf(text, size, " (%s on rank %u)", time, view->run->speaker.rank);
}

static void put_loop(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run_loop *main = &view->thread->loops.main;
    const struct efg_stat *all = &view->thread->iterations.all;
    char name[256], mean[32], which[96] = "they take", watched[96] = "", about[64], own[64];
    name_loop(view, main, name, sizeof name);
    efg_format_ns(mean, sizeof mean, mean_time(view));
    say_own_mean(view, own, sizeof own);
    if (main->iterations > all->count + 1)
        snprintf(which, sizeof which,
                 view->thread->pivot.visits + 1 < main->iterations ? "%llu of them take"
                                                                   : "the last %llu take",
                 (unsigned long long)all->count);
    else if ((double)all->count > (1 + MEANS_APART) * (double)main->iterations + 2)
        snprintf(which, sizeof which, "%llu, with those of an earlier loop, take",
                 (unsigned long long)all->count);
    efg_summary_estimate(view->run, about);
    if (view->run->common.totals.paused && *about)
        snprintf(watched, sizeof watched, " that were watched, of %s", about);
    if (all->count)
        efg_summary_tell(out, "Main loop    in %s, %llu iterations%s; %s %s each%s", name,
                         (unsigned long long)main->iterations, watched, which, mean, own);
    else
        efg_summary_tell(out, "Main loop    in %s, %llu iterations%s", name,
                         (unsigned long long)main->iterations, watched);
}

/* Its function is called from several places, each of which has a phase. */
static void put_elsewhere(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run_thread *thread = view->thread;
    const struct efg_run_phase *main = efg_run_phase(thread, thread->main_phase), *other = NULL;
    unsigned long long iterations = thread->loops.main.iterations;
    uint32_t more = 0;

    for (uint32_t i = 0; main && i < thread->phase_count; i++) {
        const struct efg_run_phase *phase = &thread->phases[i];
        if (!efg_summary_is_same_code(view->run, &thread->graph, &main->loop, &phase->loop))
            continue;
        iterations += phase->loop.iterations;
        more += other != NULL;
        other = phase;
    }
    if (more)
        efg_summary_tell(out, "             %llu with %u other phases, the same loop called from elsewhere",
                         iterations, more + 1);
    else if (other)
        efg_summary_tell(out, "             %llu with phase %u, the same loop called from elsewhere",
                         iterations, other->number);
}

static void put_pivot(struct efg_buffer *out, const struct view *view)
{
    const struct efg_graph *graph = &view->thread->graph;
    const struct efg_run_pivot *pivot = &view->thread->pivot;
    char name[600], first[600];
    bool is_always;
    if (!efg_run_begins_main(view->thread))
        return;
    uint32_t begin = efg_summary_begin(graph, pivot, &is_always);
    if (begin == EFG_NONE) {
        efg_summary_pivot(view->run, graph, pivot, name, sizeof name);
        efg_summary_tell(out, "             each begins at %s", name);
        return;
    }
    efg_summary_node(view->run, &graph->nodes[begin], first, sizeof first);
    efg_summary_node(view->run, &graph->nodes[pivot->node], name, sizeof name);
    efg_summary_tell(out, "             each begins with %s%s,", first, is_always ? "" : ", mostly");
    efg_summary_tell(out, "             behind %s", name);
}

static bool is_same(const struct efg_run_loop *a, const struct efg_run_loop *b)
{
    return a->function == b->function && a->iterations == b->iterations;
}

/* "8000 x in a.c:66 main", as the table of loops has it, if it is there; else its function, and that it is
 * not. Of a job that ended early, the loop was counted before its graph was saved. */
static void name_place(const struct view *view, const struct efg_run_loop *loop, char *text, size_t size)
{
    uint32_t index = efg_summary_loop(view->tree, view->run, &view->thread->graph, loop);
    bool is_there = index != EFG_NONE && (view->tree->loops[index].repetitions == loop->iterations ||
                                          (view->run->is_saved && index != view->tree->main &&
                                           efg_summary_is_in(view->tree, loop->node, index)));
    uint64_t times = is_there ? view->tree->loops[index].repetitions : loop->iterations;
    size_t used = (size_t)snprintf(text, size, "%llu x ", (unsigned long long)times);
    text += used, size -= used;
    if (is_there) {
        efg_summary_loop_label(view->run, &view->thread->graph, view->tree, index, text, size);
        char *calls = strstr(text, ": ");
        if (calls)
            *calls = '\0';
        return;
    }
    used = (size_t)snprintf(text, size, "in ");
    name_loop(view, loop, text + used, size - used);
    used += strlen(text + used);
    snprintf(text + used, size - used, ", a loop without a row above");
}

static void put_level(struct efg_buffer *out, const struct view *view, const struct efg_run_loop *loop,
                      const char *value)
{
    char name[600];
    if (!loop->function || is_same(loop, &view->thread->loops.main))
        return;
    name_place(view, loop, name, sizeof name);
    efg_summary_tell(out, "             EFGTRACE_LEVEL=%-7s selects the %s", value, name);
}

/* What was asked for, if it is not there. */
static void put_asked(struct efg_buffer *out, const struct view *view)
{
    static const char *const names[] = {"", "finer", "coarser"};
    const struct efg_run_loops *loops = &view->thread->loops;
    uint32_t level = view->run->level;
    if ((level == EFG_LEVEL_FINER || level == EFG_LEVEL_COARSER) && is_same(&loops->main, &loops->automatic))
        efg_summary_tell(out, "             no loop is %s: it is that of level auto", names[level]);
}

/* Whether the word for the main loop finds it: the rule's own choice, or one that has the same iterations; or
 * one of several phases, the last one of which the rule has looked at. What comes at the end of a loop may be
 * the beginning of another iteration, or not. */
static bool has_word(const struct view *view)
{
    const struct efg_run_loops *loops = &view->thread->loops;
    uint64_t main = loops->main.iterations, automatic = loops->automatic.iterations;
    return (main && main <= automatic + 1 && automatic <= main + 1) ||
           (view->run->level == EFG_LEVEL_AUTO && view->thread->phase_count > 1 && view->thread->main_phase);
}

static void put_hints(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run_loops *loops = &view->thread->loops;
    put_asked(out, view);
    if (has_word(view))
        efg_summary_tell(out, "             EFGTRACE_LOOP=%010llx selects it again",
                         (unsigned long long)(loops->main.function & EFG_LOOP_BITS));
    put_level(out, view, &loops->finer, "finer");
    if (view->run->level != EFG_LEVEL_AUTO)
        put_level(out, view, &loops->automatic, "auto");
    put_level(out, view, &loops->coarser, "coarser");
}

void efg_summary_main(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    struct efg_looptree tree;
    struct view view = {run, efg_run_rank_thread(&run->speaker), &tree};
    if (!view.thread) {
        efg_summary_tell(out, "Main loop    none: the program made no MPI calls");
        return;
    }
    efg_summary_tree(&tree, run, &view.thread->graph, &view.thread->loops.main);
    if (!view.thread->loops.main.function) {
        put_none(out, &view);
    } else {
        put_loop(out, &view);
        put_elsewhere(out, &view);
        put_pivot(out, &view);
        if (totals->with_loop < totals->ranks)
            efg_summary_tell(out, "             found by %llu of %llu ranks",
                             (unsigned long long)totals->with_loop, (unsigned long long)totals->ranks);
        put_hints(out, &view);
    }
    efg_looptree_fini(&tree);
}

/* --- windows --- */

static unsigned long long last_of(const struct efg_run_window *window)
{
    return window->last ? window->last - 1 : 0;
}

static const char *range(char text[48], const struct efg_run_window *window)
{
    efg_format_range(text, 48, window->first, last_of(window));
    return text;
}

static void format_span(char *text, size_t size, const struct efg_run_window *window)
{
    char start[32], end[40] = "on", numbers[48], slow[64] = "";
    efg_format_ns(start, sizeof start, window->start);
    if (window->end) /* else the job ended first */
        efg_format_ns(end + snprintf(end, sizeof end, "to "), sizeof end - 3, window->end);
    if (window->end && strcmp(end + 3, start) == 0)
        efg_format_ns(end + snprintf(end, sizeof end, "for "), sizeof end - 4, window->end - window->start);
    if (window->times)
        snprintf(slow, sizeof slow, ", %llu took %.1f times the median",
                 (unsigned long long)efg_run_window_slow(window), window->times / 1000.0);
    snprintf(text, size, "number %s, from %s %s%s", range(numbers, window), start, end, slow);
}

/* As many as fit a line, then the next one. */
static void put_numbers(struct efg_buffer *out, const struct efg_run_window *windows, uint32_t count)
{
    char line[EFG_COLUMNS - 12], one[64], numbers[48];
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(one, sizeof one, "%s%s", i ? "; " : "number ", range(numbers, &windows[i]));
        if (used + strlen(one) >= sizeof line) {
            efg_summary_tell(out, "             %s;", line);
            used = 0;
        }
        used += (size_t)snprintf(line + used, sizeof line - used, "%s", used || !i ? one : one + 2);
    }
    efg_summary_tell(out, "             %s", line);
}

/* " of phase 1, in setup", or of another loop of the phase: the function is known if the loop is one of those
 * kept. */
static void name_other(const struct view *view, const struct efg_run_window *window, char *text, size_t size)
{
    const struct efg_run_loops *loops = &view->thread->loops;
    const struct efg_run_loop *known[] = {&loops->automatic, &loops->finer, &loops->coarser, &loops->best};
    const struct efg_run_phase *phase = efg_run_phase(view->thread, window->phase);
    const struct efg_run_loop *loop = phase ? &phase->loop : NULL;
    size_t used;
    if (!phase && window->function == loops->main.function) {
        snprintf(text, size, " of a finer level of it");
        return;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known && !loop; i++)
        if (known[i]->function == window->function)
            loop = known[i];
    used = (size_t)(phase ? snprintf(text, size, " of phase %u", phase->number)
                          : snprintf(text, size, " of an earlier loop"));
    if (loop) {
        used += (size_t)snprintf(text + used, size - used, ", in ");
        name_loop(view, loop, text + used, size - used);
        return;
    }
    snprintf(text + used, size - used, ", EFGTRACE_LOOP=%010llx",
             (unsigned long long)(window->function & EFG_LOOP_BITS));
}

static void put_spans(struct efg_buffer *out, const struct efg_run_window *windows, uint32_t count)
{
    char span[160];
    if (count > WINDOWS_LISTED) {
        put_numbers(out, windows, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        format_span(span, sizeof span, &windows[i]);
        efg_summary_tell(out, "             %s", span);
    }
}

const char *efg_summary_why(const struct efg_run_window *window)
{
    static const char *const reasons[] = {
        [EFG_SELECT_FIRST] = "first",     [EFG_SELECT_SPREAD] = "spread", [EFG_SELECT_SLOW] = "slow",
        [EFG_SELECT_ASKED] = "asked for", [EFG_SELECT_WHEN] = "when",
    };
    return window->select < sizeof reasons / sizeof *reasons ? reasons[window->select] : "";
}

static void name_select(const struct view *view, const struct efg_run_window *windows, uint32_t count,
                        char *text, size_t size)
{
    uint64_t wanted = view->thread->agreed.wanted;

    if (windows->select == EFG_SELECT_SLOW && count == 1)
        snprintf(text, size, ", around the slowest one");
    else if (windows->select == EFG_SELECT_SLOW)
        snprintf(text, size, ", around the %u slowest ones", count);
    else if (windows->select == EFG_SELECT_SPREAD)
        snprintf(text, size, ", spread over the run");
    else if (windows->select == EFG_SELECT_ASKED)
        snprintf(text, size, ", asked for by the program");
    else if (windows->select == EFG_SELECT_WHEN)
        snprintf(text, size, ", chosen by the key when");
    else if (wanted > 1)
        snprintf(text, size, ", in %u of %llu windows asked for", count, (unsigned long long)wanted);
    else
        *text = '\0';
}

/* COUNT windows of one loop that were recorded for one reason. */
static void put_group(struct efg_buffer *out, const struct view *view, const char *head,
                      const struct efg_run_window *windows, uint32_t count)
{
    unsigned long long iterations = 0;
    char loop[320] = "", span[160], why[64];
    if (view->thread->loops.main.function && !efg_run_is_main(view->thread, windows))
        name_other(view, windows, loop, sizeof loop);
    for (uint32_t i = 0; i < count; i++)
        iterations += windows[i].last - windows[i].first;
    name_select(view, windows, count, why, sizeof why);
    format_span(span, sizeof span, windows);
    const char *plural = iterations == 1 ? "" : "s";
    if (count == 1 && !*loop && !*why) {
        efg_summary_tell(out, "%s %llu iteration%s, %s", head, iterations, plural, span);
        return;
    }
    efg_summary_tell(out, "%s %llu iteration%s%s%s", head, iterations, plural, loop, why);
    put_spans(out, windows, count);
}

/* Windows X and Y are of one loop, and recorded for the same reason. */
static bool is_alike(const struct efg_run_thread *thread, const struct efg_run_window *x,
                     const struct efg_run_window *y)
{
    return x->function == y->function && x->phase == y->phase && x->select == y->select &&
           efg_run_is_main(thread, x) == efg_run_is_main(thread, y);
}

/* Those like windows[FIRST], if none of those before it is, to GROUP. Returns how many. */
static uint32_t take_group(struct efg_run_window *group, const struct efg_run_thread *thread, uint32_t first)
{
    const struct efg_run_window *windows = thread->windows;
    uint32_t count = 0;
    for (uint32_t i = 0; i < first; i++)
        if (is_alike(thread, &windows[i], &windows[first]))
            return 0;
    for (uint32_t i = first; i < thread->window_count; i++)
        if (is_alike(thread, &windows[i], &windows[first]))
            group[count++] = windows[i];
    return count;
}

static void put_all(struct efg_buffer *out, const struct view *view)
{
    const struct efg_run_thread *thread = view->thread;
    struct efg_run_window *group = calloc(thread->window_count + 1, sizeof *group);
    for (uint32_t i = 0; group && i < thread->window_count; i++) {
        uint32_t count = take_group(group, thread, i);
        if (count)
            put_group(out, view, i ? "             and" : "Traced      ", group, count);
    }
    free(group);
}

static const char *of_ranks(char *text, size_t size, uint64_t some, uint64_t all)
{
    if (some < all)
        snprintf(text, size, "%llu of %llu ranks", (unsigned long long)some, (unsigned long long)all);
    else if (all > 1)
        snprintf(text, size, "all %llu ranks", (unsigned long long)all);
    else
        snprintf(text, size, "the rank");
    return text;
}

static void put_incomplete(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    char ranks[64];
    if (totals->incomplete)
        efg_summary_tell(out, "             on %s it ended before the %llu iterations asked for",
                         of_ranks(ranks, sizeof ranks, totals->incomplete, totals->ranks),
                         (unsigned long long)run->iterations);
}

static void put_windows(struct efg_buffer *out, const struct efg_run *run)
{
    struct efg_looptree tree;
    struct view view = {run, efg_run_rank_thread(&run->speaker), &tree};
    efg_summary_tree(&tree, run, &view.thread->graph, &view.thread->loops.main);
    put_all(out, &view);
    efg_summary_alignment(out, run);
    put_incomplete(out, run);
    efg_looptree_fini(&tree);
}

static void put_traced(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    char ranks[64];
    if (run->mode == EFG_MODE_FULL && totals->with_short_log)
        efg_summary_tell(out, "Traced       the run (mode full), on %s only to where the log ended: see Note",
                         of_ranks(ranks, sizeof ranks, totals->with_short_log, totals->ranks));
    else if (run->mode == EFG_MODE_FULL)
        efg_summary_tell(out, "Traced       all of the run (mode full)");
    else if (run->mode == EFG_MODE_GRAPH)
        efg_summary_tell(out, "Traced       nothing (mode graph); EFGTRACE_MODE=adaptive traces "
                              "some iterations");
    else if (totals->with_window)
        put_windows(out, run);
    else
        efg_summary_tell(out, totals->with_loop
                                  ? "Traced       nothing: the run, or the log, ended before an "
                                    "iteration was recorded"
                                  : "Traced       nothing: no main loop was found; "
                                    "EFGTRACE_MODE=full traces all of the run");
}

void efg_summary_windows(struct efg_buffer *out, const struct efg_run *run)
{
    if (!efg_run_rank_thread(&run->speaker))
        return;
    put_traced(out, run);
    if (run->mode == EFG_MODE_ADAPTIVE && run->when && *run->when)
        efg_summary_wrap(out, "             when = ", run->when);
}
