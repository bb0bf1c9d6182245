/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shows what this process is doing. The first rank of a node makes the file and writes its head; each rank
 * maps its part. Pages are written to before they are mapped, and guarded (files/disk/guard.h): a full disk,
 * or somebody who cuts the file short, is no SIGBUS.
 *
 * What numbers mean is told when they first come: communicators one by one, call paths all up to the new one.
 * Who tells takes a lock; who does not get it goes on without, and tells the next time.
 */
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/hot.h"
#include "base/io.h"
#include "files/disk/below.h"
#include "files/disk/guard.h"
#include "runtime/base/clock.h"
#include "runtime/mpi/decode.h"
#include "runtime/mpi/objects.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/stack/callpath.h"
#include "leader.h"
#include "steering.h"

#define BELOW (EFG_BELOW_OWN + 2)
#define ROOM (EFG_LIVE_PART - EFG_LIVE_MAPPED) /* for text */
#define FRAMES 12                              /* of a call path, innermost ones */
#define COMMS 4096                             /* those with larger ids are not told */

static const struct efg_job *const job = &efg_job;

static struct {
    struct efg_live_rank *rank; /* NULL: nothing is shown */
    uint64_t at;                /* of the part in the file */
    int file;
    bool is_owner; /* of the file */
    char path[EFG_PATH];
    pthread_mutex_t lock;       /* what follows */
    uint32_t paths, modules;    /* told so far; all if there is no room; atomic */
    uint64_t comms[COMMS / 64]; /* set of those told; atomic */
} live = {.file = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
EFG_HOT_DATA uint32_t efg_live_told; /* call paths; UINT32_MAX: there is no room for more; atomic */

/* --- the file --- */

static void folder(char *path, size_t size)
{
    snprintf(path, size, "%.4000s/live", job->folder);
}

int efg_live_make_folder(void)
{
    char path[EFG_PATH];

    folder(path, sizeof path);
    return job->conf.live ? efg_below_make_folder(path, EFG_BELOW_OWN + 1) : 0;
}

static void put_names(struct efg_buffer *out)
{
    for (uint32_t i = 1; i < EFG_CALLS; i++)
        efg_buffer_print(out, "N %u %s\n", i, efg_call_info[i].name);
    out->failed |= out->size > EFG_LIVE_HEAD - EFG_LIVE_PAGE;
}

/* Make the file for PARTS ranks. Returns 0 or -errno. */
static int make_file(int parts)
{
    struct efg_live_head head = {
        .magic = EFG_LIVE_MAGIC,
        .version = EFG_LIVE_VERSION,
        .parts = (uint32_t)parts,
        .ranks = (uint32_t)job->size,
        .any_source = MPI_ANY_SOURCE,
        .any_tag = MPI_ANY_TAG,
        .proc_null = MPI_PROC_NULL,
        .ticks = job->sync.sync.ticks,
        .realtime = job->sync.sync.realtime,
    };
    struct efg_buffer names = {0};
    int error;

    put_names(&names);
    head.names = (uint32_t)names.size;
    memcpy(head.host, job->host, sizeof head.host);
    memcpy(head.application, job->application, sizeof head.application);
    live.file = efg_below_open(live.path, BELOW, O_RDWR | O_CREAT | O_EXCL);
    error = names.failed    ? -ENOMEM
            : live.file < 0 ? live.file
                            : efg_write_all(live.file, names.data, names.size, EFG_LIVE_PAGE);
    if (!error)
        error = efg_write_all(live.file, &head, sizeof head, 0);
    efg_buffer_fini(&names);
    return error;
}

/* Field 22 of /proc/self/stat, which tells this process from a later one with its number. */
static uint64_t started(void)
{
    char text[1024] = "", *at;
    unsigned long long value = 0;
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return 0;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size <= 0 || !(at = strrchr(text, ')')))
        return 0;
    sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
           &value);
    return value;
}

/* Map the part at live.at. Returns 0 or -errno. */
static int map_part(void)
{
    static char zeros[EFG_LIVE_MAPPED];
    struct efg_live_rank *rank = MAP_FAILED;

    if (!efg_log_may_have(live.at + EFG_LIVE_PART))
        return -EFBIG;
    int error = -posix_fallocate(live.file, (off_t)live.at, EFG_LIVE_MAPPED);
    if (!error)
        error = efg_write_all(live.file, zeros, sizeof zeros, live.at);
    if (!error)
        rank = mmap(NULL, EFG_LIVE_MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, live.file, (off_t)live.at);
    if (error || rank == MAP_FAILED)
        return error ? error : -errno;
    efg_guard_add(rank, EFG_LIVE_MAPPED);
    rank->rank = (uint32_t)job->rank;
    rank->pid = (uint32_t)getpid();
    rank->started = started();
    rank->start = job->start;
    live.rank = rank;
    return 0;
}

