/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A copy of the trace of a run, with all that it has, and metrics of its calls besides.
 *
 * A metric is a time. Its value is that of the call which is under way, from the call's begin on for as long
 * as the sample says, and 0 in between: absolute, valid until the next value. So a viewer of traces draws it
 * where it belongs, and what it shows for a longer time is the most of it.
 */
#ifndef EFG_RECORDED_COPY_H
#define EFG_RECORDED_COPY_H

#include "recorded.h"

struct efg_recorded_metric {
    const char *name, *about; /* what it is called, and a sentence */
};

struct efg_recorded_sample {
    uint32_t metric;
    uint64_t value;    /* ns */
    uint64_t duration; /* ns, at most that of the call; or this: */
};

#define EFG_RECORDED_CALL_LONG UINT64_MAX /* as long as the call */
#define EFG_RECORDED_SAMPLES 4 /* of a call, at most, by ascending duration */

struct efg_recorded_metrics {
    const struct efg_recorded_metric *metrics;
    uint32_t count;
    /* The samples of the CALL'th call of a location, both from 0, in the order of efg_recorded_all; returns
     * how many. */
    uint32_t (*sample)(const void *data, uint32_t location, uint64_t call,
                       struct efg_recorded_sample samples[EFG_RECORDED_SAMPLES]);
    /* What a string of the definitions becomes; NULL: all stay. */
    const char *(*rename)(const void *data, const char *text);
    const void *data;
};

/* Write the copy of the trace of RUN as the trace of the folder DIR, which exists. Returns 0; -EEXIST if DIR
 * has a trace or a part of one; -EIO; -ENOMEM; -EBADMSG, with MESSAGE, if the trace of RUN cannot be read. If
 * it fails, DIR is as it was. */
int efg_recorded_copy(const struct efg_run *run, const char *dir, const struct efg_recorded_metrics *metrics,
                      char *message, size_t size);

#endif
