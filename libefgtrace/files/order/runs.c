/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runs of a segment as numbers, most of them small, and back: what both codings write.
 */
#include <errno.h>

#include "parts.h"

#define MOST_NUMBER (UINT64_C(1) << 36) /* of differences of 32 bits, with what is added to them */

static uint64_t zigzag(int64_t difference)
{
    return difference < 0 ? 2 * (uint64_t) - (difference + 1) + 1 : 2 * (uint64_t)difference;
}

static int64_t unzigzag(uint64_t number)
{
    return number & 1 ? -(int64_t)(number / 2) - 1 : (int64_t)(number / 2);
}

static void pass_node(uint64_t *nodes, uint32_t node)
{
    if (node >= *nodes)
        *nodes = (uint64_t)node + 1;
}

void efg_sequence_split_run(const struct efg_sequence_segment *segment, uint32_t r, uint64_t *nodes,
                            uint64_t numbers[EFG_SEQUENCE_FIELDS])
{
    const struct efg_sequence_run *run = &segment->runs[r];
    bool branches = run->branch != EFG_SEQUENCE_FOREVER;

    numbers[EFG_SEQUENCE_NODE] = zigzag((int64_t)run->node - (int64_t)*nodes);
    numbers[EFG_SEQUENCE_COUNT] = run->count - 1;
    numbers[EFG_SEQUENCE_NEXT] = numbers[EFG_SEQUENCE_BRANCH] = 0;
    if (run->next != EFG_NONE) {
        uint64_t next = zigzag((int64_t)run->next - 1 - (int64_t)r);
        numbers[EFG_SEQUENCE_NEXT] = 1 + 2 * next + (uint64_t)branches;
        numbers[EFG_SEQUENCE_BRANCH] = branches ? run->branch - segment->start : 0;
    }
    pass_node(nodes, run->node);
}

int efg_sequence_join_run(struct efg_sequence_segment *segment, uint32_t r, uint64_t *nodes,
                          const uint64_t numbers[EFG_SEQUENCE_FIELDS])
{
    uint64_t number = numbers[EFG_SEQUENCE_NEXT];
    if (numbers[EFG_SEQUENCE_NODE] > MOST_NUMBER || number > MOST_NUMBER)
        return -EBADMSG;
    int64_t node = (int64_t)*nodes + unzigzag(numbers[EFG_SEQUENCE_NODE]);
    int64_t next = number ? unzigzag((number - 1) / 2) + 1 + r : EFG_NONE;
    uint64_t branch = !number                              ? 0
                      : efg_sequence_next_branches(number) ? segment->start + numbers[EFG_SEQUENCE_BRANCH]
                                                           : EFG_SEQUENCE_FOREVER;

    if (node < 0 || node > UINT32_MAX || next < 0 || next > UINT32_MAX ||
        numbers[EFG_SEQUENCE_COUNT] >= UINT32_MAX)
        return -EBADMSG;
    segment->runs[r] = (struct efg_sequence_run){
        .node = (uint32_t)node,
        .count = 1 + (uint32_t)numbers[EFG_SEQUENCE_COUNT],
        .next = (uint32_t)next,
        .branch = branch,
    };
    pass_node(nodes, (uint32_t)node);
    return 0;
}
