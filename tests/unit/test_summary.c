/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary of a known run, word by word, and what is said when something is missing.
 * With --write FILE it writes that run for tests of the tool, with --write-hostile FILE one
 * with names that no format takes unescaped, with --write-many FILE one of MANY ranks, each as
 * fast as one of KINDS, with --write-paths FILE one with PATHS call paths more.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/graph/detail.h"
#include "files/conf/conf.h"
#include "files/summary/names.h"
#include "files/summary/summary.h"
#include "sample_run.h"

static struct whole_run whole;
static struct efg_buffer out;

static int set_up(void **state)
{
    (void)state;
    sample_run(&whole);
    memset(&out, 0, sizeof out);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    whole_run_fini(&whole);
    efg_buffer_fini(&out);
    return 0;
}

static void set(char **string, const char *value)
{
    free(*string);
    *string = strdup(value);
}

/* The summary as a string; each line is checked for its width. */
static const char *summary(void)
{
    out.size = 0;
    whole_run_join(&whole);
    efg_summary_write(&out, &whole.run);
    efg_buffer_put(&out, "", 1);
    assert_false(out.failed);
    const char *text = (const char *)out.data;
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n');
        assert_non_null(end);
        if (*line != ' ' && end - line > EFG_COLUMNS) /* rows of tables have no limit */
            fail_msg("%d columns: %.*s", (int)(end - line), (int)(end - line), line);
        line = end + 1;
    }
    return text;
}

static void expect(const char *words)
{
    const char *text = summary();
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in:\n%s", words, text);
}

static void expect_not(const char *words)
{
    const char *text = summary();
    if (strstr(text, words))
        fail_msg("\"%s\" is in:\n%s", words, text);
}

static void forget_loops(void)
{
    for (uint32_t i = 0; i < whole.rank_count; i++) {
        struct efg_run_thread *thread = &whole.ranks[i].threads[0];
        memset(&thread->pivot, 0, sizeof thread->pivot);
        memset(&thread->loops, 0, sizeof thread->loops);
        memset(&thread->iterations, 0, sizeof thread->iterations);
        thread->window_count = 0;
    }
    whole.run.trace_events = 0;
}

static void test_golden(void **state)
{
    (void)state;
    assert_string_equal(
        summary(),
        "efgtrace 0.1.0: stencil, 4 ranks on 2 hosts, 4.05 s, 14.7% of it in MPI\n"
        " repetitions       time   share     MPI    loops of rank 0 (* the main loop)\n"
        "        1000     4.04 s   99.8%   17.2%  * in stencil.c:66 main: Allreduce, Waitall, Gather, "
        "4 more\n"
        "Main loop    in main, 1000 iterations; they take 4.04 ms each\n"
        "             each begins with MPI_Irecv  halo.c:21 exchange,\n"
        "             behind MPI_Allreduce  stencil.c:48 residual\n"
        "             EFGTRACE_LOOP=789abcdef0 selects it again\n"
        "             EFGTRACE_LEVEL=coarser selects the 50 x in main, a loop without a row above\n"
        "Traced       10 iterations, number 100 to 109, from 400 ms to 440 ms\n"
        "             the same iterations on all 4 ranks\n"
        "             they took 3.92 ms each, all iterations 4.04 ms (-3.1%); MPI 12.6% of it, "
        "of "
        "all 14.7%\n"
        "Messages     78 of 82 matched (95.1%); 2 sends and 2 receives stand open at the "
        "edges\n"
        "Calls        in the recorded iterations, by communicator or file; waiting is part of these times\n"
        "             MPI_COMM_WORLD: 5.00 ms a rank, least 3.00 ms on rank 2; 1400 calls, 6.40 kB\n"
        "             4 more: see `efgtrace report`\n"
        "Trace        560 events, 24.0 kB; a full one: about 56485 events, 2.42 MB, 101 times "
        "as "
        "many\n"
        "Graph        of 24208 calls: 9 nodes, up to 10 edges a rank, last grew after 4.05 s\n"
        "Waiting      at most 14.7% of the time, that in MPI: 3.3% in messages, 11.4% in collectives\n"
        "             rank 3 computes longest, 8.7% longer than the mean: others may wait for it\n"
        "Cost         about 20.3 ms a rank, 0.5% of the run: 0 ns in MPI_Init, 20.0 ms in MPI_Finalize,\n"
        "             300 us while it ran: 6052 calls, 49 ns each\n"
        "             up to 2.00 MB of memory a rank\n"
        "Files        efgtrace.stencil.1234/: traces.otf2, run.efg, summary.txt\n"
        "Next         efgtrace report efgtrace.stencil.1234\n"
        "             vampir efgtrace.stencil.1234/traces.otf2\n");
}

static void test_doubt(void **state)
{
    (void)state;
    whole.run.messages.doubt = 15;
    expect("Messages     in doubt: 78 of 82 seem to match, but 15 or more crossed the window's "
           "beginning\n");
}

static void test_left_out(void **state)
{
    (void)state;
    expect_not("not in the trace");
    whole.run.messages.left_out = 3;
    expect("stand open at the edges\n             3 of these sends and receives are not in the trace\n");
}

/* The last ranks have left nothing; a job that was killed says it otherwise. */
static void test_untraced(void **state)
{
    (void)state;
    whole.run.size = 6;
    whole.run.messages.absent = 12;
    expect("14.7% of it in MPI\n"
           "Untraced     2 of 6 ranks ran without efgtrace: rank 4-5\n");
    expect("             12 more went to untraced ranks or came from them\n");
    whole.run.size = UINT32_MAX;
    expect("Untraced     4294967291 of 4294967295 ranks ran without efgtrace: rank ...\n");
    whole.run.size = 6;
    whole.run.is_saved = 1;
    assert_null(strstr(summary(), "Untraced"));
}

static struct efg_run_thread *thread_of(uint32_t rank)
{
    return &whole.ranks[rank].threads[0];
}

/* What a program does once, as it ends, comes behind the last sample. */
static void test_stable_but_for_its_end(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < whole.rank_count; i++)
        thread_of(i)->stability.stable_since = 500000000;
    expect("edges a rank, stable after 500 ms\n");
    thread_of(0)->stability.last.nodes -= 2;
    expect("edges a rank, stable after 500 ms, but for 2");
}

static void give_reason(uint32_t reason, uint64_t iterations, uint32_t share)
{
    for (uint32_t i = 0; i < whole.rank_count; i++) {
        struct efg_run_loops *loops = &thread_of(i)->loops;
        loops->reason = reason;
        loops->best =
            (struct efg_run_loop){.function = SAMPLE_FUNCTION, .iterations = iterations, .share = share};
        if (!iterations)
            loops->best.function = 0;
    }
}

