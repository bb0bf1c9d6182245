/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A copy of the OTF2 trace in which calls say why they wait: a metric for each kind of wait state that there
 * is, one for all kinds, and one for the calls that others wait for.
 */
#include <errno.h>
#include <stdlib.h>

#include "formats.h"
#include "recorded/copy.h"
#include "waits/waits.h"

enum { WAITING, AWAITED, KINDS }; /* metrics: those of kinds are behind the others */

struct writing {
    struct efg_waits waits;
    struct efg_recorded recorded;
    uint64_t *awaited; /* by call */
    struct efg_recorded_metric metrics[KINDS + EFG_WAITS];
    uint32_t count, metric_of[EFG_WAITS]; /* metrics; by kind */
};

static void choose_metrics(struct writing *w)
{
    w->metrics[WAITING] = (struct efg_recorded_metric){"waiting", "how long this call waits, of all kinds"};
    w->metrics[AWAITED] = (struct efg_recorded_metric){
        "others wait for it", "how long calls of other ranks wait until this one begins, together"};
    w->count = KINDS;
    for (int kind = EFG_WAIT_NONE + 1; kind < EFG_WAITS; kind++) {
        if (!w->waits.all.waited[kind])
            continue;
        w->metric_of[kind] = w->count;
        w->metrics[w->count++] = (struct efg_recorded_metric){efg_wait_name((enum efg_wait)kind),
                                                              "how long this call waits, of this kind"};
    }
}

/* The call waits from its begin on; others have waited for it when it begins, and it is shown as long as it
 * takes. */
static uint32_t sample(const void *data, uint32_t location, uint64_t call,
                       struct efg_recorded_sample samples[EFG_RECORDED_SAMPLES])
{
    const struct writing *w = data;
    uint32_t count = 0;
    struct efg_waits_state state = efg_waits_state(&w->waits, location, call);
    if (state.time) {
        samples[count++] = (struct efg_recorded_sample){WAITING, state.time, state.time};
        if (w->metric_of[state.kind])
            samples[count++] = (struct efg_recorded_sample){w->metric_of[state.kind], state.time, state.time};
    }
    if (location < w->waits.location_count && call < w->waits.locations[location].count) {
        uint64_t awaited = w->awaited[w->waits.locations[location].first + call];
        if (awaited)
            samples[count++] = (struct efg_recorded_sample){AWAITED, awaited, EFG_RECORDED_CALL_LONG};
    }
    return count;
}

/* Returns as efg_export_otf2. */
static int write_copy(struct writing *w, const struct efg_run *run, const char *dir, char *message,
                      size_t size)
{
    if (*w->waits.missing) {
        snprintf(message, size, "why ranks wait is not known: %s", w->waits.missing);
        return -ENOTSUP;
    }
    w->awaited = efg_waits_awaited(&w->waits);
    if (!w->awaited)
        return -ENOMEM;
    choose_metrics(w);
    struct efg_recorded_metrics metrics = {w->metrics, w->count, sample, NULL, w};
    return efg_recorded_copy(run, dir, &metrics, message, size);
}

int efg_export_otf2(const char *dir, const struct efg_run *run, char *message, size_t size)
{
    struct writing w = {0};
    *message = '\0';
    int error = efg_waits_read(&w.waits, &w.recorded, run);
    if (error == -EBADMSG)
        snprintf(message, size, "%s", w.recorded.message);
    if (!error)
        error = write_copy(&w, run, dir, message, size);
    free(w.awaited);
    efg_recorded_close(&w.recorded);
    efg_waits_fini(&w.waits);
    return error;
}
