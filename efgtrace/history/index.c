/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace index: the runs below a folder, into one file that `efgtrace history` reads.
 *
 * What is known already is not read again, so this may be done each night. Runs that are no longer there
 * stay in the index: it is what is left of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fts.h>
#include <getopt.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/options.h"
#include "take.h"

#define TOGETHER 500 /* runs that are written at once */

struct indexing {
    struct efg_database db;
    uint64_t count[EFG_LOST + 1];
    uint64_t pending;
    uid_t uid; /* whose name is in USER; "" for nobody's */
    char user[64];
    bool failed;
};

static const char *user_of(struct indexing *x, uid_t uid)
{
    const struct passwd *entry;
    if (*x->user && x->uid == uid)
        return x->user;
    entry = getpwuid(uid);
    x->uid = uid;
    if (entry)
        snprintf(x->user, sizeof x->user, "%s", entry->pw_name);
    else
        snprintf(x->user, sizeof x->user, "%lu", (unsigned long)uid);
    return x->user;
}

static void take(struct indexing *x, const FTSENT *file)
{
    const struct stat *facts = file->fts_statp;
    int64_t stamp = (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(file->fts_pathlen - file->fts_namelen - 1), file->fts_path);
    enum efg_take taken = efg_take(&x->db, folder, stamp, user_of(x, facts->st_uid));
    x->count[taken]++;
    x->failed |= taken == EFG_LOST;
    x->pending += taken == EFG_TAKEN;
    if (x->pending == TOGETHER) {
        x->failed |= efg_database_do(&x->db, "COMMIT; BEGIN") != 0;
        x->pending = 0;
    }
}

/* Links are not followed: in a spool of many people they could lead anywhere. */
static void walk(struct indexing *x, const char *spool)
{
    char *const paths[] = {(char *)(uintptr_t)spool, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; walk && !x->failed && (entry = fts_read(walk));) {
        if (entry->fts_info == FTS_F && strcmp(entry->fts_name, "run.efg") == 0)
            take(x, entry);
        else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
            fprintf(stderr, "efgtrace index: %s: cannot be read: %s\n", entry->fts_path,
                    strerror(entry->fts_errno));
    }
    if (walk)
        fts_close(walk);
    else
        x->failed = efg_complain("index", "no memory to look through the folder") != 0;
}

static int index_runs(const char *spool, const char *path)
{
    struct indexing x = {0};
    x.failed = efg_database_open(&x.db, "index", path, true) || efg_database_do(&x.db, "BEGIN");
    if (!x.failed)
        walk(&x, spool);
    if (!x.failed)
        x.failed = efg_database_do(&x.db, "COMMIT") != 0;
    efg_database_close(&x.db);
    if (!x.failed)
        printf("%s: %llu run%s added, %llu known, %llu left out\n", path,
               (unsigned long long)x.count[EFG_TAKEN], efg_plural(x.count[EFG_TAKEN]),
               (unsigned long long)x.count[EFG_KNOWN], (unsigned long long)x.count[EFG_LEFT_OUT]);
    return x.failed ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

static const char *const help[] = {
    "Usage: efgtrace index [OPTION...] DIR\n\n"
    "Reads all runs in the folder DIR and below it, and writes what is worth keeping of them\n"
    "to a file of SQLite: who, what, when, ranks, the iteration of the main loop, efficiencies,\n"
    "findings, and the call sites that take most of the time. Runs that it has already are\n"
    "passed over; those that are no longer there stay. `efgtrace history` reads it.\n\n"
    "  -o, --output FILE   the index (DIR/efgtrace.db); one that exists grows\n"
    "  -h, --help          this text\n\n"
    "Exit code: 0 done, also where runs were left out, which is said; 1 failed, 2 wrong usage.\n",
    NULL,
};

int efg_cmd_index(int argc, char **argv)
{
    const char *output = NULL;
    char spool[PATH_MAX], path[PATH_MAX + 16];
    const struct efg_option options[] = {{"output", 'o', .text = &output}, {0}};
    int code = efg_options_take("index", options, help, 1, argc, argv);
    if (code < 0)
        code = efg_options_place("index", output);
    if (code >= 0)
        return code;
    if (!realpath(argv[optind], spool)) {
        fprintf(stderr, "efgtrace index: %s: %s\n", argv[optind], strerror(errno));
        return EFG_EXIT_FAILED;
    }
    snprintf(path, sizeof path, "%s/efgtrace.db", spool);
    return index_runs(spool, output ? output : path);
}