static void limit(uint32_t limited)
{
    for (uint32_t i = 0; i < whole.rank_count; i++) {
        whole.ranks[i].limit = 5000;
        whole.ranks[i].limited = limited;
    }
}

static void test_limit(void **state)
{
    (void)state;
    expect_not("Limit");
    limit(EFG_LIMITED_RING | EFG_LIMITED_POLLS);
    expect(
        "Limit        of 0.5% of the time for watching (EFGTRACE_OVERHEAD):\n"
        "             only some blocks of iterations were looked at for slow ones\n"
        "             of polls that found nothing, one of 61 to 509 is measured and stands for the others\n");
    limit(EFG_LIMITED_RING | EFG_LIMITED_NO_RING | EFG_LIMITED_EXCEEDED);
    expect(":\n             slow iterations were looked for at the beginning only\n"
           "             exceeded: watching does not pause with several threads, ");
}

/* NS were spent while each rank ran, and so many in MPI_Finalize. */
static void spend(uint64_t watching, uint64_t finish)
{
    for (uint32_t i = 0; i < whole.rank_count; i++)
        whole.ranks[i].cost = watching;
    whole.run.finish = finish;
}

/* The limit is 20.3 ms here. */
static void test_more_than_the_limit(void **state)
{
    (void)state;
    limit(0);
    spend(10000000, 10000000);
    expect_not("Limit");
    spend(10000000, 15000000);
    expect("Limit        of 0.5% of the time for watching (EFGTRACE_OVERHEAD):\n"
           "             kept: watching took 0.25%; start and end, 0.37%, are not limited\n");
    spend(1000000, 24000000);
    expect(" kept: watching took 0.025%; start and end, 0.59%, are not limited\n");
    spend(24000000, 1000000);
    expect("not kept: watching took 0.59%\n");
    for (uint32_t i = 0; i < whole.rank_count; i++)
        whole.ranks[i].grace = UINT64_C(200000000000);
    expect(" kept: watching took 0.59%; runs below 200 s count as 200 s\n");
    spend(24000000, 24000000);
    expect(" kept: watching took 0.59%; runs below 200 s count as 200 s; start and end, 0.5");
    spend(1100000000, 1000000);
    limit(EFG_LIMITED_EXCEEDED);
    expect("not kept: watching took 27%\n");
    limit(EFG_LIMITED_PAUSES);
    expect("not kept: watching took 27%; what is before the first pause weighs less in a longer run\n");
    whole.ranks[0].limit = whole.ranks[1].limit = whole.ranks[2].limit = whole.ranks[3].limit = 0;
    expect_not("not kept");
}

/* Shares are those of the time that was watched. */
/* The main loop of all ranks: SEEN iterations, in WHOLE_ONES of them no pause began or ended; CALLS that were
 * seen, and UNWATCHED ones. */
static void give_iterations(uint64_t seen, uint64_t whole_ones, uint64_t calls, uint64_t unwatched)
{
    for (uint32_t i = 0; i < whole.rank_count; i++) {
        struct efg_run_thread *thread = thread_of(i);
        whole.ranks[i].unwatched = unwatched;
        if (!thread)
            continue;
        thread->loops.main.iterations = seen;
        thread->graph.events = calls;
        thread->iterations.all.count = whole_ones;
        thread->iterations.all.sum = whole_ones * 1000000;
    }
}

static void expect_iterations(void)
{
    give_iterations(50, 40, 20000, 5000);
    expect(", 50 iterations that were watched, of about 50 to 63; ");
    give_iterations(50, 40, 20000, 10000);
    expect(", 50 iterations that were watched, of about 60 to 75; ");
    give_iterations(50, 50, 25000, 10000);
    expect(", 50 iterations that were watched, of about 70; ");
    for (uint32_t i = 0; i < whole.rank_count; i++) { /* calls in pauses are not counted either */
        whole.ranks[i].limited |= EFG_LIMITED_ESTIMATED;
        whole.ranks[i].paused = 10 * 1000000;
    }
    expect(", 50 iterations that were watched, of about 60 to 70; ");
}

static void test_pauses(void **state)
{
    (void)state;
    limit(EFG_LIMITED_PAUSES);
    for (uint32_t i = 0; i < whole.rank_count; i++) {
        whole.ranks[i].paused = (whole.ranks[i].end - whole.ranks[i].start) / 2;
        whole.ranks[i].unwatched = 1000000 * i;
    }
    expect("29.3% of it in MPI\n");
    expect("             watched for 50% of the time, with pauses: 1.50 million calls a rank were not seen;\n"
           "             counts and times are of the others, shares are estimates; no window came later\n");
    expect_iterations();
    whole.ranks[0].paused = UINT64_MAX / 2;
    summary();
}

static void test_no_loop(void **state)
{
    (void)state;
    forget_loops();
    give_reason(EFG_REASON_NO_SHARE, 50, 310000);
    expect("Main loop    none: no loop has half of the time; this is the one with most of it:\n"
           "             in main, went round 50 times, 31.0% of the time\n"
           "             EFGTRACE_LOOP=789abcdef0 selects it anyway\n");
    expect("Traced       nothing: no main loop was found; EFGTRACE_MODE=full traces all");
    expect_not("vampir");
    give_reason(EFG_REASON_UNEVEN, 7, 990000);
    expect("none: one iteration of the outermost loop is nearly the whole run\n");
    give_reason(EFG_REASON_LATE, 1000, 990000);
    expect("none: the loop was not seen often enough before the run was over\n");
    expect_not("selects it anyway"); /* it would not */
    expect("a longer run, or a shorter EFGTRACE_INTERVAL than 100 ms, helps\n");
    give_reason(EFG_REASON_NO_REPEAT, 0, 0);
    expect("none: no call on the same call path came again 3 times\n"
           "             EFGTRACE_SIGNATURE=none takes calls from several places as the same\n");
    thread_of(1)->graph.dropped = EFG_DROP_SIZE;
    expect("calls are lumped together: a longer run, or more\n");
    expect("EFGTRACE_MEMORY, helps");
}

static void place(uint32_t rank, uint32_t core_count, char *cores)
{
    free(whole.ranks[rank].place.cores);
    whole.ranks[rank].place =
        (struct efg_run_place){.core_count = core_count, .node_cores = 4, .cores = strdup(cores)};
}

