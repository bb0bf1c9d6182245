/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is written is read again, whatever it is; what was damaged on the way is
 * refused or, when its checksum is right, harmless: every graph can be walked, and the memory
 * that it takes is bounded by the size of the file.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/runfile_parts.h"
#include "files/summary.h"
#include "files/symbols.h"
#include "random_run.h"
#include "sample_run.h"

static char folder[] = "/tmp/efg_runfile_XXXXXX";
static char path[64];

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.efg", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails if anything else was left there */
}

/* --- files as bytes --- */

static unsigned char *load(size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*size);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static void store(const unsigned char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static void fix_crc(unsigned char *data, size_t size)
{
    uint32_t crc = efg_crc32(0, data, size - 4);
    for (int i = 0; i < 4; i++)
        data[size - 4 + i] = (unsigned char)(crc >> (8 * i));
}

/* --- comparing, walking --- */

static void assert_graph_equal(const struct efg_graph *a, const struct efg_graph *b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->edge_count, b->edge_count);
    for (uint32_t i = 0; i < a->node_count; i++) {
        struct efg_node node = a->nodes[i];
        node.predicted = EFG_NONE; /* these two are not kept */
        node.rhythm.recent = 0;
        assert_memory_equal(&node, &b->nodes[i], sizeof node);
    }
    for (uint32_t i = 0; i < a->edge_count; i++) {
        struct efg_edge edge = a->edges[i];
        edge.rhythm.recent = 0;
        assert_memory_equal(&edge, &b->edges[i], sizeof edge);
    }
    assert_int_equal(a->current, b->current);
    assert_int_equal(a->edge, b->edge);
    assert_int_equal(a->overflow, b->overflow);
    assert_int_equal(a->polled, b->polled);
    assert_int_equal(a->pivot_kind, b->pivot_kind);
    assert_int_equal(a->pivot_id, b->pivot_id);
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->last_leave, b->last_leave);
    assert_int_equal(a->node_time, b->node_time);
    assert_int_equal(a->lost_edges, b->lost_edges);
}

static void assert_thread_equal(const struct efg_run_thread *a, const struct efg_run_thread *b)
{
    assert_int_equal(a->number, b->number);
    assert_graph_equal(&a->graph, &b->graph);
    struct efg_stability stability = a->stability; /* points that were dropped are not kept */
    memset(stability.curve + stability.count, 0,
           (EFG_CURVE_ROOM - stability.count) * sizeof *stability.curve);
    assert_memory_equal(&stability, &b->stability, sizeof stability);
    assert_memory_equal(&a->pivot, &b->pivot, sizeof a->pivot);
    assert_memory_equal(&a->levels, &b->levels, sizeof a->levels);
    assert_memory_equal(&a->iterations, &b->iterations, sizeof a->iterations);
    assert_int_equal(a->window_count, b->window_count);
    if (a->window_count)
        assert_memory_equal(a->windows, b->windows, a->window_count * sizeof *a->windows);
}

static void assert_place_equal(const struct efg_run_place *a, const struct efg_run_place *b)
{
    assert_int_equal(a->package, b->package);
    assert_int_equal(a->numa, b->numa);
    assert_int_equal(a->core, b->core);
    assert_int_equal(a->last_core, b->last_core);
    assert_int_equal(a->core_count, b->core_count);
    assert_int_equal(a->node_cores, b->node_cores);
    assert_string_equal(a->cores ? a->cores : "", b->cores);
}

