/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace symbols: what to do where no debug file was found.
 */
#ifndef EFG_SYMBOLS_LACK_H
#define EFG_SYMBOLS_LACK_H

#include "files/run/runfile.h"
#include "files/symbols/symbols.h"

/* Print for each module of RUN that is stripped, and has places without a name (NAMELESS by module), where
 * its debug file was looked for, in FOLDER, too, unless it is NULL; and how to get it, for the run in DIR. */
void efg_symbols_tell_lacks(struct efg_symbols *symbols, const struct efg_run *run, const uint32_t *nameless,
                            const char *folder, const char *dir);

#endif
