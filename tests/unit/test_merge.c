/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * However ranks are put together, in whatever tree, in one process or through bytes, the result
 * is the same, byte by byte; and each rank is in the one group that has its graph.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "files/run/merge.h"
#include "files/run/parts.h"
#include "random_run.h"

/* --- rank lists --- */

static void assert_bytes_equal(const struct efg_buffer *a, const struct efg_buffer *b)
{
    assert_int_equal(a->size, b->size);
    if (a->size)
        assert_memory_equal(a->data, b->data, a->size);
}

/* The ranks [FIRST, LAST) that are in SET, put together in a random tree. */
static struct efg_ranklist list_of(const unsigned char *set, uint32_t first, uint32_t last)
{
    struct efg_ranklist list = {0}, more;
    if (last - first > 1) {
        uint32_t middle = first + 1 + random_below(last - first - 1);
        list = list_of(set, first, middle);
        more = list_of(set, middle, last);
        assert_int_equal(efg_ranklist_append(&list, &more), 0);
        efg_ranklist_fini(&more);
    } else if (first < last && set[first]) {
        assert_int_equal(efg_ranklist_add(&list, first), 0);
    }
    return list;
}

static void any_set(unsigned char *set, uint32_t count)
{
    uint32_t stride = 1 + random_below(5), noise = random_below(3) ? 1000 : 5;
    for (uint32_t i = 0; i < count; i++)
        set[i] = (unsigned char)((i / 16 % 3 && i % stride == 0) ^ !random_below(noise));
}

static void check_list(const unsigned char *set, uint32_t count)
{
    struct efg_ranklist one_by_one = {0}, tree = list_of(set, 0, count), back = {0};
    struct efg_buffer a = {0}, b = {0};
    uint64_t ranks = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (set[i])
            efg_ranklist_add(&one_by_one, i);
        ranks += set[i];
    }
    efg_ranklist_put(&a, &one_by_one);
    efg_ranklist_put(&b, &tree);
    assert_bytes_equal(&a, &b);
    struct efg_reader in = efg_reader(a.data, a.size);
    assert_int_equal(efg_ranklist_get(&in, &back), 0);
    assert_false(in.failed);
    assert_int_equal(efg_ranklist_count(&back), ranks);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(efg_ranklist_has(&back, i), set[i]);
    efg_ranklist_fini(&one_by_one);
    efg_ranklist_fini(&tree);
    efg_ranklist_fini(&back);
    efg_buffer_fini(&a);
    efg_buffer_fini(&b);
}

static void test_lists(void **state)
{
    (void)state;
    unsigned char set[300];
    for (int i = 0; i < 3000; i++) {
        uint32_t count = 1 + random_below(sizeof set - 1);
        any_set(set, count);
        check_list(set, count);
    }
}

static void check_union(const unsigned char *a, const unsigned char *b, uint32_t count)
{
    unsigned char either[300];
    int is_same = 1;
    for (uint32_t i = 0; i < count; i++) {
        either[i] = a[i] | b[i];
        is_same &= a[i] == b[i];
    }
    struct efg_ranklist list = list_of(a, 0, count), more = list_of(b, 0, count),
                        wanted = list_of(either, 0, count);
    assert_int_equal(efg_ranklist_is_equal(&list, &more), is_same);
    assert_int_equal(efg_ranklist_unite(&list, &more), 0);
    assert_true(efg_ranklist_is_equal(&list, &wanted));
    efg_ranklist_fini(&list);
    efg_ranklist_fini(&more);
    efg_ranklist_fini(&wanted);
}

static void test_unions(void **state)
{
    (void)state;
    unsigned char a[300], b[300];
    for (int i = 0; i < 3000; i++) {
        uint32_t count = 1 + random_below(i % 2 ? sizeof a - 1 : 5);
        any_set(a, count);
        any_set(b, count);
        check_union(a, b, count);
        check_union(a, a, count);
    }
}

