/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is in a run file, and what keeping its sequences took:
 *
 *     make build/tests/bench_order && build/tests/bench_order DIR/run.efg
 *
 * One line: events of all ranks; bytes of the file, of what each rank measured, of the
 * sequences, of all else; different sequences; bytes of these as arithmetic progressions (see
 * progressions.h); ns of CPU per event that keeping them takes, hot, all but the writing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "measure.h"
#include "progressions.h"

#include "files/run/expand.h"

#define MEMORY (1700 << 10) /* as runtime/watch/order.c has it */
#define BATCH 65536

struct sums {
    uint64_t events, replayed;
    uint64_t ranks, sequences, progressions; /* bytes */
    double ns;
};

static void fail(const char *message)
{
    fprintf(stderr, "bench_order: %s\n", message);
    exit(1);
}

static int drop(void *context, const struct efg_sequence_segment *segment)
{
    *(uint64_t *)context += segment->length;
    return 0;
}

/* The next BATCH events or fewer; 0 at the end. COUNT more of NODE are left from the last time.
 */
static size_t take(struct efg_expand *expand, uint32_t *node, uint64_t *count, uint32_t *batch)
{
    size_t taken = 0;
    while (taken < BATCH) {
        if (!*count) {
            int more = efg_expand_next(expand, node, count);
            if (more < 0)
                fail("a sequence is damaged");
            if (!more)
                break;
        }
        for (; *count && taken < BATCH; (*count)--)
            batch[taken++] = *node;
    }
    return taken;
}

static void replay(struct sums *sums, const struct efg_run_sequence_thread *thread, uint32_t nodes)
{
    static struct efg_sequence sequence;
    static uint32_t batch[BATCH];
    struct progressions progressions = {0};
    struct efg_expand expand;
    uint32_t node;
    uint64_t count = 0, kept = 0;

    if (efg_sequence_init(&sequence, MEMORY, drop, &kept) != 0)
        fail("no memory");
    efg_expand_init(&expand, thread, nodes);
    for (size_t taken; (taken = take(&expand, &node, &count, batch)) > 0;) {
        double begin = measure_time(CLOCK_PROCESS_CPUTIME_ID);
        for (size_t i = 0; i < taken; i++)
            efg_sequence_add(&sequence, batch[i]);
        sums->ns += measure_time(CLOCK_PROCESS_CPUTIME_ID) - begin;
        for (size_t i = 0; i < taken; i++)
            progressions_add(&progressions, batch[i]);
    }
    efg_sequence_close(&sequence);
    sums->replayed += kept;
    sums->progressions += progressions_bytes(&progressions);
    efg_expand_fini(&expand);
    efg_sequence_fini(&sequence);
    progressions_free(&progressions);
}

/* The sequence that is stored as that of RANK. */
static void add_sequence(struct sums *sums, const struct efg_run *run, const struct efg_run_rank *rank)
{
    char message[512];
    struct efg_run_sequence sequence;
    if (efg_runfile_sequence(run, rank->rank, &sequence, message, sizeof message))
        fail(message);
    for (uint32_t i = 0; i < rank->thread_count && i < sequence.thread_count; i++)
        replay(sums, &sequence.threads[i], rank->threads[i].graph.node_count);
    efg_run_sequence_fini(&sequence);
}

static void add_rank(struct sums *sums, const struct efg_run *run, uint32_t index)
{
    char message[512];
    struct efg_run_rank rank;
    if (efg_runfile_rank(run, index, &rank, message, sizeof message))
        fail(message);
    for (uint32_t i = 0; i < rank.thread_count; i++)
        sums->events += rank.threads[i].graph.events;
    sums->ranks += run->ranks[index].size;
    for (uint32_t i = 0; i < run->sequence_count; i++)
        if (run->sequences[i].rank == rank.rank)
            add_sequence(sums, run, &rank);
    efg_run_rank_fini(&rank);
}

int main(int argc, char **argv)
{
    char message[5000];
    struct efg_run run;
    struct sums sums = {0};
    struct stat facts;

    if (argc != 2)
        fail("usage: bench_order RUN.EFG");
    if (stat(argv[1], &facts) || efg_runfile_open(&run, argv[1], 0, message, sizeof message))
        fail(message);
    for (uint32_t i = 0; i < run.rank_count; i++)
        add_rank(&sums, &run, i);
    for (uint32_t i = 0; i < run.sequence_count; i++)
        sums.sequences += run.sequences[i].size;
    printf("%llu %llu %llu %llu %llu %u %llu %.1f\n", (unsigned long long)sums.events,
           (unsigned long long)facts.st_size, (unsigned long long)sums.ranks,
           (unsigned long long)sums.sequences,
           (unsigned long long)facts.st_size - sums.ranks - sums.sequences, run.sequence_count,
           (unsigned long long)sums.progressions, sums.replayed ? sums.ns / (double)sums.replayed : 0);
    efg_run_fini(&run);
    return 0;
}
