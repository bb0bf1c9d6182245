/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * None: the index that stands for no index: no node, no edge, no loop, no rank.
 */
#ifndef EFG_NONE_H
#define EFG_NONE_H

#include <stdint.h>

#define EFG_NONE UINT32_MAX

#endif