static void assert_rank_equal(const struct efg_run_rank *a, const struct efg_run_rank *b)
{
    assert_int_equal(a->rank, b->rank);
    assert_string_equal(a->host, b->host);
    assert_place_equal(&a->place, &b->place);
    assert_int_equal(a->clock_error, b->clock_error);
    assert_string_equal(a->note, b->note);
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->init, b->init);
    assert_int_equal(a->call_count, b->call_count);
    for (uint32_t i = 0; i < a->call_count; i++)
        assert_string_equal(a->calls[i].name, b->calls[i].name);
    assert_int_equal(a->module_count, b->module_count);
    for (uint32_t i = 0; i < a->module_count; i++)
        assert_string_equal(a->modules[i], b->modules[i]);
    assert_int_equal(a->path_count, b->path_count);
    for (uint32_t i = 0; i < a->path_count; i++) {
        assert_int_equal(a->paths[i].hash, b->paths[i].hash);
        assert_int_equal(a->paths[i].depth, b->paths[i].depth);
        if (a->paths[i].depth)
            assert_memory_equal(a->paths[i].frames, b->paths[i].frames,
                                a->paths[i].depth * sizeof(struct efg_frame));
    }
    assert_int_equal(a->region_count, b->region_count);
    for (uint32_t i = 0; i < a->region_count; i++) {
        assert_int_equal(a->regions[i].id, b->regions[i].id);
        assert_string_equal(a->regions[i].name, b->regions[i].name);
    }
    assert_int_equal(a->thread_count, b->thread_count);
    for (uint32_t i = 0; i < a->thread_count; i++)
        assert_thread_equal(&a->threads[i], &b->threads[i]);
}

static void assert_run_equal(const struct efg_run *a, const struct efg_run *b)
{
    assert_string_equal(a->application, b->application);
    assert_string_equal(a->trace_note, b->trace_note);
    assert_int_equal(a->mode, b->mode);
    assert_int_equal(a->level, b->level);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->trace_bytes, b->trace_bytes);
    assert_int_equal(a->is_checked, b->is_checked);
    assert_memory_equal(&a->messages, &b->messages, sizeof a->messages);
    assert_memory_equal(&a->skew, &b->skew, sizeof a->skew);
    assert_int_equal(a->cut_count, b->cut_count);
    if (a->cut_count)
        assert_memory_equal(a->cuts, b->cuts, a->cut_count * sizeof *a->cuts);
    assert_int_equal(a->rounds, b->rounds);
    assert_int_equal(a->finish, b->finish);
    assert_int_equal(a->own, b->own);
    assert_int_equal(a->rank_count, b->rank_count);
    for (uint32_t i = 0; i < a->rank_count; i++)
        assert_rank_equal(&a->ranks[i], &b->ranks[i]);
    assert_int_equal(a->site_count, b->site_count);
    for (uint32_t i = 0; i < a->site_count; i++) {
        assert_string_equal(a->sites[i].module, b->sites[i].module);
        assert_int_equal(a->sites[i].symbol_count, b->sites[i].symbol_count);
        for (uint32_t k = 0; k < a->sites[i].symbol_count; k++)
            assert_string_equal(a->sites[i].symbols[k].file, b->sites[i].symbols[k].file);
    }
}

/* Follows each list; a circle or a wrong id would show as a count that is off or a crash. */
static uint64_t walk_graph(const struct efg_graph *graph)
{
    uint64_t edges = 0, time = 0;
    for (uint32_t v = 0; v < graph->node_count; v++) {
        for (uint32_t e = graph->nodes[v].first_edge; e != EFG_NONE; e = graph->edges[e].next) {
            assert_int_equal(graph->edges[e].from, v);
            time += graph->nodes[graph->edges[e].to].time.sum;
            assert_true(++edges <= graph->edge_count);
        }
    }
    assert_int_equal(edges, graph->edge_count);
    assert_true(graph->current == EFG_NONE || graph->current < graph->node_count);
    return time;
}

/* Bytes that RUN holds. */
static size_t walk(const struct efg_run *run)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        const struct efg_run_rank *rank = &run->ranks[i];
        bytes += sizeof *rank + rank->path_count * sizeof *rank->paths;
        for (uint32_t k = 0; k < rank->thread_count; k++) {
            walk_graph(&rank->threads[k].graph);
            bytes += sizeof *rank->threads +
                     rank->threads[k].graph.node_count * sizeof(struct efg_node) +
                     rank->threads[k].graph.edge_count * sizeof(struct efg_edge);
        }
    }
    return bytes + run->site_count * sizeof *run->sites;
}

/* What is read must be safe for those who come after, too. */
static void describe(const struct efg_run *run)
{
    struct efg_buffer text = {0};
    efg_summary_write(&text, run);
    assert_true(text.size > 0);
    efg_buffer_fini(&text);
}

