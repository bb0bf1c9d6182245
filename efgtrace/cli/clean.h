/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clean: makes names from files fit for terminals, browsers and other readers.
 */
#ifndef EFG_CLEAN_H
#define EFG_CLEAN_H

/* Make TEXT, in place, valid UTF-8 that XML and JSON may contain, without control characters and others
 * that end a line or change the direction of text: each byte to be removed becomes '?'. Returns
 * TEXT. */
char *efg_clean(char *text);

#endif
