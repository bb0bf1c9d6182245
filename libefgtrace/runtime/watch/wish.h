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

/* If a name is asked for: see whether a loop in the last sample of THREAD, the leader, belongs to a
 * function of that name. Resolves symbols, each call site once, until it is found. */
void efg_wish_look(struct efg_thread *thread);

/* At the end, of the rank that speaks for all: say so if the loop that is asked for is not MAIN. */
void efg_wish_finish(const struct efg_mainloop *main);

#endif
