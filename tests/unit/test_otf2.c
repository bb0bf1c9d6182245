/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OTF2 from logs: every kind of record, call paths and iterations as nested regions, parts of
 * jobs.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/match/flight.h"
#include "files/otf2/otf2.h"
#include "otf2_logs.h"
#include "otf2_trace.h"

/* --- whole jobs --- */

static void every_kind_of_record(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < SYNTH_RANKS; rank++)
        synth_log(trace_dir, rank);
    assert_int_equal(trace_convert(SYNTH_RANKS), 0);
    assert_string_equal(trace_warnings, "");
    trace_expect_valid("--full --iterations 4");
    trace_expect_in_report("unmatched sends 0, unmatched receives 0");
    trace_expect_in_report("communicators 6, ");
    trace_expect_in_report("brackets 4");
    trace_expect_in_report("numbered alike True");
    trace_expect_in_report("8 passed, 0 failed");
}

static void events_of_every_kind_are_there(void **state)
{
    static const char *const kinds[] = {"MPI_SEND",
                                        "MPI_RECV",
                                        "MPI_ISEND",
                                        "MPI_ISEND_COMPLETE",
                                        "MPI_IRECV_REQUEST",
                                        "MPI_IRECV",
                                        "MPI_REQUEST_TEST",
                                        "MPI_REQUEST_CANCELLED",
                                        "MPI_COLLECTIVE_BEGIN",
                                        "MPI_COLLECTIVE_END",
                                        "NON_BLOCKING_COLLECTIVE_REQUEST",
                                        "NON_BLOCKING_COLLECTIVE_COMPLETE",
                                        "RMA_PUT",
                                        "RMA_GET",
                                        "RMA_ATOMIC",
                                        "RMA_OP_COMPLETE_BLOCKING",
                                        "RMA_OP_COMPLETE_NON_BLOCKING",
                                        "RMA_OP_COMPLETE_REMOTE",
                                        "RMA_OP_TEST",
                                        "RMA_COLLECTIVE_BEGIN",
                                        "RMA_COLLECTIVE_END",
                                        "RMA_GROUP_SYNC",
                                        "RMA_ACQUIRE_LOCK",
                                        "RMA_RELEASE_LOCK",
                                        "RMA_SYNC",
                                        "RMA_WIN_CREATE",
                                        "RMA_WIN_DESTROY",
                                        "IO_CREATE_HANDLE",
                                        "IO_DESTROY_HANDLE",
                                        "IO_SEEK",
                                        "IO_OPERATION_BEGIN",
                                        "IO_OPERATION_COMPLETE",
                                        "IO_OPERATION_ISSUED",
                                        "IO_OPERATION_TEST",
                                        "IO_OPERATION_CANCELLED",
                                        "PARAMETER_UINT64",
                                        "MEASUREMENT_ON_OFF",
                                        "ENTER",
                                        "LEAVE"};
    (void)state;
    for (uint32_t rank = 0; rank < SYNTH_RANKS; rank++)
        synth_log(trace_dir, rank);
    assert_int_equal(trace_convert(SYNTH_RANKS), 0);
    assert_int_equal(trace_run("timeout 60 otf2-print %s/traces.otf2 >%1$s/events%s", ""), 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (trace_run("grep -q '^%2$s  *[0-3] ' %1$s/events", kinds[i]) != 0)
            fail_msg("no %s", kinds[i]);
    if (trace_run("test $(otf2-print -G %s/traces.otf2 | grep -c '^GROUP .*, 1 Member: ') = %s", "4") != 0)
        fail_msg("no group for each epoch");
}

static void threads_have_locations(void **state)
{
    char paths[3][128], *list[3];
    struct efg_run_skew skew;
    static const uint32_t who[3][2] = {{1, 1}, {0, 0}, {1, 0}};
    struct synth s;
    (void)state;
    for (int i = 0; i < 3; i++) {
        synth_open(&s, trace_dir, who[i][0], who[i][1], 2);
        synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
        synth_enter(&s, "MPI_Wtime", 0);
        synth_leave(&s, "MPI_Wtime");
        synth_mark(&s, EFG_REC_WINDOW_END, 0);
        synth_close(&s, 1);
        snprintf(paths[i], sizeof paths[i], "%s/logs/%u.%u.log", trace_dir, who[i][0], who[i][1]);
        list[i] = paths[i];
    }
    assert_int_equal(efg_otf2_convert(trace_dir, list, 3, NULL, NULL, &skew), 0);
    trace_expect_valid("");
    trace_expect_in_report("ranks 2, locations 3");
    trace_expect_events((UINT64_C(1) << 32) | 1, "100 Enter MPI_Wtime\n200 Leave MPI_Wtime\n");
}

/* --- messages that cross the beginning of the window --- */

static void put_message(struct synth *s, uint16_t kind, uint32_t peer, uint32_t tag, uint64_t request)
{
    synth_put(s,
              (struct efg_record){.kind = kind, .a = SYNTH_WORLD, .b = peer, .c = tag, .d = 8, .e = request});
}

/* In a window that begins with FLIGHT: sends of TO_TAG by requests 1 and 2, at 1 and 2 us;
 * then receives of FROM_TAG by requests 3 and 4, that are complete at 3 and 6 us. */
static void write_crossing(uint32_t rank, uint32_t to_tag, uint32_t from_tag, struct efg_flight flight)
{
    struct synth s;
    synth_open(&s, trace_dir, rank, 0, 2);
    s.log.header->full = 0;
    synth_define(&s);
    synth_put(
        &s, (struct efg_record){.kind = EFG_REC_WINDOW_BEGIN, .a = (uint32_t)flight.count, .e = flight.sum});
    synth_enter(&s, "MPI_Waitall", 0);
    for (uint64_t request = 3; request <= 4; request++)
        put_message(&s, EFG_REC_IRECV_REQUEST, 1 - rank, from_tag, request);
    for (uint64_t request = 1; request <= 2; request++) {
        s.now = 100000 + request * 1000 + rank * 2500; /* rank 1 is later */
        put_message(&s, EFG_REC_ISEND, 1 - rank, to_tag, request);
        put_message(&s, EFG_REC_ISEND_COMPLETE, 0, 0, request);
    }
    for (uint64_t request = 3; request <= 4; request++) {
        s.now = 100000 + request * 1000 + rank * 2500 - 100;
        put_message(&s, EFG_REC_REQUEST_TEST, 0, 0, request);
        put_message(&s, EFG_REC_IRECV, 1 - rank, from_tag, request);
    }
    synth_leave(&s, "MPI_Waitall");
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    synth_close(&s, 1);
}

/* The first send up was received before the window, the first receive down was sent before it:
 * both are left out with their requests, if that is proven. */
static void strays_are_left_out(void **state)
{
    uint64_t up = efg_flight_channel(0, 0, 1, 5), down = efg_flight_channel(0, 1, 0, 6);
    struct efg_flight flight = {0};
    (void)state;
    efg_flight_add(&flight, up, -1);
    efg_flight_add(&flight, down, 1);
    write_crossing(0, 5, 6, flight);
    write_crossing(1, 6, 5, (struct efg_flight){0});
    assert_int_equal(trace_convert(2), 0);
    trace_expect_valid("--min-matched 0.5 --iterations 0");
    trace_expect_in_report("matched 2, unmatched sends 1, unmatched receives 1,");
    trace_expect_in_report("started 6, completed 6, orphans 0");
    efg_otf2_remove(trace_dir, 0);
    assert_int_equal(trace_run("rm %s/logs/0.0.log%s", ""), 0);
    flight.sum++;
    write_crossing(0, 5, 6, flight);
    assert_int_equal(trace_convert(2), 0);
    trace_expect_valid("--min-matched 0.5 --iterations 0");
    trace_expect_in_report("started 8, completed 8, orphans 0");
}

/* --- definitions --- */

/* As MPI_Finalize does it, but for the number of processes. */
static int write_in_steps(struct efg_otf2_unifier *u, const struct efg_log_view *views, int count)
{
    uint64_t events[SYNTH_RANKS] = {0};
    const struct efg_strays none = {0};
    int rc = efg_otf2_make(trace_dir, 0);
    OTF2_Archive *archive = efg_otf2_open(trace_dir, 0, 0);
    rc |= OTF2_Archive_SetSerialCollectiveCallbacks(archive) != OTF2_SUCCESS;
    rc |= efg_otf2_open_files(archive);
    for (int i = count; i-- > 0;) {
        struct efg_buffer map = {0};
        rc |= efg_otf2_map(u, i, &map);
        struct efg_otf2_count written;
        rc |= efg_otf2_events(archive, &views[i], map.data, map.size, &none, &written);
        events[i] = written.events;
        efg_buffer_fini(&map);
    }
    rc |= efg_otf2_absent(u, archive);
    rc |= efg_otf2_close_files(archive);
    rc |= efg_otf2_define(u, archive, events, 1);
    rc |= efg_otf2_close(archive);
    return rc | efg_otf2_publish(trace_dir, 0);
}

static void places_are_nodes(void **state)
{
    struct efg_symbols *symbols = efg_symbols_new();
    struct efg_otf2_unifier *u = efg_otf2_unifier_new(symbols);
    struct efg_log_view views[2];
    char path[128];
    (void)state;
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct efg_buffer scan = {0};
        synth_log(trace_dir, rank);
        snprintf(path, sizeof path, "%s/logs/%u.0.log", trace_dir, rank);
        assert_int_equal(efg_log_open(&views[rank], path, NULL), 0);
        assert_int_equal(efg_otf2_scan(&views[rank], NULL, &scan), 0);
        assert_int_equal(efg_otf2_unify(u, scan.data, scan.size), rank);
        efg_buffer_fini(&scan);
    }
    assert_int_equal(write_in_steps(u, views, 2), 0);
    trace_expect_readable();
    assert_int_equal(trace_run("otf2-print -G %s/traces.otf2 >%1$s/definitions%s", ""), 0);
    assert_int_equal(trace_run("grep -q 'MPI Rank 1.*core::core 1' %s/definitions%s", ""), 0);
    assert_int_equal(trace_run("grep -q '\"core 1\".*package::package 0' %s/definitions%s", ""), 0);
    assert_int_equal(trace_run("grep -q '\"package 0\".*node::node0' %s/definitions%s", ""), 0);
    assert_int_equal(trace_run("grep -q 'MPI Rank 0.*core::core 0' %s/definitions%s", ""), 0);
    assert_int_equal(trace_run("grep -q '\"core 0\".*node::node0' %s/definitions%s", ""), 0);
    for (int i = 0; i < 2; i++)
        efg_log_unmap(&views[i]);
    efg_otf2_unifier_free(u);
    efg_symbols_free(symbols);
}

