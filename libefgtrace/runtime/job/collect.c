/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects what all ranks know, and writes the run file:
 *
 *     every rank:   its section  --gather on the node-->  leader
 *     leader:       sections of the node -> run file, at the place that a scan of sizes gives
 *     every rank:   names, graph, totals  --join in a tree-->  rank 0
 *     the speaker:  its section  -->  rank 0
 *     every rank:   hash of its sequence  --with the names, in the tree-->  rank 0
 *     rank 0:       the first rank of each different sequence  -->  all
 *     these ranks:  their sequences  --gather on the node-->  leader, as the sections
 *
 * So no rank holds what all have measured, and a file is opened once a node. A leader that does
 * not see the file (a folder that is not shared between nodes) sends its sections to rank 0,
 * which writes them for it, one leader after the other.
 */
#include "collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "files/disk/below.h"
#include "files/run/merge.h"
#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "tree.h"

#define TAG 4 /* before a block that a leader could not write */

static const struct efg_job *const job = &efg_job;

static bool is_leader(void)
{
    return job->nodes.leaders != MPI_COMM_NULL;
}

/* --- what the ranks have in common --- */

struct joint {
    struct efg_merge merge;
    uint64_t received, work;
};

static void put_joint(struct efg_buffer *out, const void *mine)
{
    const struct joint *joint = mine;
    efg_merge_put(out, &joint->merge);
}

static int add_joint(void *mine, const void *bytes, size_t size)
{
    struct joint *joint = mine;
    uint64_t begin = efg_clock_cpu();
    int error = efg_merge_get(&joint->merge, bytes, size);
    joint->received += size;
    joint->work += efg_clock_cpu() - begin;
    return error;
}

/* On a leader: what the ranks of its node have together. */
static void add_node(struct efg_merge *merge, const struct efg_blocks *sections)
{
    struct efg_run_rank *ranks = calloc((size_t)sections->count + 1, sizeof *ranks);
    int count = 0, error = ranks && sections->count ? 0 : -ENOMEM;
    for (; count < sections->count && !error; count++) {
        size_t size;
        const void *section = efg_blocks_get(sections, count, &size);
        error = efg_runfile_get_facts(&ranks[count], section, size);
    }
    if (!error)
        error = efg_totals_host(&merge->common.totals, ranks, (uint32_t)count);
    merge->failed |= error != 0;
    for (int i = 0; ranks && i < count; i++)
        efg_run_rank_fini(&ranks[i]);
    free(ranks);
}

static int join(struct efg_run *run, struct efg_collected *collected, struct joint *joint)
{
    static const struct efg_tree_joiner joiner = {put_joint, add_joint};
    int error = efg_tree_join(job->comm, joint, &joiner);
    if (joint->merge.failed)
        error = -ENOMEM;
    if (efg_job_is_first() && !error) {
        run->common = joint->merge.common;
        joint->merge.common = (struct efg_run_common){0};
    }
    collected->received = joint->received;
    collected->work = joint->work;
    return error;
}

/* The rank that stands for the run, to rank 0. */
static int fetch_speaker(struct efg_run *run, const struct efg_buffer *mine, int error)
{
    int speaker = error ? -1 : (int)run->common.totals.speaker;
    struct efg_buffer theirs = {0};
    PMPI_Bcast(&speaker, 1, MPI_INT, 0, job->comm);
    if (job->rank == speaker && !efg_job_is_first())
        efg_tree_send(job->comm, 0, mine);
    if (!efg_job_is_first() || speaker < 0)
        return error;
    bool is_own = speaker == job->rank;
    const struct efg_buffer *section = is_own ? mine : &theirs;
    if (!is_own)
        error = efg_tree_receive(job->comm, efg_census_place(&job->here, (uint32_t)speaker), &theirs);
    const struct efg_run_group *group = efg_run_group_of(&run->common, (uint32_t)speaker);
    if (!error)
        error = group ? efg_runfile_get_rank(&run->speaker, section->data, section->size, group) : -EBADMSG;
    efg_buffer_fini(&theirs);
    return error;
}

/* --- sequences --- */

