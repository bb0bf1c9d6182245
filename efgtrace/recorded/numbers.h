/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which iterations were recorded, as the run file knows without the trace.
 */
#ifndef EFG_RECORDED_NUMBERS_H
#define EFG_RECORDED_NUMBERS_H

#include "base/buffer.h"
#include "files/run/runfile.h"

/* Say on standard error, for COMMAND, that iteration NUMBER was not recorded, and which were. Returns
 * EFG_TOLD. */
int efg_recorded_complain(const char *command, const struct efg_run *run, uint64_t number);

#endif
