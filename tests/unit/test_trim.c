/* SPDX-License-Identifier: BSD-3-Clause */
/* Trimming: what is kept of windows, of their margins, of marks and definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/log/trim.h"

#define ROOM 4096

static const char text[] = "a payload of several words";

static char path[64];
static struct efg_log file;
static struct efg_log_place begin;
static struct efg_record records[ROOM]; /* what is left */
static size_t count;

static void put(struct efg_record r, const char *payload)
{
    assert_int_equal(efg_log_grow(&file, 1), 0);
    if (r.kind >= EFG_REC_DEF_CALL)
        assert_int_equal(efg_log_define(&file, &r, payload), 0);
    else
        efg_log_put(&file, &r);
}

static void add(uint64_t time, int kind, uint64_t e)
{
    put((struct efg_record){.time = time, .kind = (uint16_t)kind, .e = e}, NULL);
}

static void begin_window(uint64_t time)
{
    file.next.time = ~time; /* as the recorder does it */
    add(time, EFG_REC_WINDOW_BEGIN, 0);
}

static void call(uint64_t enter, uint64_t leave, int kind, uint64_t e)
{
    add(enter, EFG_REC_ENTER, 0);
    if (kind)
        add(leave, kind, e);
    add(leave, EFG_REC_LEAVE, 0);
}

static int has(int kind, uint64_t e)
{
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == kind && records[i].e == e)
            return 1;
    return 0;
}

static int start(void **state)
{
    struct efg_log_header header = {.ranks = 1, .ticks_per_second = 1};
    (void)state;
    snprintf(path, sizeof path, "/tmp/efg_test_trim.%d", (int)getpid());
    unlink(path);
    if (efg_log_create(&file, path, &header, 1 << 26) != 0)
        return -1;
    begin = file.next;
    return 0;
}

static int end(void **state)
{
    (void)state;
    efg_log_close(&file);
    return unlink(path);
}

/* Read what is left from BEGIN on. */
static void read_rest(void)
{
    struct efg_log_view view = {.words = begin.word};
    struct efg_log_reader reader = {.view = &view, .record.time = begin.time};
    const struct efg_record *r;
    const void *payload;
    view.count = (uint64_t)(file.next.word - begin.word);
    for (count = 0; (r = efg_log_read(&reader, &payload)); count++) {
        assert_in_range(count, 0, ROOM - 1);
        records[count] = *r;
        if (payload)
            assert_string_equal(payload, text);
    }
    assert_int_equal(reader.at, view.count);
    assert_true(count == 0 || records[count - 1].kind >= EFG_REC_DEF_CALL ||
                file.next.time == records[count - 1].time);
}

static void mark(uint64_t time, int kind, uint64_t number)
{
    put((struct efg_record){.time = time, .kind = (uint16_t)kind, .d = number}, NULL);
}

/* Iterations 5 to 8, of which 6 and 7 stay, as 16 and 17; calls all do. */
static void test_iterations_are_cut_and_renumbered(void **state)
{
    (void)state;
    begin_window(100);
    for (uint64_t i = 5; i <= 8; i++) {
        put((struct efg_record){20 * i, EFG_REC_ITERATION_BEGIN, 0, 0, 0, i == 6 ? 3 : EFG_PHASE_LATER, i, 0},
            NULL);
        call(20 * i + 5, 20 * i + 15, EFG_REC_SEND, 0);
        mark(20 * i + 20, EFG_REC_ITERATION_END, i);
    }
    add(180, EFG_REC_WINDOW_END, 0);
    assert_int_equal(efg_trim_marks(&file, begin, &(struct efg_trim_part){{120, 160}, 16, 18, 10, 4}), 2);
    read_rest();
    assert_int_equal(count, 1 + 4 * 3 + 2 * 2 + 1);
    assert_int_equal(records[0].time, 100);
    assert_int_equal(records[4].d, 16);
    assert_int_equal(records[8].d, 16);
    assert_int_equal(records[9].d, 17);
    assert_int_equal(records[4].c, 3);
    assert_int_equal(records[9].c, 4);
    assert_int_equal(records[13].time, 160);
    assert_int_equal(records[count - 1].time, 180);
}