static void test_binding(void **state)
{
    (void)state;
    expect_not("Binding");
    for (uint32_t i = 0; i < SAMPLE_RANKS; i++) /* two ranks on each host */
        place(i, 4, "0-3");
    expect_not("Binding");
    place(0, 2, "0-1"); /* as many cores as ranks */
    place(1, 2, "0-1");
    expect_not("Binding");
    place(2, 1, "3");
    place(3, 1, "3");
    expect("Binding      2 ranks of host node2 share 1 core: times are those of an overcommitted");
    place(0, 1, "0");
    place(1, 1, "0");
    expect("share 1 core (and on 1 more host)");
    whole.ranks[1].processor.threads = 3; /* and one of rank 0 */
    expect("Binding      2 ranks with 4 busy threads of host node1 share 1 core");
    whole.ranks[1].processor.threads = 0;
    for (uint32_t i = 0; i < SAMPLE_RANKS; i++) {
        place(i, 1, "");
        whole.ranks[i].place.node_cores = whole.ranks[i].place.core_count = 0; /* nothing known */
    }
    expect_not("Binding");
}

static void test_clocks(void **state)
{
    (void)state;
    expect_not("Clocks");
    whole.ranks[2].clock_error = 12300;
    expect("Clocks       compared across hosts at the start and at the end, to 12.3 us at "
           "worst\n");
    whole.run.skew = (struct efg_run_skew){EFG_REPAIR_DONE, 1, 12, 35000, 0};
    expect("at worst\n             off by 35.0 us or more, 12 receives before their "
           "sends: corrected, 0 left\n");
    whole.run.skew.repair = EFG_REPAIR_FAILED;
    whole.run.skew.left = 12;
    expect("12 receives before their sends: not corrected, 12 left\n");
    whole.ranks[2].clock_error = 0;
    whole.run.skew = (struct efg_run_skew){EFG_REPAIR_CONTRADICTORY, 0, 1, 3000000, 1};
    expect("Clocks       off by 3.00 ms or more, 1 receive before its send: "
           "contradictory, 1 left\n");
    whole.run.skew = (struct efg_run_skew){EFG_REPAIR_UNPROVEN, 0, 7, 0, 7};
    expect("Clocks       in doubt: 7 receives before their sends, or of sends before the "
           "window\n");
}

static void host(uint32_t count, char *text, size_t size)
{
    struct efg_run_place places[SAMPLE_RANKS] = {0};
    for (uint32_t i = 0; i < count; i++)
        places[i] = whole.ranks[i].place;
    efg_summary_host(places, count, text, size);
}

static void test_host(void **state)
{
    (void)state;
    char text[200];
    host(2, text, sizeof text);
    assert_string_equal(text, "");
    place(0, 1, "0");
    place(1, 1, "2");
    host(2, text, sizeof text);
    assert_string_equal(text, "; 4 cores, bound to 0 | 2");
    place(1, 1, "0");
    host(2, text, sizeof text);
    assert_string_equal(text, "; 4 cores, all bound to 0");
    place(0, 4, "0-3");
    host(1, text, sizeof text);
    assert_string_equal(text, "; 4 cores, not bound");
    host(1, text, 12);
    assert_string_equal(text, "; 4 cores, ");
}

static void test_modes(void **state)
{
    (void)state;
    whole.run.mode = EFG_MODE_FULL;
    expect("Traced       all of the run (mode full)");
    expect_not("times as many");
    whole.run.mode = EFG_MODE_GRAPH;
    whole.run.trace_events = 0;
    expect("Traced       nothing (mode graph); EFGTRACE_MODE=adaptive");
    expect_not("vampir");
}

static void test_levels(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < whole.rank_count; i++)
        thread_of(i)->loops.main = thread_of(i)->loops.coarser;
    whole.run.level = EFG_LEVEL_COARSER;
    expect("Main loop    in main, 50 iterations; ");
    expect("EFGTRACE_LEVEL=auto    selects the 1000 x in stencil.c:66 main");
    expect_not("EFGTRACE_LEVEL=coarser");
    expect_not("no loop is");
    for (uint32_t i = 0; i < whole.rank_count; i++)
        thread_of(i)->loops.main = thread_of(i)->loops.automatic;
    expect("             no loop is coarser: it is that of level auto\n");
}

/* When a job is killed, its graph was saved later than its loops were counted: all lines say what that has,
 * where it is clear which loop it is. */
static void test_counts_of_killed(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < whole.rank_count; i++) {
        thread_of(i)->loops.main = thread_of(i)->loops.coarser;
        thread_of(i)->loops.automatic.iterations = 900;
    }
    whole.run.level = EFG_LEVEL_COARSER;
    expect("EFGTRACE_LEVEL=auto    selects the 900 x in main, a loop without a row above\n");
    whole.run.is_saved = 1;
    expect("EFGTRACE_LEVEL=auto    selects the 1000 x in stencil.c:66 main (inner)\n");
    for (uint32_t i = 0; i < whole.rank_count; i++)
        thread_of(i)->loops.automatic.iterations = 24;
    expect("EFGTRACE_LEVEL=auto    selects the 24 x in main, a loop without a row above\n");
}

/* Of phases, the main one may be the shorter one on the rank that stands for the run. */
static void test_larger_phase(void **state)
{
    (void)state;
    char phases[] = "thread 0\nmain 2\nphase 1 1 0 0 0 2000000000 2000000000 5 1000 0 5\n"
                    "phase 2 2 0 1 2000000000 3500000000 1500000000 5 1000 0 5\nwindows 2";
    char larger[] = "thread 0\nmain 1\nphase 1 1 0 0 0 2000000000 2000000000 5 1000 0 5\n"
                    "phase 2 2 0 1 2000000000 3500000000 1500000000 5 1000 0 5\nwindows 2";
    char early[] = "thread 0\nmain 2\nphase 0 1 0 0 0 2000000000 2000000000 5 1000 0 5\n"
                   "phase 2 2 0 1 2000000000 3500000000 1500000000 5 1000 0 5\nwindows 2";
    char alike[] = "thread 0\nmain 2\nphase 1 1 0 0 0 2000000000 2000000000 5 1000 0 5\n"
                   "phase 2 1 0 1 2000000000 3500000000 1500000000 5 1000 0 5\nwindows 2";
    char *none = whole.ranks[0].phases;
    whole.ranks[0].phases = phases;
    expect(
        "             phase 1 takes longer on rank 0; the main loop is that of the first phase with 40% "
        "of\n               the time of the longest one, on all ranks together, waits for a processor left "
        "out\n"
        "             EFGTRACE_LOOP=0000000001 selects that one, in main\n");
    char loop[] = "solve";
    whole.run.loop = loop;
    expect("             phase 1 takes longer; the main loop is the one that was asked for (loop = solve)\n");
    expect_not("selects that one");
    whole.run.loop = NULL;
    whole.ranks[0].phases = early;
    expect("             a phase without windows takes longer on rank 0; the main loop is that of");
    whole.ranks[0].phases = alike;
    expect("phase 1 takes longer");
    expect_not("selects that one"); /* the other one is meant by its word */
    whole.ranks[0].phases = phases;
    whole.run.is_saved = 1;
    expect("             phase 1 takes longer here; the main loop is that of the last half of what was "
           "seen\n");
    whole.ranks[0].phases = larger;
    expect_not("takes longer");
    whole.ranks[0].phases = none;
}

