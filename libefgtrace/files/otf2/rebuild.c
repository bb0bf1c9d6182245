/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An OTF2 trace from the run file: calls from the sequences, times from the sums.
 *
 * For each thread a log is made up that has the definitions, the same for all, its window and
 * its last moment, and so goes through the steps of every log; only its calls come from the
 * sequence, one at a time, so that nothing grows with their number. A rank that is not asked
 * for has an empty location.
 */
#include "parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "files/run/rebuild.h"

static const char description[] = "Rebuilt by efgtrace expand: the calls and their order are "
                                  "those of the run; their times are "
                                  "not, but made of the mean of each call site and of each "
                                  "transition. There are no messages.";

struct rebuilding {
    const struct efg_run *run;
    const char *is_wanted;     /* by index of the rank */
    uint32_t ranks;            /* of the trace */
    struct efg_buffer records; /* of all logs: definitions, and the last two of one thread */
    size_t definitions;        /* bytes of them */
    struct efg_log_header header;
    struct efg_otf2_unifier *unifier;
    OTF2_Archive *archive;
    uint64_t *events; /* by log */
    uint32_t logs;
    char *message;
    size_t size;
};

/* --- logs made up --- */

/* Only the last one has a time. */
static void put_record(struct efg_buffer *out, struct efg_record r, const void *payload)
{
    struct efg_log_place place = {
        .word = (void *)efg_buffer_extend(out, efg_log_room_for(r.d) * sizeof *place.word)};
    if (!place.word)
        return;
    place = efg_log_encode_definition(place, &r, payload);
    out->size = (size_t)((unsigned char *)place.word - out->data);
}

static void put_definitions(struct efg_buffer *out, const struct efg_run_names *names)
{
    for (uint32_t i = 0; i < names->call_count; i++)
        put_record(out,
                   (struct efg_record){.kind = EFG_REC_DEF_CALL,
                                       .call = (uint16_t)names->calls[i].id,
                                       .a = names->calls[i].class,
                                       .d = strlen(names->calls[i].name)},
                   names->calls[i].name);
    for (uint32_t i = 0; i < names->module_count; i++)
        put_record(out,
                   (struct efg_record){.kind = EFG_REC_DEF_MODULE, .a = i, .d = strlen(names->modules[i])},
                   names->modules[i]);
    for (uint32_t i = 0; i < names->path_count; i++)
        put_record(out,
                   (struct efg_record){.kind = EFG_REC_DEF_PATH,
                                       .a = i + 1,
                                       .d = names->paths[i].depth * sizeof(struct efg_frame),
                                       .e = names->paths[i].hash},
                   names->paths[i].frames);
}

/* One more than the last rank; 0 if the run file is not believed that there are so many. */
static uint32_t count_ranks(const struct efg_run *run)
{
    struct stat facts;
    uint64_t ranks = (uint64_t)run->ranks[run->rank_count - 1].rank + 1;
    uint64_t bytes = fstat(run->file - 1, &facts) ? 0 : (uint64_t)facts.st_size;
    return ranks <= UINT32_MAX && efg_otf2_believes(ranks, bytes) ? (uint32_t)ranks : 0;
}

/* The log of THREAD of RANK, but for its calls. */
static struct efg_log_view make_log(struct rebuilding *b, const struct efg_run_rank *rank, uint32_t thread)
{
    b->header = (struct efg_log_header){
        .rank = rank->rank,
        .ranks = b->ranks,
        .thread = rank->threads[thread].number,
        .ticks_per_second = EFG_OTF2_RESOLUTION,
        .sync = {{0, rank->start}},
        .package = rank->place.package + 1, /* EFG_NONE + 1 is 0 */
        .numa = rank->place.numa + 1,
        .core = rank->place.core + 1,
        .closed = 1,
        .full = 1,
    };
    strncpy(b->header.host, rank->host, sizeof b->header.host - 1);
    b->records.size = b->definitions;
    put_record(&b->records, (struct efg_record){.kind = EFG_REC_WINDOW_BEGIN}, NULL);
    put_record(&b->records, (struct efg_record){.time = efg_rebuild_end(&rank->threads[thread])}, NULL);
    return (struct efg_log_view){.header = &b->header,
                                 .words = (const void *)b->records.data,
                                 .count = b->records.size / sizeof(uint32_t)};
}