/* What the first rank of the node says: 0 or -errno, and its rank. */
static int share_file(int *place)
{
    int told[2] = {0, job->rank}, parts = 0, error;
    char path[EFG_PATH];

    PMPI_Comm_rank(job->nodes.node, place);
    PMPI_Comm_size(job->nodes.node, &parts);
    folder(path, sizeof path);
    live.is_owner = *place == 0;
    if (live.is_owner) {
        snprintf(live.path, sizeof live.path, "%.4100s/%d.live", path, job->rank);
        told[0] = job->folder[0] ? make_file(parts) : -ENOENT;
    }
    efg_nodes_share(&job->nodes, told, sizeof told);
    if (told[0] || live.is_owner)
        return told[0];
    snprintf(live.path, sizeof live.path, "%.4100s/%d.live", path, told[1]);
    error = job->folder[0] ? efg_below_open(live.path, BELOW, O_RDWR) : -ENOENT;
    live.file = error;
    return error < 0 ? error : 0;
}

void efg_live_begin(void)
{
    int place = 0;

    if (!job->conf.live || efg_conf_is_brief(&job->conf))
        return;
    int error = share_file(&place);
    live.at = EFG_LIVE_HEAD + (uint64_t)place * EFG_LIVE_PART;
    if (!error)
        error = map_part();
    if (error && job->folder[0])
        efg_note("%s: %s; `efgtrace top` and `efgtrace stuck` do not see this rank (EFGTRACE_LIVE)",
                 live.path, strerror(-error));
    efg_live_say(EFG_LIVE_RUNNING);
}

/* --- what numbers mean --- */

/* Append TEXT, and let go of it. Returns whether it is there. */
static bool tell(struct efg_buffer *text)
{
    uint32_t used = live.rank->text;
    int saved = errno;
    bool is_told = !text->failed && text->size <= ROOM - used &&
                   efg_write_all(live.file, text->data, text->size, live.at + EFG_LIVE_MAPPED + used) == 0;

    if (is_told)
        __atomic_store_n(&live.rank->text, used + (uint32_t)text->size, __ATOMIC_RELEASE);
    efg_buffer_fini(text);
    errno = saved;
    return is_told;
}

static void put_path(struct efg_buffer *out, uint32_t id)
{
    struct efg_path path = efg_callpath_get(id);

    efg_buffer_print(out, "P %u", id);
    for (uint32_t i = 0; i < path.depth && i < FRAMES; i++)
        efg_buffer_print(out, " %u:%llx", path.frames[i].module, (unsigned long long)path.frames[i].offset);
    efg_buffer_print(out, "\n");
}

/* All up to ID; if there is no room for them, none from here on. */
static __attribute__((noinline, cold)) void tell_paths(uint32_t id)
{
    struct efg_buffer text = {0};

    if (pthread_mutex_trylock(&live.lock) != 0)
        return;
    uint32_t modules = efg_callpath_modules(), from = efg_live_told;
    for (uint32_t i = live.modules; i < modules; i++)
        efg_buffer_print(&text, "M %u %s\n", i, efg_callpath_module(i));
    for (uint32_t i = from + 1; i <= id && i > from; i++)
        put_path(&text, i);
    live.modules = modules;
    if (id > from)
        __atomic_store_n(&efg_live_told, tell(&text) ? id : UINT32_MAX, __ATOMIC_RELAXED);
    efg_buffer_fini(&text);
    pthread_mutex_unlock(&live.lock);
}

/* The world ranks of the partners: runs of ascending ones in short. */
static void put_partners(struct efg_buffer *out, const struct efg_comm *c)
{
    for (int i = 0, last; i < c->peers; i = last + 1) {
        uint32_t first = efg_comms_world_rank(c, i);
        for (last = i;
             last + 1 < c->peers && efg_comms_world_rank(c, last + 1) == first + (uint32_t)(last + 1 - i);)
            last++;
        efg_buffer_print(out, "%s%u", i ? "," : "", first);
        if (last > i)
            efg_buffer_print(out, "-%u", first + (uint32_t)(last - i));
    }
}

