/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How efficient the loops of a run are inside of the recorded iterations: load balance x serialisation x
 * transfer, as waits.h has it for an iteration, for all calls of a loop and the computation before them.
 */
#ifndef EFG_REPORT_INSIDE_H
#define EFG_REPORT_INSIDE_H

#include "model/model.h"
#include "waiting.h"

/* Of each loop of the merged graph, by index: in a recorded iteration if it has locations. Free it; NULL
 * without memory. */
struct efg_waits_iteration *efg_report_inside(const struct efg_model *model,
                                              const struct efg_report_waiting *w);

#endif
