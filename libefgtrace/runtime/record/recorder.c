/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log of a recorder: room, definitions, windows.
 *
 * Invariant: what a record refers to is defined before it in the log. Definitions belong to
 * the window that they were written in: a window that is thrown away takes them along, so
 * that everything counts as unknown again.
 */
#include "recorder.h"

#include "core/graph/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/hot.h"
#include "files/log/trim.h"
#include "regions.h"
#include "runtime/stack/callpath.h"

#define PARENTS 16 /* of a communicator that are defined with it */
#define SPARE 5    /* words that the beginning of a window may need when it is moved */

/* Add NUMBER to the set; true if it was not in it. */
static bool add(struct efg_bits *bits, uint32_t number)
{
    uint32_t word = number / 64;
    if (word >= bits->count) {
        uint32_t count = word + word / 2 + 16;
        uint64_t *words = realloc(bits->words, count * sizeof *words);
        if (!words)
            return true; /* not remembered: it will be defined again, which is allowed */
        memset(words + bits->count, 0, (count - bits->count) * sizeof *words);
        *bits = (struct efg_bits){words, count};
    }
    uint64_t bit = 1ull << number % 64;
    bool is_new = !(bits->words[word] & bit);
    bits->words[word] |= bit;
    return is_new;
}

static void forget(struct efg_bits *bits)
{
    if (bits->words)
        memset(bits->words, 0, bits->count * sizeof *bits->words);
}

static void forget_all(struct efg_recorder *r)
{
    forget(&r->calls_known);
    forget(&r->paths_known);
    forget(&r->modules_known);
    forget(&r->comms_known);
    forget(&r->wins_known);
    forget(&r->files_known);
    efg_map_fini(&r->groups);
    forget(&r->regions_known);
    forget(&r->phases_known);
    r->knows_when = r->knows_counters = false;
    r->definitions++;
}

void efg_recorder_init(struct efg_recorder *r, uint32_t thread, struct efg_traffic *traffic)
{
    *r = (struct efg_recorder){
        .thread = (uint16_t)thread, .traffic = traffic, .next_request = 1, .next_match = 1, .definitions = 1};
}

int efg_recorder_open(struct efg_recorder *r, const char *path, const struct efg_log_header *header,
                      uint64_t limit)
{
    return efg_log_create(&r->log, path, header, limit);
}

uint64_t efg_recorder_memory(const struct efg_recorder *r)
{
    const struct efg_bits *bits[] = {&r->calls_known, &r->paths_known, &r->modules_known, &r->comms_known,
                                     &r->wins_known,  &r->files_known, &r->regions_known, &r->phases_known};
    uint64_t bytes = efg_map_memory(&r->messages) + efg_map_memory(&r->groups) +
                     (uint64_t)r->pending_room * sizeof *r->pending;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        bytes += bits[i]->count * sizeof *bits[i]->words;
    return bytes;
}

/* Nothing more can be recorded, for the reason in ERROR (errno): what was recorded up to the
 * last boundary of an iteration is kept. */
static void give_up(struct efg_recorder *r, int error)
{
    r->failed = error;
    r->is_full = error == EFBIG && (r->is_on || r->is_draining);
    r->log.header->is_short = 1;
    r->is_on = r->is_draining = false;
    efg_traffic_end(r->traffic);
    r->is_spinning = false;
    if (r->boundary.word > r->window_start.word) /* at least one iteration is whole */
        r->log.next = r->boundary;
    r->log.ready = r->log.next.word; /* there is no room */
    efg_log_commit(&r->log);
}

bool efg_recorder_make_room(struct efg_recorder *r, size_t count)
{
    if (!r->log.header || r->failed)
        return false;
    int error = efg_log_grow(&r->log, count);
    if (error)
        give_up(r, -error);
    return !error;
}

