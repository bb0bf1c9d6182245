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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/conf/conf.h"
#include "files/run/expand.h"
#include "files/run/parts.h"
#include "files/summary/summary.h"
#include "files/symbols/symbols.h"
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

static void set_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t size_at(const unsigned char *data)
{
    uint64_t size = 0;
    for (int i = 0; i < 8; i++)
        size |= (uint64_t)data[i] << (8 * i);
    return size;
}

/* Makes all checksums right: of the header, and of the sections as far as they follow one
 * another. */
static void fix_sums(unsigned char *data, size_t size)
{
    for (int i = 0; i < 8; i++)
        data[12 + i] = (unsigned char)((uint64_t)size >> (8 * i));
    set_u32(data + 20, efg_crc32(0, data, 20));
    for (size_t at = EFG_RUN_SECTIONS; size - at >= EFG_SECTION_HEADER;) {
        uint64_t length = size_at(data + at + 8);
        if (length > size - at - EFG_SECTION_HEADER)
            return;
        uint32_t crc = efg_crc32(0, data + at, 16);
        set_u32(data + at + 16, efg_crc32(crc, data + at + EFG_SECTION_HEADER, length));
        at += EFG_SECTION_HEADER + length;
    }
}

/* --- comparing, walking --- */

static void assert_rhythm_equal(const struct efg_rhythm *a, const struct efg_rhythm *b)
{
    assert_int_equal(a->visits, b->visits);
    assert_int_equal(a->time, b->time);
}

static void assert_graph_equal(const struct efg_graph *a, const struct efg_graph *b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->edge_count, b->edge_count);
    for (uint32_t i = 0; i < a->node_count; i++) {
        const struct efg_node *x = &a->nodes[i], *y = &b->nodes[i];
        assert_int_equal(x->signature.call, y->signature.call);
        assert_int_equal(x->signature.partner, y->signature.partner);
        assert_int_equal(x->signature.size, y->signature.size);
        assert_int_equal(x->hash, y->hash);
        assert_int_equal(x->flags, y->flags);
        assert_int_equal(x->first_edge, y->first_edge);
        assert_int_equal(x->bytes, y->bytes);
        assert_int_equal(x->polls, y->polls);
        assert_int_equal(x->poll_time, y->poll_time);
        assert_memory_equal(&x->time, &y->time, sizeof x->time);
        assert_rhythm_equal(&x->rhythm, &y->rhythm);
    }
    for (uint32_t i = 0; i < a->edge_count; i++) {
        const struct efg_edge *x = &a->edges[i], *y = &b->edges[i];
        assert_int_equal(x->from, y->from);
        assert_int_equal(x->to, y->to);
        assert_int_equal(x->next, y->next);
        assert_memory_equal(&x->time, &y->time, sizeof x->time);
        assert_int_equal(x->visits, y->visits);
        assert_int_equal(x->spent, y->spent);
    }
    assert_int_equal(a->overflow, b->overflow);
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->last_leave - a->start, b->last_leave);
    assert_int_equal(a->node_time, b->node_time);
    assert_int_equal(a->lost_edges, b->lost_edges);
    assert_int_equal(a->dropped, b->dropped);
}

static int is_same_size(const struct efg_curve_point *a, const struct efg_curve_point *b)
{
    return a->nodes == b->nodes && a->edges == b->edges;
}

/* B has all samples of A that show growth, and no others than A. */
static void assert_stability_equal(const struct efg_stability *a, const struct efg_stability *b)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        if (k < b->count && !memcmp(&a->curve[i], &b->curve[k], sizeof *a->curve))
            k++;
        else
            assert_true(i > 0 && is_same_size(&a->curve[i], &a->curve[i - 1]));
    }
    assert_int_equal(k, b->count);
    assert_memory_equal(&a->last, &b->last, sizeof a->last);
    assert_int_equal(a->stable_since, b->stable_since);
}

static void assert_loop_equal(const struct efg_run_loop *a, const struct efg_run_loop *b)
{
    assert_int_equal(a->function, b->function);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->node, b->node);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->share, b->share);
}

static void assert_loops_equal(const struct efg_run_loops *a, const struct efg_run_loops *b)
{
    assert_loop_equal(&a->main, &b->main);
    assert_loop_equal(&a->automatic, &b->automatic);
    assert_loop_equal(&a->finer, &b->finer);
    assert_loop_equal(&a->coarser, &b->coarser);
    assert_loop_equal(&a->best, &b->best);
    assert_int_equal(a->reason, b->reason);
}

