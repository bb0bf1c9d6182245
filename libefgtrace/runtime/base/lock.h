/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lock: guards a table where several threads may call MPI at once, and costs a branch where
 * they may not.
 */
#ifndef EFG_LOCK_H
#define EFG_LOCK_H

#include <pthread.h>
#include <stdbool.h>

struct efg_lock {
    pthread_mutex_t mutex;
    bool is_needed;
};
#define EFG_LOCK {PTHREAD_MUTEX_INITIALIZER, 0}

static inline void efg_lock_take(struct efg_lock *lock)
{
    if (lock->is_needed)
        pthread_mutex_lock(&lock->mutex);
}

static inline void efg_lock_give(struct efg_lock *lock)
{
    if (lock->is_needed)
        pthread_mutex_unlock(&lock->mutex);
}

#endif