/* Of phases, the rule has looked at the last one. */
static void test_word_of_a_phase(void **state)
{
    (void)state;
    char phases[] = "thread 0\nmain 1\nphase 1 123456789abcdef0 0 0 0 2000000000 2000000000 5 1000 0 5\n"
                    "phase 2 2 0 1 2000000000 3500000000 1500000000 5 1000 0 5\nwindows 1";
    char alike[] = "thread 0\nmain 1\nphase 1 123456789abcdef0 0 0 0 2000000000 2000000000 5 1000 0 5\n"
                   "phase 2 123456789abcdef0 0 1 2000000000 3500000000 1500000000 5 1000 0 5\nwindows 1";
    char *none = whole.ranks[0].phases;
    for (uint32_t i = 0; i < whole.rank_count; i++)
        thread_of(i)->loops.automatic = (struct efg_run_loop){0};
    expect_not("selects it again");
    for (uint64_t more = 0; more < 3; more++) { /* of a loop around it, with its iterations */
        thread_of(0)->loops.automatic =
            (struct efg_run_loop){7, thread_of(0)->loops.main.iterations + more, 0, 0, 0};
        if (more < 2)
            expect("             EFGTRACE_LOOP=789abcdef0 selects it again\n");
        else
            expect_not("selects it again");
    }
    thread_of(0)->loops.automatic = (struct efg_run_loop){0};
    whole.ranks[0].phases = phases;
    expect("             EFGTRACE_LOOP=789abcdef0 selects it again\n");
    whole.run.level = EFG_LEVEL_FINER;
    expect_not("selects it again");
    whole.run.level = EFG_LEVEL_AUTO;
    whole.ranks[0].phases = alike; /* of two of a function it is the one of both runs */
    expect("             EFGTRACE_LOOP=789abcdef0 selects it again\n");
    whole.ranks[0].phases = none;
}

static void test_iterations_since(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < whole.rank_count; i++) {
        thread_of(i)->iterations.all.sum /= 2;
        thread_of(i)->iterations.all.count *= 2;
    }
    expect("1000 iterations; 2000, with those of an earlier loop, take 1.01 ms each");
    for (uint32_t i = 0; i < whole.rank_count; i++)
        thread_of(i)->iterations.all.count /= 4;
    expect("1000 iterations; the last 500 take 4.04 ms each\n");
}

static void test_pivots(void **state)
{
    (void)state;
    struct efg_run_pivot *pivot = &thread_of(0)->pivot;
    expect("each begins with MPI_Irecv  halo.c:21 exchange,\n"
           "             behind MPI_Allreduce  stencil.c:48 residual\n");
    pivot->kind = EFG_PIVOT_SITE;
    pivot->depth = 1;
    expect("             behind MPI_Allreduce  stencil.c:48 residual\n");
    thread_of(0)->graph.nodes[pivot->node].flags |= EFG_NODE_STARTS;
    expect("each begins at the call of step  stencil.c:67 main\n");
    pivot->function = 1; /* of a loop before */
    expect_not("each begins");
}

static struct efg_run_window *add_window(uint32_t rank, uint64_t function, uint64_t first)
{
    struct efg_run_thread *thread = thread_of(rank);
    size_t size = (thread->window_count + 1) * sizeof *thread->windows;
    struct efg_run_window *windows = realloc(thread->windows, size);
    assert_non_null(windows);
    thread->windows = windows;
    struct efg_run_window *last = &windows[thread->window_count++];
    *last = (struct efg_run_window){.function = function,
                                    .first = first,
                                    .last = first + 10,
                                    .start = first * 4000000,
                                    .end = first * 4000000 + 40000000,
                                    .complete = 1,
                                    .agreed = 1};
    return last;
}

static void test_windows(void **state)
{
    (void)state;
    uint64_t end = thread_of(0)->windows[0].end;
    thread_of(0)->windows[0].end = 0; /* the job was killed while it was recorded */
    expect("number 100 to 109, from 400 ms on\n");
    thread_of(0)->windows[0].end = end;
    uint64_t last = thread_of(0)->windows[0].last;
    thread_of(0)->windows[0].last = thread_of(0)->windows[0].first + 1;
    expect("Traced       1 iteration, number 100, from 400 ms");
    thread_of(0)->windows[0].last = last;
    thread_of(0)->agreed.wanted = 3;
    add_window(0, SAMPLE_FUNCTION, 300);
    expect("Traced       20 iterations, in 2 of 3 windows asked for\n"
           "             number 100 to 109, from 400 ms to 440 ms\n"
           "             number 300 to 309, from 1.20 s to 1.24 s\n");
    for (uint64_t first = 400; first < 800; first += 50)
        add_window(0, SAMPLE_FUNCTION, first);
    thread_of(0)->agreed.wanted = 10;
    expect("Traced       100 iterations, in 10 of 10 windows asked for\n"
           "             number 100 to 109; 300 to 309; 400 to 409; 450 to 459; 500 to 509; "
           "550 to 559;\n"
           "             600 to 609; 650 to 659; 700 to 709; 750 to 759\n");
}

/* The trace of a job that was killed is made afterwards: it is named where it is. */
static void test_trace_made_later(void **state)
{
    (void)state;
    char *output = whole.run.output, folder[] = "/tmp/efg_summary_XXXXXX", trace[64];
    assert_non_null(mkdtemp(folder));
    snprintf(trace, sizeof trace, "%s/traces.otf2", folder);
    whole.run.is_saved = 1;
    whole.run.output = folder;
    expect("/: run.efg\n");
    expect_not("traces.otf2");
    fclose(fopen(trace, "w"));
    expect("/: traces.otf2, run.efg\n");
    expect("             vampir /tmp/efg_summary_");
    whole.run.output = output;
    unlink(trace);
    rmdir(folder);
}

