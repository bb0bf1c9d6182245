/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Repair: no receive before its send, between nodes whose clocks drifted in the middle of the
 * run. What the messages of the windows tell of the clocks (files/match/skew.h) is brought
 * together in MPI_Finalize; if one of them was early, the logs of the nodes that are late are
 * moved to later times, on disk, before the trace is made of them.
 */
#ifndef EFG_REPAIR_H
#define EFG_REPAIR_H

#include "files/match/skew.h"
#include "files/run/runfile.h"

/* MINE: what this rank's receives tell; failed if it does not know. Collective over the private
 * communicator, after all recorders are closed. Fills skew of RUN on rank 0. A reduction if
 * nothing was early; else what all ranks know travels to rank 0. Returns 1 if logs were moved,
 * the same on all ranks; what is left of skew is counted by the caller then. */
int efg_repair_clocks(struct efg_run *run, const struct efg_skew *mine);

/* Nothing is proven, and nothing is moved; SUSPECTS receives of this rank may be early. */
void efg_repair_refuse(struct efg_run *run, uint64_t suspects);

#endif
