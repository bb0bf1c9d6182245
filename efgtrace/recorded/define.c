/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the definitions of a trace. Definitions as this program writes them: the id of a process is its
 * rank, that of a location has the thread above it, and members of groups are ranks of the world. Anything
 * else is a trace of another program.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "parts.h"

/* OTF2 hands over more than is needed here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

typedef struct efg_recorded_definitions Definitions;

static OTF2_CallbackCode put(Definitions *d, struct efg_map *map, uint64_t key, uint64_t value)
{
    uint64_t *at = efg_map_put(map, key);
    d->failed |= !at;
    if (at)
        *at = value;
    return at ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

static uint32_t text_of(const Definitions *d, uint32_t string)
{
    const uint64_t *row = efg_map_find(&d->strings, string);
    return row ? (uint32_t)*row : 0;
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    Definitions *d = data;
    d->has_clock = true;
    d->resolution = resolution;
    d->offset = offset;
    d->length = length;
    d->realtime = realtime;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *string)
{
    Definitions *d = data;
    uint32_t row = efg_otf2_intern_text(&d->texts, string ? string : "");
    d->failed |= row == EFG_NONE;
    return put(d, &d->strings, self, row);
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    Definitions *d = data;
    const char *text = efg_otf2_key(&d->texts, text_of(d, name));
    if (type == OTF2_TYPE_STRING && strcmp(text, "call_path") == 0)
        d->path = self;
    if (type == OTF2_TYPE_UINT64 && strcmp(text, "polls") == 0)
        d->polls = self;
    if (type == OTF2_TYPE_UINT64 && strcmp(text, "iteration") == 0)
        d->iteration = self;
    if (type == OTF2_TYPE_UINT32 && strcmp(text, "phase") == 0)
        d->phase = self;
    if (type == OTF2_TYPE_STRING && strcmp(text, "kept") == 0)
        d->kept = self;
    if (type == OTF2_TYPE_DOUBLE && strcmp(text, "times_median") == 0)
        d->times = self;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_process(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                    OTF2_LocationGroupRef creator)
{
    Definitions *d = data;
    d->failed |= self != d->ranks;
    d->ranks++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group)
{
    Definitions *d = data;
    int error = efg_array_grow(&d->place, d->place_count, 1, sizeof *d->place);
    d->failed |= error || (uint32_t)self != group;
    if (error)
        return OTF2_CALLBACK_INTERRUPT;
    d->place[d->place_count++] = (struct efg_recorded_place){self, events, group, (uint32_t)(self >> 32)};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
                                   OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,
                                   uint32_t first, uint32_t last)
{
    Definitions *d = data;
    bool is_construct = paradigm == OTF2_PARADIGM_OPENMP && role == OTF2_REGION_ROLE_ARTIFICIAL;
    enum efg_recorded_region kind = paradigm == OTF2_PARADIGM_MPI || is_construct ? EFG_REGION_MPI
                                    : role == OTF2_REGION_ROLE_LOOP               ? EFG_REGION_LOOP
                                                                                  : EFG_REGION_FUNCTION;
    return put(d, &d->regions, self, (uint64_t)text_of(d, name) << 2 | kind);
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                                  const uint64_t *members)
{
    Definitions *d = data;
    bool is_self = type == OTF2_GROUP_TYPE_COMM_SELF;
    int error = efg_array_grow(&d->group, d->group_count, 1, sizeof *d->group);
    d->failed |= error != 0;
    if (error)
        return OTF2_CALLBACK_INTERRUPT;
    struct efg_recorded_group *group = &d->group[d->group_count];
    *group = (struct efg_recorded_group){is_self ? NULL : malloc(((size_t)count + 1) * sizeof *members),
                                         is_self ? 0 : count};
    d->failed |= !is_self && !group->members;
    if (group->members && count)
        memcpy(group->members, members, count * sizeof *members);
    return put(d, &d->groups, self, d->group_count++);
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
    Definitions *d = data;
    put(d, &d->comm_names, self, text_of(d, name));
    return put(d, &d->comms, self, (uint64_t)group << 32 | group);
}

static OTF2_CallbackCode on_intercomm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef one,
                                      OTF2_GroupRef other, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    Definitions *d = data;
    put(d, &d->comm_names, self, text_of(d, name));
    return put(d, &d->comms, self, (uint64_t)one << 32 | other);
}

static OTF2_CallbackCode on_win(void *data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                OTF2_RmaWinFlag flags)
{
    Definitions *d = data;
    put(d, &d->win_names, self, text_of(d, name));
    return put(d, &d->wins, self, comm);
}

static OTF2_CallbackCode on_handle(void *data, OTF2_IoHandleRef self, OTF2_StringRef name,
                                   OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags,
                                   OTF2_CommRef comm, OTF2_IoHandleRef parent)
{
    Definitions *d = data;
    return put(d, &d->files, self, text_of(d, name));
}

static OTF2_CallbackCode on_metric(void *data, OTF2_MetricRef self, uint8_t count,
                                   const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
                                   OTF2_RecorderKind recorder)
{
    Definitions *d = data;
    d->metrics = self >= d->metrics ? self + 1 : d->metrics;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_GlobalDefReaderCallbacks *make_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
    if (!c)
        return NULL;
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_process);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_intercomm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(c, on_win);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(c, on_handle);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, on_metric);
    return c;
}

static int by_rank(const void *a, const void *b)
{
    const struct efg_recorded_place *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

const char *efg_recorded_define(struct efg_recorded_definitions *d, OTF2_Reader *reader)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = make_callbacks();
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    uint64_t count;
    d->path = d->polls = d->iteration = d->phase = d->kept = d->times = OTF2_UNDEFINED_ATTRIBUTE;
    efg_otf2_intern_text(&d->texts, "");
    if (!callbacks || !definitions ||
        OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, d) != OTF2_SUCCESS ||
        OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count) != OTF2_SUCCESS || !d->has_clock ||
        !d->resolution)
        return "its definitions are damaged";
    if (d->path == OTF2_UNDEFINED_ATTRIBUTE)
        return "it does not name call paths: another program, or an older efgtrace, wrote it";
    for (uint32_t i = 0; i < d->place_count; i++)
        d->failed |= d->place[i].rank >= d->ranks;
    if (d->failed)
        return "its definitions are not those that efgtrace writes";
    if (d->place_count)
        qsort(d->place, d->place_count, sizeof *d->place, by_rank);
    return NULL;
}

uint32_t efg_recorded_win(const struct efg_recorded_definitions *d, uint32_t win)
{
    const uint64_t *comm = efg_map_find(&d->wins, win);
    return comm ? (uint32_t)*comm : EFG_NONE;
}

const struct efg_recorded_group *efg_recorded_group(const struct efg_recorded_definitions *d,
                                                    uint32_t reference)
{
    const uint64_t *index = efg_map_find(&d->groups, reference);
    return index ? &d->group[*index] : NULL;
}

/* EFG_NONE: it is no member. */
static uint32_t place_of(const struct efg_recorded_group *group, uint32_t rank)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->members[i] == rank)
            return i;
    return EFG_NONE;
}

