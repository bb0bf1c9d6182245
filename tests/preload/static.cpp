// SPDX-License-Identifier: BSD-3-Clause
// MPI from static initialisers and destructors, and an exception thrown through an MPI call.
#include <mpi.h>
#include <cstdio>
#include <stdexcept>

struct Session {
    int before = -1;
    Session()
    {
        MPI_Initialized(&before);
        MPI_Init(nullptr, nullptr);
    }
    ~Session()
    {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
    }
};

static Session session;

static void complain(MPI_Comm *, int *, ...)
{
    throw std::runtime_error("thrown");
}

int main()
{
    int value = 0, caught = 0;
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(complain, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; i < 3; i++) {
        try {
            MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
        } catch (const std::runtime_error &) {
            caught++;
        }
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    std::printf("before %d caught %d\n", session.before, caught);
}