/* Two communicators of two ranks, each made from the other, as far as a rank can tell. */
static void put_comms(uint32_t rank, uint64_t first, uint64_t second, uint32_t parent)
{
    static const uint32_t both[] = {0, 1};
    struct synth s;
    synth_open(&s, trace_dir, rank, 0, 2);
    synth_comm(&s, 1, EFG_COMM_INTRA, UINT32_MAX, first, 2, 0, both);
    if (second)
        synth_comm(&s, 2, EFG_COMM_INTRA, parent, second, 2, 0, both);
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    synth_close(&s, 1);
}

static void parents_come_first(void **state)
{
    (void)state;
    put_comms(0, 77, 0, 0);  /* the child, whose parent rank 0 does not know */
    put_comms(1, 66, 77, 1); /* parent and child */
    assert_int_equal(trace_convert(2), 0);
    trace_expect_valid("");
    assert_int_equal(trace_run("otf2-print -G %s/traces.otf2 >%1$s/definitions%s", ""), 0);
    assert_int_equal(trace_run("grep -q '^COMM  *3 .*Parent: \"\" <2>' %s/definitions%s", ""), 0);
}

static void circles_are_cut(void **state)
{
    (void)state;
    put_comms(0, 66, 77, 1);
    put_comms(1, 77, 66, 1);
    assert_int_equal(trace_convert(2), 0);
    trace_expect_valid("");
}

