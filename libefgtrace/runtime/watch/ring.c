/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * It is no ring in memory: when it is full, the older half of its iterations goes, but for those that are
 * wanted, and the other half moves up behind these. Invariant: while it is open, edges[i] is where iteration
 * slow->oldest + i begins, and the last one is that of the present iteration, slow->newest.
 */
#include "ring.h"

#include <string.h>

#include "asked.h"
#include "base/array.h"
#include "inside.h"
#include "iterations.h"
#include "runtime/base/clock.h"
#include "runtime/base/memory.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "slices.h"
#include "steering.h"
#include "why.h"
#include "windows.h"

#define MOST_EDGES EFG_SLOW_RING
#define LEAST_SIZE (64 << 10) /* bytes */
#define FEW 8                 /* iterations: such a ring does not span the rounds */
#define ROUNDS 16             /* in the time that a ring spans */
#define SLICES 1024           /* the same, for a rank that follows */
#define LEAST_PAUSE 1000000   /* ns between them */
#define FIRST_PAUSE 10000000

static const struct efg_job *const job = &efg_job;
static struct efg_steering *const s = &efg_steering;
static struct efg_slow *const slow = &efg_steering.control.agree.slow;

static struct {
    bool is_open;
    struct edge {
        uint64_t time;  /* ticks */
        uint64_t mpi;   /* ns in MPI until then */
        uint64_t calls; /* recorded until then */
        uint32_t *word;
    } * edges;
    uint32_t count;
    uint64_t loop; /* that they are of, and its phase: when they leave it, another one may be elected */
    uint32_t phase;
    uint64_t size;   /* bytes */
    bool was_on;     /* at the last result */
    uint64_t began;  /* ns since the start: since then numbers hold */
    uint64_t inside; /* calls in the region that the key `when` names, until then */
    const struct efg_counter_list *counters;
    bool (*read)(uint64_t *values);
    bool is_counted; /* what was counted until then is known: */
    uint64_t counts[EFG_COUNTERS];
    bool is_over; /* the program ends: no further iteration comes */
    bool is_save_due;
    bool is_small_said, is_barred_said;
} ring;

void efg_ring_count(const struct efg_counter_list *list, bool read(uint64_t *values))
{
    ring.counters = list;
    ring.read = read;
}

bool efg_ring_is_possible(const struct efg_thread *t)
{
    return __atomic_load_n(&efg_threads.count, __ATOMIC_RELAXED) == 1 && t->recorder.log.header &&
           !t->recorder.failed;
}

static bool is_due(const struct efg_thread *t, uint64_t now)
{
    enum efg_state state = s->control.trigger.state;

    return slow->is_on && s->control.agree.role == EFG_OWNER && efg_ring_is_possible(t) &&
           !efg_asked_is_shut(now) && !efg_windows_are_recorded() &&
           (state == EFG_PROPOSED || state == EFG_ARMED);
}

/* Of a rank that follows. */
static bool may_slice(const struct efg_thread *t, uint64_t now)
{
    return slow->is_on && slow->follows && efg_ring_is_possible(t) && !efg_asked_is_shut(now) &&
           !t->recorder.is_draining && !efg_windows_are_recorded() &&
           (s->control.trigger.state == EFG_WATCHING || s->control.trigger.state == EFG_FOLLOWING);
}

uint64_t efg_ring_pause(void)
{
    uint64_t pause = slow->least_span ? slow->least_span / ROUNDS : FIRST_PAUSE;

    return pause > LEAST_PAUSE ? pause : LEAST_PAUSE;
}

uint64_t efg_ring_look_pause(void)
{
    uint64_t pause = slow->follows ? slow->least_span / SLICES : efg_ring_pause();

    return pause > LEAST_PAUSE ? pause : LEAST_PAUSE;
}

/* --- what is kept --- */

static bool is_wanted(uint64_t number)
{
    return number < slow->newest && efg_slow_has(slow, number);
}

static uint32_t times_of(uint64_t number)
{
    return efg_slow_times(slow, number);
}

/* One of the edges has this TIME. */
static bool is_dropped(const void *context, uint64_t time)
{
    (void)context;
    return !is_wanted(slow->oldest + efg_array_find(ring.edges, ring.count, sizeof *ring.edges, time));
}

