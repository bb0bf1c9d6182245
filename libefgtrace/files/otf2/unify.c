/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Step 2: many scans, one set of definitions.
 *
 * Whatever two logs define alike is interned once: an MPI function by its name, a call path by
 * its frames, a communicator by kind, identity and members, windows and files by
 * communicator and identity. What the items of a log became is kept in their order. Most ranks
 * define the same, byte by byte: then that is gone through once.
 *
 * Only communicators cannot be numbered as they come, because some readers want parents to have
 * smaller ids than their children: that is done when all are there (the map of a log is
 * asked for). A circle of parents, which only damage makes, is cut.
 */
#include "usage.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct efg_otf2_unifier *efg_otf2_unifier_new(struct efg_symbols *symbols)
{
    struct efg_otf2_unifier *u = calloc(1, sizeof *u);
    struct efg_otf2_region iteration = {.role = OTF2_REGION_ROLE_LOOP, .paradigm = OTF2_PARADIGM_USER};
    if (!u)
        return NULL;
    u->symbols = symbols;
    u->start = u->first = UINT64_MAX;
    efg_otf2_intern_text(&u->strings, ""); /* EFG_STRING_EMPTY, and so on */
    iteration.name = efg_otf2_intern_text(&u->strings, "iteration");
    for (uint32_t i = EFG_KEPT_FIRST; efg_otf2_kept(i); i++)
        efg_otf2_intern_text(&u->strings, efg_otf2_kept(i));
    efg_otf2_intern(&u->regions, &iteration, sizeof iteration);
    return u;
}

static void free_tables(struct efg_otf2_unifier *u)
{
    efg_otf2_table_fini(&u->strings);
    efg_otf2_table_fini(&u->regions);
    efg_otf2_table_fini(&u->sites);
    efg_otf2_table_fini(&u->positions);
    efg_otf2_table_fini(&u->groups);
    efg_otf2_table_fini(&u->comms);
    efg_otf2_table_fini(&u->wins);
    efg_otf2_table_fini(&u->files);
    efg_otf2_table_fini(&u->handles);
    efg_otf2_table_fini(&u->nodes);
    efg_otf2_table_fini(&u->grids);
    efg_otf2_table_fini(&u->counters);
    efg_otf2_table_fini(&u->paths);
    efg_otf2_table_fini(&u->items);
}

void efg_otf2_unifier_free(struct efg_otf2_unifier *u)
{
    if (!u)
        return;
    for (uint32_t i = 0; i < u->set_count; i++) {
        free(u->sets[i].references);
        efg_buffer_fini(&u->sets[i].entries);
    }
    for (int i = 0; i < u->log_count; i++)
        free(u->logs[i].parts);
    free(u->sets);
    free(u->logs);
    free(u->comm_ids);
    free(u->comm_order);
    efg_buffer_fini(&u->path_entries);
    efg_map_fini(&u->phase_names);
    efg_map_fini(&u->names);
    efg_map_fini(&u->used_index);
    free(u->used);
    free_tables(u);
    free(u);
}

bool efg_otf2_is_out_of_memory(const struct efg_otf2_unifier *u)
{
    return u->strings.failed || u->regions.failed || u->sites.failed || u->positions.failed ||
           u->groups.failed || u->comms.failed || u->wins.failed || u->files.failed || u->handles.failed ||
           u->nodes.failed || u->grids.failed || u->counters.failed || u->paths.failed || u->items.failed ||
           u->path_entries.failed;
}

int efg_otf2_name_phase(struct efg_otf2_unifier *u, uint32_t phase, const char *name)
{
    uint64_t *value = efg_map_put(&u->phase_names, phase);
    if (!value)
        return -ENOMEM;
    *value = efg_otf2_intern_text(&u->strings, name);
    return 0;
}

/* --- one scan --- */

struct adding { /* a scan that is being added */
    struct efg_otf2_unifier *u;
    struct efg_otf2_log *log;
    struct efg_otf2_set *set;
    struct efg_reader reader;
    struct efg_map rows; /* (item << 32 | id in the log) -> row */
    bool failed;         /* no memory */
};

static void remember(struct adding *a, enum efg_otf2_item item, uint32_t id, uint32_t row)
{
    uint64_t *value = efg_map_put(&a->rows, (uint64_t)item << 32 | id);
    if (value)
        *value = row;
    else
        a->failed = true;
}

static uint32_t recall(const struct adding *a, enum efg_otf2_item item, uint32_t id)
{
    const uint64_t *value = efg_map_find(&a->rows, (uint64_t)item << 32 | id);
    return value ? (uint32_t)*value : EFG_NONE;
}

