/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens the run file of an output folder, or says why there is none. A folder without a run file is either
 * not one of ours, or that of a job that was killed or is still running: what is in it tells.
 *
 * Names in a run file come from a program, or from anyone who had the file: what would be more
 * than text to a terminal, a browser or another reader is removed from them here, once.
 */
#include "open.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clean.h"
#include "complain.h"
#include "files/disk/below.h"
#include "files/disk/local.h"
#include "files/run/pieces.h"
#include "files/summary/summary.h"

/* Whether some of a job's files are on nodes that are not seen from here. */
static bool is_away(const char *dir)
{
    struct efg_local local;
    bool is_away = false;
    if (efg_local_read(&local, dir) != 0)
        return false;
    for (uint32_t i = 0; i < local.count; i++)
        is_away |= local.nodes[i].is_away;
    efg_local_fini(&local);
    return is_away;
}

static int explain_missing(const char *command, const char *dir)
{
    char logs[PATH_MAX + 8];
    snprintf(logs, sizeof logs, "%s/logs", dir);
    fprintf(stderr, "efgtrace %s: %s is no folder of a finished run: there is no run.efg in it", command,
            dir);
    if (efg_pieces_count(dir))
        fprintf(stderr,
                "; the job was killed or is still running: `efgtrace trace %s` writes what it "
                "has traced and saved\n",
                dir);
    else if (is_away(dir))
        fprintf(stderr,
                "; the job was killed or is still running: `efgtrace trace %s` says where what it has "
                "saved is\n",
                dir);
    else if (efg_below_is_there(logs, 1))
        fprintf(stderr,
                "; the job was killed or is still running, and has saved nothing yet "
                "(EFGTRACE_SAVE): `efgtrace trace %s` writes what it has traced\n",
                dir);
    else
        fprintf(stderr, "; name the folder that the run wrote, efgtrace.<application>.<id>\n");
    return EFG_TOLD;
}

/* --- names --- */

static void clean(char *text)
{
    if (text)
        efg_clean(text);
}

static void clean_names(struct efg_run_names *names)
{
    for (uint32_t i = 0; i < names->call_count; i++)
        clean(names->calls[i].name);
    for (uint32_t i = 0; i < names->module_count; i++)
        clean(names->modules[i]);
    for (uint32_t i = 0; i < names->region_count; i++)
        clean(names->regions[i].name);
}

/* They are found by the names of modules, so they are sorted anew. */
static void clean_sites(struct efg_run *run)
{
    for (uint32_t i = 0; i < run->site_count; i++) {
        struct efg_run_site *site = &run->sites[i];
        clean(site->module);
        for (uint32_t k = 0; k < site->symbol_count; k++) {
            clean(site->symbols[k].function);
            clean(site->symbols[k].file);
        }
    }
    efg_run_sort_sites(run);
}

static void clean_totals(struct efg_totals *totals)
{
    clean(totals->crowd_host);
    for (uint32_t i = 0; i < totals->note_count; i++)
        clean(totals->notes[i].text);
}

static void clean_rank(struct efg_run_rank *rank)
{
    clean(rank->host);
    clean(rank->place.cores);
    clean(rank->note);
}

static void clean_run(struct efg_run *run)
{
    clean(run->application);
    clean(run->command);
    clean(run->version);
    clean(run->mpi);
    clean(run->trace_note);
    clean(run->when);
    clean(run->loop);
    clean_names(&run->common.names);
    clean_totals(&run->common.totals);
    clean_rank(&run->speaker);
    clean_sites(run);
}

/* --- runs --- */

/* The folder of the file PATH. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? strdup(".") : strndup(path, slash > path ? (size_t)(slash - path) : 1);
}

/* With everything as it is in the file. PATH, of PATH_MAX bytes: the run file. */
static int open_exact(struct efg_run *run, const char *command, const char *dir, char *path)
{
    char message[PATH_MAX + 256];
    struct stat facts;
    if (stat(dir, &facts)) {
        fprintf(stderr, "efgtrace %s: %s: %s; name the folder that a run wrote\n", command, dir,
                strerror(errno));
        return EFG_TOLD;
    }
    int folder = S_ISDIR(facts.st_mode);
    size_t length = strlen(dir);
    while (length > 1 && dir[length - 1] == '/')
        length--;
    if (snprintf(path, PATH_MAX, "%.*s%s", (int)length, dir, folder ? "/run.efg" : "") >= PATH_MAX)
        return efg_complain(command, "the name of the run file is too long");
    int error = efg_runfile_open(run, path, folder ? 1 : 0, message, sizeof message);
    if (error == -ENOENT && folder)
        return explain_missing(command, dir);
    return error ? efg_complain(command, message) : 0;
}

int efg_open_run(struct efg_run *run, const char *command, const char *dir)
{
    char path[PATH_MAX];
    if (open_exact(run, command, dir, path))
        return EFG_TOLD;
    free(run->output);
    run->output = folder_of(path);
    if (!run->output) {
        efg_run_fini(run);
        return efg_complain(command, "no memory for the name of its folder");
    }
    clean_run(run);
    if (efg_summary_tell_apart(run)) {
        efg_run_fini(run);
        return efg_complain(command, "no memory for labels");
    }
    return 0;
}

int efg_open_rank(const struct efg_run *run, const char *command, uint32_t index, struct efg_run_rank *rank)
{
    char message[PATH_MAX + 256];
    if (!efg_runfile_rank(run, index, rank, message, sizeof message)) {
        clean_rank(rank);
        return 0;
    }
    fprintf(stderr, "efgtrace %s: %s\n", command, message);
    return EFG_TOLD;
}

uint32_t efg_open_find(const struct efg_run *run, const char *command, const char *rank)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(rank, &end, 10);
    bool valid = *rank >= '0' && *rank <= '9' && !*end && !errno && number <= UINT32_MAX;
    uint32_t index = valid ? efg_run_index(run, (uint32_t)number) : EFG_NONE;
    if (index != EFG_NONE)
        return index;
    if (run->rank_count)
        fprintf(stderr, "efgtrace %s: there is no rank \"%s\": ranks are %u to %u\n", command, rank,
                run->ranks[0].rank, run->ranks[run->rank_count - 1].rank);
    else
        fprintf(stderr, "efgtrace %s: there is no rank \"%s\": the run file has none\n", command, rank);
    return EFG_NONE;
}

static int complain_list(const char *command)
{
    fprintf(stderr, "efgtrace %s: --rank wants a list such as 0,4-7 or 0-62:2\n", command);
    return EFG_TOLD;
}

int efg_open_choose(const struct efg_run *run, const char *command, const char *text, char *is_wanted)
{
    if (!*text)
        return complain_list(command);
    for (char *end; *text; text = end + (*end == ',')) {
        unsigned long first = strtoul(text, &end, 10), last = first, stride = 1;
        if (end == text || *text == '-' || *text == '+')
            return complain_list(command);
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (*end == ':')
            stride = strtoul(end + 1, &end, 10);
        if ((*end && *end != ',') || last < first || !stride || last > UINT32_MAX)
            return complain_list(command);
        for (unsigned long rank = first; rank <= last; rank += stride) {
            char name[32];
            snprintf(name, sizeof name, "%lu", rank);
            uint32_t index = efg_open_find(run, command, name);
            if (index == EFG_NONE)
                return EFG_TOLD;
            is_wanted[index] = 1;
        }
    }
    return 0;
}
