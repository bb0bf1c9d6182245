/* SPDX-License-Identifier: BSD-3-Clause */
/* The window log: what is put comes back; limits, full disks and damage are answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/log/log.h"

#define MIB (1 << 20)

static char path[64];
static const struct efg_log_header facts = {.rank = 2,
                                            .ranks = 4,
                                            .thread = 1,
                                            .pid = 77,
                                            .ticks_per_second = 1000,
                                            .sync = {{5, 6}, {0, 0}},
                                            .full = 1,
                                            .host = "node7",
                                            .application = "solver"};

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/efg_test_log.%d", (int)getpid());
    unlink(path);
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* Words of COUNT records of put_many: each has a time and d, but the first. */
#define WORDS_OF(count) (3 * (count)-2)

static void put_many(struct efg_log *log, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct efg_record r = {.time = i, .kind = EFG_REC_SEND, .d = 3 * i};
        assert_int_equal(efg_log_grow(log, 1), 0);
        efg_log_put(log, &r);
    }
}

static void write_log(uint64_t count)
{
    struct efg_log log;
    assert_int_equal(efg_log_create(&log, path, &facts, 64 * MIB), 0);
    put_many(&log, count);
    efg_log_close(&log);
}

/* --- writing and reading --- */

static void records_come_back(void **state)
{
    struct efg_log_view view;
    struct efg_log_reader reader = {.view = &view};
    uint64_t count = 300000; /* several chunks */
    (void)state;
    write_log(count);
    assert_int_equal(efg_log_open(&view, path, NULL), 0);
    for (uint64_t i = 0; i < count; i++) {
        const struct efg_record *r = efg_log_read(&reader, NULL);
        assert_int_equal(r->time, i);
        assert_int_equal(r->d, 3 * i);
    }
    assert_null(efg_log_read(&reader, NULL));
    assert_int_equal(reader.at, view.count);
    efg_log_unmap(&view);
}

static uint64_t some_number(void)
{
    static const uint64_t largest[] = {0, 0, 0, 1, UINT32_MAX, UINT64_MAX};
    uint64_t number = (uint64_t)rand() << 62 ^ (uint64_t)rand() << 31 ^ (uint64_t)rand();
    return number & largest[rand() % 6];
}

static struct efg_record some_record(uint64_t time)
{
    static const uint64_t steps[] = {0, 0, 7, UINT32_MAX, 1ull << 32, -3ull};
    return (struct efg_record){.time = time + steps[rand() % 6],
                               .kind = (uint16_t)(rand() % EFG_REC_DEF_CALL),
                               .call = (uint16_t)some_number(),
                               .a = (uint32_t)some_number(),
                               .b = (uint32_t)some_number(),
                               .c = (uint32_t)some_number(),
                               .d = some_number(),
                               .e = some_number()};
}

/* Any values, and definitions among them; now and then the writer goes back to a place. */
static void all_fields_come_back(void **state)
{
    enum { RECORDS = 20000 };
    static struct efg_record put[RECORDS];
    static const char text[] = "0123456789";
    struct efg_log log;
    struct efg_log_view view;
    struct efg_log_reader reader = {.view = &view};
    struct efg_log_place place = {0};
    const void *payload;
    int back = 0;
    (void)state;
    srand(4);
    assert_int_equal(efg_log_create(&log, path, &facts, 64 * MIB), 0);
    for (int i = 0; i < RECORDS; i++) {
        put[i] = some_record(i ? put[i - 1].time : 0);
        if (rand() % 10 == 0 || !place.word) {
            place = log.next;
            back = i;
        } else if (rand() % 20 == 0) {
            log.next = place;
            i = back;
            put[i] = some_record(i ? put[i - 1].time : 0);
        }
        assert_int_equal(efg_log_grow(&log, 1), 0);
        if (rand() % 5 == 0) {
            put[i].time = log.next.time;
            put[i].kind = EFG_REC_DEF_FILE;
            put[i].d = (uint64_t)rand() % sizeof text;
            assert_int_equal(efg_log_define(&log, &put[i], text), 0);
        } else {
            efg_log_put(&log, &put[i]);
        }
    }
    efg_log_close(&log);
    assert_int_equal(efg_log_open(&view, path, NULL), 0);
    for (int i = 0; i < RECORDS; i++) {
        const struct efg_record *r = efg_log_read(&reader, &payload);
        assert_non_null(r);
        assert_memory_equal(r, &put[i], sizeof *r);
        assert_int_equal((uintptr_t)payload % 8, 0);
        if (r->kind == EFG_REC_DEF_FILE && r->d)
            assert_memory_equal(payload, text, r->d);
        else
            assert_null(payload);
    }
    assert_null(efg_log_read(&reader, NULL));
    assert_int_equal(reader.at, view.count);
    efg_log_unmap(&view);
}