static void assert_series_equal(const struct efg_run_thread *a, const struct efg_run_thread *b)
{
    if (!a->series || !a->series->count) {
        assert_null(b->series);
        return;
    }
    size_t size = efg_series_size(efg_series_slots(a->series));
    struct efg_series *rounded = memcpy(malloc(size), a->series, size);
    efg_series_round(rounded);
    rounded->threshold = 0; /* is for those that come later */
    assert_non_null(b->series);
    assert_memory_equal(rounded, b->series, size);
    free(rounded);
}

static void assert_items_equal(const struct efg_run_items *a, const struct efg_run_items *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct efg_traffic_item *x = &a->item[i], *y = &b->item[i];
        assert_int_equal(x->key, y->key);
        assert_memory_equal(&x->all, &y->all, sizeof x->all);
        assert_memory_equal(&x->recorded, &y->recorded, sizeof x->recorded);
    }
}

static void assert_thread_equal(const struct efg_run_thread *a, const struct efg_run_thread *b)
{
    assert_int_equal(a->number, b->number);
    assert_graph_equal(&a->graph, &b->graph);
    assert_stability_equal(&a->stability, &b->stability);
    assert_memory_equal(&a->pivot, &b->pivot, sizeof a->pivot);
    assert_loops_equal(&a->loops, &b->loops);
    assert_memory_equal(&a->agreed, &b->agreed, sizeof a->agreed);
    assert_memory_equal(&a->iterations, &b->iterations, sizeof a->iterations);
    assert_int_equal(a->window_count, b->window_count);
    if (a->window_count)
        assert_memory_equal(a->windows, b->windows, a->window_count * sizeof *a->windows);
    assert_series_equal(a, b);
    assert_items_equal(&a->traffic.partners, &b->traffic.partners);
    assert_items_equal(&a->traffic.sends, &b->traffic.sends);
    assert_items_equal(&a->traffic.collectives, &b->traffic.collectives);
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

/* What was read is written as it was. */
static void assert_same_bytes(const struct efg_run_rank *a, const struct efg_run_rank *b)
{
    struct efg_buffer x = {0}, y = {0};
    efg_runfile_put_rank(&x, a);
    efg_runfile_put_rank(&y, b);
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    efg_buffer_fini(&x);
    efg_buffer_fini(&y);
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
    assert_int_equal(a->thread_count, b->thread_count);
    for (uint32_t i = 0; i < a->thread_count; i++)
        assert_thread_equal(&a->threads[i], &b->threads[i]);
    assert_same_bytes(a, b);
}

static const char *call_of(const struct efg_run_names *names, uint32_t call)
{
    for (uint32_t i = 0; i < names->call_count; i++)
        if (names->calls[i].id == call)
            return names->calls[i].name;
    return "?";
}

static void assert_positions_equal(struct efg_position a, struct efg_position b)
{
    assert_int_equal(a.place, b.place);
    assert_int_equal(a.order, b.order);
    assert_int_equal(a.leg, b.leg);
    assert_int_equal(a.firsts, b.firsts);
}

/* The names that the nodes of a rank refer to: ids of paths differ, what they are does not. */
static void assert_names_equal(const struct efg_run_names *names, const struct efg_run_rank *rank,
                               const struct efg_run *back, const struct efg_run_rank *rank_back)
{
    for (uint32_t k = 0; k < rank->thread_count; k++)
        for (uint32_t i = 0; i < rank->threads[k].graph.node_count; i++) {
            const struct efg_signature *s = &rank->threads[k].graph.nodes[i].signature;
            const struct efg_signature *t = &rank_back->threads[k].graph.nodes[i].signature;
            assert_string_equal(call_of(names, s->call), efg_run_call_name(back, t->call));
            assert_int_equal(!s->path, !t->path);
            if (!s->path)
                continue;
            const struct efg_run_path *a = &names->paths[s->path - 1];
            const struct efg_run_path *b = efg_run_path(back, t->path);
            assert_int_equal(a->hash, b->hash);
            assert_int_equal(a->depth, b->depth);
            for (uint32_t f = 0; f < a->depth; f++) {
                assert_int_equal(a->frames[f].offset, b->frames[f].offset);
                assert_string_equal(names->modules[a->frames[f].module],
                                    efg_run_module(back, b->frames[f].module));
                assert_positions_equal(efg_run_position(names, &a->frames[f]),
                                       efg_run_position(&back->common.names, &b->frames[f]));
            }
        }
}

/* The calls of a thread one after the other, and from some of them on. */
static void assert_expands(const struct efg_run_sequence_thread *thread, uint32_t nodes)
{
    struct efg_expand expand;
    uint32_t *all = malloc((thread->events + 1) * sizeof *all), node = 0;
    uint64_t count, at = 0;
    int found;
    efg_expand_init(&expand, thread, nodes);
    while ((found = efg_expand_next(&expand, &node, &count)) > 0) {
        assert_true(node < nodes && count <= thread->events - at);
        while (count--)
            all[at++] = node;
    }
    efg_expand_fini(&expand);
    assert_int_equal(found, 0);
    assert_int_equal(at, thread->events);
    for (int i = 0; i < 5; i++) {
        uint64_t to = random_below((uint32_t)at + 3);
        efg_expand_init(&expand, thread, nodes);
        assert_int_equal(efg_expand_skip(&expand, to), 0);
        found = efg_expand_next(&expand, &node, &count);
        assert_int_equal(found, to < at);
        if (found)
            assert_int_equal(node, all[to]);
        efg_expand_fini(&expand);
    }
    free(all);
}

/* The section that is read for a rank has the bytes that the rank has made. */
static void assert_sequence_equal(const struct whole_run *whole, const struct efg_run *back, uint32_t i)
{
    struct efg_run_sequence sequence;
    char message[256];
    const struct efg_run_rank *rank = &whole->ranks[i];
    int error = efg_runfile_sequence(back, rank->rank, &sequence, message, sizeof message);
    if (!whole->sequences || !whole->sequences[i].size) {
        assert_int_equal(error, -ENODATA);
        assert_non_null(strstr(message, "was not kept"));
        return;
    }
    assert_int_equal(error, 0);
    size_t payload = whole->sequences[i].size - EFG_SECTION_HEADER;
    assert_memory_equal(sequence.bytes + EFG_SECTION_HEADER, whole->sequences[i].data + EFG_SECTION_HEADER,
                        payload);
    assert_int_equal(sequence.thread_count, rank->thread_count);
    for (uint32_t k = 0; k < rank->thread_count; k++)
        assert_expands(&sequence.threads[k], rank->threads[k].graph.node_count);
    efg_run_sequence_fini(&sequence);
}

static void assert_run_equal(const struct whole_run *whole, const struct efg_run *b)
{
    const struct efg_run *a = &whole->run;
    char message[256];
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
    assert_int_equal(a->objects_left, b->objects_left);
    assert_int_equal(a->object_count, b->object_count);
    for (uint32_t i = 0; i < a->object_count; i++) {
        const struct efg_run_object *x = &a->objects[i], *y = &b->objects[i];
        assert_string_equal(x->name, y->name);
        assert_memory_equal(&x->ranks, &y->ranks, sizeof *x - offsetof(struct efg_run_object, ranks));
    }
    assert_int_equal(a->rounds, b->rounds);
    assert_int_equal(a->finish, b->finish);
    assert_int_equal(a->own, b->own);
    assert_int_equal(whole->rank_count, b->rank_count);
    for (uint32_t i = 0; i < b->rank_count; i++) {
        struct efg_run_rank rank;
        assert_int_equal(efg_runfile_rank(b, i, &rank, message, sizeof message), 0);
        assert_rank_equal(&whole->ranks[i], &rank);
        assert_names_equal(&whole->names, &whole->ranks[i], b, &rank);
        efg_run_rank_fini(&rank);
        assert_sequence_equal(whole, b, i);
    }
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
    assert_true(graph->overflow == EFG_NONE || graph->overflow < graph->node_count);
    return time;
}

/* Slots have the sums of the iterations, keys ascend. Returns the bytes that are held. */
static size_t walk_series(const struct efg_run_thread *thread)
{
    const struct efg_series *s = thread->series;
    uint64_t count = 0, time = 0, mpi = 0;
    if (!s)
        return 0;
    uint32_t slots = efg_series_slots(s);
    assert_in_range(slots, 1, EFG_SERIES_SLOTS);
    for (uint32_t i = 0; i < slots; i++) {
        count += efg_series_in_slot(s, i);
        time += s->slot[i].time;
        mpi += s->slot[i].mpi;
        assert_true(s->slot[i].least <= s->slot[i].most);
    }
    assert_int_equal(count, thread->iterations.all.count);
    assert_int_equal(time, thread->iterations.all.sum);
    assert_int_equal(mpi, thread->iterations.all_mpi);
    assert_true(s->longest_count <= EFG_SERIES_LONGEST);
    return efg_series_size(slots);
}

static size_t walk_items(const struct efg_run_items *items, uint32_t most)
{
    for (uint32_t i = 0; i < items->count; i++)
        assert_true(items->item[i].key <= most && (i == 0 || items->item[i].key > items->item[i - 1].key));
    return items->count * sizeof *items->item;
}

static size_t walk_rank(const struct efg_run_rank *rank)
{
    size_t bytes = sizeof *rank;
    for (uint32_t k = 0; k < rank->thread_count; k++) {
        walk_graph(&rank->threads[k].graph);
        bytes += sizeof *rank->threads + rank->threads[k].graph.node_count * sizeof(struct efg_node) +
                 rank->threads[k].graph.edge_count * sizeof(struct efg_edge) +
                 walk_series(&rank->threads[k]) +
                 walk_items(&rank->threads[k].traffic.partners, EFG_TRAFFIC_OTHERS) +
                 walk_items(&rank->threads[k].traffic.sends, EFG_TRAFFIC_SIZES - 1) +
                 walk_items(&rank->threads[k].traffic.collectives, EFG_TRAFFIC_SIZES - 1);
    }
    return bytes;
}

/* Goes through the calls of RANK as far as they make sense. A few bytes may stand for as many
 * calls as they like: the first ones must do. Returns the bytes that are held. */
static size_t walk_sequence(const struct efg_run *run, const struct efg_run_rank *rank, int *all)
{
    struct efg_run_sequence sequence;
    char message[256];
    size_t bytes = 0;
    int error = efg_runfile_sequence(run, rank->rank, &sequence, message, sizeof message);
    *all &= !error || error == -ENODATA;
    assert_true(!error || error == -ENODATA || strstr(message, "damaged"));
    for (uint32_t k = 0; k < sequence.thread_count; k++) {
        struct efg_expand expand;
        uint32_t nodes = k < rank->thread_count ? rank->threads[k].graph.node_count : 0, node;
        uint64_t count;
        int found = 1;
        efg_expand_init(&expand, &sequence.threads[k], nodes);
        for (int i = 0; i < 10000 && found > 0; i++) {
            found = efg_expand_next(&expand, &node, &count);
            assert_true(found <= 0 || (node < nodes && count > 0));
        }
        efg_expand_skip(&expand, expand.at + random_any());
        efg_expand_fini(&expand);
        *all &= found >= 0;
        bytes += sizeof *sequence.threads + sequence.threads[k].size;
        for (uint32_t t = 0; t < sequence.threads[k].table_count; t++)
            bytes +=
                sequence.threads[k].tables[t].count * sizeof(uint32_t) + sizeof *sequence.threads[k].tables;
    }
    efg_run_sequence_fini(&sequence);
    return bytes;
}

/* Bytes that RUN holds, at most, while all its ranks are gone through. ALL: whether they could
 * be read. */
static size_t walk(const struct efg_run *run, int *all)
{
    size_t most = walk_rank(&run->speaker);
    char message[256];
    *all = 1;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        struct efg_run_rank rank;
        if (efg_runfile_rank(run, i, &rank, message, sizeof message)) {
            assert_non_null(strstr(message, "damaged"));
            *all = 0;
            continue;
        }
        size_t bytes = walk_rank(&rank) + walk_sequence(run, &rank, all);
        most = bytes > most ? bytes : most;
        efg_run_rank_fini(&rank);
    }
    return 2 * most + run->rank_count * sizeof *run->ranks +
           run->common.names.path_count * sizeof(struct efg_run_path) +
           run->sequence_count * sizeof *run->sequences + run->site_count * sizeof *run->sites;
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
    struct whole_run whole;
    struct efg_run back;
    char message[256];
    for (int i = 0; i < 300; i++) {
        random_run(&whole);
        assert_int_equal(whole_run_write(&whole, path, 1 + random_below(5)), 0);
        int error = efg_runfile_open(&back, path, 0, message, sizeof message);
        if (error)
            fail_msg("run %d: %s", i, message);
        assert_run_equal(&whole, &back);
        whole_run_fini(&whole);
        efg_run_fini(&back);
    }
}

