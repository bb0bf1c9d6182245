/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces: what each thread of a job saved while it ran (libefgtrace/runtime/watch/save.h), made into
 * the run file that the job did not come to write.
 */
#ifndef EFG_PIECES_H
#define EFG_PIECES_H

/* Make OUTPUT/run.efg of the pieces in DIR, and say for COMMAND of which ranks it is and up to
 * when. A run file that is there is replaced if it was made of pieces, too. Returns 1, or 0:
 * nothing to do; or -1, and has said what is wrong. */
int efg_pieces_join(const char *command, const char *dir, const char *output);

#endif
