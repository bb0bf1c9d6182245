/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes: what a person should know of this process. Any thread may give one.
 */
#ifndef EFG_NOTES_H
#define EFG_NOTES_H

#include <stdint.h>

/* Print a message once on standard error, with the rank; and keep it for the run file. */
void efg_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Keep a message for the run file and its summary, without printing it now. */
void efg_note_silently(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* All that was kept so far, to be freed; NULL without memory. */
char *efg_notes(void);

/* If the configuration asks for it, the first rank prints what happens at NOW ticks, with the time
 * since the start. */
void efg_tell(uint64_t now, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
