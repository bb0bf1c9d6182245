/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Budget: bytes that several tables share. A table that needs more takes first, then allocates, and
 * gives back what it frees. What it takes covers all that it will allocate, whether touched
 * or not.
 *
 * Threads may take and give at the same time. A budget that is NULL has no limit.
 */
#ifndef EFG_BUDGET_H
#define EFG_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct efg_budget {
    uint64_t limit, used; /* bytes */
    uint64_t most;        /* the most in use at the same time */
};

/* USED bytes are in use now. */
static inline void efg_budget_note(struct efg_budget *budget, uint64_t used)
{
    uint64_t most = __atomic_load_n(&budget->most, __ATOMIC_RELAXED);

    while (used > most && !__atomic_compare_exchange_n(&budget->most, &most, used, 0,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Take BYTES that cannot be refused, whatever the limit: there is less for others. */
static inline void efg_budget_add(struct efg_budget *budget, uint64_t bytes)
{
    if (budget)
        efg_budget_note(budget, __atomic_add_fetch(&budget->used, bytes, __ATOMIC_RELAXED));
}

static inline void efg_budget_give(struct efg_budget *budget, uint64_t bytes)
{
    if (budget)
        __atomic_sub_fetch(&budget->used, bytes, __ATOMIC_RELAXED);
}

/* Whether BYTES are left. */
static inline bool efg_budget_has(const struct efg_budget *budget, uint64_t bytes)
{
    uint64_t used = __atomic_load_n(&budget->used, __ATOMIC_RELAXED);

    return used <= budget->limit && bytes <= budget->limit - used;
}

/* Whether half of it is left: what grows then need not do so by small steps. */
static inline bool efg_budget_is_ample(const struct efg_budget *budget)
{
    return !budget || efg_budget_has(budget, budget->limit / 2);
}

/* What is to be left for what cannot be refused, such as shorter call paths when a graph is full. */
static inline uint64_t efg_budget_spare(const struct efg_budget *budget)
{
    return budget ? budget->limit / 16 : 0;
}

/* Take BYTES, if SPARE more would still be left for others. Returns true, or false if they are not
 * available. */
static inline bool efg_budget_take(struct efg_budget *budget, uint64_t bytes, uint64_t spare)
{
    if (!budget)
        return true;
    uint64_t used = __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
    do {
        if (used > budget->limit || bytes > budget->limit - used ||
            spare > budget->limit - used - bytes)
            return false;
    } while (!__atomic_compare_exchange_n(&budget->used, &used, used + bytes, 0,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    efg_budget_note(budget, used + bytes);
    return true;
}

#endif
