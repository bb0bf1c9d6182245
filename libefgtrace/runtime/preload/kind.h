/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind: the MPI that the process has, and the runtime for it. */
#ifndef EFG_KIND_H
#define EFG_KIND_H

#include "runtime/calls/call.h"

/* Loads the runtime for the MPI whose MPI_Get_library_version is GET_VERSION, or NULL for one that has
 * none. Returns NULL where there is no such runtime, and says so on standard error. */
const struct efg_runtime *efg_kind_load(const void *get_version);

#endif