static void define(struct efg_recorder *r, struct efg_record record, const void *payload, size_t size)
{
    record.d = size;
    if (r->failed)
        return;
    int error = efg_log_define(&r->log, &record, payload);
    if (error)
        give_up(r, -error);
}

static void define_modules(struct efg_recorder *r, const struct efg_frame *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t module = frames[i].module;
        if (!add(&r->modules_known, module))
            continue;
        const char *name = efg_callpath_module(module);
        define(r, (struct efg_record){.kind = EFG_REC_DEF_MODULE, .a = module}, name, strlen(name));
    }
}

static void define_new_path(struct efg_recorder *r, uint32_t id)
{
    add(&r->paths_known, id);
    struct efg_path path = efg_callpath_get(id);
    define_modules(r, path.frames, path.depth);
    define(r, (struct efg_record){.kind = EFG_REC_DEF_PATH, .a = id, .e = path.hash}, path.frames,
           path.depth * sizeof *path.frames);
}

static void define_new_call(struct efg_recorder *r, uint16_t id)
{
    add(&r->calls_known, id);
    const struct efg_call_info *info = &efg_call_info[id];
    define(r, (struct efg_record){.kind = EFG_REC_DEF_CALL, .call = id, .a = info->class}, info->name,
           strlen(info->name));
}

/* 0 is no path, and need not be known. */
static bool is_known(const struct efg_recorder *r, uint16_t call, uint32_t path)
{
    return efg_bits_has(&r->calls_known, call) && (!path || efg_bits_has(&r->paths_known, path));
}

static void define_call(struct efg_recorder *r, uint16_t call, uint32_t path)
{
    if (!efg_bits_has(&r->calls_known, call))
        define_new_call(r, call);
    if (path && !efg_bits_has(&r->paths_known, path))
        define_new_path(r, path);
}

/* Members, grid and name. */
static void put_comm(struct efg_buffer *out, const struct efg_comm *comm)
{
    const struct efg_members *m = comm->members;
    char name[MPI_MAX_OBJECT_NAME];
    if (!m)
        return;
    efg_buffer_put(out, m, sizeof *m + (m->local + m->remote) * sizeof *m->rank);
    efg_buffer_u32(out, (uint32_t)comm->grid.dims);
    for (int i = 0; i < comm->grid.dims; i++) {
        efg_buffer_u32(out, (uint32_t)comm->grid.size[i]);
        efg_buffer_u32(out, comm->grid.is_periodic[i] != 0);
    }
    efg_comms_name(comm, name);
    efg_buffer_put(out, name, strlen(name));
}

static void define_one_comm(struct efg_recorder *r, const struct efg_comm *comm)
{
    struct efg_buffer payload = {0};
    add(&r->comms_known, comm->id);
    put_comm(&payload, comm);
    define(r,
           (struct efg_record){.kind = EFG_REC_DEF_COMM,
                               .a = comm->id,
                               .b = (uint32_t)comm->kind,
                               .c = comm->parent,
                               .e = comm->identity},
           payload.data, payload.failed ? 0 : payload.size);
    efg_buffer_fini(&payload);
}

/* What it was made from comes first, even if nothing else refers to that. */
bool efg_recorder_define_comm(struct efg_recorder *r, const struct efg_comm *comm)
{
    struct efg_comm *chain[PARENTS];
    const struct efg_comm *child = comm;
    uint32_t count = 0;
    while (count < PARENTS && (chain[count] = efg_comms_parent(child))) {
        child = chain[count++];
        if (child->is_foreign || efg_bits_has(&r->comms_known, child->id)) {
            efg_comms_release(chain[--count]);
            break;
        }
    }
    while (count-- > 0) {
        define_one_comm(r, chain[count]);
        efg_comms_release(chain[count]);
    }
    define_one_comm(r, comm);
    return efg_recorder_room(r, EFG_RECORDER_PLENTY);
}