static void add_window(uint32_t i)
{
    const struct edge *edge = &ring.edges[i];
    uint64_t number = slow->oldest + i;
    uint64_t time = edge[1].time - edge->time;
    struct efg_run_iterations sums = {.recorded_mpi = efg_iterations_mpi_of(time, edge->mpi, edge[1].mpi)};

    efg_stat_add(&sums.recorded, time);
    efg_windows_add_slow(
        (struct efg_run_window){.function = ring.loop,
                                .phase = ring.phase,
                                .first = number,
                                .last = number + 1,
                                .start = edge->time - job->start,
                                .end = edge[1].time - job->start,
                                .events = edge[1].calls - edge->calls,
                                .bytes = (uint64_t)(edge[1].word - edge->word) * sizeof *edge->word,
                                .complete = 1,
                                .agreed = 1,
                                .times = efg_slow_times(slow, number)},
        &sums, (struct efg_span){edge->time, edge[1].time});
}

/* The first COUNT iterations leave, but for those that are wanted: they are windows now. */
static void take_out(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_wanted(slow->oldest + i))
            add_window(i);
}

static uint64_t bytes_from(uint32_t i)
{
    return (uint64_t)(ring.edges[ring.count - 1].word - ring.edges[i].word) * sizeof(uint32_t);
}

/* The ring is full with iterations of so many bytes EACH. */
static void consider_size(uint64_t each)
{
    unsigned long long room = (unsigned long long)(2 * FEW * each / (1 << 20) + 1);

    if (ring.count > FEW || ring.is_small_said)
        return;
    ring.is_small_said = true;
    efg_note("the ring has room for %u iterations: slow ones may be lost; EFGTRACE_RING=%lluM "
             "has room for %d",
             ring.count - 1, room, 2 * FEW);
}

/* The first GONE iterations, but for those that are wanted. */
static void cut(struct efg_thread *t, uint32_t gone)
{
    uint64_t begin = efg_clock_cpu();

    take_out(gone);
    ptrdiff_t moved = efg_recorder_cut_ring(&t->recorder, ring.edges[gone].word, is_dropped, NULL);
    ring.count -= gone;
    memmove(ring.edges, &ring.edges[gone], ring.count * sizeof *ring.edges);
    for (uint32_t i = 0; i < ring.count; i++)
        ring.edges[i].word += moved;
    efg_slow_drop(slow, slow->oldest + gone);
    t->cost.rare += efg_clock_cpu() - begin;
}

static void shrink(struct efg_thread *t)
{
    uint32_t gone = ring.count / 2;

    consider_size(bytes_from(0) / (ring.count - 1));
    slow->span = ring.edges[ring.count - 1].time - ring.edges[gone].time;
    while (gone + 2 < ring.count && (bytes_from(gone) > ring.size / 2 || is_wanted(slow->oldest + gone)))
        gone++;
    cut(t, gone);
}

/* What is kept so far is not lost if the job is killed. */
static void secure(struct efg_thread *t)
{
    uint32_t gone = ring.count - 1;

    while (gone > 0 && !is_wanted(slow->oldest + gone - 1))
        gone--;
    if (gone)
        cut(t, gone);
    ring.is_save_due = false;
}

/* --- when what is asked for was --- */

/* Iteration NUMBER, which is whole: in the ring, or a window by now. Ticks; none: 0. */
static struct efg_span when(uint64_t number)
{
    const struct efg_run_window *w = efg_windows_find_slow(number, ring.began);
    uint64_t i = number - slow->oldest;

    if (number >= slow->oldest && ring.is_open && i + 1 < ring.count)
        return (struct efg_span){ring.edges[i].time, ring.edges[i + 1].time};
    return w ? (struct efg_span){job->start + w->start, job->start + w->end} : (struct efg_span){0, 0};
}

static struct efg_span when_asked(void)
{
    const struct efg_slow_one *asked = &slow->asked;
    uint64_t base = efg_job_base();
    struct efg_span none = {0, 0};

    if (!asked->score || slow->lacks || asked->number + slow->around >= slow->newest)
        return none;
    uint64_t from = when(asked->number - slow->around).from, to = when(asked->number + slow->around).to;
    return from && to ? (struct efg_span){from + base, to + base} : none;
}

struct efg_span efg_ring_span(uint64_t now)
{
    if (!slow->follows)
        return when_asked();
    struct efg_span held = efg_slices_span(now);
    if (ring.is_over && held.to)
        held.to = UINT64_MAX;
    return held;
}