static void test_sample(void **state)
{
    (void)state;
    struct whole_run whole;
    struct efg_run back;
    char message[256];
    sample_run(&whole);
    assert_int_equal(whole_run_write(&whole, path, SAMPLE_RANKS), 0);
    assert_int_equal(efg_runfile_open(&back, path, 0, message, sizeof message), 0);
    assert_run_equal(&whole, &back);
    size_t size;
    free(load(&size));
    assert_true(size <
                1500 + 1600 * SAMPLE_RANKS); /* 9 nodes, 10 edges, some 400 samples, 125 slots a rank */
    assert_int_equal(back.common.group_count, 1);
    assert_int_equal(back.common.totals.hosts, 2);
    const struct efg_run_site *site = efg_run_site(&back, "/home/user/stencil", 0x1070);
    assert_non_null(site);
    assert_string_equal(site->symbols[0].function, "residual");
    assert_null(efg_run_site(&back, "/home/user/stencil", 0x1071));
    assert_string_equal(efg_run_call_name(&back, SAMPLE_WAITALL), "MPI_Waitall");
    assert_string_equal(efg_run_call_name(&back, 999), "?");
    assert_null(efg_run_path(&back, 0));
    assert_null(efg_run_path(&back, 99));
    whole_run_fini(&whole);
    efg_run_fini(&back);
}

