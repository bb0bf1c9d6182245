/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `efgtrace export` writes, a file per format.
 */
#ifndef EFG_EXPORT_FORMATS_H
#define EFG_EXPORT_FORMATS_H

#include <stdio.h>

#include "model/model.h"

/* Write the recorded iterations of RUN to FILE. Returns 0; or -errno, with what is wrong with the
 * trace in MESSAGE, or "" if it could not be written. */
int efg_export_perfetto(FILE *file, const struct efg_run *run, char *message, size_t size);

/* Write a copy of the trace of RUN, with metrics of waiting, to the folder DIR, which exists. Returns 0; or
 * -errno as efg_recorded_copy, or -ENOTSUP, with what is wrong in MESSAGE, or "" if it could not be
 * written. */
int efg_export_otf2(const char *dir, const struct efg_run *run, char *message, size_t size);

/* Write the whole run of RUN to the folder DIR, which is made, as a time-independent trace of SimGrid, and
 * say on standard output what it is. Returns 0; else says on standard error what is wrong, and returns
 * EFG_TOLD. */
int efg_export_simgrid(const char *dir, const struct efg_run *run);

/* At most so many CALLS, and messages. */
int efg_export_json(FILE *file, struct efg_model *model, uint64_t calls, char *message,
                    size_t size);

/* Write the time of all ranks in each calling context of the run, which is open, as folded stacks.
 * Returns 0, EFG_TOLD or -errno. */
int efg_export_folded(FILE *file, struct efg_model *model);

/* Write the calls of each rank, the whole run, as comma-separated values. Returns 0, EFG_TOLD or -errno. */
int efg_export_csv(FILE *file, const struct efg_run *run);

extern const char efg_export_json_help[]; /* the schema */

#endif