static void header_comes_back(void **state)
{
    struct efg_log_view view;
    struct stat status;
    (void)state;
    write_log(3);
    assert_int_equal(efg_log_open(&view, path, NULL), 0);
    assert_int_equal(view.header->rank, 2);
    assert_int_equal(view.header->ranks, 4);
    assert_int_equal(view.header->thread, 1);
    assert_int_equal(view.header->closed, 1);
    assert_int_equal(view.header->full, 1);
    assert_int_equal(view.header->sync[0].realtime, 6);
    assert_string_equal(view.header->host, "node7");
    efg_log_unmap(&view);
    stat(path, &status);
    assert_int_equal(status.st_size, EFG_LOG_HEADER + WORDS_OF(3) * sizeof(uint32_t));
}

static void definitions_come_back(void **state)
{
    const char name[] = "a name that takes several words";
    struct efg_record r = {.kind = EFG_REC_DEF_FILE, .a = 4, .d = sizeof name};
    struct efg_record none = {.kind = EFG_REC_DEF_WIN, .a = 5};
    struct efg_log log;
    struct efg_log_view view;
    struct efg_log_reader reader = {.view = &view};
    const void *payload;
    (void)state;
    assert_int_equal(efg_log_create(&log, path, &facts, MIB), 0);
    assert_int_equal(efg_log_define(&log, &r, name), 0);
    assert_int_equal(efg_log_define(&log, &none, NULL), 0);
    put_many(&log, 1);
    efg_log_close(&log);
    assert_int_equal(efg_log_open(&view, path, NULL), 0);
    assert_int_equal(efg_log_read(&reader, &payload)->a, 4);
    assert_string_equal(payload, name);
    assert_int_equal(efg_log_read(&reader, &payload)->a, 5);
    assert_null(payload);
    assert_int_equal(efg_log_read(&reader, &payload)->kind, EFG_REC_SEND);
    assert_int_equal(reader.at, view.count);
    efg_log_unmap(&view);
}

static void open_log_can_be_read(void **state)
{
    struct efg_log log;
    struct efg_log_view view;
    struct efg_log_reader reader = {.view = &view};
    (void)state;
    assert_int_equal(efg_log_create(&log, path, &facts, MIB), 0);
    put_many(&log, 10);
    efg_log_commit(&log);
    put_many(&log, 5); /* not whole yet */
    assert_int_equal(efg_log_open(&view, path, NULL), 0);
    assert_int_equal(view.count, WORDS_OF(10));
    assert_int_equal(view.header->closed, 0);
    log.header->sync[1].ticks = 99; /* a view does not change while the job goes on */
    efg_log_close(&log);
    assert_int_equal(view.header->sync[1].ticks, 0);
    assert_int_equal(view.count, WORDS_OF(10));
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(efg_log_read(&reader, NULL)->time, i);
    assert_null(efg_log_read(&reader, NULL));
    efg_log_unmap(&view);
}

/* --- limits --- */

static void limit_is_kept(void **state)
{
    struct efg_log log;
    uint64_t room = 1000, limit = EFG_LOG_HEADER + room * EFG_LOG_RECORD * sizeof(uint32_t) + 39;
    (void)state;
    assert_int_equal(efg_log_create(&log, path, &facts, limit), 0);
    for (uint64_t i = 0; i < room; i++) {
        uint64_t all = i % 2 ? UINT64_MAX : UINT64_MAX / 2 - 1;
        struct efg_record large = {all, EFG_REC_SEND, 1, 2, 3, 4, all, all};
        assert_int_equal(efg_log_grow(&log, 1), 0);
        efg_log_put(&log, &large);
    }
    assert_int_equal(efg_log_grow(&log, 1), -EFBIG);
    struct efg_record r = {.kind = EFG_REC_DEF_CALL, .d = 1};
    assert_int_equal(efg_log_define(&log, &r, "x"), -EFBIG);
    assert_int_equal(efg_log_grow(&log, 0), 0);
    efg_log_close(&log);
}

static void file_size_limit_is_no_signal(void **state)
{
    struct rlimit before, small;
    struct efg_log log;
    (void)state;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 3 * MIB;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(efg_log_create(&log, path, &facts, 64 * MIB), 0);
    for (struct efg_record r = {0}; efg_log_grow(&log, 1) == 0;)
        efg_log_put(&log, &r);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_in_range((char *)log.next.word - (char *)log.header, 2 * MIB, 3 * MIB);
    efg_log_close(&log);
}

