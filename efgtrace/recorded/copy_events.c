/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies the events of a location, and puts the samples of calls in between: a value right after the begin of
 * the call, and 0 before the first event that is later than the sample lasts, at the end of the call at the
 * latest. Calls are those of events.c.
 */
#include <unistd.h>

#include "parts.h"

/* OTF2 hands over more than is needed here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define EVENT                                                                      \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data, \
        OTF2_AttributeList *attributes
#define TO c->writer, attributes, time

#define STEP (1 << 16) /* events, after which it may take as long again */

typedef struct efg_recorded_copying Copying;

static void put_value(Copying *c, uint64_t time, uint32_t metric, uint64_t value)
{
    static const OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue values = {.unsigned_int = value};
    c->has_failed |= OTF2_EvtWriter_Metric(c->writer, NULL, time, c->definitions.metrics + metric, 1, &type,
                                           &values) != OTF2_SUCCESS;
    c->extra++;
}

/* Samples that are over at TIME. */
static void end_samples(Copying *c, uint64_t time)
{
    for (; c->sample < c->sample_count && c->until[c->sample] <= time; c->sample++)
        put_value(c, c->until[c->sample], c->samples[c->sample].metric, 0);
}

/* Each metric has a value from the first event on. */
static void go_to(Copying *c, uint64_t time)
{
    if (!c->copied)
        for (uint32_t i = 0; i < c->metrics->count; i++)
            put_value(c, time, i, 0);
    if (c->copied % STEP == 0)
        alarm(EFG_RECORDED_PATIENCE);
    end_samples(c, time);
}

static OTF2_CallbackCode wrote(Copying *c, OTF2_ErrorCode code)
{
    c->has_failed |= code != OTF2_SUCCESS;
    c->copied++;
    return c->has_failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

#define COPY(NAME, PARAMETERS, ARGUMENTS)                 \
    static OTF2_CallbackCode copy_##NAME PARAMETERS       \
    {                                                     \
        Copying *c = data;                                \
        go_to(c, time);                                   \
        return wrote(c, OTF2_EvtWriter_##NAME ARGUMENTS); \
    }
#include "copied_events.def"
#undef COPY

static bool is_call(const Copying *c, OTF2_RegionRef region)
{
    const uint64_t *what = efg_map_find(&c->definitions.regions, region);
    return what && (*what & 3) == EFG_REGION_MPI;
}

/* DURATION ns after TIME, in ticks. */
static uint64_t later(const Copying *c, uint64_t time, uint64_t duration)
{
    double ticks = (double)duration * (double)c->definitions.resolution / EFG_OTF2_RESOLUTION;
    return duration == EFG_RECORDED_CALL_LONG ? UINT64_MAX : time + (uint64_t)ticks;
}

static void begin_samples(Copying *c, uint64_t time)
{
    c->sample = 0;
    c->sample_count =
        c->metrics->count ? c->metrics->sample(c->metrics->data, c->location, c->calls, c->samples) : 0;
    for (uint32_t i = 0; i < c->sample_count; i++) {
        c->until[i] = later(c, time, c->samples[i].duration);
        put_value(c, time, c->samples[i].metric, c->samples[i].value);
    }
}

static OTF2_CallbackCode on_enter(EVENT, OTF2_RegionRef region)
{
    Copying *c = data;
    go_to(c, time);
    OTF2_ErrorCode code = OTF2_EvtWriter_Enter(TO, region);
    if (is_call(c, region) && !c->depth++)
        begin_samples(c, time);
    return wrote(c, code);
}

static OTF2_CallbackCode on_leave(EVENT, OTF2_RegionRef region)
{
    Copying *c = data;
    go_to(c, time);
    if (is_call(c, region) && c->depth && !--c->depth) {
        for (; c->sample < c->sample_count; c->sample++)
            put_value(c, time, c->samples[c->sample].metric, 0);
        c->calls++;
    }
    return wrote(c, OTF2_EvtWriter_Leave(TO, region));
}

OTF2_EvtReaderCallbacks *efg_recorded_copy_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define COPY(NAME, PARAMETERS, ARGUMENTS) OTF2_EvtReaderCallbacks_Set##NAME##Callback(callbacks, copy_##NAME);
#include "copied_events.def"
#undef COPY
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    return callbacks;
}
