/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spool: where the records of all jobs of a machine are (key "site"), and which jobs leave none.
 */
#ifndef EFG_SPOOL_H
#define EFG_SPOOL_H

#include <stdbool.h>

/* Whether one of PATTERNS, with commas, is that of this program: with a slash, of its file, else of its
 * name. */
bool efg_spool_excludes(const char *patterns);

/* Make a new folder for the record of this job, beside that of MAKER, the job that has spawned it ("" for
 * none), and name it in job->folder. Returns 0 or -errno. */
int efg_spool_make(const char *maker);

#endif
