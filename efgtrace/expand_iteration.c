/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the calls of one recorded iteration, from the trace. When an iteration began is known only when all
 * of its calls have been read, so these wait, of one thread at a time.
 */
#include "expand_iteration.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/complain.h"
#include "files/summary/summary.h"
#include "recorded/numbers.h"
#include "recorded/sites.h"

struct reading {
    const struct efg_expand_iteration *what;
    const struct efg_run *run;
    struct efg_recorded recorded;
    struct efg_recorded_names names;
    struct efg_buffer *out;
    struct efg_buffer calls; /* struct efg_recorded_call: of the present thread, in such an iteration */
    uint32_t rank, thread;
    bool is_wanted; /* the present thread */
    bool is_there;  /* the iteration, on some rank */
    bool many;      /* ranks */
};

void efg_expand_put_frames(struct efg_buffer *text, const struct efg_run *run, const struct efg_node *node)
{
    char frame[512];
    for (uint32_t i = 1; efg_summary_frame(run, node, i, frame, sizeof frame); i++)
        efg_buffer_print(text, " < %s", frame);
}

static void put_call(struct reading *r, const struct efg_recorded_call *call, uint64_t number, uint64_t begin)
{
    const struct efg_recorded_site *site = &r->recorded.sites[call->site];
    char label[512], where[32] = "";
    struct efg_node node;
    if (r->thread)
        snprintf(where, sizeof where, "%4u.%u  ", r->rank, r->thread);
    else if (r->many)
        snprintf(where, sizeof where, "%4u  ", r->rank);
    efg_recorded_label(&r->names, site, label, sizeof label);
    efg_buffer_print(r->out, "%10" PRIu64 "  %s%14.3f %12.3f  %s", number, where,
                     (double)(call->begin - begin) / 1e3, (double)(call->end - call->begin) / 1e3, label);
    if (call->polls)
        efg_buffer_print(r->out, " (%u polls that found nothing)", call->polls);
    if (r->what->paths && !efg_recorded_node(&r->names, site, &node))
        efg_expand_put_frames(r->out, r->run, &node);
    efg_buffer_put(r->out, "\n", 1);
}

static void put_calls(struct reading *r, const struct efg_recorded_span *span)
{
    const struct efg_recorded_call *calls = (struct efg_recorded_call *)r->calls.data;
    uint64_t number = 0;
    for (size_t i = 0; i < r->calls.size / sizeof *calls; i++)
        if (calls[i].window == span->window && ++number >= r->what->from && number <= r->what->to)
            put_call(r, &calls[i], number, span->begin);
    r->calls.size = 0;
}

static void begin_thread(struct reading *r, uint32_t rank, uint32_t thread)
{
    uint32_t index = efg_run_index(r->run, rank);
    r->rank = rank;
    r->thread = thread;
    r->is_wanted = index != EFG_NONE && r->what->is_wanted[index] &&
                   (r->what->thread == UINT64_MAX || r->what->thread == thread);
    r->calls.size = 0;
}

static int take(void *data, const struct efg_recorded_item *item)
{
    struct reading *r = data;
    if (item->kind == EFG_RECORDED_LOCATION)
        begin_thread(r, item->location.rank, item->location.thread);
    if (item->kind == EFG_RECORDED_CALL && r->is_wanted && item->call.iteration == r->what->number)
        efg_buffer_put(&r->calls, &item->call, sizeof item->call);
    if (item->kind == EFG_RECORDED_ITERATION && item->span.number == r->what->number) {
        r->is_there = true;
        if (r->is_wanted)
            put_calls(r, &item->span);
    }
    return r->calls.failed || r->out->failed ? -ENOMEM : 0;
}

static int read_all(struct reading *r)
{
    int error = efg_recorded_names_init(&r->names, r->run);
    if (!error)
        error = efg_recorded_all(&r->recorded, r->run, take, r);
    if (error == -EBADMSG)
        return efg_complain("expand", r->recorded.message);
    if (error)
        return efg_complain("expand", "no memory for the calls");
    return r->is_there ? 0 : efg_recorded_complain("expand", r->run, r->what->number);
}

int efg_expand_iteration(struct efg_buffer *out, const struct efg_run *run,
                         const struct efg_expand_iteration *what)
{
    struct reading r = {.what = what, .run = run, .out = out, .recorded.pipe = -1};
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->rank_count; i++)
        count += what->is_wanted[i] != 0;
    r.many = count > 1;
    int error = read_all(&r);
    efg_recorded_close(&r.recorded);
    efg_recorded_names_fini(&r.names);
    efg_buffer_fini(&r.calls);
    return error;
}