void efg_recorder_define_object(struct efg_recorder *r, int kind, const struct efg_object *o,
                                const char *name)
{
    add(kind == EFG_REC_DEF_WIN ? &r->wins_known : &r->files_known, o->id);
    if (!efg_bits_has(&r->comms_known, o->comm->id))
        efg_recorder_define_comm(r, o->comm);
    define(r, (struct efg_record){.kind = (uint16_t)kind, .a = o->id, .b = o->comm->id, .e = o->identity},
           name, name ? strlen(name) : 0);
}

bool efg_recorder_define_group(struct efg_recorder *r, uint32_t number, MPI_Group group)
{
    struct efg_members *m = efg_comms_group(group);
    if (!m)
        return false;
    size_t size = sizeof *m + m->local * sizeof *m->rank;
    uint64_t hash = efg_hash_bytes(0, m, size), *known = efg_map_put(&r->groups, number);
    if (!known || *known != hash)
        define(r, (struct efg_record){.kind = EFG_REC_DEF_GROUP, .a = number}, m, size);
    if (known)
        *known = hash;
    free(m);
    return efg_recorder_room(r, EFG_RECORDER_PLENTY);
}

/* Region NUMBER and those around it, which come first. */
static void define_region(struct efg_recorder *r, uint32_t number)
{
    uint32_t chain[EFG_REGION_DEPTH], count = 0, around;
    for (; number && !efg_bits_has(&r->regions_known, number) && count < EFG_REGION_DEPTH; number = around) {
        chain[count++] = number;
        efg_regions_nested(number, &around);
    }
    while (count-- > 0) {
        const char *name = efg_regions_nested(chain[count], &around);
        add(&r->regions_known, chain[count]);
        define(r, (struct efg_record){.kind = EFG_REC_DEF_REGION, .a = chain[count], .b = around}, name,
               strlen(name));
    }
}

/* Those that are open now: r->region. */
static void find_regions(struct efg_recorder *r)
{
    const struct efg_regions *own = efg_regions_own();
    r->region = own->depth ? efg_regions_nest(own) : 0;
    if (r->region && r->log.header && !r->failed)
        define_region(r, r->region);
}

static void put_counts(struct efg_recorder *r, const uint64_t *began, const uint64_t *passed)
{
    for (uint32_t i = 0; i < r->counts->count; i++)
        efg_recorder_put(
            r, (struct efg_record){
                   .time = r->log.next.time, .kind = EFG_REC_COUNT, .a = i, .d = began[i], .e = passed[i]});
}

static void define_counters(struct efg_recorder *r)
{
    if (r->knows_counters)
        return;
    r->knows_counters = true;
    define(r, (struct efg_record){.kind = EFG_REC_DEF_COUNTERS, .a = r->counts->count}, r->counts->names,
           strlen(r->counts->names));
}

/* Of CALL, behind its ENTER. Returns false if there is no room for more records of it. */
static bool add_counts(struct efg_recorder *r, const struct efg_call *call)
{
    if (!r->counts || !r->counts->is_present)
        return true;
    define_counters(r);
    if (!efg_recorder_room(r, efg_recorder_room_of(call)))
        return false;
    put_counts(r, r->counts->began, r->counts->passed);
    return true;
}

void efg_recorder_count(struct efg_recorder *r, struct efg_call *call)
{
    if (call->recording && !add_counts(r, call))
        call->recording = false;
}

/* A spin is counted as a whole, at the first of its places. */
static void put_spin_counts(struct efg_recorder *r)
{
    struct efg_recorded_counts *c = r->counts;
    if (!c || !c->has_spin)
        return;
    put_counts(r, c->spin_began, c->spin_passed);
    for (uint32_t i = 0; i < c->count; i++) {
        c->spin_began[i] += c->spin_passed[i];
        c->spin_passed[i] = 0;
    }
}

