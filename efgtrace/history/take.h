/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run, into the index.
 */
#ifndef EFG_HISTORY_TAKE_H
#define EFG_HISTORY_TAKE_H

#include "database.h"

enum efg_take {
    EFG_TAKEN,
    EFG_KNOWN,    /* it is there, and has not changed */
    EFG_LEFT_OUT, /* it cannot be read: that was said */
    EFG_LOST,     /* the index cannot be written: that was said */
};

/* The run in FOLDER, a path from the root, whose file is from STAMP, ns since 1970, and is of USER. */
enum efg_take efg_take(struct efg_database *db, const char *folder, int64_t stamp, const char *user);

#endif
