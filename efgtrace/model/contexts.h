/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts: the calling context tree of the event flow graph of a run. A context is a function,
 * called by the functions above it, or an MPI function called from a line of it. The root is
 * the program. Functions that were inlined are contexts as well; what runs before main is not.
 *
 * A call of the graph belongs to one leaf; the computation between two calls belongs to the
 * innermost context that contains both.
 */
#ifndef EFG_CONTEXTS_H
#define EFG_CONTEXTS_H

#include <stdbool.h>

#include "base/map.h"
#include "merged.h"

struct efg_context {
    uint32_t parent; /* a smaller index; EFG_NONE for the root */
    uint32_t depth;  /* 0 for the root */
    bool is_call;    /* an MPI function: a leaf */
    char *name;      /* "exchange", "MPI_Send"; "app+0x1234" where no name is known */
    char *file;      /* of the source; for a leaf, the file of the line; "" if not known */
    uint32_t line;   /* where it was first called; 0 if not known */
    const char *module;
    uint64_t offset; /* of the call; what tells functions without a name apart */
};

struct efg_contexts {
    struct efg_context *items; /* parents before children */
    uint32_t count;
    uint32_t *of_node, *of_edge; /* of the graph: their contexts */
    uint32_t *of_loop;           /* the innermost function that contains all of its calls */
    struct efg_map index;        /* by a hash of parent and name */
};

/* Make the tree of the graph MERGED of RUN. Returns 0, or -ENOMEM with an empty tree. */
int efg_contexts_build(struct efg_contexts *contexts, const struct efg_run *run,
                       const struct efg_merged *merged);
void efg_contexts_fini(struct efg_contexts *contexts);

#endif