/* A call is taken back, but for what it defines. */
static void test_the_rest_goes(void **state)
{
    (void)state;
    begin_window(100);
    struct efg_log_place visit = file.next;
    add(110, EFG_REC_ENTER, 0);
    put((struct efg_record){.kind = EFG_REC_DEF_COMM, .d = sizeof text, .e = 2}, text);
    add(120, EFG_REC_SEND, 0);
    efg_trim_rest(&file, visit);
    call(130, 140, EFG_REC_SEND, 4);
    read_rest();
    assert_int_equal(count, 1 + 1 + 3);
    assert_true(has(EFG_REC_DEF_COMM, 2) && has(EFG_REC_SEND, 4));
}

static bool is_second(const void *context, uint64_t time)
{
    return time == *(const uint64_t *)context;
}

/* The second of three windows goes, but for what it defines. */
static void test_windows_go(void **state)
{
    (void)state;
    uint64_t second = 200;
    for (uint64_t start = 100; start <= 300; start += 100) {
        begin_window(start);
        put((struct efg_record){.kind = EFG_REC_DEF_CALL, .d = sizeof text, .e = start}, text);
        call(start + 10, start + 20, EFG_REC_SEND, start);
        add(start + 30, EFG_REC_WINDOW_END, 0);
    }
    efg_trim_windows(&file, is_second, NULL, NULL, &second);
    begin = (struct efg_log_place){(uint32_t *)((char *)file.header + EFG_LOG_HEADER), 0};
    read_rest();
    assert_int_equal(count, 6 + 1 + 6);
    assert_true(has(EFG_REC_DEF_CALL, 100) && has(EFG_REC_DEF_CALL, 200) && has(EFG_REC_DEF_CALL, 300));
    assert_true(has(EFG_REC_SEND, 100) && !has(EFG_REC_SEND, 200) && has(EFG_REC_SEND, 300));
}

static struct efg_log_place place_of_file(void)
{
    return (struct efg_log_place){(uint32_t *)((char *)file.header + EFG_LOG_HEADER), 0};
}

/* Four windows that touch: a request of each completes in the next one. Returns where the last one begins. */
static const uint32_t *four_windows(void)
{
    const uint32_t *last = NULL;

    for (uint64_t start = 100; start <= 400; start += 100) {
        last = file.next.word;
        begin_window(start);
        put((struct efg_record){.kind = EFG_REC_DEF_CALL, .d = sizeof text, .e = start}, text);
        call(start + 10, start + 20, EFG_REC_IRECV, start - 100);
        call(start + 30, start + 40, EFG_REC_ISEND_COMPLETE, start - 99);
        call(start + 50, start + 60, EFG_REC_IRECV_REQUEST, start);
        call(start + 70, start + 80, EFG_REC_ISEND, start + 1);
        if (start < 400)
            add(start + 100, EFG_REC_WINDOW_END, 0);
    }
    return last;
}

static size_t count_of(int kind)
{
    size_t some = 0;

    for (size_t i = 0; i < count; i++)
        some += records[i].kind == kind;
    return some;
}

/* A ring is cut: what is behind the cut moves up, payloads and all. */
static void test_windows_at_the_front_go(void **state)
{
    (void)state;
    for (uint64_t second = 100; second <= 300; second += 100) {
        file.next = begin = place_of_file();
        const uint32_t *last = four_windows();
        struct efg_log_place moved = efg_trim_front(&file, begin, last, is_second, &second);
        read_rest();
        assert_int_equal(file.header->used, moved.word - begin.word);
        assert_int_equal(count_of(EFG_REC_DEF_CALL), 4);
        assert_int_equal(count_of(EFG_REC_WINDOW_BEGIN), 3);
        assert_int_equal(count_of(EFG_REC_WINDOW_END), 2);
        assert_false(has(EFG_REC_ISEND, second + 1));
        assert_false(has(EFG_REC_ISEND_COMPLETE, 1));
        assert_false(has(EFG_REC_ISEND_COMPLETE, second + 1) && second < 300);
        assert_true(has(EFG_REC_ISEND, 401) && has(EFG_REC_ISEND_COMPLETE, 301));
        assert_int_equal(has(EFG_REC_IRECV, 100), second == 300);
        assert_int_equal(has(EFG_REC_IRECV, 200), second == 100);
        assert_int_equal(count_of(EFG_REC_RECV), second < 300);
    }
}

