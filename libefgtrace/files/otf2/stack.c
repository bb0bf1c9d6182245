/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions that are open on a location, always properly nested:
 *
 *     iteration > functions of the call path, outermost first > MPI call
 *
 * The log knows the call path at each MPI call and nothing in between. Between two calls the
 * functions that both have in common stay open. Those that only the first one has are left
 * at its end, those that only the second one has are entered at its beginning: so a function
 * is shown where it was for sure, and the time between is shown in what surely surrounded
 * it. A function counts as the same one as long as all outside of it were called from
 * the same places; two visits in a row from the same place cannot be told from one.
 *
 * An iteration begins and ends between calls, but in the midst of functions. All are left at
 * that moment; as many as the next call still has on its path are entered again at that same
 * moment, when it comes.
 *
 * Invariant: timestamps never decrease; what is entered is left once; after a failure nothing
 * more is written.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

uint64_t efg_otf2_tick(struct efg_otf2_stack *s, uint64_t time)
{
    if (time > s->last)
        s->last = time;
    return s->last;
}

static void check(struct efg_otf2_stack *s, OTF2_ErrorCode code)
{
    s->failed |= code != OTF2_SUCCESS;
}

static void enter(struct efg_otf2_stack *s, uint32_t region, uint64_t time)
{
    if (!s->failed)
        check(s, OTF2_EvtWriter_Enter(s->writer, s->attributes, efg_otf2_tick(s, time), region));
}

static void leave(struct efg_otf2_stack *s, uint32_t region, uint64_t time)
{
    if (!s->failed)
        check(s, OTF2_EvtWriter_Leave(s->writer, NULL, efg_otf2_tick(s, time), region));
}

/* Leave the functions from the DEPTH'th on, innermost first. */
static void leave_functions(struct efg_otf2_stack *s, uint32_t depth, uint64_t time)
{
    for (uint32_t i = s->depth; s->is_open && i > depth; i--)
        leave(s, s->frames[i - 1].region, time);
}

/* --- walking along call paths --- */

/* How many functions of the path are those on the stack. */
static uint32_t common_part(const struct efg_otf2_stack *s, const struct efg_otf2_frame *path, uint32_t count)
{
    for (uint32_t i = 0; i < s->depth && i < count; i++) {
        if (s->frames[i].region != path[i].region)
            return i;
        if (s->frames[i].position != path[i].position)
            return i + 1;
    }
    return s->depth < count ? s->depth : count;
}

void efg_otf2_walk(struct efg_otf2_stack *s, const struct efg_otf2_frame *path, uint32_t count, uint64_t time)
{
    uint32_t common = common_part(s, path, count);
    if (count > s->deepest) {
        if (efg_array_grow(&s->frames, s->deepest, count - s->deepest, sizeof *s->frames)) {
            s->failed = true;
            return;
        }
        s->deepest = count;
    }
    leave_functions(s, common, s->last);
    for (uint32_t i = s->is_open ? common : 0; i < count; i++)
        enter(s, path[i].region, i < common ? s->last : time);
    if (count)
        memcpy(s->frames, path, count * sizeof *path);
    s->depth = count;
    s->is_open = true;
}

/* --- MPI calls --- */

void efg_otf2_call(struct efg_otf2_stack *s, uint32_t region, uint32_t site, uint32_t path, uint64_t polls,
                   uint64_t time)
{
    if (site != EFG_NONE)
        check(s, OTF2_AttributeList_AddSourceCodeLocationRef(s->attributes, EFG_ATTRIBUTE_SITE, site));
    if (path != EFG_NONE)
        check(s, OTF2_AttributeList_AddStringRef(s->attributes, EFG_ATTRIBUTE_PATH, path));
    if (polls)
        check(s, OTF2_AttributeList_AddUint64(s->attributes, EFG_ATTRIBUTE_POLLS, polls));
    enter(s, region, time);
    s->in_call = true;
    s->call = region;
}

void efg_otf2_return(struct efg_otf2_stack *s, uint64_t time)
{
    if (s->in_call)
        leave(s, s->call, time);
    s->in_call = false;
}

/* --- iterations --- */

void efg_otf2_iteration_end(struct efg_otf2_stack *s, uint64_t time)
{
    efg_otf2_return(s, time);
    leave_functions(s, 0, time);
    s->is_open = false;
    if (s->in_iteration)
        leave(s, EFG_REGION_ITERATION, time);
    s->in_iteration = false;
}

const char *efg_otf2_kept(uint32_t kept)
{
    static const char *const names[] = {
        [EFG_KEPT_FIRST] = "first",
        [EFG_KEPT_SPREAD] = "spread",
        [EFG_KEPT_AROUND] = "around a slow one",
        [EFG_KEPT_SLOW] = "slow",
        [EFG_KEPT_BESIDE] = "beside a slow one",
        [EFG_KEPT_ASKED] = "asked for",
        [EFG_KEPT_WHEN] = "when",
    };
    return kept < sizeof names / sizeof *names ? names[kept] : NULL;
}

static void add_kept(struct efg_otf2_stack *s, uint32_t kept, uint32_t times)
{
    uint32_t string = EFG_STRING_KEPT + kept - EFG_KEPT_FIRST;
    if (!efg_otf2_kept(kept))
        return;
    check(s, OTF2_AttributeList_AddStringRef(s->attributes, EFG_ATTRIBUTE_KEPT, string));
    if (kept == EFG_KEPT_SLOW && times)
        check(s, OTF2_AttributeList_AddDouble(s->attributes, EFG_ATTRIBUTE_TIMES, times / 1000.0));
}

void efg_otf2_iteration_begin(struct efg_otf2_stack *s, const struct efg_record *r, uint64_t time)
{
    efg_otf2_iteration_end(s, time);
    check(s, OTF2_AttributeList_AddUint64(s->attributes, EFG_ATTRIBUTE_ITERATION, r->d));
    if (r->c)
        check(s, OTF2_AttributeList_AddUint32(s->attributes, EFG_ATTRIBUTE_PHASE, r->c));
    add_kept(s, r->a, r->b);
    enter(s, EFG_REGION_ITERATION, time);
    if (!s->failed)
        check(s,
              OTF2_EvtWriter_ParameterUnsignedInt(s->writer, NULL, s->last, EFG_PARAMETER_ITERATION, r->d));
    s->in_iteration = true;
}

void efg_otf2_leave_all(struct efg_otf2_stack *s, uint64_t time)
{
    efg_otf2_iteration_end(s, time);
    s->depth = 0;
}
