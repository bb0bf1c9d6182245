/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* dladdr */
#include "otf2_logs.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP 100 /* ns between records */

static void must(int ok, const char *what)
{
    if (!ok) {
        perror(what);
        abort();
    }
}

/* --- logs --- */

/* Ranks differ in when their clock began, and rank 3's is 1% fast, as its second
 * synchronisation tells. */
static uint64_t ticks_at(const struct synth *s, uint64_t ns)
{
    uint64_t ticks = ns * 2;
    if (s->rank == 3)
        ticks += ticks / 100;
    return s->ticks + ticks;
}

void synth_open(struct synth *s, const char *dir, uint32_t rank, uint32_t thread, uint32_t ranks)
{
    struct efg_log_header header = {.rank = rank, .ranks = ranks, .thread = thread, .pid = 1};
    char path[PATH_MAX];
    memset(s, 0, sizeof *s);
    s->rank = rank;
    s->ticks_per_second = 2000000000;
    s->ticks = 1000000007 * (uint64_t)(rank + 1);
    header.ticks_per_second = s->ticks_per_second;
    header.sync[0] = (struct efg_sync){s->ticks, SYNTH_START};
    header.full = 1;
    snprintf(header.host, sizeof header.host, "node%u", rank / 2);
    strcpy(header.application, "synthetic");
    header.package = rank % 2; /* of rank 1, number 0; of rank 0, none */
    header.core = rank + 1;
    snprintf(path, sizeof path, "%s/logs", dir);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/logs/%u.%u.log", dir, rank, thread);
    must(efg_log_create(&s->log, path, &header, 1 << 26) == 0, path);
}

void synth_close(struct synth *s, int in_order)
{
    if (in_order) {
        s->log.header->sync[1] = (struct efg_sync){ticks_at(s, 1000000), SYNTH_START + 1000000};
        efg_log_close(&s->log);
    } else { /* the file stays as it is: not cut, not closed */
        munmap(s->log.header, (size_t)((char *)s->log.end - (char *)s->log.header));
        close(s->log.file);
    }
}

void synth_put(struct synth *s, struct efg_record r)
{
    r.time = ticks_at(s, s->now += STEP);
    must(efg_log_grow(&s->log, 1) == 0, "room in the log");
    efg_log_put(&s->log, &r);
    efg_log_commit(&s->log);
}

static void define(struct synth *s, struct efg_record r, const void *payload)
{
    must(efg_log_define(&s->log, &r, payload) == 0, "room in the log");
    efg_log_commit(&s->log);
}

/* The id of a function: its place here. Defined at its first use, once per log. */
static uint16_t call_id(struct synth *s, const char *call)
{
    static const struct {
        const char *name;
        uint32_t class;
    } calls[] = {
        {"MPI_Send", EFG_CLASS_POINT2POINT},      {"MPI_Recv", EFG_CLASS_POINT2POINT},
        {"MPI_Isend", EFG_CLASS_POINT2POINT},     {"MPI_Irecv", EFG_CLASS_POINT2POINT},
        {"MPI_Waitall", EFG_CLASS_POINT2POINT},   {"MPI_Test", EFG_CLASS_POINT2POINT},
        {"MPI_Allreduce", EFG_CLASS_ALL2ALL},     {"MPI_Barrier", EFG_CLASS_BARRIER},
        {"MPI_Bcast", EFG_CLASS_ONE2ALL},         {"MPI_Reduce", EFG_CLASS_ALL2ONE},
        {"MPI_Scan", EFG_CLASS_OTHER_COLLECTIVE}, {"MPI_Put", EFG_CLASS_RMA},
        {"MPI_Win_fence", EFG_CLASS_RMA},         {"MPI_File_open", EFG_CLASS_FILE_IO},
        {"MPI_File_write", EFG_CLASS_FILE_IO},    {"MPI_Wtime", EFG_CLASS_OTHER},
    };
    for (uint16_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, call) == 0) {
            struct efg_record r = {.kind = EFG_REC_DEF_CALL, .call = i, .a = calls[i].class};
            r.d = strlen(call);
            if (!(s->known_calls & 1u << i))
                define(s, r, call);
            s->known_calls |= 1u << i;
            return i;
        }
    abort();
}

void synth_enter(struct synth *s, const char *call, uint32_t path)
{
    uint16_t id = call_id(s, call);
    synth_put(s, (struct efg_record){.kind = EFG_REC_ENTER, .call = id, .a = path});
}

void synth_leave(struct synth *s, const char *call)
{
    uint16_t id = call_id(s, call);
    synth_put(s, (struct efg_record){.kind = EFG_REC_LEAVE, .call = id});
}

