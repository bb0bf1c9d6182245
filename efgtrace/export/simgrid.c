/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole run as a time-independent trace of SimGrid: a folder with a file for each rank, a list of these,
 * a platform like the one that it ran on, and the host of each rank. Each line is an action, "RANK ACTION
 * ...".
 *
 * What is computed is in units of 1 ns of the machine that ran: a host of 1 Gf is as fast as that. Ranks of a
 * host have a core each: if they shared cores, that is in what they took.
 *
 * Source: SimGrid 3.32, "SMPI: replaying time-independent traces".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "cli/complain.h"
#include "cli/open.h"
#include "files/disk/below.h"
#include "files/otf2/table.h"
#include "formats.h"
#include "rehearse.h"
#include "replay/replay.h"

#define MACHINE                                                                                          \
    "<?xml version='1.0'?>\n"                                                                            \
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"                                   \
    "<!-- As fast as the run: 1Gf; change speed, lat, bw to see what a faster machine or network does. " \
    "-->\n"                                                                                              \
    "<platform version=\"4.1\">\n"

struct writing {
    FILE *file;
    uint32_t rank, size;
};

/* --- actions --- */

static void put_collective(const struct writing *w, const struct efg_replay_action *a)
{
    FILE *f = w->file;
    uint64_t bytes = a->bytes;
    switch (a->op) {
    case EFG_COLL_BCAST:
        fprintf(f, "bcast %" PRIu64 " %u\n", bytes, a->root);
        break;
    case EFG_COLL_GATHER:
        fprintf(f, "gather %" PRIu64 " %" PRIu64 " %u\n", bytes, bytes, a->root);
        break;
    case EFG_COLL_SCATTER:
        fprintf(f, "scatter %" PRIu64 " %" PRIu64 " %u\n", bytes, bytes, a->root);
        break;
    case EFG_COLL_REDUCE:
        fprintf(f, "reduce %" PRIu64 " 0 %u\n", bytes, a->root);
        break;
    case EFG_COLL_ALLREDUCE:
        fprintf(f, "allreduce %" PRIu64 " 0\n", bytes);
        break;
    case EFG_COLL_SCAN:
        fprintf(f, "scan %" PRIu64 " 0\n", bytes);
        break;
    case EFG_COLL_ALLGATHER:
        fprintf(f, "allgather %" PRIu64 " %" PRIu64 "\n", bytes, bytes);
        break;
    case EFG_COLL_ALLTOALL:
        fprintf(f, "alltoall %" PRIu64 " %" PRIu64 "\n", bytes, bytes);
        break;
    case EFG_COLL_REDUCE_SCATTER:
        fprintf(f, "reducescatter");
        for (uint32_t i = 0; i < w->size; i++)
            fprintf(f, " %" PRIu64, bytes);
        fprintf(f, " 0\n");
        break;
    default:
        fprintf(f, "barrier\n");
    }
}

static int put(void *data, const struct efg_replay_action *a)
{
    const struct writing *w = data;
    FILE *f = w->file;
    fprintf(f, "%u ", w->rank);
    switch (a->kind) {
    case EFG_REPLAY_COMPUTE:
        fprintf(f, "compute %" PRIu64 "\n", a->ns);
        break;
    case EFG_REPLAY_SLEEP:
        fprintf(f, "sleep %" PRIu64 ".%09" PRIu64 "\n", a->ns / 1000000000, a->ns % 1000000000);
        break;
    case EFG_REPLAY_SEND:
    case EFG_REPLAY_ISEND:
        fprintf(f, "%s %u %u %" PRIu64 "\n", a->kind == EFG_REPLAY_SEND ? "send" : "isend", a->peer, a->tag,
                a->bytes);
        break;
    case EFG_REPLAY_RECEIVE:
    case EFG_REPLAY_IRECEIVE:
        /* 0 would mean: whatever comes, after a probe that blocks. */
        fprintf(f, "%s %u %u %" PRIu64 "\n", a->kind == EFG_REPLAY_RECEIVE ? "recv" : "irecv", a->peer,
                a->tag, a->bytes ? a->bytes : 1);
        break;
    case EFG_REPLAY_WAIT:
        fprintf(f, "wait %u %u %u\n", a->is_send ? w->rank : a->peer, a->is_send ? a->peer : w->rank, a->tag);
        break;
    case EFG_REPLAY_COLLECTIVE:
        put_collective(w, a);
    }
    return ferror(f) ? -EIO : 0;
}

/* --- files --- */

static FILE *make(const char *dir, const char *name)
{
    char path[4096];
    int size = snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = size < (int)sizeof path ? fopen(path, "wx") : NULL;
    if (!file)
        fprintf(stderr, "efgtrace export: cannot make %s: %s\n", path, strerror(errno));
    return file;
}

static int finish(FILE *file, const char *dir, const char *name)
{
    int failed = ferror(file);
    if (!fclose(file) && !failed)
        return 0;
    fprintf(stderr, "efgtrace export: cannot write %s/%s: no room on the disk?\n", dir, name);
    return EFG_TOLD;
}

static int write_rank(struct efg_replay *replay, const struct efg_run *run, uint32_t index, const char *dir)
{
    char name[64];
    snprintf(name, sizeof name, "rank-%u.txt", run->ranks[index].rank);
    struct writing w = {.file = make(dir, name), .rank = run->ranks[index].rank, .size = run->size};
    if (!w.file)
        return EFG_TOLD;
    fprintf(w.file, "%u init\n", w.rank);
    int error = efg_replay_rank(replay, index, put, &w);
    fprintf(w.file, "%u finalize\n", w.rank);
    int lost = finish(w.file, dir, name);
    return error == EFG_TOLD ? error : lost;
}

