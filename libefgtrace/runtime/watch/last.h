/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Last: what the thread has that SIGTERM ends is saved (save.h) before the process ends by it,
 * as at the end of a batch job.
 *
 * Only where SIGTERM would end the process: a program that handles or ignores it when it is
 * begun, or sets that later, is left alone.
 */
#ifndef EFG_LAST_H
#define EFG_LAST_H

/* From here on, if something is to be saved at all. */
void efg_last_begin(void);
/* No longer. */
void efg_last_end(void);

#endif
