/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of the report that says how well the recorded iterations stand for the run, as text.
 */
#ifndef EFG_REPORT_REPRESENTATIVE_H
#define EFG_REPORT_REPRESENTATIVE_H

#include "base/buffer.h"
#include "files/run/runfile.h"

/* Append how well the recorded iterations stand for RUN (representative.h): the sentence, and a
 * table of lines of at most 100 columns, at most MOST of them. Returns 0; else says on standard
 * error what is wrong, and returns -1. */
int efg_report_representative(struct efg_buffer *out, const struct efg_run *run, uint32_t most);

#endif
