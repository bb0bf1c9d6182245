/* SPDX-License-Identifier: BSD-3-Clause */
/* Trimming: what is kept of calls, requests and definitions at the edges of a span. */
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

/* Trim what was added to PART, and read what is left. Returns how many calls that are said to
 * be. */
static uint64_t trim_to(struct efg_trim_part part)
{
    uint64_t calls = efg_trim(&file, begin, &part);

    read_rest();
    return calls;
}

static void trim(uint64_t from, uint64_t to)
{
    trim_to((struct efg_trim_part){.from = from, .to = to, .last = UINT64_MAX});
}

static void mark(uint64_t time, int kind, uint64_t number)
{
    put((struct efg_record){.time = time, .kind = (uint16_t)kind, .d = number}, NULL);
}

/* Iterations 5 to 8 of a window that began with nothing under way, cut to begin at FROM, where something
 * was; a definition is in what goes. */
static void cut_with_flight(uint64_t from, bool has_flight)
{
    struct efg_trim_part part = {from, 180, from / 20, 9, 0, has_flight, (uint32_t)-2, 0x123456789abcdef0};

    begin_window(100);
    for (uint64_t i = 5; i <= 8; i++) {
        mark(20 * i, EFG_REC_ITERATION_BEGIN, i);
        put((struct efg_record){.time = 20 * i + 5, .kind = EFG_REC_DEF_MODULE, .d = sizeof text}, text);
        call(20 * i + 5, 20 * i + 15, EFG_REC_SEND, 0);
        mark(20 * i + 20, EFG_REC_ITERATION_END, i);
    }
    trim_to(part);
}

static const struct efg_record *window_begin(void)
{
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == EFG_REC_WINDOW_BEGIN)
            return &records[i];
    fail();
    return NULL;
}

static void test_what_is_under_way_is_that_of_the_new_beginning(void **state)
{
    (void)state;
    cut_with_flight(120, true);
    assert_int_equal(window_begin()->time, 120);
    assert_int_equal((int32_t)window_begin()->a, -2);
    assert_int_equal(window_begin()->e, 0x123456789abcdef0);
    assert_int_equal(count, 4 + 1 + 3 * (2 + 3));
}

static void test_what_is_under_way_is_not_known(void **state)
{
    (void)state;
    cut_with_flight(120, false);
    assert_int_equal(window_begin()->time, 120);
    assert_int_equal(window_begin()->e, 0);
}

static void test_what_is_under_way_stays_where_the_beginning_does(void **state)
{
    (void)state;
    cut_with_flight(100, true);
    assert_int_equal(window_begin()->time, 100);
    assert_int_equal(window_begin()->e, 0);
    assert_int_equal(count, 4 + 1 + 4 * (2 + 3));
}