static size_t size_of_shape(const struct efg_run_rank *rank)
{
    struct efg_run_group group = {0};
    assert_int_equal(efg_run_shape_put(&group, rank), 0);
    free(group.shape);
    free(group.paths);
    return group.size;
}

static size_t size_of_sequence(uint32_t threads)
{
    struct efg_run_sequence_thread thread = {0};
    struct efg_run_sequence sequence = {.thread_count = threads, .threads = &thread};
    struct efg_run_order order;
    struct efg_buffer out = {0};
    efg_runfile_put_sequence(&out, 0, &sequence, &order);
    assert_int_equal(order.size, out.size - EFG_SECTION_HEADER);
    efg_buffer_fini(&out);
    return order.size;
}

static size_t size_of_orders(uint32_t count)
{
    struct efg_range range = {0, 1, 1};
    struct efg_run_order order = {.ranks = {&range, 1}};
    struct efg_run_common common = {.order_count = count, .orders = &order};
    struct efg_buffer out = {0};
    efg_run_put_orders(&out, &common);
    size_t size = out.size;
    efg_buffer_fini(&out);
    return size;
}

/* Of so many iterations of 0 ns: slots but for the last one, and those that are named. */
static size_t size_of_series(uint32_t count)
{
    struct efg_run_thread thread = {.series = efg_series_new()};
    struct efg_buffer out = {0};
    thread.iterations.all.count = count;
    for (uint32_t i = 0; i < count; i++)
        efg_series_add(thread.series, &(struct efg_iteration){.number = i});
    efg_thread_put_series(&out, &thread);
    size_t size = out.size;
    efg_buffer_fini(&out);
    free(thread.series);
    return size;
}