static void refer(struct adding *a, enum efg_otf2_item item, uint32_t row)
{
    struct efg_otf2_set *set = a->set;
    if (efg_array_grow(&set->references, set->reference_count, 1, sizeof *set->references)) {
        a->failed = true;
        return;
    }
    if (row == EFG_NONE)
        item = EFG_ITEM_BAD;
    set->references[set->reference_count++] = (struct efg_otf2_reference){item, row};
}

static uint32_t read_text(struct adding *a)
{
    char *text = efg_reader_string(&a->reader);
    uint32_t row = efg_otf2_intern_text(&a->u->strings, text ? text : "");
    a->failed |= !text;
    free(text);
    return row;
}

static uint32_t role_of(uint32_t class)
{
    static const uint32_t roles[] = {
        [EFG_CLASS_OTHER] = OTF2_REGION_ROLE_FUNCTION,
        [EFG_CLASS_POINT2POINT] = OTF2_REGION_ROLE_POINT2POINT,
        [EFG_CLASS_BARRIER] = OTF2_REGION_ROLE_BARRIER,
        [EFG_CLASS_ONE2ALL] = OTF2_REGION_ROLE_COLL_ONE2ALL,
        [EFG_CLASS_ALL2ONE] = OTF2_REGION_ROLE_COLL_ALL2ONE,
        [EFG_CLASS_ALL2ALL] = OTF2_REGION_ROLE_COLL_ALL2ALL,
        [EFG_CLASS_OTHER_COLLECTIVE] = OTF2_REGION_ROLE_COLL_OTHER,
        [EFG_CLASS_RMA] = OTF2_REGION_ROLE_RMA,
        [EFG_CLASS_FILE_IO] = OTF2_REGION_ROLE_FILE_IO,
    };
    return class < sizeof roles / sizeof *roles ? roles[class] : OTF2_REGION_ROLE_FUNCTION;
}

static bool is_of_openmp(struct adding *a, uint32_t name)
{
    bool is_it = name != EFG_NONE && strncmp(efg_otf2_key(&a->u->strings, name), "omp ", 4) == 0;
    a->u->has_openmp |= is_it;
    return is_it;
}

/* A construct of OpenMP is a call without duration where it ends: the user's region around it has one. */
static void add_call(struct adding *a)
{
    struct efg_otf2_region region = {.paradigm = OTF2_PARADIGM_MPI};
    region.role = role_of((uint32_t)efg_reader_number(&a->reader));
    region.name = read_text(a);
    if (is_of_openmp(a, region.name)) {
        region.paradigm = OTF2_PARADIGM_OPENMP;
        region.role = OTF2_REGION_ROLE_ARTIFICIAL;
    }
    region.file = efg_otf2_intern_text(&a->u->strings, is_of_openmp(a, region.name) ? "OpenMP" : "MPI");
    refer(a, EFG_ITEM_CALL, efg_otf2_intern(&a->u->regions, &region, sizeof region));
}

static void add_module(struct adding *a)
{
    uint32_t id = (uint32_t)efg_reader_number(&a->reader);
    remember(a, EFG_ITEM_MODULE, id, read_text(a));
}

/* *COUNT of them, to be freed; NULL without memory. */
static struct efg_frame *read_frames(struct adding *a, size_t *count)
{
    *count = efg_reader_count(&a->reader, 2);
    struct efg_frame *frames = calloc(*count + 1, sizeof *frames);
    for (size_t i = 0; frames && i < *count; i++) {
        uint32_t module = recall(a, EFG_ITEM_MODULE, (uint32_t)efg_reader_number(&a->reader));
        frames[i].module = module == EFG_NONE ? 0 : module; /* string 0: not known */
        frames[i].offset = efg_reader_number(&a->reader);
    }
    a->failed |= !frames;
    return frames;
}

static void add_path(struct adding *a)
{
    uint64_t hash = efg_reader_u64(&a->reader);
    size_t count;
    struct efg_frame *frames = read_frames(a, &count);
    if (frames && !a->reader.failed)
        refer(a, EFG_ITEM_PATH, efg_otf2_path(a->u, frames, count, hash));
    free(frames);
}

