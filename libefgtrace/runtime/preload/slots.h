/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slots: where each loaded object keeps the addresses of functions of others that it calls. Set to another
 * address, calls go there, with nothing in between.
 *
 * Nothing is set that is not understood: slots of functions that have not been called yet, those of which
 * somebody may have taken the address, memory that is neither writable nor a page that the loader has made
 * read-only. One thread at a time may call these. No memory is taken from the heap, and errno is kept.
 */
#ifndef EFG_SLOTS_H
#define EFG_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the slots of all objects in which a FUNCTION is to what NEXT has for it, unless that is 0. Those that
 * were set before are set back. Returns how many are set. */
size_t efg_slots_set(uintptr_t (*next)(uintptr_t function));

/* Sets them back, but those that somebody else has changed meanwhile, or whose object is gone. Returns
 * whether none is left; else it may be tried again. */
bool efg_slots_reset(void);

#endif
