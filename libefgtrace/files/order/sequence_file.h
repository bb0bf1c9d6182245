/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequences as bytes, segment by segment.
 *
 *     coding | table | start | length | runs | blocks | pairs | bytes that follow | these
 *
 * All are LEB128 numbers except the bytes that follow, which are, depending on the coding,
 *
 *     PLAIN   runs:   node, count, next, branch as in parts.h
 *             blocks: pairs in it, then each pair:
 *                     2 x symbol + (1 if a count follows), count - 2
 *                     symbol: a run's number, or the number of runs + how many blocks back
 *     MIXED   the same by a mixer, see mix.c; about 3 us a pair. Without it run.efg grows by 18%
 *             (bench/kernels/amr, 100 steps) to 84% (1000 steps); of LAMMPS, and where steps
 *             are alike, by 2 to 6%
 *
 * Both are exact, and read the same on every machine. Segments that are equal (see sequence.h)
 * have equal bytes, so equal sequences can be found, and stored once, by their bytes.
 */
#ifndef EFG_SEQUENCE_FILE_H
#define EFG_SEQUENCE_FILE_H

#include "base/buffer.h"
#include "core/order/sequence.h"

enum efg_sequence_coding { EFG_SEQUENCE_PLAIN, EFG_SEQUENCE_MIXED };

/* A process that ends takes the time to mix up to this number of pairs. */
#define EFG_SEQUENCE_MIX_PAIRS 20000

/* What the nodes of an earlier graph have become in the last one. */
struct efg_sequence_table {
    uint32_t *node;
    uint32_t count;
};

/* Append SEGMENT to TO, mixed if it has at most MIX_PAIRS pairs (and can be mixed: at most 2^17
 * pairs and runs), else plain. Returns which, or -errno; TO then failed, too. */
int efg_sequence_put(struct efg_buffer *to, const struct efg_sequence_segment *segment,
                     uint32_t mix_pairs);

/* Read a segment that efg_sequence_put wrote: the copy that efg_sequence_segment_copy would
 * make. Free it with efg_sequence_segment_fini. Returns 0, -EBADMSG, -ENOMEM. What
 * it returns has passed efg_sequence_segment_check, and takes at most 5 MB and 24 times its
 * bytes; reading it takes up to 32 MB more. */
int efg_sequence_get(struct efg_reader *from, struct efg_sequence_segment *segment);

/* What is known of a segment without reading its body: its START and LENGTH; FROM is moved
 * past it. Returns 0 or -EBADMSG. */
int efg_sequence_pass(struct efg_reader *from, struct efg_sequence_segment *segment);

#endif
