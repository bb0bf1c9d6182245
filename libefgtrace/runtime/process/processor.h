/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processor: how much of one this process has had, and how long it had to wait for it.
 */
#ifndef EFG_PROCESSOR_H
#define EFG_PROCESSOR_H

#include "files/run/runfile.h"

/* Since the process began; threads, and what was waited for, are of the threads that there are. */
struct efg_run_processor efg_processor_now(void);

/* What came after BEGIN. */
struct efg_run_processor efg_processor_since(const struct efg_run_processor *begin);

/* ns that this thread has waited for one, since it began. */
uint64_t efg_processor_waited(void);

#endif
