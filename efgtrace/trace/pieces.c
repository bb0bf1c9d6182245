/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a run file of the pieces that the ranks of a job saved:
 *
 *     pieces, by rank and thread  ->  one rank after the other: its names, threads, sequences
 *                                 ->  what ranks have in common merged, as in MPI_Finalize
 *                                 ->  run.efg
 *
 * Each piece has names of its own. Those of a rank are put one behind the other; what they have
 * twice is found when ranks are merged. A piece that cannot be read is left out, with the
 * thread, or the rank, that it is of.
 */
#define _GNU_SOURCE
#include "pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "files/disk/below.h"
#include "files/disk/fan.h"
#include "files/run/merge.h"
#include "files/run/pieces.h"
#include "files/summary/summary.h"
#include "files/symbols/symbols.h"

struct pieces {
    const char *command;
    const struct efg_local *local;
    struct efg_piece *piece;
    int count;
};

struct whole { /* a rank, of its pieces */
    struct efg_run_names names;
    struct efg_run_rank rank;
    struct efg_run_sequence sequence; /* each thread owns its segments */
    bool failed;                      /* no memory */
};

struct job {
    struct efg_run run; /* facts are those of the first piece */
    struct efg_merge merge;
    struct efg_buffer sections;
    struct efg_run_rank *ranks; /* without their threads */
    int rank_count;
};

/* --- files --- */

/* What the thread of PIECE has in the folder TOP. */
static void name_file(char path[PATH_MAX], const struct pieces *pieces, const struct efg_piece *piece,
                      const char *top, const char *ending)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/%s", efg_local_folder(pieces->local, piece->place), top);
    efg_fan_path(path, PATH_MAX, folder, piece->folder, piece->rank, piece->thread, ending);
}

/* --- the order of calls --- */

/* The bytes of the file PATH; none if it cannot be read, or is no file: a pipe has no end. */
static void read_file(struct efg_buffer *out, const char *path)
{
    int file = efg_below_open(path, efg_fan_below(path), O_RDONLY);
    struct stat facts;
    bool is_file = file >= 0 && !fstat(file, &facts) && S_ISREG(facts.st_mode);
    ssize_t got = 1;
    while (is_file && got > 0 && !out->failed) {
        unsigned char *to = efg_buffer_extend(out, 65536);
        got = to ? read(file, to, 65536) : 0;
        out->size -= to ? 65536 - (size_t)(got > 0 ? got : 0) : 0;
    }
    if (file >= 0)
        close(file);
}

/* Those segments in BYTES that follow call number AT, up to number END, coded as a process that
 * ends does. Returns the number that comes next. */
static uint64_t add_segments(struct efg_buffer *out, struct efg_reader bytes, uint64_t at, uint64_t end)
{
    struct efg_sequence_segment segment;
    while (at < end && bytes.at < bytes.size && efg_sequence_get(&bytes, &segment) == 0) {
        bool follows = segment.start == at;
        at += follows ? segment.length : 0;
        if (follows)
            efg_sequence_put(out, &segment, EFG_SEQUENCE_MIX_PAIRS);
        efg_sequence_segment_fini(&segment);
        if (!follows)
            break;
    }
    return at;
}

/* All segments of a thread to OUT: what a piece lacks of them was written out before. Returns
 * how many calls they have. */
static uint64_t join_segments(struct efg_buffer *out, const struct pieces *pieces,
                              const struct efg_piece *piece, const struct efg_run_sequence_thread *thread)
{
    struct efg_reader here = efg_reader(thread->segments, thread->size), behind = here;
    struct efg_sequence_segment first;
    struct efg_buffer written = {0};
    char path[PATH_MAX];
    uint64_t at = 0;
    if (efg_sequence_pass(&behind, &first) != 0)
        return 0;
    if (first.start) {
        name_file(path, pieces, piece, "logs", "order");
        read_file(&written, path);
        at = add_segments(out, efg_reader(written.data, written.size), 0, first.start);
        efg_buffer_fini(&written);
    }
    return add_segments(out, here, at, thread->events);
}

/* --- a rank --- */