/* --- calls as records --- */

struct stream {
    struct efg_rebuild rebuild;
    struct efg_rebuilt call;
    struct efg_record record;
    bool is_inside; /* the call was entered */
};

static const struct efg_record *next_record(void *context)
{
    struct stream *s = context;
    if (!s->is_inside && !efg_rebuild_next(&s->rebuild, &s->call))
        return NULL;
    const struct efg_signature *is = &s->rebuild.graph->nodes[s->call.node].signature;
    s->record = (struct efg_record){.time = s->is_inside ? s->call.leave : s->call.enter,
                                    .kind = s->is_inside ? EFG_REC_LEAVE : EFG_REC_ENTER,
                                    .call = (uint16_t)is->call,
                                    .a = is->path};
    s->is_inside = !s->is_inside;
    return &s->record;
}

static int write_calls(struct rebuilding *b, const struct efg_run_rank *rank, uint32_t thread,
                       const struct efg_run_sequence_thread *sequence, int log)
{
    struct stream s = {0};
    struct efg_buffer map = {0};
    struct efg_otf2_count count = {0};
    struct efg_log_view view = make_log(b, rank, thread);
    int error = b->records.failed ? -ENOMEM : efg_otf2_map(b->unifier, log, &map);
    if (!error)
        error = efg_rebuild_init(&s.rebuild, &rank->threads[thread], sequence);
    if (!error) {
        error = efg_otf2_stream(b->archive, &view, map.data, map.size, next_record, &s, &count);
        b->events[log] = count.events;
        if (!error && s.rebuild.failed)
            error = -EBADMSG;
        efg_rebuild_fini(&s.rebuild);
    }
    efg_buffer_fini(&map);
    return error;
}

/* --- ranks --- */

static int add_log(struct rebuilding *b, const struct efg_run_rank *rank, uint32_t thread)
{
    struct efg_buffer scan = {0};
    struct efg_log_view view = make_log(b, rank, thread);
    if (efg_array_grow(&b->events, b->logs, 1, sizeof *b->events))
        return -ENOMEM;
    b->events[b->logs++] = 0;
    int error = b->records.failed ? -ENOMEM : efg_otf2_scan(&view, NULL, &scan);
    if (!error)
        error = efg_otf2_unify(b->unifier, scan.data, scan.size);
    efg_buffer_fini(&scan);
    return error < 0 ? error : 0;
}

typedef int with_rank(struct rebuilding *b, const struct efg_run_rank *rank, int *log);

static int define_rank(struct rebuilding *b, const struct efg_run_rank *rank, int *log)
{
    int error = 0;
    for (uint32_t i = 0; i < rank->thread_count && !error; i++)
        error = add_log(b, rank, i);
    *log += (int)rank->thread_count;
    return error;
}

static int write_rank(struct rebuilding *b, const struct efg_run_rank *rank, int *log)
{
    struct efg_run_sequence sequence;
    int error = efg_runfile_sequence(b->run, rank->rank, &sequence, b->message, b->size);
    if (!error && sequence.thread_count != rank->thread_count)
        error = -EBADMSG;
    for (uint32_t i = 0; i < rank->thread_count && !error; i++)
        error = write_calls(b, rank, i, &sequence.threads[i], (*log)++);
    efg_run_sequence_fini(&sequence);
    return error;
}