static void test_earlier_loops(void **state)
{
    (void)state;
    expect("all iterations");
    thread_of(0)->windows[0].function = 0xfff0123456789a;
    expect_not("all iterations"); /* with which these have nothing to do */
    add_window(0, SAMPLE_FUNCTION, 300);
    expect("Traced       10 iterations of an earlier loop, EFGTRACE_LOOP=123456789a\n"
           "             number 100 to 109, from 400 ms to 440 ms\n"
           "             and 10 iterations, number 300 to 309, from 1.20 s to 1.24 s\n");
    for (uint32_t i = 0; i < whole.rank_count; i++)
        thread_of(i)->windows[0].complete = 0;
    expect("             on 3 of 4 ranks it ended before"); /* on rank 0 another window is of the loop */
    for (uint32_t i = 0; i < whole.rank_count; i++)
        thread_of(i)->windows[0].complete = 1;
    thread_of(0)->loops.best = thread_of(0)->loops.coarser;
    thread_of(0)->loops.best.function = 0xfff0123456789a;
    expect("Traced       10 iterations of an earlier loop, in main\n");
    thread_of(0)->windows[0].function = SAMPLE_FUNCTION;
    thread_of(0)->loops.main.iterations = 50;
    expect("Traced       20 iterations of a finer level of it\n");
    expect_not("each begins");
}

static void test_doubts(void **state)
{
    (void)state;
    thread_of(1)->windows[0].complete = 0;
    thread_of(2)->windows[0].agreed = 0;
    thread_of(3)->window_count = 0;
    set(&whole.run.trace_note, "2 messages have no partner");
    expect("on 1 of 4 ranks it ended before the 10 iterations asked for");
    for (uint32_t i = 0; i < 4; i++)
        thread_of(i)->windows[0].complete = 0;
    expect("on 3 of 4 ranks it ended before"); /* one has no window */
    expect("on 1 of 4 ranks the iterations were not agreed on with the others");
    expect("             rank 3 recorded nothing\n");
    expect_not("the same iterations");
    expect("             2 messages have no partner\n");
    whole.run.trace_events = 0;
    set(&whole.run.trace_note, "the disk is full");
    expect("Trace        none: the disk is full\n");
}

/* That all have the same iterations is said only if nothing speaks against it. */
static void test_claim(void **state)
{
    (void)state;
    struct efg_run_cut *cut = &whole.run.cuts[0];
    expect("             the same iterations on all 4 ranks\n");
    cut->begin_most += 4000000;
    expect("             iterations of these numbers on all 4 ranks\n"
           "             ranks begin the window up to 5.00 ms apart; an iteration takes 3.50 "
           "ms\n");
    uint64_t matched = whole.run.messages.matched;
    whole.run.messages.matched = whole.run.messages.sends;
    expect("             the same iterations on all 4 ranks\n"
           "             ranks begin the window up to 5.00 ms apart");
    whole.run.messages.matched = matched;
    cut->begin_most -= 4000000;
    thread_of(2)->agreed.drifted = 1;
    expect("             iterations of these numbers on all 4 ranks\n"
           "             ranks counted the iterations differently: numbers do not agree\n");
    thread_of(2)->agreed.drifted = 0;
    cut->first_most++;
    expect("not the same iterations on all ranks: they begin at 100 to 101, end at 109\n");
    cut->first_most--;
    cut->ranks = 3;
    thread_of(3)->agreed.is_owner = 0;
    expect("             the same iterations on 3 of 4 ranks\n"
           "             rank 3 does not count these iterations: it was recorded while the others were\n");
    cut->ranks = 2;
    thread_of(2)->agreed.is_owner = 0;
    expect("             2 ranks, rank 2 the first, do not count these iterations: they were recorded while");
    thread_of(3)->agreed.is_alone = 1;
    expect("             rank 3 recorded alone: the others did not answer\n");
}

/* What holds for several windows is said once, of those whose ranks are furthest apart; which ones they are
 * only where something else holds for others. */
static void test_alike(void **state)
{
    (void)state;
    struct efg_run_cut *one = whole.run.cuts, cuts[4] = {*one, *one, *one, *one};
    uint32_t count = whole.run.cut_count;
    cuts[1].begin_most += 4000000;
    cuts[2].begin_most += 5000000;
    cuts[3].ranks = 3;
    cuts[3].first_least = cuts[3].first_most = 105;
    whole.run.cuts = cuts;
    whole.run.cut_count = 4;
    expect("             iterations of these numbers on all 4 ranks (number 100 to 109, 100 to 109, 1 more)\n"
           "             ranks begin iterations 100 to 109 up to 6.00 ms apart; one of these takes 3.40 "
           "ms\n"
           "             the same iterations on 3 of 4 ranks (number 105 to 109)\n");
    struct efg_run_thread *thread = thread_of(0), before = *thread;
    struct efg_run_window windows[4] = {{.first = 100, .last = 110},
                                        {.first = 100, .last = 110},
                                        {.first = 100, .last = 110},
                                        {.first = 105, .last = 110}};
    char phases[] = "thread 0\nmain 2\nwindows 2 3 1 1", *none = whole.ranks[0].phases;
    thread->windows = windows;
    thread->window_count = 4;
    whole.ranks[0].phases = phases;
    expect("(number 100 to 109, 100 to 109 of phase");
    expect("             ranks begin iterations 100 to 109 of phase 1 up to 6.00 ms apart");
    expect("on 3 of 4 ranks (number 105 to 109 of phase 1)\n");
    whole.ranks[0].phases = none;
    *thread = before;
    cuts[2].last_least = cuts[2].last_most = 101;
    cuts[2].end_most = cuts[2].begin_most + 1000000;
    expect("             ranks begin iteration 100 up to 6.00 ms apart; it takes 1.00 ms\n");
    cuts[2].last_least = cuts[2].last_most = one->last_least;
    cuts[2].end_most = one->end_most;
    whole.run.cut_count = 3;
    expect("             iterations of these numbers on all 4 ranks\n");
    expect_not("the same iterations on all");
    expect_not("5.00 ms apart");
    whole.run.cuts = one;
    whole.run.cut_count = count;
}

/* Iterations that take as long may spend it otherwise. */
static void test_share(void **state)
{
    (void)state;
    expect_not("they do not stand");
    for (uint32_t i = 0; i < whole.rank_count; i++)
        thread_of(i)->iterations.recorded_mpi *= 2;
    expect("of all 14.7%\n             they do not stand for the run: EFGTRACE_SELECT=spread");
    for (uint32_t i = 0; i < whole.rank_count; i++)
        thread_of(i)->iterations.recorded_mpi /= 2;
}

/* Iterations that take as long may do other things. How often a program polls says nothing. */
static void test_calls(void **state)
{
    (void)state;
    struct efg_run_thread *thread = thread_of(0);
    uint32_t node = thread->pivot.node;
    thread->windows[0].events = 66;
    expect_not("calls each on rank");
    thread->windows[0].events = 90;
    expect("             they made 9.0 calls each on rank 0, the mean of all is 6.");
    expect("%)\n             they do not stand for the run: EFGTRACE_SELECT=spread takes them from all of "
           "the run\n");
    thread->graph.nodes[node].polls = 1;
    expect_not("calls each on rank");
    thread->graph.nodes[node].polls = 0;
    thread->windows[0].select = EFG_SELECT_SLOW;
    expect_not("calls each on rank");
    thread->windows[0].select = EFG_SELECT_FIRST;
    thread->windows[0].events = 60;
}

