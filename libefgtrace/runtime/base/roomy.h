/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Roomy: a stack of our own for work that needs more than a thread of the application may have left: threads
 * may be made with 16 kB, and languages with tasks run them on stacks that they allocate. What we do in
 * MPI_Init and MPI_Finalize takes about 160 kB.
 *
 * The thread stays the same, and where it has enough nothing is done but the call. Who walks the stack from
 * within the work finds its end at the beginning of the work. The other stack has lower addresses: so the
 * tracer's own calls of MPI are within that of the application (runtime/preload/wrap.c).
 */
#ifndef EFG_ROOMY_H
#define EFG_ROOMY_H

/* Call WORK(CONTEXT): elsewhere if there is little left of this stack, and memory for another one. */
void efg_roomy(void (*work)(void *context), void *context);

#endif
