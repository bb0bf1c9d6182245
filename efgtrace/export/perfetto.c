/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trace events as Chrome and Perfetto read them: one JSON object whose traceEvents come in no
 * order. The trace is read twice: first to learn why calls wait. Then all is written as it comes,
 * but for messages: one end waits for the other, so that none has one end only. The memory is that
 * of the messages and call sites, and of waits.h.
 *
 *     process  a rank      thread 2 t + 1: iterations of thread t, 2 t + 2: its calls
 *     X        a call or an iteration, from ts for dur us
 *     B, E     a function on the call path begins at its first call, and ends with its last one: what two
 *              calls in a row have in common stays open
 *     s, f     the ends of a message, with the id of the pair; each is bound to the call that
 *              is under way then
 *
 * Source: "Trace Event Format", of the Chromium project.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "cli/json.h"
#include "files/otf2/otf2.h"
#include "files/summary/summary.h"
#include "formats.h"
#include "recorded/pairs.h"
#include "recorded/sites.h"
#include "waits/waits.h"

#define PIECE (1 << 20) /* bytes at a time */

struct writing {
    FILE *file;
    int error; /* of writing: 0 or -errno */
    struct efg_buffer out;
    struct efg_recorded recorded;
    struct efg_recorded_names names;
    struct efg_recorded_pairs pairs;
    struct efg_map end_of; /* a pair -> the number of its first end */
    struct end {
        struct efg_recorded_message message;
        uint32_t rank, track;
        enum efg_wait kind; /* if its call waits for the other end */
    } * ends;
    struct efg_waits waits;
    uint32_t location;        /* the present one: from 1 */
    uint64_t calls;           /* of it, so far */
    struct efg_buffer *sites; /* what begins the event of a call, by site */
    struct stack {            /* and the functions on its call path, outermost first, as JSON */
        char **names;
        uint32_t depth;
        bool has_main;
    } * stacks;
    uint32_t site_count;
    uint32_t open, open_depth; /* the site whose functions are open, and how many of them */
    uint64_t last;             /* when the last call of the location ended */
    uint32_t window;           /* that it was in */
    uint32_t rank, thread;     /* the present location */
    bool has_iterations;       /* it does */
    bool has_begun;            /* an event was written */
};

static void flush(struct writing *w)
{
    if (!w->out.failed && fwrite(w->out.data, 1, w->out.size, w->file) != w->out.size) {
        w->error = -errno;
        w->out.failed = true;
    }
    w->out.size = 0;
}

/* What has gone wrong: the file, or memory. */
static int outcome(const struct writing *w)
{
    return w->error ? w->error : w->out.failed ? -ENOMEM : 0;
}

static void put_comma(struct writing *w)
{
    if (w->has_begun)
        efg_buffer_put(&w->out, ",\n", 2);
    w->has_begun = true;
}

/* --- names of tracks --- */

/* WHAT: process or thread. */
static void put_name(struct writing *w, const char *what, uint32_t track, const char *name, uint32_t place)
{
    put_comma(w);
    efg_buffer_print(&w->out,
                     "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s_name\","
                     "\"args\":{\"name\":\"%s\"}},\n",
                     w->rank, track, what, name);
    efg_buffer_print(&w->out,
                     "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s_sort_index\","
                     "\"args\":{\"sort_index\":%u}}",
                     w->rank, track, what, place);
}

static uint32_t track_of(const struct writing *w, bool of_iterations)
{
    return 2 * w->thread + (of_iterations ? 1 : 2);
}

static void put_thread(struct writing *w, bool of_iterations)
{
    char name[64] = "main thread";
    uint32_t track = track_of(w, of_iterations);
    if (w->thread)
        snprintf(name, sizeof name, "%sthread %u", of_iterations ? "iterations of " : "", w->thread);
    else if (of_iterations)
        snprintf(name, sizeof name, "iterations");
    put_name(w, "thread", track, name, track);
}