/* --- iterations --- */

/* Iteration NUMBER begins. */
static void add_edge(const struct efg_thread *t, uint64_t now)
{
    ring.edges[ring.count++] =
        (struct edge){now, efg_iterations_mpi(&t->graph, now), t->recorder.calls, t->recorder.boundary.word};
}

/* What the log may have, and not all of it. */
static uint64_t room(const struct efg_thread *t)
{
    const struct efg_log *log = &t->recorder.log;
    uint64_t bytes = (uint64_t)(log->end - log->next.word) * sizeof *log->end / 2;

    return bytes < job->conf.ring ? bytes : job->conf.ring;
}

static int make_edges(void)
{
    int error = efg_array_grow(&ring.edges, 0, MOST_EDGES + 2, sizeof *ring.edges);

    if (!error)
        efg_budget_add(&efg_memory, (MOST_EDGES + 2) * sizeof *ring.edges);
    return error;
}

/* What is counted from here on is the next iteration's. */
static bool read_counts(void)
{
    ring.is_counted = ring.read && ring.read(ring.counts);
    return ring.is_counted;
}

/* --- slices --- */

/* Where a window is followed, that goes on without them. */
static void end_slices(struct efg_thread *t, uint64_t now)
{
    bool follows = efg_slices_are_open() && s->control.trigger.state == EFG_FOLLOWING;

    efg_slices_end(t, now);
    if (follows && !ring.is_over)
        efg_windows_follow(t, now);
}

static void look_at_slices(struct efg_thread *t, uint64_t now)
{
    if (!may_slice(t, now))
        end_slices(t, now);
    else if (room(t) >= LEAST_SIZE)
        efg_slices_look(t, now, room(t));
    if (ring.is_save_due)
        efg_slices_save(t);
    ring.is_save_due = false;
}

bool efg_ring_follows(struct efg_thread *t, uint64_t now)
{
    if (slow->follows && !efg_slices_are_open())
        look_at_slices(t, now);
    return efg_slices_are_open();
}

bool efg_ring_trim(const struct efg_thread *t, struct efg_span span, uint64_t first, uint64_t end)
{
    uint64_t base = efg_job_base();

    if (efg_slices_are_open())
        efg_slices_add(t, (struct efg_span){span.from - base, span.to - base}, first, end);
    return efg_slices_are_open();
}

static bool is_sliced(uint64_t number)
{
    return efg_slow_has(slow, number);
}

/* What begins before the slow one says how slow that was. */
static uint32_t times_of_sliced(uint64_t number)
{
    return efg_slow_times(slow, number + slow->around);
}

/* --- */

static void begin(struct efg_thread *t, uint64_t now)
{
    ring.size = room(t);
    if (t->recorder.is_draining || ring.size < LEAST_SIZE || (!ring.edges && make_edges()))
        return;
    efg_why_say(t, efg_agree_phase(&s->control.agree));
    efg_recorder_begin_ring(&t->recorder, now, efg_steering_number(t));
    ring.is_open = t->recorder.is_on;
    if (!ring.is_open)
        return;
    ring.count = 0;
    ring.loop = s->control.agree.loop;
    ring.phase = efg_agree_phase(&s->control.agree);
    ring.inside = *job->conf.when.region ? efg_inside_calls(t) : 0;
    if (job->conf.when.count_count)
        read_counts();
    add_edge(t, now);
    efg_slow_begin(slow, efg_steering_number(t), ring.phase);
    efg_recorder_skip(&t->recorder, !efg_slow_records(slow));
}

/* Those on counters, for the present iteration, which took NS. What cannot be counted holds for none. */
static bool counts_hold(uint64_t ns)
{
    uint64_t before[EFG_COUNTERS], passed[EFG_COUNTERS] = {0};
    bool was_counted = ring.is_counted;

    if (!job->conf.when.count_count)
        return true;
    memcpy(before, ring.counts, sizeof before);
    if (!read_counts() || !was_counted)
        return false;
    for (unsigned k = 0; k < ring.counters->count; k++)
        passed[k] = ring.counts[k] - before[k];
    return efg_when_counts(&job->conf.when, ring.counters, passed, ns);
}

