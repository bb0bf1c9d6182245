/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joins the totals of ranks. Totals are joined field by field, as a table says, but for the speaker, the
 * rank that computes longest, the most crowded host and the notes. Joined in any tree over ascending ranks
 * they are the same, as long as there are not more than EFG_TOTALS_NOTES different notes.
 */
#include "totals.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fields.h"
#include "counters.h"
#include "runfile.h"
#include "said.h"

#define FIELD(tag, type, name)                       \
    {                                                \
        tag, type, offsetof(struct efg_totals, name) \
    }
#define SUM(tag, name) FIELD(tag, EFG_FIELD_64, name)
#define LEAST SUM
#define MOST SUM
#define SET SUM

/* In the order of joining: sums, least, most, sets, the rest. */
static const struct efg_field fields_of_totals[] = {
    SUM(1, ranks),
    SUM(2, hosts),
    SUM(3, threads),
    SUM(4, calls),
    SUM(5, recorded),
    SUM(6, all_count),
    SUM(7, all_time),
    SUM(8, all_mpi),
    SUM(9, recorded_count),
    SUM(10, recorded_time),
    SUM(11, recorded_mpi),
    SUM(12, time),
    SUM(13, in_mpi),
    SUM(14, cost),
    SUM(15, with_loop),
    SUM(16, with_window),
    SUM(17, incomplete),
    SUM(18, disagreed),
    SUM(19, overflow),
    SUM(20, unstable),
    SUM(21, crowded),
    SUM(41, followers),
    SUM(42, alone),
    SUM(43, drifted),
    SUM(47, processor_used),
    SUM(48, processor_waited),
    SUM(60, like_count),
    SUM(61, like_time),
    SUM(62, like_mpi),
    SUM(63, polls),
    SUM(64, rma.operations),
    SUM(65, rma.bytes),
    SUM(66, rma.time),
    SUM(67, file_io.operations),
    SUM(68, file_io.bytes),
    SUM(69, file_io.time),
    SUM(74, within.messages),
    SUM(75, within.collectives),
    SUM(76, within.polls),
    SUM(51, paused),
    SUM(52, unwatched),
    SUM(80, openmp.visits),
    SUM(81, openmp.time),
    SUM(82, openmp.room),
    SUM(83, openmp.busy),
    SUM(84, openmp.most),
    SUM(85, openmp.waited),
    SUM(86, openmp_ranks),
    SUM(87, openmp_time),
    SUM(88, openmp_mpi),
    SUM(90, with_short_log),
    LEAST(22, nodes_least),
    LEAST(49, unserved_least),
    LEAST(23, start),
    LEAST(44, without_first),
    LEAST(45, follower_first),
    LEAST(46, alone_first),
    MOST(24, end),
    MOST(25, nodes_most),
    MOST(26, edges_most),
    MOST(27, stable_most),
    MOST(28, growth_most),
    MOST(29, memory_most),
    MOST(30, init_most),
    MOST(31, clock_error_most),
    MOST(50, unserved_most),
    MOST(53, limit_most),
    MOST(91, grace_most),
    MOST(70, accuracy_most),
    MOST(71, error_most),
    MOST(89, openmp.threads),
    SET(40, dropped),
    SET(54, limited),
    FIELD(32, EFG_FIELD_64, speaker),
    FIELD(33, EFG_FIELD_64, speaker_standing),
    FIELD(34, EFG_FIELD_64, speaker_time),
    FIELD(35, EFG_FIELD_64, speaker_events),
    FIELD(77, EFG_FIELD_64, computed_by),
    FIELD(78, EFG_FIELD_64, computed_most),
    FIELD(36, EFG_FIELD_64, crowd.ranks),
    FIELD(79, EFG_FIELD_64, crowd.threads),
    FIELD(37, EFG_FIELD_64, crowd.cores),
    FIELD(38, EFG_FIELD_TEXT, crowd_host),
    FIELD(39, EFG_FIELD_64, notes_left),
    FIELD(72, EFG_FIELD_TEXT, said),
    FIELD(73, EFG_FIELD_TEXT, counters),
};
enum { FIRST_LEAST = 51, FIRST_MOST = 57, FIRST_SET = 71, FIRST_OTHER = 73 };
#define FIELDS (sizeof fields_of_totals / sizeof *fields_of_totals)

