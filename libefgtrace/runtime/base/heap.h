/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heap: memory for a process that is a copy of another one as a signal has found it, maybe in
 * the middle of malloc. All that our code asks for and gives back goes by way of this (the
 * linker's option --wrap, see the Makefile), and costs a branch.
 */
#ifndef EFG_HEAP_H
#define EFG_HEAP_H

/* From here on take memory from a heap of our own, of which nothing is given back; what there
 * was stays. Returns 0, or -1 without memory. Safe in a signal handler. */
int efg_heap_begin(void);

#endif
