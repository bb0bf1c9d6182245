/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Repair: makes sure that no receive is before its send, between nodes whose clocks drifted in the
 * middle of the run. What the messages of the windows tell about the clocks (files/match/skew.h) is
 * brought together in MPI_Finalize; if one was early, the logs of the nodes that are late are
 * moved to later times, on disk, before the trace is made from them.
 */
#ifndef EFG_REPAIR_H
#define EFG_REPAIR_H

#include <stdbool.h>

#include "files/match/skew.h"
#include "files/run/runfile.h"

/* MINE: what this rank's receives tell; failed if it does not know. Collective over the private
 * communicator, after all recorders are closed. Fills skew of RUN on rank 0. Takes one reduction if
 * nothing was early; else what all ranks know goes to rank 0. Returns whether logs were moved,
 * the same on all ranks; the caller then counts the skew that is left. */
bool efg_repair_clocks(struct efg_run *run, const struct efg_skew *mine);

/* Nothing is proven, and nothing is moved; SUSPECTS receives of this rank may be early. */
void efg_repair_refuse(struct efg_run *run, uint64_t suspects);

#endif