void efg_totals_fini(struct efg_totals *totals)
{
    for (uint32_t i = 0; i < totals->note_count; i++)
        free(totals->notes[i].text);
    free(totals->crowd_host);
    free(totals->said);
    free(totals->counters);
    memset(totals, 0, sizeof *totals);
}

/* --- joining --- */

static uint64_t *field_of(struct efg_totals *totals, size_t field)
{
    return (uint64_t *)(void *)((char *)totals + fields_of_totals[field].at);
}

static void add_numbers(struct efg_totals *totals, struct efg_totals *more)
{
    for (size_t i = 0; i < FIRST_OTHER; i++) {
        uint64_t *to = field_of(totals, i), from = *field_of(more, i);
        if (i < FIRST_LEAST)
            *to += from;
        else if (i >= FIRST_SET)
            *to |= from;
        else if (i < FIRST_MOST ? from < *to : from > *to)
            *to = from;
    }
}

static bool speaks_better(const struct efg_totals *a, const struct efg_totals *b)
{
    if (a->speaker_standing != b->speaker_standing)
        return a->speaker_standing > b->speaker_standing;
    if (!a->speaker_standing)
        return false;
    return a->speaker_time != b->speaker_time ? a->speaker_time > b->speaker_time
                                              : a->speaker_events > b->speaker_events;
}

static void add_speaker(struct efg_totals *totals, const struct efg_totals *more)
{
    if (!speaks_better(more, totals))
        return;
    totals->speaker = more->speaker;
    totals->speaker_standing = more->speaker_standing;
    totals->speaker_time = more->speaker_time;
    totals->speaker_events = more->speaker_events;
}

static void add_computed(struct efg_totals *totals, const struct efg_totals *more)
{
    if (more->computed_most <= totals->computed_most)
        return;
    totals->computed_most = more->computed_most;
    totals->computed_by = more->computed_by;
}

/* Takes HOST. */
static void add_crowd(struct efg_totals *totals, const struct efg_totals_crowd *crowd, char *host)
{
    const struct efg_totals_crowd *most = &totals->crowd;
    if (crowd->cores && (!most->cores || (double)crowd->threads * (double)most->cores >
                                             (double)most->threads * (double)crowd->cores)) {
        free(totals->crowd_host);
        totals->crowd_host = host;
        totals->crowd = *crowd;
    } else {
        free(host);
    }
}

/* Takes its text. */
static void add_note(struct efg_totals *totals, struct efg_totals_note note)
{
    for (uint32_t i = 0; i < totals->note_count; i++) {
        if (strcmp(totals->notes[i].text, note.text))
            continue;
        totals->notes[i].count += note.count;
        free(note.text);
        return;
    }
    if (totals->note_count < EFG_TOTALS_NOTES) {
        totals->notes[totals->note_count++] = note;
        return;
    }
    totals->notes_left += note.count;
    free(note.text);
}

/* Without memory, what OTHER has said is left out. */
static void add_said(struct efg_totals *totals, const char *other)
{
    char *joined = other && *other ? efg_said_join(totals->said, other) : NULL;

    if (!joined)
        return;
    free(totals->said);
    totals->said = joined;
}

/* Likewise. */
static void add_counters(struct efg_totals *totals, const char *other)
{
    char *joined = other && *other ? efg_counter_totals_join(totals->counters, other) : NULL;

    if (!joined)
        return;
    free(totals->counters);
    totals->counters = joined;
}