/* Until the next pages are to be made, nobody notices; then the log is over. */
static void write_until_lost(struct efg_log *log)
{
    int error = 0;
    for (struct efg_record r = {.kind = EFG_REC_ENTER, .d = 1}; !error;) {
        r.time += 1 << 20;
        efg_log_put(log, &r);
        efg_log_commit(log);
        error = efg_log_grow(log, 1);
    }
    assert_int_equal(error, -ESTALE);
    assert_int_equal(efg_log_close(log), -ESTALE);
}

static void cut_while_it_is_written(void **state)
{
    static const off_t sizes[] = {0, 100, 4096, 100000, 200000};
    struct efg_log log;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(efg_log_create(&log, path, &facts, 64 * MIB), 0);
        assert_int_equal(truncate(path, sizes[i]), 0);
        write_until_lost(&log);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(efg_log_create(&log, path, &facts, 64 * MIB), 0);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(truncate(path, 64 * MIB), 0);
    write_until_lost(&log);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(efg_log_create(&log, path, &facts, 64 * MIB), 0);
    assert_int_equal(unlink(path), 0);
    write_until_lost(&log);
}

static void cut_while_it_is_read(void **state)
{
    struct efg_log_view view;
    struct efg_log_reader reader = {.view = &view};
    uint32_t sum = 0;
    (void)state;
    write_log(100000);
    assert_int_equal(efg_log_open(&view, path, NULL), 0);
    assert_int_equal(truncate(path, 50000), 0);
    while (efg_log_read(&reader, NULL))
        sum += reader.record.kind;
    assert_true(sum > 0 && reader.at >= 50000 / sizeof(uint32_t) - EFG_LOG_RECORD);
    assert_int_equal(view.header->ticks_per_second, facts.ticks_per_second);
    efg_log_unmap(&view);
}

static void nothing_is_overwritten(void **state)
{
    struct efg_log log;
    char link[80];
    (void)state;
    write_log(1);
    assert_int_equal(efg_log_create(&log, path, &facts, MIB), -EEXIST);
    assert_null(log.header);
    snprintf(link, sizeof link, "%s.link", path);
    assert_int_equal(symlink("/tmp/efg_test_log.target", link), 0);
    assert_int_equal(efg_log_create(&log, link, &facts, MIB), -EEXIST);
    assert_int_equal(access("/tmp/efg_test_log.target", F_OK), -1);
    unlink(link);
    efg_log_close(&log); /* harmless */
}

static void what_cannot_be_made(void **state)
{
    struct efg_log log;
    (void)state;
    assert_int_equal(efg_log_create(&log, "/nowhere/log", &facts, MIB), -ENOENT);
    assert_int_equal(efg_log_create(&log, path, &facts, 10), -EINVAL);
    assert_int_equal(access(path, F_OK), -1);
}

static void mode_follows_umask(void **state)
{
    struct stat status;
    mode_t before = umask(027);
    (void)state;
    write_log(1);
    umask(before);
    stat(path, &status);
    assert_int_equal(status.st_mode & 0777, 0640);
}

/* --- damage --- */

static void overwrite(off_t at, const void *bytes, size_t size)
{
    int file = open(path, O_WRONLY);
    assert_int_equal(pwrite(file, bytes, size, at), size);
    close(file);
}

static void expect_refusal(const char *why)
{
    struct efg_log_view view;
    const char *said = NULL;
    assert_int_equal(efg_log_open(&view, path, &said), -EBADMSG);
    assert_string_equal(said, why);
    efg_log_unmap(&view); /* harmless */
}

static void damaged_headers_are_refused(void **state)
{
    uint32_t number = 99;
    uint64_t zero = 0;
    (void)state;
    write_log(1);
    overwrite(offsetof(struct efg_log_header, rank), &number, sizeof number);
    expect_refusal("its header is damaged");
    overwrite(offsetof(struct efg_log_header, rank), &zero, 4);
    overwrite(offsetof(struct efg_log_header, ticks_per_second), &zero, sizeof zero);
    expect_refusal("its header is damaged");
    overwrite(offsetof(struct efg_log_header, version), &number, sizeof number);
    expect_refusal("it was written by another version of efgtrace");
    overwrite(0, "x", 1);
    expect_refusal("it is no log of efgtrace");
    assert_int_equal(truncate(path, 100), 0);
    expect_refusal("it is shorter than its header");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refusal("it is no regular file");
}

static void missing_log_is_an_error(void **state)
{
    struct efg_log_view view;
    (void)state;
    assert_int_equal(efg_log_open(&view, path, NULL), -ENOENT);
}