static void put_comm(struct efg_buffer *out, const struct efg_comm *c)
{
    struct efg_buffer list = {0};

    if (c->kind == EFG_COMM_WORLD)
        efg_buffer_print(&list, "*");
    else if (!c->is_foreign)
        put_partners(&list, c);
    if (list.failed || !list.size || list.size > ROOM / 4) {
        efg_buffer_fini(&list);
        efg_buffer_print(&list, "?");
    }
    efg_buffer_print(out, "C %u %llx %d %d %d %d ", c->id, (unsigned long long)c->identity, c->kind, c->rank,
                     c->size, c->peers);
    efg_buffer_put(out, list.data, list.size);
    efg_buffer_print(out, "\n");
    out->failed |= list.failed;
    efg_buffer_fini(&list);
}

static __attribute__((noinline, cold)) void tell_comm(const struct efg_comm *c)
{
    struct efg_buffer text = {0};

    if (pthread_mutex_trylock(&live.lock) != 0)
        return;
    __atomic_fetch_or(&live.comms[c->id / 64], UINT64_C(1) << c->id % 64, __ATOMIC_RELAXED);
    put_comm(&text, c);
    tell(&text);
    pthread_mutex_unlock(&live.lock);
}

/* Its id, which has been told. */
static inline uint32_t name_comm(const struct efg_comm *c)
{
    if (!c)
        return UINT32_MAX;
    if (c->id < COMMS && !(__atomic_load_n(&live.comms[c->id / 64], __ATOMIC_RELAXED) >> c->id % 64 & 1))
        tell_comm(c);
    return c->id;
}

/* --- calls --- */

const uint8_t efg_live_kinds[EFG_SHAPES] = {
    [EFG_SHAPE_SEND] = EFG_LIVE_SEND,
    [EFG_SHAPE_ISEND] = EFG_LIVE_ISEND,
    [EFG_SHAPE_RECV] = EFG_LIVE_RECV,
    [EFG_SHAPE_SENDRECV] = EFG_LIVE_SENDRECV,
    [EFG_SHAPE_PROBE] = EFG_LIVE_PROBE,
    [EFG_SHAPE_MPROBE] = EFG_LIVE_PROBE,
    [EFG_SHAPE_WAITALL] = EFG_LIVE_WAIT_ALL,
    [EFG_SHAPE_WAITANY] = EFG_LIVE_WAIT_ANY,
    [EFG_SHAPE_WAITSOME] = EFG_LIVE_WAIT_ANY,
    [EFG_SHAPE_COLLECTIVE] = EFG_LIVE_COLLECTIVE,
    [EFG_SHAPE_COMM_NEW] = EFG_LIVE_COLLECTIVE,
    [EFG_SHAPE_WIN_NEW] = EFG_LIVE_COLLECTIVE,
    [EFG_SHAPE_WIN_FREE] = EFG_LIVE_COLLECTIVE,
    [EFG_SHAPE_FENCE] = EFG_LIVE_COLLECTIVE,
    [EFG_SHAPE_EPOCH_START] = EFG_LIVE_EPOCH,
    [EFG_SHAPE_COMPLETE] = EFG_LIVE_EPOCH,
    [EFG_SHAPE_EPOCH_WAIT] = EFG_LIVE_EPOCH,
    [EFG_SHAPE_LOCK] = EFG_LIVE_LOCK,
    [EFG_SHAPE_LOCK_ALL] = EFG_LIVE_LOCK,
    [EFG_SHAPE_UNLOCK] = EFG_LIVE_UNLOCK,
    [EFG_SHAPE_UNLOCK_ALL] = EFG_LIVE_UNLOCK,
    [EFG_SHAPE_FLUSH] = EFG_LIVE_UNLOCK,
    [EFG_SHAPE_FLUSH_ALL] = EFG_LIVE_UNLOCK,
    [EFG_SHAPE_FLUSH_LOCAL] = EFG_LIVE_UNLOCK,
    [EFG_SHAPE_FLUSH_LOCAL_ALL] = EFG_LIVE_UNLOCK,
    [EFG_SHAPE_FILE_OPEN] = EFG_LIVE_COLLECTIVE,
    [EFG_SHAPE_FILE_CLOSE] = EFG_LIVE_COLLECTIVE,
    [EFG_SHAPE_FILE_DATA] = EFG_LIVE_FILE, /* or collective */
    [EFG_SHAPE_FILE_BEGIN] = EFG_LIVE_COLLECTIVE,
    [EFG_SHAPE_FILE_END] = EFG_LIVE_COLLECTIVE,
    [EFG_SHAPE_FILE_FLUSH] = EFG_LIVE_COLLECTIVE,
};

