/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of events through all that may happen to it on the way to MPI_Finalize: segments
 * that are written out, graphs that merge nodes, files that cannot be written. What comes out
 * is expanded and compared with what went in.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/order/reader.h"
#include "files/order/sequence_file.h"
#include "runtime/base/memory.h"
#include "runtime/watch/order.h"

#define MOST_EVENTS 400000
#define NODES 300

static uint32_t events[MOST_EVENTS]; /* by their node in the last graph */
static uint32_t event_count;
static uint64_t random_state = 1;
static char path[] = "/tmp/efgtrace-test-order.XXXXXX";

static uint32_t below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

static void add(struct efg_order *o, uint32_t node)
{
    efg_order_add(o, node);
    assert_true(event_count < MOST_EVENTS);
    events[event_count++] = node;
}

/* Merges nodes of NODES at random; returns how many are left. */
static uint32_t merge(struct efg_order *o, uint32_t nodes)
{
    uint32_t new_id[NODES], next = 0;
    for (uint32_t i = 0; i < nodes; i++)
        new_id[i] = next && below(3) == 0 ? below(next) : next++;
    efg_order_rename(o, new_id, nodes);
    for (uint32_t i = 0; i < event_count; i++)
        events[i] = new_id[events[i]];
    return next;
}

static uint32_t name(const struct efg_order *o, uint32_t table, uint32_t node)
{
    if (table == o->table_count)
        return node;
    assert_true(table < o->table_count && node < o->tables[table].count);
    return o->tables[table].node[node];
}

/* Returns how many segments there are. */
static size_t read_segments(const struct efg_buffer *bytes, struct efg_sequence_segment **segments)
{
    struct efg_reader reader = efg_reader(bytes->data, bytes->size);
    size_t count = 0;
    *segments = NULL;
    while (reader.at < reader.size) {
        *segments = realloc(*segments, (count + 1) * sizeof **segments);
        assert_int_equal(efg_sequence_get(&reader, &(*segments)[count]), 0);
        count++;
    }
    return count;
}

/* The first KEPT events come out; all the segments are in BYTES. */
static void compare(const struct efg_order *o, const struct efg_buffer *bytes, uint64_t kept)
{
    struct efg_sequence_segment *segments;
    size_t count = read_segments(bytes, &segments);
    struct efg_sequence_reader reader;
    uint64_t at = 0, times;
    uint32_t node;

    efg_sequence_reader_init(&reader, segments, count);
    int more;
    while ((more = efg_sequence_next(&reader, &node, &times)) > 0) {
        uint32_t table = segments[reader.index].table;
        for (; times; times--, at++)
            assert_int_equal(name(o, table, node), events[at]);
    }
    assert_int_equal(more, 0);
    assert_int_equal(at, kept);
    efg_sequence_reader_fini(&reader);
    for (size_t i = 0; i < count; i++)
        efg_sequence_segment_fini(&segments[i]);
    free(segments);
}

static void begin(struct efg_order *o, uint64_t memory, const char *file)
{
    efg_memory = (struct efg_budget){.limit = memory};
    event_count = 0;
    efg_order_begin(o, 0, file);
    assert_true(o->is_on);
}

/* All events so far are there, before the end and without it. */
static void look(const struct efg_order *o)
{
    struct efg_buffer out = {0};
    if (o->in_file) {
        FILE *file = fopen(path, "r");
        assert_int_equal(fread(efg_buffer_extend(&out, o->in_file), 1, o->in_file, file), o->in_file);
        fclose(file);
    }
    uint64_t kept = efg_order_peek(o, &out);
    assert_false(out.failed);
    assert_int_equal(kept, event_count);
    compare(o, &out, kept);
    efg_buffer_fini(&out);
}

static uint64_t end(struct efg_order *o)
{
    struct efg_buffer out = {0};
    uint64_t kept = efg_order_end(o, &out);
    compare(o, &out, kept);
    efg_buffer_fini(&out);
    assert_int_equal(access(path, F_OK), -1);
    efg_order_fini(o);
    return kept;
}

static void test_loops(void **state)
{
    struct efg_order o;
    (void)state;
    begin(&o, 16 << 20, path);
    for (uint32_t i = 0; i < 300000; i++)
        add(&o, i % 1000 == 999 ? 7 : i % 5);
    look(&o);
    assert_int_equal(o.done.size, 0);
    assert_int_equal(end(&o), event_count);
}

/* Nothing repeats: segments are written, to the file in the end. */
static void test_the_file(void **state)
{
    struct efg_order o;
    (void)state;
    begin(&o, 1 << 20, path);
    while (event_count < 380000) {
        add(&o, below(NODES));
        if (event_count % 60000 == 0)
            look(&o);
    }
    assert_true(o.in_file > 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(end(&o), event_count);
}

/* Then memory is used for a while; after that the order ends, and what there is of it is right.
 */
static void test_a_file_that_cannot_be(void **state)
{
    struct efg_order o;
    (void)state;
    begin(&o, 1 << 20, "/nowhere/to/be/found");
    while (event_count < MOST_EVENTS && !o.error)
        for (int i = 0; i < 100 && event_count < MOST_EVENTS; i++)
            add(&o, below(UINT32_MAX - 1));
    assert_true(o.error);
    uint64_t kept = end(&o);
    assert_true(kept > 50000 && kept < event_count);
}

/* The same where files may not grow: no signal ends the program. */
static void test_a_limit_of_files(void **state)
{
    struct rlimit before, small;
    struct efg_order o;
    (void)state;
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){100000, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    begin(&o, 1 << 20, path);
    while (event_count < MOST_EVENTS && !o.error)
        for (int i = 0; i < 100 && event_count < MOST_EVENTS; i++)
            add(&o, below(UINT32_MAX - 1));
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(o.error, -EFBIG);
    assert_true(end(&o) > 50000);
}

static void test_merged_nodes(void **state)
{
    (void)state;
    for (int round = 0; round < 30; round++) {
        struct efg_order o;
        uint32_t nodes = 1 + below(NODES), length = 1 + below(20000);
        begin(&o, below(2) ? 1 << 20 : 16 << 20, path);
        for (uint32_t part = 0; part < 5; part++) {
            uint32_t width = 1 + below(nodes);
            for (uint32_t i = 0; i < length; i++)
                add(&o, below(10) ? i % width : below(nodes));
            if (below(4))
                nodes = merge(&o, nodes);
            look(&o);
        }
        assert_int_equal(end(&o), event_count);
    }
}

static void test_empty(void **state)
{
    struct efg_order o;
    (void)state;
    begin(&o, 16 << 20, NULL);
    look(&o);
    assert_int_equal(end(&o), 0);
    begin(&o, 16 << 20, NULL);
    merge(&o, 10);
    assert_int_equal(end(&o), 0);
}

/* All that it held is given back. */
static void test_budget(void **state)
{
    struct efg_order o;
    (void)state;
    begin(&o, 16 << 20, path);
    while (event_count < 100000)
        add(&o, below(NODES));
    efg_order_settle(&o);
    assert_true(efg_memory.used > 100000 && efg_memory.used < (2200 << 10));
    end(&o);
    assert_int_equal(efg_memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_the_file),
        cmocka_unit_test(test_a_file_that_cannot_be),
        cmocka_unit_test(test_a_limit_of_files),
        cmocka_unit_test(test_merged_nodes),
        cmocka_unit_test(test_budget),
    };
    int file = mkstemp(path);
    close(file);
    unlink(path);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