static void free_whole(struct whole *whole)
{
    for (uint32_t i = 0; i < whole->sequence.thread_count; i++)
        free((void *)whole->sequence.threads[i].segments);
    efg_run_sequence_fini(&whole->sequence);
    efg_run_names_fini(&whole->names);
    efg_run_rank_fini(&whole->rank);
}

/* Move the *MORE things of SIZE in the array *FROM behind the *COUNT ones in *TO. */
static void move(struct whole *whole, void *to, uint32_t *count, void *from, uint32_t *more, size_t size)
{
    whole->failed |= efg_array_grow(to, *count, *more, size) != 0;
    if (whole->failed)
        return;
    if (*more)
        memcpy(*(char **)to + *count * size, *(void **)from, *more * size);
    *count += *more;
    *more = 0;
}

static void take_names(struct whole *whole, struct efg_run_names *from)
{
    struct efg_run_names *to = &whole->names;
    for (uint32_t i = 0; i < from->path_count; i++)
        for (uint32_t k = 0; k < from->paths[i].depth; k++)
            from->paths[i].frames[k].module += to->module_count;
    move(whole, &to->calls, &to->call_count, &from->calls, &from->call_count, sizeof *to->calls);
    move(whole, &to->modules, &to->module_count, &from->modules, &from->module_count, sizeof *to->modules);
    move(whole, &to->paths, &to->path_count, &from->paths, &from->path_count, sizeof *to->paths);
    move(whole, &to->regions, &to->region_count, &from->regions, &from->region_count, sizeof *to->regions);
}

/* The threads of FROM, whose paths come behind the first PATHS; facts are those of the first
 * piece, but for the time. */
static void take_rank(struct whole *whole, struct efg_run_rank *from, uint32_t paths)
{
    struct efg_run_rank *to = &whole->rank;
    for (uint32_t i = 0; i < from->thread_count; i++)
        for (uint32_t k = 0; k < from->threads[i].graph.node_count; k++) {
            uint32_t *path = &from->threads[i].graph.nodes[k].signature.path;
            *path += *path ? paths : 0;
        }
    if (!to->thread_count) {
        *to = *from;
        *from = (struct efg_run_rank){0};
        return;
    }
    to->end = to->end < from->end ? from->end : to->end;
    to->cost += from->cost;
    to->limited |= from->limited;
    to->short_logs += from->short_logs;
    to->paused = to->paused < from->paused ? from->paused : to->paused;
    to->unwatched = to->unwatched < from->unwatched ? from->unwatched : to->unwatched;
    move(whole, &to->threads, &to->thread_count, &from->threads, &from->thread_count, sizeof *to->threads);
}

static void take_sequence(struct whole *whole, const struct pieces *pieces, const struct efg_piece *piece,
                          struct efg_run_sequence *from)
{
    struct efg_run_sequence *to = &whole->sequence;
    struct efg_buffer segments = {0};
    struct efg_run_sequence_thread *thread = from->threads;
    thread->events = join_segments(&segments, pieces, piece, thread);
    thread->segments = segments.data;
    thread->size = segments.size;
    whole->failed |= segments.failed;
    move(whole, &to->threads, &to->thread_count, &from->threads, &from->thread_count, sizeof *to->threads);
    if (from->thread_count) /* it was not moved */
        efg_buffer_fini(&segments);
}

static void warn(const struct pieces *pieces, const struct efg_piece *piece, const char *why)
{
    fprintf(stderr, "efgtrace %s: what thread %u of rank %u saved is left out: %s\n", pieces->command,
            piece->thread, piece->rank, why);
}

static int open_piece(struct efg_run *run, const struct pieces *pieces, const struct efg_piece *piece,
                      char *message, size_t size)
{
    char path[PATH_MAX];
    name_file(path, pieces, piece, "pieces", "efg");
    int error = efg_runfile_open(run, path, efg_fan_below(path), message, size);
    if (error || (run->rank_count == 1 && run->ranks[0].rank == piece->rank))
        return error;
    snprintf(message, size, "%s is of another rank", path);
    efg_run_fini(run);
    return -EBADMSG;
}