/* Below 95% a warning comes first, with the reason. */
static void test_warning(void **state)
{
    (void)state;
    expect_not("Warning");
    whole.run.messages.matched = 77;
    expect("in MPI\nWarning      only 92.8% of the recorded messages have both ends\n"
           "             they cross iterations: sent in one, received in another\n");
    expect_not("the same iterations");
    whole.run.cuts[0].begin_most += 4000000;
    expect("             ranks are more than an iteration apart");
    whole.run.messages.left_out = whole.run.messages.unproven = 5;
    expect("             in some window it is not known which ends belong together\n");
    expect("             5 of these sends and receives are not in the trace\n"
           "             5 as in some window it is not known which of them belong together\n");
    whole.run.messages.left_out = whole.run.messages.unproven = 0;
    thread_of(3)->window_count = 0;
    expect("             ranks are missing in the trace\n");
    thread_of(1)->windows[0].agreed = 0;
    expect("             ranks recorded other iterations than the rest\n");
    thread_of(1)->agreed.drifted = 1;
    expect("both ends\n             ranks counted the iterations differently\n");
    whole.run.messages.unknown = 1;
    expect_not("Warning");
}

static void test_notes(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 4; i++)
        set(&whole.ranks[i].note, "the log is full");
    set(&whole.ranks[0].note, "no invariant TSC; the folder is full");
    expect("Note         rank 0: no invariant TSC\nNote         rank 0: the folder is full\n"
           "Note         3 ranks: the log is full\n");
}

static void test_odd_runs(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < whole.rank_count; i++)
        whole.ranks[i].end = 0; /* killed */
    expect("4.05 s");
    whole_run_fini(&whole); /* nothing at all */
    whole.run.output = strdup("x");
    expect("no rank left anything");
}

static void test_hostile_text(void **state)
{
    (void)state;
    char name[400];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    set(&whole.run.sites[SAMPLE_ALLREDUCE - 1].symbols[0].function, name);
    set(&whole.run.application, "\033[31mr\xc3\xb6t\n");
    const char *text = summary();
    assert_non_null(strstr(text, "?[31mr??t?"));
    assert_non_null(strstr(text, "..."));
}

static void test_cpp_names(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"Foam::solve(Foam::dictionary const&)", "stencil.c:48 Foam::solve"},
        {"f<int(double)>(int)", "stencil.c:48 f<int(double)>"},
        {"A::operator()(int)", "stencil.c:48 A::operator()"},
        {"operator()", "stencil.c:48 operator()"},
        {"(anonymous namespace)::f(int)", "stencil.c:48 (anonymous namespace)::f"},
        {"N::(anonymous namespace)::f()", "stencil.c:48 (anonymous namespace)::f"},
        {"LAMMPS_NS::CommBrick::exchange(int)", "stencil.c:48 CommBrick::exchange"},
        {"a::b<c::d::e>::f<g::h>(int)", "stencil.c:48 b<c::d::e>::f<g::h>"},
        {"main", "stencil.c:48 main"},
        {"void solve<double>(int)", "stencil.c:48 solve<double>"},
        {"std::vector<int, std::allocator<int> > N::f<int>(A<B>)", "stencil.c:48 N::f<int>"},
        {"A::operator bool() const", "stencil.c:48 A::operator bool"},
        {"__plib_module_MOD_irecv_d_3d", "stencil.c:48 plib_module::irecv_d_3d"},
        {"Integrate::run(Atom&) [clone ._omp_fn.0]", "stencil.c:48 Integrate::run (OpenMP)"},
        {"step._omp_fn.1", "stencil.c:48 step (OpenMP)"},
        {"pack.isra.0", "stencil.c:48 pack"},
        {"Solver.step", "stencil.c:48 Solver.step"},
        {"Foam::GeometricField<Foam::Vector<double>, Foam::fvPatchField, Foam::volMesh>::correct(bool)",
         "stencil.c:48 GeometricField<...>::correct"},
        {"Foam::processorFvPatchField<Foam::Vector<double> >::initInterfaceMatrixUpdate<B<A>, E<D>, C>(int)",
         "stencil.c:48 processorFvPatchField<...>::initInterfaceMatrixUpdate<...>"},
        {"a_namespace_that_has_a_very_long_name::a_function_that_has_a_very_long_name(int)",
         "stencil.c:48 a_namespace_that_has_a_very_long_nam...has_a_very_long_name"},
    };
    whole_run_join(&whole);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[100];
        const struct efg_graph *graph = &whole.run.speaker.threads[0].graph;
        set(&whole.run.sites[SAMPLE_ALLREDUCE - 1].symbols[0].function, names[i][0]);
        efg_summary_place(&whole.run, &graph->nodes[whole.run.speaker.threads[0].pivot.node], text,
                          sizeof text);
        assert_string_equal(text, names[i][1]);
    }
}

