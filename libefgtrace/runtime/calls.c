/* SPDX-License-Identifier: BSD-3-Clause */
/* The facts of each function, from the table. */
#include "runtime/call.h"

#define ROW(id, name_, class_, shape_) \
    [EFG_CALL_##id] = {                \
        .name = name_,                 \
        .class = EFG_CLASS_##class_,   \
        .shape = EFG_SHAPE_##shape_,   \
    },

const struct efg_call_info efg_call_info[EFG_CALLS] = {
    [EFG_CALL_NONE] = {.name = ""},
#define CALL(id, class_, shape_, ...) ROW(id, "MPI_" #id, class_, shape_)
#if MPI_VERSION >= 4
#define CALLX(id, class_, shape_, ...) ROW(id, "MPI_" #id, class_, shape_)
#else
#define CALLX(id, class_, shape_, ...) ROW(id, "MPIX_" #id, class_, shape_)
#endif
#define OWN(id, class_, shape_) ROW(id, "MPI_" #id, class_, shape_)
#define LEFT_OUT(id, reason)
#include "calls.def"
};