/* Read PIECE, and add it to WHOLE. Returns 0, or -errno: it is left out. */
static int add_piece(struct whole *whole, const struct pieces *pieces, const struct efg_piece *piece)
{
    char message[PATH_MAX + 256] = "it is not of one thread";
    struct efg_run run;
    struct efg_run_rank rank = {0};
    struct efg_run_sequence sequence = {0};
    int error = open_piece(&run, pieces, piece, message, sizeof message);
    if (error) {
        warn(pieces, piece, message);
        return error;
    }
    error = efg_runfile_rank(&run, 0, &rank, message, sizeof message);
    if (!error && run.sequence_count)
        error = efg_runfile_sequence(&run, piece->rank, &sequence, message, sizeof message);
    if (!error && (rank.thread_count != 1 || sequence.thread_count != run.sequence_count))
        error = -EBADMSG;
    if (error) {
        warn(pieces, piece, message);
    } else {
        uint32_t paths = whole->names.path_count;
        take_names(whole, &run.common.names);
        take_rank(whole, &rank, paths);
        if (sequence.thread_count)
            take_sequence(whole, pieces, piece, &sequence);
    }
    efg_run_sequence_fini(&sequence);
    efg_run_rank_fini(&rank);
    efg_run_fini(&run);
    return error;
}

/* --- the job --- */

/* The sequence of WHOLE, unless an earlier rank has the same one. */
static void add_order(struct job *job, const struct whole *whole)
{
    struct efg_buffer section = {0};
    struct efg_run_order order = {0};
    uint32_t before = job->merge.common.order_count, rank = whole->rank.rank;
    if (whole->sequence.thread_count != whole->rank.thread_count)
        return;
    efg_runfile_put_sequence(&section, rank, &whole->sequence, &order);
    efg_merge_order(&job->merge, rank, &order);
    if (job->merge.common.order_count > before)
        efg_buffer_put(&job->sections, section.data, section.size);
    job->sections.failed |= section.failed;
    efg_buffer_fini(&section);
}

/* The sections of WHOLE; where it was and when stays in the JOB. */
static void add_rank(struct job *job, struct whole *whole)
{
    struct efg_run_rank *rank = &whole->rank;
    if (!rank->thread_count)
        return;
    efg_runfile_put_rank(&job->sections, rank);
    efg_merge_rank(&job->merge, &whole->names, rank);
    add_order(job, whole);
    job->merge.failed |= whole->failed;
    job->ranks[job->rank_count++] =
        (struct efg_run_rank){.rank = rank->rank, .host = rank->host, .place = rank->place, .end = rank->end};
    rank->host = rank->place.cores = NULL;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct efg_run_rank *x = a, *y = b;
    return strcmp(x->host, y->host);
}

/* What the ranks of each host have together. */
static void add_hosts(struct job *job)
{
    struct efg_run_rank *ranks = job->ranks;
    int end;
    qsort(ranks, (size_t)job->rank_count, sizeof *ranks, compare_hosts);
    for (int i = 0; i < job->rank_count; i = end) {
        for (end = i + 1; end < job->rank_count && !compare_hosts(&ranks[i], &ranks[end]);)
            end++;
        job->merge.failed |= efg_totals_host(&job->merge.common.totals, &ranks[i], (uint32_t)(end - i)) != 0;
    }
}

/* Returns 0, -ENODATA: no piece can be read, or -ENOMEM. */
static int read_pieces(struct job *job, const struct pieces *pieces)
{
    char message[PATH_MAX + 256];
    bool has_facts = false;
    job->ranks = calloc((size_t)pieces->count, sizeof *job->ranks);
    for (int i = 0; job->ranks && i < pieces->count;) {
        struct whole whole = {0};
        uint32_t rank = pieces->piece[i].rank;
        for (; i < pieces->count && pieces->piece[i].rank == rank; i++)
            if (add_piece(&whole, pieces, &pieces->piece[i]) == 0 && !has_facts)
                has_facts = !open_piece(&job->run, pieces, &pieces->piece[i], message, sizeof message);
        add_rank(job, &whole);
        free_whole(&whole);
    }
    if (!job->ranks)
        return -ENOMEM;
    if (!has_facts || !job->rank_count)
        return -ENODATA;
    add_hosts(job);
    return job->merge.failed || job->sections.failed ? -ENOMEM : 0;
}

