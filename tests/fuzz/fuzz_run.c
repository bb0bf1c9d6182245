/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run file, read: all of its ranks, the order of their calls, the summary; and what processes
 * send each other when a job ends, which is written the same way.
 */
#include <errno.h>
#include <string.h>

#include "files/run/expand.h"
#include "files/run/merge.h"
#include "files/run/rebuild.h"
#include "files/summary/summary.h"
#include "fuzz.h"

static char message[512];

static void expect_error(int error)
{
    fuzz_expect(!error || error == -EBADMSG || error == -ENODATA, "no other error than damage");
    fuzz_expect(!error || *message, "a message");
}

/* A few bytes may stand for as many calls as they like: the first ones, and those behind a
 * leap. */
static void expand(const struct efg_run_thread *thread, const struct efg_run_sequence_thread *sequence)
{
    struct efg_expand expand;
    struct efg_rebuild rebuild;
    struct efg_rebuilt call;
    uint32_t node;
    uint64_t count;
    int found = 1;
    efg_expand_init(&expand, sequence, thread->graph.node_count);
    for (int i = 0; i < 1000 && found > 0; i++) {
        found = efg_expand_next(&expand, &node, &count);
        fuzz_expect(found <= 0 || (node < thread->graph.node_count && count), "a node's calls");
    }
    if (found > 0 && !efg_expand_skip(&expand, expand.at + thread->graph.events / 2))
        efg_expand_next(&expand, &node, &count);
    efg_expand_fini(&expand);
    if (efg_rebuild_init(&rebuild, thread, sequence))
        return;
    for (int i = 0; i < 1000 && efg_rebuild_next(&rebuild, &call); i++)
        fuzz_expect(call.node < thread->graph.node_count, "a node");
    efg_rebuild_fini(&rebuild);
}

static void read_sequence(const struct efg_run *run, const struct efg_run_rank *rank)
{
    struct efg_run_sequence sequence;
    int error = efg_runfile_sequence(run, rank->rank, &sequence, message, sizeof message);
    expect_error(error);
    for (uint32_t i = 0; i < sequence.thread_count && i < rank->thread_count; i++)
        expand(&rank->threads[i], &sequence.threads[i]);
    efg_run_sequence_fini(&sequence);
}

/* As the processes of a job do: each its own, then one after the other. */
static void merge(struct efg_merge *all, const struct efg_run *run, const struct efg_run_rank *rank)
{
    struct efg_merge one = {0};
    struct efg_buffer bytes = {0};
    efg_merge_rank(&one, &run->common.names, rank);
    efg_merge_put(&bytes, &one);
    fuzz_expect(!one.failed && !efg_merge_get(all, bytes.data, bytes.size), "what was put");
    efg_buffer_fini(&bytes);
    efg_merge_fini(&one);
}

static void read_ranks(const struct efg_run *run)
{
    struct efg_merge all = {0};
    for (uint32_t i = 0; i < run->rank_count; i++) {
        struct efg_run_rank rank;
        int error = efg_runfile_rank(run, i, &rank, message, sizeof message);
        expect_error(error);
        if (error)
            continue;
        read_sequence(run, &rank);
        merge(&all, run, &rank);
        efg_run_rank_fini(&rank);
    }
    efg_merge_fini(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct efg_run run;
    const char *path = fuzz_write("run.efg", bytes, size);
    fuzz_allow(1 << 20, 1300, size);
    *message = '\0';
    int error = efg_runfile_open(&run, path, 0, message, sizeof message);
    expect_error(error);
    if (!error) {
        struct efg_buffer text = {0};
        efg_summary_write(&text, &run);
        fuzz_expect(text.size && !text.failed, "a summary");
        efg_buffer_fini(&text);
        read_ranks(&run);
        efg_run_fini(&run);
    }
    fuzz_done();
    return 0;
}
