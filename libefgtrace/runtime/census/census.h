/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Census: which ranks of MPI_COMM_WORLD are here, that is, traced; and their private
 * communicator. Others may run without us (MPMD, mode = off, a node where we are not
 * installed), and are never waited for.
 */
#ifndef EFG_CENSUS_H
#define EFG_CENSUS_H

#include <mpi.h>
#include <stdint.h>

/* Those who are here, ascending; their places are their ranks in COMM. */
struct efg_census {
    MPI_Comm comm;
    int place;         /* the own one */
    int count;         /* of them */
    int size;          /* of the world */
    const int *member; /* world rank of each; NULL if all of the world are here */
};

/* In MPI_Init, once, by all that are here. Returns 0; or -errno if this rank is not traced, with the
 * reason for the user in WHY, or NULL if there is nothing to say. */
int efg_census_take(struct efg_census *census, const char **why);

/* The place of a world RANK; -1 if it is not here. */
int efg_census_place(const struct efg_census *census, uint32_t rank);

/* The world rank of a PLACE. */
uint32_t efg_census_rank(const struct efg_census *census, int place);

#endif