/* The facts are those of a piece; what the ranks have in common is of all. */
static int write_run(struct job *job, const char *path)
{
    struct efg_symbols *symbols = efg_symbols_new();
    efg_run_common_fini(&job->run.common);
    job->run.common = job->merge.common;
    job->merge.common = (struct efg_run_common){0};
    int error = symbols ? efg_run_resolve(&job->run, symbols) : -ENOMEM;
    if (symbols)
        efg_symbols_free(symbols);
    if (!error)
        error = efg_runfile_create(path, 1, 0);
    if (!error)
        error = efg_runfile_put(path, 1, 0, EFG_RUN_SECTIONS, job->sections.data, job->sections.size);
    if (!error)
        error = efg_runfile_finish(&job->run, path, 1, EFG_RUN_SECTIONS + job->sections.size);
    if (error)
        efg_runfile_abandon(path, 1);
    return error;
}

/* --- what it is --- */

static int by_number(const void *a, const void *b)
{
    const struct efg_run_rank *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* What is between the ranks that are there, however many ranks the job is said to have had. */
static void print_missing(struct job *job)
{
    struct efg_ranklist missing = {0};
    uint32_t next = 0;
    char text[200];
    qsort(job->ranks, (size_t)job->rank_count, sizeof *job->ranks, by_number);
    for (int i = 0; i <= job->rank_count; i++) {
        uint32_t end = i < job->rank_count ? job->ranks[i].rank : job->run.size;
        struct efg_range gap = {next, 1, end > next ? end - next : 0};
        efg_ranklist_append(&missing, &(struct efg_ranklist){&gap, gap.count > 0});
        next = i < job->rank_count ? end + 1 : next;
    }
    efg_ranklist_print(&missing, text, sizeof text);
    if (missing.range_count)
        fprintf(stderr, "; nothing of rank %s", text);
    efg_ranklist_fini(&missing);
}

static void tell(const struct pieces *pieces, struct job *job, const char *path)
{
    const struct efg_run_rank *first = &job->ranks[0], *last = first;
    uint64_t start = job->run.common.totals.start;
    char from[32], to[32];
    for (int i = 1; i < job->rank_count; i++) {
        first = job->ranks[i].end < first->end ? &job->ranks[i] : first;
        last = job->ranks[i].end > last->end ? &job->ranks[i] : last;
    }
    efg_format_ns(from, sizeof from, first->end > start ? first->end - start : 0);
    efg_format_ns(to, sizeof to, last->end > start ? last->end - start : 0);
    fprintf(stderr,
            "efgtrace %s: %s is what %d of %u ranks had saved, %s (rank %u) to %s (rank %u) "
            "after the start",
            pieces->command, path, job->rank_count, job->run.size, from, first->rank, to, last->rank);
    print_missing(job);
    fputc('\n', stderr);
}

/* There is a run file that is not of pieces: it has all of the run. A link is none. */
static bool is_complete(const char *path)
{
    struct efg_run run;
    char message[PATH_MAX + 256];
    int error = efg_runfile_open(&run, path, 1, message, sizeof message);
    if (error == -ENOENT || error == -ELOOP)
        return false;
    bool is_saved = !error && run.is_saved;
    if (!error)
        efg_run_fini(&run);
    return !is_saved;
}

int efg_pieces_join(const char *command, const struct efg_local *local, const char *output)
{
    struct pieces pieces = {.command = command, .local = local};
    struct job job = {0};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/run.efg", output);
    int found = efg_pieces_find(local, &pieces.piece), error = found < 0 ? found : 0;
    bool nothing = found == 0 || is_complete(path);
    pieces.count = error ? 0 : found;
    if (!error && !nothing)
        error = read_pieces(&job, &pieces);
    if (!error && !nothing)
        error = write_run(&job, path);
    if (error)
        fprintf(stderr, "efgtrace %s: cannot make %s: %s\n", command, path,
                error == -ENODATA ? "no piece can be read" : strerror(-error));
    else if (!nothing)
        tell(&pieces, &job, path);
    for (int i = 0; i < job.rank_count; i++)
        efg_run_rank_fini(&job.ranks[i]);
    free(job.ranks);
    free(pieces.piece);
    efg_buffer_fini(&job.sections);
    efg_merge_fini(&job.merge);
    efg_run_fini(&job.run);
    return error ? error : !nothing;
}
