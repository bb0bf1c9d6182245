/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collect: brings together at the end what the ranks know. What they have in common goes up a
 * tree to rank 0; what each of them measured goes to the leader of its node, which writes it
 * into the run file.
 *
 * Everything here is collective over the private communicator.
 */
#ifndef EFG_COLLECT_H
#define EFG_COLLECT_H

#include "files/run/runfile.h"

struct efg_collected {       /* on rank 0 */
    int error;               /* 0, or -errno: the run file cannot be written */
    uint64_t end;            /* where the sections of all ranks end in it */
    uint64_t received, work; /* bytes, and ns of CPU that it took to join them */
    struct efg_buffer sections; /* of all ranks, for a record: they are in no file yet; empty if they are too
                                   large for one */
};

/* Bring together what RANK and the others know; its signatures refer to NAMES, NULL
 * if there was no memory for them: then the file cannot be written. SEQUENCE: the
 * section of its sequence as efg_runfile_put_sequence made it, with its ORDER, or empty. It is
 * written if no lower rank has the same one. Fills the
 * common part of RUN and its speaker on rank 0, and the file PATH but for its end. PATH is ""
 * on ranks that do not see the folder. Where the job leaves but a record, no file is made. */
struct efg_collected efg_collect(struct efg_run *run, const struct efg_run_names *names,
                                 const struct efg_run_rank *rank,
                                 const struct efg_buffer *sequence,
                                 const struct efg_run_order *order, const char *path);

/* Whether this rank represents those with the same graph: the first one of each group of RUN, which rank 0
 * has, does. Needs no memory but on rank 0. */
bool efg_collect_represents(const struct efg_run *run);

#endif