#define PIECE 64 /* ranges of ranks in a message */

/* Whether this rank is in LIST, which rank 0 has. Needs no memory, so that all ranks come through. */
static bool is_among(const struct efg_ranklist *list)
{
    struct efg_range ranges[PIECE];
    bool is_there = false;
    uint32_t left = list->range_count;
    PMPI_Bcast(&left, 1, MPI_UINT32_T, 0, job->comm);
    for (uint32_t at = 0; left; at += PIECE) {
        uint32_t count = left < PIECE ? left : PIECE;
        if (efg_job_is_first())
            memcpy(ranges, list->ranges + at, count * sizeof *ranges);
        PMPI_Bcast(ranges, (int)(count * sizeof *ranges), MPI_BYTE, 0, job->comm);
        struct efg_ranklist piece = {ranges, count};
        is_there |= efg_ranklist_has(&piece, (uint32_t)job->rank);
        left -= count;
    }
    return is_there;
}

/* Whether this rank writes its sequence: the first one that has it does. */
static bool is_owner(const struct efg_run *run)
{
    struct efg_ranklist owners = {0};
    for (uint32_t i = 0; efg_job_is_first() && i < run->common.order_count; i++)
        efg_ranklist_add(&owners, run->common.orders[i].ranks.ranges[0].first);
    bool owns = is_among(&owners);
    efg_ranklist_fini(&owners);
    return owns;
}

bool efg_collect_represents(const struct efg_run *run)
{
    struct efg_ranklist first = {0};
    for (uint32_t i = 0; efg_job_is_first() && i < run->common.group_count; i++)
        efg_ranklist_add(&first, run->common.groups[i].ranks.ranges[0].first);
    bool represents = is_among(&first);
    efg_ranklist_fini(&first);
    return represents;
}

/* --- the file --- */

struct opening {
    uint64_t mark;
    int64_t error;
};

/* Rank 0 makes the file; all leaders learn its mark. */
static struct opening open_file(const char *path, int error)
{
    struct opening opening = {0, error};
    if (efg_job_is_first()) {
        opening.mark = efg_hash_mix((uint64_t)getpid(), efg_clock_ticks());
        if (!error)
            opening.error = *path ? efg_runfile_create(path, EFG_BELOW_OWN + 1, opening.mark) : -ENOENT;
    }
    PMPI_Bcast(&opening, sizeof opening, MPI_BYTE, 0, job->nodes.leaders);
    return opening;
}

/* A leader that could not write has rank 0 do it. */
static void forward(uint64_t offset, const struct efg_buffer *sections)
{
    PMPI_Send(&offset, 1, MPI_UINT64_T, 0, TAG, job->nodes.leaders);
    efg_tree_send(job->nodes.leaders, 0, sections);
}

static int write_forwarded(const char *path, uint64_t mark, int count)
{
    int error = 0;
    while (count--) {
        struct efg_buffer sections = {0};
        uint64_t offset;
        MPI_Status status;
        PMPI_Recv(&offset, 1, MPI_UINT64_T, MPI_ANY_SOURCE, TAG, job->nodes.leaders, &status);
        int failed = efg_tree_receive(job->nodes.leaders, status.MPI_SOURCE, &sections);
        if (!failed)
            failed = efg_runfile_put(path, EFG_BELOW_OWN + 1, mark, offset, sections.data, sections.size);
        efg_buffer_fini(&sections);
        error = error ? error : failed;
    }
    return error;
}

/* SECTIONS of all leaders, into the file; those of rank 0 come first. */
static int write_sections(const char *path, const struct opening *opening, const struct efg_buffer *sections,
                          uint64_t *end)
{
    uint64_t size = sections->size, before = 0, all = 0;
    PMPI_Exscan(&size, &before, 1, MPI_UINT64_T, MPI_SUM, job->nodes.leaders);
    PMPI_Reduce(&size, &all, 1, MPI_UINT64_T, MPI_SUM, 0, job->nodes.leaders);
    uint64_t offset = EFG_RUN_SECTIONS + (efg_job_is_first() ? 0 : before);
    *end = EFG_RUN_SECTIONS + all;
    int error = -ENOENT, others = 0;
    if (*path)
        error =
            efg_runfile_put(path, EFG_BELOW_OWN + 1, opening->mark, offset, sections->data, sections->size);
    int cannot = !efg_job_is_first() && error;
    PMPI_Reduce(&cannot, &others, 1, MPI_INT, MPI_SUM, 0, job->nodes.leaders);
    if (cannot)
        forward(offset, sections);
    if (!efg_job_is_first())
        return 0;
    int failed = write_forwarded(path, opening->mark, others);
    return error ? error : failed;
}

