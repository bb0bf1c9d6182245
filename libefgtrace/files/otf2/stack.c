/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions that are open on a location, always properly nested:
 *
 *     iteration > functions of the call path, and regions of the user, outermost first > MPI call
 *
 * The log knows the call path at each MPI call, and where a region of the user begins or ends, and nothing in
 * between. Between two of these the functions that both have in common stay open. Those that only the first
 * one has are left at its end, those that only the second one has are entered at its beginning: so a function
 * is shown where it was for sure, and the time between is shown in what surely surrounded
 * it. A function counts as the same one as long as all outside of it were called from
 * the same places; two visits in a row from the same place cannot be told from one.
 *
 * A region of the user is within the functions that it began in. If it outlives one of them, it goes on in
 * the caller: it is left with the function, and entered again at once. It is around all functions if it began
 * before the window. Functions within it that are still open when it ends are left with it, and entered again
 * when a call has them on its path.
 *
 * An iteration begins and ends between calls, but in the midst of functions. All are left at
 * that moment; as many as the next call still has on its path, and the regions of the user, are entered again
 * at that same moment.
 *
 * In a parallel region of OpenMP the team of threads is forked where it begins, and joined where it ends.
 *
 * No two events have the same time, as some readers sort by that alone. Calls have the time that the log
 * says. What else happens at that moment comes just before it, as far as the time since the event before
 * that reaches: functions are entered, and an iteration begins or ends. Else all move on by some ns.
 *
 * Invariant: timestamps increase, but at the end of the trace, which damage can make crowded; what is entered
 * is left once; after a failure nothing more is written.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define BOUNDARY 64 /* ns from an iteration's end to the next call: for what is entered there */
#define MARKS 3     /* events of an iteration: it is entered, has a number, is left */

uint64_t efg_otf2_tick(struct efg_otf2_stack *s, uint64_t time)
{
    if (time < s->next)
        time = s->next;
    if (time > s->end)
        time = s->end;
    s->next = time + 1;
    return time;
}