/* --- regions --- */

/* Two functions to be called from: long enough for several call sites in each. */
static __attribute__((noinline)) int here(volatile int *x)
{
    *x = *x * 3 + 1;
    return *x / 7;
}

static __attribute__((noinline)) int there(volatile int *x)
{
    *x = *x * 5 + 2;
    return *x / 11;
}

static void functions_are_nested(void **state)
{
    /* Two call sites in "here", so paths 1 and 2 have different visits of "there". */
    const void *h1 = (const char *)here + 1, *h2 = (const char *)here + 2, *t = (const char *)there + 1;
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 1);
    synth_define(&s);
    synth_path(&s, 11, (const void *const[]){t, h1}, 2);
    synth_path(&s, 12, (const void *const[]){t, h2}, 2);
    synth_path(&s, 13, (const void *const[]){h1}, 1);
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    synth_mark(&s, EFG_REC_ITERATION_BEGIN, 0);
    for (uint32_t path = 11; path <= 13; path++) {
        synth_enter(&s, "MPI_Wtime", path);
        synth_leave(&s, "MPI_Wtime");
    }
    synth_mark(&s, EFG_REC_ITERATION_END, 0);
    synth_mark(&s, EFG_REC_ITERATION_BEGIN, 1);
    synth_enter(&s, "MPI_Send", 11);
    synth_leave(&s, "MPI_Send");
    synth_mark(&s, EFG_REC_ITERATION_END, 1);
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    synth_close(&s, 1);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_events(0, "37 Enter iteration\n198 Enter here\n199 Enter there\n"
                           "200 Enter MPI_Wtime\n300 Leave MPI_Wtime\n301 Leave there\n"
                           "399 Enter there\n400 Enter MPI_Wtime\n500 Leave MPI_Wtime\n"
                           "501 Leave there\n600 Enter MPI_Wtime\n700 Leave MPI_Wtime\n"
                           "735 Leave here\n736 Leave iteration\n837 Enter iteration\n"
                           "900 Enter here\n999 Enter there\n1000 Enter MPI_Send\n"
                           "1100 Leave MPI_Send\n1134 Leave there\n1135 Leave here\n"
                           "1136 Leave iteration\n");
    trace_expect_valid("--iterations 2");
}

