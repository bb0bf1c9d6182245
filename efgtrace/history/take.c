/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the index keeps of a run: who, what, when; how long; and the call sites that take most of the time,
 * with the computation before them. A call site is the same in all runs where functions of the same names
 * call each other down to it, as for `efgtrace compare`: so its times go on when the program is built again.
 * Of several with the same names, the first of one run is the first of another.
 */
#include "take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/complain.h"
#include "files/summary/summary.h"
#include "model/efficiency.h"
#include "model/matched.h"
#include "report/tables.h"

#define SITES 64    /* of a run, at most */
#define WORTH 0.001 /* of the time: less is not kept */

struct site {
    int64_t key;
    uint32_t node;
    bool is_compute;
    double time, calls; /* ns and calls of a rank */
};

struct taking {
    struct efg_database *db;
    struct efg_model model;
    double seconds, iterations; /* of a rank */
    struct site *sites;
    uint32_t site_count;
};

/* NULL if there is none. */
static const struct efg_loop *main_loop(const struct taking *t)
{
    const struct efg_looptree *tree = &t->model.merged.tree;
    return tree->main == EFG_NONE ? NULL : &tree->loops[tree->main];
}

/* --- call sites --- */

static int by_time(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

static double of_rank(const struct efg_model *model, double sum)
{
    return model->merged.rank_count ? sum / (double)model->merged.rank_count : 0;
}

/* Of the names above the call of NODE; SEEN: how often these came before. Returns 0 or -ENOMEM. */
static int key_of(const struct taking *t, uint32_t node, struct efg_map *seen, int64_t *key)
{
    const struct efg_contexts *contexts = &t->model.contexts;
    const char *application = t->model.run.application;
    uint64_t names =
        efg_hash_bytes(efg_matched_key(contexts, contexts->of_node[node]), application, strlen(application));
    uint64_t *count = efg_map_put(seen, names);
    if (!count)
        return -ENOMEM;
    *key = (int64_t)efg_hash_mix(names, (*count)++);
    return 0;
}

static int list_sites(struct taking *t, struct efg_map *seen)
{
    const struct efg_graph *graph = &t->model.merged.graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct efg_node *node = &graph->nodes[i];
        double calls = of_rank(&t->model, (double)node->time.count);
        int64_t key;
        if (key_of(t, i, seen, &key))
            return -ENOMEM;
        t->sites[2 * i] = (struct site){key, i, false, of_rank(&t->model, (double)efg_node_time(node)),
                                        calls + of_rank(&t->model, (double)node->polls)};
        t->sites[2 * i + 1] = (struct site){~key, i, true, 0, calls};
    }
    for (uint32_t i = 0; i < graph->edge_count; i++)
        t->sites[2 * graph->edges[i].to + 1].time += of_rank(&t->model, (double)graph->edges[i].time.sum);
    return 0;
}

/* The longest first, with the computation on the edges that lead to each. Returns 0 or -ENOMEM. */
static int find_sites(struct taking *t)
{
    struct efg_map seen = {0};
    t->site_count = 2 * t->model.merged.graph.node_count;
    t->sites = calloc((size_t)t->site_count + 1, sizeof *t->sites);
    int error = t->sites ? list_sites(t, &seen) : -ENOMEM;
    efg_map_fini(&seen);
    if (t->site_count && !error)
        qsort(t->sites, t->site_count, sizeof *t->sites, by_time);
    return error;
}

static void name_site(const struct taking *t, const struct site *site, char *text, size_t size)
{
    char label[400];
    efg_summary_node(&t->model.run, &t->model.merged.graph.nodes[site->node], label, sizeof label);
    snprintf(text, size, "%s%s", site->is_compute ? "computing before " : "", label);
}

static bool run_of(struct taking *t, sqlite3_stmt *statement)
{
    bool is_done = statement && sqlite3_step(statement) == SQLITE_DONE;
    if (statement && !is_done)
        efg_database_complain(t->db);
    sqlite3_reset(statement);
    return is_done;
}

static bool put_site(struct taking *t, int64_t run, const struct site *site, sqlite3_stmt *named,
                     sqlite3_stmt *timed)
{
    double per = t->iterations > 0 ? t->iterations : 1;
    char name[512];
    name_site(t, site, name, sizeof name);
    sqlite3_bind_int64(named, 1, site->key);
    sqlite3_bind_text(named, 2, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(timed, 1, run);
    sqlite3_bind_int64(timed, 2, site->key);
    sqlite3_bind_double(timed, 3, site->time / per / 1e9);
    sqlite3_bind_double(timed, 4, site->calls / per);
    return run_of(t, named) && run_of(t, timed);
}

static bool put_sites(struct taking *t, int64_t run)
{
    sqlite3_stmt *named = efg_database_prepare(t->db, "INSERT INTO sites(key, name) VALUES(?1, ?2)"
                                                      " ON CONFLICT(key) DO UPDATE SET name=excluded.name");
    sqlite3_stmt *timed =
        efg_database_prepare(t->db, "INSERT INTO times SELECT ?1, id, ?3, ?4 FROM sites WHERE key=?2");
    bool is_done = named && timed;
    for (uint32_t i = 0; is_done && i < t->site_count && i < SITES; i++)
        if (t->sites[i].time > WORTH * t->seconds * 1e9)
            is_done = put_site(t, run, &t->sites[i], named, timed);
    sqlite3_finalize(named);
    sqlite3_finalize(timed);
    return is_done;
}

/* --- the run --- */

static void name_loop(const struct taking *t, char *text, size_t size)
{
    const struct efg_merged *merged = &t->model.merged;
    *text = '\0';
    if (merged->tree.main != EFG_NONE)
        efg_summary_loop_label(&t->model.run, &merged->graph, &merged->tree, merged->tree.main, text, size);
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text ? text : "", -1, SQLITE_TRANSIENT);
}

