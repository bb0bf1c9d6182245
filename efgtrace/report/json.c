/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts together the document of the report. The parts of the document are made in other files, from the
 * model; here they are put together.
 */
#include "json.h"

#include <stdio.h>

#include "cli/json.h"
#include "judge/json.h"

const char efg_report_json_help[] =
    "JSON: one object. Times are ns, sizes bytes, shares and efficiencies 0 to 1; RANKS is a\n"
    "list such as \"0-3,8\"; ids are indices from 0. Figures are those of the text.\n"
    "  format \"efgtrace-report\", version 1\n"
    "  overview {application, command, version, mpi, folder, mode, started, duration, ranks,\n"
    "           hosts, threads, calls, time, mpi_time (sums over the ranks),\n"
    "           efficiency {ranks, time, parallel, balance, communication},\n"
    "           findings [sentences], summary [lines], places [lines],\n"
    "           recorded {calls, iterations, time, events, bytes, sends, receives, matched,\n"
    "           when (conditions that they were chosen by, \"\" for none)},\n"
    "           one_sided and file_io {operations, bytes (that they moved), time (of these calls,\n"
    "           and of all others that belong to them)},\n"
    "           cost {time, share, memory, init, finish, calls (of time: while the\n"
    "           program ran), paused (sum of ns when nothing was watched), unwatched (calls\n"
    "           then, in no other count; about, where the program called MPI itself)} (of the\n"
    "           library)}\n"
    "  loops    as in `efgtrace graph`, of all ranks, depth first, with id, depth, label (where it\n"
    "           begins: of the main loop, what iterations begin with), is_main, efficiency,\n"
    "           context (id, the innermost with all its calls),\n"
    "           recorded {locations, time (of the longest), parallel, balance, serialisation,\n"
    "           transfer}, of what it has in the recorded iterations, if it has some; counters\n"
    "           {NAME: counted in one of its iterations, ipc}, if there were some\n"
    "  phases   [{number, is_main, is_main_elsewhere (the main loop, called from another place),\n"
    "           function (of its loop), start, end, time, share (of the run), iterations, counted\n"
    "           (how many of them, since they were known), iterations_time and iterations_mpi (of\n"
    "           these), recorded (how many)}] of the rank that represents the run, as they began\n"
    "  curve    {rank, points [[time, calls, nodes, edges]], stable (0: not), found (0: never or\n"
    "           not known), windows [{first, last, start, end, is_main (of the main loop),\n"
    "           phase, why (first, spread, slow, asked for or when)}]}:\n"
    "           times since the start\n"
    "  contexts [{parent, name, is_call, file, line, code, module, calls, bytes, time D, mpi D,\n"
    "           time_by, mpi_by [of each rank of times_of], if it takes 0.5% of the time}]\n"
    "           the calling context tree; the first one is the program, parents come before\n"
    "           children. Line: where it is called, in the file of the parent if it is a function;\n"
    "           code: its text, if the file can be read. Time, and time in MPI, of a rank; mpi is left\n"
    "           out where it is the same\n"
    "  times_of [rank], all ranks, or 64 that stand for them\n"
    "  graph    {ranks RANKS, pivot or null, nodes, edges} as in `efgtrace graph`; nodes without\n"
    "           path, but with context (id)\n"
    "  calls    [{call, calls, bytes, mpi_share, run_share, time D}] by descending time\n"
    "  sites    [{label, hash, context (id), calls, bytes, mpi_share, run_share, time, mean, longest}]\n"
    "  counters {totals [{name, ranks, between (calls), in_calls, iterations (how many),\n"
    "           in_iterations, recorded (how many of them), in_recorded}], names [name],\n"
    "           between [{from, from_hash, to, to_hash, count, time, values (by names)}],\n"
    "           in_calls [{label, hash, count, time, values}], left_out (how many of these, in a\n"
    "           page)}, if there were some: sums of all ranks\n"
    "  openmp   {ranks, threads (of a region, the most), efficiency {parallel, load_balance,\n"
    "           scheduling, serialization} (0 to 1), places [{kind (parallel or barrier), label,\n"
    "           visits, time, threads, room, busy, most, waited}]}, if there were some: sums of all\n"
    "           ranks, by call path; room: time times threads; most: busy, if all threads were as\n"
    "           busy as the busiest one; of a barrier, time only: what the main thread waited\n"
    "  plugins  [{plugin, name, unit, ranks, sum, least, least_rank, most, most_rank} or\n"
    "           {plugin, line, ranks, first_rank}], if they have said something at the end\n"
    "  ranks    [{name, unit, values D}] what each rank did\n"
    "  groups   [{number, count, ranks RANKS, nodes, edges}] of ranks with the same graph\n"
    "  clusters [{number, count, ranks RANKS, representative (a rank), is_outlier, apart (from the\n"
    "           first one), spread, time, mpi (mean of a rank), differences [{what (in, before or\n"
    "           calls), label, hash, by (ns or calls), share}]}] of ranks that behave alike\n"
    "  alike    {range, range_rank (the rank that is farthest from the middle), outliers RANKS}\n"
    "  iterations {of_rank, slots [[first, count, start, time, least, most, mpi]], longest\n"
    "           [[number, start, time, mpi]], recorded [[first, last]]} of the main loop, since it\n"
    "           was found; first is the first one, last the one after the last\n"
    "  heat     {first, width, apart, without, rows [{ranks, rank_count, time [], mpi [],\n"
    "           mean_time, mean_mpi (of all of these)}]}: the mean iteration of ranks, by column: WIDTH\n"
    "           iterations from FIRST on, those from there on, or null; ranks in a row differ by APART\n"
    "           of the time at most\n"
    "  slow     [as in `efgtrace compare --iterations`], slow iterations, each beside another\n"
    "  messages {all, recorded}: {ranks, per_line (ranks of a line of the matrix), sizes and\n"
    "           collectives (numbers of 2^b to 2^(b+1) bytes), matrix [[from, to, count, bytes]]\n"
    "           by lines, others [count, bytes] (to ranks that are not told apart)}\n"
    "  representative, timeline of the recorded iterations, as in `efgtrace export -f json`,\n"
    "           and in each of its locations waits [calls later than the one before, ns, kind,\n"
    "           rank or -1],\n"
    "           four numbers each: kinds [name]\n"
    "  missing  {PART: why it is missing}\n"
    "  left_out {PART: number}, only in the JSON of a page, whose room is limited: of\n"
    "           contexts with less time, whose calls are those of the next one above it (its\n"
    "           left_out: their time); of nodes, which are one with others of their context\n"
    "           then {id, context, nodes (how many), count, bytes, polls, poll_time, time {sum}},\n"
    "           as edges are {id, from, to, edges, count, time {sum}, visits}, without a pivot;\n"
    "           of edges, loops, sites, rows of representative, differences of slow, groups\n"
    "  complete true\n"
    "  D, values of all ranks, in contexts of those that were there: {count, sum, mean, least,\n"
    "  least_rank, median, most, most_rank, bins [24 numbers of ranks, from the least to the\n"
    "  most], thirds [[count, RANKS]] of those below, near (by a sixth of the range or 1%) and\n"
    "  above the mean}; only {count 0, sum 0} if no rank has. Long RANKS of it end in \"...\".\n";

