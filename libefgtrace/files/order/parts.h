/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of sequence_file.c: a segment as a mixer writes it (mix.c), runs as numbers (runs.c).
 */
#ifndef EFG_SEQUENCE_PARTS_H
#define EFG_SEQUENCE_PARTS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "core/order/sequence.h"

#define EFG_SEQUENCE_MIX_MOST (1u << 17) /* runs, and pairs: more is not read, nor written */

/* Whether it can be mixed: not too much, and blocks as an encoder makes them. SEGMENT: a copy. */
bool efg_sequence_can_mix(const struct efg_sequence_segment *segment);

/* Write the runs and pairs of SEGMENT to TO, which shows if memory was out. */
void efg_sequence_mix(struct efg_buffer *to, const struct efg_sequence_segment *segment);

/* Read them from FROM. SEGMENT has everything else, and room for them. Returns 0, -ENOMEM, or
 * -EBADMSG if something is visibly wrong; the rest still has to be checked. */
int efg_sequence_unmix(struct efg_reader from, struct efg_sequence_segment *segment);

/* A run as numbers, most of them small. */
enum efg_sequence_field {
    EFG_SEQUENCE_NODE,  /* zigzag(node - 1 - the largest node of earlier runs) */
    EFG_SEQUENCE_COUNT, /* count - 1 */
    EFG_SEQUENCE_NEXT, /* 0: none; else 1 + 2 zigzag(next - 1 - its own number) + it branches */
    EFG_SEQUENCE_BRANCH, /* if it branches: branch - start of the segment */
    EFG_SEQUENCE_FIELDS,
};

/* The numbers of run R. NODES: 1 + the largest node of earlier runs; updated to include this
 * one. */
void efg_sequence_split_run(const struct efg_sequence_segment *segment, uint32_t r,
                            uint64_t *nodes, uint64_t numbers[EFG_SEQUENCE_FIELDS]);

/* The inverse. Returns 0, or -EBADMSG if these numbers are not a run's. */
int efg_sequence_join_run(struct efg_sequence_segment *segment, uint32_t r, uint64_t *nodes,
                          const uint64_t numbers[EFG_SEQUENCE_FIELDS]);

/* Whether there is a BRANCH after this NEXT. */
static inline bool efg_sequence_next_branches(uint64_t next)
{
    return next && !(next & 1);
}

#endif