void synth_mark(struct synth *s, uint16_t kind, uint64_t number)
{
    synth_put(s, (struct efg_record){.kind = kind, .d = number});
}

/* Those of addresses in this program; NULL: of a module that is not known. */
static void find_frames(struct efg_frame *frames, const void *const *where, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        Dl_info info = {0};
        if (where[i] && dladdr(where[i], &info))
            frames[i].offset = (uint64_t)((const char *)where[i] - (const char *)info.dli_fbase);
        frames[i].module = where[i] ? 1 : 99;
    }
}

void synth_path(struct synth *s, uint32_t path, const void *const *where, uint32_t count)
{
    struct efg_frame frames[16] = {0};
    struct efg_record r = {.kind = EFG_REC_DEF_PATH, .a = path, .d = count * sizeof *frames};
    find_frames(frames, where, count);
    define(s, r, frames);
}

void synth_region(struct synth *s, uint32_t region, uint32_t around, const char *name)
{
    define(s, (struct efg_record){.kind = EFG_REC_DEF_REGION, .a = region, .b = around, .d = strlen(name)},
           name);
}

void synth_counters(struct synth *s, uint32_t count, const char *names)
{
    define(s, (struct efg_record){.kind = EFG_REC_DEF_COUNTERS, .a = count, .d = strlen(names)}, names);
}

void synth_when(struct synth *s, const char *conditions)
{
    define(s, (struct efg_record){.kind = EFG_REC_DEF_WHEN, .d = strlen(conditions)}, conditions);
}

void synth_phase(struct synth *s, uint32_t phase, const void *const *where, uint32_t count)
{
    struct efg_frame frames[16] = {0};
    struct efg_record r = {.kind = EFG_REC_DEF_PHASE, .a = phase, .d = count * sizeof *frames};
    find_frames(frames, where, count);
    define(s, r, frames);
}

void synth_comm(struct synth *s, uint32_t comm, uint32_t kind, uint32_t parent, uint64_t identity,
                uint32_t local, uint32_t remote, const uint32_t *ranks)
{
    uint32_t members[66] = {local, remote};
    struct efg_record r = {.kind = EFG_REC_DEF_COMM, .a = comm, .b = kind, .c = parent, .e = identity};
    if (local) {
        memcpy(members + 2, ranks, (local + remote) * sizeof *ranks);
        r.d = (2 + local + remote) * sizeof *ranks;
    }
    define(s, r, members);
}

/* --- a job --- */

static void define_module(struct synth *s)
{
    char path[PATH_MAX];
    must(realpath("/proc/self/exe", path) != NULL, "own path");
    define(s, (struct efg_record){.kind = EFG_REC_DEF_MODULE, .a = 1, .d = strlen(path)}, path);
}

void synth_define(struct synth *s)
{
    static const uint32_t all[] = {0, 1, 2, 3}, halves[] = {0, 2, 1, 3};
    struct efg_record win = {.kind = EFG_REC_DEF_WIN, .a = SYNTH_WIN, .b = SYNTH_COPY, .e = 300};
    struct efg_record file = {.kind = EFG_REC_DEF_FILE, .a = SYNTH_FILE, .b = SYNTH_WORLD, .e = 400};
    uint32_t group[] = {1, 0, (s->rank + 1) % SYNTH_RANKS};
    static const char name[] = "/scratch/result.dat";
    uint32_t parity = s->rank % 2;
    file.d = strlen(name);
    define_module(s);
    if (s->rank % 2) /* ranks need not agree on the order */
        synth_comm(s, SYNTH_SELF, EFG_COMM_SELF, UINT32_MAX, 1, 0, 0, NULL);
    synth_comm(s, SYNTH_WORLD, EFG_COMM_WORLD, UINT32_MAX, 0, 0, 0, NULL);
    synth_comm(s, SYNTH_COPY, EFG_COMM_INTRA, SYNTH_WORLD, 100, 4, 0, all);
    synth_comm(s, SYNTH_HALF, EFG_COMM_INTRA, SYNTH_COPY, 200 + parity, 2, 0, halves + 2 * parity);
    synth_comm(s, SYNTH_INTER, EFG_COMM_INTER, SYNTH_WORLD, 250, 2, 2, halves);
    if (s->rank % 2 == 0)
        synth_comm(s, SYNTH_SELF, EFG_COMM_SELF, UINT32_MAX, 1, 0, 0, NULL);
    define(s, win, NULL);
    define(s, file, name);
    define(s, (struct efg_record){.kind = EFG_REC_DEF_GROUP, .a = SYNTH_GROUP, .d = sizeof group}, group);
    synth_path(s, 1, (const void *const[]){(const char *)synth_log + 1}, 1);
    synth_path(s, 2, (const void *const[]){(const char *)synth_iteration + 1, (const char *)synth_log + 1},
               2);
}

