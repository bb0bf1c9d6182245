/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asks MPI, or the next library in the chain, about handles. The functions of MPI are known from the
 * start; the next definitions are looked up once, and used only if one of them is not MPI's.
 */
#include "ask.h"

#include <string.h>

static const struct efg_asked mpi = {
#define X(name) PMPI_##name,
    EFG_ASKED
#undef X
};
static struct efg_asked next;
static const struct efg_front *front; /* NULL: nobody but MPI is behind us */

void efg_ask_begin(const struct efg_front *line)
{
    int others = 0;
#define X(name)                                                     \
    next.name = (__typeof__(next.name))line->look_up("MPI_" #name); \
    others |= (void *)next.name != line->look_up("PMPI_" #name);    \
    if (!next.name)                                                 \
        next.name = mpi.name;
    EFG_ASKED
#undef X
    front = others ? line : NULL;
}

bool efg_ask_is_another(void)
{
    return front && front->named() == EFG_MPI;
}

const struct efg_asked *efg_ask(void)
{
    return efg_ask_is_another() ? &next : &mpi;
}
