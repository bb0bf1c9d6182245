/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole analysis of a trace that is read for nothing else.
 */
#include "waits.h"

static int take(void *data, const struct efg_recorded_item *item)
{
    efg_waits_take(data, item);
    return 0;
}

int efg_waits_read(struct efg_waits *waits, struct efg_recorded *recorded, const struct efg_run *run)
{
    efg_waits_begin(waits, recorded);
    int error = efg_recorded_all(recorded, run, take, waits);
    if (!error)
        efg_waits_end(waits);
    return error;
}
