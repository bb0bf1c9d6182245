/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recent: what one thread has lately looked up in a table that is guarded by a lock, so that it need
 * not take the lock again. It is valid while nothing is removed from the table, which counts removals.
 */
#ifndef EFG_RECENT_H
#define EFG_RECENT_H

#include <stddef.h>
#include <stdint.h>

#define EFG_RECENT 8

struct efg_recent { /* all zero is an empty one */
    struct {
        uint64_t key, removed; /* from the table, when it was looked up */
        void *value;
    } place[EFG_RECENT];
    unsigned next; /* the oldest entry */
};

/* NULL if KEY is not known, or if something was REMOVED since then. */
static inline void *efg_recent_find(const struct efg_recent *r, uint64_t key, uint64_t removed)
{
    for (int i = 0; i < EFG_RECENT; i++)
        if (r->place[i].key == key && r->place[i].removed == removed)
            return r->place[i].value;
    return NULL;
}

/* A VALUE that is NULL is not kept. */
static inline void efg_recent_put(struct efg_recent *r, uint64_t key, uint64_t removed,
                                  void *value)
{
    if (!value)
        return;
    unsigned at = r->next++ % EFG_RECENT;
    r->place[at].key = key;
    r->place[at].removed = removed;
    r->place[at].value = value;
}

#endif