static int with_ranks(struct rebuilding *b, with_rank *do_it)
{
    int error = 0, log = 0;
    for (uint32_t i = 0; i < b->run->rank_count && !error; i++) {
        struct efg_run_rank rank;
        if (!b->is_wanted[i])
            continue;
        error = efg_runfile_rank(b->run, i, &rank, b->message, b->size);
        if (!error)
            error = do_it(b, &rank, &log);
        efg_run_rank_fini(&rank);
    }
    return error;
}

/* --- the archive --- */

static int write_archive(struct rebuilding *b)
{
    if (OTF2_Archive_SetSerialCollectiveCallbacks(b->archive) != OTF2_SUCCESS ||
        OTF2_Archive_SetDescription(b->archive, description) != OTF2_SUCCESS ||
        OTF2_Archive_SetBoolProperty(b->archive, "EFGTRACE::TIMES_REBUILT", true, true) != OTF2_SUCCESS)
        return -EIO;
    int error = efg_otf2_open_files(b->archive);
    if (!error)
        error = with_ranks(b, write_rank);
    if (!error)
        error = efg_otf2_absent(b->unifier, b->archive);
    if (!error)
        error = efg_otf2_close_files(b->archive);
    if (!error)
        error = efg_otf2_define(b->unifier, b->archive, b->events, false);
    return error;
}

/* After a failure the archive stays open: OTF2 cannot close it (events.c). */
static int make_archive(struct rebuilding *b, const char *dir)
{
    int error = with_ranks(b, define_rank);
    if (error)
        return error;
    if (efg_otf2_make(dir, 0))
        return -EIO;
    b->archive = efg_otf2_open(dir, 0, 0);
    error = b->archive ? write_archive(b) : -EIO;
    if (!error)
        error = efg_otf2_close(b->archive);
    if (!error)
        error = efg_otf2_publish(dir, 0) ? -EIO : 0;
    if (error)
        efg_otf2_remove(dir, 0);
    return error;
}

/* What the run file knows of call sites is not looked for in modules, which may be gone. */
static int know_sites(struct efg_symbols *symbols, const struct efg_run *run)
{
    int error = 0;
    for (uint32_t i = 0; i < run->site_count && !error; i++) {
        const struct efg_run_site *site = &run->sites[i];
        struct efg_symbol *frames = calloc((size_t)site->symbol_count + 1, sizeof *frames);
        for (uint32_t k = 0; frames && k < site->symbol_count; k++)
            frames[k] = (struct efg_symbol){.function = site->symbols[k].function,
                                            .file = site->symbols[k].file,
                                            .line = site->symbols[k].line};
        error = frames
                    ? efg_symbols_know(symbols, site->module, site->offset, frames, (int)site->symbol_count)
                    : -ENOMEM;
        free(frames);
    }
    return error;
}

int efg_otf2_rebuild(const char *dir, const struct efg_run *run, const char *is_wanted, char *message,
                     size_t size)
{
    struct rebuilding b = {
        .run = run, .is_wanted = is_wanted, .ranks = count_ranks(run), .message = message, .size = size};
    struct efg_symbols *symbols = efg_symbols_new();
    int error = -ENOMEM;
    if (size)
        *message = '\0';
    if (efg_otf2_is_there(dir)) {
        efg_symbols_free(symbols);
        return -EEXIST;
    }
    if (!b.ranks) {
        efg_symbols_free(symbols);
        snprintf(message, size, "run.efg is damaged: its last rank has a larger number than it has bytes");
        return -EBADMSG;
    }
    b.unifier = symbols ? efg_otf2_unifier_new(symbols) : NULL;
    put_definitions(&b.records, &run->common.names);
    b.definitions = b.records.size;
    if (b.unifier && !b.records.failed)
        error = know_sites(symbols, run);
    if (!error)
        error = make_archive(&b, dir);
    efg_otf2_unifier_free(b.unifier);
    efg_symbols_free(symbols);
    efg_buffer_fini(&b.records);
    free(b.events);
    return error;
}