/* PRINTED is short for people, WRITTEN is all of it. */
static void expect_texts(const char *ranks, const char *text, const char *written)
{
    struct efg_ranklist list = {0};
    struct efg_buffer out = {0};
    char printed[24];
    for (char *end; *ranks; ranks = *end ? end + 1 : end)
        efg_ranklist_add(&list, (uint32_t)strtoul(ranks, &end, 10));
    efg_ranklist_print(&list, printed, sizeof printed);
    assert_string_equal(printed, text);
    efg_ranklist_write(&out, &list);
    efg_buffer_put(&out, "", 1);
    assert_string_equal((const char *)out.data, written);
    efg_ranklist_fini(&list);
    efg_buffer_fini(&out);
}

static void test_texts(void **state)
{
    (void)state;
    expect_texts("", "", "");
    expect_texts("7", "7", "7");
    expect_texts("0,1,2,3", "0-3", "0-3");
    expect_texts("1,3,5,7", "1-7:2", "1-7:2");
    expect_texts("0,5", "0, 5", "0,5");
    expect_texts("0,5,6,7,8", "0, 5, 6-8", "0,5,6-8");
    expect_texts("0,1,2,10,11,12,20,21,22,30,31,32", "0-2, 10-12, 20-22, ...", "0-2,10-12,20-22,30-32");
}

/* Every other rank of a million is one range, put together in the steps of a tree. */
static void test_lists_are_short(void **state)
{
    (void)state;
    struct efg_ranklist odd = {0};
    efg_ranklist_add(&odd, 1);
    for (int step = 0; step < 19; step++) {
        struct efg_range range = odd.ranges[0];
        struct efg_ranklist next = {.ranges = &range, .range_count = 1};
        range.first += 2u << step;
        assert_int_equal(efg_ranklist_append(&odd, &next), 0);
        assert_int_equal(odd.range_count, 1);
    }
    assert_int_equal(efg_ranklist_count(&odd), 1 << 19);
    assert_true(efg_ranklist_has(&odd, (1 << 20) - 1));
    efg_ranklist_fini(&odd);
}

/* --- merging --- */

#define RANKS 24
#define SHAPES 4

static struct efg_run_names names;
static struct efg_run_rank shapes[SHAPES], ranks[RANKS];
static uint32_t shape_of[RANKS], rank_count;

static void make_ranks(void)
{
    random_names(&names);
    rank_count = 1 + random_below(RANKS);
    for (uint32_t i = 0; i < SHAPES; i++)
        random_rank(&shapes[i], i, names.path_count, NULL);
    for (uint32_t i = 0; i < rank_count; i++) {
        shape_of[i] = random_below(SHAPES);
        random_rank(&ranks[i], i, names.path_count, &shapes[shape_of[i]]);
    }
}

static void free_ranks(void)
{
    efg_run_names_fini(&names);
    for (uint32_t i = 0; i < SHAPES; i++)
        efg_run_rank_fini(&shapes[i]);
    for (uint32_t i = 0; i < rank_count; i++)
        efg_run_rank_fini(&ranks[i]);
}

/* MORE behind MERGE, sometimes as bytes, as between processes. */
static void add(struct efg_merge *merge, struct efg_merge *more)
{
    if (random_below(2)) {
        efg_merge_add(merge, &more->common);
    } else {
        struct efg_buffer bytes = {0};
        efg_merge_put(&bytes, more);
        assert_int_equal(efg_merge_get(merge, bytes.data, bytes.size), 0);
        efg_buffer_fini(&bytes);
    }
    efg_merge_fini(more);
}

static struct efg_merge merge_of(uint32_t first, uint32_t last)
{
    struct efg_merge merge = {0};
    if (last - first == 1) {
        efg_merge_rank(&merge, &names, &ranks[first]);
        return merge;
    }
    uint32_t middle = first + 1 + random_below(last - first - 1);
    merge = merge_of(first, middle);
    struct efg_merge more = merge_of(middle, last);
    add(&merge, &more);
    return merge;
}