static void put_region(struct synth *s, uint32_t path, uint32_t region)
{
    synth_put(s, (struct efg_record){.kind = EFG_REC_REGION, .a = path, .b = region});
}

static void put_call(struct synth *s, uint32_t path)
{
    synth_enter(s, "MPI_Wtime", path);
    synth_leave(s, "MPI_Wtime");
}

/* A log with paths 11: here, there; 13: here; and regions 1: around; 2: solve, 3: late, both in it; 4: empty,
 * in that. */
static void open_with_regions(struct synth *s)
{
    const void *h1 = (const char *)here + 1, *t = (const char *)there + 1;
    synth_open(s, trace_dir, 0, 0, 1);
    synth_define(s);
    synth_path(s, 11, (const void *const[]){t, h1}, 2);
    synth_path(s, 13, (const void *const[]){h1}, 1);
    synth_region(s, 1, 0, "around");
    synth_region(s, 2, 1, "solve");
    synth_region(s, 3, 1, "late");
    synth_region(s, 4, 3, "empty");
}

/* One that began before the window is around the functions; others are in those that they begin in, and
 * what is called in them is in them. */
static void regions_are_nested_with_functions(void **state)
{
    struct synth s;
    (void)state;
    open_with_regions(&s);
    synth_put(&s, (struct efg_record){.kind = EFG_REC_WINDOW_BEGIN, .b = 1});
    synth_put(&s, (struct efg_record){.kind = EFG_REC_ITERATION_BEGIN, .e = 1});
    put_call(&s, 11);
    put_region(&s, 13, 2);
    put_call(&s, 11);
    put_region(&s, 13, 1);
    synth_mark(&s, EFG_REC_ITERATION_END, 0);
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    synth_close(&s, 1);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_events(0, "0 Enter around\n35 Leave around\n37 Enter iteration\n100 Enter around\n"
                           "198 Enter here\n199 Enter there\n200 Enter MPI_Wtime\n"
                           "300 Leave MPI_Wtime\n301 Leave there\n400 Enter solve\n"
                           "499 Enter there\n500 Enter MPI_Wtime\n600 Leave MPI_Wtime\n"
                           "601 Leave there\n700 Leave solve\n734 Leave here\n735 Leave around\n"
                           "736 Leave iteration\n800 Enter around\n835 Leave around\n");
    trace_expect_valid("--iterations 1");
}

/* One that outlives a function, or an iteration, goes on; that it has nothing in it is no reason to leave it
 * out, but functions are. */
