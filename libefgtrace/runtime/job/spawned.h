/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spawned: the processes that MPI_Comm_spawn makes. They are a world of their own, whose trace
 * is in a folder of its own beside that of the world that made them: FOLDER.spawned,
 * FOLDER.spawned.2 and so on.
 *
 * The two worlds exchange no messages: the makers pass their folder's name in an environment
 * variable (spawn.h), and at the end look whether the spawned processes have made theirs. What each has
 * sent and received is in the folders: so the one that ends later says how many messages match.
 */
#ifndef EFG_SPAWNED_H
#define EFG_SPAWNED_H

/* The folder of the world that made this one: an absolute name, "" if there is none or it is
 * not known. When MPI has begun; valid for ever. */
const char *efg_spawned_maker(void);

/* When communicators are known: follow messages with the world that made this one. */
void efg_spawned_begin(void);

/* At the end, on all ranks together: keep for the summary what was spawned, whether that is traced, who made
 * this world, and how many messages with other worlds match. */
void efg_spawned_note(void);

#endif
