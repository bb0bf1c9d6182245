/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the cores and NUMA nodes that this rank runs on. Every rank knows by one system call which
 * hardware threads it may run on. What these are (cores, NUMA nodes, packages) only one rank of a node
 * finds out, as that takes hwloc milliseconds in /sys, more of them the more cores there are, and more
 * again when all ranks ask at once:
 *
 *     masks  --gather-->  leader: hwloc  --scatter-->  places
 *
 * hwloc must not do what is usual elsewhere: move this thread from core to core to ask each of
 * them, look for devices, or leave out what the leader itself may not use. Numbers are hwloc's
 * logical ones, which are unique on a node, whereas those of the OS need not be.
 */
#define _GNU_SOURCE
#include "topology.h"

#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

struct mask {
    cpu_set_t cpus;
    int32_t cpu; /* where the rank is now; -1: not known */
};

struct found {
    struct efg_run_place place;
    char cores[EFG_TOPOLOGY_TEXT];
};

/* --- the leader --- */

static hwloc_topology_t load(void)
{
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
    hwloc_topology_t topology;
#if HWLOC_API_VERSION >= 0x00020500
    flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#endif
#if HWLOC_API_VERSION >= 0x00020800
    flags |=
        HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#endif
    if (hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16) /* the application's hwloc */
        return NULL;
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    hwloc_topology_set_flags(topology, flags);
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(topology) == 0)
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

/* Numbers of the objects of TYPE that have a part of SET. */
static void covered(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t set,
                    hwloc_bitmap_t numbers)
{
    hwloc_obj_t object = NULL;
    hwloc_bitmap_zero(numbers);
    while ((object = hwloc_get_next_obj_by_type(topology, type, object)))
        if (hwloc_bitmap_intersects(object->cpuset, set))
            hwloc_bitmap_set(numbers, object->logical_index);
}

static uint32_t only(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t set,
                     hwloc_bitmap_t numbers)
{
    covered(topology, type, set, numbers);
    return hwloc_bitmap_weight(numbers) == 1 ? (uint32_t)hwloc_bitmap_first(numbers) : EFG_NONE;
}

/* SET and NUMBERS are scratch. A machine of which hwloc knows no cores has its hardware threads
 * for them. */
static void locate(hwloc_topology_t topology, const struct mask *mask, hwloc_bitmap_t set,
                   hwloc_bitmap_t numbers, struct found *found)
{
    struct efg_run_place *place = &found->place;
    hwloc_obj_type_t core =
        hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    hwloc_cpuset_from_glibc_sched_affinity(topology, set, &mask->cpus, sizeof mask->cpus);
    place->package = only(topology, HWLOC_OBJ_PACKAGE, set, numbers);
    place->numa = only(topology, HWLOC_OBJ_NUMANODE, set, numbers);
    place->core = only(topology, core, set, numbers);
    place->core_count = (uint32_t)hwloc_bitmap_weight(numbers);
    place->node_cores = (uint32_t)hwloc_get_nbobjs_by_type(topology, core);
    hwloc_bitmap_list_snprintf(found->cores, sizeof found->cores, numbers);
    hwloc_bitmap_only(set, mask->cpu < 0 ? 0 : (unsigned)mask->cpu);
    place->last_core = mask->cpu < 0 ? EFG_NONE : only(topology, core, set, numbers);
}

static void locate_all(const struct mask *masks, struct found *found, int count)
{
    hwloc_topology_t topology = load();
    hwloc_bitmap_t set = hwloc_bitmap_alloc(), numbers = hwloc_bitmap_alloc();
    for (int i = 0; i < count && topology && set && numbers; i++)
        locate(topology, &masks[i], set, numbers, &found[i]);
    hwloc_bitmap_free(set);
    hwloc_bitmap_free(numbers);
    if (topology)
        hwloc_topology_destroy(topology);
}

/* --- all ranks --- */

static struct mask own_mask(void)
{
    struct mask mask;
    memset(&mask, 0, sizeof mask);
    mask.cpu = sched_getcpu();
    if (sched_getaffinity(0, sizeof mask.cpus, &mask.cpus) != 0) /* more than CPU_SETSIZE of them */
        CPU_ZERO(&mask.cpus);
    return mask;
}

/* Nothing is known, until it is. */
static const struct found nowhere = {
    .place = {.package = EFG_NONE, .numa = EFG_NONE, .core = EFG_NONE, .last_core = EFG_NONE}};

static void exchange(const struct efg_nodes *nodes, struct found *mine)
{
    struct mask mask = own_mask(), *masks = NULL;
    struct found *all = NULL;
    int rank, size, ready;

    PMPI_Comm_rank(nodes->node, &rank);
    PMPI_Comm_size(nodes->node, &size);
    if (rank == 0) {
        masks = calloc((size_t)size, sizeof *masks);
        all = calloc((size_t)size, sizeof *all);
    }
    ready = masks && all;
    PMPI_Bcast(&ready, 1, MPI_INT, 0, nodes->node);
    if (ready) {
        PMPI_Gather(&mask, (int)sizeof mask, MPI_BYTE, masks, (int)sizeof mask, MPI_BYTE, 0, nodes->node);
        for (int i = 0; rank == 0 && i < size; i++)
            all[i] = nowhere;
        if (rank == 0)
            locate_all(masks, all, size);
        PMPI_Scatter(all, (int)sizeof *all, MPI_BYTE, mine, (int)sizeof *mine, MPI_BYTE, 0, nodes->node);
    }
    free(masks);
    free(all);
}

void efg_topology_find(const struct efg_nodes *nodes, struct efg_run_place *place,
                       char text[EFG_TOPOLOGY_TEXT])
{
    struct found found = nowhere;
    exchange(nodes, &found);
    memcpy(text, found.cores, EFG_TOPOLOGY_TEXT);
    *place = found.place;
    place->cores = text;
}