static void short_file_is_good_as_far_as_it_goes(void **state)
{
    struct efg_log_view view;
    struct efg_log_reader reader = {.view = &view};
    (void)state;
    write_log(10);
    assert_int_equal(truncate(path, EFG_LOG_HEADER + WORDS_OF(4) * sizeof(uint32_t) + 7), 0);
    assert_int_equal(efg_log_open(&view, path, NULL), 0);
    assert_int_equal(view.count, WORDS_OF(4) + 1);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(efg_log_read(&reader, NULL)->time, i);
    assert_null(efg_log_read(&reader, NULL));
    efg_log_unmap(&view);
}

static void payload_never_leads_out(void **state)
{
    static const uint64_t sizes[] = {1, 13, 1000, UINT64_MAX, UINT64_MAX - 38};
    struct efg_log_view view;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct efg_log_reader reader = {.view = &view};
        uint32_t words[] = {EFG_LOG_D | EFG_LOG_WIDE | EFG_REC_DEF_FILE << 8,
                            (uint32_t)sizes[i],
                            (uint32_t)(sizes[i] >> 32),
                            0,
                            0,
                            0,
                            0};
        const void *payload;
        unlink(path);
        write_log(3);
        assert_int_equal(sizeof words, WORDS_OF(3) * sizeof *words);
        overwrite(EFG_LOG_HEADER, words, sizes[i] == 1 ? 4 * sizeof *words : sizeof words);
        if (sizes[i] == 1)
            assert_int_equal(truncate(path, EFG_LOG_HEADER + 4 * sizeof *words), 0);
        assert_int_equal(efg_log_open(&view, path, NULL), 0);
        assert_null(efg_log_read(&reader, &payload));
        assert_null(payload);
        assert_int_equal(reader.at, 0); /* not at the end: damaged */
        efg_log_unmap(&view);
    }
}

static void expect_times(uint64_t start, uint64_t end, uint64_t words)
{
    struct efg_log_view view;
    assert_int_equal(efg_log_open(&view, path, NULL), 0);
    assert_int_equal(view.header->sync[0].ticks, facts.sync[0].ticks);
    assert_int_equal(view.header->sync[0].realtime, start);
    assert_int_equal(view.header->sync[1].realtime, end);
    assert_int_equal(view.count, words);
    assert_true(view.header->closed);
    assert_string_equal(view.header->host, facts.host);
    efg_log_unmap(&view);
}

/* Both synchronisations are moved, but for one that is not there. */
static void times_can_be_moved(void **state)
{
    static const struct efg_sync syncs[] = {{5, 1000}, {7, 2000}};
    struct efg_log_view view;
    (void)state;
    write_log(3);
    assert_int_equal(efg_log_shift(path, 30), 0);
    expect_times(36, 0, WORDS_OF(3));
    overwrite(offsetof(struct efg_log_header, sync), syncs, sizeof syncs);
    assert_int_equal(efg_log_shift(path, 30), 0);
    expect_times(1030, 2030, WORDS_OF(3));
    assert_int_equal(efg_log_shift(path, -30), 0);
    expect_times(1000, 2000, WORDS_OF(3));
    assert_int_equal(efg_log_open(&view, path, NULL), 0);
    efg_log_shift_view(&view, -5);
    assert_int_equal(view.header->sync[0].realtime, 995);
    assert_int_equal(view.header->sync[1].realtime, 1995);
    efg_log_unmap(&view);
    expect_times(1000, 2000, WORDS_OF(3)); /* not in the file */
}

static void what_cannot_be_moved(void **state)
{
    (void)state;
    assert_int_equal(efg_log_shift(path, 30), -ENOENT);
    write_log(3);
    overwrite(0, "x", 1);
    assert_int_equal(efg_log_shift(path, 30), -EBADMSG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_path, remove_path)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(records_come_back),
        TEST(all_fields_come_back),
        TEST(header_comes_back),
        TEST(definitions_come_back),
        TEST(open_log_can_be_read),
        TEST(limit_is_kept),
        TEST(file_size_limit_is_no_signal),
        TEST(cut_while_it_is_written),
        TEST(cut_while_it_is_read),
        TEST(nothing_is_overwritten),
        TEST(what_cannot_be_made),
        TEST(mode_follows_umask),
        TEST(damaged_headers_are_refused),
        TEST(missing_log_is_an_error),
        TEST(short_file_is_good_as_far_as_it_goes),
        TEST(payload_never_leads_out),
        TEST(times_can_be_moved),
        TEST(what_cannot_be_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