static bool is_not_third(const void *context, uint64_t time)
{
    (void)context;
    return time != 300;
}

/* Those that touch are one, if they go on, with what is under way between them; not across one that goes. */
static void test_windows_that_touch_are_one(void **state)
{
    (void)state;
    uint64_t none = 0, second = 200;
    file.next = begin = place_of_file();
    four_windows();
    add(500, EFG_REC_WINDOW_END, 0);
    efg_trim_windows(&file, is_second, NULL, NULL, &none);
    read_rest();
    assert_int_equal(count_of(EFG_REC_WINDOW_BEGIN), 1);
    assert_int_equal(count_of(EFG_REC_WINDOW_END), 1);
    assert_true(has(EFG_REC_IRECV, 300) && has(EFG_REC_ISEND_COMPLETE, 301));
    file.next = begin;
    four_windows();
    add(500, EFG_REC_WINDOW_END, 0);
    efg_trim_windows(&file, is_second, is_not_third, NULL, &none);
    read_rest();
    assert_int_equal(count_of(EFG_REC_WINDOW_BEGIN), 2);
    assert_int_equal(count_of(EFG_REC_WINDOW_END), 2);
    file.next = begin;
    four_windows();
    add(500, EFG_REC_WINDOW_END, 0);
    efg_trim_windows(&file, is_second, NULL, NULL, &second);
    read_rest();
    assert_int_equal(count_of(EFG_REC_WINDOW_BEGIN), 2);
    assert_int_equal(count_of(EFG_REC_WINDOW_END), 2);
    assert_true(has(EFG_REC_IRECV, 300) && !has(EFG_REC_IRECV, 200) && !has(EFG_REC_ISEND_COMPLETE, 201));
}

/* A definition between two windows may take a word more where it is moved to: the end of the first one is not
 * behind it. At each place that the two may have. */
static void test_a_definition_between_windows_has_room(void **state)
{
    (void)state;
    uint64_t none = 0;
    for (uint64_t words = 0; words < 4; words++) {
        file.next = begin = place_of_file();
        for (uint64_t i = 0; i < words; i++)
            add(file.next.time, EFG_REC_NONE, 0);
        begin_window(100);
        call(110, 120, EFG_REC_SEND, 1);
        add(120, EFG_REC_WINDOW_END, 0);
        put((struct efg_record){.kind = EFG_REC_DEF_PHASE, .d = sizeof text, .a = 1}, text);
        begin_window(300);
        call(310, 320, EFG_REC_SEND, 2);
        add(320, EFG_REC_WINDOW_END, 0);
        efg_trim_windows(&file, is_second, NULL, NULL, &none);
        read_rest();
        assert_int_equal(count_of(EFG_REC_WINDOW_BEGIN), 2);
        assert_int_equal(count_of(EFG_REC_WINDOW_END), 2);
        assert_int_equal(count_of(EFG_REC_DEF_PHASE), 1);
    }
}

static void mark_slow(const void *context, struct efg_record *r)
{
    (void)context;
    r->a = r->d == 7 ? EFG_KEPT_SLOW : EFG_KEPT_BESIDE;
    r->b = r->d == 7 ? 3100000 : 0;
}

/* Iterations FIRST to 8, each a window of a ring. */
static void ring_from(uint64_t first)
{
    file.next = begin = place_of_file();
    for (uint64_t number = first; number <= 8; number++) {
        begin_window(100 * number);
        put((struct efg_record){100 * number, EFG_REC_ITERATION_BEGIN, 0, EFG_KEPT_AROUND, 1, 0, number, 0},
            NULL);
        call(100 * number + 10, 100 * number + 20, EFG_REC_SEND, number);
        add(100 * number + 100, EFG_REC_WINDOW_END, 0);
    }
}