/* What could not be written is not offered to be read. */
static void test_fit(void **state)
{
    static const char *const wide = "      time     share      calls  where\n"
                                    "   12.5 ms      2.5%       1000  MPI_Send  a_function < another_one\n"
                                    "    125 ms     25.0%         10  MPI_Recv\n";
    static const struct {
        int width;
        const char *text;
    } fits[] = {
        {60, "    time   share   calls  where\n"
             " 12.5 ms    2.5%    1000  MPI_Send  a_function < another_one\n"
             "  125 ms   25.0%      10  MPI_Recv\n"},
        {50, "    time share calls where\n"
             " 12.5 ms  2.5%  1000 MPI_Send  a_functi...ther_one\n"
             "  125 ms 25.0%    10 MPI_Recv\n"},
        {45, "    time share calls where\n"
             " 12.5 ms  2.5%  1000 MPI_Send\n"
             "                     a_function < another_one\n"
             "  125 ms 25.0%    10 MPI_Recv\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        struct efg_buffer text = {0}, fit = {0};
        efg_buffer_put(&text, wide, strlen(wide));
        efg_summary_fit(&fit, &text, fits[i].width);
        efg_buffer_put(&fit, "", 1);
        assert_string_equal((char *)fit.data, fits[i].text);
        efg_buffer_fini(&text);
        efg_buffer_fini(&fit);
    }
}

/* Where there are two names, and the last one is in the next line, the other one must fit, too. */
static void test_fit_two_names(void **state)
{
    struct efg_buffer text = {0}, fit = {0};
    efg_buffer_print(
        &text, "%s",
        "   12.5 ms      2.5%  computation before MPI_Sendrecv_replace  pw.x+0x123456 < pw.x+0x654321\n"
        "    125 ms     25.0%  computation before MPI_Send  main\n");
    efg_summary_fit(&fit, &text, 50);
    (void)state;
    efg_buffer_put(&fit, "", 1);
    assert_string_equal((char *)fit.data, " 12.5 ms  2.5% computation befo...Sendrecv_replace\n"
                                          "                     pw.x+0x123456 < pw.x+0x654321\n"
                                          "  125 ms 25.0% computation before MPI_Send  main\n");
    efg_buffer_fini(&text);
    efg_buffer_fini(&fit);
}

/* A loop inside stays one when it gets a number. */
static void test_number(void **state)
{
    static const char *const names[][2] = {
        {"in hpcc+0x2fddc (inner 2)", "in hpcc+0x2fddc (inner 2) #1"},
        {"in a.c:1 f (inner)", "in a.c:1 f (inner) #1"},
        {"Comm::Comm (liblammps.so.0)", "Comm::Comm #1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", names[i][0]);
        efg_summary_number(text, sizeof text, 1);
        assert_string_equal(text, names[i][1]);
    }
}

/* Names that would look the same without their middle are whole; so are loops that differ in what they do. */
static void test_fit_alike(void **state)
{
    struct efg_buffer text = {0}, fit = {0};
    efg_buffer_print(&text, "%s",
                     "   calls       time  where\n"
                     "    1000    12.5 ms  MPI_Send  Comm::border_one_all < Verlet::run_all\n"
                     "     500    12.5 ms  MPI_Send  Comm::border_one_all < Verlet::run_all\n"
                     "     100    1.25 ms  MPI_Send  Comm::border_two_all < Verlet::run_all\n"
                     "     100    1.25 ms  MPI_Recv  Comm::border_one_all < Verlet::run_all\n"
                     "       4    1.25 ms  4 x in Comm::setup: Send, Irecv, 2 more\n"
                     "       2    1.25 ms  2 x in Comm::setup: Send, Recv, 2 more\n"
                     "       2    1.25 ms  2 x in Comm::other: Send, Sendrecv, Wait, 2 more\n");
    efg_summary_fit(&fit, &text, 46);
    (void)state;
    efg_buffer_put(&fit, "", 1);
    assert_string_equal((char *)fit.data, " calls    time where\n"
                                          "  1000 12.5 ms MPI_Send\n"
                                          "        Comm::border_one_all < Verlet::run_all\n"
                                          "   500 12.5 ms MPI_Send\n"
                                          "        Comm::border_one_all < Verlet::run_all\n"
                                          "   100 1.25 ms MPI_Send\n"
                                          "        Comm::border_two_all < Verlet::run_all\n"
                                          "   100 1.25 ms MPI_Recv  Comm::bor...::run_all\n"
                                          "     4 1.25 ms\n"
                                          "       4 x in Comm::setup: Send, Irecv, 2 more\n"
                                          "     2 1.25 ms\n"
                                          "        2 x in Comm::setup: Send, Recv, 2 more\n"
                                          "     2 1.25 ms 2 x in Comm::other\n");
    efg_buffer_fini(&text);
    efg_buffer_fini(&fit);
}

static void test_lost(void **state)
{
    (void)state;
    expect("             vampir ");
    free(whole.run.output);
    whole.run.output = NULL;
    expect("Files        none: run.efg could not be written");
    expect_not("Next ");
    expect_not("vampir");
}

/* What to do where a program has no symbols. */
static void test_names(void **state)
{
    uint32_t count = whole.run.site_count;
    struct efg_run_names *names = &whole.names;
    (void)state;
    expect_not("Names ");
    for (uint32_t i = 0; i < names->path_count; i++) {
        struct efg_run_path *path = &names->paths[i];
        path->depth += 4;
        free(path->frames);
        path->frames = calloc(path->depth, sizeof *path->frames);
        assert_non_null(path->frames);
    }
    expect("Names        few in stencil, which is stripped; from debug files they are added by\n"
           "             efgtrace symbols efgtrace.stencil.1234\n");
    whole.run.site_count = 0;
    expect("Names        not looked up, as symbols = off says; they are added by\n"
           "             efgtrace symbols efgtrace.stencil.1234\n");
    whole.run.site_count = count;
}

static void test_without_symbols(void **state)
{
    (void)state;
    uint32_t count = whole.run.site_count;
    whole.run.site_count = 0;
    expect("MPI_Allreduce  stencil+0x1070");
    whole.run.site_count = count;
}

static void test_formats(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        const char *ns, *bytes, *count;
    } cases[] = {
        {0, "0 ns", "0 B", "0"},
        {999, "999 ns", "999 B", "999"},
        {1000, "1.00 us", "1.00 kB", "1000"},
        {9996, "10.0 us", "10.0 kB", "9996"},
        {99949, "99.9 us", "99.9 kB", "99949"},
        {999600, "1.00 ms", "1.00 MB", "1.00 million"},
        {123456789, "123 ms", "123 MB", "123 million"},
        {UINT64_C(61000000000), "61.0 s", "61.0 GB", "61.0 billion"},
        {UINT64_C(1800000000000), "30.0 min", "1.80 TB", "1.80 trillion"},
        {UINT64_C(43200000000000), "12.0 h", "43.2 TB", "43.2 trillion"},
    };
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        efg_format_ns(text, sizeof text, cases[i].value);
        assert_string_equal(text, cases[i].ns);
        efg_format_bytes(text, sizeof text, cases[i].value);
        assert_string_equal(text, cases[i].bytes);
        efg_format_count(text, sizeof text, (double)cases[i].value);
        assert_string_equal(text, cases[i].count);
    }
    efg_format_ns(text, sizeof text, UINT64_MAX);
    assert_int_equal(efg_format_range(text, sizeof text, 12, 21), 8);
    assert_string_equal(text, "12 to 21");
    assert_int_equal(efg_format_range(text, sizeof text, 23, 23), 2);
    assert_string_equal(text, "23");
}

/* Neither 1e+02 nor 1e-05, and what is not all is not 100%. */
static void test_digits(void **state)
{
    static const struct {
        double value;
        const char *digits, *percent;
    } cases[] = {
        {0, "0", "0%"},
        {1e-5, "0.000010", "under 0.001%"},
        {0.00094, "0.00094", "under 0.001%"},
        {0.05, "0.05", "0.05%"},
        {0.523, "0.52", "0.52%"},
        {5, "5", "5%"},
        {9.96, "10", "10%"},
        {43.21, "43", "43%"},
        {99.4, "99", "99%"},
        {99.7, "100", "over 99%"},
        {100, "100", "100%"},
        {123.4, "123", "123%"},
        {-250, "-250", "-250%"},
        {1234567, "1234567", "1234567%"},
    };
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        efg_format_digits(text, sizeof text, cases[i].value, 2);
        assert_string_equal(text, cases[i].digits);
        efg_format_percent(text, sizeof text, cases[i].value);
        assert_string_equal(text, cases[i].percent);
    }
}

