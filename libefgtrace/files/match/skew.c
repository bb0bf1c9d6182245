/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds by how much clocks must be shifted for no message to arrive before it was sent. With the shift of
 * each clock as an unknown, a gap is a difference constraint:
 *
 *     least + shift[to] - shift[from] >= latency        shift >= 0
 *
 * The least shifts are the longest paths in the graph whose edges are the gaps, with the
 * length latency - least; relaxing all edges until nothing changes finds them (Bellman-Ford;
 * Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, "Difference constraints and
 * shortest paths"). A circle of positive length has no solution: the messages around it took
 * less than nothing, and shifts cancel out along it. Each shift remembers the gap that raised
 * it last; the first circle among these causes is such a circle (Cherkassky, Goldberg,
 * Negative-cycle detection algorithms, 1999), so that it is found long before a round for each
 * clock.
 *
 * A message takes more than nothing. Where a clock has to be moved at all, each is given its
 * latency if that is possible, else 0: messages that were not asked may be faster still.
 *
 * That messages may correct the times of traces, moving forward what came too early: Lamport,
 * Time, clocks, and the ordering of events in a distributed system, 1978; Rabenseifner, The
 * controlled logical clock - a global time for trace based software monitoring of parallel
 * applications in workstation clusters, 1997; Becker, Rabenseifner, Wolf, Implications of
 * non-constant clock drifts for the timestamps of concurrent events, 2008. Theirs moves single
 * events of long traces and stretches what lies between; a window is short beside the time in
 * which a drift changes, so a shift per clock will do here, and durations stay as measured.
 */
#include "skew.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/none.h"

#define MOST INT64_C(1000000000000000) /* ns, 11 days: no clocks are that far apart */

void efg_skew_fini(struct efg_skew *s)
{
    free(s->clocks);
    free(s->gaps);
    efg_map_fini(&s->clock_index);
    efg_map_fini(&s->gap_index);
    *s = (struct efg_skew){0};
}

bool efg_skew_is_same(const struct efg_sync *one, const struct efg_sync *other)
{
    return one->ticks == other->ticks && one->realtime == other->realtime;
}

/* --- clocks and gaps --- */

static uint64_t hash_of(const struct efg_sync *sync)
{
    return efg_hash_bytes(0, sync, sizeof *sync);
}

/* The number of the clock, made if it is new; EFG_NONE without memory. */
static uint32_t number_of(struct efg_skew *s, const struct efg_sync *sync)
{
    uint64_t *number = efg_map_put(&s->clock_index, hash_of(sync));
    if (!number)
        return EFG_NONE;
    if (*number)
        return (uint32_t)*number - 1;
    if (efg_array_grow(&s->clocks, s->clock_count, 1, sizeof *s->clocks))
        return EFG_NONE;
    s->clocks[s->clock_count] = (struct efg_skew_clock){.sync = *sync};
    *number = ++s->clock_count;
    return s->clock_count - 1;
}

/* The gap between two clocks, made if it is new; NULL without memory. */
static struct efg_skew_gap *gap_of(struct efg_skew *s, uint32_t from, uint32_t to)
{
    uint64_t *number = efg_map_put(&s->gap_index, (uint64_t)from << 32 | to);
    if (!number)
        return NULL;
    if (*number)
        return &s->gaps[*number - 1];
    if (efg_array_grow(&s->gaps, s->gap_count, 1, sizeof *s->gaps))
        return NULL;
    s->gaps[s->gap_count] = (struct efg_skew_gap){.from = from, .to = to, .least = MOST};
    *number = ++s->gap_count;
    return &s->gaps[s->gap_count - 1];
}

/* After a failure an index may name what is not there: nothing is added any more. */
void efg_skew_add(struct efg_skew *s, const struct efg_sync *from, const struct efg_sync *to, int64_t least,
                  uint64_t early)
{
    if (s->failed || efg_skew_is_same(from, to))
        return;
    uint32_t a = number_of(s, from), b = a == EFG_NONE ? a : number_of(s, to);
    struct efg_skew_gap *gap = b == EFG_NONE ? NULL : gap_of(s, a, b);
    s->failed = !gap;
    if (!gap)
        return;
    gap->early += early;
    if (least < gap->least)
        gap->least = least < -MOST ? -MOST : least;
}

/* --- on their way --- */

static void put_sync(struct efg_buffer *out, const struct efg_sync *sync)
{
    efg_buffer_u64(out, sync->ticks);
    efg_buffer_u64(out, sync->realtime);
}

static struct efg_sync get_sync(struct efg_reader *in)
{
    struct efg_sync sync = {.ticks = efg_reader_u64(in)};
    sync.realtime = efg_reader_u64(in);
    return sync;
}

void efg_skew_put(const struct efg_skew *s, struct efg_buffer *out)
{
    out->failed |= s->failed;
    efg_buffer_number(out, s->gap_count);
    for (uint32_t i = 0; i < s->gap_count; i++) {
        const struct efg_skew_gap *gap = &s->gaps[i];
        put_sync(out, &s->clocks[gap->from].sync);
        put_sync(out, &s->clocks[gap->to].sync);
        efg_buffer_u64(out, (uint64_t)gap->least);
        efg_buffer_number(out, gap->early);
    }
}

int efg_skew_get(struct efg_skew *s, struct efg_reader *in)
{
    size_t count = efg_reader_count(in, 5 * sizeof(uint64_t) + 1);
    for (size_t i = 0; i < count; i++) {
        struct efg_sync from = get_sync(in), to = get_sync(in);
        int64_t least = (int64_t)efg_reader_u64(in);
        uint64_t early = efg_reader_number(in);
        if (in->failed)
            return -EBADMSG;
        efg_skew_add(s, &from, &to, least, early);
    }
    if (in->failed)
        return -EBADMSG;
    return s->failed ? -ENOMEM : 0;
}

/* --- shifts --- */

int64_t efg_skew_least(const struct efg_skew *s)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < s->gap_count; i++)
        if (s->gaps[i].least < least)
            least = s->gaps[i].least;
    return least;
}

