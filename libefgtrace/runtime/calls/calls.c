/* SPDX-License-Identifier: BSD-3-Clause */
/* The facts of each function, from the table. */
#include "call.h"
#if !EFG_MPI_4 && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#define ROW(id, name_, class_, shape_) \
    [EFG_CALL_##id] = {                \
        .name = name_,                 \
        .class = EFG_CLASS_##class_,   \
        .shape = EFG_SHAPE_##shape_,   \
    },

const struct efg_call_info efg_call_info[EFG_CALLS] = {
    [EFG_CALL_NONE] = {.name = ""},
#define CALL(id, class_, shape_, ...) ROW(id, "MPI_" #id, class_, shape_)
#if EFG_MPI_4
#define CALLX(id, class_, shape_, ...) ROW(id, "MPI_" #id, class_, shape_)
#else
#define CALLX(id, class_, shape_, ...) ROW(id, "MPIX_" #id, class_, shape_)
#endif
#define OWN(id, class_, shape_) ROW(id, "MPI_" #id, class_, shape_)
#define USER(id, class_, shape_) ROW(id, "efgtrace_" #id, class_, shape_)
#define OPENMP(id, class_, shape_) ROW(omp_##id, "omp " #id, class_, shape_)
#define LEFT_OUT(id, reason)
#include "calls.def"
};

/* The rows that mpi.h has are as there: the preloaded library, which knows no MPI, cannot see to it. */
#undef EFG_ROWS_4
#undef EFG_ROWS_LARGE
#define EFG_ROWS_4 EFG_MPI_4
#define EFG_ROWS_LARGE EFG_LARGE_COUNTS
_Static_assert(sizeof(MPI_Count) == 8 && sizeof(MPI_Offset) == 8 && sizeof(MPI_Aint) == 8 && MPI_SUCCESS == 0,
               "preload/mpi.h is of any MPI");
#define AS_MPI(name, parameters)                                                   \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), int parameters), \
                   #name " has other parameters in mpi.h");
#define CALL(id, class_, shape_, parameters, ...) AS_MPI(MPI_##id, parameters)
#if EFG_MPI_4
#define CALLX CALL
#else
#define CALLX(id, class_, shape_, parameters, ...) AS_MPI(MPIX_##id, parameters)
#endif
#define OWN(id, class_, shape_)
#define LEFT_OUT(id, reason)
#include "calls.def"