/* Why iterations were kept is said where there is room for it; also behind one that goes. */
static void test_what_is_kept_says_why(void **state)
{
    (void)state;
    for (uint64_t first = 5; first <= 6; first++) {
        uint64_t gone = first == 5 ? 500 : 0;
        ring_from(first);
        efg_trim_windows(&file, is_second, NULL, mark_slow, &gone);
        read_rest();
        assert_int_equal(count_of(EFG_REC_WINDOW_BEGIN), 1);
        assert_int_equal(count_of(EFG_REC_ITERATION_BEGIN), 3);
        for (size_t i = 0; i < count; i++)
            if (records[i].kind == EFG_REC_ITERATION_BEGIN) {
                int is_slow = records[i].d == 7;
                assert_int_equal(records[i].a, is_slow ? EFG_KEPT_SLOW : EFG_KEPT_BESIDE);
                assert_int_equal(records[i].b, is_slow ? 3100000 : 0);
            }
        assert_true(has(EFG_REC_SEND, 6) && has(EFG_REC_SEND, 7) && has(EFG_REC_SEND, 8));
    }
}

/* --- margins --- */

static const struct efg_span hundreds[] = {{100, 200}, {300, 400}};
static uint64_t needed[8];
static size_t needed_count;
static uint64_t strays[8];
static size_t stray_count;
static bool is_unmatched;

/* The record that was added last is needed. */
static void need(void)
{
    needed[needed_count++] = (uint64_t)(file.next.word - begin.word);
}

/* A call whose record goes, wherever it is. */
static void stray_call(uint64_t enter, uint64_t leave, int kind, uint64_t e)
{
    add(enter, EFG_REC_ENTER, 0);
    add(leave, kind, e);
    strays[stray_count++] = (uint64_t)(file.next.word - begin.word);
    add(leave, EFG_REC_LEAVE, 0);
}

static void add_call(uint64_t enter, uint64_t leave, int kind, uint64_t e, bool is_needed)
{
    add(enter, EFG_REC_ENTER, 0);
    add(leave, kind, e);
    if (is_needed)
        need();
    add(leave, EFG_REC_LEAVE, 0);
}

/* As a recorder begins it: with room for other words. */
static void begin_roomy_window(uint64_t time)
{
    begin_window(time);
    for (int i = 0; i < 5; i++)
        add(time, EFG_REC_NONE, 0);
}

/* Trim the file, and open it again. */
static void trim_as(struct efg_trim_margins margins)
{
    margins.inside = hundreds;
    margins.inside_count = 2;
    margins.is_matched = !is_unmatched;
    margins.needed = needed;
    margins.needed_count = needed_count;
    margins.strays = strays;
    margins.stray_count = stray_count;
    assert_int_equal(efg_log_close(&file), 0);
    assert_int_equal(efg_trim_margins(path, &margins), 0);
    assert_int_equal(efg_log_open_again(&file, path), 0);
    begin = place_of_file();
    file.next.time = 0;
    needed_count = stray_count = 0;
    struct efg_log_view view = {.words = begin.word};
    struct efg_log_reader reader = {.view = &view};
    view.count = (uint64_t)(file.next.word - begin.word);
    for (const struct efg_record *r; (r = efg_log_read(&reader, NULL));)
        file.next.time = r->time;
    read_rest();
}

static void trim_margins(void)
{
    trim_as((struct efg_trim_margins){0});
}

static uint64_t time_of(int kind)
{
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == kind)
            return records[i].time;
    return 0;
}

/* Calls before and behind it go, one across the end stays. */
static void test_calls_outside_of_windows_go(void **state)
{
    (void)state;
    begin_roomy_window(90);
    call(95, 98, EFG_REC_SEND, 1);
    call(110, 120, EFG_REC_SEND, 2);
    call(190, 230, EFG_REC_SEND, 3);
    call(240, 250, EFG_REC_SEND, 4);
    add(260, EFG_REC_WINDOW_END, 0);
    trim_margins();
    assert_true(!has(EFG_REC_SEND, 1) && has(EFG_REC_SEND, 2) && has(EFG_REC_SEND, 3) &&
                !has(EFG_REC_SEND, 4));
    assert_int_equal(count, 8);
    assert_int_equal(time_of(EFG_REC_WINDOW_BEGIN), 110);
    assert_int_equal(time_of(EFG_REC_WINDOW_END), 230);
}

