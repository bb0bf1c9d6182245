/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Step 4: the global definitions, in the order in which readers need them: a
 * reference is defined before its use, ids ascend. A row of a table is written under its
 * number, but groups (two come before them) and communicators (parents first).
 *
 * Everything that still needs strings is decided first; then all is written.
 */
#include "metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

struct writing {
    struct efg_otf2_unifier *u;
    OTF2_GlobalDefWriter *writer;
    struct efg_otf2_cast cast;
    bool failed;                                               /* OTF2 refused a definition */
    uint32_t mpi, mpi_io, openmp, comm_template, win_template; /* strings */
    uint32_t site, site_help, iteration, iteration_help, polls, polls_help, path, path_help;
    uint32_t kept, kept_help, times, times_help, phase, phase_help;
    uint32_t phase_loop, phase_loop_help, when, when_help;
    uint32_t host, pid, core; /* properties of locations */
    uint32_t team, team_template;
    uint32_t grid, dimensions[EFG_OTF2_DIMS];
    struct efg_otf2_metrics metrics;
};

/* Definitions are kept in memory until the writer is closed, so one that is refused does not
 * keep the others from being tried. */
static void check(struct writing *w, OTF2_ErrorCode code)
{
    w->failed |= code != OTF2_SUCCESS;
}

static void choose_strings(struct writing *w)
{
    struct efg_otf2_table *strings = &w->u->strings;
    w->mpi = efg_otf2_intern_text(strings, "MPI");
    w->mpi_io = efg_otf2_intern_text(strings, "MPI-IO");
    w->openmp = efg_otf2_intern_text(strings, "OpenMP");
    w->comm_template = efg_otf2_intern_text(strings, "Comm ${id}");
    w->win_template = efg_otf2_intern_text(strings, "Win ${id}");
    w->site = efg_otf2_intern_text(strings, "SOURCE_CODE_LOCATION");
    w->site_help = efg_otf2_intern_text(strings, "Where in the source MPI is called");
    w->iteration = efg_otf2_intern_text(strings, "iteration");
    w->iteration_help = efg_otf2_intern_text(strings, "Number of the iteration, from 0");
    w->polls = efg_otf2_intern_text(strings, "polls");
    w->polls_help = efg_otf2_intern_text(strings, "How many polls that found nothing the visit stands for");
    w->path = efg_otf2_intern_text(strings, "call_path");
    w->path_help = efg_otf2_intern_text(strings, "Hash of the call path, as in run.efg");
    w->kept = efg_otf2_intern_text(strings, "kept");
    w->kept_help = efg_otf2_intern_text(strings, "Why the iteration was recorded");
    w->phase = efg_otf2_intern_text(strings, "phase");
    w->phase_help = efg_otf2_intern_text(strings, "Number of the phase of the program, as in the report");
    w->phase_loop = efg_otf2_intern_text(strings, "phase_loop");
    w->phase_loop_help = efg_otf2_intern_text(strings, "Function that has the main loop of the phase");
    w->when = efg_otf2_intern_text(strings, "when");
    w->when_help = efg_otf2_intern_text(strings, "Conditions that the iteration was chosen by");
    w->times = efg_otf2_intern_text(strings, "times_median");
    w->times_help = efg_otf2_intern_text(
        strings, "How many times the median of those before it a slow iteration took, where it was slowest");
    w->host = efg_otf2_intern_text(strings, "host");
    w->pid = efg_otf2_intern_text(strings, "pid");
    w->core = efg_otf2_intern_text(strings, "core");
    if (w->u->team_count) {
        w->team = efg_otf2_intern_text(strings, "OpenMP team");
        w->team_template = efg_otf2_intern_text(strings, "OpenMP team ${id}");
    }
    efg_otf2_intern_text(strings, "MPI_COMM_WORLD");
    efg_otf2_intern_text(strings, "MPI_COMM_SELF");
}

static void choose_grid_strings(struct writing *w)
{
    w->grid = efg_otf2_intern_text(&w->u->strings, "Cartesian grid");
    for (uint32_t i = 0; i < EFG_OTF2_DIMS; i++) {
        char text[32];
        snprintf(text, sizeof text, "dimension %u", i);
        w->dimensions[i] = efg_otf2_intern_text(&w->u->strings, text);
    }
}

static void write_clock(struct writing *w)
{
    uint64_t first, last;
    efg_otf2_span(w->u, &first, &last);
    check(w,
          OTF2_GlobalDefWriter_WriteClockProperties(w->writer, EFG_OTF2_RESOLUTION, 0, last - first, first));
}