#define OF_WINDOW                                                                                            \
    (EFG_SHAPE_SET(WIN_FREE) | EFG_SHAPE_SET(FENCE) | EFG_SHAPE_SET(EPOCH_START) | EFG_SHAPE_SET(COMPLETE) | \
     EFG_SHAPE_SET(EPOCH_WAIT) | EFG_SHAPE_SET(LOCK) | EFG_SHAPE_SET(LOCK_ALL) | EFG_SHAPE_SET(UNLOCK) |     \
     EFG_SHAPE_SET(UNLOCK_ALL) | EFG_SHAPE_SET(FLUSH) | EFG_SHAPE_SET(FLUSH_ALL) |                           \
     EFG_SHAPE_SET(FLUSH_LOCAL) | EFG_SHAPE_SET(FLUSH_LOCAL_ALL) | EFG_SHAPE_SET(PUT) | EFG_SHAPE_SET(GET) | \
     EFG_SHAPE_SET(ATOMIC))
#define OF_FILE                                                                         \
    (EFG_SHAPE_SET(FILE_CLOSE) | EFG_SHAPE_SET(FILE_DATA) | EFG_SHAPE_SET(FILE_BEGIN) | \
     EFG_SHAPE_SET(FILE_END) | EFG_SHAPE_SET(FILE_FLUSH))
#define OF_ALL_TARGETS                                                                \
    (EFG_SHAPE_SET(LOCK_ALL) | EFG_SHAPE_SET(UNLOCK_ALL) | EFG_SHAPE_SET(FLUSH_ALL) | \
     EFG_SHAPE_SET(FLUSH_LOCAL_ALL))

static uint64_t handle_of(const struct efg_call *call, enum efg_object_kind kind)
{
    const void *from = kind == EFG_OBJECT_WINDOW
                           ? call->shape == EFG_SHAPE_WIN_FREE ? (const void *)call->newwin : &call->win
                       : call->shape == EFG_SHAPE_FILE_CLOSE ? (const void *)call->newfile
                                                             : &call->file;
    uint64_t handle = 0;

    if (from)
        memcpy(&handle, from, kind == EFG_OBJECT_WINDOW ? sizeof call->win : sizeof call->file);
    return handle;
}

/* A window or a file stands for the communicator that it was made on. */
static __attribute__((noinline)) void show_object(struct efg_live_call *out, const struct efg_call *call)
{
    enum efg_object_kind kind = efg_shape_is_in(call, OF_FILE) ? EFG_OBJECT_FILE : EFG_OBJECT_WINDOW;
    const struct efg_object *object = efg_objects_find(kind, handle_of(call, kind));

    if (call->shape == EFG_SHAPE_FILE_DATA && call->collective)
        out->kind = EFG_LIVE_COLLECTIVE;
    if (out->kind == EFG_LIVE_LOCK)
        out->root = call->exclusive;
    if (efg_shape_is_in(call, OF_ALL_TARGETS))
        out->peer = -1;
    if (!object)
        return;
    out->comm = name_comm(object->comm);
    out->object = (uint32_t)(object->identity ^ object->identity >> 32) | 1;
}

static void show_request(struct efg_live_request *out, const struct efg_request *r)
{
    static const uint8_t of[] = {[EFG_REQUEST_SEND] = EFG_LIVE_SEND,
                                 [EFG_REQUEST_RECV] = EFG_LIVE_RECV,
                                 [EFG_REQUEST_COLLECTIVE] = EFG_LIVE_COLLECTIVE,
                                 [EFG_REQUEST_IDUP] = EFG_LIVE_COLLECTIVE,
                                 [EFG_REQUEST_IO] = EFG_LIVE_OTHER};

    out->kind = of[r->kind];
    out->comm = name_comm(r->comm);
    out->peer = r->peer;
    out->tag = r->tag;
}

/* Where they are shared, they have been claimed. */
static void show_requests(struct efg_thread *t, const struct efg_call *call)
{
    struct efg_recorder *r = &t->recorder;
    uint32_t count = 0;

    for (int i = 0; i < call->nrequests && count < EFG_LIVE_REQUESTS; i++) {
        const struct efg_request *q = efg_recorder_named(r, i);
        if (q && (!q->is_persistent || q->is_active))
            show_request(&t->live->requests[count++], q);
    }
    t->live->request_count = count;
}

/* The communicator is remembered with its id. */
static void show_comm(struct efg_live_thread *at, const struct efg_call *call)
{
    at->comm = name_comm(efg_comms_known(call->comm));
    at->handle = (uintptr_t)call->comm;
}

