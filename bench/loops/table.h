/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table: scores for people, and as JSON for loops.py, which compares two of them.
 */
#ifndef LOOPS_TABLE_H
#define LOOPS_TABLE_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "score.h"

/* The line of one recording, and what stands above all of them. */
void table_print_head(FILE *out);
void table_print(FILE *out, const struct score *score);

void table_print_total(FILE *out, const struct score_total *total);

/* Of one recording, with all its answers; the caller owns what is returned. NULL without
 * memory. */
cJSON *table_json(const struct score *score);
cJSON *table_json_total(const struct score_total *total);

#endif
