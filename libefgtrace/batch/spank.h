/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Slurm looks up in a plug-in: all that its header declares can be seen from outside.
 */
#ifndef EFG_SPANK_H
#define EFG_SPANK_H

#pragma GCC visibility push(default)
#include <slurm/spank.h>
extern const char plugin_name[], plugin_type[];
extern const unsigned int plugin_version, spank_plugin_version;
#pragma GCC visibility pop

#endif
