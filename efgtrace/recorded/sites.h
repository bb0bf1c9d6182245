/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recorded calls as nodes of the graph: a site of the trace is a function and the
 * hash of a call path; the run file has numbers for both.
 */
#ifndef EFG_RECORDED_SITES_H
#define EFG_RECORDED_SITES_H

#include "base/map.h"
#include "core/graph/signature.h"
#include "recorded.h"

struct efg_recorded_names {
    const struct efg_run *run;
    struct efg_map calls, paths; /* hash -> number */
};

/* What RUN, which outlives it, calls them. Returns 0 or -ENOMEM. FINI in any case. */
int efg_recorded_names_init(struct efg_recorded_names *names, const struct efg_run *run);
void efg_recorded_names_fini(struct efg_recorded_names *names);

/* A node with the call and the call path of SITE. Returns 0, or -ENOENT if the run file does not
 * know the function. */
int efg_recorded_node(const struct efg_recorded_names *names,
                      const struct efg_recorded_site *site, struct efg_node *node);

/* Where it is, "solver.c:120 exchange"; and with the call, "MPI_Send  solver.c:120 exchange".
 */
void efg_recorded_place(const struct efg_recorded_names *names,
                        const struct efg_recorded_site *site, char *text, size_t size);
void efg_recorded_label(const struct efg_recorded_names *names,
                        const struct efg_recorded_site *site, char *text, size_t size);

#endif