/* Members to RANKS, which has room for COUNT; only ranks of this world are accepted. */
static void read_ranks(struct adding *a, uint32_t *ranks, uint64_t count)
{
    uint64_t at = 0;
    while (at < count && !a->reader.failed) {
        uint64_t length = efg_reader_number(&a->reader);
        uint32_t rank = (uint32_t)efg_reader_number(&a->reader);
        uint32_t step = length > 1 ? efg_reader_u32(&a->reader) : 0;
        if (length == 0 || length > count - at)
            a->reader.failed = true;
        for (; length && !a->reader.failed; length--, rank += step) {
            a->reader.failed |= rank >= a->u->ranks;
            ranks[at++] = rank;
        }
    }
}

static uint32_t read_group(struct adding *a)
{
    uint64_t count = efg_reader_number(&a->reader);
    if (count > a->u->ranks)
        a->reader.failed = true;
    if (count == 0 || a->reader.failed)
        return EFG_NONE;
    uint32_t row = EFG_NONE, *ranks = calloc(count, sizeof *ranks);
    if (ranks)
        read_ranks(a, ranks, count);
    if (ranks && !a->reader.failed)
        row = efg_otf2_intern(&a->u->groups, ranks, count * sizeof *ranks);
    a->failed |= !ranks;
    free(ranks);
    return row;
}

/* What the program calls ROW of ITEM, on some rank. */
static void read_name(struct adding *a, enum efg_otf2_item item, uint32_t row)
{
    uint32_t name = read_text(a);
    if (name == EFG_STRING_EMPTY || name == EFG_NONE || row == EFG_NONE)
        return;
    uint64_t *value = efg_map_put(&a->u->names, (uint64_t)item << 32 | row);
    if (value)
        *value = name;
    a->failed |= !value;
}

/* One that has other ranks than there are comes from damage. */
static void read_grid(struct adding *a, uint32_t comm)
{
    struct efg_otf2_grid grid = {.comm = comm, .dims = (uint32_t)efg_reader_number(&a->reader)};
    uint64_t ranks = 1;
    a->reader.failed |= grid.dims > EFG_OTF2_DIMS;
    for (uint32_t i = 0; i < grid.dims && !a->reader.failed; i++) {
        grid.dimension[i].size = (uint32_t)efg_reader_number(&a->reader);
        grid.dimension[i].is_periodic = efg_reader_number(&a->reader) != 0;
        ranks = ranks > a->u->ranks ? ranks : ranks * grid.dimension[i].size;
    }
    if (!grid.dims || comm == EFG_NONE || a->reader.failed || ranks != efg_otf2_comm_size(a->u, comm))
        return;
    efg_otf2_intern(&a->u->grids, &grid, offsetof(struct efg_otf2_grid, dimension[grid.dims]));
}

static uint32_t intern_comm(struct adding *a, struct efg_otf2_comm *comm)
{
    if (comm->kind == EFG_COMM_WORLD)
        return EFG_COMM_ROW_WORLD;
    if (comm->kind == EFG_COMM_SELF)
        return EFG_COMM_ROW_SELF;
    comm->group = read_group(a);
    comm->remote = read_group(a);
    if (comm->group == EFG_NONE || (comm->kind == EFG_COMM_INTER) != (comm->remote != EFG_NONE))
        return EFG_NONE;
    return efg_otf2_intern(&a->u->comms, comm, sizeof *comm);
}

static void add_comm(struct adding *a)
{
    struct efg_otf2_comm comm = {0};
    uint32_t id = (uint32_t)efg_reader_number(&a->reader);
    comm.kind = (uint32_t)efg_reader_number(&a->reader);
    uint32_t parent = recall(a, EFG_ITEM_COMM, (uint32_t)efg_reader_number(&a->reader));
    comm.identity = efg_reader_u64(&a->reader);
    uint32_t row = intern_comm(a, &comm);
    if (row > EFG_COMM_ROW_SELF && row != EFG_NONE && parent != EFG_NONE && !a->u->comms.rows[row].value)
        a->u->comms.rows[row].value = (uint64_t)parent + 1;
    if (comm.kind == EFG_COMM_INTRA || comm.kind == EFG_COMM_INTER) {
        read_grid(a, row);
        read_name(a, EFG_ITEM_COMM, row);
    }
    remember(a, EFG_ITEM_COMM, id, row);
    refer(a, EFG_ITEM_COMM, row);
}

static void add_win(struct adding *a)
{
    struct efg_otf2_win win = {0};
    uint32_t id = (uint32_t)efg_reader_number(&a->reader), row = EFG_NONE;
    win.comm = recall(a, EFG_ITEM_COMM, (uint32_t)efg_reader_number(&a->reader));
    win.identity = efg_reader_u64(&a->reader);
    if (win.comm != EFG_NONE)
        row = efg_otf2_intern(&a->u->wins, &win, sizeof win);
    read_name(a, EFG_ITEM_WIN, row);
    remember(a, EFG_ITEM_WIN, id, row);
    refer(a, EFG_ITEM_WIN, row);
}

