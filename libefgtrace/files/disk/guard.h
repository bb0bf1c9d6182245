/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guard: protects mappings of files that others may truncate meanwhile. Touching a page that the
 * file no longer has raises SIGBUS, which ends the process. In a guarded mapping, the page and
 * some after it are replaced by empty memory, and the process goes on.
 *
 * Every other SIGBUS goes to the previous handler. A handler that is set later receives all of
 * them: then nothing is guarded.
 */
#ifndef EFG_GUARD_H
#define EFG_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Guard SIZE bytes at START, which a file is mapped to, from the start of a page. Without
 * memory it is not guarded. */
void efg_guard_add(void *start, size_t size);
/* No more; before it is unmapped. Returns whether the file was cut. */
bool efg_guard_remove(void *start);
/* Whether the file was truncated, and this was noticed. */
bool efg_guard_is_cut(void *start);

#endif
