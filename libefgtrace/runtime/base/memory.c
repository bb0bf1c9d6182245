/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one budget of the process; until the configuration is known, it has no limit.
 */
#include "memory.h"

struct efg_budget efg_memory = {.limit = UINT64_MAX};
