/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects that MPI programs share and refer to by handle: RMA windows and files. Each
 * has an identity that agrees between the processes that made it together.
 */
#ifndef EFG_OBJECTS_H
#define EFG_OBJECTS_H

#include <stdint.h>

#include "comms.h"

struct efg_object {
    uint32_t id;
    uint64_t identity;
    const struct efg_comm *comm; /* a copy: lives as long as the object */
    char *name;                  /* of a file, else NULL */
    uint64_t match;              /* of a split collective under way */
    uint64_t memory;             /* bytes, as charged to the budget */
};

enum efg_object_kind { EFG_OBJECT_WINDOW, EFG_OBJECT_FILE, EFG_OBJECT_KINDS };

/* The object of HANDLE, or NULL if nobody saw it being made. Takes no lock for those that this
 * thread has found lately. */
struct efg_object *efg_objects_find(enum efg_object_kind kind, uint64_t handle);

/* HANDLE was made on COMM; NAME for files. NULL without memory. */
struct efg_object *efg_objects_add(enum efg_object_kind kind, uint64_t handle, MPI_Comm comm,
                                   const char *name);

void efg_objects_remove(enum efg_object_kind kind, uint64_t handle);

#endif
