/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matches the messages of all ranks. No rank knows how many blocks it will receive. So: a synchronous send
 * to each partner; receive whatever comes, until this rank's sends have all been received; then a
 * nonblocking barrier, still receiving, until it is over. A rank in the barrier has no block under way, so
 * when all are in it, there is none. No vector over all ranks is ever made.
 *
 * Source: Hoefler, Siebert, Lumsdaine, Scalable communication protocols for dynamic sparse
 * data exchange, 2010 (algorithm NBX).
 */
#include "matching.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "files/match/channels.h"
#include "repair.h"
#include "runtime/mpi/comms.h"
#include "runtime/process/job.h"
#include "runtime/watch/threads.h"
#include "runtime/watch/windows.h"

#define MESSAGE_WORDS (sizeof(struct efg_run_messages) / sizeof(uint64_t))
#define CUT_WORDS 8

static const struct efg_job *const job = &efg_job;

/* --- the logs --- */

static void read_logs(struct efg_channels *c)
{
    char path[EFG_PATH];
    struct efg_log_view log;
    for (struct efg_thread *t = efg_threads.list; t && job->folder[0]; t = t->next) {
        efg_job_path(t->number, EFG_JOB_LOG, path);
        if (efg_log_open(&log, path, NULL) != 0)
            continue;
        c->traffic = t->recorder.traffic;
        efg_channels_add(c, &log);
        efg_log_unmap(&log);
    }
}

/* --- blocks under way --- */

struct direction { /* of blocks: how they are made, what becomes of them, and the tag that they have */
    uint32_t (*put)(const struct efg_channels *c, uint32_t *at, struct efg_buffer *block);
    int (*get)(struct efg_channels *c, const void *block, size_t size);
    int tag;
};

static const struct direction there = {efg_channels_put, efg_channels_get, 1},
                              back = {efg_channels_put_back, efg_channels_get_back, 5},
                              needs = {efg_channels_put_needs, efg_channels_get_needs, 6};

struct post { /* blocks to other ranks */
    struct efg_buffer *blocks;
    MPI_Request *requests;
    uint32_t count;
};

static int make_room(struct post *post)
{
    int error = efg_array_grow(&post->blocks, post->count, 1, sizeof *post->blocks);

    return error ? error : efg_array_grow(&post->requests, post->count, 1, sizeof *post->requests);
}

/* The blocks are made first: they stay where they are while they are under way. */
static void send_all(struct post *post, struct efg_channels *c, const struct direction *way)
{
    for (uint32_t at = 0; at < c->count && !c->failed;) {
        struct efg_buffer block = {0};
        uint32_t destination = way->put(c, &at, &block);
        int place = efg_census_place(&job->here, destination);
        bool is_to_send = block.size && place >= 0 && destination != (uint32_t)job->rank;
        if (block.failed || block.size > INT_MAX || (is_to_send && make_room(post))) {
            c->failed = true;
        } else if (is_to_send) {
            PMPI_Issend(block.data, (int)block.size, MPI_BYTE, place, way->tag, job->comm,
                        &post->requests[post->count]);
            post->blocks[post->count++] = block;
            continue;
        }
        efg_buffer_fini(&block);
    }
}

/* A block that has come, if there is one. */
static bool receive(struct efg_channels *c, const struct direction *way)
{
    int some = 0, size = 0;
    MPI_Status status;
    PMPI_Iprobe(MPI_ANY_SOURCE, way->tag, job->comm, &some, &status);
    if (!some)
        return false;
    PMPI_Get_count(&status, MPI_BYTE, &size);
    char *block = malloc((size_t)size + 1), nothing;
    PMPI_Recv(block ? block : &nothing, block ? size : 0, MPI_BYTE, status.MPI_SOURCE, way->tag, job->comm,
              MPI_STATUS_IGNORE);
    if (!block || way->get(c, block, (size_t)size) != 0)
        c->failed = true;
    free(block);
    return true;
}

/* Between two of the same kind all ranks have to wait for each other. */
static void exchange(struct efg_channels *c, const struct direction *way)
{
    struct post post = {0};
    MPI_Request barrier = MPI_REQUEST_NULL;
    int is_over = 0, all_sent = 0;

    PMPI_Comm_set_errhandler(job->comm, MPI_ERRORS_RETURN); /* a block that is lost is no reason to die */
    send_all(&post, c, way);
    while (!is_over) {
        bool some = receive(c, way);
        if (all_sent) {
            PMPI_Test(&barrier, &is_over, MPI_STATUS_IGNORE);
        } else {
            PMPI_Testall((int)post.count, post.requests, &all_sent, MPI_STATUSES_IGNORE);
            if (all_sent)
                PMPI_Ibarrier(job->comm, &barrier);
        }
        if (!some && !is_over)
            sched_yield();
    }
    for (uint32_t i = 0; i < post.count; i++)
        efg_buffer_fini(&post.blocks[i]);
    free(post.blocks);
    free(post.requests);
}