/* Of the thread that counts iterations all stay, from when to when they are; empty if that was before or
 * behind what was recorded. */
static void test_windows_without_calls(void **state)
{
    (void)state;
    for (int is_leader = 0; is_leader < 2; is_leader++) {
        begin_roomy_window(210);
        call(215, 220, EFG_REC_SEND, 1);
        add(230, EFG_REC_WINDOW_END, 0);
        begin_roomy_window(310);
        call(315, 320, EFG_REC_SEND, 2);
        add(330, EFG_REC_WINDOW_END, 0);
        begin_roomy_window(350);
        call(420, 430, EFG_REC_SEND, 3);
        add(440, EFG_REC_WINDOW_END, 0);
        trim_as((struct efg_trim_margins){.is_leader = is_leader});
        assert_int_equal(count, is_leader ? 2 + 5 + 2 : 5);
        assert_true(has(EFG_REC_SEND, 2) && !has(EFG_REC_SEND, 1) && !has(EFG_REC_SEND, 3));
        assert_int_equal(time_of(EFG_REC_WINDOW_BEGIN), is_leader ? 210 : 315);
        assert_int_equal(records[is_leader ? 2 : 0].time, is_leader ? 310 : 315);
        assert_int_equal(records[count - 1].time, is_leader ? 400 : 320);
        end(NULL);
        start(NULL);
    }
}

static void add_region(uint64_t time, uint32_t region)
{
    put((struct efg_record){.time = time, .kind = EFG_REC_REGION, .b = region}, NULL);
}

/* What is left of a window begins in the region that was the innermost one then; changes before it and behind
 * it go. */
static void test_regions_of_margins(void **state)
{
    (void)state;
    begin_roomy_window(10);
    add_region(20, 1);
    add_region(30, 2);
    add_call(40, 50, EFG_REC_SEND, 2, true);
    add_region(60, 3);
    call(110, 120, EFG_REC_SEND, 4);
    add_region(130, 4);
    call(140, 150, EFG_REC_SEND, 5);
    add_region(210, 5);
    add(290, EFG_REC_WINDOW_END, 0);
    trim_margins();
    assert_int_equal(count, 2 + 3 * 3 + 2);
    assert_int_equal(records[0].kind, EFG_REC_WINDOW_BEGIN);
    assert_int_equal(records[0].b, 2);
    assert_int_equal(records[4].b, 3);
    assert_int_equal(records[8].b, 4);
}

static void test_needed_calls_stay(void **state)
{
    (void)state;
    begin_roomy_window(10);
    add_call(20, 30, EFG_REC_SEND, 1, false);
    add_call(40, 50, EFG_REC_SEND, 2, true);
    add_call(60, 70, EFG_REC_SEND, 3, false);
    add_call(110, 120, EFG_REC_SEND, 4, false);
    add_call(210, 220, EFG_REC_RECV, 5, true);
    add_call(230, 240, EFG_REC_RECV, 6, false);
    add(290, EFG_REC_WINDOW_END, 0);
    trim_margins();
    assert_int_equal(count, 2 + 3 * 3);
    assert_true(has(EFG_REC_SEND, 2) && has(EFG_REC_SEND, 4) && has(EFG_REC_RECV, 5));
    assert_int_equal(time_of(EFG_REC_WINDOW_BEGIN), 40);
    assert_int_equal(time_of(EFG_REC_WINDOW_END), 220);
}

