/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of the run file, between its own .c files: runfile.c (the file), runfile_put.c
 * (writes blocks), runfile_get.c (reads and checks blocks).
 */
#ifndef EFG_RUNFILE_PARTS_H
#define EFG_RUNFILE_PARTS_H

#include "runfile.h"

void efg_runfile_put_facts(struct efg_buffer *out, const struct efg_run *run);
void efg_runfile_put_sites(struct efg_buffer *out, const struct efg_run *run);

/* Each fills its part of RUN, from all bytes of a block. Returns 0, -EBADMSG, -ENOMEM; what
 * was filled in until then is freed by efg_run_fini. */
int efg_runfile_get_facts(struct efg_run *run, const void *block, size_t size);
int efg_runfile_get_sites(struct efg_run *run, const void *block, size_t size);

void efg_run_sites_fini(struct efg_run *run);

/*
 * The fewest bytes that a thing takes in the file: with efg_reader_count they bound what is
 * allocated by the size of the file. The test checks them against what is written.
 */
enum efg_runfile_least {
    EFG_LEAST_CALL = 3,
    EFG_LEAST_PATH = 9,
    EFG_LEAST_FRAME = 2,
    EFG_LEAST_MODULE = 1,
    EFG_LEAST_REGION = 2,
    EFG_LEAST_THREAD = 36,
    EFG_LEAST_NODE = 28,
    EFG_LEAST_EDGE = 12,
    EFG_LEAST_POINT = 4,
    EFG_LEAST_WINDOW = 8,
    EFG_LEAST_CUT = 5,
    EFG_LEAST_SITE = 3,
    EFG_LEAST_SYMBOL = 3,
    EFG_LEAST_RANK = 22, /* with its length */
};

#endif