/* The bounds on which the safety of memory rests. */
static void test_least_sizes(void **state)
{
    (void)state;
    struct efg_run_thread thread = {0};
    struct efg_run_rank rank = {0};
    struct efg_buffer empty = {0}, full = {0};
    struct efg_node node = {0};
    struct efg_edge edge = {0};
    efg_runfile_put_rank(&empty, &rank);
    rank.threads = &thread;
    rank.thread_count = 1;
    efg_runfile_put_rank(&full, &rank);
    assert_int_equal(full.size - empty.size, EFG_LEAST_THREAD);
    thread.traffic.sends = (struct efg_run_items){1, &(struct efg_traffic_item){0}};
    size_t before = full.size;
    efg_runfile_put_rank(&full, &rank);
    assert_int_equal(full.size - before - empty.size, EFG_LEAST_THREAD + EFG_LEAST_ITEM);
    thread.traffic.sends.count = 0;
    assert_int_equal(size_of_series(2) - size_of_series(1), EFG_LEAST_ITERATION + 2);
    size_t without = size_of_shape(&rank);
    thread.graph.nodes = &node;
    thread.graph.node_count = 1;
    assert_int_equal(size_of_shape(&rank) - without, EFG_LEAST_NODE);
    thread.graph.edges = &edge;
    thread.graph.edge_count = 1;
    assert_int_equal(size_of_shape(&rank) - without, EFG_LEAST_NODE + EFG_LEAST_EDGE);
    assert_int_equal(size_of_sequence(1) - size_of_sequence(0), EFG_LEAST_SEQUENCE);
    assert_int_equal(size_of_orders(1) - size_of_orders(0), EFG_LEAST_ORDER);
    efg_buffer_fini(&empty);
    efg_buffer_fini(&full);
}

