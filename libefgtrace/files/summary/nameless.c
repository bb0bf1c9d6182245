/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the functions of a run have names. A frame of a call path has one, or its program or library is
 * stripped, or nobody looked.
 *
 * The frames that all paths begin with do not count, as names are rarely missing there alone: main, and what
 * the C library has around it. But where main itself calls MPI, and has no name, a name is missing.
 */
#include <stdlib.h>

#include "summary.h"

#define BEGINNING 4 /* frames that all paths have: main, and what the C library has around it */

static bool counts(const struct efg_run_path *path, uint32_t frame)
{
    return frame + BEGINNING < path->depth || (frame == 0 && path->depth > 0);
}

/* How many frames there are, to *ALL; those without a name, to UNNAMED, by module. */
static void count_names(const struct efg_run *run, uint32_t *unnamed, uint32_t *all)
{
    const struct efg_run_names *names = &run->common.names;
    for (uint32_t i = 0; i < names->path_count; i++)
        for (uint32_t k = 0; counts(&names->paths[i], k); k++) {
            const struct efg_frame *frame = &names->paths[i].frames[k];
            ++*all;
            unnamed[frame->module] += !efg_run_site(run, names->modules[frame->module], frame->offset);
        }
}

/* A fifth of the frames have no name, as they are in a program that has no symbols. */
const char *efg_summary_nameless(const struct efg_run *run)
{
    const struct efg_run_names *names = &run->common.names;
    uint32_t *unnamed = calloc(names->module_count + 1, sizeof *unnamed), all = 0, most = 0;
    if (unnamed)
        count_names(run, unnamed, &all);
    for (uint32_t i = 1; unnamed && i < names->module_count; i++)
        if (unnamed[i] > unnamed[most])
            most = i;
    bool is_nameless = unnamed && all && 5 * unnamed[most] >= all;
    free(unnamed);
    if (!is_nameless)
        return NULL;
    return run->site_count ? efg_summary_last_part(names->modules[most]) : "";
}

void efg_summary_nameless_put(struct efg_buffer *out, const struct efg_run *run)
{
    const char *module = efg_summary_nameless(run);
    if (!module || !run->output)
        return;
    if (*module)
        efg_summary_tell(out, "Names        few in %s, which is stripped; from debug files they are added by",
                         module);
    else
        efg_summary_tell(out, "Names        not looked up, as symbols = off says; they are added by");
    efg_buffer_print(out, "             efgtrace symbols %s\n", run->output); /* to be copied */
}
