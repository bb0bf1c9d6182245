/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces: what each thread of a job saved while it ran (libefgtrace/runtime/watch/save.h), made into
 * the run file that the job had no chance to write.
 */
#ifndef EFG_PIECES_H
#define EFG_PIECES_H

#include "files/disk/local.h"

/* Make OUTPUT/run.efg from the pieces of a job, which are in the places of LOCAL, and say for COMMAND which
 * ranks it has and until when. An existing run file is replaced if it was made from pieces, too. Returns 1;
 * or 0 if there is nothing to do; or -errno after saying what is wrong. */
int efg_pieces_join(const char *command, const struct efg_local *local, const char *output);

#endif
