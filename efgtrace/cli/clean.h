/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clean: names that come from files, made fit for terminals, browsers and other readers.
 */
#ifndef EFG_CLEAN_H
#define EFG_CLEAN_H

/* TEXT made valid UTF-8 that XML and JSON may hold, without control characters and others that
 * end a line or turn the direction of text, in place: '?' for each byte of what is to go. Returns
 * TEXT. */
char *efg_clean(char *text);

#endif
