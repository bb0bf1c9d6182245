/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting as JSON; the schema is in efg_waits_json_help.
 */
#ifndef EFG_WAITS_JSON_H
#define EFG_WAITS_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "waits.h"

extern const char efg_waits_json_help[];

/* What WAITS has, complete; or BRIEF, for a page: the most of it. Free it. */
cJSON *efg_waits_json(const struct efg_waits *waits, const struct efg_recorded *recorded,
                      const struct efg_recorded_names *names, bool is_brief);

/* Members parallel, balance, serialisation and transfer, 0 to 1. */
void efg_waits_json_shares(cJSON *to, const struct efg_waits_shares *shares);

#endif
