/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plug-ins of the user (key plugins, user/efgtrace-plugin.h): told of calls, iterations and windows.
 *
 *     load.c      finds them, and lets them begin
 *     event.c     between the wrappers and the tracer: before and after each call
 *     progress.c  the loop, its iterations, its windows
 *     guard.c     calls a function of a plug-in, and survives that
 *     late.c      notices if it does not return
 *     said.c      what they say at the end
 *
 * All this is not on the path of a call where there are none: then the wrappers call the tracer itself.
 */
#ifndef EFG_PLUGIN_H
#define EFG_PLUGIN_H

#include "runtime/calls/call.h"

/* Load those that the configuration names; what is wrong with one is said, and the others go on. Returns the
 * hooks of the wrappers: HOOKS, those of the tracer, if there are none. */
const struct efg_hooks *efg_plugins_begin(const struct efg_hooks *hooks);

/* No thread is at work on its state any more: let them finish. What they have said is in efg_job. */
void efg_plugins_end(void);

#endif