void efg_totals_add(struct efg_totals *totals, struct efg_totals *more)
{
    if (!totals->ranks) {
        efg_totals_fini(totals);
        *totals = *more;
        *more = (struct efg_totals){0};
        return;
    }
    if (more->ranks)
        add_numbers(totals, more);
    add_speaker(totals, more);
    add_computed(totals, more);
    add_crowd(totals, &more->crowd, more->crowd_host);
    more->crowd_host = NULL;
    add_said(totals, more->said);
    add_counters(totals, more->counters);
    for (uint32_t i = 0; i < more->note_count; i++)
        add_note(totals, more->notes[i]);
    totals->notes_left += more->notes_left;
    more->note_count = 0;
    efg_totals_fini(more);
}

/* --- a rank --- */

/* ns since the start when the graph was seen to have grown for the last time. */
static uint64_t last_growth(const struct efg_run_thread *thread)
{
    const struct efg_stability *s = &thread->stability;
    uint64_t time = s->last.time;
    for (uint32_t i = s->count; i-- > 0;) {
        if (s->curve[i].nodes != s->last.nodes || s->curve[i].edges != s->last.edges)
            break;
        time = s->curve[i].time;
    }
    return time;
}

static void keep_most(uint64_t *most, uint64_t value)
{
    *most = value > *most ? value : *most;
}

static void add_graph(struct efg_totals *totals, const struct efg_run_thread *thread)
{
    const struct efg_graph *graph = &thread->graph;
    uint64_t polls = totals->polls;
    totals->calls += graph->events;
    for (uint32_t i = 0; i < graph->node_count; i++)
        totals->polls += graph->nodes[i].polls;
    totals->calls += totals->polls - polls;
    keep_most(&totals->nodes_most, graph->node_count);
    keep_most(&totals->edges_most, graph->edge_count);
    keep_most(&totals->stable_most, thread->stability.stable_since);
    keep_most(&totals->growth_most, last_growth(thread));
    totals->dropped |= graph->dropped;
    totals->overflow += graph->overflow != EFG_NONE || graph->lost_edges;
    totals->unstable += !thread->stability.stable_since;
}

static void add_thread(struct efg_totals *totals, const struct efg_run_thread *thread)
{
    const struct efg_run_iterations *it = &thread->iterations;
    add_graph(totals, thread);
    for (uint32_t i = 0; i < thread->window_count; i++)
        totals->recorded += thread->windows[i].events;
    totals->all_count += it->all.count;
    totals->all_time += it->all.sum;
    totals->all_mpi += it->all_mpi;
    totals->recorded_count += it->recorded.count;
    totals->recorded_time += it->recorded.sum;
    totals->recorded_mpi += it->recorded_mpi;
    if (!it->recorded.count)
        return;
    totals->like_count += it->all.count;
    totals->like_time += it->all.sum;
    totals->like_mpi += it->all_mpi;
}

static uint32_t class_of(const struct efg_run_names *names, uint32_t call)
{
    for (uint32_t i = 0; i < names->call_count; i++)
        if (names->calls[i].id == call)
            return names->calls[i].class;
    return EFG_CLASS_OTHER;
}

/* Calls that move data are its operations; all have its time. */
static void add_moved(struct efg_totals_moved *to, const struct efg_node *node)
{
    to->operations += node->bytes ? node->time.count : 0;
    to->bytes += node->bytes;
    to->time += efg_node_time(node);
}

/* Of the thread that stands for the rank. */
static void add_within(struct efg_totals *totals, const struct efg_run_names *names,
                       const struct efg_graph *graph)
{
    for (uint32_t v = 0; v < graph->node_count; v++) {
        const struct efg_node *node = &graph->nodes[v];
        uint32_t class = class_of(names, node->signature.call);
        totals->within.polls += node->poll_time;
        if (class == EFG_CLASS_POINT2POINT)
            totals->within.messages += node->time.sum;
        else if (class >= EFG_CLASS_BARRIER && class <= EFG_CLASS_OTHER_COLLECTIVE)
            totals->within.collectives += node->time.sum;
    }
}