static void add_file(struct adding *a)
{
    struct efg_otf2_handle handle = {0};
    uint32_t id = (uint32_t)efg_reader_number(&a->reader), row = EFG_NONE;
    handle.comm = recall(a, EFG_ITEM_COMM, (uint32_t)efg_reader_number(&a->reader));
    handle.identity = efg_reader_u64(&a->reader);
    uint32_t name = read_text(a);
    handle.file = efg_otf2_intern(&a->u->files, &name, sizeof name);
    if (handle.comm != EFG_NONE)
        row = efg_otf2_intern(&a->u->handles, &handle, sizeof handle);
    remember(a, EFG_ITEM_FILE, id, row);
    refer(a, EFG_ITEM_FILE, row);
}

static void add_group(struct adding *a)
{
    efg_reader_number(&a->reader); /* its number in the log */
    refer(a, EFG_ITEM_GROUP, read_group(a));
}

static void add_region(struct adding *a)
{
    struct efg_otf2_region region = {.role = OTF2_REGION_ROLE_CODE, .paradigm = OTF2_PARADIGM_USER};
    region.name = read_text(a);
    if (is_of_openmp(a, region.name)) {
        bool is_barrier = strcmp(efg_otf2_key(&a->u->strings, region.name), "omp barrier") == 0;
        region.paradigm = OTF2_PARADIGM_OPENMP;
        region.role = is_barrier ? OTF2_REGION_ROLE_BARRIER : OTF2_REGION_ROLE_PARALLEL;
    }
    refer(a, EFG_ITEM_REGION, efg_otf2_intern(&a->u->regions, &region, sizeof region));
}

static void add_phase(struct adding *a)
{
    const uint64_t *name = efg_map_find(&a->u->phase_names, efg_reader_number(&a->reader));
    size_t count;
    struct efg_frame *frames = read_frames(a, &count);
    if (frames && !a->reader.failed)
        refer(a, EFG_ITEM_PHASE, name ? (uint32_t)*name : efg_otf2_common_function(a->u, frames, count));
    free(frames);
}

static void add_counters(struct adding *a)
{
    char *names = efg_reader_string(&a->reader);
    if (names)
        refer(a, EFG_ITEM_COUNTERS, efg_otf2_intern_text(&a->u->counters, names));
    a->failed |= !names;
    free(names);
}

static void mark(struct adding *a, struct efg_otf2_table *table, enum efg_otf2_item item)
{
    uint32_t row = recall(a, item, (uint32_t)efg_reader_number(&a->reader));
    if (row < table->count)
        table->rows[row].value = 1;
}

/* Returns false at the end. */
static bool add_item(struct adding *a)
{
    switch (efg_reader_number(&a->reader)) {
    case EFG_ITEM_BAD:
        return refer(a, EFG_ITEM_BAD, EFG_NONE), true;
    case EFG_ITEM_CALL:
        return add_call(a), true;
    case EFG_ITEM_MODULE:
        return add_module(a), true;
    case EFG_ITEM_PATH:
        return add_path(a), true;
    case EFG_ITEM_COMM:
        return add_comm(a), true;
    case EFG_ITEM_WIN:
        return add_win(a), true;
    case EFG_ITEM_FILE:
        return add_file(a), true;
    case EFG_ITEM_GROUP:
        return add_group(a), true;
    case EFG_ITEM_REGION:
        return add_region(a), true;
    case EFG_ITEM_WHEN:
        return refer(a, EFG_ITEM_WHEN, read_text(a)), true;
    case EFG_ITEM_PHASE:
        return add_phase(a), true;
    case EFG_ITEM_COUNTERS:
        return add_counters(a), true;
    case EFG_ITEM_WIN_CREATED:
        return mark(a, &a->u->wins, EFG_ITEM_WIN), true;
    case EFG_ITEM_FILE_OPENED:
        return mark(a, &a->u->handles, EFG_ITEM_FILE), true;
    case EFG_ITEM_END:
        return false;
    default:
        a->reader.failed = true;
        return false;
    }
}

