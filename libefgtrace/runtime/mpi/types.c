/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the sizes of datatypes. A table by the hash of the handle. Who finds the place taken asks MPI each
 * time: there are fewer predefined datatypes in a program than places, and nothing ever has to be taken
 * out. One that is not predefined takes its place too, so that it is not asked each time what it is.
 */
#include "types.h"

#include <pthread.h>

#include "ask.h"

struct efg_type efg_types[1 << EFG_TYPES_BITS];

static bool is_predefined(MPI_Datatype handle)
{
    int integers, addresses, types, combiner = MPI_UNDEFINED;
    efg_ask()->Type_get_envelope(handle, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

static void remember(struct efg_type *type, MPI_Datatype handle, uint64_t size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!type->handle) {
        type->size = is_predefined(handle) ? size : EFG_TYPES_ASK;
        __atomic_store_n(&type->handle, handle, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

uint64_t efg_types_ask(MPI_Datatype handle)
{
    struct efg_type *type = efg_types_place(handle);
    int size = 0;
    if (!handle || handle == MPI_DATATYPE_NULL || efg_ask()->Type_size(handle, &size) != MPI_SUCCESS ||
        size < 0)
        return 0;
    if (!__atomic_load_n(&type->handle, __ATOMIC_RELAXED))
        remember(type, handle, (uint64_t)size);
    return (uint64_t)size;
}
