/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the preloaded library knows of MPI instead of an mpi.h: what is true of every MPI library. A
 * handle is a number in MPICH and a pointer in Open MPI and in the ABI of MPI 5; here it has the
 * size of a pointer, so that either passes unharmed. (In registers and on the stack an int has as much
 * room as a pointer.) What differs is said by the runtime, once it is loaded.
 */
#ifndef EFG_ANY_MPI_H
#define EFG_ANY_MPI_H

#include <stddef.h>
#include <stdint.h>

#define MPI_VERSION 4 /* the functions of a newer library are wrapped, too */

typedef uintptr_t MPI_Comm, MPI_Datatype, MPI_Errhandler, MPI_File, MPI_Group, MPI_Info, MPI_Message, MPI_Op,
    MPI_Request, MPI_Session, MPI_Win;
typedef int64_t MPI_Count, MPI_Offset;
typedef ptrdiff_t MPI_Aint;
typedef struct {
    char any;
} MPI_Status; /* nobody here looks into one */
typedef void MPI_Grequest_query_function, MPI_Grequest_free_function, MPI_Grequest_cancel_function;

#define MPI_SUCCESS 0
#define MPI_IN_PLACE efg_wrap_constants.in_place
#define MPI_LOCK_EXCLUSIVE efg_wrap_constants.lock_exclusive

#endif
