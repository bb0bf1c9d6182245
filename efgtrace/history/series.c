/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads series from the index, and looks for changes: in the whole, and in each call site that takes a part
 * of it that is worth something. Those that came at nearly the same run are one event.
 */
#include "series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "cli/complain.h"

#define CHANGES 16  /* of one site, at most */
#define WORTH 0.02  /* of the whole: sites below it are not looked at, the whole has to change by it */
#define LEAST 0.002 /* of the whole: what a site has to change by */
#define TOGETHER 2  /* runs that two changes are apart and still one event */

/* --- reading --- */

#define CONDITION                                                                              \
    " FROM runs WHERE (?1 IS NULL OR instr(application, ?1) OR instr(command, ?1))"            \
    " AND (?2 IS NULL OR user=?2) AND (?3 IS NULL OR start>=CAST(strftime('%s', ?3) AS REAL))" \
    " AND (?4 IS NULL OR start<CAST(strftime('%s', ?4) AS REAL)) AND (?5=0 OR ranks=?5) "

static sqlite3_stmt *ask(struct efg_database *db, const struct efg_query *query, const char *text)
{
    const char *const texts[] = {query->application, query->user, query->since, query->until};
    sqlite3_stmt *s = efg_database_prepare(db, text);
    for (int i = 0; s && i < 4; i++)
        if (texts[i])
            sqlite3_bind_text(s, i + 1, texts[i], -1, SQLITE_STATIC);
    if (s)
        sqlite3_bind_int64(s, 5, (int64_t)query->ranks);
    return s;
}

static char *text_of(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return strdup(text ? text : "");
}

static bool is_same(const struct efg_past_series *series, sqlite3_stmt *s)
{
    const char *application = (const char *)sqlite3_column_text(s, 0),
               *command = (const char *)sqlite3_column_text(s, 1);
    return application && command && strcmp(series->application, application) == 0 &&
           strcmp(series->command, command) == 0 && series->ranks == (uint32_t)sqlite3_column_int64(s, 2);
}

static bool begin_series(struct efg_past *h, sqlite3_stmt *s)
{
    if (efg_array_grow(&h->series, h->count, 1, sizeof *h->series))
        return false;
    struct efg_past_series *series = &h->series[h->count++];
    *series = (struct efg_past_series){.application = text_of(s, 0), .command = text_of(s, 1)};
    series->ranks = (uint32_t)sqlite3_column_int64(s, 2);
    return series->application && series->command;
}

static bool add_run(struct efg_past_series *series, sqlite3_stmt *s)
{
    if (efg_array_grow(&series->runs, series->count, 1, sizeof *series->runs))
        return false;
    struct efg_series_run *run = &series->runs[series->count++];
    *run = (struct efg_series_run){.id = sqlite3_column_int64(s, 3),
                                   .folder = text_of(s, 4),
                                   .user = text_of(s, 5),
                                   .start = sqlite3_column_double(s, 6),
                                   .ended = sqlite3_column_int(s, 7),
                                   .seconds = sqlite3_column_double(s, 8),
                                   .iterations = sqlite3_column_double(s, 9),
                                   .has_iterations = sqlite3_column_type(s, 10) != SQLITE_NULL,
                                   .mpi_share = sqlite3_column_double(s, 11),
                                   .parallel = sqlite3_column_double(s, 12),
                                   .balance = sqlite3_column_double(s, 13),
                                   .communication = sqlite3_column_double(s, 14)};
    run->value = run->has_iterations ? sqlite3_column_double(s, 10) : run->seconds;
    free(series->loop);
    series->loop = text_of(s, 15); /* of the last run */
    return run->folder && run->user && series->loop;
}

