/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EFG_CLEAN_H
#define EFG_CLEAN_H

/* TEXT made valid UTF-8 that XML and JSON may hold, without control characters, in place: '?'
 * for what is neither. Returns TEXT. */
char *efg_clean(char *text);

#endif
