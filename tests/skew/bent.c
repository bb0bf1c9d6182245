/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded: efgtrace takes ranks 2 and 3 for those of another host, whose clock is right at
 * the start and at the end of the run, and late in between.
 *
 *     late
 *      LATE        ____________________
 *                 /                    |
 *         0 _____/                     |_____
 *               0 100                  |          ms since the program called MPI_Cart_create
 *                                      all ranks are in MPI_Finalize
 *
 * LATE2 and LATE3 in the environment, in ns. It never goes backward: less than 10^8 up, and
 * less than the 5 ms that it takes before it is right again. What is not of efgtrace gets the
 * host's true name.
 *
 * REFUSE: a rank whose logs cannot be corrected.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ll
#define RAMP (100 * MS)

static int64_t begun; /* ns of the true clock; 0: not yet */
static int is_over;

static int64_t late_at(const char *late, int64_t since)
{
    return atoll(late) * (since < RAMP ? since : RAMP) / RAMP;
}

static int64_t true_time(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 * MS + now.tv_nsec;
}

/* As the launcher says it, of Open MPI or MPICH. */
static const char *own_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank ? rank : getenv("PMI_RANK");
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const char *rank = own_rank(), *late = NULL;
    if (begun && !is_over && clock == CLOCK_MONOTONIC && rank && (*rank == '2' || *rank == '3'))
        late = getenv(*rank == '2' ? "LATE2" : "LATE3");
    if (!late)
        return (int)syscall(SYS_clock_gettime, clock, now);
    int64_t ns = true_time();
    ns -= late_at(late, ns - begun);
    *now = (struct timespec){ns / (1000 * MS), ns % (1000 * MS)};
    return 0;
}

int MPI_Cart_create(MPI_Comm old, int dims, const int sizes[], const int periods[], int reorder,
                    MPI_Comm *comm)
{
    int (*next)(MPI_Comm, int, const int[], const int[], int, MPI_Comm *) =
        (int (*)(MPI_Comm, int, const int[], const int[], int, MPI_Comm *))dlsym(RTLD_NEXT,
                                                                                 "MPI_Cart_create");
    int result = next(old, dims, sizes, periods, reorder, comm);
    begun = true_time();
    return result;
}

/* efgtrace's own, in which ranks wait for each other in MPI_Finalize. */
int PMPI_Barrier(MPI_Comm comm)
{
    int (*next)(MPI_Comm) = (int (*)(MPI_Comm))dlsym(RTLD_NEXT, "PMPI_Barrier");
    int result = next(comm);
    if (begun && true_time() - begun > RAMP) {
        usleep(5000);
        is_over = 1;
    }
    return result;
}

/* Only the correction of a log uses it. */
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    const char *rank = own_rank(), *refuse = getenv("REFUSE");
    if (rank && refuse && strcmp(rank, refuse) == 0) {
        errno = EIO;
        return -1;
    }
    return (ssize_t)syscall(SYS_pwrite64, file, bytes, size, at);
}

int gethostname(char *name, size_t size)
{
    int (*next)(char *, size_t) = (int (*)(char *, size_t))dlsym(RTLD_NEXT, "gethostname");
    const char *rank = own_rank();
    Dl_info caller;
    if (!dladdr(__builtin_return_address(0), &caller) || !strstr(caller.dli_fname, "libefgtrace") || !rank)
        return next(name, size);
    strncpy(name, *rank < '2' ? "straight" : "bent", size);
    return 0;
}