/* Polls at a place, as one visit from TIME on. */
static void put_spin_part(struct efg_recorder *r, const struct efg_spin_part *part, uint64_t time)
{
    define_call(r, part->call, part->path);
    if (!efg_recorder_room(r, EFG_RECORDER_PLENTY))
        return;
    efg_recorder_put(
        r, (struct efg_record){
               .time = time, .kind = EFG_REC_ENTER, .call = part->call, .a = part->path, .d = part->polls});
    put_spin_counts(r);
    efg_recorder_put(
        r, (struct efg_record){.time = time + part->time, .kind = EFG_REC_LEAVE, .call = part->call});
    r->calls++;
}

static __attribute__((noinline)) void put_spin(struct efg_recorder *r)
{
    struct efg_spin spin = r->spin;
    r->is_spinning = false;
    if (r->counts && r->counts->has_spin)
        define_counters(r);
    for (uint32_t i = 0; i < spin.count; i++) {
        put_spin_part(r, &spin.parts[i], spin.enter);
        spin.enter += spin.parts[i].time;
    }
    if (r->counts)
        r->counts->has_spin = false;
}

/* The spin that is under way, if there is one. */
static inline void flush_spin(struct efg_recorder *r)
{
    if (__builtin_expect(r->is_spinning, 0))
        put_spin(r);
}

/* A receive that was posted before the window appears in the first call of it, in the order of
 * posting: readers match by that. */
static void take_along(struct efg_request *q, void *data)
{
    struct efg_recorder *r = data;
    if (q->thread != r->thread)
        return; /* a persistent one that another thread has started */
    q->is_recorded = 0;
    if (q->kind != EFG_REQUEST_RECV || q->peer == MPI_PROC_NULL || (q->is_persistent && !q->is_active) ||
        !efg_recorder_room(r, 1))
        return;
    q->number = r->next_request++;
    q->is_recorded = 1;
    q->window = r->window;
    r->open_requests++;
    efg_recorder_put(
        r, (struct efg_record){.time = r->first_enter, .kind = EFG_REC_IRECV_REQUEST, .e = q->number});
}

bool efg_recorder_define_all(struct efg_recorder *r, const struct efg_call *call, const struct efg_comm *comm)
{
    if (!r->is_on)
        return false;
    define_call(r, call->id, call->path);
    return efg_recorder_names_comm(r, comm);
}

/* The first call of the window. Returns false if there is no room for more records of it. */
static bool take_all_along(struct efg_recorder *r, const struct efg_call *call)
{
    r->first_enter = call->enter;
    efg_requests_each(&r->table, take_along, r);
    return efg_recorder_room(r, efg_recorder_room_of(call));
}

EFG_HOT bool efg_recorder_visit_other(struct efg_recorder *r, const struct efg_call *call)
{
    flush_spin(r);
    if (!call->is_defined && !is_known(r, call->id, call->path))
        define_call(r, call->id, call->path);
    if (!efg_recorder_room(r, efg_recorder_room_of(call)))
        return false;
    efg_recorder_put_enter(r, call);
    return r->first_enter || take_all_along(r, call);
}

bool efg_recorder_visit_late(struct efg_recorder *r, const struct efg_call *call)
{
    return efg_recorder_visit(r, call) && add_counts(r, call);
}

/* A poll of the spin, which BEGINS with it or goes on. */
static void count_spin(struct efg_recorded_counts *c, bool begins)
{
    if (begins || !c->is_present)
        c->has_spin = c->is_present;
    if (!c->has_spin)
        return;
    if (begins)
        memcpy(c->spin_began, c->began, sizeof c->began);
    for (uint32_t i = 0; i < c->count; i++)
        c->spin_passed[i] = c->began[i] + c->passed[i] - c->spin_began[i];
}

