/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heap: memory for a process that is a copy of another one as it was when a signal came, maybe in
 * the middle of malloc. All memory that our code allocates and frees goes through this (the
 * linker's option --wrap, see the Makefile), and costs a branch.
 */
#ifndef EFG_HEAP_H
#define EFG_HEAP_H

/* From here on take memory from a heap of our own, to which nothing is given back; existing memory
 * stays valid. Returns 0, or -ENOMEM. Safe in a signal handler. */
int efg_heap_begin(void);

#endif
