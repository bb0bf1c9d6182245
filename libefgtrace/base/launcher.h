/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launcher: tells each process its rank through the environment, before MPI knows it. So what
 * holds for all ranks can be reported by only one of them.
 */
#ifndef EFG_LAUNCHER_H
#define EFG_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* The rank of this process; 0 where no launcher says which one it is. */
static inline int efg_launcher_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value)
            return atoi(value);
    }
    return 0;
}

/* 1 for the first rank, and where no launcher says which one it is. */
static inline bool efg_launcher_is_first(void)
{
    return efg_launcher_rank() == 0;
}

#endif
