/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ask: what a handle of the application stands for. A library after us in the chain may have
 * handles of its own, or take MPI_COMM_WORLD for another communicator. To MPI itself such a
 * handle means something else or nothing, and a question about it may end the job. So questions
 * about a handle from a call of MPI_X go to the next definition of MPI_X, and those about one from
 * PMPI_X to MPI itself.
 *
 * The tracer's own communicators are MPI's: for these it calls PMPI_X.
 */
#ifndef EFG_ASK_H
#define EFG_ASK_H

#include <mpi.h>
#include <stdbool.h>

#include "runtime/calls/call.h"

/* None of them communicates. */
#define EFG_ASKED                                                                           \
    X(Comm_rank)                                                                            \
    X(Comm_size)                                                                            \
    X(Comm_test_inter) X(Comm_remote_size) X(Comm_group) X(Comm_remote_group) X(Group_free) \
        X(Topo_test) X(Cartdim_get) X(Cart_get) X(Graph_neighbors_count)                    \
            X(Dist_graph_neighbors_count) X(Type_size) X(Type_get_envelope)                 \
                X(File_get_position) X(Comm_get_name) X(Win_get_name)

struct efg_asked {
#define X(name) __typeof__(&PMPI_##name) name;
    EFG_ASKED
#undef X
};

/* FRONT stays where it is. Without this, all questions go to MPI. */
void efg_ask_begin(const struct efg_front *front);

/* The one to ask in the call that this thread is in. */
const struct efg_asked *efg_ask(void);

/* Whether that is not MPI itself. */
bool efg_ask_is_another(void);

#endif
