/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wish: the loop that the configuration asks for, by its function's name or hash.
 */
#ifndef EFG_WISH_H
#define EFG_WISH_H

#include "threads.h"

/* What is asked for, as far as it is known by now: the function of a name has to be found. */
struct efg_wish efg_wish_present(void);

/* Whether NAME stands for FUNCTION: "run" and "Verlet::run" do for "LAMMPS_NS::Verlet::run(int)". */
bool efg_wish_is_named(const char *function, const char *name);

/* If a name is asked for: see whether a loop in the call tree of THREAD, the leader, belongs to a function of
 * that name; of several, one that takes most of the time. Resolves symbols, each call site once. */
void efg_wish_look(struct efg_thread *thread);

/* Whether MAIN is the loop that is asked for. */
bool efg_wish_is_met(const struct efg_mainloop *main);

/* At the end: IS_MET says whether it is the main loop, of any rank. If not, say so on rank 0. */
void efg_wish_finish(bool is_met);
/* What it was asked for by; "" before the end, and if it is not that one. */
const char *efg_wish_granted(void);

#endif