/* Another communicator may be given the handle of one that is freed. */
static __attribute__((noinline, cold)) void forget_comms(void)
{
    for (uint32_t i = 0; i < EFG_LIVE_THREADS; i++)
        __atomic_store_n(&live.rank->thread[i].handle, 0, __ATOMIC_RELAXED);
}

EFG_HOT void efg_live_explain(struct efg_thread *t, const struct efg_call *call, struct efg_live_call *out)
{
    if (call->path > __atomic_load_n(&efg_live_told, __ATOMIC_RELAXED))
        tell_paths(call->path);
    if (call->comm && (uintptr_t)call->comm != t->live->handle)
        show_comm(t->live, call);
    out->comm = call->comm ? t->live->comm : UINT32_MAX;
    out->object = 0;
    if (call->shape == EFG_SHAPE_COMM_FREE)
        forget_comms();
    if (efg_shape_is_in(call, OF_WINDOW | OF_FILE))
        show_object(out, call);
    else if (out->kind == EFG_LIVE_WAIT_ALL || out->kind == EFG_LIVE_WAIT_ANY)
        show_requests(t, call);
}

/* --- threads --- */

void efg_live_thread_begin(struct efg_thread *t)
{
    if (!live.rank || t->number >= EFG_LIVE_THREADS)
        return;
    struct efg_live_thread *at = &live.rank->thread[t->number];
    at->left = efg_clock_ticks();
    __atomic_store_n(&at->id, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    live.rank->threads = __atomic_load_n(&efg_threads.count, __ATOMIC_RELAXED);
    t->live = at;
}

void efg_live_thread_end(struct efg_thread *t)
{
    if (t->live)
        __atomic_store_n(&t->live->id, 0, __ATOMIC_RELEASE);
}

struct efg_live_thread *efg_live_spare(void)
{
    static struct efg_live_thread spare;

    return live.rank ? &spare : NULL;
}

void efg_live_blind(struct efg_thread *t, bool is_blind)
{
    if (t->live)
        __atomic_store_n(&t->live->is_blind, is_blind, __ATOMIC_RELEASE);
}

/* --- the rank --- */

static void note_longest(struct efg_live_thread *at, const struct efg_edge *edge)
{
    if (edge->time.count && edge->time.max > at->longest)
        at->longest = edge->time.max;
}

/* Where it was long until the last call, a sample follows at once. */
static void find_longest(struct efg_live_thread *at, const struct efg_graph *graph, bool is_full)
{
    if (graph->edge != EFG_NONE)
        note_longest(at, &graph->edges[graph->edge]);
    for (uint32_t i = 0; is_full && i < graph->edge_count; i++)
        note_longest(at, &graph->edges[i]);
}

static void put_sums(struct efg_live_sums *out, const struct efg_thread *t, uint64_t now)
{
    const struct efg_stat *all = &t->iterations.all;

    *out = (struct efg_live_sums){
        .time = now,
        .calls = t->graph.events,
        .mpi = t->graph.node_time,
        .iterations = all->count,
        .iteration_time = all->sum,
        .iteration_mpi = t->iterations.all_mpi,
        .number = efg_steering.pivot.kind == EFG_PIVOT_NONE ? 0 : efg_steering_number(t) + 1,
        .is_recording = efg_steering.control.trigger.state == EFG_RECORDING,
    };
}

void efg_live_sample(const struct efg_thread *t, uint64_t now, bool is_full)
{
    if (t->live)
        find_longest(t->live, &t->graph, is_full);
    if (!live.rank || !efg_leader_is(t))
        return;
    __atomic_add_fetch(&live.rank->sums_version, 1, __ATOMIC_ACQ_REL);
    put_sums(&live.rank->sums, t, now);
    __atomic_add_fetch(&live.rank->sums_version, 1, __ATOMIC_RELEASE);
}

void efg_live_say(enum efg_live_state state)
{
    if (!live.rank)
        return;
    live.rank->since = efg_clock_ticks();
    __atomic_store_n(&live.rank->state, (uint32_t)state, __ATOMIC_RELEASE);
}

/* The memory stays: threads may still write to it. */
void efg_live_end(void)
{
    if (live.is_owner)
        efg_below_remove(live.path, BELOW);
    if (live.file >= 0)
        close(live.file);
    live.file = -1;
}

void efg_live_remove_folder(void)
{
    char path[EFG_PATH];

    folder(path, sizeof path);
    if (job->conf.live && job->folder[0])
        efg_below_remove_folder(path, EFG_BELOW_OWN + 1);
}