/* Path number X of MERGED is number Y of the names, and what is known of its calls is the same. */
static void check_path(const struct efg_run_names *merged, uint32_t x, uint32_t y)
{
    const struct efg_run_path *a = &merged->paths[x], *b = &names.paths[y];
    assert_int_equal(a->hash, b->hash);
    for (uint32_t f = 0; f < b->depth; f++) {
        struct efg_position p = efg_run_position(merged, &a->frames[f]);
        struct efg_position q = efg_run_position(&names, &b->frames[f]);
        assert_memory_equal(&p, &q, sizeof p);
    }
}

/* A rank's graphs are those of its group. */
static void check_group(const struct efg_merge *merge, uint32_t rank)
{
    const struct efg_run_group *group = efg_run_group_of(&merge->common, rank);
    struct efg_run_rank back;
    struct efg_buffer section = {0};
    assert_non_null(group);
    efg_runfile_put_rank(&section, &ranks[rank]);
    assert_int_equal(efg_runfile_get_rank(&back, section.data, section.size, group), 0);
    assert_int_equal(back.thread_count, ranks[rank].thread_count);
    for (uint32_t k = 0; k < back.thread_count; k++) {
        const struct efg_graph *a = &back.threads[k].graph, *b = &ranks[rank].threads[k].graph;
        assert_int_equal(a->node_count, b->node_count);
        for (uint32_t i = 0; i < a->node_count; i++) {
            uint32_t x = a->nodes[i].signature.path, y = b->nodes[i].signature.path;
            assert_int_equal(a->nodes[i].hash, b->nodes[i].hash);
            assert_int_equal(a->nodes[i].time.sum, b->nodes[i].time.sum);
            assert_int_equal(!x, !y);
            if (x)
                check_path(&merge->common.names, x - 1, y - 1);
        }
    }
    efg_run_rank_fini(&back);
    efg_buffer_fini(&section);
}

static void check_groups(const struct efg_merge *merge)
{
    uint32_t kinds = 0;
    uint64_t members = 0;
    for (uint32_t i = 0; i < SHAPES; i++) {
        struct efg_run_group a = {0}, b = {0};
        uint32_t used = 0, same = 0;
        for (uint32_t k = 0; k < rank_count; k++)
            used |= shape_of[k] == i;
        efg_run_shape_put(&a, &shapes[i]);
        for (uint32_t k = 0; k < i; k++) { /* two empty shapes are the same */
            int is_used = 0;
            for (uint32_t r = 0; r < rank_count; r++)
                is_used |= shape_of[r] == k;
            efg_run_shape_put(&b, &shapes[k]);
            same |= is_used && a.size == b.size && !memcmp(a.shape, b.shape, a.size);
            free(b.shape);
            free(b.paths);
            b = (struct efg_run_group){0};
        }
        kinds += used && !same;
        free(a.shape);
        free(a.paths);
    }
    assert_int_equal(merge->common.group_count, kinds);
    for (uint32_t i = 0; i < merge->common.group_count; i++)
        members += efg_ranklist_count(&merge->common.groups[i].ranks);
    assert_int_equal(members, rank_count);
    for (uint32_t i = 0; i < rank_count; i++)
        check_group(merge, i);
}

static void test_trees(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        struct efg_buffer a = {0}, b = {0};
        struct efg_merge one_by_one = {0};
        make_ranks();
        for (uint32_t k = 0; k < rank_count; k++)
            efg_merge_rank(&one_by_one, &names, &ranks[k]);
        efg_merge_put(&a, &one_by_one);
        assert_false(a.failed);
        check_groups(&one_by_one);
        for (int tree = 0; tree < 4; tree++) {
            struct efg_merge merge = merge_of(0, rank_count);
            b.size = 0;
            efg_merge_put(&b, &merge);
            assert_bytes_equal(&a, &b);
            efg_merge_fini(&merge);
        }
        efg_merge_fini(&one_by_one);
        efg_buffer_fini(&a);
        efg_buffer_fini(&b);
        free_ranks();
    }
}

