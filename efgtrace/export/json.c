/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorded iterations as JSON, for scripts: what recorded/json.h has for pages.
 */
#include <errno.h>

#include "cli/complain.h"
#include "cli/json.h"
#include "formats.h"
#include "judge/json.h"
#include "recorded/json.h"

const char efg_export_json_help[] =
    "json: one object {format \"efgtrace-recorded\", version 1, timeline, messages, representative}.\n"
    "Times are ns since start, a location is a thread of a rank.\n"
    "  timeline  {start (ns since 1970), end, windows [[begin, end]], functions [name],\n"
    "             sites [{label, function (index), hash (as in efgtrace graph -f json)}],\n"
    "             iterations [[number, begin, end]], from the first to the last location,\n"
    "             kept [[\"first\"|\"spread\"|\"slow\"|\"beside a slow one\"|\"\", times the median]]\n"
    "                 of these: why each was recorded,\n"
    "             locations [{rank, thread, calls [gap, duration, site (index), ...],\n"
    "                         iterations [number, begin, duration, ...]}],\n"
    "             messages [from, to (locations), later, flight, bytes, ...],\n"
    "             left_out (\"\", or what is missing)}\n"
    "            gap: since the end of the previous call; later: since the sending of the\n"
    "            previous message; both since 0 for the first. flight: from sending to receive\n"
    "  messages  {sizes [32 numbers of sends of 2^b to 2^(b+1) bytes],\n"
    "             matrix [[from, to, count, bytes]] of ranks, ranks}\n"
    "  representative  {verdict \"yes\"|\"no\"|\"unknown\", sentence,\n"
    "             accuracy null or {asked, error (shares; null: not known), sentence},\n"
    "             iterations {recorded, run, ranks, coverage, each F, time F},\n"
    "             rows [{kind \"site\"|\"loop\"|\"compute\", label, hash, impact,\n"
    "                    time F, share F, mean F, calls F, bytes F}], the worst first}\n"
    "            F: null or {run, recorded, error (half of the 95% confidence interval), differs};\n"
    "            time and calls are those of an iteration, on all ranks; each: the mean time\n"
    "            over the ranks, as in the summary; coverage: the share\n"
    "            of these ranks' time that the loop takes\n";

struct reading {
    struct efg_recorded recorded;
    struct efg_timeline timeline;
    struct efg_recorded_matrix matrix;
    struct efg_representative representative;
};

static int take(void *data, const struct efg_recorded_item *item)
{
    struct reading *r = data;
    int error = efg_timeline_take(&r->timeline, item);
    if (!error)
        error = efg_recorded_matrix_take(&r->matrix, item);
    return error ? error : efg_representative_take(&r->representative, item);
}

/* Returns 0; -ENOMEM; EFG_TOLD; -EBADMSG if the trace cannot be read. */
static int read_all(struct reading *r, struct efg_model *model, uint64_t calls)
{
    const struct efg_run *run = &model->run;
    struct efg_recorded_limits limits = {calls, calls};
    int error = efg_timeline_begin(&r->timeline, run, &r->recorded, limits) ||
                efg_representative_begin(&r->representative, run, &r->recorded);
    error = error ? -ENOMEM : efg_recorded_all(&r->recorded, run, take, r);
    if (!error)
        error = efg_representative_read(&r->representative, true);
    const char *ranks = efg_representative_ranks(&r->representative);
    if (!error && ranks && efg_model_read(model, ranks, efg_merged_dimensions(run) & EFG_DIM_PATH, 0))
        return EFG_TOLD;
    return error ? error : efg_representative_end(&r->representative, &model->merged);
}

static void put_all(struct efg_buffer *out, struct reading *r, const struct efg_run *run)
{
    cJSON *representative = efg_representative_json(&r->representative, run);
    efg_buffer_print(out, "{\"format\":\"efgtrace-recorded\",\"version\":1,\n\"timeline\":");
    efg_timeline_json(out, &r->timeline, r->timeline.limits);
    efg_buffer_print(out, ",\n\"messages\":");
    efg_recorded_matrix_json(out, &r->matrix, r->recorded.ranks);
    efg_buffer_print(out, ",\n\"representative\":");
    efg_json_print(out, representative);
    efg_buffer_print(out, "}\n");
    cJSON_Delete(representative);
}

int efg_export_json(FILE *file, struct efg_model *model, uint64_t calls, char *message, size_t size)
{
    struct reading r = {.recorded.pipe = -1};
    struct efg_buffer out = {0};
    int error = read_all(&r, model, calls);
    *message = '\0';
    if (!error)
        put_all(&out, &r, &model->run);
    if (!error && out.failed)
        error = -ENOMEM;
    if (error == -ENOMEM)
        snprintf(message, size, "no memory");
    else if (error == -EBADMSG)
        snprintf(message, size, "%s", r.recorded.message);
    else if (!error && fwrite(out.data, 1, out.size, file) != out.size)
        error = -errno;
    efg_representative_fini(&r.representative);
    efg_recorded_matrix_fini(&r.matrix);
    efg_timeline_fini(&r.timeline);
    efg_recorded_close(&r.recorded);
    efg_buffer_fini(&out);
    return error;
}
