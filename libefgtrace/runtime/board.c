/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A notice is read where MPI_Init has brought it: Open MPI collects the data of all processes
 * in its first fence, MPICH's barrier hands the keys to all proxies of hydra. So a key that is
 * not there will not come, and the answer is immediate.
 *
 * Invariant: what is read of a rank is the same on all ranks.
 */
#include "runtime/board.h"

#include <mpi.h>
#include <stdlib.h>

#include "runtime/board_parts.h"

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

/* Whether Open MPI was told not to collect what the processes have put: then one that is on
 * another node may or may not be known here. */
static int is_uncollected(void)
{
    int level, index, count, is_collected = 1;
    MPI_T_cvar_handle handle;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS)
        return 0;
    if (MPI_T_cvar_get_index("pmix_base_collect_data", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        unsigned char value[64] = {1}; /* a bool; longer than any that could be meant */
        if (count == 1 && MPI_T_cvar_read(handle, value) == MPI_SUCCESS)
            is_collected = value[0];
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
    return !is_collected;
}

enum efg_notice efg_board_own(void)
{
    static int is_known;
    if (!is_known++ && !efg_hydra_is_pinned() && (!efg_pmix_is_pinned() || is_uncollected()))
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
