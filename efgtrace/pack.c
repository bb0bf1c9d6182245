/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace pack: recodes those sequences in a run file that would have taken too long to be coded
 * well in MPI_Finalize. Nothing else changes.
 *
 * The new file is made beside the old one, is read and compared with it, and then takes its
 * name.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/open.h"
#include "cli/options.h"
#include "files/disk/below.h"
#include "files/run/expand.h"
#include "files/summary/summary.h"

struct packing {
    struct efg_run run;
    const char *path;     /* of the new file */
    uint64_t at;          /* where its next section comes */
    uint64_t before, now; /* bytes of segments */
    int error;            /* -errno */
};

/* --- a sequence --- */

/* The segments of THREAD coded anew in SEGMENTS. Returns 0, -EBADMSG or -ENOMEM. */
static int code_thread(struct efg_buffer *segments, const struct efg_run_sequence_thread *thread)
{
    struct efg_reader from = efg_reader(thread->segments, thread->size);
    struct efg_sequence_segment segment;
    while (from.at < from.size) {
        if (efg_sequence_get(&from, &segment))
            return -EBADMSG;
        efg_sequence_put(segments, &segment, UINT32_MAX);
        efg_sequence_segment_fini(&segment);
    }
    return segments->failed ? -ENOMEM : 0;
}

/* Whether A and B are the same calls. */
static bool are_same(const struct efg_run_sequence_thread *a, const struct efg_run_sequence_thread *b)
{
    struct efg_reader x = efg_reader(a->segments, a->size), y = efg_reader(b->segments, b->size);
    struct efg_sequence_segment s, t;
    bool same = true;
    while (same && x.at < x.size) {
        if (efg_sequence_get(&x, &s))
            return false;
        if (efg_sequence_get(&y, &t)) {
            efg_sequence_segment_fini(&s);
            return false;
        }
        same = efg_sequence_segment_is_equal(&s, &t) && s.start == t.start;
        efg_sequence_segment_fini(&s);
        efg_sequence_segment_fini(&t);
    }
    return same && y.at == y.size;
}

/* SEQUENCE with threads that are coded anew, in BUFFERS. */
static int code(struct packing *p, struct efg_run_sequence *sequence, struct efg_buffer *buffers)
{
    for (uint32_t i = 0; i < sequence->thread_count; i++) {
        struct efg_run_sequence_thread *thread = &sequence->threads[i], old = *thread;
        int error = code_thread(&buffers[i], thread);
        if (error)
            return error;
        thread->segments = buffers[i].data;
        thread->size = buffers[i].size;
        if (!are_same(&old, thread))
            return -EBADMSG;
        p->before += old.size;
        p->now += thread->size;
    }
    return 0;
}

/* --- sections --- */

static void put(struct packing *p, struct efg_buffer *section)
{
    if (!p->error)
        p->error =
            section->failed ? -ENOMEM : efg_runfile_put(p->path, 1, 0, p->at, section->data, section->size);
    p->at += section->size;
    efg_buffer_fini(section);
}

static void put_order(struct packing *p, struct efg_run_order *order)
{
    struct efg_run_sequence sequence;
    struct efg_buffer section = {0};
    char message[PATH_MAX + 256];
    uint32_t rank = order->ranks.ranges[0].first;
    p->error = efg_runfile_sequence(&p->run, rank, &sequence, message, sizeof message);
    if (p->error) {
        efg_complain("pack", message);
        return;
    }
    struct efg_buffer *buffers = calloc((size_t)sequence.thread_count + 1, sizeof *buffers);
    p->error = buffers ? code(p, &sequence, buffers) : -ENOMEM;
    if (!p->error) {
        efg_runfile_put_sequence(&section, rank, &sequence, order);
        put(p, &section);
    }
    for (uint32_t i = 0; buffers && i < sequence.thread_count; i++)
        efg_buffer_fini(&buffers[i]);
    free(buffers);
    efg_run_sequence_fini(&sequence);
}

static void put_rank(struct packing *p, uint32_t index)
{
    struct efg_run_rank rank;
    struct efg_buffer section = {0};
    char message[PATH_MAX + 256];
    p->error = efg_runfile_rank(&p->run, index, &rank, message, sizeof message);
    if (p->error) {
        efg_complain("pack", message);
        return;
    }
    efg_runfile_put_rank(&section, &rank);
    put(p, &section);
    efg_run_rank_fini(&rank);
}

/* --- the file --- */

static void write_file(struct packing *p)
{
    p->at = EFG_RUN_SECTIONS;
    p->error = efg_runfile_create(p->path, 1, 0);
    for (uint32_t i = 0; i < p->run.rank_count && !p->error; i++)
        put_rank(p, i);
    for (uint32_t i = 0; i < p->run.common.order_count && !p->error; i++)
        put_order(p, &p->run.common.orders[i]);
    if (!p->error)
        p->error = efg_runfile_finish(&p->run, p->path, 1, p->at);
    if (p->error)
        efg_runfile_abandon(p->path, 1);
}

static int complain_left(const char *old, int error)
{
    fprintf(stderr, "efgtrace pack: %s is left as it is: %s\n", old, strerror(-error));
    return EFG_TOLD;
}

/* The new file takes the place of OLD if it is smaller. */
static int replace(struct packing *p, const char *old)
{
    write_file(p);
    if (p->error)
        return complain_left(old, p->error);
    if (p->now >= p->before) {
        efg_below_remove(p->path, 1);
        printf("%s is as small as it gets\n", old);
        return 0;
    }
    p->error = efg_below_rename(p->path, 1, old, 1);
    if (p->error) {
        efg_below_remove(p->path, 1);
        return complain_left(old, p->error);
    }
    char before[32], now[32];
    efg_format_bytes(before, sizeof before, p->before);
    efg_format_bytes(now, sizeof now, p->now);
    printf("%s: the order of the calls takes %s, %s before\n", old, now, before);
    return 0;
}

static int pack(const char *dir)
{
    struct packing p = {0};
    char old[PATH_MAX], path[PATH_MAX];
    if (efg_open_exact(&p.run, "pack", dir, old))
        return EFG_EXIT_FAILED;
    bool fits = snprintf(path, sizeof path, "%s.packed", old) < (int)sizeof path;
    p.path = path;
    int failed = fits ? replace(&p, old) : efg_complain("pack", "the name is too long");
    efg_run_fini(&p.run);
    return failed ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

/* --- arguments --- */

static const char *const help[] = {
    "Usage: efgtrace pack DIR\n\n"
    "Makes DIR/run.efg smaller, or DIR itself if it is a run file, whatever its name:\n"
    "recodes the order of all calls where that would have taken too long in\n"
    "MPI_Finalize, that is, where it has hardly any repetitions. Takes about 3 s per\n"
    "megabyte. The file is replaced once the new one has been read back and found to be\n"
    "the same.\n\n"
    "  -h, --help   this text\n\n"
    "Exit code: 0 done, 1 failed, 2 wrong usage.\n",
    NULL,
};

int efg_cmd_pack(int argc, char **argv)
{
    const struct efg_option options[] = {{0}};
    int code = efg_options_take("pack", options, help, 1, argc, argv);
    return code >= 0 ? code : pack(argv[optind]);
}