static void put_event(struct synth *s, uint16_t kind, uint32_t a, uint32_t b, uint32_t c, uint64_t d,
                      uint64_t e)
{
    synth_put(s, (struct efg_record){.kind = kind, .a = a, .b = b, .c = c, .d = d, .e = e});
}

static uint64_t next_request(struct synth *s)
{
    return ++s->request;
}

/* To the next rank, nonblocking; another receive is cancelled, and one is tested in vain. */
static void ring(struct synth *s)
{
    uint32_t next = (s->rank + 1) % SYNTH_RANKS, last = (s->rank + SYNTH_RANKS - 1) % SYNTH_RANKS;
    uint64_t receive = next_request(s), send = next_request(s), never = next_request(s);
    synth_enter(s, "MPI_Irecv", 2);
    put_event(s, EFG_REC_IRECV_REQUEST, 0, 0, 0, 0, receive);
    synth_leave(s, "MPI_Irecv");
    synth_enter(s, "MPI_Irecv", 2);
    put_event(s, EFG_REC_IRECV_REQUEST, 0, 0, 0, 0, never);
    synth_leave(s, "MPI_Irecv");
    synth_enter(s, "MPI_Isend", 2);
    put_event(s, EFG_REC_ISEND, SYNTH_WORLD, next, 17, 800, send);
    synth_leave(s, "MPI_Isend");
    synth_enter(s, "MPI_Test", 2);
    put_event(s, EFG_REC_REQUEST_TEST, 0, 0, 0, 0, receive);
    synth_leave(s, "MPI_Test");
    synth_enter(s, "MPI_Waitall", 2);
    put_event(s, EFG_REC_IRECV, SYNTH_WORLD, last, 17, 800, receive);
    put_event(s, EFG_REC_ISEND_COMPLETE, 0, 0, 0, 0, send);
    put_event(s, EFG_REC_REQUEST_CANCELLED, 0, 0, 0, 0, never);
    synth_leave(s, "MPI_Waitall");
}

/* Within the halves, and between them. */
static void messages(struct synth *s)
{
    synth_enter(s, "MPI_Send", 1);
    if (s->rank == 0)
        put_event(s, EFG_REC_SEND, SYNTH_HALF, 1, 1, 24, 0);
    if (s->rank == 1)
        put_event(s, EFG_REC_SEND, SYNTH_INTER, 1, 2, 32, 0);
    synth_leave(s, "MPI_Send");
    synth_enter(s, "MPI_Recv", 1);
    if (s->rank == 2)
        put_event(s, EFG_REC_RECV, SYNTH_HALF, 0, 1, 24, 0);
    if (s->rank == 2)
        put_event(s, EFG_REC_RECV, SYNTH_INTER, 0, 2, 32, 0);
    synth_leave(s, "MPI_Recv");
}

static void collective(struct synth *s, const char *call, uint16_t operation, uint32_t comm, uint32_t root)
{
    synth_enter(s, call, 2);
    put_event(s, EFG_REC_COLLECTIVE_BEGIN, 0, 0, 0, 0, 0);
    synth_put(s,
              (struct efg_record){
                  .kind = EFG_REC_COLLECTIVE_END, .call = operation, .a = comm, .b = root, .d = 8, .e = 8});
    synth_leave(s, call);
}

static void collectives(struct synth *s)
{
    uint64_t request = next_request(s);
    uint32_t root = s->rank == 0 ? EFG_ROOT_SELF : s->rank == 2 ? EFG_ROOT_THIS_GROUP : 0;
    collective(s, "MPI_Allreduce", EFG_COLL_ALLREDUCE, SYNTH_HALF, EFG_ROOT_NONE);
    collective(s, "MPI_Reduce", EFG_COLL_REDUCE, SYNTH_COPY, 2);
    collective(s, "MPI_Barrier", EFG_COLL_BARRIER, SYNTH_SELF, EFG_ROOT_NONE);
    collective(s, "MPI_Scan", EFG_COLL_SCAN, SYNTH_WORLD, EFG_ROOT_NONE);
    collective(s, "MPI_Bcast", EFG_COLL_BCAST, SYNTH_INTER, root);
    synth_enter(s, "MPI_Barrier", 0);
    put_event(s, EFG_REC_COLLECTIVE_REQUEST, 0, 0, 0, 0, request);
    synth_leave(s, "MPI_Barrier");
    synth_enter(s, "MPI_Waitall", 0);
    synth_put(s, (struct efg_record){.kind = EFG_REC_COLLECTIVE_COMPLETE,
                                     .call = EFG_COLL_BARRIER,
                                     .a = SYNTH_COPY,
                                     .b = EFG_ROOT_NONE,
                                     .c = (uint32_t)request});
    synth_leave(s, "MPI_Waitall");
}