static void expect_message(int error, const char *words)
{
    struct efg_run run;
    char message[256] = "";
    assert_int_equal(efg_runfile_open(&run, path, 0, message, sizeof message), error);
    if (!strstr(message, words) || !strstr(message, path))
        fail_msg("\"%s\" does not say \"%s\" and where", message, words);
    assert_null(run.ranks);
}

static void write_sample(void)
{
    struct whole_run whole;
    sample_run(&whole);
    assert_int_equal(whole_run_write(&whole, path, SAMPLE_RANKS), 0);
    whole_run_fini(&whole);
}

static void test_messages(void **state)
{
    (void)state;
    size_t size;
    write_sample();
    unsigned char *data = load(&size);
    store(data, size / 2);
    expect_message(-EBADMSG, "is cut short");
    store(data, 5);
    expect_message(-EBADMSG, "is cut short: 5 bytes");
    store(data, 0);
    expect_message(-EBADMSG, "is empty");
    data[size - 1] ^= 1;
    store(data, size);
    expect_message(-EBADMSG, "the checksum of the table of source lines is wrong");
    data[13] ^= 1;
    store(data, size);
    expect_message(-EBADMSG, "its header is not as it was written");
    data[8] = 4;
    store(data, size);
    expect_message(-EBADMSG, "is of version 4, this efgtrace reads version 9; use ");
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

/* What is damaged is found when it is read, and harms nothing else. */
static void test_damaged_rank(void **state)
{
    (void)state;
    struct efg_run run;
    struct efg_run_rank rank;
    char message[256];
    size_t size;
    write_sample();
    assert_int_equal(efg_runfile_open(&run, path, 0, message, sizeof message), 0);
    size_t at = run.ranks[2].offset + run.ranks[2].size / 2;
    efg_run_fini(&run);
    unsigned char *data = load(&size);
    data[at] ^= 1;
    store(data, size);
    free(data);
    assert_int_equal(efg_runfile_open(&run, path, 0, message, sizeof message), 0);
    assert_int_equal(efg_runfile_rank(&run, 1, &rank, message, sizeof message), 0);
    efg_run_rank_fini(&rank);
    assert_int_equal(efg_runfile_rank(&run, 2, &rank, message, sizeof message), -EBADMSG);
    assert_non_null(strstr(message, "the checksum of the data of rank 2 is wrong"));
    efg_run_fini(&run);
}

/* A reader passes over sections and facts that it does not know. */
static void test_unknown_sections(void **state)
{
    (void)state;
    struct efg_run run;
    struct efg_buffer file = {0};
    char message[256];
    size_t size;
    write_sample();
    unsigned char *data = load(&size);
    efg_buffer_put(&file, data, size);
    for (uint32_t kind = EFG_SECTION_SEQUENCE; kind < 40; kind += 13) {
        size_t begin = efg_section_begin(&file, (enum efg_section_kind)kind, kind);
        efg_buffer_string(&file, "what comes later");
        efg_section_end(&file, begin);
    }
    fix_sums(file.data, file.size);
    store(file.data, file.size);
    assert_int_equal(efg_runfile_open(&run, path, 0, message, sizeof message), 0);
    assert_int_equal(run.rank_count, SAMPLE_RANKS);
    efg_run_fini(&run);
    efg_buffer_fini(&file);
    free(data);
}

static void test_write_errors(void **state)
{
    (void)state;
    struct whole_run whole;
    char missing[128], beside[128];
    sample_run(&whole);
    unlink(path);
    snprintf(missing, sizeof missing, "%s/none/run.efg", folder);
    snprintf(beside, sizeof beside, "%s.new", path);
    assert_int_equal(whole_run_write(&whole, missing, SAMPLE_RANKS), -ENOENT);
    /* It may not be that large: nothing appears. */
    struct rlimit any, little = {.rlim_cur = 1000};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &any), 0);
    little.rlim_max = any.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    assert_int_equal(whole_run_write(&whole, path, SAMPLE_RANKS), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &any), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_not_equal(access(beside, F_OK), 0);
    /* A link in place of the file beside it is not followed. */
    assert_int_equal(symlink(missing, beside), 0);
    assert_int_equal(whole_run_write(&whole, path, SAMPLE_RANKS), 0);
    assert_int_equal(unlink(path), 0);
    /* Who sees another file of that name, or none, is told. */
    assert_int_equal(efg_runfile_create(path, 1, 1), 0);
    assert_int_equal(efg_runfile_put(path, 1, 2, EFG_RUN_SECTIONS, "x", 1), -ESTALE);
    efg_runfile_abandon(path, 1);
    assert_int_equal(efg_runfile_put(path, 1, 1, EFG_RUN_SECTIONS, "x", 1), -ENOENT);
    whole_run_fini(&whole);
}