/* Of a call in a margin that completes several requests, only those stay that are needed. */
static void test_requests_of_margins(void **state)
{
    (void)state;
    begin_roomy_window(10);
    call(20, 30, EFG_REC_ISEND, 1); /* completed in the margin */
    call(30, 40, EFG_REC_ISEND, 2); /* completed inside */
    add_call(50, 60, EFG_REC_ISEND, 3, true);
    add(70, EFG_REC_ENTER, 0);
    for (uint64_t i = 1; i <= 3; i += 2)
        add(80, EFG_REC_ISEND_COMPLETE, i);
    add(80, EFG_REC_LEAVE, 0);
    call(110, 120, EFG_REC_ISEND_COMPLETE, 2);
    call(130, 140, EFG_REC_IRECV_REQUEST, 4);
    call(210, 220, EFG_REC_IRECV_REQUEST, 5);
    call(230, 240, EFG_REC_IRECV, 5);
    call(250, 260, EFG_REC_IRECV, 4);
    add(260, EFG_REC_WINDOW_END, 0);
    trim_margins();
    assert_true(!has(EFG_REC_ISEND, 1) && !has(EFG_REC_ISEND_COMPLETE, 1));
    assert_true(has(EFG_REC_ISEND, 2) && has(EFG_REC_ISEND_COMPLETE, 2));
    assert_true(has(EFG_REC_ISEND, 3) && has(EFG_REC_ISEND_COMPLETE, 3));
    assert_true(has(EFG_REC_IRECV_REQUEST, 4) && has(EFG_REC_IRECV, 4));
    assert_true(!has(EFG_REC_IRECV_REQUEST, 5) && !has(EFG_REC_IRECV, 5));
    assert_int_equal(count, 2 + 6 * 3);
    assert_int_equal(time_of(EFG_REC_WINDOW_BEGIN), 30);
}

static void complete_collective(uint64_t enter, uint64_t leave, uint64_t request)
{
    add(enter, EFG_REC_ENTER, 0);
    put((struct efg_record){.time = leave, .kind = EFG_REC_COLLECTIVE_COMPLETE, .c = request}, NULL);
    add(leave, EFG_REC_LEAVE, 0);
}

/* A collective that began in a margin goes with its completion: the margins of other ranks are shorter. */
static void test_collectives_that_began_in_margins(void **state)
{
    (void)state;
    begin_roomy_window(10);
    call(30, 40, EFG_REC_COLLECTIVE_REQUEST, 1);
    complete_collective(110, 120, 1);
    call(130, 140, EFG_REC_COLLECTIVE_REQUEST, 2);
    complete_collective(150, 160, 2);
    call(170, 180, EFG_REC_COLLECTIVE_REQUEST, 3);
    complete_collective(210, 220, 3);
    add(260, EFG_REC_WINDOW_END, 0);
    trim_margins();
    assert_false(has(EFG_REC_COLLECTIVE_REQUEST, 1));
    assert_true(has(EFG_REC_COLLECTIVE_REQUEST, 2) && has(EFG_REC_COLLECTIVE_REQUEST, 3));
    uint64_t completed = 0;
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == EFG_REC_COLLECTIVE_COMPLETE)
            completed = 10 * completed + records[i].c;
    assert_int_equal(completed, 23);
    assert_int_equal(count, 2 + 2 + 4 * 3); /* the call that completed it is inside, and stays */
    assert_int_equal(time_of(EFG_REC_WINDOW_BEGIN), 110);
    assert_int_equal(time_of(EFG_REC_WINDOW_END), 220);
}

/* Where other ends do not stay, a send of a margin has none. */
static void test_sends_of_margins_without_other_ends(void **state)
{
    (void)state;
    begin_roomy_window(10);
    call(30, 40, EFG_REC_ISEND, 2);
    call(50, 60, EFG_REC_IRECV_REQUEST, 3);
    call(110, 120, EFG_REC_ISEND_COMPLETE, 2);
    call(130, 140, EFG_REC_IRECV, 3);
    add(260, EFG_REC_WINDOW_END, 0);
    is_unmatched = true;
    trim_margins();
    is_unmatched = false;
    assert_true(!has(EFG_REC_ISEND, 2) && !has(EFG_REC_ISEND_COMPLETE, 2));
    assert_true(has(EFG_REC_IRECV_REQUEST, 3) && has(EFG_REC_IRECV, 3));
    assert_int_equal(count, 2 + 3 + 2 + 3);
}

