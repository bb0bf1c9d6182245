/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All four steps in one process: the logs of a job that was killed or still runs.
 *
 * Every log is mapped twice, one at a time, so that any number of them can be converted. In
 * between, a job that runs may have gone on: the map limits the second pass to what the
 * first one saw.
 * Before that, in another pass, the messages between nodes tell whether one's clock is late
 * (skew.h); its logs are then taken as if they were later, and stay as they are on disk. And
 * strays are found.
 * A log that cannot be read is left out; its rank is there nevertheless, without events.
 *
 * What was begun and not finished is removed again, so that an archive is whole or not there.
 */
#include "parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/match/channels.h"

struct input {
    const char *path;
    uint32_t rank, thread;
    int index; /* in the unifier */
};

struct conversion {
    const char *dir;
    struct input *inputs; /* ascending, those that are left */
    int count, done;
    uint32_t ranks, whole;           /* whole: logs of thread 0 that are complete */
    uint64_t bytes;                  /* of the logs */
    char application[256];           /* of the first one */
    bool is_full, is_short;          /* is_short: a log ends before the run */
    struct efg_skew skew;            /* solved */
    struct efg_otf2_windows windows; /* of all logs */
    struct efg_strays strays;
    struct efg_symbols *symbols;
    struct efg_otf2_unifier *unifier;
    OTF2_Archive *archive;
    uint64_t *events; /* by index */
    void (*progress)(int done, int all);
    void (*warn)(const char *path, const char *what);
};

static void warn(const struct conversion *c, const char *path, const char *what)
{
    if (c->warn)
        c->warn(path, what);
}

/* Every log is read twice, but that is nobody's business. */
static void advance(struct conversion *c)
{
    c->done++;
    if (c->progress)
        c->progress(c->done / 2, c->count);
}

/* Without memory it has its margins. */
static int open_log(const struct conversion *c, struct efg_log_view *view, const char *path)
{
    const char *why;
    int rc = efg_log_open(view, path, &why);
    if (rc) {
        warn(c, path, why ? why : strerror(-rc));
        return rc;
    }
    efg_otf2_drop_margins(view, &c->windows);
    efg_log_shift_view(view, efg_skew_shift(&c->skew, &view->header->sync[0]));
    return 0;
}

/* --- which logs there are --- */