/* A file that ends early is refused wherever it ends, with and without right checksums. */
static void test_every_truncation(void **state)
{
    (void)state;
    struct whole_run whole;
    struct efg_run back;
    char message[256];
    size_t size;
    uint32_t ranks;
    do {
        random_run(&whole);
        whole_run_write(&whole, path, 9);
        ranks = whole.rank_count;
        whole_run_fini(&whole);
        free(load(&size));
    } while (size < 1000 || size > 5000 || ranks < 2); /* each length is a file */
    unsigned char *data = load(&size);
    for (size_t length = 0; length < size; length++) {
        store(data, length);
        assert_int_equal(efg_runfile_open(&back, path, 0, message, sizeof message), -EBADMSG);
    }
    for (size_t length = EFG_RUN_SECTIONS; length < size; length++) {
        unsigned char *copy = malloc(length);
        memcpy(copy, data, length);
        fix_sums(copy, length);
        store(copy, length);
        assert_int_equal(efg_runfile_open(&back, path, 0, message, sizeof message), -EBADMSG);
        free(copy);
    }
    free(data);
}

static void damage(unsigned char *data, size_t size)
{
    for (uint32_t n = 1 + random_below(8); n; n--) {
        size_t at = EFG_RUN_SECTIONS + random_below((uint32_t)size - EFG_RUN_SECTIONS);
        data[at] = (unsigned char)(random_below(3) ? random_below(256) : random_below(2) ? 0xff : 0);
    }
    fix_sums(data, size);
}

static void test_damage_is_harmless(void **state)
{
    (void)state;
    struct whole_run whole;
    struct efg_run back;
    char message[256];
    int opened = 0, accepted = 0, all;
    for (int i = 0; i < 40; i++) {
        size_t size;
        random_run(&whole);
        whole_run_write(&whole, path, 9);
        whole_run_fini(&whole);
        unsigned char *data = load(&size);
        for (int k = 0; k < 100; k++) {
            unsigned char *copy = malloc(size);
            memcpy(copy, data, size);
            damage(copy, size);
            store(copy, size);
            free(copy);
            if (efg_runfile_open(&back, path, 0, message, sizeof message))
                continue;
            assert_true(walk(&back, &all) <= 1300 * size);
            describe(&back);
            opened++;
            accepted += all;
            efg_run_fini(&back);
        }
        free(data);
    }
    assert_true(opened > 100 && accepted > 50); /* else the test tests nothing */
}

/* A count of 2^60 nodes in a section of some bytes must not be believed. */
static void test_sections_of_noise(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct efg_run_rank rank;
        struct efg_run_common common = {0};
        unsigned char noise[200];
        size_t size = 1 + random_below(sizeof noise - 1);
        for (size_t k = 0; k < size; k++)
            noise[k] = (unsigned char)(random_below(2) ? random_below(6) : random_below(256));
        struct efg_run_group group = {.shape = noise, .size = size};
        struct efg_buffer section = {0};
        size_t begin = efg_section_begin(&section, EFG_SECTION_RANK, 0);
        efg_buffer_put(&section, noise, size);
        efg_section_end(&section, begin);
        if (!efg_runfile_get_rank(&rank, section.data, section.size, &group))
            efg_run_rank_fini(&rank);
        efg_buffer_fini(&section);
        efg_run_get_names(&common.names, noise, size);
        struct efg_run_names five = {.module_count = 5, .modules = calloc(5, sizeof *five.modules)};
        efg_run_get_positions(&five, noise, size);
        efg_run_names_fini(&five);
        efg_run_get_groups(&common, noise, size);
        efg_run_get_orders(&common, noise, size);
        if (!efg_totals_get(&common.totals, noise, size))
            efg_totals_fini(&common.totals);
        efg_run_common_fini(&common);
    }
}

static void test_resolve(void **state)
{
    (void)state;
    struct whole_run whole;
    struct efg_symbols *symbols = efg_symbols_new();
    sample_run(&whole);
    whole_run_join(&whole);
    assert_int_equal(efg_run_resolve(&whole.run, symbols), 0); /* its module does not exist */
    assert_int_equal(whole.run.site_count, 0);
    efg_symbols_free(symbols);
    whole_run_fini(&whole);
}