/* Iterations 5 to 8, of which 6 and 7 stay, as 16 and 17. */
static void test_iterations_are_cut_and_renumbered(void **state)
{
    (void)state;
    begin_window(100);
    for (uint64_t i = 5; i <= 8; i++) {
        mark(20 * i, EFG_REC_ITERATION_BEGIN, i);
        call(20 * i + 5, 20 * i + 15, EFG_REC_SEND, 0);
        mark(20 * i + 20, EFG_REC_ITERATION_END, i);
    }
    add(180, EFG_REC_WINDOW_END, 0);
    assert_int_equal(
        trim_to((struct efg_trim_part){.from = 120, .to = 160, .first = 16, .last = 18, .shift = 10}), 2);
    assert_int_equal(count, 1 + 2 * (2 + 3) + 1);
    assert_int_equal(records[0].time, 120);
    assert_int_equal(records[1].d, 16);
    assert_int_equal(records[5].d, 16);
    assert_int_equal(records[6].d, 17);
    assert_int_equal(records[10].time, 160);
    assert_int_equal(records[11].time, 160);
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
    efg_trim_windows(&file, is_second, NULL, &second);
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

/* Those that touch are one, with what is under way between them; not across one that goes. */
static void test_windows_that_touch_are_one(void **state)
{
    (void)state;
    uint64_t none = 0, second = 200;
    file.next = begin = place_of_file();
    four_windows();
    add(500, EFG_REC_WINDOW_END, 0);
    efg_trim_windows(&file, is_second, NULL, &none);
    read_rest();
    assert_int_equal(count_of(EFG_REC_WINDOW_BEGIN), 1);
    assert_int_equal(count_of(EFG_REC_WINDOW_END), 1);
    assert_true(has(EFG_REC_IRECV, 300) && has(EFG_REC_ISEND_COMPLETE, 301));
    file.next = begin;
    four_windows();
    add(500, EFG_REC_WINDOW_END, 0);
    efg_trim_windows(&file, is_second, NULL, &second);
    read_rest();
    assert_int_equal(count_of(EFG_REC_WINDOW_BEGIN), 2);
    assert_int_equal(count_of(EFG_REC_WINDOW_END), 2);
    assert_true(has(EFG_REC_IRECV, 300) && !has(EFG_REC_IRECV, 200) && !has(EFG_REC_ISEND_COMPLETE, 201));
}

static void mark_slow(const void *context, struct efg_record *r)
{
    (void)context;
    r->a = r->d == 7 ? EFG_KEPT_SLOW : EFG_KEPT_BESIDE;
    r->b = r->d == 7 ? 3100000 : 0;
}

/* Why iterations were kept is said where there is room for it. */
static void test_what_is_kept_says_why(void **state)
{
    (void)state;
    uint64_t none = 0;
    file.next = begin = place_of_file();
    for (uint64_t number = 6; number <= 8; number++) {
        begin_window(100 * number);
        put((struct efg_record){100 * number, EFG_REC_ITERATION_BEGIN, 0, EFG_KEPT_AROUND, 1, 0, number, 0},
            NULL);
        call(100 * number + 10, 100 * number + 20, EFG_REC_SEND, number);
        add(100 * number + 100, EFG_REC_WINDOW_END, 0);
    }
    efg_trim_windows(&file, is_second, mark_slow, &none);
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

static void test_calls_across_the_edges_go(void **state)
{
    (void)state;
    begin_window(0);
    call(10, 20, EFG_REC_SEND, 0);  /* before */
    call(90, 110, EFG_REC_SEND, 0); /* across */
    call(110, 120, EFG_REC_SEND, 0);
    call(190, 200, EFG_REC_SEND, 0);
    call(195, 201, EFG_REC_SEND, 0); /* across */
    add(300, EFG_REC_WINDOW_END, 0);
    trim(100, 200);
    assert_int_equal(count, 2 + 2 * 3);
    assert_int_equal(records[0].kind, EFG_REC_WINDOW_BEGIN);
    assert_int_equal(records[0].time, 100);
    assert_int_equal(records[1].time, 110);
    assert_int_equal(records[count - 1].time, 200);
}

static void test_definitions_stay(void **state)
{
    (void)state;
    put((struct efg_record){.kind = EFG_REC_DEF_CALL, .d = sizeof text, .e = 1}, text);
    add(10, EFG_REC_ENTER, 0); /* a call that goes, and a definition in it that stays */
    put((struct efg_record){.kind = EFG_REC_DEF_COMM, .d = sizeof text, .e = 2}, text);
    add(20, EFG_REC_LEAVE, 0);
    put((struct efg_record){.kind = EFG_REC_DEF_FILE, .d = sizeof text, .e = 3}, text);
    call(110, 120, EFG_REC_SEND, 4);
    trim(100, 200);
    assert_int_equal(count, 3 + 3);
    assert_true(has(EFG_REC_DEF_CALL, 1) && has(EFG_REC_DEF_COMM, 2) && has(EFG_REC_DEF_FILE, 3));
    assert_int_equal(records[3].time, 110);
    assert_int_equal(records[5].time, 120);
}

static void test_requests_across_the_edges(void **state)
{
    (void)state;
    call(10, 20, EFG_REC_ISEND, 1);
    call(20, 30, EFG_REC_IRECV_REQUEST, 2);
    call(110, 120, EFG_REC_ISEND, 3);
    call(130, 140, EFG_REC_ISEND_COMPLETE, 1); /* of a send that goes */
    call(140, 150, EFG_REC_IRECV, 2);          /* of a receive that goes */
    call(150, 160, EFG_REC_ISEND_COMPLETE, 3);
    trim(100, 200);
    assert_false(has(EFG_REC_ISEND, 1) || has(EFG_REC_ISEND_COMPLETE, 1) || has(EFG_REC_IRECV, 2));
    assert_true(has(EFG_REC_RECV, 0) && has(EFG_REC_ISEND, 3) && has(EFG_REC_ISEND_COMPLETE, 3));
}

static void test_a_call_that_never_ended_goes(void **state)
{
    (void)state;
    call(110, 120, 0, 0);
    add(130, EFG_REC_ENTER, 0);
    add(130, EFG_REC_SEND, 0);
    trim(100, 200);
    assert_int_equal(count, 2);
}

/* Times have two halves, and of each only what changes is in the log. */
static void test_times_stay(void **state)
{
    uint64_t high = 1ull << 32, from = 2 * high + 5, to = 4 * high + 9;
    (void)state;
    begin.time = file.next.time = 7; /* of a record before the window */
    begin_window(high);
    call(high + 5, high + 6, EFG_REC_SEND, 0);
    call(from - 1, from, EFG_REC_SEND, 0);
    call(from, from, EFG_REC_SEND, 1);
    call(3 * high + 5, 4 * high + 5, EFG_REC_SEND, 2);
    call(to, 5 * high, EFG_REC_SEND, 0);
    add(6 * high + 9, EFG_REC_WINDOW_END, 0);
    trim(from, to);
    assert_int_equal(count, 2 + 2 * 3);
    assert_int_equal(records[0].time, from);
    assert_int_equal(records[1].time, from);
    assert_int_equal(records[3].time, from);
    assert_int_equal(records[4].time, 3 * high + 5);
    assert_int_equal(records[6].time, 4 * high + 5);
    assert_int_equal(records[7].time, to);
}

/* What is left of the COUNT records at R, which are neither definitions nor of requests; to
 * LEFT. */
static size_t expected(const struct efg_record *r, size_t number, uint64_t from, uint64_t to,
                       struct efg_record *left)
{
    size_t kept = 0;
    for (size_t i = 0, last; i < number; i = last + 1) {
        last = i;
        while (r[i].kind == EFG_REC_ENTER && last < number && r[last].kind != EFG_REC_LEAVE)
            last++;
        if (r[i].kind != EFG_REC_ENTER) {
            left[kept] = r[i];
            left[kept].time = r[i].time < from ? from : r[i].time > to ? to : r[i].time;
            kept++;
        } else if (last < number && r[i].time >= from && r[last].time <= to) {
            memcpy(&left[kept], &r[i], (last - i + 1) * sizeof *r);
            kept += last - i + 1;
        }
    }
    return kept;
}

/* Records in any order, of times that ascend: nothing is lost, as each has its room. */
static void test_any_order(void **state)
{
    static const uint64_t steps[] = {0, 0, 0, 1, 20, 1ull << 32, (1ull << 32) - 1};
    static struct efg_record all[200], left[200];
    (void)state;
    srand(3);
    for (int round = 0; round < 5000; round++) {
        size_t number = (size_t)rand() % 200;
        uint64_t time = 0, from, to;
        file.next = begin;
        for (size_t i = 0; i < number; i++) {
            time += steps[rand() % 7];
            all[i] = (struct efg_record){
                .time = time, .kind = (uint16_t)(1 + rand() % EFG_REC_RECV), .e = (uint64_t)rand() % 8};
            if (i == 0)
                all[i].kind = EFG_REC_WINDOW_BEGIN;
            if (all[i].kind == EFG_REC_WINDOW_BEGIN)
                file.next.time = ~time;
            put(all[i], NULL);
        }
        from = number ? all[(size_t)rand() % number].time : 0;
        to = from + (uint64_t)rand() * (uint64_t)(rand() % 8);
        trim(from, to);
        assert_int_equal(count, expected(all, number, from, to, left));
        assert_memory_equal(records, left, count * sizeof *left);
    }
}

/* --- threads that have no iterations --- */

static bool is_in_hundreds(const void *context, uint64_t time)
{
    (void)context;
    return (time >= 100 && time < 200) || (time >= 300 && time < 400);
}

static void trim_calls(void)
{
    efg_trim_calls(&file, is_in_hundreds, NULL);
    read_rest();
}

static uint64_t time_of(int kind)
{
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == kind)
            return records[i].time;
    return 0;
}

/* A window that was closed late: calls before and behind it go, one across the end stays. */
static void test_calls_outside_of_windows_go(void **state)
{
    (void)state;
    begin_window(90);
    call(95, 98, EFG_REC_SEND, 1);
    call(110, 120, EFG_REC_SEND, 2);
    call(190, 230, EFG_REC_SEND, 3);
    call(240, 250, EFG_REC_SEND, 4);
    add(260, EFG_REC_WINDOW_END, 0);
    trim_calls();
    assert_true(!has(EFG_REC_SEND, 1) && has(EFG_REC_SEND, 2) && has(EFG_REC_SEND, 3) &&
                !has(EFG_REC_SEND, 4));
    assert_int_equal(count, 8);
    assert_int_equal(time_of(EFG_REC_WINDOW_BEGIN), 110);
    assert_int_equal(time_of(EFG_REC_WINDOW_END), 230);
}

static void test_windows_without_calls_go(void **state)
{
    (void)state;
    begin_window(210);
    call(215, 220, EFG_REC_SEND, 1);
    add(230, EFG_REC_WINDOW_END, 0);
    begin_window(310);
    call(315, 320, EFG_REC_SEND, 2);
    add(330, EFG_REC_WINDOW_END, 0);
    begin_window(340);
    add(350, EFG_REC_WINDOW_END, 0);
    trim_calls();
    assert_int_equal(count, 5);
    assert_true(has(EFG_REC_SEND, 2) && !has(EFG_REC_SEND, 1));
    assert_int_equal(time_of(EFG_REC_WINDOW_BEGIN), 310);
    assert_int_equal(time_of(EFG_REC_WINDOW_END), 330);
}

/* What completes a request of the window is recorded behind it, and stays. */
static void test_completions_behind_windows_stay(void **state)
{
    (void)state;
    begin_window(100);
    call(110, 120, EFG_REC_ISEND, 7);
    call(210, 220, EFG_REC_ISEND, 8);
    call(230, 240, EFG_REC_ISEND_COMPLETE, 8);
    call(250, 260, EFG_REC_ISEND_COMPLETE, 7);
    add(260, EFG_REC_WINDOW_END, 0);
    trim_calls();
    assert_int_equal(count, 8);
    assert_true(has(EFG_REC_ISEND_COMPLETE, 7) && !has(EFG_REC_ISEND_COMPLETE, 8));
}

/* Whatever stands there: only the stretch is touched. */
static void test_damage(void **state)
{
    (void)state;
    srand(4);
    for (int round = 0; round < 2000; round++) {
        file.next = begin;
        for (int i = 0; i < 100; i++)
            put((struct efg_record){.time = (uint64_t)rand() % 300 << rand() % 2 * 32,
                                    .kind = (uint16_t)(rand() % EFG_REC_DEF_CALL),
                                    .e = (uint64_t)rand() % 8},
                NULL);
        uint32_t *last = file.next.word;
        *last = 77;
        for (int i = 0; i < 10; i++)
            begin.word[rand() % (last - begin.word)] ^= 1u << rand() % 32;
        efg_trim(&file, begin,
                 &(struct efg_trim_part){.from = 100,
                                         .to = 200,
                                         .first = 3,
                                         .last = 6,
                                         .shift = 1,
                                         .has_flight = round % 2,
                                         .count = UINT32_MAX,
                                         .sum = UINT64_MAX});
        assert_true(file.next.word >= begin.word && file.next.word <= last);
        assert_int_equal(*last, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_windows_at_the_front_go, start, end),
        cmocka_unit_test_setup_teardown(test_windows_that_touch_are_one, start, end),
        cmocka_unit_test_setup_teardown(test_what_is_kept_says_why, start, end),
        cmocka_unit_test_setup_teardown(test_calls_across_the_edges_go, start, end),
        cmocka_unit_test_setup_teardown(test_iterations_are_cut_and_renumbered, start, end),
        cmocka_unit_test_setup_teardown(test_what_is_under_way_is_that_of_the_new_beginning, start, end),
        cmocka_unit_test_setup_teardown(test_what_is_under_way_is_not_known, start, end),
        cmocka_unit_test_setup_teardown(test_what_is_under_way_stays_where_the_beginning_does, start, end),
        cmocka_unit_test_setup_teardown(test_windows_go, start, end),
        cmocka_unit_test_setup_teardown(test_definitions_stay, start, end),
        cmocka_unit_test_setup_teardown(test_requests_across_the_edges, start, end),
        cmocka_unit_test_setup_teardown(test_a_call_that_never_ended_goes, start, end),
        cmocka_unit_test_setup_teardown(test_times_stay, start, end),
        cmocka_unit_test_setup_teardown(test_any_order, start, end),
        cmocka_unit_test_setup_teardown(test_calls_outside_of_windows_go, start, end),
        cmocka_unit_test_setup_teardown(test_windows_without_calls_go, start, end),
        cmocka_unit_test_setup_teardown(test_completions_behind_windows_stay, start, end),
        cmocka_unit_test_setup_teardown(test_damage, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