static void put_time(struct writing *w, const char *name, uint64_t ns)
{
    efg_buffer_print(&w->out, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
}

/* --- functions --- */

static void close_functions(struct writing *w, uint32_t depth)
{
    for (; w->open_depth > depth; w->open_depth--) {
        put_comma(w);
        efg_buffer_print(&w->out, "{\"ph\":\"E\",\"pid\":%u,\"tid\":%u", w->rank, track_of(w, false));
        put_time(w, "ts", w->last);
        efg_buffer_print(&w->out, "}");
    }
}

static void open_functions(struct writing *w, uint32_t site, uint64_t begin)
{
    const struct stack *stack = &w->stacks[site], *before = &w->stacks[w->open];
    uint32_t common = 0;
    while (common < w->open_depth && common < stack->depth &&
           !strcmp(before->names[common], stack->names[common]))
        common++;
    close_functions(w, common);
    w->open = site;
    for (; w->open_depth < stack->depth; w->open_depth++) {
        put_comma(w);
        efg_buffer_print(&w->out, "{\"ph\":\"B\",\"cat\":\"function\",\"name\":%s,\"pid\":%u,\"tid\":%u",
                         stack->names[w->open_depth], w->rank, track_of(w, false));
        put_time(w, "ts", begin);
        efg_buffer_print(&w->out, "}");
    }
}

static int push_name(struct stack *stack, const char *name)
{
    struct efg_buffer text = {0};
    efg_json_quote(&text, name);
    efg_buffer_put(&text, "", 1);
    if (text.failed || efg_array_grow(&stack->names, stack->depth, 1, sizeof *stack->names)) {
        efg_buffer_fini(&text);
        return -ENOMEM;
    }
    stack->names[stack->depth++] = (char *)text.data;
    return 0;
}

#define START_FRAMES 4 /* outside of a main without a name there are at most so many */

/* The C library's functions, at the outer end, start programs and threads. */
static bool is_start(const char *module)
{
    static const char *const libraries[] = {"/libc.so", "/libc-2.", "/libpthread", "/ld-linux", "/ld-musl"};
    const char *slash = strrchr(module, '/');
    for (size_t i = 0; slash && i < sizeof libraries / sizeof *libraries; i++)
        if (!strncmp(slash, libraries[i], strlen(libraries[i])))
            return true;
    return false;
}

static void drop_names(struct stack *stack)
{
    for (uint32_t i = 0; i < stack->depth; i++)
        free(stack->names[i]);
    stack->depth = 0;
}

/* The functions of FRAME, outermost first. */
static int push_frame(struct stack *stack, const struct efg_run *run, const struct efg_frame *frame)
{
    const char *module = efg_run_module(run, frame->module);
    const struct efg_run_site *site = efg_run_site(run, module, frame->offset);
    char name[512];
    int error = 0;
    efg_summary_address(name, sizeof name, module, frame->offset);
    if (!site || !site->symbol_count)
        return push_name(stack, name);
    for (uint32_t i = site->symbol_count; i-- > 0 && !error;) {
        if (!strcmp(site->symbols[i].function, "main") && !stack->has_main) {
            drop_names(stack); /* what is outside of it starts the program */
            stack->has_main = true;
        }
        if (strcmp(site->symbols[i].function, "?"))
            efg_summary_short(run, name, sizeof name, site->symbols[i].function);
        error = push_name(stack, name);
    }
    return error;
}

static int make_stack(const struct writing *w, uint32_t site, struct stack *stack)
{
    struct efg_node node;
    const struct efg_run_path *path = NULL;
    int error = 0;
    if (!efg_recorded_node(&w->names, &w->recorded.sites[site], &node))
        path = efg_run_path(w->names.run, node.signature.path);
    for (uint32_t i = path ? path->depth : 0; i-- > 0 && !error;) {
        const struct efg_frame *frame = &path->frames[i];
        error = push_frame(stack, w->names.run, frame);
        if (path->depth - i <= START_FRAMES && is_start(efg_run_module(w->names.run, frame->module)))
            drop_names(stack);
    }
    return error;
}

/* --- locations --- */

static void put_location(struct writing *w, const struct efg_recorded_item *item)
{
    char name[32];
    close_functions(w, 0);
    w->last = 0;
    w->rank = item->location.rank;
    w->thread = item->location.thread;
    w->has_iterations = false;
    w->location++;
    w->calls = 0;
    snprintf(name, sizeof name, "MPI Rank %u", w->rank);
    if (!w->thread)
        put_name(w, "process", 0, name, w->rank);
    put_thread(w, false);
}

/* --- calls and iterations --- */

/* What all events of SITE begin with; NULL without memory. */
static const struct efg_buffer *text_of(struct writing *w, uint32_t site)
{
    for (; site >= w->site_count; w->site_count++) {
        if (efg_array_grow(&w->sites, w->site_count, 1, sizeof *w->sites) ||
            efg_array_grow(&w->stacks, w->site_count, 1, sizeof *w->stacks))
            return NULL;
        w->sites[w->site_count] = (struct efg_buffer){0};
        w->stacks[w->site_count] = (struct stack){0};
    }
    struct efg_buffer *text = &w->sites[site];
    if (text->size)
        return text;
    char place[512];
    efg_recorded_place(&w->names, &w->recorded.sites[site], place, sizeof place);
    efg_buffer_print(text, "{\"ph\":\"X\",\"cat\":\"mpi\",\"name\":");
    efg_json_quote(text, w->recorded.sites[site].function);
    efg_buffer_print(text, ",\"args\":{\"site\":");
    efg_json_quote(text, place);
    w->out.failed |= make_stack(w, site, &w->stacks[site]) != 0;
    return text;
}

static void put_waiting(struct writing *w, struct efg_waits_state state)
{
    if (!state.time)
        return;
    efg_buffer_print(&w->out, ",\"waiting\":\"%s\"", efg_wait_name(state.kind));
    put_time(w, "waiting_us", state.time);
    if (state.rank != EFG_NONE)
        efg_buffer_print(&w->out, ",\"for_rank\":%u", state.rank);
}

static void put_call(struct writing *w, const struct efg_recorded_call *call)
{
    const struct efg_buffer *text = text_of(w, call->site);
    w->out.failed |= !text || text->failed;
    if (w->out.failed)
        return;
    if (call->window != w->window)
        close_functions(w, 0);
    w->window = call->window;
    open_functions(w, call->site, call->begin);
    w->last = call->end;
    put_comma(w);
    efg_buffer_put(&w->out, text->data, text->size);
    if (call->bytes)
        efg_buffer_print(&w->out, ",\"bytes\":%" PRIu64, call->bytes);
    if (call->iteration != EFG_RECORDED_NONE)
        efg_buffer_print(&w->out, ",\"iteration\":%" PRIu64, call->iteration);
    if (call->polls)
        efg_buffer_print(&w->out, ",\"polls\":%u", call->polls);
    put_waiting(w, efg_waits_state(&w->waits, w->location - 1, w->calls++));
    efg_buffer_print(&w->out, "},\"pid\":%u,\"tid\":%u", w->rank, track_of(w, false));
    put_time(w, "ts", call->begin);
    put_time(w, "dur", call->end - call->begin);
    efg_buffer_print(&w->out, "}");
}

/* Iterations touch each other. Readers take us as floating point numbers, or round them to ns,
 * each in its way, and then one seems to begin before the last has ended, which they drop or
 * nest: so there is a gap of 1 ns. */
static void put_iteration(struct writing *w, const struct efg_recorded_span *span)
{
    uint64_t duration = span->end - span->begin;
    const char *kept = efg_otf2_kept(span->kept);
    if (!w->has_iterations)
        put_thread(w, true);
    w->has_iterations = true;
    put_comma(w);
    efg_buffer_print(&w->out,
                     "{\"ph\":\"X\",\"cat\":\"iteration\",\"name\":\"iteration %" PRIu64
                     "\",\"args\":{\"iteration\":%" PRIu64 ",\"kept\":\"%s\"},\"pid\":%u,\"tid\":%u",
                     span->number, span->number, kept ? kept : "", w->rank, track_of(w, true));
    put_time(w, "ts", span->begin);
    put_time(w, "dur", duration - (duration > 0));
    efg_buffer_print(&w->out, "}");
}

/* --- messages --- */

/* The kind, if the call that completes this end waits for the other one. */
static enum efg_wait kind_of(const struct writing *w, const struct efg_recorded_message *m)
{
    struct efg_waits_state state = efg_waits_state(&w->waits, w->location - 1, m->done);
    bool is_it = m->is_send ? state.kind == EFG_WAIT_RECEIVER && state.rank == m->to
                            : state.kind == EFG_WAIT_SENDER && state.rank == m->from;
    return is_it ? state.kind : EFG_WAIT_NONE;
}

/* A receive is recorded at the end of its call, which is outside of it for a reader. */
static void put_end(struct writing *w, const struct end *end, uint64_t number, enum efg_wait kind)
{
    const struct efg_recorded_message *m = &end->message;
    put_comma(w);
    efg_buffer_print(&w->out,
                     "{\"ph\":\"%s,\"cat\":\"message\",\"name\":\"message\",\"id\":%" PRIu64
                     ",\"pid\":%u,\"tid\":%u",
                     m->is_send ? "s\"" : "f\",\"bp\":\"e\"", number, end->rank, end->track);
    put_time(w, "ts", m->time - (!m->is_send && m->time));
    efg_buffer_print(&w->out, ",\"args\":{\"from\":%u,\"to\":%u,\"tag\":%u,\"bytes\":%" PRIu64, m->from,
                     m->to, m->tag, m->bytes);
    if (kind)
        efg_buffer_print(&w->out, ",\"waiting\":\"%s\"", efg_wait_name(kind));
    efg_buffer_print(&w->out, "}}");
}

static void put_message(struct writing *w, const struct efg_recorded_message *message)
{
    struct end end = {*message, w->rank, track_of(w, false), kind_of(w, message)};
    uint64_t pair = efg_recorded_pairs_add(&w->pairs, message), known = w->end_of.count;
    uint64_t *number = pair == EFG_RECORDED_NONE ? NULL : efg_map_put(&w->end_of, pair);
    bool is_first = w->end_of.count > known;
    if (!number || (is_first && efg_array_grow(&w->ends, known, 1, sizeof end))) {
        w->out.failed = true;
    } else if (is_first) {
        *number = known;
        w->ends[known] = end;
    } else {
        enum efg_wait kind = end.kind ? end.kind : w->ends[*number].kind;
        put_end(w, &w->ends[*number], *number, kind);
        put_end(w, &end, *number, kind);
    }
}

/* --- the trace --- */

static int put(void *data, const struct efg_recorded_item *item)
{
    struct writing *w = data;
    switch (item->kind) {
    case EFG_RECORDED_LOCATION:
        put_location(w, item);
        break;
    case EFG_RECORDED_CALL:
        put_call(w, &item->call);
        break;
    case EFG_RECORDED_ITERATION:
        put_iteration(w, &item->span);
        break;
    case EFG_RECORDED_MESSAGE:
        put_message(w, &item->message);
        break;
    }
    if (w->out.size >= PIECE)
        flush(w);
    return outcome(w);
}

static void put_begin(struct writing *w, const struct efg_run *run)
{
    efg_buffer_print(&w->out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"application\":");
    efg_json_quote(&w->out, run->application);
    efg_buffer_print(&w->out, ",\"command\":");
    efg_json_quote(&w->out, run->command);
    efg_buffer_print(&w->out, ",\"writer\":\"efgtrace " EFG_VERSION "\"},\"traceEvents\":[\n");
}

/* Returns 0 or -errno; if the trace cannot be read, with a MESSAGE. */
static int write_all(struct writing *w, const struct efg_run *run, char *message, size_t size)
{
    int error = efg_recorded_names_init(&w->names, run);
    if (error)
        return error;
    put_begin(w, run);
    error = efg_waits_read(&w->waits, &w->recorded, run);
    if (!error) {
        efg_recorded_close(&w->recorded);
        error = efg_recorded_all(&w->recorded, run, put, w);
    }
    if (error == -EBADMSG)
        snprintf(message, size, "%s", w->recorded.message);
    efg_recorded_close(&w->recorded);
    if (error)
        return error;
    close_functions(w, 0);
    efg_buffer_print(&w->out, "\n]}\n");
    flush(w);
    return outcome(w);
}

int efg_export_perfetto(FILE *file, const struct efg_run *run, char *message, size_t size)
{
    struct writing w = {.file = file};
    *message = '\0';
    int error = write_all(&w, run, message, size);
    for (uint32_t i = 0; i < w.site_count; i++)
        efg_buffer_fini(&w.sites[i]);
    for (uint32_t i = 0; i < w.site_count; i++)
        drop_names(&w.stacks[i]);
    for (uint32_t i = 0; i < w.site_count; i++)
        free(w.stacks[i].names);
    free(w.sites);
    free(w.stacks);
    efg_recorded_pairs_fini(&w.pairs);
    efg_map_fini(&w.end_of);
    free(w.ends);
    efg_waits_fini(&w.waits);
    efg_recorded_names_fini(&w.names);
    efg_buffer_fini(&w.out);
    return error;
}