static int by_rank(const void *one, const void *other)
{
    const struct input *a = one, *b = other;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

static void look_at(struct conversion *c, const char *path)
{
    struct efg_log_view view;
    if (open_log(c, &view, path) != 0)
        return;
    const struct efg_log_header *h = view.header;
    if (!c->ranks) {
        c->ranks = h->ranks;
        c->is_full = h->full;
        snprintf(c->application, sizeof c->application, "%.*s", (int)sizeof h->application, h->application);
    }
    if (h->ranks == c->ranks) {
        c->inputs[c->count++] = (struct input){.path = path, .rank = h->rank, .thread = h->thread};
        c->whole += h->thread == 0 && h->closed && h->full;
        c->is_short |= !h->closed || h->is_short;
        c->bytes += view.mapped;
        efg_otf2_find_windows(&c->windows, &view);
    } else {
        warn(c, path, "it belongs to a job with another number of ranks");
    }
    efg_log_unmap(&view);
}

static void drop_doubles(struct conversion *c)
{
    int kept = 0;
    for (int i = 0; i < c->count; i++)
        if (kept && by_rank(&c->inputs[kept - 1], &c->inputs[i]) == 0)
            warn(c, c->inputs[i].path, "there is another log of the same rank and thread");
        else
            c->inputs[kept++] = c->inputs[i];
    c->count = kept;
}

bool efg_otf2_believes(uint64_t ranks, uint64_t bytes)
{
    return ranks <= 4096 || ranks <= bytes;
}

/* A header could make a few bytes a trace of millions of places. */
static void drop_incredible(struct conversion *c)
{
    if (efg_otf2_believes(c->ranks, c->bytes))
        return;
    for (int i = 0; i < c->count; i++)
        warn(c, c->inputs[i].path, "it is of a job with more ranks than all logs have bytes");
    c->count = 0;
}

static void drop(struct conversion *c, int which)
{
    c->count--;
    memmove(c->inputs + which, c->inputs + which + 1, (size_t)(c->count - which) * sizeof *c->inputs);
}

/* --- clocks --- */

/* What the messages tell of the clocks, as they are by now; and the strays. Returns how many
 * receives may be early, if nothing is proven. */
static uint64_t find_gaps(struct conversion *c, struct efg_skew *skew)
{
    struct efg_channels channels = {0};
    struct efg_log_view view;
    uint64_t suspects = 0;
    for (int i = 0; i < c->count && !channels.failed && !channels.is_full; i++)
        if (open_log(c, &view, c->inputs[i].path) == 0) {
            efg_channels_add(&channels, &view);
            efg_log_unmap(&view);
        }
    efg_channels_prove(&channels, UINT32_MAX, NULL);
    if (efg_channels_has_any_proven(&channels))
        efg_channels_gaps(&channels, UINT32_MAX, skew);
    else if (channels.leads.slack)
        suspects = efg_channels_suspects(&channels, UINT32_MAX);
    efg_strays_fini(&c->strays);
    efg_channels_strays(&channels, UINT32_MAX, &c->strays);
    skew->failed |= channels.failed;
    efg_channels_fini(&channels);
    return suspects;
}

static uint64_t count_left(struct conversion *c)
{
    struct efg_skew skew = {0};
    uint64_t left = find_gaps(c, &skew);
    left += efg_skew_early(&skew);
    efg_skew_fini(&skew);
    return left;
}

static void repair_clocks(struct conversion *c, struct efg_run_skew *found)
{
    struct efg_skew skew = {0};
    uint64_t suspects = find_gaps(c, &skew);
    int64_t least = efg_skew_least(&skew);
    int error = efg_skew_solve(&skew, EFG_SKEW_LATENCY);
    c->skew = skew; /* from now on, logs are read with it */
    if (suspects)
        *found = (struct efg_run_skew){EFG_REPAIR_UNPROVEN, 0, suspects, 0, suspects};
    if (least >= 0)
        return;
    found->repair = error == -EDOM ? EFG_REPAIR_CONTRADICTORY : error ? EFG_REPAIR_FAILED : EFG_REPAIR_DONE;
    found->moved = efg_skew_shifted(&c->skew);
    found->early = efg_skew_early(&c->skew);
    found->most = (uint64_t)-least;
    found->left = error ? found->early : count_left(c);
}

/* --- steps 1 and 2 --- */

static int unify(struct conversion *c, struct input *input)
{
    struct efg_log_view view;
    struct efg_buffer scan = {0};
    int rc = open_log(c, &view, input->path);
    if (rc)
        return rc;
    rc = efg_otf2_scan(&view, &c->strays, &scan);
    efg_log_unmap(&view);
    if (rc == 0)
        input->index = rc = efg_otf2_unify(c->unifier, scan.data, scan.size);
    efg_buffer_fini(&scan);
    if (rc == -EBADMSG)
        warn(c, input->path, "its definitions are damaged");
    return rc;
}

static int unify_all(struct conversion *c)
{
    for (int i = 0; i < c->count;) {
        int rc = unify(c, c->inputs + i);
        if (rc == -ENOMEM)
            return rc;
        if (rc < 0) {
            drop(c, i);
            continue;
        }
        advance(c);
        i++;
    }
    return c->count ? 0 : -EBADMSG;
}

/* --- steps 3 and 4 --- */

static int write_events(struct conversion *c, const struct input *input)
{
    struct efg_log_view view;
    struct efg_buffer map = {0};
    struct efg_otf2_count count = {0};
    int rc = open_log(c, &view, input->path);
    if (rc)
        return rc;
    rc = efg_otf2_map(c->unifier, input->index, &map);
    if (rc == 0)
        rc = efg_otf2_events(c->archive, &view, map.data, map.size, &c->strays, &count);
    c->events[input->index] = count.events;
    if (rc == -EBADMSG)
        warn(c, input->path, "it changed while it was read");
    efg_buffer_fini(&map);
    efg_log_unmap(&view);
    return rc;
}

/* A log that went away between the passes leaves an empty location. */
static int write_all_events(struct conversion *c)
{
    for (int i = 0; i < c->count; i++) {
        int rc = write_events(c, c->inputs + i);
        if (rc == -EIO || rc == -ENOMEM)
            return rc;
        advance(c);
    }
    return efg_otf2_absent(c->unifier, c->archive);
}

static int write_archive(struct conversion *c)
{
    bool is_complete = c->whole == c->ranks && (uint32_t)c->count >= c->ranks && !c->is_short;
    if (OTF2_Archive_SetSerialCollectiveCallbacks(c->archive) != OTF2_SUCCESS)
        return -EIO;
    int rc = efg_otf2_open_files(c->archive);
    if (rc == 0)
        rc = write_all_events(c);
    if (rc == 0)
        rc = efg_otf2_close_files(c->archive);
    if (rc == 0)
        rc = efg_otf2_describe(c->archive, c->application, c->ranks, c->is_full, !c->is_short);
    if (rc == 0)
        rc = efg_otf2_define(c->unifier, c->archive, c->events, is_complete);
    return rc;
}

/* --- the archive --- */

/* After a failure the archive stays open: OTF2 cannot close it (events.c). */
static int make_archive(struct conversion *c)
{
    int rc = efg_otf2_make(c->dir, 0) ? -EIO : 0;
    if (rc)
        return rc;
    c->archive = efg_otf2_open(c->dir, 0, 0);
    rc = c->archive ? write_archive(c) : -EIO;
    if (rc == 0)
        rc = efg_otf2_close(c->archive);
    if (rc == 0)
        rc = efg_otf2_publish(c->dir, 0) ? -EIO : 0;
    if (rc)
        efg_otf2_remove(c->dir, 0); /* none of it was there before */
    return rc;
}

static int convert(struct conversion *c, char *const *paths, int count, struct efg_run_skew *skew)
{
    for (int i = 0; i < count; i++)
        look_at(c, paths[i]);
    qsort(c->inputs, (size_t)c->count, sizeof *c->inputs, by_rank);
    drop_doubles(c);
    drop_incredible(c);
    if (c->count == 0)
        return -EBADMSG;
    efg_otf2_join_windows(&c->windows);
    repair_clocks(c, skew);
    int rc = unify_all(c);
    return rc ? rc : make_archive(c);
}

int efg_otf2_convert(const char *dir, char *const *paths, int count, void (*progress)(int done, int all),
                     void (*warning)(const char *path, const char *what), struct efg_run_skew *skew)
{
    struct conversion c = {.dir = dir, .progress = progress, .warn = warning};
    int rc = -ENOMEM;
    *skew = (struct efg_run_skew){0};
    if (efg_otf2_is_there(dir))
        return -EEXIST;
    c.inputs = calloc((size_t)count + 1, sizeof *c.inputs);
    c.events = calloc((size_t)count + 1, sizeof *c.events);
    c.symbols = efg_symbols_new();
    c.unifier = c.symbols ? efg_otf2_unifier_new(c.symbols) : NULL;
    if (c.inputs && c.events && c.unifier)
        rc = convert(&c, paths, count, skew);
    efg_otf2_unifier_free(c.unifier);
    efg_symbols_free(c.symbols);
    efg_skew_fini(&c.skew);
    efg_strays_fini(&c.strays);
    efg_otf2_windows_fini(&c.windows);
    free(c.inputs);
    free(c.events);
    return rc;
}
