/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guard: of mappings of files that others may cut short meanwhile. To touch a page that the
 * file has no longer is a SIGBUS, and ends the process. Where it is of a guarded mapping,
 * empty memory takes its place, with some behind it, and the process goes on.
 *
 * All other SIGBUS are for whoever had them before. A handler that is set later has all of
 * them: then nothing is guarded.
 */
#ifndef EFG_GUARD_H
#define EFG_GUARD_H

#include <stddef.h>

/* Guard SIZE bytes at START, which a file is mapped to, from the start of a page. Without
 * memory it is not guarded. */
void efg_guard_add(void *start, size_t size);
/* No more; before it is unmapped. Returns 1 if the file was cut. */
int efg_guard_remove(void *start);
/* 1 if the file was cut, and that was met. */
int efg_guard_is_cut(void *start);

#endif
