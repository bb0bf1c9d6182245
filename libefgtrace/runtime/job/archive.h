/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Archive: the OTF2 trace of the run.
 */
#ifndef EFG_ARCHIVE_H
#define EFG_ARCHIVE_H

#include "files/match/channels.h"
#include "files/run/runfile.h"
#include "files/symbols/symbols.h"

/* Write the OTF2 trace from the logs of all ranks, without this rank's STRAYS; collective over
 * the private communicator, after all recorders are closed. Fills trace_events, trace_bytes and
 * trace_note of RUN on the first rank. With IS_IN false, nothing of this rank
 * goes into the trace. */
void efg_archive_write(struct efg_run *run, struct efg_symbols *symbols,
                       const struct efg_strays *strays, bool is_in);

/* Nothing was recorded: remove the logs of all ranks, which have nothing. Collective. */
void efg_archive_drop(void);

#endif