static void regions_go_on(void **state)
{
    struct synth s;
    (void)state;
    open_with_regions(&s);
    synth_put(&s, (struct efg_record){.kind = EFG_REC_WINDOW_BEGIN, .b = 1});
    synth_put(&s, (struct efg_record){.kind = EFG_REC_ITERATION_BEGIN, .e = 1});
    put_region(&s, 11, 3);
    put_call(&s, 13);
    synth_mark(&s, EFG_REC_ITERATION_END, 0);
    synth_put(&s, (struct efg_record){.kind = EFG_REC_ITERATION_BEGIN, .d = 1, .e = 3});
    put_region(&s, 11, 4);
    put_region(&s, 13, 0);
    put_call(&s, 13);
    put_region(&s, 99, 1);
    synth_mark(&s, EFG_REC_ITERATION_END, 1);
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    synth_close(&s, 1);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_events(0, "0 Enter around\n35 Leave around\n37 Enter iteration\n100 Enter around\n"
                           "200 Enter here\n201 Enter late\n300 Enter MPI_Wtime\n"
                           "400 Leave MPI_Wtime\n433 Leave late\n434 Leave here\n435 Leave around\n"
                           "436 Leave iteration\n500 Enter around\n501 Enter here\n502 Enter late\n"
                           "533 Leave late\n534 Leave here\n535 Leave around\n537 Enter iteration\n"
                           "600 Enter around\n601 Enter here\n602 Enter late\n700 Enter empty\n"
                           "800 Leave empty\n801 Leave late\n802 Leave here\n803 Leave around\n"
                           "804 Enter here\n900 Enter MPI_Wtime\n1000 Leave MPI_Wtime\n"
                           "1100 Enter around\n1134 Leave around\n1135 Leave here\n"
                           "1136 Leave iteration\n1200 Enter here\n1201 Enter around\n"
                           "1234 Leave around\n1235 Leave here\n");
    trace_expect_valid("--iterations 2");
}

static void outside_of_main_is_dropped(void **state)
{
    extern int main(void);
    const void *path[] = {(const char *)here + 1, (const char *)main + 1, NULL, (const char *)there + 1};
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 1);
    synth_define(&s);
    synth_path(&s, 11, path, 4);
    synth_path(&s, 12, path + 2, 1);
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    synth_enter(&s, "MPI_Wtime", 11);
    synth_leave(&s, "MPI_Wtime");
    synth_enter(&s, "MPI_Wtime", 12);
    synth_leave(&s, "MPI_Wtime");
    synth_enter(&s, "MPI_Wtime", 4711); /* never defined */
    synth_leave(&s, "MPI_Wtime");
    synth_close(&s, 0);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_events(0, "98 Enter main\n99 Enter here\n100 Enter MPI_Wtime\n"
                           "200 Leave MPI_Wtime\n201 Leave here\n202 Leave main\n"
                           "299 Enter [unknown]\n300 Enter MPI_Wtime\n400 Leave MPI_Wtime\n"
                           "401 Leave [unknown]\n500 Enter MPI_Wtime\n600 Leave MPI_Wtime\n");
}

static void windows_are_bracketed(void **state)
{
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 1);
    synth_enter(&s, "MPI_Send", 0); /* before the first: not shown */
    synth_leave(&s, "MPI_Send");
    for (uint64_t i = 0; i < 2; i++) {
        synth_mark(&s, EFG_REC_WINDOW_BEGIN, i);
        synth_mark(&s, EFG_REC_ITERATION_BEGIN, i);
        synth_mark(&s, EFG_REC_ITERATION_END, i);
        synth_mark(&s, EFG_REC_WINDOW_END, i);
        synth_enter(&s, "MPI_Test", 0); /* completes what the window began */
        synth_leave(&s, "MPI_Test");
    }
    synth_close(&s, 1);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_events(0, "37 Enter iteration\n136 Leave iteration\n400 Enter MPI_Test\n"
                           "500 Leave MPI_Test\n501 Off\n600 On\n637 Enter iteration\n"
                           "736 Leave iteration\n1000 Enter MPI_Test\n1100 Leave MPI_Test\n");
    trace_expect_valid("--iterations 2");
}

/* So many lines of otf2-print have TEXT in an attribute. */
static void expect_lines(const char *text, const char *count)
{
    char format[200];
    snprintf(format, sizeof format,
             "otf2-print %%s/traces.otf2 | grep ATTRIBUTES | grep -c '%s' | grep -qx %%s", text);
    if (trace_run(format, count) != 0)
        fail_msg("not %s lines with \"%s\"", count, text);
}

