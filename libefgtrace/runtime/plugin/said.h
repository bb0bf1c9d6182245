/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What plug-ins say when they finish: kept in efg_job, in the form of the run file (files/run/said.h).
 */
#ifndef EFG_PLUGIN_SAID_H
#define EFG_PLUGIN_SAID_H

#include "list.h"

extern const struct efgtrace_host efg_plugins_host;

/* From here on PLUGIN speaks: first of all how long it has taken is said for it. */
void efg_said_begin(struct efg_plugin *plugin);

/* All have spoken. */
void efg_said_end(void);

#endif