static void put_blocks(struct efg_buffer *out, const struct efg_blocks *blocks)
{
    for (int i = 0; i < blocks->count; i++) {
        size_t size;
        const void *block = efg_blocks_get(blocks, i, &size);
        efg_buffer_put(out, block, size);
    }
}

/* On leaders: the sections of this node's ranks, one after the other as they were gathered, and
 * then their sequences. */
static int write_node(const struct efg_blocks *ranks, const struct efg_blocks *sequences, const char *path,
                      int error, uint64_t *end)
{
    struct efg_buffer sections = {0};
    int leaders, whole = ranks->count > 0;
    PMPI_Comm_size(job->nodes.leaders, &leaders);
    put_blocks(&sections, ranks);
    put_blocks(&sections, sequences);
    if (leaders > 1)
        efg_runfile_put_filler(&sections, sections.size + (efg_job_is_first() ? EFG_RUN_SECTIONS : 0));
    whole &= !sections.failed;
    PMPI_Allreduce(MPI_IN_PLACE, &whole, 1, MPI_INT, MPI_MIN, job->nodes.leaders);
    struct opening opening = open_file(path, error ? error : whole ? 0 : -ENOMEM);
    error = (int)opening.error;
    if (!error)
        error = write_sections(path, &opening, &sections, end);
    efg_buffer_fini(&sections);
    return error;
}

/* --- for a record --- */

/* On leaders: the sections of the ranks of all nodes to OUT, on the first one, if a record has room for
 * them. */
static void gather_sections(const struct efg_blocks *ranks, struct efg_buffer *out)
{
    struct efg_buffer sections = {0};
    put_blocks(&sections, ranks);
    uint64_t size = sections.failed || !ranks->count ? EFG_CONF_RECORD : sections.size;
    PMPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_UINT64_T, MPI_SUM, job->nodes.leaders);
    if (size < EFG_CONF_RECORD) {
        struct efg_blocks all = efg_tree_gather(job->nodes.leaders, &sections);
        put_blocks(out, &all);
        efg_blocks_fini(&all);
    }
    efg_buffer_fini(&sections);
}

/* --- */

struct efg_collected efg_collect(struct efg_run *run, const struct efg_run_names *names,
                                 const struct efg_run_rank *rank, const struct efg_buffer *sequence,
                                 const struct efg_run_order *order, const char *path)
{
    struct efg_collected collected = {0};
    struct efg_buffer mine = {0}, none = {0};
    struct joint joint = {0};

    efg_runfile_put_rank(&mine, rank);
    struct efg_blocks sections = efg_tree_gather(job->nodes.node, &mine);
    if (names && rank->threads)
        efg_merge_rank(&joint.merge, names, rank);
    else
        joint.merge.failed = true;
    if (sequence->size && !sequence->failed)
        efg_merge_order(&joint.merge, rank->rank, order);
    joint.merge.failed |= mine.failed;
    if (is_leader())
        add_node(&joint.merge, &sections);
    int error = join(run, &collected, &joint);
    error = fetch_speaker(run, &mine, error);
    struct efg_blocks sequences = efg_tree_gather(job->nodes.node, is_owner(run) ? sequence : &none);
    if (is_leader() && efg_conf_is_brief(&job->conf))
        gather_sections(&sections, &collected.sections);
    else if (is_leader())
        error = write_node(&sections, &sequences, path, error, &collected.end);
    collected.error = error;
    efg_merge_fini(&joint.merge);
    efg_blocks_fini(&sections);
    efg_blocks_fini(&sequences);
    efg_buffer_fini(&mine);
    return collected;
}