static void expect_quoted(const char *text)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", text);
    expect_lines(quoted, "1");
}

/* Why it was kept is an attribute of an iteration; how slow it was, too. */
static void iterations_say_why(void **state)
{
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 1);
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    for (uint32_t kept = EFG_KEPT_UNKNOWN; kept <= EFG_KEPT_WHEN; kept++) {
        synth_put(&s, (struct efg_record){
                          .kind = EFG_REC_ITERATION_BEGIN, .a = kept, .b = 3000 + 100 * kept, .d = kept});
        synth_mark(&s, EFG_REC_ITERATION_END, kept);
    }
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    synth_close(&s, 1);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_valid("--iterations 8");
    for (uint32_t kept = EFG_KEPT_FIRST; kept <= EFG_KEPT_WHEN; kept++)
        expect_quoted(efg_otf2_kept(kept));
    expect_lines("times_median.*; 3.4", "1");
    expect_lines("times_median", "1");
}

static void put_iteration(struct synth *s, uint32_t kept, uint32_t phase, uint64_t number)
{
    synth_put(s, (struct efg_record){.kind = EFG_REC_ITERATION_BEGIN, .a = kept, .c = phase, .d = number});
    synth_mark(s, EFG_REC_ITERATION_END, number);
}

/* The conditions are those of all iterations but those that the program asked for; a phase has the function
 * that makes all of its calls. */
static void iterations_say_conditions_and_loops(void **state)
{
    const void *one[] = {(const char *)synth_log + 1, (const char *)synth_log + 2},
               *two[] = {(const char *)synth_log + 1, (const char *)synth_iteration + 1};
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 1);
    synth_define(&s);
    synth_when(&s, "mpi > 60%, region solve");
    synth_phase(&s, 1, one, 2);
    synth_phase(&s, 2, two, 2);
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    put_iteration(&s, EFG_KEPT_WHEN, 1, 0);
    put_iteration(&s, EFG_KEPT_FIRST, 2, 1);
    put_iteration(&s, EFG_KEPT_ASKED, 3, 2);
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    synth_close(&s, 1);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_valid("--iterations 3");
    expect_lines("\"when\" <[0-9]*>; STRING; \"mpi > 60%, region solve\"", "2");
    expect_lines("\"phase_loop\" <[0-9]*>; STRING; \"synth_log\"", "1");
    expect_lines("\"phase_loop\"", "1");
}

/* What was recorded before its phase was agreed on comes before the definition of that. */
static void phases_are_named_afterwards(void **state)
{
    const void *one[] = {(const char *)synth_log + 1, (const char *)synth_log + 2};
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 1);
    synth_define(&s);
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    put_iteration(&s, EFG_KEPT_FIRST, 1, 0);
    put_iteration(&s, EFG_KEPT_FIRST, 1, 1);
    put_iteration(&s, EFG_KEPT_FIRST, 2, 0);
    synth_enter(&s, "MPI_Barrier", 2);
    synth_leave(&s, "MPI_Barrier");
    synth_phase(&s, 1, one, 2);
    put_iteration(&s, EFG_KEPT_FIRST, 1, 2);
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    synth_close(&s, 1);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_valid("--iterations 4");
    expect_lines("\"phase_loop\" <[0-9]*>; STRING; \"synth_log\"", "3");
    expect_lines("\"phase_loop\"", "3");
}

static void put_count(struct synth *s, uint32_t counter, uint64_t began, uint64_t passed)
{
    synth_put(s, (struct efg_record){.kind = EFG_REC_COUNT, .a = counter, .d = began, .e = passed});
}

