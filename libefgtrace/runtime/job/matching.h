/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matching: finds, in MPI_Finalize and in the logs of all ranks, which messages have both ends
 * there, and which iterations each rank recorded; and corrects the clocks of nodes
 * by which messages were received before they were sent (repair.h). If it did, the logs
 * are read again, so that all that is reported is true of the corrected logs.
 *
 * Every rank sends its list of sends only to the ranks that received them, and hears
 * from them which of these they received before their windows began, if any: the cost
 * follows the number of partners of a rank, and the logarithm of the number of ranks.
 */
#ifndef EFG_MATCHING_H
#define EFG_MATCHING_H

#include "files/match/strays.h"
#include "files/run/runfile.h"

/* Collective over the private communicator, after all recorders are closed and before the
 * logs are converted. Fills is_checked, messages, skew and cuts of RUN on rank 0, and STRAYS
 * with those of this rank. */
void efg_matching_check(struct efg_run *run, struct efg_strays *strays);

#endif