/* The conditions that the key `when` has for the present iteration, but for how long it took. */
static bool is_chosen(struct efg_thread *t, uint64_t now)
{
    const struct efg_when *when = &job->conf.when;
    const struct edge *edge = &ring.edges[ring.count - 1];
    uint64_t calls = *when->region ? efg_inside_calls(t) : 0;
    uint64_t time = now - edge->time;
    uint64_t mpi = efg_iterations_mpi_of(time, edge->mpi, efg_iterations_mpi(&t->graph, now));
    bool is_inside = calls > ring.inside, is_counted = counts_hold(time);
    double share = 1e6 * (double)mpi / (double)(time + 1);

    ring.inside = calls;
    return is_counted && (is_inside || !*when->region) && (!when->mpi_above || share > when->mpi_above) &&
           (!when->mpi_below || share < when->mpi_below);
}

/* The present iteration is whole, unless the log is full. */
static void turn(struct efg_thread *t, uint64_t now)
{
    efg_recorder_skip(&t->recorder, false);
    efg_recorder_turn_ring(&t->recorder, now, slow->newest + 1);
    if (t->recorder.failed)
        return;
    efg_slow_add(slow, now - ring.edges[ring.count - 1].time, is_chosen(t, now));
    add_edge(t, now);
    efg_recorder_skip(&t->recorder, !efg_slow_records(slow));
}

void efg_ring_end(struct efg_thread *t, uint64_t now, bool visit)
{
    efg_slices_end(t, now);
    if (!ring.is_open)
        return;
    if (visit)
        turn(t, now);
    efg_slow_end(slow);
    take_out(ring.count - 1);
    efg_recorder_end_ring(&t->recorder, is_dropped, NULL);
    efg_slow_drop(slow, slow->newest);
    ring.is_open = false;
}

void efg_ring_visit(struct efg_thread *t, uint64_t now)
{
    if (slow->follows) { /* a pivot of its own */
        return;
    } else if (!is_due(t, now)) {
        efg_ring_end(t, now, false);
    } else if (!ring.is_open) {
        begin(t, now);
    } else {
        turn(t, now);
        if (t->recorder.failed)
            efg_ring_end(t, now, false);
        else if (ring.count > MOST_EDGES || bytes_from(0) > ring.size)
            shrink(t);
        else if (ring.is_save_due)
            secure(t);
    }
}

/* The loop may also be over. */
void efg_ring_look(struct efg_thread *t, uint64_t now)
{
    if (slow->follows)
        look_at_slices(t, now);
    if (!ring.is_open)
        return;
    uint64_t bytes =
        (uint64_t)(t->recorder.log.next.word - ring.edges[ring.count - 1].word) * sizeof(uint32_t);
    if (bytes <= ring.size)
        return;
    consider_size(bytes);
    efg_ring_end(t, now, false);
}

void efg_ring_save(void)
{
    ring.is_save_due = ring.is_open || slow->follows;
}

/* --- results, and the end --- */

static void say_barred(void)
{
    if (!slow->is_barred || ring.is_barred_said || !efg_job_is_first())
        return;
    ring.is_barred_said = true;
    efg_note("slow iterations are not kept from here on: some rank is recorded on its own, or calls MPI in "
             "several threads, or its log is full");
}

/* What is no longer wanted goes. */
static void sweep(const struct efg_thread *t)
{
    if (slow->follows)
        efg_slices_settle(t);
    efg_windows_sweep(ring.began, slow->follows ? is_sliced : is_wanted,
                      slow->follows ? times_of_sliced : times_of);
}

void efg_ring_settle(struct efg_thread *t, uint64_t now)
{
    if (slow->is_on && !ring.was_on)
        ring.began = now - job->start;
    if (!ring.is_over && !may_slice(t, now))
        end_slices(t, now);
    if (!ring.is_over && !is_due(t, now) && !slow->follows)
        efg_ring_end(t, now, false);
    if (slow->is_on || ring.was_on)
        sweep(t);
    say_barred();
    ring.was_on = slow->is_on;
}

void efg_ring_stop(void)
{
    ring.is_over = true;
    if (ring.is_open)
        efg_slow_end(slow);
}

void efg_ring_finish(struct efg_thread *t, uint64_t now)
{
    slow->is_barred |= slow->wanted && s->window_count && !efg_ring_is_possible(t); /* all in MPI_Finalize */
    efg_slow_stop(slow);
    efg_ring_end(t, now, false);
    efg_ring_settle(t, now);
    efg_windows_join_slow();
}