/* The polls of CALL in the spin; NULL: there is no room for more places. */
static struct efg_spin_part *part_of(struct efg_spin *s, const struct efg_call *call)
{
    uint32_t i = 0;
    while (i < s->count && (s->parts[i].call != call->id || s->parts[i].path != call->path))
        i++;
    if (i == EFG_SPIN_PARTS)
        return NULL;
    if (i == s->count)
        s->parts[s->count++] = (struct efg_spin_part){.call = call->id, .path = call->path};
    return &s->parts[i];
}

void efg_recorder_spin(struct efg_recorder *r, const struct efg_call *call, uint64_t leave)
{
    struct efg_spin *s = &r->spin;
    bool goes_on = r->is_spinning && call->enter - s->leave <= EFG_SPIN;
    uint64_t since = goes_on ? s->leave : call->enter;
    struct efg_spin_part *part = goes_on ? part_of(s, call) : NULL;
    if (!part) {
        if (efg_recorder_room(r, 8))
            flush_spin(r);
        *s = (struct efg_spin){.enter = since};
        r->is_spinning = true;
        part = part_of(s, call);
    }
    part->polls++;
    part->time += leave - since;
    s->leave = leave;
    if (r->counts)
        count_spin(r->counts, since == call->enter && part->polls == 1 && s->count == 1);
}

void efg_recorder_regions(struct efg_recorder *r, uint64_t time, uint32_t path)
{
    if (!r->is_on || !efg_recorder_room(r, EFG_RECORDER_PLENTY))
        return;
    flush_spin(r);
    find_regions(r);
    if (path && !efg_bits_has(&r->paths_known, path))
        define_new_path(r, path);
    if (!efg_recorder_room(r, 1))
        return;
    efg_recorder_put(r, (struct efg_record){.time = time, .kind = EFG_REC_REGION, .a = path, .b = r->region});
    efg_log_commit(&r->log);
}

void efg_recorder_part(struct efg_recorder *r, uint64_t time, uint32_t thread, uint64_t begin, uint64_t end)
{
    if (!r->is_on || !efg_recorder_room(r, EFG_RECORDER_PLENTY))
        return;
    flush_spin(r);
    efg_recorder_put(
        r, (struct efg_record){.time = time, .kind = EFG_REC_PART, .a = thread, .d = begin, .e = end});
    efg_log_commit(&r->log);
}

/* --- why something is recorded --- */

static bool may_define(const struct efg_recorder *r)
{
    return r->log.header && !r->failed;
}

void efg_recorder_when(struct efg_recorder *r, const char *text)
{
    if (r->knows_when || !*text || !may_define(r))
        return;
    r->knows_when = true;
    define(r, (struct efg_record){.kind = EFG_REC_DEF_WHEN}, text, strlen(text));
}

bool efg_recorder_knows_phase(const struct efg_recorder *r, uint32_t phase)
{
    return !phase || efg_bits_has(&r->phases_known, phase);
}

void efg_recorder_phase(struct efg_recorder *r, uint32_t phase, const struct efg_frame *frames,
                        uint32_t count)
{
    r->phase = phase;
    if (!count || efg_recorder_knows_phase(r, phase) || !may_define(r))
        return;
    add(&r->phases_known, phase);
    define_modules(r, frames, count);
    define(r, (struct efg_record){.kind = EFG_REC_DEF_PHASE, .a = phase}, frames, count * sizeof *frames);
}

/* --- windows and iterations --- */

static bool has_counts(const struct efg_recorder *r)
{
    return r->counts && r->counts->is_present;
}

/* Something begins or ends: the regions that it does so in are defined, and there is room for marks. */
static bool make_ready(struct efg_recorder *r)
{
    r->is_full = false; /* of an older window */
    find_regions(r);
    if (has_counts(r))
        define_counters(r);
    return efg_recorder_room(r, EFG_RECORDER_PLENTY);
}

static void mark(struct efg_recorder *r, uint64_t time, int kind, uint64_t number)
{
    efg_recorder_put(r, (struct efg_record){.time = time, .kind = (uint16_t)kind, .d = number});
}

