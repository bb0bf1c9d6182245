/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that never begins MPI is told so at its end.
 */
#ifndef EFG_IDLE_H
#define EFG_IDLE_H

/* MPI begins: there will be a summary, or a message that says why not. */
void efg_idle_over(void);

/* The process ends. */
void efg_idle_end(void);

#endif
