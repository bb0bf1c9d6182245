/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What wrappers call where there are plug-ins: these are told, and the tracer does what it does.
 */
#ifndef EFG_PLUGIN_EVENT_H
#define EFG_PLUGIN_EVENT_H

#include "runtime/calls/call.h"
#include "user/efgtrace-plugin.h"

/* What they call in turn: the tracer, or what stands in front of it. */
extern const struct efg_hooks *efg_plugins_next;

bool efg_plugins_enter(struct efg_call *call);
void efg_plugins_leave(struct efg_call *call, int result);

/* As efgtrace_host has it. */
uint32_t efg_plugins_frames(const struct efgtrace_event *event, struct efgtrace_frame *frames, uint32_t most);

#endif
