/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies the definitions of a trace, and adds those of metrics. What there is but is not known here would be
 * missing in the copy: so definitions are counted.
 */
#include "parts.h"

#define FROM void *data
#define TO c->definer

static OTF2_CallbackCode wrote(struct efg_recorded_copying *c, OTF2_ErrorCode code)
{
    c->has_failed |= code != OTF2_SUCCESS;
    c->copied++;
    return c->has_failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

#define COPY(NAME, PARAMETERS, ARGUMENTS)                            \
    static OTF2_CallbackCode copy_##NAME PARAMETERS                  \
    {                                                                \
        struct efg_recorded_copying *c = data;                       \
        return wrote(c, OTF2_GlobalDefWriter_Write##NAME ARGUMENTS); \
    }
#include "copied_definitions.def"
#undef COPY

static OTF2_CallbackCode copy_string(void *data, OTF2_StringRef self, const char *text)
{
    struct efg_recorded_copying *c = data;
    c->strings = self >= c->strings ? self + 1 : c->strings;
    if (c->metrics->rename)
        text = c->metrics->rename(c->metrics->data, text);
    return wrote(c, OTF2_GlobalDefWriter_WriteString(c->definer, self, text));
}

static OTF2_CallbackCode copy_member(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                     OTF2_StringRef about, OTF2_MetricType type, OTF2_MetricMode mode,
                                     OTF2_Type value, OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
    struct efg_recorded_copying *c = data;
    c->members = self >= c->members ? self + 1 : c->members;
    return wrote(c, OTF2_GlobalDefWriter_WriteMetricMember(c->definer, self, name, about, type, mode, value,
                                                           base, exponent, unit));
}

/* It has more events now. */
static OTF2_CallbackCode copy_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                       OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group)
{
    struct efg_recorded_copying *c = data;
    const uint64_t *added = efg_map_find(&c->added, self);
    return wrote(c, OTF2_GlobalDefWriter_WriteLocation(c->definer, self, name, type,
                                                       events + (added ? *added : 0), group));
}

static uint32_t put_string(struct efg_recorded_copying *c, const char *text)
{
    c->has_failed |= OTF2_GlobalDefWriter_WriteString(c->definer, c->strings, text) != OTF2_SUCCESS;
    return c->strings++;
}

/* A class for each, so that a value of one needs none of the others. */
static void put_metric(struct efg_recorded_copying *c, uint32_t metric, uint32_t unit)
{
    uint32_t name = put_string(c, c->metrics->metrics[metric].name),
             about = put_string(c, c->metrics->metrics[metric].about);
    uint32_t self = c->definitions.metrics + metric, member = c->members + metric;
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteMetricMember(
        c->definer, member, name, about, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_UINT64,
        OTF2_BASE_DECIMAL, -9, unit);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteMetricClass(c->definer, self, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
                                                     OTF2_RECORDER_KIND_CPU);
    for (uint32_t i = 0; i < c->definitions.place_count && code == OTF2_SUCCESS; i++)
        if (c->definitions.place[i].events)
            code =
                OTF2_GlobalDefWriter_WriteMetricClassRecorder(c->definer, self, c->definitions.place[i].id);
    c->has_failed |= code != OTF2_SUCCESS;
}

static OTF2_GlobalDefReaderCallbacks *make_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define COPY(NAME, PARAMETERS, ARGUMENTS) \
    OTF2_GlobalDefReaderCallbacks_Set##NAME##Callback(callbacks, copy_##NAME);
#include "copied_definitions.def"
#undef COPY
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, copy_string);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, copy_location);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, copy_member);
    return callbacks;
}

const char *efg_recorded_copy_definitions(struct efg_recorded_copying *c, OTF2_Reader *reader)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = make_callbacks();
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    uint64_t all = 0;
    c->definer = OTF2_Archive_GetGlobalDefWriter(c->archive);
    c->copied = 0;
    if (!callbacks || !definitions || !c->definer ||
        OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, c) != OTF2_SUCCESS ||
        OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &all) != OTF2_SUCCESS)
        return "its definitions are damaged";
    if (c->copied != all)
        return "it has definitions that this program does not write";
    uint32_t unit = c->metrics->count ? put_string(c, "s") : 0;
    for (uint32_t i = 0; i < c->metrics->count; i++)
        put_metric(c, i, unit);
    c->has_failed |= OTF2_Archive_CloseGlobalDefWriter(c->archive, c->definer) != OTF2_SUCCESS;
    return NULL;
}
