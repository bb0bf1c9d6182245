/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the clocks of the nodes, at the start and at the end. The common time is CLOCK_MONOTONIC of
 * rank 0's node, moved to ns since 1970 once, at the start: a real time that is set while the job runs is
 * not followed.
 *
 * One leader of each node compares its clock with that of its parent, a leader that knows the
 * common time already (offset.h), so n nodes take log2 n rounds. All ranks of a node get
 * the result of their leader: between them, no skew can arise.
 *
 *     child:   ping           ->  parent        repeated, offset.h says how often
 *              its own time  <-   what time is it, and what is your moment of the common time?
 *              no more        ->
 *
 * It is done in MPI_Init and in MPI_Finalize, where ranks may wait for one another, and a
 * straight line is drawn between (files/log/clock.c). So every event lies between two
 * comparisons, and a steady drift (some 10^-5 between two quartzes, less where NTP steers them)
 * is taken out. What remains is by how much the drift itself changes: 10^-8 of an hour is 36
 * us. (Doleschal et al., Internal timer synchronization for parallel event tracing, 2008;
 * Becker, Rabenseifner, Wolf, Implications of non-constant clock drifts for the timestamps of
 * concurrent events, 2008.)
 *
 * In the middle nothing is compared: that would have to wait for an answer, which is what
 * a preloaded library must not do there. But the application's own messages in a window are
 * measurements, too: none can have been received before it was sent. Where one was, the line
 * is moved in MPI_Finalize (runtime/job/repair.h).
 */
#include "clocks.h"

#include "offset.h"
#include "runtime/base/clock.h"

#define TAG 1

struct answer {
    uint64_t now; /* of the parent's clock */
    struct efg_moment moment;
};

static uint64_t common(const struct efg_moment *moment, uint64_t ticks)
{
    return moment->sync.realtime + (ticks - moment->sync.ticks); /* ticks are ns */
}

static void answer(MPI_Comm leaders, int child, const struct efg_moment *moment)
{
    struct answer a = {.moment = *moment};
    int more;
    for (;;) {
        PMPI_Recv(&more, 1, MPI_INT, child, TAG, leaders, MPI_STATUS_IGNORE);
        a.now = efg_clock_ticks();
        if (!more)
            return;
        PMPI_Send(&a, (int)sizeof a, MPI_BYTE, child, TAG, leaders);
    }
}

static void ask(MPI_Comm leaders, int parent, struct efg_moment *moment)
{
    struct efg_offset offset = {0};
    struct answer a;
    uint64_t error;
    int more = 1;
    while (more) {
        uint64_t sent = efg_clock_ticks();
        PMPI_Send(&more, 1, MPI_INT, parent, TAG, leaders);
        PMPI_Recv(&a, (int)sizeof a, MPI_BYTE, parent, TAG, leaders, MPI_STATUS_IGNORE);
        more = !efg_offset_add(&offset, sent, a.now, efg_clock_ticks());
    }
    PMPI_Send(&more, 1, MPI_INT, parent, TAG, leaders);
    moment->sync.ticks = efg_clock_ticks();
    moment->sync.realtime = common(&a.moment, efg_offset_theirs(&offset, moment->sync.ticks, &error));
    moment->error = a.moment.error + error;
}

static void compare_leaders(MPI_Comm leaders, struct efg_moment *moment)
{
    int rank, size;
    uint32_t known = 0; /* the round from which on this leader knows the time */
    PMPI_Comm_rank(leaders, &rank);
    PMPI_Comm_size(leaders, &size);
    if (rank)
        ask(leaders, (int)efg_offset_parent((uint32_t)rank, &known), moment);
    for (uint32_t round = rank ? known + 1 : 0; size - rank > 1ll << round; round++)
        answer(leaders, rank + (1 << round), moment);
}

void efg_clocks_compare(const struct efg_nodes *nodes, const struct efg_moment *start, struct efg_moment *now)
{
    uint64_t ticks = efg_clock_ticks();
    *now = (struct efg_moment){{ticks, start ? common(start, ticks) : efg_clock_realtime()}, 0};
    if (nodes->leaders != MPI_COMM_NULL)
        compare_leaders(nodes->leaders, now);
    efg_nodes_share(nodes, now, (int)sizeof *now);
}
