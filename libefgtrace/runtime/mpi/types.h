/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types: how many bytes an element of a datatype has, which is asked for at every message.
 *
 * MPI's own datatypes have their size for ever, so MPI is asked for it once. The handle of one
 * that the application has made may come to mean another one, so MPI is asked each time.
 */
#ifndef EFG_TYPES_H
#define EFG_TYPES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EFG_TYPES_BITS 6
#define EFG_TYPES_ASK UINT64_MAX /* MPI, each time */

/* A place is taken once, and its handle is written last: any thread may look. */
struct efg_type {
    MPI_Datatype handle;
    uint64_t size;
};
extern struct efg_type efg_types[1 << EFG_TYPES_BITS];

static inline struct efg_type *efg_types_place(MPI_Datatype handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle); /* a pointer in some MPIs, a number in others */
    return &efg_types[key * 0x9e3779b97f4a7c15ull >> (64 - EFG_TYPES_BITS)];
}

uint64_t efg_types_ask(MPI_Datatype handle);

/* Bytes of an element of HANDLE, without gaps; 0 if MPI knows none. */
static inline uint64_t efg_types_size(MPI_Datatype handle)
{
    const struct efg_type *type = efg_types_place(handle);
    if (__atomic_load_n(&type->handle, __ATOMIC_ACQUIRE) == handle &&
        type->size != EFG_TYPES_ASK)
        return type->size;
    return efg_types_ask(handle);
}

/* The same without a question to MPI, to which HANDLE may be nothing: 0 if it has not been asked yet. */
static inline uint64_t efg_types_known(MPI_Datatype handle)
{
    const struct efg_type *type = efg_types_place(handle);
    bool is_known = __atomic_load_n(&type->handle, __ATOMIC_ACQUIRE) == handle;
    return is_known && type->size != EFG_TYPES_ASK ? type->size : 0;
}

#endif