/* So that COUNT more events come before TIME. */
static uint64_t before(uint64_t time, uint64_t count)
{
    return time > count ? time - count : 0;
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

static bool has_team(const struct efg_otf2_stack *s, const struct efg_otf2_open *open)
{
    return s->team.workers && open->is_users && open->frame.region == s->team.parallel && !s->failed;
}

static void fork_team(struct efg_otf2_stack *s)
{
    check(s, OTF2_EvtWriter_ThreadFork(s->writer, NULL, efg_otf2_tick(s, 0), OTF2_PARADIGM_OPENMP,
                                       s->team.workers + 1));
    if (!s->failed)
        check(s, OTF2_EvtWriter_ThreadTeamBegin(s->writer, NULL, efg_otf2_tick(s, 0), s->team.comm));
}

static void join_team(struct efg_otf2_stack *s, uint64_t time)
{
    check(s, OTF2_EvtWriter_ThreadTeamEnd(s->writer, NULL, efg_otf2_tick(s, before(time, 2)), s->team.comm));
    if (!s->failed)
        check(s, OTF2_EvtWriter_ThreadJoin(s->writer, NULL, efg_otf2_tick(s, before(time, 1)),
                                           OTF2_PARADIGM_OPENMP));
}

/* Leave the frames from the DEPTH'th on, innermost first; what stays of them is entered again then. */
static void leave_frames(struct efg_otf2_stack *s, uint32_t depth, uint64_t time)
{
    while (s->written > depth) {
        struct efg_otf2_open *open = &s->frames[--s->written];
        if (has_team(s, open))
            join_team(s, time);
        leave(s, open->frame.region, time);
        open->since = s->next;
    }
}

/* Enter the first DEPTH frames, as far as they were not, before TIME. */
static void write_frames(struct efg_otf2_stack *s, uint32_t depth, uint64_t time)
{
    for (; s->written < depth; s->written++) {
        struct efg_otf2_open *open = &s->frames[s->written];
        uint64_t latest = before(time, depth - s->written);
        enter(s, open->frame.region, open->since < latest ? open->since : latest);
        if (has_team(s, open))
            fork_team(s);
    }
}

static void push(struct efg_otf2_stack *s, struct efg_otf2_open open)
{
    if (s->depth == s->deepest) {
        if (efg_array_grow(&s->frames, s->deepest, 1, sizeof *s->frames)) {
            s->failed = true;
            return;
        }
        s->deepest++;
    }
    s->frames[s->depth++] = open;
}

/* Of the frames from the DEPTH'th on, none of which is written, only the user's stay, or only functions. */
static void drop(struct efg_otf2_stack *s, uint32_t depth, bool users_stay)
{
    uint32_t count = s->depth;
    s->depth = depth;
    for (uint32_t i = depth; i < count; i++)
        if (s->frames[i].is_users == users_stay)
            s->frames[s->depth++] = s->frames[i];
}

/* --- walking along call paths --- */

void efg_otf2_walk(struct efg_otf2_stack *s, const struct efg_otf2_frame *path, uint32_t count, uint64_t time)
{
    uint32_t common = 0, taken = 0; /* of the stack, of the path */
    bool is_same = true;            /* called from the same places */
    for (; common < s->depth; common++) {
        struct efg_otf2_open *open = &s->frames[common];
        if (open->is_users)
            continue;
        if (!is_same || taken == count || open->frame.region != path[taken].region)
            break;
        is_same = open->frame.position == path[taken].position;
        open->frame = path[taken++];
    }
    leave_frames(s, common, s->next);
    drop(s, common, true);
    for (; taken < count; taken++)
        push(s, (struct efg_otf2_open){.frame = path[taken], .since = time});
    if (s->lasting == EFG_NONE)
        s->lasting = s->depth;
    else if (common < s->lasting)
        s->lasting = common;
}

/* --- regions of the user --- */

/* Where the first one is that is not among REGIONS, *AT of which come before it. */
static uint32_t first_to_end(const struct efg_otf2_stack *s, const uint32_t *regions, uint32_t count,
                             uint32_t *at)
{
    uint32_t i = 0;
    for (; i < s->depth; i++) {
        if (!s->frames[i].is_users)
            continue;
        if (*at == count || s->frames[i].frame.region != regions[*at])
            break;
        ++*at;
    }
    return i;
}

/* Enter those that began until TIME, even if nothing is within them. */
static void write_users(struct efg_otf2_stack *s, uint64_t time)
{
    uint32_t depth = s->depth;
    while (depth > 0 && (!s->frames[depth - 1].is_users || s->frames[depth - 1].since > time))
        depth--;
    write_frames(s, depth, UINT64_MAX);
}

void efg_otf2_regions(struct efg_otf2_stack *s, const uint32_t *regions, uint32_t count, uint64_t time)
{
    uint32_t at = 0, end = first_to_end(s, regions, count, &at);
    if (end < s->depth) {
        write_users(s, time);
        leave_frames(s, end, time);
        drop(s, end, false);
    }
    for (; at < count; at++)
        push(s, (struct efg_otf2_open){.frame.region = regions[at], .is_users = true, .since = time});
}

/* --- MPI calls --- */

void efg_otf2_call(struct efg_otf2_stack *s, uint32_t region, uint32_t site, uint32_t path, uint64_t polls,
                   uint64_t time)
{
    write_frames(s, s->depth, time);
    if (site != EFG_NONE)
        check(s, OTF2_AttributeList_AddSourceCodeLocationRef(s->attributes, EFG_ATTRIBUTE_SITE, site));
    if (path != EFG_NONE)
        check(s, OTF2_AttributeList_AddStringRef(s->attributes, EFG_ATTRIBUTE_PATH, path));
    if (polls)
        check(s, OTF2_AttributeList_AddUint64(s->attributes, EFG_ATTRIBUTE_POLLS, polls));
    enter(s, region, time);
    s->in_call = true;
    s->call = region;
    s->calls += !polls;
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
    if (time > 0)
        write_users(s, time - 1);
    uint32_t written = s->written;
    leave_frames(s, 0, before(time, (uint64_t)written + BOUNDARY));
    for (uint32_t i = 0; i < s->depth; i++)
        s->frames[i].since = time > s->next ? time : s->next;
    if (s->in_iteration) {
        leave(s, EFG_REGION_ITERATION, before(time, BOUNDARY));
        s->marks += MARKS + (s->lasting < s->depth ? 2 * s->lasting : 2 * s->depth);
    } else {
        s->marks += 2 * written; /* of a rank without iterations, or of what is around them */
    }
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

static void add_string(struct efg_otf2_stack *s, OTF2_AttributeRef attribute, uint32_t string)
{
    if (string != EFG_NONE)
        check(s, OTF2_AttributeList_AddStringRef(s->attributes, attribute, string));
}

/* What the program asks for is recorded whatever the conditions are. */
void efg_otf2_iteration_begin(struct efg_otf2_stack *s, const struct efg_record *r, struct efg_otf2_why why,
                              uint64_t time)
{
    efg_otf2_iteration_end(s, time);
    check(s, OTF2_AttributeList_AddUint64(s->attributes, EFG_ATTRIBUTE_ITERATION, r->d));
    if (r->c && r->c != EFG_PHASE_LATER) {
        check(s, OTF2_AttributeList_AddUint32(s->attributes, EFG_ATTRIBUTE_PHASE, r->c));
        add_string(s, EFG_ATTRIBUTE_PHASE_LOOP, why.loop);
    }
    add_kept(s, r->a, r->b);
    if (r->a != EFG_KEPT_ASKED)
        add_string(s, EFG_ATTRIBUTE_WHEN, why.when);
    enter(s, EFG_REGION_ITERATION, before(time, BOUNDARY - 1));
    if (!s->failed)
        check(s, OTF2_EvtWriter_ParameterUnsignedInt(s->writer, NULL, efg_otf2_tick(s, 0),
                                                     EFG_PARAMETER_ITERATION, r->d));
    s->in_iteration = true;
    s->lasting = EFG_NONE;
}

void efg_otf2_leave_all(struct efg_otf2_stack *s, uint64_t time)
{
    efg_otf2_iteration_end(s, time);
    s->depth = 0;
}
