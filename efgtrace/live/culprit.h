/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Culprit: of threads that cannot go on, those on which it depends, and why.
 */
#ifndef EFG_CULPRIT_H
#define EFG_CULPRIT_H

#include "await.h"
#include "base/buffer.h"
#include "base/ranklist.h"

struct efg_culprit {
    struct efg_ranklist ranks; /* empty: nothing is stuck, or it is not known why */
    struct efg_buffer why;     /* in words, without a full stop; ends with a zero */
};

/* Returns whether any thread is stuck. */
bool efg_culprit_find(struct efg_culprit *culprit, const struct efg_await *await);
void efg_culprit_fini(struct efg_culprit *culprit);

/* What thread W is doing: "in MPI_Recv from rank 1, tag 5"; and a communicator, as one calls it. */
void efg_culprit_doing(const struct efg_where *w, char *text, size_t size);

#endif
