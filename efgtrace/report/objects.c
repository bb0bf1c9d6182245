/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints what the recorded calls have to do with: communicators, RMA windows, files of MPI-IO.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/text.h"
#include "files/summary/summary.h"
#include "waiting.h"

/* "Comm 3, 8 ranks". */
static void name_object(const struct efg_recorded_object *named, char *text, size_t size)
{
    if (named->kind == EFG_OBJECT_IO)
        snprintf(text, size, "%s", named->name);
    else
        snprintf(text, size, "%s, %u rank%s", named->name, named->ranks, named->ranks == 1 ? "" : "s");
}

/* Of all ranks that use it, which do so at the same time. */
static void format_rate(const struct efg_waits_object *object, char *text, size_t size)
{
    double seconds = (double)object->mpi / 1e9 / (double)object->locations;
    snprintf(text, size, "-");
    if (object->bytes && seconds > 0)
        efg_format_bytes(text, size, (uint64_t)((double)object->bytes / seconds));
}

static void put_object(struct efg_buffer *out, const struct efg_report_waiting *w, uint32_t index)
{
    const struct efg_waits_object *object = &w->waits.objects[index];
    char time[32], waited[32], calls[32], bytes[32], rate[32], name[384];
    efg_format_ns(time, sizeof time, object->mpi);
    efg_format_ns(waited, sizeof waited, object->waited);
    efg_format_count(calls, sizeof calls, (double)object->calls);
    efg_format_bytes(bytes, sizeof bytes, object->bytes);
    format_rate(object, rate, sizeof rate);
    name_object(&w->recorded->objects[index], name, sizeof name);
    efg_summary_line(out, "%10s %6.1f%% %10s %6.1f%% %14s %9s %9s  %s", time,
                     efg_percent((double)object->mpi, (double)w->waits.all.mpi), waited,
                     efg_percent((double)object->waited, (double)object->mpi), calls, bytes, rate, name);
}

void efg_report_objects(struct efg_buffer *out, const struct efg_report_waiting *w, uint32_t most)
{
    uint32_t count, *sorted;
    if (*w->waits.missing)
        return;
    sorted = efg_waits_objects(&w->waits, &count);
    out->failed |= !sorted;
    if (sorted && count) {
        efg_text_title(out, "Communicators, RMA windows and files, in the recorded iterations");
        efg_buffer_print(out,
                         "    in MPI   share    waiting  of it          calls     bytes  a second  of\n");
    }
    for (uint32_t i = 0; sorted && i < count && i < most; i++)
        put_object(out, w, sorted[i]);
    efg_text_rest(out, count, most);
    free(sorted);
}
