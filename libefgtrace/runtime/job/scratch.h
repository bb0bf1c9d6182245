/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scratch: with the key `local` the logs and pieces of a job are on its nodes while it runs, in a folder of
 * its own on each (files/disk/local.h). At the end what is kept is moved to the folder of the output.
 */
#ifndef EFG_SCRATCH_H
#define EFG_SCRATCH_H

/* Make the folders, before there is any file; collective, when the nodes are known. A node that cannot have
 * one has its files in the folder of the output, as without the key, and that is noted. */
void efg_scratch_begin(void);

/* Move what is kept, and remove the folders; collective. */
void efg_scratch_end(void);

/* The same of this rank alone, which ends without MPI. */
void efg_scratch_leave(void);

#endif