/* A value where a call begins, one where it ends, and one where an iteration has begun; none without all. */
static void counts_are_metrics(void **state)
{
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 1);
    synth_define(&s);
    synth_counters(&s, 2, "page-faults,task-clock");
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    synth_mark(&s, EFG_REC_ITERATION_BEGIN, 0);
    put_count(&s, 0, 5, 0);
    put_count(&s, 1, 600, 0);
    synth_enter(&s, "MPI_Barrier", 2);
    put_count(&s, 0, 7, 1);
    put_count(&s, 1, 700, 80);
    synth_leave(&s, "MPI_Barrier");
    synth_enter(&s, "MPI_Barrier", 2);
    put_count(&s, 1, 700, 80);
    put_count(&s, 2, 700, 80);
    synth_leave(&s, "MPI_Barrier");
    synth_mark(&s, EFG_REC_ITERATION_END, 0);
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    synth_close(&s, 1);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_valid("--iterations 1");
    if (trace_run("test \"$(otf2-print %s/traces.otf2 | sed -n 's/^METRIC .*page-faults.*; \\([0-9]*\\)).*"
                  "task-clock.*; \\([0-9]*\\)).*/\\1 \\2/p' | xargs)\" = '%s'",
                  "5 600 7 700 8 780") != 0)
        fail_msg("other values");
}

static void put_part(struct synth *s, uint32_t thread, uint64_t begin, uint64_t end)
{
    synth_put(s, (struct efg_record){.kind = EFG_REC_PART, .a = thread, .d = begin, .e = end});
}

/* Threads of a team have locations, with what they did in windows; parts of no thread are damage. */
static void teams_have_locations(void **state)
{
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 1);
    synth_define(&s);
    synth_region(&s, 1, 0, "omp parallel");
    put_part(&s, 3, s.log.next.time, s.log.next.time);
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    put_region(&s, 0, 1); /* 100 ns */
    uint64_t begin = s.log.next.time;
    synth_enter(&s, "MPI_Wtime", 0);
    synth_leave(&s, "MPI_Wtime");
    uint64_t end = s.log.next.time;
    put_part(&s, 2, begin, end);
    put_part(&s, 1, 0, UINT64_MAX); /* 500 ns: it worked longer than it was recorded */
    put_part(&s, 0, begin, end);
    put_part(&s, 256, begin, end);
    put_region(&s, 0, 0); /* 800 ns */
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    synth_close(&s, 1);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_valid("");
    trace_expect_in_report("locations 3");
    trace_expect_events(0, "100 Enter omp parallel\n200 Enter MPI_Wtime\n300 Leave MPI_Wtime\n"
                           "800 Leave omp parallel\n");
    trace_expect_events((uint64_t)(EFG_OTF2_WORKER + 2) << 32,
                        "101 Enter omp parallel\n300 Enter omp implicit barrier\n"
                        "400 Leave omp implicit barrier\n401 Leave omp parallel\n");
    trace_expect_balanced((uint64_t)(EFG_OTF2_WORKER + 1) << 32);
    if (trace_run(
            "test \"$(otf2-print %s/traces.otf2 | awk '/^THREAD/ && !$2 { print $1, $3 }' | xargs)\" = '%s'",
            "THREAD_FORK 101 THREAD_TEAM_BEGIN 102 THREAD_TEAM_END 798 THREAD_JOIN 799") != 0)
        fail_msg("no fork and join of the main thread");
}

static void killed_in_a_collective(void **state)
{
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 1);
    synth_define(&s);
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    synth_mark(&s, EFG_REC_ITERATION_BEGIN, 0);
    synth_enter(&s, "MPI_Barrier", 2);
    synth_put(&s, (struct efg_record){.kind = EFG_REC_COLLECTIVE_BEGIN});
    synth_close(&s, 0);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_events(0, "37 Enter iteration\n198 Enter synth_log\n199 Enter synth_iteration\n"
                           "200 Enter MPI_Barrier\n301 Leave MPI_Barrier\n"
                           "302 Leave synth_iteration\n303 Leave synth_log\n304 Leave iteration\n");
    trace_expect_valid("");
}

/* As a recorder does it: it can be moved. */
static void begin_window(struct synth *s, uint64_t number)
{
    s->log.next.time = UINT64_MAX;
    synth_mark(s, EFG_REC_WINDOW_BEGIN, number);
    for (int i = 0; i < 5; i++)
        efg_log_put(&s->log, &(struct efg_record){.time = s->log.next.time, .kind = EFG_REC_NONE});
}