/* Hosts get numbers, as they may have names that SimGrid does not like. Returns how many ranks the fullest
 * has. */
static uint32_t put_hosts(FILE *file, const struct efg_run *run, struct efg_otf2_table *hosts)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        struct efg_run_rank rank;
        if (efg_open_rank(run, "export", i, &rank))
            return 0;
        uint32_t host = efg_otf2_intern_text(hosts, rank.host);
        efg_run_rank_fini(&rank);
        if (host == EFG_NONE)
            return 0;
        if (++hosts->rows[host].value > most)
            most = hosts->rows[host].value;
        fprintf(file, "node-%u\n", host);
    }
    return (uint32_t)most;
}

static int write_platform(const char *dir, uint32_t hosts, uint32_t cores)
{
    FILE *file = make(dir, "platform.xml");
    if (!file)
        return EFG_TOLD;
    fprintf(
        file,
        MACHINE
        "  <cluster id=\"machine\" prefix=\"node-\" suffix=\"\" radical=\"0-%u\" speed=\"1Gf\" core=\"%u\"\n"
        "           bw=\"10GBps\" lat=\"1us\" loopback_bw=\"10GBps\" loopback_lat=\"500ns\"/>\n</platform>\n",
        hosts - 1, cores);
    return finish(file, dir, "platform.xml");
}

static int write_hosts(const struct efg_run *run, const char *dir)
{
    struct efg_otf2_table hosts = {0};
    FILE *file = make(dir, "hosts");
    if (!file)
        return EFG_TOLD;
    uint32_t cores = put_hosts(file, run, &hosts), count = hosts.count;
    int error = finish(file, dir, "hosts");
    efg_otf2_table_fini(&hosts);
    if (!error && !cores)
        error = efg_complain("export", "the hosts of the ranks are not known");
    return error ? error : write_platform(dir, count, cores);
}

static int write_list(const struct efg_run *run, const char *dir)
{
    FILE *file = make(dir, "trace");
    if (!file)
        return EFG_TOLD;
    for (uint32_t i = 0; i < run->rank_count; i++)
        fprintf(file, "rank-%u.txt\n", run->ranks[i].rank);
    return finish(file, dir, "trace");
}

/* --- what was written --- */

static void say(const char *format, uint64_t count)
{
    if (count)
        printf(format, count);
}

static void say_all(const struct efg_run *run, const struct efg_replay_sums *s, const char *dir)
{
    printf("%u rank%s, %" PRIu64 " calls, %" PRIu64 " message%s, %" PRIu64
           " times a rank in collectives of all; the run took %.3f s\n",
           run->size, efg_plural(run->size), s->calls, s->messages, efg_plural(s->messages), s->collectives,
           (double)s->end / 1e9);
    if (s->timed)
        printf("%" PRIu64
               " calls of nodes that were not recorded take the time that they took, %.3f s in all\n",
               s->timed, (double)s->timed_ns / 1e9);
    say("%" PRIu64 " sends and receives are left out: they would have no other end\n", s->left_out);
    say("%" PRIu64 " times a rank in collectives are left out: other ranks would do others\n", s->apart);
    say("%" PRIu64 " windows are not found in the order of calls: nothing is known from them\n",
        s->not_found);
    say("%" PRIu64 " calls are left out: the order of calls ends before them\n", s->lost);
    say("%" PRIu64 " calls of other threads than the main one of each rank are left out\n", s->threads);
    if (s->starved > s->time / 10)
        printf("ranks had no processor for %.0f%% of the time that they were ready to run; the replay has "
               "one for each\n",
               100 * (double)s->starved / ((double)s->starved + (double)s->used));
    printf("cd %s && smpirun -np %u -platform platform.xml -hostfile hosts -replay trace\n", dir, run->size);
}

/* Partners that change in ways that were not recorded may come in another order than they wait for each
 * other. */
static int rehearse(const struct efg_run *run, const char *dir)
{
    char message[256], text[1024];
    int error = efg_rehearse(dir, run->size, message, sizeof message);
    if (!error)
        return 0;
    if (error != -EDEADLK)
        snprintf(text, sizeof text, "cannot check what was written to %s: %s", dir, strerror(-error));
    else
        snprintf(
            text, sizeof text,
            "%s: what was recorded does not say in what order partners come. Record more iterations (-n), a "
            "loop "
            "further out (--level coarser), or all of the run (--mode full); or tell calls apart by partner "
            "(--signature path,partner)",
            message);
    return efg_complain("export", text);
}

static int write_all(struct efg_replay *replay, const struct efg_run *run, const char *dir)
{
    int error = write_list(run, dir);
    for (uint32_t i = 0; i < run->rank_count && !error; i++)
        error = write_rank(replay, run, i, dir);
    if (!error)
        error = write_hosts(run, dir);
    return error ? error : rehearse(run, dir);
}

int efg_export_simgrid(const char *dir, const struct efg_run *run)
{
    struct efg_replay *replay = efg_replay_open(run, "export");
    if (!replay)
        return EFG_TOLD;
    int error = efg_below_make_folder(dir, 0);
    if (error) {
        fprintf(stderr, "efgtrace export: cannot make the folder %s: %s\n", dir, strerror(-error));
        error = EFG_TOLD;
    } else if (write_all(replay, run, dir)) {
        efg_below_remove_all(dir, 0);
        error = EFG_TOLD;
    } else {
        say_all(run, efg_replay_sums(replay), dir);
    }
    efg_replay_close(replay);
    return error;
}
