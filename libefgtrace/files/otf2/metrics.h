/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics: what was counted in calls and between them, where the key counters asks for it. Without that there
 * is nothing of this in a trace.
 */
#ifndef EFG_OTF2_METRICS_H
#define EFG_OTF2_METRICS_H

#include "pass.h"

/* How many NAMES, separated by commas, there are in SIZE bytes. */
uint32_t efg_otf2_count_names(const char *names, size_t size);

/* --- definitions; the classes are the rows of u->counters --- */

struct efg_otf2_member {
    uint32_t name, about, unit; /* strings */
};

struct efg_otf2_metrics {
    struct efg_otf2_table members; /* key: struct efg_otf2_member */
};

/* Before strings are written, and behind locations. */
void efg_otf2_choose_metrics(struct efg_otf2_unifier *u, struct efg_otf2_metrics *m);
OTF2_ErrorCode efg_otf2_write_metrics(const struct efg_otf2_unifier *u, const struct efg_otf2_metrics *m,
                                      OTF2_GlobalDefWriter *writer);
void efg_otf2_metrics_fini(struct efg_otf2_metrics *m);

/* --- values --- */

/* The log has defined COUNT counters. */
void efg_otf2_begin_counting(struct efg_otf2_pass *p, uint32_t count);
/* R, of the kind EFG_REC_COUNT. */
void efg_otf2_take_count(struct efg_otf2_pass *p, const struct efg_record *r);
/* The present call is left at TIME. */
void efg_otf2_leave_counted(struct efg_otf2_pass *p, uint64_t time);

#endif