/* What has no other end goes, with its completion; the calls inside stay. */
static void test_strays_go(void **state)
{
    (void)state;
    begin_roomy_window(10);
    stray_call(20, 20, EFG_REC_IRECV_REQUEST, 1);
    stray_call(30, 40, EFG_REC_ISEND, 2);
    call(110, 120, EFG_REC_ISEND_COMPLETE, 2);
    call(120, 130, EFG_REC_IRECV, 1);
    stray_call(130, 140, EFG_REC_SEND, 3);
    stray_call(150, 160, EFG_REC_IRECV_REQUEST, 4);
    call(170, 180, EFG_REC_SEND, 5);
    call(210, 220, EFG_REC_IRECV, 4);
    add(260, EFG_REC_WINDOW_END, 0);
    trim_margins();
    assert_int_equal(count, 2 + 4 * 2 + 3);
    assert_true(has(EFG_REC_SEND, 5));
    assert_int_equal(time_of(EFG_REC_WINDOW_BEGIN), 110);
    assert_int_equal(time_of(EFG_REC_WINDOW_END), 180);
}

/* Taken along by some call of the margin, it does not make that one stay. */
static void test_receives_that_were_taken_along(void **state)
{
    (void)state;
    begin_roomy_window(10);
    call(20, 20, EFG_REC_IRECV_REQUEST, 1);
    call(110, 120, EFG_REC_IRECV, 1);
    add(260, EFG_REC_WINDOW_END, 0);
    trim_margins();
    assert_int_equal(count, 2 + 3);
    assert_true(has(EFG_REC_RECV, 0));
    assert_int_equal(time_of(EFG_REC_WINDOW_BEGIN), 110);
}

static void test_definitions_stay(void **state)
{
    (void)state;
    begin_roomy_window(5);
    put((struct efg_record){.kind = EFG_REC_DEF_CALL, .d = sizeof text, .e = 1}, text);
    add(10, EFG_REC_ENTER, 0); /* a call that goes, and a definition in it that stays */
    put((struct efg_record){.kind = EFG_REC_DEF_COMM, .d = sizeof text, .e = 2}, text);
    add(20, EFG_REC_LEAVE, 0);
    put((struct efg_record){.kind = EFG_REC_DEF_FILE, .d = sizeof text, .e = 3}, text);
    call(110, 120, EFG_REC_SEND, 4);
    add(130, EFG_REC_ENTER, 0); /* it never ended */
    trim_margins();
    assert_true(has(EFG_REC_DEF_CALL, 1) && has(EFG_REC_DEF_COMM, 2) && has(EFG_REC_DEF_FILE, 3));
    assert_int_equal(count, 1 + 3 + 3 + 1);
}

/* What was under way when what is left begins, however many words that takes. */
static void test_what_is_under_way(void **state)
{
    const struct efg_trim_flight gone[] = {{(uint32_t)-2, 0x123456789abcdef0}};
    (void)state;
    begin_roomy_window(10);
    add_call(10, 30, EFG_REC_SEND, 1, true);
    call(110, 120, EFG_REC_SEND, 2);
    add(260, EFG_REC_WINDOW_END, 0);
    trim_as((struct efg_trim_margins){.gone = gone, .gone_count = 1});
    assert_int_equal(records[0].kind, EFG_REC_WINDOW_BEGIN);
    assert_int_equal((int32_t)records[0].a, -2);
    assert_int_equal(records[0].e, 0x123456789abcdef0);
    assert_int_equal(count, 2 + 2 * 3);
}

/* What is left of the COUNT records at R, windows that begin and calls without requests; to LEFT. */
static size_t expected(const struct efg_record *r, size_t number, struct efg_record *left)
{
    size_t kept = 0;
    for (size_t i = 0; i + 2 < number; i++)
        if (r[i].kind == EFG_REC_ENTER && (r[i].time >> 32) % 2) {
            memcpy(&left[kept], &r[i], 3 * sizeof *r);
            kept += 3;
        }
    return kept;
}

/* Times have two halves, and of each only what changes is in the log: nothing is lost, as each record has its
 * room. Inside is where the upper half is odd. */
