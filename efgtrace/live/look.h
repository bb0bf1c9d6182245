/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Look: what the ranks of a running job are doing, by its live files (files/live/live.h), and on this host by
 * the kernel. Looked at twice or more: what changes in between moves.
 */
#ifndef EFG_LOOK_H
#define EFG_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "files/live/live.h"
#include "files/symbols/symbols.h"
#include "process.h"

struct efg_look_comm {
    uint32_t id;
    uint64_t identity; /* agrees between members; 0: not known */
    int kind, rank, size, peers;
    const char *list; /* of partners, as in the file */
};

/* One file: the ranks of a node. */
struct efg_look_node {
    struct efg_live_head head;
    char *path, *names;
    bool is_here; /* on this host */
};

/* What a rank was doing at one moment. */
struct efg_look_moment {
    uint64_t time; /* ticks of its node */
    struct efg_live_rank part;
    struct efg_process process[EFG_LIVE_THREADS];
};

struct efg_look_rank {
    const struct efg_look_node *node;
    uint64_t at;                         /* of its part in the file */
    struct efg_look_moment first, last;  /* of two looks */
    char *text;                          /* what its numbers mean */
    struct efg_look_comm *comms;
    uint32_t comm_count;
};

struct efg_look {
    const char *command, *dir;
    struct efg_look_node *nodes;
    uint32_t node_count;
    struct efg_look_rank *ranks; /* ascending */
    uint32_t rank_count;
    uint32_t size; /* of the job: some of its ranks may not be shown */
    struct efg_symbols *symbols;
};

/* Open what is shown in DIR, for COMMAND, and take a first look. Returns 0; else says on standard error what
 * is wrong, and returns EFG_TOLD. Close it in either case. */
int efg_look_open(struct efg_look *look, const char *command, const char *dir);
void efg_look_close(struct efg_look *look);

/* Take another look: it is the last one now. Returns whether the job is still there. */
bool efg_look_again(struct efg_look *look);
/* Wait for NS. */
void efg_look_wait(uint64_t ns);
/* The last one becomes the first. */
void efg_look_shift(struct efg_look *look);

/* Read what the numbers of all ranks mean. Returns 0 or -ENOMEM. */
int efg_look_learn(struct efg_look *look);

/* The rank of the world RANK; NULL if it is not shown. */
struct efg_look_rank *efg_look_find(const struct efg_look *look, uint32_t rank);

/* The communicator ID of RANK; NULL if it is not known. */
const struct efg_look_comm *efg_look_comm(const struct efg_look_rank *rank, uint32_t id);
/* The world rank of PARTNER in COMM; EFG_NONE if it is not known. */
uint32_t efg_look_partner(const struct efg_look_comm *comm, int partner);
/* Whether the world rank RANK is one of the partners, or may be. */
bool efg_look_has(const struct efg_look_comm *comm, uint32_t rank);

/* "MPI_Recv", "?" if it is not known. Valid until the next call. */
const char *efg_look_call(const struct efg_look_rank *rank, uint32_t call);
/* "exchange (halo.c:15)" to TEXT; "" if the path is not known. */
void efg_look_place(const struct efg_look *look, const struct efg_look_rank *rank, uint32_t path, char *text,
                    size_t size);

#endif
