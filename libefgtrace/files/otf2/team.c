/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of OpenMP. They have no log: the main thread has recorded what the others of its team did in each
 * parallel region, when that was over. So their locations are written from its log:
 *
 *     main    Enter parallel, ThreadFork, ThreadTeamBegin  ..............  ThreadTeamEnd, ThreadJoin, Leave
 *     other       ThreadTeamBegin, Enter parallel  ....  Enter barrier, Leave, Leave, ThreadTeamEnd
 *
 * The barrier is the one at the end of the region. All threads that a rank had in some region are its team.
 */
#include <errno.h>
#include <stdlib.h>

#include "pass.h"

/* --- scan, unifier --- */

/* The next part of the log, in windows; the rest of it has none: NULL. */
static const struct efg_record *next_part(struct efg_log_reader *reader, uint64_t end, bool *has_begun)
{
    const struct efg_record *r;
    while (reader->at < end && (r = efg_log_read(reader, NULL))) {
        *has_begun |= r->kind == EFG_REC_WINDOW_BEGIN;
        if (*has_begun && r->kind == EFG_REC_PART && r->a > 0 && r->a <= EFG_LOG_PARTS)
            return r;
    }
    return NULL;
}

int efg_otf2_scan_team(const struct efg_log_view *log, struct efg_buffer *out)
{
    uint64_t parts[EFG_LOG_PARTS + 1] = {0};
    struct efg_log_reader reader = {.view = log};
    uint32_t workers = 0;
    bool has_begun = false;
    for (const struct efg_record *r; (r = next_part(&reader, log->count, &has_begun));) {
        parts[r->a]++;
        workers = r->a > workers ? r->a : workers;
    }
    efg_buffer_number(out, workers);
    for (uint32_t i = 1; i <= workers; i++)
        efg_buffer_number(out, parts[i]);
    return out->failed ? -ENOMEM : 0;
}

static uint32_t add_region(struct efg_otf2_unifier *u, const char *name, OTF2_RegionRole role)
{
    struct efg_otf2_region region = {.role = role, .paradigm = OTF2_PARADIGM_OPENMP};
    region.name = efg_otf2_intern_text(&u->strings, name);
    return efg_otf2_intern(&u->regions, &region, sizeof region);
}

int efg_otf2_add_team(struct efg_otf2_unifier *u, struct efg_otf2_log *log, struct efg_reader *reader)
{
    uint64_t workers = efg_reader_number(reader);
    if (reader->failed || workers > EFG_LOG_PARTS)
        return -EBADMSG;
    if (!workers)
        return 0;
    log->parts = calloc(workers, sizeof *log->parts);
    if (!log->parts)
        return -ENOMEM;
    for (uint64_t i = 0; i < workers; i++)
        log->parts[i] = efg_reader_number(reader);
    log->workers = (uint32_t)workers;
    log->team = u->team_count++;
    u->worker_count += log->workers;
    u->has_openmp = true;
    u->parallel = add_region(u, "omp parallel", OTF2_REGION_ROLE_PARALLEL);
    u->barrier = add_region(u, "omp implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER);
    return reader->failed ? -EBADMSG : 0;
}

/* --- events --- */

struct efg_otf2_team efg_otf2_read_team(struct efg_reader *map)
{
    struct efg_otf2_team team = {.workers = (uint32_t)efg_reader_number(map)};
    if (!team.workers)
        return team;
    team.comm = (uint32_t)efg_reader_number(map);
    team.parallel = (uint32_t)efg_reader_number(map);
    team.barrier = (uint32_t)efg_reader_number(map);
    return team;
}

/* Nothing is done behind a failure (events.c). */
#define DO(write) s->failed = s->failed || (write) != OTF2_SUCCESS

/* EFG_OTF2_PART events: the thread works from BEGIN to END, and waits until OVER. */
static void write_part(struct efg_otf2_stack *s, uint64_t begin, uint64_t end, uint64_t over)
{
    const struct efg_otf2_team *team = &s->team;
    end = end < over ? end : over;
    begin = begin < end ? begin : end;
    DO(OTF2_EvtWriter_ThreadTeamBegin(s->writer, NULL, efg_otf2_tick(s, begin), team->comm));
    DO(OTF2_EvtWriter_Enter(s->writer, NULL, efg_otf2_tick(s, begin), team->parallel));
    DO(OTF2_EvtWriter_Enter(s->writer, NULL, efg_otf2_tick(s, end), team->barrier));
    DO(OTF2_EvtWriter_Leave(s->writer, NULL, efg_otf2_tick(s, over), team->barrier));
    DO(OTF2_EvtWriter_Leave(s->writer, NULL, efg_otf2_tick(s, over), team->parallel));
    DO(OTF2_EvtWriter_ThreadTeamEnd(s->writer, NULL, efg_otf2_tick(s, over), team->comm));
}

static uint64_t moment(const struct efg_otf2_pass *p, uint64_t ticks)
{
    uint64_t ns = efg_log_ns(&p->clock, ticks);
    return ns > p->first ? ns - p->first : 0;
}

static int write_worker(OTF2_Archive *archive, const struct efg_otf2_pass *p, uint32_t worker,
                        uint64_t *events)
{
    const struct efg_log_header *header = p->reader.view->header;
    uint64_t location = (uint64_t)(EFG_OTF2_WORKER + worker) << 32 | header->rank;
    struct efg_log_reader reader = {.view = p->reader.view};
    struct efg_otf2_stack s = {.end = p->stack.end, .team = p->stack.team};
    bool has_begun = false;
    s.writer = OTF2_Archive_GetEvtWriter(archive, location);
    if (!s.writer)
        return -EIO;
    for (const struct efg_record *r; !s.failed && (r = next_part(&reader, p->count, &has_begun));)
        if (r->a == worker) {
            write_part(&s, moment(p, r->d), moment(p, r->e), moment(p, r->time));
            *events += EFG_OTF2_PART;
        }
    if (s.failed || OTF2_Archive_CloseEvtWriter(archive, s.writer) != OTF2_SUCCESS)
        return -EIO;
    return efg_otf2_write_local(archive, location, p->last - p->first);
}

int efg_otf2_write_team(OTF2_Archive *archive, const struct efg_otf2_pass *main, struct efg_otf2_count *count)
{
    int error = 0;
    count->workers = main->stack.team.workers;
    for (uint32_t i = 1; i <= count->workers && !error; i++)
        error = write_worker(archive, main, i, &count->team);
    return error;
}
