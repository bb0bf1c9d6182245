/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The index of many runs: a file of SQLite, which other programs can read, too. Its tables are described in
 * efgtrace(1).
 */
#ifndef EFG_DATABASE_H
#define EFG_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct efg_database {
    const char *command; /* that complains */
    const char *path;
    sqlite3 *file;
};

/* Open PATH for COMMAND; to read it, or to write, which makes it if it is not there. Return 0; else say on
 * standard error what is wrong, and return EFG_TOLD. CLOSE in any case. */
int efg_database_open(struct efg_database *db, const char *command, const char *path, bool to_write);
void efg_database_close(struct efg_database *db);

/* Say what SQLite has to say, and return EFG_TOLD. */
int efg_database_complain(const struct efg_database *db);

/* Do what TEXT says, without a result. Returns 0, or EFG_TOLD after a complaint. */
int efg_database_do(struct efg_database *db, const char *text);

/* A statement to be stepped through; NULL after a complaint. */
sqlite3_stmt *efg_database_prepare(struct efg_database *db, const char *text);

#endif