/* What was counted until here. */
static void put_boundary(struct efg_recorder *r)
{
    static const uint64_t none[EFG_COUNTERS];
    if (has_counts(r))
        put_counts(r, r->counts->boundary, none);
}

/* That of the ring has room for how slow it was. */
static void begin_iteration(struct efg_recorder *r, uint64_t time, uint64_t number)
{
    efg_recorder_put(r, (struct efg_record){.time = time,
                                            .kind = EFG_REC_ITERATION_BEGIN,
                                            .a = r->kept,
                                            .b = r->kept == EFG_KEPT_AROUND,
                                            .c = r->phase,
                                            .d = number,
                                            .e = r->region});
    put_boundary(r);
}

static void end_window(struct efg_recorder *r, uint64_t time)
{
    r->is_draining = false;
    if (efg_recorder_room(r, 1))
        mark(r, time, EFG_REC_WINDOW_END, r->window - 1);
    if (r->log.header)
        efg_log_commit(&r->log);
}

void efg_recorder_drained(struct efg_recorder *r, uint64_t time)
{
    end_window(r, time);
}

/* It has its whole time, so that it can be moved, as efg_trim wants it. */
static void begin_window(struct efg_recorder *r, uint64_t time)
{
    r->log.next.time = ~time;
    efg_recorder_put(r, (struct efg_record){.time = time,
                                            .kind = EFG_REC_WINDOW_BEGIN,
                                            .a = (uint32_t)r->flight.count,
                                            .b = r->region,
                                            .d = r->window - 1,
                                            .e = r->flight.sum});
}

/* Behind the beginning of a window there is room for other words than it has. */
void efg_recorder_begin(struct efg_recorder *r, uint64_t time)
{
    if (r->is_draining)
        end_window(r, time);
    if (!make_ready(r))
        return;
    r->window++;
    r->open_requests = r->calls = r->first_enter = 0;
    r->window_start = r->boundary = r->log.next;
    r->is_on = true;
    efg_traffic_begin(r->traffic);
    begin_window(r, time);
    for (int i = 0; i < SPARE; i++)
        efg_recorder_put(r, (struct efg_record){.time = time, .kind = EFG_REC_NONE});
    efg_log_commit(&r->log);
}

void efg_recorder_first(struct efg_recorder *r, uint64_t time, uint64_t iteration, enum efg_kept kept)
{
    if (!r->is_on || !make_ready(r))
        return;
    flush_spin(r);
    r->kept = kept;
    r->calls = 0;
    efg_traffic_discard(r->traffic); /* what was sent in the margin */
    efg_traffic_begin(r->traffic);
    begin_iteration(r, time, iteration);
    efg_log_commit(&r->log);
}

void efg_recorder_next(struct efg_recorder *r, uint64_t time, uint64_t iteration)
{
    if (!r->is_on || !make_ready(r))
        return;
    flush_spin(r);
    mark(r, time, EFG_REC_ITERATION_END, iteration - 1);
    r->boundary = r->log.next;
    begin_iteration(r, time, iteration);
    efg_log_commit(&r->log);
}

void efg_recorder_last(struct efg_recorder *r, uint64_t time, uint64_t iteration)
{
    if (!r->is_on || !make_ready(r))
        return;
    flush_spin(r);
    mark(r, time, EFG_REC_ITERATION_END, iteration);
    put_boundary(r);
    r->boundary = r->log.next;
    efg_traffic_end(r->traffic);
    efg_log_commit(&r->log);
}

void efg_recorder_end(struct efg_recorder *r, uint64_t time)
{
    if (!r->is_on || !efg_recorder_room(r, 8))
        return;
    flush_spin(r);
    r->is_on = false;
    efg_traffic_end(r->traffic);
    if (r->open_requests)
        r->is_draining = true;
    else
        end_window(r, time);
    efg_log_commit(&r->log);
}