/* The windows of all logs, of which each has several, are joined to those of the job. */
static void killed_with_several_windows(void **state)
{
    struct synth s;
    (void)state;
    for (uint32_t rank = 0; rank < 3; rank++) {
        synth_open(&s, trace_dir, rank, 0, 3);
        s.log.header->full = 0;
        for (uint64_t window = 0; window < 9; window++) {
            s.now = window * 10000;
            begin_window(&s, window);
            synth_enter(&s, "MPI_Wtime", 0); /* in the margin */
            synth_leave(&s, "MPI_Wtime");
            synth_mark(&s, EFG_REC_ITERATION_BEGIN, window);
            synth_enter(&s, "MPI_Wtime", 0);
            synth_leave(&s, "MPI_Wtime");
            synth_mark(&s, EFG_REC_ITERATION_END, window);
            synth_mark(&s, EFG_REC_WINDOW_END, window);
        }
        synth_close(&s, 0);
    }
    assert_int_equal(trace_convert(3), 0);
    trace_expect_valid("--iterations 9");
    trace_expect_in_report("brackets 24");
}

/* --- what is missing --- */

static void ranks_without_log_exist(void **state)
{
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 5);
    synth_close(&s, 1); /* no window */
    synth_open(&s, trace_dir, 1, 0, 5);
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    synth_enter(&s, "MPI_Wtime", 0);
    synth_leave(&s, "MPI_Wtime");
    synth_close(&s, 0);
    assert_int_equal(trace_convert(2), 0);
    trace_expect_valid("");
    trace_expect_in_report("ranks 5, locations 5");
    trace_expect_events(0, "");
    trace_expect_events(4, "");
}

static void nothing_recorded_is_a_trace(void **state)
{
    struct synth s;
    (void)state;
    synth_open(&s, trace_dir, 0, 0, 1);
    synth_close(&s, 1);
    assert_int_equal(trace_convert(1), 0);
    trace_expect_valid("");
}

static void bad_input_is_left_out(void **state)
{
    struct synth s;
    char path[128];
    (void)state;
    synth_log(trace_dir, 0);
    synth_open(&s, trace_dir, 1, 0, 7); /* of another job */
    synth_close(&s, 1);
    snprintf(path, sizeof path, "%s/logs/2.0.log", trace_dir);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    trace_run("cp %s/logs/0.0.log %1$s/logs/3.0.log%s", "");
    assert_int_equal(trace_convert(5), 0);
    assert_non_null(strstr(trace_warnings, "2.0.log: it is shorter than its header\n"));
    assert_non_null(strstr(trace_warnings, "4.0.log: No such file or directory\n"));
    assert_non_null(strstr(trace_warnings, "another log of the same rank and thread\n"));
    assert_non_null(strstr(trace_warnings, "1.0.log: it belongs to a job with another number of ranks\n"));
    trace_expect_readable();
}

static void an_archive_is_not_overwritten(void **state)
{
    char path[128];
    (void)state;
    synth_log(trace_dir, 0);
    assert_int_equal(trace_convert(1), 0);
    assert_int_equal(trace_convert(1), -EEXIST);
    snprintf(path, sizeof path, "%s/traces.otf2", trace_dir);
    unlink(path);
    assert_int_equal(trace_convert(1), -EEXIST); /* traces/ is still there */
    assert_int_equal(trace_run("rm -r %s/traces %1$s/traces.def%s", ""), 0);
    assert_int_equal(trace_convert(1), 0);
}

static void no_logs_no_trace(void **state)
{
    (void)state;
    assert_int_equal(trace_convert(2), -EBADMSG);
    assert_int_equal(trace_run("test ! -e %s/traces%s", ""), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, trace_make_dir, trace_remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_of_record),
        TEST(events_of_every_kind_are_there),
        TEST(threads_have_locations),
        TEST(strays_are_left_out),
        TEST(places_are_nodes),
        TEST(parents_come_first),
        TEST(circles_are_cut),
        TEST(functions_are_nested),
        TEST(regions_are_nested_with_functions),
        TEST(regions_go_on),
        TEST(outside_of_main_is_dropped),
        TEST(windows_are_bracketed),
        TEST(iterations_say_why),
        TEST(iterations_say_conditions_and_loops),
        TEST(phases_are_named_afterwards),
        TEST(counts_are_metrics),
        TEST(teams_have_locations),
        TEST(killed_in_a_collective),
        TEST(killed_with_several_windows),
        TEST(ranks_without_log_exist),
        TEST(nothing_recorded_is_a_trace),
        TEST(bad_input_is_left_out),
        TEST(an_archive_is_not_overwritten),
        TEST(no_logs_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