static void write_strings(struct writing *w)
{
    for (uint32_t i = 0; i < w->u->strings.count; i++)
        check(w, OTF2_GlobalDefWriter_WriteString(w->writer, i, efg_otf2_key(&w->u->strings, i)));
}

static void write_template(struct writing *w, OTF2_Paradigm paradigm, OTF2_ParadigmProperty property,
                           uint32_t string)
{
    OTF2_AttributeValue value = {.stringRef = string};
    check(w,
          OTF2_GlobalDefWriter_WriteParadigmProperty(w->writer, paradigm, property, OTF2_TYPE_STRING, value));
}

static void write_paradigms(struct writing *w)
{
    check(w, OTF2_GlobalDefWriter_WriteParadigm(w->writer, OTF2_PARADIGM_MPI, w->mpi,
                                                OTF2_PARADIGM_CLASS_PROCESS));
    write_template(w, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, w->comm_template);
    write_template(w, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE, w->win_template);
    if (w->u->has_openmp)
        check(w, OTF2_GlobalDefWriter_WriteParadigm(w->writer, OTF2_PARADIGM_OPENMP, w->openmp,
                                                    OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
    if (w->u->team_count)
        write_template(w, OTF2_PARADIGM_OPENMP, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, w->team_template);
    if (w->u->handles.count)
        check(w, OTF2_GlobalDefWriter_WriteIoParadigm(w->writer, 0, w->mpi_io, w->mpi_io,
                                                      OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                                      OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL));
}

/* --- who took part --- */

static void write_nodes(struct writing *w)
{
    for (uint32_t i = 0; i < w->u->nodes.count; i++) {
        const struct efg_otf2_node *node = efg_otf2_key(&w->u->nodes, i);
        check(w,
              OTF2_GlobalDefWriter_WriteSystemTreeNode(w->writer, i, node->name, node->class, node->parent));
        check(w, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w->writer, i,
                                                                (OTF2_SystemTreeDomain)node->domain));
    }
}

static void write_processes(struct writing *w)
{
    for (uint32_t i = 0; i < w->u->ranks; i++)
        check(w, OTF2_GlobalDefWriter_WriteLocationGroup(
                     w->writer, i, w->cast.rank_names[i], OTF2_LOCATION_GROUP_TYPE_PROCESS,
                     w->cast.rank_nodes[i], OTF2_UNDEFINED_LOCATION_GROUP));
}

static void write_locations(struct writing *w)
{
    for (uint32_t i = 0; i < w->cast.thread_count; i++) {
        const struct efg_otf2_thread *t = w->cast.threads + i;
        check(w, OTF2_GlobalDefWriter_WriteLocation(w->writer, t->location, t->name,
                                                    OTF2_LOCATION_TYPE_CPU_THREAD, t->events,
                                                    (uint32_t)t->location));
    }
}

static void write_property(struct writing *w, uint64_t location, uint32_t name, OTF2_Type type,
                           OTF2_AttributeValue value)
{
    check(w, OTF2_GlobalDefWriter_WriteLocationProperty(w->writer, location, name, type, value));
}

/* Where each ran, as far as its log says it. */
static void write_properties(struct writing *w)
{
    for (int i = 0; i < w->u->log_count; i++) {
        const struct efg_otf2_log *log = &w->u->logs[i];
        uint64_t location = (uint64_t)log->thread << 32 | log->rank;
        if (log->host)
            write_property(w, location, w->host, OTF2_TYPE_STRING,
                           (OTF2_AttributeValue){.stringRef = log->host});
        if (log->pid)
            write_property(w, location, w->pid, OTF2_TYPE_UINT32, (OTF2_AttributeValue){.uint32 = log->pid});
        if (log->core)
            write_property(w, location, w->core, OTF2_TYPE_UINT32,
                           (OTF2_AttributeValue){.uint32 = log->core - 1});
    }
}

/* --- what they did --- */

static void write_region(struct writing *w, uint32_t id, const struct efg_otf2_region *region)
{
    OTF2_RegionFlag flags = id == EFG_REGION_ITERATION ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE;
    check(w, OTF2_GlobalDefWriter_WriteRegion(w->writer, id, region->name,
                                              region->linkage ? region->linkage : region->name, 0,
                                              (OTF2_RegionRole)region->role, (OTF2_Paradigm)region->paradigm,
                                              flags, region->file, region->line, 0));
}

static void write_regions(struct writing *w)
{
    for (uint32_t i = 0; i < w->u->regions.count; i++)
        write_region(w, i, efg_otf2_key(&w->u->regions, i));
}

static void write_group_of(struct writing *w, OTF2_Paradigm paradigm, uint32_t id, OTF2_GroupType type,
                           uint32_t count, const uint64_t *members)
{
    check(w, OTF2_GlobalDefWriter_WriteGroup(w->writer, id, 0, type, paradigm, OTF2_GROUP_FLAG_NONE, count,
                                             members));
}

static void write_group(struct writing *w, uint32_t id, OTF2_GroupType type, uint32_t count,
                        const uint64_t *members)
{
    write_group_of(w, OTF2_PARADIGM_MPI, id, type, count, members);
}

/* As efg_otf2_group numbers them. Locations of thread 0 have the ids of their ranks. */
static void write_groups(struct writing *w)
{
    const struct efg_otf2_table *groups = &w->u->groups;
    uint64_t *members = calloc(w->u->ranks + 1, sizeof *members);
    w->failed |= !members;
    for (uint32_t i = 0; members && i < w->u->ranks; i++)
        members[i] = i;
    if (members)
        write_group(w, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, w->u->ranks, members);
    write_group(w, 1, OTF2_GROUP_TYPE_COMM_SELF, 0, NULL);
    for (uint32_t i = 0; members && i < groups->count; i++) {
        const uint32_t *ranks = efg_otf2_key(groups, i);
        uint32_t count = (uint32_t)(groups->rows[i].size / sizeof *ranks);
        for (uint32_t j = 0; j < count; j++)
            members[j] = ranks[j];
        write_group(w, efg_otf2_group(i), OTF2_GROUP_TYPE_COMM_GROUP, count, members);
    }
    free(members);
}

static uint32_t comm_name(struct writing *w, uint32_t row)
{
    const struct efg_otf2_comm *comm = efg_otf2_key(&w->u->comms, row);
    if (comm->kind == EFG_COMM_WORLD)
        return efg_otf2_intern_text(&w->u->strings, "MPI_COMM_WORLD");
    if (comm->kind == EFG_COMM_SELF)
        return efg_otf2_intern_text(&w->u->strings, "MPI_COMM_SELF");
    uint32_t name = efg_otf2_name(w->u, EFG_ITEM_COMM, row);
    return name == EFG_NONE ? EFG_STRING_EMPTY : name;
}

static void write_comm(struct writing *w, uint32_t id, uint32_t row)
{
    const struct efg_otf2_comm *comm = efg_otf2_key(&w->u->comms, row);
    uint64_t value = w->u->comms.rows[row].value;
    uint32_t parent = value ? w->u->comm_ids[value - 1] : OTF2_UNDEFINED_COMM;
    uint32_t name = comm_name(w, row), group = efg_otf2_group_of(comm);
    if (comm->kind == EFG_COMM_INTER)
        check(w, OTF2_GlobalDefWriter_WriteInterComm(w->writer, id, name, group, efg_otf2_group(comm->remote),
                                                     parent, OTF2_COMM_FLAG_NONE));
    else
        check(w, OTF2_GlobalDefWriter_WriteComm(w->writer, id, name, group, parent, OTF2_COMM_FLAG_NONE));
}

static void write_comms(struct writing *w)
{
    for (uint32_t id = 0; id < w->u->comms.count; id++)
        write_comm(w, id, w->u->comm_order[id]);
}

/* --- teams of threads --- */

/* The locations of all teams, one team after the other: the main thread, and the others. Returns how many. */
static uint32_t put_threads(const struct efg_otf2_unifier *u, uint64_t *members)
{
    uint32_t count = 0;
    for (int i = 0; i < u->log_count; i++) {
        const struct efg_otf2_log *log = &u->logs[i];
        if (log->workers)
            members[count++] = (uint64_t)log->thread << 32 | log->rank;
        for (uint32_t k = 1; k <= log->workers; k++)
            members[count++] = (uint64_t)(EFG_OTF2_WORKER + k) << 32 | log->rank;
    }
    return count;
}

/* Members of their groups are places in the group of all threads. */
static void write_teams(struct writing *w)
{
    struct efg_otf2_unifier *u = w->u;
    uint64_t *members = u->team_count ? calloc(u->team_count + u->worker_count, sizeof *members) : NULL;
    w->failed |= u->team_count && !members;
    if (!members)
        return;
    uint32_t first = 0, count = put_threads(u, members);
    write_group_of(w, OTF2_PARADIGM_OPENMP, efg_otf2_team_threads(u), OTF2_GROUP_TYPE_COMM_LOCATIONS, count,
                   members);
    for (int i = 0; i < u->log_count; i++) {
        const struct efg_otf2_log *log = &u->logs[i];
        uint32_t size = log->workers ? log->workers + 1 : 0, comm = efg_otf2_team_comm(u, log->team);
        for (uint32_t k = 0; k < size; k++)
            members[k] = first++;
        if (!size)
            continue;
        write_group_of(w, OTF2_PARADIGM_OPENMP, efg_otf2_team_group(u, log->team), OTF2_GROUP_TYPE_COMM_GROUP,
                       size, members);
        check(w, OTF2_GlobalDefWriter_WriteComm(w->writer, comm, w->team, efg_otf2_team_group(u, log->team),
                                                OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
    free(members);
}

/* Ranks of a grid are in row-major order (MPI 3.1, 7.5.1). */
static void write_coordinates(struct writing *w, uint32_t id, const struct efg_otf2_grid *grid)
{
    uint32_t place[EFG_OTF2_DIMS] = {0}, ranks = efg_otf2_comm_size(w->u, grid->comm);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        check(w, OTF2_GlobalDefWriter_WriteCartCoordinate(w->writer, id, rank, (uint8_t)grid->dims, place));
        for (uint32_t i = grid->dims; i-- > 0 && ++place[i] == grid->dimension[i].size;)
            place[i] = 0;
    }
}

static void write_grids(struct writing *w)
{
    uint32_t next = 0;
    for (uint32_t id = 0; id < w->u->grids.count; id++) {
        const struct efg_otf2_grid *grid = efg_otf2_key(&w->u->grids, id);
        uint32_t dimensions[EFG_OTF2_DIMS], name = comm_name(w, grid->comm);
        for (uint32_t i = 0; i < grid->dims; i++) {
            const struct efg_otf2_dimension *d = &grid->dimension[i];
            dimensions[i] = next++;
            check(w, OTF2_GlobalDefWriter_WriteCartDimension(
                         w->writer, dimensions[i], w->dimensions[i], d->size,
                         d->is_periodic ? OTF2_CART_PERIODIC_TRUE : OTF2_CART_PERIODIC_FALSE));
        }
        check(w, OTF2_GlobalDefWriter_WriteCartTopology(w->writer, id, name ? name : w->grid,
                                                        w->u->comm_ids[grid->comm], (uint8_t)grid->dims,
                                                        dimensions));
        write_coordinates(w, id, grid);
    }
}

static void write_wins(struct writing *w)
{
    for (uint32_t i = 0; i < w->u->wins.count; i++) {
        const struct efg_otf2_win *win = efg_otf2_key(&w->u->wins, i);
        OTF2_RmaWinFlag flags =
            w->u->wins.rows[i].value ? OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS : OTF2_RMA_WIN_FLAG_NONE;
        uint32_t name = efg_otf2_name(w->u, EFG_ITEM_WIN, i);
        check(w, OTF2_GlobalDefWriter_WriteRmaWin(w->writer, i, name == EFG_NONE ? EFG_STRING_EMPTY : name,
                                                  w->u->comm_ids[win->comm], flags));
    }
}

static void write_marks(struct writing *w)
{
    check(w, OTF2_GlobalDefWriter_WriteParameter(w->writer, EFG_PARAMETER_ITERATION, w->iteration,
                                                 OTF2_PARAMETER_TYPE_UINT64));
    check(w, OTF2_GlobalDefWriter_WriteAttribute(w->writer, EFG_ATTRIBUTE_SITE, w->site, w->site_help,
                                                 OTF2_TYPE_SOURCE_CODE_LOCATION));
    check(w, OTF2_GlobalDefWriter_WriteAttribute(w->writer, EFG_ATTRIBUTE_ITERATION, w->iteration,
                                                 w->iteration_help, OTF2_TYPE_UINT64));
    check(w, OTF2_GlobalDefWriter_WriteAttribute(w->writer, EFG_ATTRIBUTE_POLLS, w->polls, w->polls_help,
                                                 OTF2_TYPE_UINT64));
    check(w, OTF2_GlobalDefWriter_WriteAttribute(w->writer, EFG_ATTRIBUTE_PATH, w->path, w->path_help,
                                                 OTF2_TYPE_STRING));
    check(w, OTF2_GlobalDefWriter_WriteAttribute(w->writer, EFG_ATTRIBUTE_KEPT, w->kept, w->kept_help,
                                                 OTF2_TYPE_STRING));
    check(w, OTF2_GlobalDefWriter_WriteAttribute(w->writer, EFG_ATTRIBUTE_TIMES, w->times, w->times_help,
                                                 OTF2_TYPE_DOUBLE));
    check(w, OTF2_GlobalDefWriter_WriteAttribute(w->writer, EFG_ATTRIBUTE_PHASE, w->phase, w->phase_help,
                                                 OTF2_TYPE_UINT32));
    check(w, OTF2_GlobalDefWriter_WriteAttribute(w->writer, EFG_ATTRIBUTE_PHASE_LOOP, w->phase_loop,
                                                 w->phase_loop_help, OTF2_TYPE_STRING));
    check(w, OTF2_GlobalDefWriter_WriteAttribute(w->writer, EFG_ATTRIBUTE_WHEN, w->when, w->when_help,
                                                 OTF2_TYPE_STRING));
    for (uint32_t i = 0; i < w->u->sites.count; i++) {
        const struct efg_otf2_site *site = efg_otf2_key(&w->u->sites, i);
        check(w, OTF2_GlobalDefWriter_WriteSourceCodeLocation(w->writer, i, site->file, site->line));
    }
}

/* --- files --- */

static void write_handle(struct writing *w, uint32_t id)
{
    const struct efg_otf2_handle *handle = efg_otf2_key(&w->u->handles, id);
    const uint32_t *name = efg_otf2_key(&w->u->files, handle->file);
    bool is_opened = w->u->handles.rows[id].value != 0;
    check(w, OTF2_GlobalDefWriter_WriteIoHandle(w->writer, id, *name, handle->file, 0,
                                                is_opened ? OTF2_IO_HANDLE_FLAG_NONE
                                                          : OTF2_IO_HANDLE_FLAG_PRE_CREATED,
                                                w->u->comm_ids[handle->comm], OTF2_UNDEFINED_IO_HANDLE));
    if (!is_opened) /* nobody saw how */
        check(w, OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(
                     w->writer, id, OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_STATUS_FLAG_NONE));
}

/* The scope of a file is the machine: node 0. */
static void write_files(struct writing *w)
{
    for (uint32_t i = 0; i < w->u->files.count; i++) {
        const uint32_t *name = efg_otf2_key(&w->u->files, i);
        check(w, OTF2_GlobalDefWriter_WriteIoRegularFile(w->writer, i, *name, 0));
    }
    for (uint32_t i = 0; i < w->u->handles.count; i++)
        write_handle(w, i);
}

static void write_all(struct writing *w)
{
    write_clock(w);
    write_strings(w);
    write_paradigms(w);
    write_nodes(w);
    write_processes(w);
    write_locations(w);
    write_properties(w);
    write_regions(w);
    write_groups(w);
    write_comms(w);
    write_teams(w);
    write_grids(w);
    write_wins(w);
    write_marks(w);
    write_files(w);
    check(w, efg_otf2_write_metrics(w->u, &w->metrics, w->writer));
}

int efg_otf2_define(struct efg_otf2_unifier *u, OTF2_Archive *archive, const uint64_t *events, bool complete)
{
    struct writing w = {.u = u};
    if (efg_otf2_order_comms(u) != 0 || efg_otf2_cast(u, events, &w.cast) != 0)
        return -ENOMEM;
    choose_strings(&w);
    if (u->grids.count)
        choose_grid_strings(&w);
    efg_otf2_choose_metrics(u, &w.metrics);
    w.writer = OTF2_Archive_GetGlobalDefWriter(archive);
    if (w.writer && !efg_otf2_is_out_of_memory(u))
        write_all(&w);
    efg_otf2_cast_fini(&w.cast);
    w.failed |= w.metrics.members.failed;
    efg_otf2_metrics_fini(&w.metrics);
    if (!w.writer || efg_otf2_is_out_of_memory(u))
        return -EIO;
    check(&w, OTF2_Archive_CloseGlobalDefWriter(archive, w.writer));
    struct utsname machine;
    check(&w, OTF2_Archive_SetCreator(archive, "efgtrace " EFG_VERSION));
    if (uname(&machine) == 0)
        check(&w, OTF2_Archive_SetMachineName(archive, machine.sysname));
    check(&w, OTF2_Archive_SetBoolProperty(archive, "OTF2::MPI_COMMUNICATION_COMPLETE", complete, true));
    return w.failed ? -EIO : 0;
}