/* --- what is not there --- */

static void say_missing(cJSON *missing, const cJSON *document, const char *part, const char *why)
{
    if (!cJSON_HasObjectItem(document, part))
        efg_json_text(missing, part, why);
}

/* --- the recorded iterations --- */

#define CALLS_LEAST 1000
#define TIMELINE_ROOM 3500000

static struct efg_recorded_wait wait_of(const void *waits, uint32_t location, uint64_t call)
{
    struct efg_waits_state state = efg_waits_state(waits, location, call);
    return (struct efg_recorded_wait){state.time, state.rank, efg_wait_name(state.kind)};
}

/* What has room of TIMELINE, or why it is not there. */
static void add_timeline(cJSON *document, cJSON *missing, struct efg_timeline *timeline)
{
    struct efg_recorded_limits limits = timeline->limits;
    const char *message = timeline->recorded->message;
    struct efg_buffer text = {0};
    char why[600];
    while (!*message && !text.size) {
        efg_timeline_json(&text, timeline, limits);
        if (text.failed)
            message = "no memory";
        else if (text.size > TIMELINE_ROOM && limits.calls <= CALLS_LEAST)
            message = "they have too many call sites";
        else if (text.size > TIMELINE_ROOM)
            text.size = 0;
        limits = (struct efg_recorded_limits){limits.calls / 2, limits.messages / 2};
    }
    efg_buffer_put(&text, "", 1);
    if (!*message && !text.failed)
        cJSON_AddRawToObject(document, "timeline", (char *)text.data);
    snprintf(why, sizeof why, "The recorded iterations cannot be shown: %s.", message);
    say_missing(missing, document, "timeline", why);
    efg_buffer_fini(&text);
}

static void add_waiting(cJSON *document, cJSON *missing, const struct efg_report_waiting *w, bool is_brief)
{
    char why[600];
    snprintf(why, sizeof why, "It is not known why ranks wait: %s.", w->waits.missing);
    if (!*w->waits.missing)
        cJSON_AddItemToObject(document, "waiting",
                              efg_waits_json(&w->waits, w->recorded, &w->names, is_brief));
    say_missing(missing, document, "waiting", why);
}

/* --- the document --- */

#define COUNTED_ON_PAGE 1000 /* call sites, and pairs of them; the largest ones */

cJSON *efg_report_json(const struct efg_model *model, const struct efg_representative *r,
                       struct efg_timeline *timeline, const struct efg_report_waiting *waiting,
                       const struct efg_beside *beside, bool is_page)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "format", "efgtrace-report");
    efg_json_number(document, "version", EFG_REPORT_VERSION);
    efg_report_json_overview(document, model, beside, waiting, r);
    efg_report_json_loops(document, model, waiting);
    efg_report_json_phases(document, model);
    efg_report_json_iterations(document, model);
    efg_report_json_heat(document, model);
    efg_report_json_slow(document, beside);
    efg_report_json_tree(document, model);
    efg_report_json_graph(document, model);
    efg_report_json_ranks(document, model);
    efg_report_json_clusters(document, model);
    efg_report_json_counters(document, model, is_page ? COUNTED_ON_PAGE : UINT32_MAX);
    efg_report_json_openmp(document, model);
    efg_report_json_plugins(document, &model->run);
    int error = efg_report_json_messages(document, model);
    cJSON *missing = cJSON_CreateObject();
    timeline->wait_of = *waiting->waits.missing ? NULL : wait_of;
    timeline->context = &waiting->waits;
    add_timeline(document, missing, timeline);
    add_waiting(document, missing, waiting, is_page);
    say_missing(missing, document, "iterations", "No main loop was found, so there are no iterations of it.");
    say_missing(missing, document, "messages", "No messages were sent.");
    cJSON_AddItemToObject(document, "missing", missing);
    cJSON_AddItemToObject(document, "representative", efg_representative_json(r, &model->run));
    if (error) {
        cJSON_Delete(document);
        return NULL;
    }
    cJSON_AddBoolToObject(document, "complete", 1);
    return document;
}