/* Ids of paths and modules are those of a process: another order of them changes nothing. */
static void test_other_ids(void **state)
{
    (void)state;
    struct efg_run_path moved[16];
    for (int i = 0; i < 100; i++) {
        struct efg_merge merge = {0};
        make_ranks();
        efg_merge_rank(&merge, &names, &shapes[0]);
        uint32_t count = names.path_count, groups = merge.common.group_count;
        uint32_t paths = merge.common.names.path_count;
        for (uint32_t k = 0; k < count; k++)
            moved[(k + 1) % count] = names.paths[k];
        if (count)
            memcpy(names.paths, moved, count * sizeof *moved);
        for (uint32_t t = 0; t < shapes[0].thread_count; t++)
            for (uint32_t k = 0; k < shapes[0].threads[t].graph.node_count; k++) {
                uint32_t *path = &shapes[0].threads[t].graph.nodes[k].signature.path;
                *path = *path ? *path % count + 1 : 0;
            }
        shapes[0].rank = 1;
        efg_merge_rank(&merge, &names, &shapes[0]);
        assert_int_equal(merge.common.group_count, groups);
        assert_int_equal(merge.common.names.path_count, paths);
        assert_int_equal(efg_ranklist_count(&merge.common.groups[0].ranks), 2);
        efg_merge_fini(&merge);
        free_ranks();
    }
}

static struct efg_run_common one_group(uint32_t rank, unsigned char byte)
{
    struct efg_run_common common = {.groups = calloc(1, sizeof *common.groups)};
    struct efg_run_group *group = &common.groups[0];
    common.group_count = 1;
    *group = (struct efg_run_group){.hash = 42, .shape = malloc(1), .size = 1};
    group->shape[0] = byte;
    efg_ranklist_add(&group->ranks, rank);
    return common;
}

/* An equal hash is not enough. */
static void test_collisions(void **state)
{
    (void)state;
    struct efg_merge merge = {0};
    for (uint32_t i = 0; i < 9; i++) {
        struct efg_run_common common = one_group(i, (unsigned char)(i % 3));
        efg_merge_add(&merge, &common);
    }
    assert_int_equal(merge.common.group_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(merge.common.groups[i].shape[0], i);
        assert_int_equal(efg_ranklist_count(&merge.common.groups[i].ranks), 3);
        assert_int_equal(merge.common.groups[i].ranks.range_count, 1);
    }
    efg_merge_fini(&merge);
}

/* Bytes of another process that make no sense are refused, and harm nothing. */
static void test_damaged_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        struct efg_buffer bytes = {0};
        make_ranks();
        struct efg_merge whole = merge_of(0, rank_count);
        efg_merge_put(&bytes, &whole);
        for (int k = 0; k < 100; k++) {
            struct efg_merge merge = {0};
            unsigned char *copy = memcpy(malloc(bytes.size), bytes.data, bytes.size);
            size_t size = random_below(2) ? bytes.size : random_below((uint32_t)bytes.size);
            copy[random_below((uint32_t)bytes.size)] = (unsigned char)random_any();
            int error = efg_merge_get(&merge, copy, size);
            assert_true(!error || size < bytes.size || memcmp(copy, bytes.data, size));
            efg_merge_fini(&merge);
            free(copy);
        }
        efg_merge_fini(&whole);
        efg_buffer_fini(&bytes);
        free_ranks();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),      cmocka_unit_test(test_texts),
        cmocka_unit_test(test_unions),     cmocka_unit_test(test_lists_are_short),
        cmocka_unit_test(test_trees),      cmocka_unit_test(test_other_ids),
        cmocka_unit_test(test_collisions), cmocka_unit_test(test_damaged_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