static void bind_findings(sqlite3_stmt *statement, int at, const struct taking *t)
{
    const struct efg_beside none = {0};
    struct efg_buffer findings = {0};
    efg_report_findings(&findings, &t->model, &none);
    sqlite3_bind_text(statement, at, (const char *)findings.data, findings.failed ? 0 : (int)findings.size,
                      SQLITE_TRANSIENT);
    efg_buffer_fini(&findings);
}

static void bind_times(sqlite3_stmt *statement, int at, const struct taking *t)
{
    const struct efg_model *model = &t->model;
    const struct efg_totals *totals = &model->run.common.totals;
    struct efg_efficiency e = efg_efficiency_run(&model->ranks, model->run.rank_count);
    const struct efg_loop *loop = main_loop(t);
    sqlite3_bind_double(statement, at, t->seconds);
    sqlite3_bind_double(statement, at + 1, t->iterations);
    if (loop)
        sqlite3_bind_double(statement, at + 2,
                            of_rank(model, (double)loop->time) / (double)loop->repetitions / 1e9);
    sqlite3_bind_double(statement, at + 3, efg_percent((double)totals->in_mpi, (double)totals->time) / 100);
    if (e.ranks < totals->ranks) /* some are not in the file: it is not known */
        return;
    sqlite3_bind_double(statement, at + 4, e.parallel);
    sqlite3_bind_double(statement, at + 5, e.balance);
    sqlite3_bind_double(statement, at + 6, e.communication);
}

static bool put_run(struct taking *t, const char *folder, int64_t stamp, const char *user)
{
    const struct efg_run *run = &t->model.run;
    char loop[400];
    sqlite3_stmt *s = efg_database_prepare(
        t->db,
        "INSERT INTO runs(folder, stamp, user, application, command, version, mpi, start, ended, ranks,"
        " hosts, loop, seconds, iterations, iteration, mpi_share, parallel, balance, communication,"
        " findings) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    if (!s)
        return false;
    name_loop(t, loop, sizeof loop);
    bind_text(s, 1, folder);
    sqlite3_bind_int64(s, 2, stamp);
    bind_text(s, 3, user);
    bind_text(s, 4, run->application);
    bind_text(s, 5, run->command);
    bind_text(s, 6, run->version);
    bind_text(s, 7, run->mpi);
    sqlite3_bind_double(s, 8, (double)run->common.totals.start / 1e9);
    sqlite3_bind_int(s, 9, !run->is_saved);
    sqlite3_bind_int64(s, 10, run->size);
    sqlite3_bind_int64(s, 11, (int64_t)run->common.totals.hosts);
    bind_text(s, 12, loop);
    bind_times(s, 13, t);
    bind_findings(s, 20, t);
    bool is_done = run_of(t, s);
    sqlite3_finalize(s);
    return is_done && put_sites(t, sqlite3_last_insert_rowid(t->db->file));
}

static int read_run(struct taking *t, const char *folder)
{
    struct efg_model *model = &t->model;
    const struct efg_totals *totals = &model->run.common.totals;
    if (efg_model_open(model, t->db->command, folder))
        return EFG_TOLD;
    unsigned dimensions = efg_merged_dimensions(&model->run) & EFG_DIM_PATH;
    if (efg_model_read(model, NULL, dimensions, EFG_MODEL_RANKS | EFG_MODEL_CONTEXTS))
        return EFG_TOLD;
    model->run.dimensions = dimensions; /* what names of nodes tell */
    if (main_loop(t))
        t->iterations = (double)main_loop(t)->repetitions;
    t->seconds = totals->ranks ? (double)totals->time / (double)totals->ranks / 1e9 : 0;
    if (find_sites(t))
        return efg_complain(t->db->command, "no memory for the call sites of a run");
    return 0;
}

/* Forget the run in FOLDER, if it is from another time than STAMP. */
static enum efg_take look_up(struct efg_database *db, const char *folder, int64_t stamp)
{
    sqlite3_stmt *s = efg_database_prepare(db, "SELECT stamp=?2 FROM runs WHERE folder=?1");
    enum efg_take found = s ? EFG_TAKEN : EFG_LOST;
    bind_text(s, 1, folder);
    sqlite3_bind_int64(s, 2, stamp);
    bool is_there = s && sqlite3_step(s) == SQLITE_ROW;
    if (is_there && sqlite3_column_int(s, 0))
        found = EFG_KNOWN;
    sqlite3_finalize(s);
    if (!is_there || found != EFG_TAKEN)
        return found;
    s = efg_database_prepare(db, "DELETE FROM runs WHERE folder=?1");
    bind_text(s, 1, folder);
    found = s && sqlite3_step(s) == SQLITE_DONE ? EFG_TAKEN : EFG_LOST;
    if (s && found == EFG_LOST)
        efg_database_complain(db);
    sqlite3_finalize(s);
    return found;
}

enum efg_take efg_take(struct efg_database *db, const char *folder, int64_t stamp, const char *user)
{
    struct taking t = {.db = db};
    enum efg_take taken = look_up(db, folder, stamp);
    if (taken != EFG_TAKEN)
        return taken;
    if (read_run(&t, folder))
        taken = EFG_LEFT_OUT;
    else if (!put_run(&t, folder, stamp, user))
        taken = EFG_LOST;
    free(t.sites);
    efg_model_fini(&t.model);
    return taken;
}
