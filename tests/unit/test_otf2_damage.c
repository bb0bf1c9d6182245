/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OTF2 from logs that are cut short or damaged, and onto a full disk: an answer each
 * time, no crash, no endless loop, and what is written is balanced.
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <ftw.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/otf2/otf2.h"
#include "otf2_logs.h"
#include "otf2_trace.h"

/* With a sanitizer each round takes several times as long: one in four is done, for `make check` one in
 * sixteen; all of them with LONG in the environment. */
static unsigned stride(void)
{
#ifdef __SANITIZE_ADDRESS__
    const char *level = getenv("CHECK_LEVEL");
    if (!getenv("LONG"))
        return level && strcmp(level, "some") == 0 ? 16 : 4;
#endif
    return 1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static void remove_archive(void)
{
    static const char *const parts[] = {"traces", "traces.def", "traces.otf2"};
    char path[128];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", trace_dir, parts[i]);
        assert_true(nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT);
    }
}

static void cut_anywhere(void **state)
{
    char path[128];
    uint64_t count = synth_log(trace_dir, 0), step = 3 * stride();
    (void)state;
    snprintf(path, sizeof path, "%s/logs/0.0.log", trace_dir);
    for (uint64_t left = count; left-- > 0;) {
        if (left % step != 2)
            continue;
        assert_int_equal(truncate(path, EFG_LOG_HEADER + (off_t)(left * sizeof(uint32_t))), 0);
        assert_int_equal(trace_convert(1), 0);
        trace_expect_balanced(0);
        if (left % 200 < step)
            trace_expect_readable();
        remove_archive();
    }
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

/* A few bytes anywhere, often small numbers: those are what sizes, kinds and ids look like. */
static void damage(unsigned char *bytes, size_t size, uint64_t *seed)
{
    for (uint64_t n = 1 + random_next(seed) % 8; n; n--) {
        size_t at = random_next(seed) % size;
        bytes[at] = (unsigned char)(random_next(seed) % 2 ? random_next(seed) : random_next(seed) % 12);
    }
}

static void damaged_anywhere(void **state)
{
    static unsigned char good[1 << 16], bad[1 << 16];
    uint64_t seed = 20240607;
    char path[128];
    (void)state;
    synth_log(trace_dir, 1);
    synth_log(trace_dir, 0);
    snprintf(path, sizeof path, "%s/logs/0.0.log", trace_dir);
    FILE *file = fopen(path, "rb");
    size_t size = fread(good, 1, sizeof good, file);
    fclose(file);
    for (int round = 0; round < 400 / (int)stride(); round++) {
        memcpy(bad, good, size);
        damage(bad + (round % 4 ? EFG_LOG_HEADER : 0), size - (round % 4 ? EFG_LOG_HEADER : 0), &seed);
        ((struct efg_log_header *)(void *)bad)->ranks = SYNTH_RANKS; /* not 16 million */
        file = fopen(path, "wb");
        assert_int_equal(fwrite(bad, 1, size, file), size);
        fclose(file);
        assert_int_equal(trace_convert(2), 0); /* rank 1 is good */
        trace_expect_balanced(0);
        trace_expect_balanced(1);
        remove_archive();
    }
}

/* A header can say that there were millions of ranks; each would get its place in the trace. */
static void more_ranks_than_bytes(void **state)
{
    uint32_t ranks[] = {SYNTH_RANKS, 1 << 23};
    char path[128];
    (void)state;
    synth_log(trace_dir, 0);
    snprintf(path, sizeof path, "%s/logs/0.0.log", trace_dir);
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(path, "r+b");
        assert_int_equal(fseek(file, offsetof(struct efg_log_header, ranks), SEEK_SET), 0);
        assert_int_equal(fwrite(&ranks[i], sizeof ranks[i], 1, file), 1);
        fclose(file);
        assert_int_equal(trace_convert(1), i ? -EBADMSG : 0);
        remove_archive();
    }
}

/* Bytes of scans and maps come from other processes: they must not crash one either. */
static void damaged_scans(void **state)
{
    struct efg_log_view view;
    struct efg_buffer scan = {0};
    char path[128];
    uint64_t seed = 7;
    (void)state;
    synth_log(trace_dir, 0);
    snprintf(path, sizeof path, "%s/logs/0.0.log", trace_dir);
    assert_int_equal(efg_log_open(&view, path, NULL), 0);
    assert_int_equal(efg_otf2_scan(&view, NULL, &scan), 0);
    unsigned char *bad = malloc(scan.size);
    struct efg_symbols *symbols = efg_symbols_new();
    for (int round = 0; round < 2000; round++) {
        struct efg_otf2_unifier *u = efg_otf2_unifier_new(symbols);
        struct efg_buffer map = {0};
        memcpy(bad, scan.data, scan.size);
        damage(bad + 2, scan.size - 2, &seed);
        size_t size = round % 3 ? scan.size : random_next(&seed) % scan.size;
        if (efg_otf2_unify(u, bad, size) == 0)
            assert_int_equal(efg_otf2_map(u, 0, &map), 0);
        efg_buffer_fini(&map);
        efg_otf2_unifier_free(u);
    }
    efg_symbols_free(symbols);
    free(bad);
    efg_buffer_fini(&scan);
    efg_log_unmap(&view);
}

/* In a process of its own, because a failed archive cannot be closed and counts as a leak. */
static void a_full_disk_is_an_error(void **state)
{
    int status;
    (void)state;
    for (uint32_t rank = 0; rank < SYNTH_RANKS; rank++) {
        struct synth s;
        synth_open(&s, trace_dir, rank, 0, SYNTH_RANKS);
        synth_define(&s);
        synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
        for (uint64_t i = 0; i < 10000; i++) /* 13 MB of events each */
            synth_iteration(&s, i);
        synth_close(&s, 1);
    }
    for (rlim_t most = 20000; most < 12000000; most *= 2) {
        if (fork() == 0) {
            struct rlimit limit = {most, most};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            _exit(trace_convert(SYNTH_RANKS) == -EIO ? 0 : 1);
        }
        wait(&status);
        assert_int_equal(status, 0);
        assert_int_equal(trace_run("test ! -e %s/traces -a ! -e %1$s/traces.def%s", ""), 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, trace_make_dir, trace_remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cut_anywhere),  TEST(damaged_anywhere),        TEST(more_ranks_than_bytes),
        TEST(damaged_scans), TEST(a_full_disk_is_an_error),
    };
    /* OTF2 takes 40 MB for each trace: the kernel clears them once, not for each. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
