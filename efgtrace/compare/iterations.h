/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace compare --iterations: two recorded iterations of one run.
 */
#ifndef EFG_COMPARE_ITERATIONS_H
#define EFG_COMPARE_ITERATIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Compare those that PAIR names, "527,526", of the run in DIR: write a text with at most MOST lines of a
 * table, or JSON, to the file OUTPUT, NULL for standard output. Returns the exit code. */
int efg_compare_iterations(const char *pair, const char *dir, bool is_json, uint32_t most,
                           const char *output);

#endif
