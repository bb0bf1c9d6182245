/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Roots: ranks that call one collective with different roots, and wait.
 */
#ifndef EFG_ROOTS_H
#define EFG_ROOTS_H

#include "await.h"

/* Whether there are any: then ODD is a thread whose root the fewest have named, and MOST one whose root most
 * have, by their indices. False if as many have named either. */
bool efg_roots_find(const struct efg_await *await, uint32_t *odd, uint32_t *most);

#endif
