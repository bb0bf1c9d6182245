/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why ranks wait in the recorded iterations, as the report tells it.
 */
#ifndef EFG_REPORT_WAITING_H
#define EFG_REPORT_WAITING_H

#include "base/buffer.h"
#include "waits/waits.h"

struct efg_report_waiting {
    struct efg_waits waits;
    struct efg_recorded_names names;
    const struct efg_recorded *recorded;
};

/* Begin with RECORDED of RUN: 0 or -ENOMEM. End: all of it was taken, or it is not readable. FINI in
 * any case. */
int efg_report_waiting_begin(struct efg_report_waiting *w, const struct efg_run *run,
                             const struct efg_recorded *recorded);
void efg_report_waiting_end(struct efg_report_waiting *w, bool is_readable);
void efg_report_waiting_fini(struct efg_report_waiting *w);

/* Tables: by kind, by call site, who waits for whom, what caused it; MOST lines each. */
void efg_report_waiting(struct efg_buffer *out, const struct efg_report_waiting *w, uint32_t most);
/* Parts of it. */
void efg_report_recorded_efficiency(struct efg_buffer *out, const struct efg_report_waiting *w);
void efg_report_recorded_iterations(struct efg_buffer *out, const struct efg_report_waiting *w,
                                    uint32_t most);
void efg_report_causes(struct efg_buffer *out, const struct efg_report_waiting *w, uint32_t most);

/* A table of communicators, RMA windows and files, with its title; nothing if there are none. */
void efg_report_objects(struct efg_buffer *out, const struct efg_report_waiting *w, uint32_t most);

/* A finding, if ranks wait for a good part of the time. */
void efg_report_say_waiting(struct efg_buffer *out, const struct efg_report_waiting *w);
/* Its last sentence: which rank causes most of it. */
void efg_report_say_cause(struct efg_buffer *out, const struct efg_report_waiting *w);

#endif