/* All ranks have as many windows, some of which may be empty: then they are proven together. */
static void add_windows(struct efg_channels *c)
{
    uint32_t most = c->window_count;
    PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT32_T, MPI_MAX, job->comm);
    bool is_short = efg_array_grow(&c->windows, c->window_count, most - c->window_count, sizeof *c->windows);
    int ready = !is_short;
    PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, job->comm);
    c->failed |= !ready;
    if (!ready)
        c->window_count = 0;
    while (ready && c->window_count < most)
        c->windows[c->window_count++] = (struct efg_channels_window){.first = UINT64_MAX};
}

static void load(struct efg_channels *c)
{
    read_logs(c);
    add_windows(c);
    efg_channels_sort(c);
    exchange(c, &there);
}

/* To the ranks that sent what was received before the windows began. */
static void reply(struct efg_channels *c)
{
    if (c->leads.depth >= 0 && !c->leads.is_by_ends)
        return;
    efg_channels_sort_back(c);
    exchange(c, &back);
}

/* Read the logs again, which have changed. */
static void reload(struct efg_channels *c)
{
    efg_channels_empty(c);
    load(c);
}

/* --- margins --- */

#define JOINED 32 /* windows at once */

static void join_rests(struct efg_channels_window *windows, uint32_t count)
{
    uint64_t words[2 * JOINED];
    for (uint32_t at = 0; at < count; at += JOINED) {
        uint32_t some = count - at < JOINED ? count - at : JOINED;
        for (uint32_t i = 0; i < some; i++) {
            words[2 * i] = windows[at + i].rest.sum;
            words[2 * i + 1] = (uint64_t)windows[at + i].rest.count;
        }
        PMPI_Allreduce(MPI_IN_PLACE, words, (int)(2 * some), MPI_UINT64_T, MPI_SUM, job->comm);
        for (uint32_t i = 0; i < some; i++)
            windows[at + i].rest = (struct efg_flight){words[2 * i], (int64_t)words[2 * i + 1]};
    }
}

/* Without memory a log keeps its margins. */
static void trim_logs(const struct efg_channels *c)
{
    char path[EFG_PATH];
    struct efg_trim_margins margins;
    for (const struct efg_thread *t = efg_threads.list; t && job->folder[0]; t = t->next) {
        if (efg_channels_margins(c, (uint32_t)job->rank, t->number, &margins) != 0)
            continue;
        margins.is_leader = t == efg_threads.leader;
        efg_job_path(t->number, EFG_JOB_LOG, path);
        efg_trim_margins(path, &margins);
        efg_channels_margins_fini(&margins);
    }
}

/* Of the margins of windows, only the other ends of messages inside stay, and what is inside without another
 * end goes; neither where nothing is proven, or clocks were wrong: they may have been so at other times than
 * those of windows. */
static void trim(struct efg_channels *c)
{
    int some = c->has_margins;
    PMPI_Allreduce(MPI_IN_PLACE, &some, 1, MPI_INT, MPI_MAX, job->comm);
    if (!some)
        return;
    if (c->leads.slack)
        efg_channels_doubt(c);
    if (efg_channels_has_any_proven(c)) {
        efg_channels_need(c, (uint32_t)job->rank);
        efg_channels_sort_back(c);
        exchange(c, &needs);
    }
    trim_logs(c);
    c->is_trimmed = true;
    reload(c);
    efg_channels_prove(c, (uint32_t)job->rank, join_rests);
}

/* --- over all ranks --- */

static void sum_messages(struct efg_run *run, const struct efg_channels *c, const struct efg_strays *strays)
{
    struct efg_run_messages mine = {.unknown = 1};
    if (!c->failed)
        mine = efg_channels_match(c, (uint32_t)job->rank);
    mine.left_out += strays->count;
    PMPI_Reduce(&mine, &run->messages, MESSAGE_WORDS, MPI_UINT64_T, MPI_SUM, 0, job->comm);
}

/* Of a number or a time below 2^63: the less it is, the more is this, which is never below the
 * 0 of a rank that has none. MPICH compares unsigned words as signed ones, so the highest bit
 * is left out. */
static uint64_t turned(uint64_t x)
{
    return INT64_MAX - x;
}

/* A maximum is least and most of numbers and times of both ends: the least is the most of what
 * is turned. */