/* --- what windows stand for --- */

/* The mean of windows of a loop with iterations 100 to 1099, of which the last one takes twice as long. */
static double weighed_mean(const struct efg_run_thread *thread)
{
    double weight[8], time = 0, count = 0;

    efg_run_weigh(thread, weight);
    for (uint32_t i = 0; i < thread->window_count; i++)
        for (uint64_t k = thread->windows[i].first; k < thread->windows[i].last; k++) {
            time += weight[i] * (1 + ((double)k - 100) / 1000);
            count += weight[i];
        }
    return time / count;
}

/* One number is one phase: what is said of it is said of the main loop, else of the loop that lasted. */
static void test_phases_with_one_number(void **state)
{
    struct efg_run_thread thread = {.graph.node_count = 9, .loops.main.function = 0xaa};
    struct efg_run_rank rank = {.threads = &thread,
                                .thread_count = 1,
                                .phases = "thread 0\nmain 2\n"
                                          "phase 1 11 4 2 0 100 60 6 50 5 6\n"
                                          "phase 2 aa 5 2 100 300 100 10 90 9 10\n"
                                          "phase 0 22 6 2 200 250 50 0 0 0 1\n"
                                          "phase 2 bb 7 2 250 600 300 30 280 8 30\n"
                                          "phase 1 33 8 2 700 900 200 7 190 7 7\n"
                                          "phase 0 44 8 2 650 660 10 0 0 0 2\nwindows"};

    (void)state;
    assert_int_equal(efg_run_phases_read(&rank), 0);
    assert_int_equal(thread.phase_count, 4);
    const struct efg_run_phase *p = thread.phases;
    assert_true(p[0].number == 1 && p[0].loop.function == 0x33 && p[0].counted == 7);
    assert_true(p[0].begin == 0 && p[0].end == 900 && p[0].time == 260);
    assert_true(p[1].number == 2 && p[1].loop.function == 0xaa && p[1].loop.iterations == 10);
    assert_true(p[1].begin == 100 && p[1].end == 600 && p[1].time == 400);
    assert_true(p[2].loop.function == 0x22 && p[3].loop.function == 0x44); /* of none: each its own */
    free(thread.phases);
}

/* Those that are spread stand for all, though a fifth of the loop was over when the first one was recorded,
 * and for the others, too. */
static void test_windows_that_stand_for_the_loop(void **state)
{
    struct efg_run_window windows[] = {
        {.first = 250, .last = 260, .select = EFG_SELECT_FIRST, .phase = 2},
        {.first = 300, .last = 301, .select = EFG_SELECT_SPREAD, .phase = 2},
        {.first = 420, .last = 421, .select = EFG_SELECT_SPREAD, .phase = 2},
        {.first = 455, .last = 458, .select = EFG_SELECT_SLOW, .phase = 2},
        {.first = 700, .last = 702, .select = EFG_SELECT_SPREAD, .phase = 2},
        {.first = 990, .last = 991, .select = EFG_SELECT_SPREAD, .phase = 2},
        {.first = 990, .last = 991, .select = EFG_SELECT_SPREAD, .phase = 1},
    };
    struct efg_series *series = efg_series_new();
    struct efg_run_thread thread = {.windows = windows, .window_count = 7, .main_phase = 2, .series = series};
    double weight[8];

    (void)state;
    assert_non_null(series);
    series->first = 100;
    series->count = 1000;
    double mean = weighed_mean(&thread);
    assert_true(mean > 1.5 * 0.98 && mean < 1.5 * 1.02);
    efg_run_weigh(&thread, weight);
    assert_true(weight[0] <= 0 && weight[3] <= 0 && weight[6] <= 0 && weight[1] > 0);
    double sum = weight[1] + weight[2] + 2 * weight[4] + weight[5];
    assert_true(sum > 4.999 && sum < 5.001);
    thread.window_count = 1; /* nothing is spread */
    efg_run_weigh(&thread, weight);
    assert_true(weight[0] > 0.999 && weight[0] < 1.001);
    free(series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_phases_with_one_number),
        cmocka_unit_test(test_windows_that_stand_for_the_loop),
        cmocka_unit_test(test_least_sizes),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_damaged_rank),
        cmocka_unit_test(test_unknown_sections),
        cmocka_unit_test(test_write_errors),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_damage_is_harmless),
        cmocka_unit_test(test_sections_of_noise),
        cmocka_unit_test(test_resolve),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