void efg_totals_classes(struct efg_totals *totals, const struct efg_run_names *names,
                        const struct efg_run_rank *rank)
{
    const struct efg_run_thread *leader = efg_run_rank_thread(rank);
    if (leader)
        add_within(totals, names, &leader->graph);
    for (uint32_t k = 0; k < rank->thread_count; k++) {
        const struct efg_graph *graph = &rank->threads[k].graph;
        for (uint32_t v = 0; v < graph->node_count; v++) {
            uint32_t class = class_of(names, graph->nodes[v].signature.call);
            if (class == EFG_CLASS_RMA)
                add_moved(&totals->rma, &graph->nodes[v]);
            else if (class == EFG_CLASS_FILE_IO)
                add_moved(&totals->file_io, &graph->nodes[v]);
        }
    }
}

/* What the thread that stands for the rank says. */
static void add_leader(struct efg_totals *totals, const struct efg_run_thread *thread)
{
    const struct efg_run_agreed *agreed = &thread->agreed;
    bool has_window = thread->window_count > 0;
    bool has_main = efg_run_has_main(thread);
    for (uint32_t i = 0; i < thread->window_count; i++) {
        if (!has_main || efg_run_is_main(thread, &thread->windows[i]))
            totals->incomplete |= !thread->windows[i].complete;
        totals->disagreed |= !thread->windows[i].agreed;
    }
    totals->in_mpi = thread->graph.node_time;
    totals->with_loop = thread->loops.main.function != 0;
    totals->with_window = has_window;
    totals->followers = has_window && !agreed->is_owner && !agreed->is_alone;
    totals->alone = has_window && agreed->is_alone;
    totals->drifted = agreed->drifted;
    totals->speaker_standing = has_window && !totals->followers ? 2 : totals->with_loop;
    totals->speaker_time = thread->iterations.all.sum;
    totals->speaker_events = thread->graph.events;
}

static uint64_t first_if(uint64_t is_so, uint64_t rank)
{
    return is_so ? rank : UINT64_MAX;
}

static int note_rank(struct efg_totals *totals, const struct efg_run_rank *rank)
{
    if (!rank->note || !*rank->note)
        return 0;
    char *text = strdup(rank->note);
    if (text)
        add_note(totals, (struct efg_totals_note){text, rank->rank, 1});
    return text ? 0 : -ENOMEM;
}

static uint64_t unserved(const struct efg_run_processor *p)
{
    double wanted = (double)p->used + (double)p->waited;
    return wanted > 0 ? (uint64_t)(1e6 * (double)p->waited / wanted) : 0;
}

int efg_totals_rank(struct efg_totals *totals, const struct efg_run_rank *rank)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(rank);
    uint64_t time = efg_run_rank_duration(rank);
    struct efg_totals one = {
        .ranks = 1,
        .threads = rank->thread_count,
        .time = efg_run_rank_watched(rank),
        .paused = rank->paused,
        .unwatched = rank->unwatched,
        .with_short_log = rank->short_logs > 0,
        .limit_most = rank->limit,
        .grace_most = rank->grace,
        .accuracy_most = rank->accuracy,
        .error_most = rank->error,
        .limited = rank->limited,
        .cost = rank->cost,
        .nodes_least = UINT64_MAX,
        .start = rank->start,
        .end = rank->start + time,
        .memory_most = rank->memory,
        .init_most = rank->init,
        .clock_error_most = rank->clock_error,
        .processor_used = rank->processor.used,
        .processor_waited = rank->processor.waited,
        .unserved_least = unserved(&rank->processor),
        .unserved_most = unserved(&rank->processor),
        .speaker = rank->rank,
    };
    if (thread)
        add_leader(&one, thread);
    one.openmp = efg_openmp_sum(rank->openmp);
    if (one.openmp.visits) {
        one.openmp_ranks = 1;
        one.openmp_time = one.time;
        one.openmp_mpi = one.in_mpi;
    }
    one.computed_most = one.time > one.in_mpi ? one.time - one.in_mpi : 0;
    one.computed_by = rank->rank;
    one.without_first = first_if(!one.with_window, rank->rank);
    one.follower_first = first_if(one.followers, rank->rank);
    one.alone_first = first_if(one.alone, rank->rank);
    for (uint32_t i = 0; i < rank->thread_count; i++)
        add_thread(&one, &rank->threads[i]);
    if (rank->thread_count)
        one.nodes_least = one.nodes_most; /* a rank has those of its largest thread */
    add_said(&one, rank->said);
    one.counters = efg_run_counters_total(rank);
    int error = note_rank(&one, rank);
    efg_totals_add(totals, &one);
    return error;
}

