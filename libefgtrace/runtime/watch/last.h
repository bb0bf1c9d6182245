/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Last: when SIGTERM ends the process, as at the end of a batch job, what the interrupted thread
 * has is saved first (save.h).
 *
 * Only where SIGTERM would end the process: a program that handles or ignores it when this
 * begins, or sets that later, is left alone.
 */
#ifndef EFG_LAST_H
#define EFG_LAST_H

/* Begin, if anything is to be saved at all. */
void efg_last_begin(void);
/* No longer. */
void efg_last_end(void);

#endif
