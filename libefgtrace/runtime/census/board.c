/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pins and reads the notices by which ranks say that they are traced. A notice is read where MPI_Init has
 * brought it: Open MPI collects the data of all processes in its first fence, MPICH's barrier hands the
 * keys to all proxies of hydra. So a key that is not there will not come, and the answer is immediate.
 *
 * Invariant: what is read of a rank is the same on all ranks.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "board.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "parts.h"

static enum efg_notice own;

void efg_board_say(enum efg_notice notice)
{
    own = notice;
    efg_hydra_pin(notice);
}

void efg_board_pin(void *put, void *get)
{
    efg_pmix_pin(put, get, own);
}

void efg_board_give_up(int code)
{
    efg_hydra_abort(code);
}

/* Whether Open MPI was told not to collect what the processes have put (pmix_base_collect_data
 * 0): then one that is on another node may or may not be known here. MPI_T says it, too, but
 * takes a quarter of a second for that. */
static bool is_uncollected(void)
{
    const bool *is_collected = dlsym(RTLD_DEFAULT, "opal_pmix_collect_all_data");
    return is_collected && !*is_collected;
}

enum efg_notice efg_board_own(void)
{
    static bool is_known;
    bool is_first = !is_known;
    is_known = true;
    if (is_first && !efg_hydra_is_pinned() && (!efg_pmix_is_pinned() || is_uncollected()))
        own = EFG_NOTICE_NONE;
    return own;
}

enum efg_notice efg_board_read(int rank)
{
    return efg_hydra_is_pinned() ? efg_hydra_read(rank) : efg_pmix_read(rank);
}

const char *efg_board_job(void)
{
    const char *space = getenv("PMIX_NAMESPACE");
    return efg_hydra_is_pinned() ? efg_hydra_space() : space ? space : "";
}