/* --- a host ---
 *
 * Ranks share cores if more threads of theirs compute than the one and the same set of cores has that
 * they are bound to, or more than the host has cores at all. (Sets that only overlap may still have a core
 * for each.) Of a rank that does not say how many compute, one does.
 */

static const char *cores_of(const struct efg_run_rank *rank)
{
    return rank->place.cores ? rank->place.cores : "";
}

static int compare_cores(const void *a, const void *b)
{
    return strcmp(cores_of(a), cores_of(b));
}

/* COUNT of the RANKS, on CORES. */
static void keep_crowd(struct efg_totals *totals, const struct efg_run_rank *ranks, uint32_t count,
                       uint64_t cores)
{
    struct efg_totals_crowd crowd = {.ranks = count, .cores = cores};
    for (uint32_t i = 0; i < count; i++)
        crowd.threads += ranks[i].processor.threads ? ranks[i].processor.threads : 1;
    if (crowd.threads > cores)
        add_crowd(totals, &crowd, NULL);
}

int efg_totals_host(struct efg_totals *totals, struct efg_run_rank *ranks, uint32_t count)
{
    struct efg_totals host = {0};
    totals->hosts++;
    qsort(ranks, count, sizeof *ranks, compare_cores);
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && !compare_cores(&ranks[i], &ranks[next]);)
            next++;
        keep_crowd(&host, ranks + i, next - i, ranks[i].place.core_count);
    }
    keep_crowd(&host, ranks, count, ranks[0].place.node_cores);
    if (!host.crowd.cores)
        return 0;
    totals->crowded++;
    char *name = strdup(ranks[0].host ? ranks[0].host : "");
    add_crowd(totals, &host.crowd, name);
    return name ? 0 : -ENOMEM;
}

/* --- bytes --- */

void efg_totals_put(struct efg_buffer *out, const struct efg_totals *totals)
{
    efg_fields_put(out, totals, fields_of_totals, FIELDS);
    efg_buffer_number(out, totals->note_count);
    for (uint32_t i = 0; i < totals->note_count; i++) {
        efg_buffer_string(out, totals->notes[i].text);
        efg_buffer_number(out, totals->notes[i].rank);
        efg_buffer_number(out, totals->notes[i].count);
    }
}

int efg_totals_get(struct efg_totals *totals, const void *bytes, size_t size)
{
    struct efg_reader in = efg_reader(bytes, size);
    memset(totals, 0, sizeof *totals);
    int error = efg_fields_get(&in, totals, fields_of_totals, FIELDS);
    size_t count = efg_reader_count(&in, 3);
    in.failed |= count > EFG_TOTALS_NOTES;
    for (size_t i = 0; i < count && !error && !in.failed; i++) {
        char *text = efg_reader_string(&in);
        uint64_t rank = efg_reader_number(&in), ranks = efg_reader_number(&in);
        in.failed |= rank > UINT32_MAX;
        if (text)
            totals->notes[totals->note_count++] = (struct efg_totals_note){text, (uint32_t)rank, ranks};
        else
            error = -ENOMEM;
    }
    if (!error && (in.failed || in.at != in.size))
        error = -EBADMSG;
    if (error)
        efg_totals_fini(totals);
    return error;
}