void efg_recorder_stop(struct efg_recorder *r, uint64_t time)
{
    if (r->is_draining)
        end_window(r, time);
    if (!r->is_on)
        return;
    r->is_on = false;
    efg_traffic_end(r->traffic);
    if (efg_recorder_room(r, 8))
        flush_spin(r);
    end_window(r, time);
    r->window++; /* requests of this window are of none now */
}

static void begin_in_ring(struct efg_recorder *r, uint64_t time, uint64_t iteration)
{
    r->boundary = r->log.next;
    begin_window(r, time);
    if (iteration != EFG_NO_ITERATION)
        begin_iteration(r, time, iteration);
}

void efg_recorder_begin_ring(struct efg_recorder *r, uint64_t time, uint64_t iteration)
{
    if (!make_ready(r))
        return;
    r->window++;
    r->open_requests = r->calls = r->first_enter = 0;
    r->window_start = r->log.next;
    r->kept = EFG_KEPT_AROUND;
    r->is_on = 1;
    r->log.is_held = 1;
    begin_in_ring(r, time, iteration);
}

void efg_recorder_turn_ring(struct efg_recorder *r, uint64_t time, uint64_t iteration)
{
    if (!r->is_on || !make_ready(r))
        return;
    flush_spin(r);
    if (iteration != EFG_NO_ITERATION) {
        mark(r, time, EFG_REC_ITERATION_END, iteration - 1);
        put_boundary(r);
    }
    mark(r, time, EFG_REC_WINDOW_END, r->window - 1);
    begin_in_ring(r, time, iteration);
}

/* Receives that are posted meanwhile are taken along. */
void efg_recorder_skip(struct efg_recorder *r, bool is_skipped)
{
    if (is_skipped == r->is_skipping || (is_skipped && !r->is_on))
        return;
    if (is_skipped)
        flush_spin(r);
    else
        r->first_enter = r->open_requests = 0;
    r->is_skipping = is_skipped;
    r->is_on = !is_skipped && !r->failed;
}

ptrdiff_t efg_recorder_cut_ring(struct efg_recorder *r, const uint32_t *end,
                                bool is_dropped(const void *context, uint64_t begin), const void *context)
{
    r->log.is_held = 0;
    r->window_start = efg_trim_front(&r->log, r->window_start, end, is_dropped, context);
    r->log.is_held = 1;
    ptrdiff_t moved = r->window_start.word - end;
    r->boundary.word += moved;
    r->visit.word += moved;
    return moved;
}

void efg_recorder_end_ring(struct efg_recorder *r, bool is_dropped(const void *context, uint64_t begin),
                           const void *context)
{
    r->is_on = r->is_skipping = false;
    r->is_spinning = false;
    r->log.is_held = 0;
    r->window++; /* requests of it are of none now */
    r->window_start = efg_trim_front(&r->log, r->window_start, r->log.next.word, is_dropped, context);
    r->boundary = r->window_start;
}

/* Without the window that has filled the log there is room. */
static void begin_again(struct efg_recorder *r)
{
    r->failed = 0;
    r->is_full = false;
    r->log.header->is_short = 0;
}

void efg_recorder_discard(struct efg_recorder *r)
{
    r->is_on = r->is_draining = false;
    r->is_spinning = false;
    r->open_requests = r->calls = 0;
    efg_traffic_discard(r->traffic);
    if (r->is_full)
        begin_again(r);
    if (!r->window_start.word || r->failed)
        return;
    r->log.next = r->window_start;
    efg_log_commit(&r->log);
    forget_all(r);
}

void efg_recorder_close(struct efg_recorder *r, uint64_t time)
{
    if (!r->log.header)
        return;
    if (r->is_draining)
        end_window(r, time);
    efg_log_commit(&r->log);
    int error = efg_log_close(&r->log);
    if (error && !r->failed)
        r->failed = -error;
    r->is_on = false;
}
