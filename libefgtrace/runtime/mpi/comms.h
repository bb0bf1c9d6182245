/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: from a handle to what the tracer needs to know, with an identity that
 * agrees between all members and takes no message: every member knows the parent, the
 * list of members, and how many communicators with these members were made from that
 * parent before.
 *
 * MPI fixes the order in which communicators are made from one parent, so that count agrees. A lock
 * guards the table when several threads may call MPI at the same time.
 */
#ifndef EFG_COMMS_H
#define EFG_COMMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "base/map.h"
#include "core/graph/partner.h"
#include "files/log/record.h"
#include "runtime/census/census.h"

/* What messages need comes first. */
struct efg_comm {
    uint64_t identity;        /* agrees between members */
    const uint32_t *partners; /* world ranks of partners, in MEMBERS */
    int kind;                 /* enum efg_comm_kind */
    bool is_foreign;          /* 1: has processes of another world; not recorded */
    bool is_partial;          /* 1: has ranks that are not here (census.h) */
    uint32_t world_rank;      /* of this rank */
    int rank, size;           /* of the own group */
    int peers;                /* size of the group that ranks of partners refer to */
    bool is_world;            /* 1: as large as the world */
    int in, out;              /* neighbours, where it has a topology */
    uint32_t id;              /* of this process, from 0: WORLD is 0, SELF is 1 */
    uint32_t parent;          /* id, or UINT32_MAX if not known */
    MPI_Comm handle;
    struct efg_grid grid;        /* where the topology is Cartesian */
    struct efg_members *members; /* NULL for WORLD and SELF */
    struct efg_world *other;     /* that foreign members are of, if it is followed (record/worlds.h) */
    struct efg_comm *next;       /* of those that are freed, in use by requests */
    struct efg_map made;         /* from this one: hash(members) -> how many */
};

/* Begin; after MPI_Init. WORLD and SELF: those of MPI_Init, or the like of them. HERE stays
 * where it is. THREADS: 1 if MPI may be called by several threads at once. Returns 0 or -ENOMEM. */
int efg_comms_init(MPI_Comm world, MPI_Comm self, const struct efg_census *here, bool threads);

/* Whether the other end of a message with the world rank RANK is followed, too. */
bool efg_comms_is_here(uint32_t rank);

/* What this thread has looked up last; it holds while no communicator is removed. */
struct efg_comms_last {
    MPI_Comm handle;
    const struct efg_comm *comm;
    uint64_t removed; /* efg_comms_removed, then */
};
extern __thread struct efg_comms_last efg_comms_last __attribute__((tls_model("initial-exec")));
EFG_HOT_EXTERN uint64_t efg_comms_removed; /* so far; atomic */

const struct efg_comm *efg_comms_look_up(MPI_Comm handle, bool may_add);

/* What is known of HANDLE, NULL for nothing. MPI is not asked, so the program may be wrong: it
 * may have freed the communicator, or never made it. Valid until it is freed. */
static inline const struct efg_comm *efg_comms_known(MPI_Comm handle)
{
    if (efg_comms_last.handle == handle &&
        efg_comms_last.removed == __atomic_load_n(&efg_comms_removed, __ATOMIC_RELAXED))
        return efg_comms_last.comm;
    return efg_comms_look_up(handle, false);
}

/* The same for a HANDLE that MPI has accepted: a communicator that nobody announced is added now.
 * NULL for MPI_COMM_NULL, for no handle at all, and without memory. */
static inline const struct efg_comm *efg_comms_find(MPI_Comm handle)
{
    const struct efg_comm *comm = efg_comms_known(handle);
    return comm ? comm : efg_comms_look_up(handle, true);
}

/* The world rank of PARTNER, a rank of the group that partners are of. */
static inline uint32_t efg_comms_world_rank(const struct efg_comm *comm, int partner)
{
    if (comm->partners)
        return comm->partners[partner];
    return comm->kind == EFG_COMM_SELF ? comm->world_rank : (uint32_t)partner;
}

/* The world ranks of GROUP, a handle of a call, in its order: free them. NULL if they cannot be known, or
 * some are of another world. */
struct efg_members *efg_comms_group(MPI_Group group);

/* Bytes that COMM takes, with its members. */
uint64_t efg_comms_memory(const struct efg_comm *comm);

/* A copy of COMM, which may be freed before that is: efg_comms_release. NULL without memory. */
struct efg_comm *efg_comms_copy(const struct efg_comm *comm);
/* The same of what COMM was made from; NULL if it is not known, or freed. */
struct efg_comm *efg_comms_parent(const struct efg_comm *comm);
void efg_comms_release(struct efg_comm *copy);

/* The name that the program has given to COMM, or ""; NAME has room for MPI_MAX_OBJECT_NAME. */
void efg_comms_name(const struct efg_comm *comm, char *name);

/* HANDLE was made from PARENT (NULL: not known) by a call that all members of HANDLE made. */
void efg_comms_add(MPI_Comm handle, const struct efg_comm *parent);

/* The foreign members of HANDLE, which is known, are of OTHER; so are those of what is made of it. */
void efg_comms_share(MPI_Comm handle, struct efg_world *other);

/* MORE communicators are being made: MPI_Comm_idup was called (1), or is complete (-1). */
void efg_comms_expect(int more);

/* Whether any is. Open MPI 4.1 may then agree on different communicators on different ranks,
 * and hang, if anything but the application's own calls makes progress. */
bool efg_comms_are_expected(void);

/* HANDLE is going to be freed. What is known of it stays while requests refer to it. */
void efg_comms_remove(MPI_Comm handle);

#endif
