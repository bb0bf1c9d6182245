/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All ranks, one after the other: first each is walked to count how many messages its channels have at this
 * end, and what it says of collective operations. Then what all ranks have in common is known, and each can
 * be done.
 */
#include "replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/open.h"
#include "parts.h"

struct efg_replay_rank {
    struct efg_run_rank rank;
    struct efg_run_sequence sequence;
    const struct efg_run_thread *thread;
    const struct efg_run_sequence_thread *order;
};

/* --- a rank --- */

static void close_rank(struct efg_replay_rank *one)
{
    efg_run_sequence_fini(&one->sequence);
    efg_run_rank_fini(&one->rank);
}

static int open_rank(const struct efg_replay *r, uint32_t index, struct efg_replay_rank *one)
{
    char message[512];
    memset(one, 0, sizeof *one);
    if (efg_open_rank(r->run, r->command, index, &one->rank))
        return EFG_TOLD;
    int error = efg_runfile_sequence(r->run, one->rank.rank, &one->sequence, message, sizeof message);
    one->thread = efg_run_rank_thread(&one->rank);
    if (!error && (!one->thread || one->sequence.thread_count != one->rank.thread_count)) {
        snprintf(message, sizeof message, "rank %u has no calls, or an order of other threads",
                 one->rank.rank);
        error = -EBADMSG;
    }
    if (error) {
        close_rank(one);
        return efg_complain(r->command, message);
    }
    one->order = &one->sequence.threads[one->thread - one->rank.threads];
    return 0;
}

static int explain(const struct efg_replay *r, uint32_t rank, int error)
{
    char text[128];
    if (error == EFG_TOLD || (error != -EBADMSG && error != -ENOMEM))
        return error;
    snprintf(text, sizeof text,
             error == -ENOMEM ? "no memory for the calls of rank %u"
                              : "run.efg is damaged: the order of rank %u makes no sense",
             rank);
    return efg_complain(r->command, text);
}

static int walk(struct efg_replay *r, const struct efg_replay_rank *one, struct efg_replay_walk *w,
                uint32_t index)
{
    uint64_t duration = efg_run_rank_duration(&one->rank);
    w->replay = r;
    w->facts = &r->facts[index];
    w->thread = one->thread;
    w->rank = one->rank.rank;
    return efg_replay_walk(w, one->order, duration);
}

/* --- what is not replayed --- */

static void add_sums(struct efg_replay *r, const struct efg_replay_rank *one)
{
    struct efg_replay_sums *sums = &r->sums;
    uint64_t duration = efg_run_rank_duration(&one->rank), events = one->thread->graph.events;
    for (uint32_t i = 0; i < one->rank.thread_count; i++)
        if (&one->rank.threads[i] != one->thread)
            sums->threads += one->rank.threads[i].graph.events;
    sums->lost += events > one->order->events ? events - one->order->events : 0;
    sums->end = duration > sums->end ? duration : sums->end;
    sums->time += duration;
    sums->used += one->rank.processor.used;
    sums->starved += one->rank.processor.waited;
}

/* --- all of them --- */

static int count_rank(struct efg_replay *r, uint32_t index)
{
    struct efg_replay_rank one;
    struct efg_replay_walk w = {.is_count = true};
    if (open_rank(r, index, &one))
        return EFG_TOLD;
    int missing = efg_replay_align(r, &r->facts[index], one.thread, one.order, one.rank.start),
        error = missing < 0 ? missing : efg_replay_fill_gaps(&r->facts[index], &one.thread->graph);
    if (!error)
        error = walk(r, &one, &w, index);
    if (!error) {
        efg_replay_meet_close(&w);
        efg_replay_end_gaps(&r->facts[index], &one.thread->graph);
        r->sums.not_found += (uint64_t)missing;
        add_sums(r, &one);
    }
    error = explain(r, one.rank.rank, error);
    close_rank(&one);
    return error;
}

/* As many are sent as are received. */
static void set_limits(struct efg_replay *r)
{
    for (uint32_t i = 0; i < r->channel_keys.count; i++) {
        struct efg_replay_channel *c = &r->channels[i];
        c->limit = c->begun[0] < c->begun[1] ? c->begun[0] : c->begun[1];
        r->sums.left_out += c->begun[0] + c->begun[1] - 2 * c->limit;
        memset(c->begun, 0, sizeof c->begun);
        memset(c->ended, 0, sizeof c->ended);
    }
    for (uint32_t i = 0; i < r->group_keys.count; i++)
        r->groups[i].walker = EFG_NONE;
}

/* The thread of each rank that is replayed. */
static int choose_threads(struct efg_replay *r)
{
    for (uint32_t i = 0; i < r->run->rank_count; i++) {
        struct efg_run_rank rank;
        if (efg_open_rank(r->run, r->command, i, &rank))
            return EFG_TOLD;
        const struct efg_run_thread *thread = efg_run_rank_thread(&rank);
        r->facts[i].has_thread = thread != NULL;
        r->facts[i].thread = thread ? thread->number : 0;
        efg_run_rank_fini(&rank);
    }
    return 0;
}

static int read_all(struct efg_replay *r)
{
    int error = choose_threads(r);
    if (!error)
        error = efg_replay_learn(r);
    for (uint32_t i = 0; i < r->run->rank_count && !error; i++)
        error = count_rank(r, i);
    set_limits(r);
    return error;
}

struct efg_replay *efg_replay_open(const struct efg_run *run, const char *command)
{
    char text[256];
    struct efg_replay *r = NULL;
    if (!run->rank_count || run->rank_count < run->size) {
        snprintf(text, sizeof text,
                 "a replay needs all ranks, and run.efg has %u of %u: the others ran without efgtrace, or "
                 "were killed",
                 run->rank_count, run->size);
        efg_complain(command, text);
        return NULL;
    }
    r = calloc(1, sizeof *r);
    if (r)
        *r = (struct efg_replay){
            .run = run, .command = command, .facts = calloc(run->rank_count, sizeof *r->facts)};
    if (!r || !r->facts)
        efg_complain(command, "no memory for the ranks");
    if (r && r->facts && !read_all(r))
        return r;
    efg_replay_close(r);
    return NULL;
}

static void close_facts(struct efg_replay_facts *f)
{
    efg_map_fini(&f->sites);
    free(f->calls);
    free(f->facts);
    free(f->list);
    free(f->segments);
    free(f->first_segment);
    free(f->gaps);
    free(f->stretch);
}

void efg_replay_close(struct efg_replay *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; r->facts && i < r->run->rank_count; i++)
        close_facts(&r->facts[i]);
    for (uint32_t i = 0; i < r->group_keys.count && r->groups; i++) {
        free(r->groups[i].members);
        free(r->groups[i].meetings);
    }
    efg_otf2_table_fini(&r->channel_keys);
    efg_otf2_table_fini(&r->tag_keys);
    efg_otf2_table_fini(&r->group_keys);
    free(r->channels);
    free(r->groups);
    free(r->facts);
    free(r);
}

int efg_replay_rank(struct efg_replay *r, uint32_t index,
                    int (*give)(void *data, const struct efg_replay_action *action), void *data)
{
    struct efg_replay_rank one;
    struct efg_replay_walk w = {.give = give, .data = data};
    if (open_rank(r, index, &one))
        return EFG_TOLD;
    int error = explain(r, one.rank.rank, walk(r, &one, &w, index));
    close_rank(&one);
    return error;
}

const struct efg_replay_sums *efg_replay_sums(const struct efg_replay *r)
{
    return &r->sums;
}