static void one_sided(struct synth *s)
{
    uint32_t w = SYNTH_WIN, target = (s->rank + 1) % SYNTH_RANKS;
    synth_enter(s, "MPI_Put", 2);
    put_event(s, EFG_REC_RMA_CREATE, w, 0, 0, 0, 0);
    put_event(s, EFG_REC_RMA_ACQUIRE, w, target, 1, 0, 0);
    put_event(s, EFG_REC_RMA_PUT, w, target, 0, 64, 1);
    put_event(s, EFG_REC_RMA_REQUEST, w, 0, 0, 0, 1);
    put_event(s, EFG_REC_RMA_GET, w, target, 0, 64, 2);
    put_event(s, EFG_REC_RMA_ATOMIC, w, target, EFG_ATOMIC_FETCH_AND_OP, 8, 3);
    put_event(s, EFG_REC_RMA_TEST, w, 0, 0, 0, 1);
    put_event(s, EFG_REC_RMA_COMPLETE_NONBLOCKING, w, 0, 0, 0, 1);
    put_event(s, EFG_REC_RMA_COMPLETE_BLOCKING, w, 0, 0, 0, 2);
    put_event(s, EFG_REC_RMA_COMPLETE_REMOTE, w, 0, 0, 0, 3);
    put_event(s, EFG_REC_RMA_SYNC, w, target, EFG_SYNC_LOCAL, 0, 0);
    put_event(s, EFG_REC_RMA_RELEASE, w, target, 0, 0, 0);
    put_event(s, EFG_REC_RMA_GROUP_SYNC, w, EFG_SYNC_LOCAL | EFG_SYNC_MEMORY, SYNTH_GROUP, 0, 0);
    synth_leave(s, "MPI_Put");
    synth_enter(s, "MPI_Win_fence", 2);
    put_event(s, EFG_REC_RMA_COLLECTIVE_BEGIN, 0, 0, 0, 0, 0);
    put_event(s, EFG_REC_RMA_COLLECTIVE_END, w, EFG_SYNC_REMOTE, EFG_ROOT_NONE, 0, 0);
    put_event(s, EFG_REC_RMA_DESTROY, w, 0, 0, 0, 0);
    synth_leave(s, "MPI_Win_fence");
}

static void files(struct synth *s)
{
    uint32_t f = SYNTH_FILE;
    synth_enter(s, "MPI_File_open", 1);
    put_event(s, EFG_REC_IO_OPEN, f, 2, 1 | 4, 0, 0);
    synth_leave(s, "MPI_File_open");
    synth_enter(s, "MPI_File_write", 1);
    put_event(s, EFG_REC_IO_SEEK, f, 0, 2, 16, 4096);
    put_event(s, EFG_REC_IO_BEGIN, f, EFG_IO_WRITE, 3, UINT64_MAX, 4);
    put_event(s, EFG_REC_IO_ISSUED, f, 0, 0, 0, 4);
    put_event(s, EFG_REC_IO_TEST, f, 0, 0, 0, 4);
    put_event(s, EFG_REC_IO_COMPLETE, f, 0, 0, 512, 4);
    put_event(s, EFG_REC_IO_BEGIN, f, EFG_IO_FLUSH, 2, 0, 5);
    put_event(s, EFG_REC_IO_CANCELLED, f, 0, 0, 0, 5);
    put_event(s, EFG_REC_IO_CLOSE, f, 0, 0, 0, 0);
    synth_leave(s, "MPI_File_write");
}

void synth_iteration(struct synth *s, uint64_t number)
{
    synth_mark(s, EFG_REC_ITERATION_BEGIN, number);
    ring(s);
    messages(s);
    collectives(s);
    one_sided(s);
    files(s);
    synth_mark(s, EFG_REC_ITERATION_END, number);
}

uint64_t synth_log(const char *dir, uint32_t rank)
{
    struct synth s;
    synth_open(&s, dir, rank, 0, SYNTH_RANKS);
    synth_define(&s);
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 0);
    for (uint64_t i = 5; i < 8; i++)
        synth_iteration(&s, i);
    synth_mark(&s, EFG_REC_WINDOW_END, 0);
    s.now += 1000;
    synth_mark(&s, EFG_REC_WINDOW_BEGIN, 1);
    synth_iteration(&s, 100);
    synth_mark(&s, EFG_REC_WINDOW_END, 1);
    uint64_t count = s.log.header->used;
    synth_close(&s, 1);
    return count;
}