/* The group of the world and the two communicators that always exist. */
static int found_world(struct efg_otf2_unifier *u, uint32_t ranks)
{
    struct efg_otf2_comm comm = {.kind = EFG_COMM_WORLD, .remote = EFG_NONE};
    uint32_t *all = calloc(ranks, sizeof *all);
    if (!all)
        return -ENOMEM;
    for (uint32_t i = 0; i < ranks; i++)
        all[i] = i;
    efg_otf2_intern(&u->groups, all, ranks * sizeof *all);
    free(all);
    efg_otf2_intern(&u->comms, &comm, sizeof comm);
    comm.kind = EFG_COMM_SELF;
    efg_otf2_intern(&u->comms, &comm, sizeof comm);
    u->ranks = ranks;
    return efg_otf2_is_out_of_memory(u) ? -ENOMEM : 0;
}

static int read_head(struct adding *a)
{
    struct efg_otf2_log *log = a->log;
    log->rank = (uint32_t)efg_reader_number(&a->reader);
    uint32_t ranks = (uint32_t)efg_reader_number(&a->reader);
    log->thread = (uint32_t)efg_reader_number(&a->reader);
    if (a->reader.failed || log->rank >= ranks || (a->u->ranks && a->u->ranks != ranks))
        return -EBADMSG;
    int rc = a->u->ranks ? 0 : found_world(a->u, ranks);
    log->host = read_text(a);
    log->package = (uint32_t)efg_reader_number(&a->reader);
    log->numa = (uint32_t)efg_reader_number(&a->reader);
    log->core = (uint32_t)efg_reader_number(&a->reader);
    log->pid = (uint32_t)efg_reader_number(&a->reader);
    log->clock = efg_log_get_clock(&a->reader);
    log->count = efg_reader_number(&a->reader);
    return rc;
}

/* The set of the items, from here to END of the scan, in a->set; *IS_NEW: they are to be gone
 * through. */
static int find_set(struct adding *a, size_t end, bool *is_new)
{
    struct efg_otf2_unifier *u = a->u;
    if (efg_array_grow(&u->sets, u->set_count, 1, sizeof *u->sets))
        return -ENOMEM;
    uint32_t row = efg_otf2_intern(&u->items, a->reader.data + a->reader.at, end - a->reader.at);
    if (row == EFG_NONE)
        return -ENOMEM;
    *is_new = row == u->set_count;
    if (*is_new)
        u->sets[u->set_count++] = (struct efg_otf2_set){0};
    a->log->set = row;
    a->set = &u->sets[row];
    return *is_new || u->items.rows[row].value ? 0 : -EBADMSG;
}

static int add_items(struct adding *a)
{
    bool is_new = false;
    uint64_t size = efg_reader_number(&a->reader);
    if (a->reader.failed || a->reader.size - a->reader.at < size)
        return -EBADMSG;
    size_t end = a->reader.at + size;
    int rc = find_set(a, end, &is_new);
    if (rc)
        return rc;
    while (is_new && !a->failed && !a->reader.failed && add_item(a))
        ;
    if (a->failed || efg_otf2_is_out_of_memory(a->u))
        return -ENOMEM;
    if (a->reader.failed || (is_new && a->reader.at != end))
        return -EBADMSG;
    a->u->items.rows[a->log->set].value = 1;
    a->reader.at = end;
    return 0;
}

static int add_scan(struct adding *a)
{
    struct efg_otf2_unifier *u = a->u;
    struct efg_otf2_log *log = a->log;
    int rc = read_head(a);
    if (!rc)
        rc = add_items(a);
    if (rc)
        return rc;
    log->first = efg_reader_u64(&a->reader);
    log->last = efg_reader_u64(&a->reader);
    rc = efg_otf2_usage_add(u, log, &a->reader);
    if (!rc)
        rc = efg_otf2_add_team(u, log, &a->reader);
    if (!rc && efg_otf2_is_out_of_memory(u))
        rc = -ENOMEM;
    if (rc)
        return rc;
    u->start = log->clock.realtime < u->start ? log->clock.realtime : u->start;
    if (log->first <= log->last) {
        u->first = log->first < u->first ? log->first : u->first;
        u->last = log->last > u->last ? log->last : u->last;
    }
    return 0;
}

int efg_otf2_unify(struct efg_otf2_unifier *u, const void *scan, size_t size)
{
    struct adding a = {.u = u, .reader = efg_reader(scan, size)};
    if (efg_array_grow(&u->logs, (uint64_t)u->log_count, 1, sizeof *u->logs))
        return -ENOMEM;
    a.log = &u->logs[u->log_count];
    *a.log = (struct efg_otf2_log){0};
    int rc = add_scan(&a);
    efg_map_fini(&a.rows);
    if (rc)
        free(a.log->parts);
    return rc ? rc : u->log_count++;
}