static void put_spans(uint64_t *words, uint32_t *ranks, const struct efg_channels *c)
{
    for (uint32_t i = 0; i < c->window_count; i++, words += CUT_WORDS) {
        const struct efg_channels_window *span = &c->windows[i];
        if (c->failed || span->first >= span->last)
            continue;
        words[0] = turned(span->first);
        words[1] = span->first;
        words[2] = turned(span->last);
        words[3] = span->last;
        words[4] = turned(span->begin);
        words[5] = span->begin;
        words[6] = turned(span->end);
        words[7] = span->end;
        ranks[i] = 1;
    }
}

static void take_spans(struct efg_run *run, const uint64_t *words, const uint32_t *ranks, uint32_t count)
{
    run->cuts = calloc(count, sizeof *run->cuts);
    for (uint32_t i = 0; run->cuts && i < count; i++, words += CUT_WORDS)
        if (ranks[i])
            run->cuts[run->cut_count++] =
                (struct efg_run_cut){turned(words[0]), words[1], turned(words[2]), words[3], ranks[i],
                                     turned(words[4]), words[5], turned(words[6]), words[7]};
}

/* Rank 0 gets at most so many words as there are windows, eight for each. */
static void join_spans(struct efg_run *run, const struct efg_channels *c)
{
    uint32_t most = c->window_count;
    PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT32_T, MPI_MAX, job->comm);
    uint64_t *words = calloc((size_t)CUT_WORDS * 2 * (most + 1), sizeof *words);
    uint32_t *ranks = calloc((size_t)2 * (most + 1), sizeof *ranks);
    int ready = words && ranks;
    PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, job->comm);
    if (ready) {
        uint64_t *all_words = words + (size_t)CUT_WORDS * most;
        uint32_t *all_ranks = ranks + most;
        put_spans(words, ranks, c);
        PMPI_Reduce(words, all_words, (int)(CUT_WORDS * most), MPI_INT64_T, MPI_MAX, 0, job->comm);
        PMPI_Reduce(ranks, all_ranks, (int)most, MPI_UINT32_T, MPI_SUM, 0, job->comm);
        if (efg_job_is_first())
            take_spans(run, all_words, all_ranks, most);
    }
    free(words);
    free(ranks);
}

/* --- clocks --- */

/* The logs were moved: what they say now is what counts. */
static void count_left(struct efg_run *run, struct efg_channels *c)
{
    struct efg_skew skew = {0};
    uint64_t left, all = 0;
    efg_channels_prove(c, (uint32_t)job->rank, join_rests);
    efg_channels_gaps(c, (uint32_t)job->rank, &skew);
    left = efg_skew_early(&skew) + (c->leads.slack ? efg_channels_suspects(c, (uint32_t)job->rank) : 0);
    PMPI_Reduce(&left, &all, 1, MPI_UINT64_T, MPI_SUM, 0, job->comm);
    run->skew.left = all;
    efg_skew_fini(&skew);
}

/* By what is known of both ends of messages; C is read again where logs were moved. */
static void check_clocks(struct efg_run *run, struct efg_channels *c)
{
    struct efg_skew skew = {.failed = c->failed};
    bool moved = false;
    efg_channels_prove(c, (uint32_t)job->rank, join_rests);
    if (efg_channels_has_any_proven(c)) {
        efg_channels_gaps(c, (uint32_t)job->rank, &skew);
        moved = efg_repair_clocks(run, &skew);
    } else if (c->leads.slack) {
        efg_repair_refuse(run, efg_channels_suspects(c, (uint32_t)job->rank));
    }
    efg_skew_fini(&skew);
    if (!moved)
        return;
    reload(c);
    count_left(run, c);
}

/* What was under way is known if all ranks say it, of all windows. */
static void say_doubt(struct efg_run *run, const struct efg_channels *c)
{
    int is_known = !c->is_partial && c->window_count, all = 0;
    PMPI_Reduce(&is_known, &all, 1, MPI_INT, MPI_MIN, 0, job->comm);
    for (uint32_t i = 0; i < run->cut_count; i++)
        all &= run->cuts[i].ranks == (uint32_t)job->here.count;
    if (all && run->cut_count)
        run->messages.doubt = c->leads.doubt;
}

void efg_matching_check(struct efg_run *run, struct efg_strays *strays)
{
    struct efg_channels channels = {.is_here = job->here.member ? efg_comms_is_here : NULL};
    struct efg_span *inside = NULL;
    if (job->conf.mode == EFG_MODE_ADAPTIVE)
        inside = efg_windows_inside(&channels.inside_count);
    channels.inside = inside;
    load(&channels);
    check_clocks(run, &channels);
    trim(&channels);
    reply(&channels);
    efg_channels_strays(&channels, (uint32_t)job->rank, strays);
    sum_messages(run, &channels, strays);
    join_spans(run, &channels);
    say_doubt(run, &channels);
    run->is_checked = 1;
    efg_channels_fini(&channels);
    free(inside);
}