uint64_t efg_skew_early(const struct efg_skew *s)
{
    uint64_t early = 0;
    for (uint32_t i = 0; i < s->gap_count; i++)
        early += s->gaps[i].early;
    return early;
}

/* Raise the shifts that are too small for a gap. Returns whether there was one, or -EDOM when
 * a shift would become nonsense. */
static int raise_all(struct efg_skew *s, int64_t latency)
{
    bool some = false;
    for (uint32_t i = 0; i < s->gap_count; i++) {
        const struct efg_skew_gap *gap = &s->gaps[i];
        int64_t needed = s->clocks[gap->from].shift - gap->least + latency;
        struct efg_skew_clock *to = &s->clocks[gap->to];
        if (needed <= to->shift)
            continue;
        if (needed > MOST)
            return -EDOM;
        to->shift = needed;
        to->cause = i + 1;
        some = true;
    }
    return some;
}

/* Whether a clock's shift is, by a chain of causes, its own cause. A walk ends where an earlier
 * one has been. */
static bool has_circle(struct efg_skew *s)
{
    for (uint32_t i = 0; i < s->clock_count; i++)
        s->clocks[i].visited = 0;
    for (uint32_t i = 0; i < s->clock_count; i++) {
        uint32_t at = i;
        while (!s->clocks[at].visited) {
            s->clocks[at].visited = i + 1;
            if (s->clocks[at].cause)
                at = s->gaps[s->clocks[at].cause - 1].from;
        }
        if (s->clocks[at].cause && s->clocks[at].visited == i + 1)
            return true;
    }
    return false;
}

static void reset(struct efg_skew *s)
{
    for (uint32_t i = 0; i < s->clock_count; i++)
        s->clocks[i].shift = s->clocks[i].cause = 0;
}

static int solve(struct efg_skew *s, int64_t latency)
{
    int more;
    reset(s);
    while ((more = raise_all(s, latency)) == 1 && !has_circle(s))
        ;
    if (more)
        reset(s);
    return more ? -EDOM : 0;
}

int efg_skew_solve(struct efg_skew *s, int64_t latency)
{
    reset(s);
    if (s->failed)
        return -ENOMEM;
    if (efg_skew_least(s) >= 0)
        return 0;
    return latency && solve(s, latency) == 0 ? 0 : solve(s, 0);
}

int64_t efg_skew_shift(const struct efg_skew *s, const struct efg_sync *sync)
{
    const uint64_t *number = efg_map_find(&s->clock_index, hash_of(sync));
    return number && *number ? s->clocks[*number - 1].shift : 0;
}

uint32_t efg_skew_shifted(const struct efg_skew *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->clock_count; i++)
        count += s->clocks[i].shift > 0;
    return count;
}
