/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matches the parts of collective operations. MPI wants all members of a communicator to begin its
 * collectives in the same order: the n-th one of each member is the same one. So parts are sorted and
 * numbered. Where members do not have equally many of a communicator in a window of the trace, none of
 * these is matched; nor are parts that belong to different operations.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"
#include "parts.h"

typedef struct efg_waits_meeting Meeting;

static int by_context(const Meeting *x, const Meeting *y)
{
    int order = efg_compare(x->context, y->context);
    return order ? order : efg_compare(x->window, y->window);
}

static int by_beginning(const void *a, const void *b)
{
    const Meeting *x = a, *y = b;
    int order = by_context(x, y);
    order = order ? order : efg_compare(x->rank, y->rank);
    order = order ? order : efg_compare(x->begin, y->begin);
    return order ? order : efg_compare(x->begun, y->begun);
}

static int by_number(const void *a, const void *b)
{
    const Meeting *x = a, *y = b;
    int order = by_context(x, y);
    order = order ? order : efg_compare(x->number, y->number);
    return order ? order : efg_compare(x->rank, y->rank);
}

static int by_place(const void *a, const void *b)
{
    const Meeting *x = a, *y = b;
    return efg_compare(x->place, y->place);
}

static int by_rank(const void *a, const void *b)
{
    const Meeting *x = a, *y = b;
    return efg_compare(x->rank, y->rank);
}

/* Number the COUNT meetings of each context and rank from 0. */
static void number(const struct efg_waits_work *w, Meeting *meetings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        meetings[i].begin = w->calls[meetings[i].begun].begin;
    qsort(meetings, count, sizeof *meetings, by_beginning);
    for (size_t i = 1; i < count; i++)
        if (!by_context(&meetings[i], &meetings[i - 1]) && meetings[i].rank == meetings[i - 1].rank)
            meetings[i].number = meetings[i - 1].number + 1;
    qsort(meetings, count, sizeof *meetings, by_number);
}

/* --- one collective: COUNT parts, each of another rank --- */

static const struct efg_waits_call *begun(const struct efg_waits_work *w, const Meeting *m)
{
    return &w->calls[m->begun];
}

/* The one that begins last, not counting the rank BUT; NULL if there is none. */
static const Meeting *last_of(const struct efg_waits_work *w, const Meeting *parts, uint32_t count,
                              uint32_t but)
{
    const Meeting *last = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (parts[i].rank != but && (!last || begun(w, &parts[i])->begin > begun(w, last)->begin))
            last = &parts[i];
    return last;
}

static void wait_for(struct efg_waits_work *w, const Meeting *parts, uint32_t count, enum efg_wait kind,
                     const Meeting *one)
{
    for (uint32_t i = 0; i < count; i++)
        if (&parts[i] != one)
            efg_waits_wait(w, parts[i].done, kind, one->begun);
}

static const Meeting *root_of(const Meeting *parts, uint32_t count)
{
    const Meeting key = {.rank = parts->root};
    return bsearch(&key, parts, count, sizeof key, by_rank);
}

/* Each waits for the last of those before it. */
static void scan(struct efg_waits_work *w, Meeting *parts, uint32_t count)
{
    const Meeting *last = parts;
    qsort(parts, count, sizeof *parts, by_place);
    for (uint32_t i = 1; i < count; i++) {
        efg_waits_wait(w, parts[i].done, EFG_WAIT_SCAN, last->begun);
        if (begun(w, &parts[i])->begin > begun(w, last)->begin)
            last = &parts[i];
    }
    qsort(parts, count, sizeof *parts, by_rank);
}

static enum efg_wait kind_of(const struct efg_waits_work *w, const Meeting *parts)
{
    if (efg_waits_trait(w, parts->begun) == EFG_TRAIT_FENCE)
        return EFG_WAIT_FENCE;
    return parts->meeting == EFG_MEETING_BARRIER ? EFG_WAIT_BARRIER : EFG_WAIT_ALL;
}

static void meet(struct efg_waits_work *w, Meeting *parts, uint32_t count)
{
    const Meeting *root = root_of(parts, count);
    switch (parts->meeting) {
    case EFG_MEETING_BARRIER:
    case EFG_MEETING_ALL:
        wait_for(w, parts, count, kind_of(w, parts), last_of(w, parts, count, EFG_NONE));
        break;
    case EFG_MEETING_ONE_TO_ALL:
        if (root)
            wait_for(w, parts, count, EFG_WAIT_ROOT, root);
        break;
    case EFG_MEETING_ALL_TO_ONE:
        if (root && count > 1)
            efg_waits_wait(w, root->done, EFG_WAIT_REDUCE, last_of(w, parts, count, root->rank)->begun);
        break;
    case EFG_MEETING_SCAN:
        scan(w, parts, count);
    }
}

/* --- all of them --- */

/* Whether the COUNT parts, which have one number, are the same operation of as many members. */
static bool is_one(const Meeting *parts, size_t count)
{
    bool is_rooted = parts->meeting == EFG_MEETING_ONE_TO_ALL || parts->meeting == EFG_MEETING_ALL_TO_ONE;
    for (size_t i = 0; i < count; i++)
        if (parts[i].meeting != parts->meeting || parts[i].size != count ||
            (is_rooted && parts[i].root != parts->root) || (i && parts[i].rank == parts[i - 1].rank))
            return false;
    return true;
}

/* How many of COUNT parts have the number of the first one. */
static size_t alike(const Meeting *parts, size_t count)
{
    size_t same = 1;
    while (same < count && parts[same].number == parts->number)
        same++;
    return same;
}

/* COUNT parts of one context, in one window. Returns how many are not matched. */
static size_t meet_all(struct efg_waits_work *w, Meeting *all, Meeting *parts, size_t count)
{
    size_t unmatched = 0, same;
    for (size_t i = 0; i < count; i += same) {
        same = alike(parts + i, count - i);
        if (same != parts[i].size)
            return count; /* of all: some are missing, which may be the first ones */
    }
    for (size_t i = 0; i < count; i += same) {
        same = alike(parts + i, count - i);
        bool matches = is_one(parts + i, same);
        unmatched += matches ? 0 : same;
        if (!matches || efg_waits_trait(w, parts[i].begun) == EFG_TRAIT_NEIGHBOUR)
            continue;
        for (size_t j = i; j < i + same; j++)
            parts[j].first = (uint32_t)(parts + i - all);
        meet(w, parts + i, (uint32_t)same);
    }
    return unmatched;
}

void efg_waits_meet(struct efg_waits *waits)
{
    struct efg_waits_work *w = waits->work;
    Meeting *all = (Meeting *)w->meetings.data;
    size_t count = w->meetings.size / sizeof *all, same;
    if (count)
        number(w, all, count);
    for (size_t i = 0; i < count; i += same) {
        for (same = 1; i + same < count && !by_context(&all[i], &all[i + same]); same++)
            ;
        waits->unmatched += meet_all(w, all, all + i, same);
    }
}