static int read_runs(struct efg_past *h, struct efg_database *db, const struct efg_query *query)
{
    sqlite3_stmt *s =
        ask(db, query,
            "SELECT application, command, ranks, id, folder, user, start, ended, seconds,"
            " iterations, iteration, mpi_share, parallel, balance, communication, loop" CONDITION
            "ORDER BY application, command, ranks, start, id");
    int row = SQLITE_ROW;
    bool has_memory = true;
    while (s && has_memory && (row = sqlite3_step(s)) == SQLITE_ROW) {
        if (!h->count || !is_same(&h->series[h->count - 1], s))
            has_memory = begin_series(h, s);
        has_memory = has_memory && add_run(&h->series[h->count - 1], s);
    }
    int error = !s ? EFG_TOLD : row != SQLITE_DONE && has_memory ? efg_database_complain(db) : 0;
    sqlite3_finalize(s);
    return has_memory ? error : efg_complain(db->command, "no memory for the runs");
}

/* The site with the id ID, which may be new; NULL without memory. */
static struct efg_series_site *site_of(struct efg_past_series *series, struct efg_map *index, int64_t id)
{
    uint64_t at = efg_map_number(index, (uint64_t)id);
    if (at == UINT64_MAX)
        return NULL;
    if (at == series->site_count) {
        double *time = calloc(series->count, sizeof *time);
        if (!time || efg_array_grow(&series->sites, series->site_count, 1, sizeof *series->sites)) {
            free(time);
            return NULL;
        }
        series->sites[series->site_count++] = (struct efg_series_site){.time = time};
    }
    return &series->sites[at];
}

/* TIMES: of the sites of one run. */
static int read_sites(struct efg_past_series *series, struct efg_database *db, sqlite3_stmt *times)
{
    struct efg_map index = {0};
    bool has_memory = true;
    int row = SQLITE_DONE;
    for (uint32_t i = 0; i < series->count && has_memory && row == SQLITE_DONE; i++) {
        sqlite3_reset(times);
        sqlite3_bind_int64(times, 1, series->runs[i].id);
        while (has_memory && (row = sqlite3_step(times)) == SQLITE_ROW) {
            struct efg_series_site *site = site_of(series, &index, sqlite3_column_int64(times, 0));
            if (site && !site->name)
                site->name = text_of(times, 2);
            if (site)
                site->time[i] = sqlite3_column_double(times, 1);
            has_memory = site && site->name;
        }
    }
    efg_map_fini(&index);
    if (!has_memory)
        return efg_complain(db->command, "no memory for the call sites");
    return row == SQLITE_DONE ? 0 : efg_database_complain(db);
}

/* --- changes --- */

static double level_of_runs(const struct efg_past_series *series, double *values)
{
    for (uint32_t i = 0; i < series->count; i++)
        values[i] = series->runs[i].value;
    return efg_change_level(values, series->count);
}

/* The event of a change at AT. NULL without memory. */
static struct efg_turn *event_at(struct efg_past_series *series, uint32_t at, double score)
{
    for (uint32_t i = 0; i < series->event_count; i++) {
        struct efg_turn *event = &series->events[i];
        uint32_t apart = event->at > at ? event->at - at : at - event->at;
        if (apart > TOGETHER)
            continue;
        if (score > event->score) {
            event->at = at;
            event->score = score;
        }
        return event;
    }
    if (efg_array_grow(&series->events, series->event_count, 1, sizeof *series->events))
        return NULL;
    series->events[series->event_count] = (struct efg_turn){.at = at, .score = score};
    return &series->events[series->event_count++];
}