/* --- tests --- */

static void test_round_trip(void **state)
{
    (void)state;
    struct efg_run run, back;
    char message[256];
    for (int i = 0; i < 300; i++) {
        random_run(&run);
        assert_int_equal(efg_runfile_write(&run, path), 0);
        int error = efg_runfile_read(&back, path, message, sizeof message);
        if (error)
            fail_msg("run %d: %s", i, message);
        assert_run_equal(&run, &back);
        efg_run_fini(&run);
        efg_run_fini(&back);
    }
}

static void test_sample(void **state)
{
    (void)state;
    struct efg_run run, back;
    char message[256];
    sample_run(&run);
    assert_int_equal(efg_runfile_write(&run, path), 0);
    assert_int_equal(efg_runfile_read(&back, path, message, sizeof message), 0);
    assert_run_equal(&run, &back);
    size_t size;
    free(load(&size));
    assert_true(size < 8000 * SAMPLE_RANKS); /* compact: 9 nodes, some 400 samples a rank */
    const struct efg_run_site *site = efg_runfile_site(&back, "/home/user/stencil", 0x1070);
    assert_non_null(site);
    assert_string_equal(site->symbols[0].function, "residual");
    assert_null(efg_runfile_site(&back, "/home/user/stencil", 0x1071));
    assert_string_equal(efg_runfile_call(&back.ranks[0], SAMPLE_WAITALL), "MPI_Waitall");
    assert_string_equal(efg_runfile_call(&back.ranks[0], 999), "?");
    assert_null(efg_runfile_path(&back.ranks[0], 0));
    assert_null(efg_runfile_path(&back.ranks[0], 99));
    efg_run_fini(&run);
    efg_run_fini(&back);
}

/* The bounds on which the safety of memory rests. */
static void test_least_sizes(void **state)
{
    (void)state;
    struct efg_run_thread thread = {0};
    struct efg_run_rank rank = {0};
    struct efg_buffer empty = {0}, full = {0};
    efg_runfile_put_rank(&empty, &rank);
    assert_true(empty.size + 1 >= EFG_LEAST_RANK);
    thread.graph.current = thread.graph.edge = thread.graph.overflow = EFG_NONE;
    thread.graph.polled = thread.graph.pivot_id = EFG_NONE;
    rank.threads = &thread;
    rank.thread_count = 1;
    efg_runfile_put_rank(&full, &rank);
    assert_int_equal(full.size - empty.size, EFG_LEAST_THREAD);
    efg_buffer_fini(&empty);
    efg_buffer_fini(&full);
}

static void expect_message(int error, const char *words)
{
    struct efg_run run;
    char message[256] = "";
    assert_int_equal(efg_runfile_read(&run, path, message, sizeof message), error);
    if (!strstr(message, words) || !strstr(message, path))
        fail_msg("\"%s\" does not say \"%s\" and where", message, words);
    assert_null(run.ranks);
}

static void test_messages(void **state)
{
    (void)state;
    struct efg_run run;
    size_t size;
    sample_run(&run);
    assert_int_equal(efg_runfile_write(&run, path), 0);
    efg_run_fini(&run);
    unsigned char *data = load(&size);
    store(data, size / 2);
    expect_message(-EBADMSG, "is cut short");
    store(data, 5);
    expect_message(-EBADMSG, "is cut short: 5 bytes");
    store(data, 0);
    expect_message(-EBADMSG, "is empty");
    data[size / 2] ^= 1;
    store(data, size);
    expect_message(-EBADMSG, "its checksum is");
    data[8] = 7;
    store(data, size);
    expect_message(-EBADMSG, "is of version 7, this efgtrace reads version 4; use ");
    memcpy(data,
           "\x7f"
           "ELF",
           4);
    store(data, size);
    expect_message(-EBADMSG, "is no run file");
    unlink(path);
    expect_message(-ENOENT, "No such file");
    assert_int_equal(mkdir(path, 0700), 0);
    expect_message(-EISDIR, "Is a directory");
    rmdir(path);
    free(data);
}

