/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plug-ins that are loaded, in their order.
 */
#ifndef EFG_PLUGIN_LIST_H
#define EFG_PLUGIN_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "user/efgtrace-plugin.h"

#define EFG_PLUGINS_MOST 16

struct efg_plugin {
    char *name;                       /* of its file, without folder and ".so" */
    const struct efgtrace_plugin *is; /* what it exports */
    unsigned kinds;                   /* a set of enum efgtrace_kind: of which calls it is told */
    uint64_t patience;                /* ns that a call of it may take */
    bool is_out;                      /* it is not called any more; atomic */
    uint64_t calls, time;             /* of its functions: how many, ns; atomic */
};

struct efg_plugins {
    struct efg_plugin list[EFG_PLUGINS_MOST];
    unsigned count;
};

extern struct efg_plugins efg_plugins;

#endif
