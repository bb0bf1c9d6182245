/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups the ranks by node. A node is what has one clock: the same boot of a kernel (a virtual machine
 * that was cloned has its twin's boot id, so the host name counts as well) and the same time namespace, as
 * containers may have times of their own. MPI_COMM_TYPE_SHARED would ask for shared memory, which is
 * another question.
 *
 * The ranks are split by a hash of these. A colour of MPI has 31 bits, too few for 10^4 nodes
 * to be told apart with certainty: so what one half of the hash has put together is split by
 * the other half.
 */
#define _GNU_SOURCE
#include "nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

#define PAUSE 50000 /* ns between looks whether the leader is ready */

static uint64_t hash_boot(uint64_t hash)
{
    char id[64];
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, id, sizeof id) : -1;
    if (file >= 0)
        close(file);
    return size > 0 ? efg_hash_bytes(hash, id, (size_t)size) : hash;
}

/* Older kernels have no time namespaces: then there is one clock a kernel. */
static uint64_t hash_time(uint64_t hash)
{
    char name[64];
    ssize_t size = readlink("/proc/self/ns/time", name, sizeof name);
    return size > 0 ? efg_hash_bytes(hash, name, (size_t)size) : hash;
}

static uint64_t hash_host(uint64_t hash)
{
    char name[HOST_NAME_MAX + 1] = "";
    gethostname(name, sizeof name - 1);
    return efg_hash_bytes(hash, name, strlen(name));
}

static int split_by_clock(MPI_Comm comm, int rank, MPI_Comm *node)
{
    uint64_t hash = hash_host(hash_time(hash_boot(0)));
    MPI_Comm half;
    if (PMPI_Comm_split(comm, (int)(hash & INT_MAX), rank, &half) != MPI_SUCCESS)
        return -EIO;
    int error = PMPI_Comm_split(half, (int)(hash >> 33), rank, node);
    PMPI_Comm_free(&half);
    return error == MPI_SUCCESS ? 0 : -EIO;
}

int efg_nodes_init(struct efg_nodes *nodes, MPI_Comm comm)
{
    int rank, place;
    nodes->leaders = MPI_COMM_NULL;
    PMPI_Comm_rank(comm, &rank);
    if (split_by_clock(comm, rank, &nodes->node) != 0)
        return -EIO;
    PMPI_Comm_rank(nodes->node, &place);
    return PMPI_Comm_split(comm, place == 0 ? 0 : MPI_UNDEFINED, rank, &nodes->leaders) == MPI_SUCCESS ? 0
                                                                                                       : -EIO;
}

void efg_nodes_fini(struct efg_nodes *nodes)
{
    if (nodes->leaders != MPI_COMM_NULL)
        PMPI_Comm_free(&nodes->leaders);
    PMPI_Comm_free(&nodes->node);
}

/* The others sleep: where they share the cores with their leader, waiting in MPI would take the
 * time from it that it measures. */
void efg_nodes_share(const struct efg_nodes *nodes, void *data, int size)
{
    static const struct timespec pause = {0, PAUSE};
    MPI_Request request;
    int done = 0;
    if (PMPI_Ibcast(data, size, MPI_BYTE, 0, nodes->node, &request) != MPI_SUCCESS)
        return;
    while (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        nanosleep(&pause, NULL);
}