static void test_times_stay(void **state)
{
    static const uint64_t steps[] = {0, 0, 0, 1, 20, 1ull << 32, (1ull << 32) - 1};
    static struct efg_record all[300], left[300];
    static struct efg_span odd[300];
    (void)state;
    for (uint64_t i = 0; i < 300; i++)
        odd[i] = (struct efg_span){(2 * i + 1) << 32, (2 * i + 2) << 32};
    srand(3);
    for (int round = 0; round < 500; round++) {
        uint64_t time = 0;
        size_t number = 0;
        file.next = place_of_file();
        begin_roomy_window(0);
        for (int i = rand() % 90; i > 0; i--) {
            static const int kinds[] = {EFG_REC_ENTER, EFG_REC_SEND, EFG_REC_LEAVE};
            for (int k = 0; k < 3; k++) {
                time += steps[rand() % 7];
                all[number] =
                    (struct efg_record){.time = time, .kind = (uint16_t)kinds[k], .d = (uint64_t)rand() % 8};
                put(all[number++], NULL);
            }
        }
        assert_int_equal(efg_log_close(&file), 0);
        assert_int_equal(
            efg_trim_margins(path, &(struct efg_trim_margins){.inside = odd, .inside_count = 300}), 0);
        assert_int_equal(efg_log_open_again(&file, path), 0);
        struct efg_log_view view = {.words = place_of_file().word};
        struct efg_log_reader reader = {.view = &view};
        const struct efg_record *r;
        view.count = (uint64_t)(file.next.word - view.words);
        for (count = 0; (r = efg_log_read(&reader, NULL));)
            if (r->kind != EFG_REC_WINDOW_BEGIN)
                records[count++] = *r;
        assert_int_equal(count, expected(all, number, left));
        assert_memory_equal(records, left, count * sizeof *left);
        assert_int_equal(efg_log_close(&file), 0);
        unlink(path);
        assert_int_equal(start(NULL), 0);
    }
}

/* Whatever stands there: only the log is touched. */
static void test_damage(void **state)
{
    (void)state;
    srand(4);
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 100; i++)
            put((struct efg_record){.time = (uint64_t)rand() % 300 << rand() % 2 * 32,
                                    .kind = (uint16_t)(rand() % EFG_REC_DEF_CALL),
                                    .e = (uint64_t)rand() % 8},
                NULL);
        uint32_t *last = file.next.word;
        for (int i = 0; i < 10; i++)
            begin.word[rand() % (last - begin.word)] ^= 1u << rand() % 32;
        struct efg_trim_part part = {{100, 200}, 3, 6, 1, 2};
        *last = 77;
        efg_trim_marks(&file, begin, &part);
        assert_true(file.next.word >= begin.word && file.next.word <= last);
        assert_int_equal(*last, 77);
        efg_log_close(&file);
        efg_trim_margins(path, &(struct efg_trim_margins){.inside = hundreds, .inside_count = 2});
        unlink(path);
        assert_int_equal(start(NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_windows_at_the_front_go, start, end),
        cmocka_unit_test_setup_teardown(test_windows_that_touch_are_one, start, end),
        cmocka_unit_test_setup_teardown(test_a_definition_between_windows_has_room, start, end),
        cmocka_unit_test_setup_teardown(test_what_is_kept_says_why, start, end),
        cmocka_unit_test_setup_teardown(test_iterations_are_cut_and_renumbered, start, end),
        cmocka_unit_test_setup_teardown(test_windows_go, start, end),
        cmocka_unit_test_setup_teardown(test_definitions_stay, start, end),
        cmocka_unit_test_setup_teardown(test_times_stay, start, end),
        cmocka_unit_test_setup_teardown(test_calls_outside_of_windows_go, start, end),
        cmocka_unit_test_setup_teardown(test_the_rest_goes, start, end),
        cmocka_unit_test_setup_teardown(test_windows_without_calls, start, end),
        cmocka_unit_test_setup_teardown(test_regions_of_margins, start, end),
        cmocka_unit_test_setup_teardown(test_needed_calls_stay, start, end),
        cmocka_unit_test_setup_teardown(test_requests_of_margins, start, end),
        cmocka_unit_test_setup_teardown(test_collectives_that_began_in_margins, start, end),
        cmocka_unit_test_setup_teardown(test_sends_of_margins_without_other_ends, start, end),
        cmocka_unit_test_setup_teardown(test_strays_go, start, end),
        cmocka_unit_test_setup_teardown(test_receives_that_were_taken_along, start, end),
        cmocka_unit_test_setup_teardown(test_what_is_under_way, start, end),
        cmocka_unit_test_setup_teardown(test_damage, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