#define MANY 10000
#define KINDS 500
#define PATHS 5000
#define NODE_RANKS 128
#define HOSTILE_MARKUP "</script><img src=x onerror=document.title=1><!--"
#define HOSTILE_TEXT "a<b>::\"c\"\\&'\xff\x01\n{|}]]>(int)"
/* Sets the title of a terminal, as ESC and as the control character of ISO 8859; ends a line of
 * JavaScript. */
#define HOSTILE_CODES        \
    "\033]0;owned\a\xc2\x9d" \
    "0;owned\a\xe2\x80\xa8"

#define HOSTILE_SHORT "<img src=x onerror=a()>" /* where figures are found by names */

/* Every text that a run file has. */
static void make_hostile(void)
{
    for (uint32_t i = 0; i < whole.run.site_count; i++) {
        struct efg_run_symbol *symbol = &whole.run.sites[i].symbols[0];
        int is_main = !strcmp(symbol->function, "main"); /* is one function */
        set(&symbol->function, i % 2 && !is_main ? HOSTILE_TEXT : HOSTILE_MARKUP);
        set(&symbol->file, i % 3 ? HOSTILE_CODES : HOSTILE_MARKUP);
    }
    for (uint32_t i = 0; i < whole.names.call_count; i++)
        if (i % 3 == 0)
            set(&whole.names.calls[i].name, HOSTILE_SHORT);
    for (uint32_t i = 0; i < whole.rank_count; i++) {
        set(&whole.ranks[i].host, i % 2 ? HOSTILE_MARKUP : HOSTILE_CODES);
        set(&whole.ranks[i].place.cores, HOSTILE_CODES);
        set(&whole.ranks[i].note, HOSTILE_CODES HOSTILE_MARKUP);
    }
    set(&whole.run.application, HOSTILE_MARKUP "\"&\\\xed\xa0\x80");
    set(&whole.run.command, HOSTILE_CODES HOSTILE_MARKUP HOSTILE_TEXT);
    set(&whole.run.version, HOSTILE_CODES HOSTILE_MARKUP);
    set(&whole.run.mpi, HOSTILE_MARKUP HOSTILE_CODES);
    set(&whole.run.output, "/nowhere/" HOSTILE_CODES);
    set(&whole.run.trace_note, HOSTILE_SHORT);
}

static int write_sample(const char *how, const char *path)
{
    int many = !strcmp(how, "--write-many"), error;
    if (many)
        sample_run_uneven(&whole, KINDS);
    else if (!strcmp(how, "--write-paths"))
        sample_run_paths(&whole, PATHS);
    else
        sample_run(&whole);
    if (!strcmp(how, "--write-hostile"))
        make_hostile();
    if (many) {
        whole.run.size = whole.run.cuts[0].ranks = MANY;
        error = whole_run_write_many(&whole, path, MANY, NODE_RANKS);
    } else {
        error = whole_run_write(&whole, path, SAMPLE_RANKS / 2);
    }
    whole_run_fini(&whole);
    return error != 0;
}

static void assert_wrapped(const char *text, const char *expected)
{
    struct efg_buffer lines = {0};
    efg_summary_wrap(&lines, "head ", text);
    char *got = efg_buffer_text(&lines);
    assert_string_equal(got, expected);
    free(got);
}

/* A path can be copied, however long it is. */
static void test_wrap(void **state)
{
    char path[EFG_COLUMNS + 11], text[300], expected[300];
    (void)state;
    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = '\0';
    assert_wrapped("", "head\n");
    assert_wrapped("two words", "head two words\n");
    snprintf(text, sizeof text, "in %s which is long", path);
    snprintf(expected, sizeof expected, "head in\n     %s\n     which is long\n", path);
    assert_wrapped(text, expected);
    snprintf(expected, sizeof expected, "head %s\n", path);
    assert_wrapped(path, expected);
}

/* Text that would be broken before the last word of NUMBER goes on with all of it. */
static void assert_kept(const char *number)
{
    char before[EFG_COLUMNS], text[300], expected[300];
    const char *last = strrchr(number, ' ');
    size_t length = EFG_COLUMNS - strlen("head ") - 1 - (size_t)(last - number);
    memset(before, 'w', length);
    before[length] = '\0';
    snprintf(text, sizeof text, "%s %s, more", before, number);
    snprintf(expected, sizeof expected, "head %s\n     %s, more\n", before, number);
    assert_wrapped(text, expected);
}

static void test_units(void **state)
{
    char text[300], expected[300], before[EFG_COLUMNS - 6];
    (void)state;
    assert_kept("2.19 ms");
    assert_kept("12 B");
    assert_kept("633 thousand");
    memset(before, 'w', sizeof before);
    before[sizeof before - 3] = '\0';
    snprintf(text, sizeof text, "%s 3 ranks", before);
    snprintf(expected, sizeof expected, "head %s 3\n     ranks\n", before);
    assert_wrapped(text, expected);
}

/* Of several sentences with one head, what goes on is told from the next sentence. */
static void test_hang(void **state)
{
    char path[EFG_COLUMNS + 1], expected[4 * EFG_COLUMNS];
    struct efg_buffer lines = {0};
    (void)state;
    memset(path, 'p', sizeof path);
    path[EFG_COLUMNS - 15] = '\0'; /* as long as what goes on may be */
    efg_summary_tell(&lines, "Graph        of %s and %s", path, path);
    efg_summary_tell(&lines, "             the next");
    char *got = efg_buffer_text(&lines);
    snprintf(expected, sizeof expected,
             "Graph        of\n               %s\n               and\n               %s\n%s\n", path, path,
             "             the next");
    assert_string_equal(got, expected);
    free(got);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_hang),
        cmocka_unit_test_setup_teardown(test_golden, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stable_but_for_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_doubt, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_untraced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_more_than_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pauses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_loop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_binding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_host, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_modes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_levels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_iterations_since, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pivots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_windows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_trace_made_later, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_earlier_loops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_doubts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_claim, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_alike, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_share, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_calls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_warning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_notes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hostile_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counts_of_killed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_larger_phase, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_word_of_a_phase, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cpp_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_two_names),
        cmocka_unit_test(test_fit_alike),
        cmocka_unit_test(test_number),
        cmocka_unit_test_setup_teardown(test_lost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_symbols, set_up, tear_down),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_digits),
    };
    if (argc == 3 && !strncmp(argv[1], "--write", 7))
        return write_sample(argv[1], argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
