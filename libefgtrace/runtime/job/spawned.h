/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spawned: the processes that MPI_Comm_spawn makes. They are a world of their own, whose trace
 * is in a folder of its own beside that of the world that made them: FOLDER.spawned,
 * FOLDER.spawned.2 and so on.
 *
 * The two worlds exchange no messages: the makers pass their folder's name in an environment
 * variable (spawn.h), and at the end look whether the spawned processes have made theirs.
 */
#ifndef EFG_SPAWNED_H
#define EFG_SPAWNED_H

/* The folder of the world that made this one: an absolute name, "" if there is none or it is
 * not known. When MPI has begun; valid for ever. */
const char *efg_spawned_maker(void);

/* At the end: keep for the summary what this rank has spawned, whether that is traced, and who
 * made this world. */
void efg_spawned_note(void);

#endif