static bool add_changes(struct efg_past_series *series, const double *values, double floor)
{
    struct efg_change changes[CHANGES];
    uint32_t count = efg_changes(values, series->count, floor, changes, CHANGES);
    for (uint32_t i = 0; i < count; i++)
        if (!event_at(series, changes[i].at, changes[i].score))
            return false;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct efg_turn *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static bool is_before(const struct efg_turn_site *a, const struct efg_turn_site *b)
{
    if (a->has_changed != b->has_changed)
        return a->has_changed;
    return fabs(a->after - a->before) > fabs(b->after - b->before);
}

/* Keep the SITE of EVENT, if it is one of the first. */
static void keep_site(struct efg_turn *event, struct efg_turn_site site)
{
    uint32_t at = event->site_count;
    while (at && is_before(&site, &event->sites[at - 1]))
        at--;
    if (at == EFG_TURN_SITES)
        return;
    if (event->site_count < EFG_TURN_SITES)
        event->site_count++;
    memmove(event->sites + at + 1, event->sites + at, (event->site_count - 1 - at) * sizeof *event->sites);
    event->sites[at] = site;
}

/* From the event before to the one behind. WHOLE: the values of the runs. */
static void explain(struct efg_past_series *series, uint32_t which, const double *whole, double level)
{
    struct efg_turn *event = &series->events[which];
    uint32_t from = which ? series->events[which - 1].at : 0,
             to = which + 1 < series->event_count ? series->events[which + 1].at : series->count;
    event->before = efg_change_level(whole + from, event->at - from);
    event->after = efg_change_level(whole + event->at, to - event->at);
    for (uint32_t i = 0; i < series->site_count; i++) {
        const double *time = series->sites[i].time;
        struct efg_turn_site site = {
            i, efg_change_is_at(time + from, event->at - from, to - from, LEAST * level),
            efg_change_level(time + from, event->at - from),
            efg_change_level(time + event->at, to - event->at)};
        if (fabs(site.after - site.before) >= LEAST * level)
            keep_site(event, site);
    }
}

static int find_events(struct efg_past_series *series, const char *command)
{
    double *whole = calloc(series->count, sizeof *whole);
    double level = whole ? level_of_runs(series, whole) : 0;
    bool has_memory = whole && add_changes(series, whole, WORTH * level);
    for (uint32_t i = 0; has_memory && i < series->site_count; i++) {
        const double *time = series->sites[i].time;
        if (efg_change_level(time, series->count) >= WORTH * level)
            has_memory = add_changes(series, time, LEAST * level);
    }
    if (has_memory && series->event_count)
        qsort(series->events, series->event_count, sizeof *series->events, by_place);
    for (uint32_t i = 0; has_memory && i < series->event_count; i++)
        explain(series, i, whole, level);
    series->level = series->event_count ? series->events[series->event_count - 1].after : level;
    free(whole);
    return has_memory ? 0 : efg_complain(command, "no memory for the changes");
}

/* --- all --- */

static int by_last(const void *a, const void *b)
{
    const struct efg_past_series *x = a, *y = b;
    double last = x->runs[x->count - 1].start, other = y->runs[y->count - 1].start;
    if (last != other)
        return last < other ? 1 : -1;
    return strcmp(x->command, y->command);
}

int efg_past_read(struct efg_past *h, struct efg_database *db, const struct efg_query *query)
{
    int error = read_runs(h, db, query);
    sqlite3_stmt *times = error ? NULL
                                : efg_database_prepare(db, "SELECT site, time, name FROM times"
                                                           " JOIN sites ON site=id WHERE run=?");
    if (!error && !times)
        error = EFG_TOLD;
    for (uint32_t i = 0; i < h->count && !error; i++)
        error =
            read_sites(&h->series[i], db, times) || find_events(&h->series[i], db->command) ? EFG_TOLD : 0;
    sqlite3_finalize(times);
    if (!error && h->count)
        qsort(h->series, h->count, sizeof *h->series, by_last);
    return error;
}

static void fini_series(struct efg_past_series *series)
{
    for (uint32_t i = 0; i < series->count; i++) {
        free(series->runs[i].folder);
        free(series->runs[i].user);
    }
    for (uint32_t i = 0; i < series->site_count; i++) {
        free(series->sites[i].name);
        free(series->sites[i].time);
    }
    free(series->application);
    free(series->command);
    free(series->loop);
    free(series->runs);
    free(series->sites);
    free(series->events);
}

void efg_past_fini(struct efg_past *h)
{
    for (uint32_t i = 0; i < h->count; i++)
        fini_series(&h->series[i]);
    free(h->series);
}
