/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorded iterations as JSON, for scripts: what recorded/json.h has for pages.
 */
#include <errno.h>

#include "formats.h"
#include "judge/json.h"
#include "recorded/json.h"

const char efg_export_json_help[] =
    "json: one object {format \"efgtrace-recorded\", version 1, timeline, messages,\n"
    "representative}. Times are "
    "ns since\n"
    "start, a location is a thread of a rank.\n"
    "  timeline  {start (ns since 1970), end, windows [[begin, end]], functions [name],\n"
    "             sites [{label, function (index), hash (as in efgtrace graph -f json)}],\n"
    "             iterations [[number, begin, end]], from the first to the last location,\n"
    "             locations [{rank, thread, calls [gap, duration, site (index), ...],\n"
    "                         iterations [number, begin, duration, ...]}],\n"
    "             messages [from, to (locations), later, flight, bytes, ...],\n"
    "             left_out (\"\", or what is missing)}\n"
    "            gap: since the end of the previous call; later: since the sending of the\n"
    "            previous message; both since 0 for the first. flight: from sending to "
    "receive\n"
    "  messages  {sizes [32 numbers of sends of 2^b to 2^(b+1) bytes],\n"
    "             matrix [[from, to, count, bytes]] of ranks, ranks}\n"
    "  representative  {verdict \"yes\"|\"no\"|\"unknown\", sentence,\n"
    "             iterations {recorded, run, ranks, coverage, time F},\n"
    "             rows [{kind \"site\"|\"loop\"|\"compute\", label, hash, impact,\n"
    "                    time F, share F, mean F, calls F, bytes F}], the worst first}\n"
    "            F: null or {run, recorded, error (half of the 95% confidence interval), "
    "differs};\n"
    "            time and calls are those of an iteration, on all ranks; coverage: the share\n"
    "            of these ranks' time that the loop takes\n";

static int put_representative(struct efg_buffer *out, struct efg_model *model)
{
    struct efg_representative r;
    int error = efg_representative_begin(&r, &model->run);
    const char *ranks = efg_representative_ranks(&r);
    unsigned dimensions = efg_merged_dimensions(&model->run) & EFG_DIM_PATH;
    if (!error && ranks)
        error = efg_model_read(model, ranks, dimensions, 0);
    if (!error)
        error = efg_representative_end(&r, &model->merged);
    if (!error)
        efg_representative_json(out, &r, &model->run);
    out->failed |= error == -ENOMEM;
    efg_representative_fini(&r);
    return error;
}

int efg_export_json(FILE *file, struct efg_model *model, uint64_t calls, char *message,
                    size_t size)
{
    const struct efg_run *run = &model->run;
    struct efg_recorded_limits limits = {calls, calls};
    struct efg_buffer out = {0};
    *message = '\0';
    efg_buffer_print(&out, "{\"format\":\"efgtrace-recorded\",\"version\":1,\n\"timeline\":");
    int error = efg_recorded_json_timeline(&out, run, limits, message, size);
    if (!error) {
        efg_buffer_print(&out, ",\n\"messages\":");
        error = efg_recorded_json_messages(&out, run, message, size);
    }
    if (!error) {
        efg_buffer_print(&out, ",\n\"representative\":");
        error = put_representative(&out, model);
    }
    efg_buffer_print(&out, "}\n");
    if (out.failed && !*message)
        snprintf(message, size, "no memory");
    if (!error && !out.failed)
        error = fwrite(out.data, 1, out.size, file) == out.size ? 0 : -1;
    error = out.failed ? -1 : error;
    efg_buffer_fini(&out);
    return error;
}
