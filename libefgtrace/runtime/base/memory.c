/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

struct efg_budget efg_memory = {.limit = UINT64_MAX};
