/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens the file, and knows its tables.
 *
 * A run is known by its folder, and read again if its file has changed. Times of call sites are those of the
 * mean rank in an iteration of the main loop, or in the whole run where there is none.
 */
#include "database.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/complain.h"

#define APPLICATION 0x65666774 /* "efgt": what file(1) and we know it by */
#define VERSION 1
#define WAIT 30000 /* ms for another one that writes */

static const char tables[] =
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, folder TEXT UNIQUE NOT NULL, stamp INTEGER NOT NULL,"
    " user TEXT, application TEXT, command TEXT, version TEXT, mpi TEXT, start REAL, ended INTEGER,"
    " ranks INTEGER, hosts INTEGER, seconds REAL, loop TEXT, iterations REAL, iteration REAL,"
    " mpi_share REAL, parallel REAL, balance REAL, communication REAL, findings TEXT);"
    "CREATE INDEX runs_by_series ON runs(application, command, ranks, start);"
    "CREATE TABLE sites(id INTEGER PRIMARY KEY, key INTEGER UNIQUE NOT NULL, name TEXT);"
    "CREATE TABLE times(run INTEGER REFERENCES runs ON DELETE CASCADE, site INTEGER REFERENCES sites,"
    " time REAL, calls REAL, PRIMARY KEY(run, site)) WITHOUT ROWID;";

int efg_database_complain(const struct efg_database *db)
{
    fprintf(stderr, "efgtrace %s: %s: %s\n", db->command, db->path,
            db->file ? sqlite3_errmsg(db->file) : "no memory");
    return EFG_TOLD;
}

int efg_database_do(struct efg_database *db, const char *text)
{
    return sqlite3_exec(db->file, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : efg_database_complain(db);
}

sqlite3_stmt *efg_database_prepare(struct efg_database *db, const char *text)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db->file, text, -1, &statement, NULL) != SQLITE_OK)
        efg_database_complain(db);
    return statement;
}

/* A number that the file has, -1 after a complaint. */
static int ask(struct efg_database *db, const char *what)
{
    sqlite3_stmt *statement = efg_database_prepare(db, what);
    int number = -1;
    if (statement && sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int(statement, 0);
    else if (statement)
        efg_database_complain(db);
    sqlite3_finalize(statement);
    return number;
}

static int make_tables(struct efg_database *db)
{
    char text[sizeof tables + 128];
    snprintf(text, sizeof text, "BEGIN; PRAGMA application_id=%d; PRAGMA user_version=%d; %s COMMIT;",
             APPLICATION, VERSION, tables);
    return efg_database_do(db, text);
}

static int check(struct efg_database *db, bool to_write)
{
    int application = ask(db, "PRAGMA application_id"), version = ask(db, "PRAGMA user_version"),
        count = ask(db, "SELECT count(*) FROM sqlite_master");
    if (application < 0 || version < 0 || count < 0)
        return EFG_TOLD;
    if (!count && to_write)
        return make_tables(db);
    if (application == APPLICATION && version == VERSION)
        return 0;
    fprintf(stderr, "efgtrace %s: %s: this is %s; `efgtrace index` makes a new one\n", db->command, db->path,
            application == APPLICATION ? "an index of another version of efgtrace"
                                       : "a database, but no index of runs");
    return EFG_TOLD;
}

int efg_database_open(struct efg_database *db, const char *command, const char *path, bool to_write)
{
    int flags = to_write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    *db = (struct efg_database){command, path, NULL};
    if (!to_write && access(path, F_OK)) {
        fprintf(stderr, "efgtrace %s: there is no index %s; `efgtrace index FOLDER` makes it\n", command,
                path);
        return EFG_TOLD;
    }
    if (sqlite3_open_v2(path, &db->file, flags, NULL) != SQLITE_OK)
        return efg_database_complain(db);
    sqlite3_busy_timeout(db->file, WAIT);
    if (check(db, to_write))
        return EFG_TOLD;
    return to_write ? efg_database_do(db, "PRAGMA foreign_keys=ON") : 0;
}

void efg_database_close(struct efg_database *db)
{
    sqlite3_close(db->file);
    db->file = NULL;
}