static void test_write_errors(void **state)
{
    (void)state;
    struct efg_run run;
    char missing[128];
    sample_run(&run);
    snprintf(missing, sizeof missing, "%s/none/run.efg", folder);
    assert_int_equal(efg_runfile_write(&run, missing), -ENOENT);
    if (!access("/dev/full", W_OK)) {
        /* The file beside it is a link to a disk that is full: nothing appears. */
        char beside[128];
        snprintf(beside, sizeof beside, "%s.new", path);
        assert_int_equal(symlink("/dev/full", beside), 0);
        assert_int_equal(efg_runfile_write(&run, path), -ENOSPC);
        assert_int_not_equal(access(path, F_OK), 0);
        assert_int_not_equal(access(beside, F_OK), 0);
    }
    efg_run_fini(&run);
}

/* A file that ends early is refused wherever it ends, with and without a right checksum. */
static void test_every_truncation(void **state)
{
    (void)state;
    struct efg_run run, back;
    char message[256];
    size_t size;
    do {
        random_run(&run);
        efg_runfile_write(&run, path);
        efg_run_fini(&run);
        free(load(&size));
    } while (size < 1000 || size > 20000);
    unsigned char *data = load(&size);
    for (size_t length = 0; length < size; length++) {
        store(data, length);
        assert_int_equal(efg_runfile_read(&back, path, message, sizeof message), -EBADMSG);
    }
    for (size_t length = 24; length < size; length++) {
        unsigned char *copy = malloc(length);
        memcpy(copy, data, length);
        for (int i = 0; i < 8; i++)
            copy[12 + i] = (unsigned char)((uint64_t)length >> (8 * i));
        fix_crc(copy, length);
        store(copy, length);
        assert_int_equal(efg_runfile_read(&back, path, message, sizeof message), -EBADMSG);
        free(copy);
    }
    free(data);
}

static void damage(unsigned char *data, size_t size)
{
    for (uint32_t n = 1 + random_below(8); n; n--) {
        size_t at = 20 + random_below((uint32_t)size - 24);
        data[at] = (unsigned char)(random_below(3)   ? random_below(256)
                                   : random_below(2) ? 0xff
                                                     : 0);
    }
    fix_crc(data, size);
}

static void test_damage_is_harmless(void **state)
{
    (void)state;
    struct efg_run run, back;
    char message[256];
    int accepted = 0;
    for (int i = 0; i < 40; i++) {
        size_t size;
        random_run(&run);
        efg_runfile_write(&run, path);
        efg_run_fini(&run);
        unsigned char *data = load(&size);
        for (int k = 0; k < 100; k++) {
            unsigned char *copy = malloc(size);
            memcpy(copy, data, size);
            damage(copy, size);
            store(copy, size);
            free(copy);
            if (efg_runfile_read(&back, path, message, sizeof message))
                continue;
            assert_true(walk(&back) <= 400 * size);
            describe(&back);
            accepted++;
            efg_run_fini(&back);
        }
        free(data);
    }
    assert_true(accepted > 100); /* else the test tests nothing */
}

/* A count of 2^60 nodes in a block of some bytes must not be believed. */
static void test_block_of_noise(void **state)
{
    (void)state;
    struct efg_run_rank rank;
    unsigned char noise[200];
    for (int i = 0; i < 20000; i++) {
        size_t size = random_below(sizeof noise);
        for (size_t k = 0; k < size; k++)
            noise[k] = (unsigned char)(random_below(2) ? random_below(6) : random_below(256));
        if (!efg_runfile_get_rank(&rank, noise, size))
            efg_run_rank_fini(&rank);
    }
}

static void test_resolve(void **state)
{
    (void)state;
    struct efg_run run;
    struct efg_symbols *symbols = efg_symbols_new();
    sample_run(&run);
    assert_int_equal(efg_runfile_resolve(&run, symbols), 0); /* its module does not exist */
    assert_int_equal(run.site_count, 0);
    efg_symbols_free(symbols);
    efg_run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_least_sizes),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_write_errors),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_damage_is_harmless),
        cmocka_unit_test(test_block_of_noise),
        cmocka_unit_test(test_resolve),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