uint32_t efg_recorded_peer(const struct efg_recorded_definitions *d, uint32_t comm, uint32_t me,
                           uint32_t rank)
{
    const uint64_t *groups = efg_map_find(&d->comms, comm);
    if (!groups)
        return EFG_NONE;
    const struct efg_recorded_group *one = efg_recorded_group(d, (uint32_t)(*groups >> 32)),
                                    *other = efg_recorded_group(d, (uint32_t)*groups);
    if (!one || !other)
        return EFG_NONE;
    if (!one->members)
        return me;
    if (one != other && place_of(one, me) == EFG_NONE)
        other = one;
    if (rank >= other->count || other->members[rank] >= d->ranks)
        return EFG_NONE;
    return (uint32_t)other->members[rank];
}

uint32_t efg_recorded_size(const struct efg_recorded_definitions *d, uint32_t comm)
{
    const uint64_t *groups = efg_map_find(&d->comms, comm);
    const struct efg_recorded_group *one = groups ? efg_recorded_group(d, (uint32_t)(*groups >> 32)) : NULL,
                                    *other = groups ? efg_recorded_group(d, (uint32_t)*groups) : NULL;
    if (!one || !other)
        return 0;
    return !one->members ? 1 : one == other ? one->count : one->count + other->count;
}

uint32_t efg_recorded_own(const struct efg_recorded_definitions *d, uint32_t comm, uint32_t me)
{
    const uint64_t *groups = efg_map_find(&d->comms, comm);
    const struct efg_recorded_group *group = groups ? efg_recorded_group(d, (uint32_t)(*groups >> 32)) : NULL;
    return group && group->members ? place_of(group, me) : EFG_NONE;
}
