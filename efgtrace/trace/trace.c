/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace trace: of a job that was killed or still runs, OTF2 from its logs, and the run file
 * from what its ranks had saved. A log is good as far as it goes, whatever ended it; the trace
 * is written by libefgtrace/files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/none.h"
#include "cli/clean.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/options.h"
#include "files/disk/below.h"
#include "files/disk/fan.h"
#include "files/disk/local.h"
#include "files/otf2/otf2.h"
#include "files/run/pieces.h"
#include "files/summary/summary.h"
#include "pieces.h"

#define MOST_TOLD 5 /* hosts */

struct paths { /* of logs */
    char **path;
    int count, earlier; /* earlier: those of other places */
    const char *dir;    /* in whose logs/ are those that are added */
};

static const char *const help[] = {
    "Usage: efgtrace trace [OPTION...] DIR\n\n"
    "Writes DIR/traces.otf2 and DIR/traces/ from the logs in DIR/logs: the trace of a job\n"
    "that was killed or is still running, as far as it has come; and DIR/run.efg from what\n"
    "its ranks had saved, for report, graph and expand. A job that ends normally writes\n"
    "both itself.\n\n"
    "  -o, --output DIR2   write them to DIR2 instead; it is made if necessary\n"
    "  -h, --help          this text\n\n"
    "Exit code: 0 written, 1 failed, 2 wrong usage.\n",
    NULL,
};

static int complain(const char *what, const char *path, const char *why)
{
    fprintf(stderr, "efgtrace trace: %s %s: %s\n", what, path, why);
    return EFG_EXIT_FAILED;
}

/* --- finding the logs --- */

static void free_paths(struct paths *paths)
{
    for (int i = 0; i < paths->count; i++)
        free(paths->path[i]);
    free(paths->path);
}

static bool is_log(const char *name)
{
    size_t length = strlen(name);
    return name[0] != '.' && length > 4 && strcmp(name + length - 4, ".log") == 0;
}

/* Whether one of the first COUNT paths has this NAME: it was being moved from a node, and is whole in DIR. */
static bool has_name(const struct paths *paths, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(strrchr(paths->path[i], '/') + 1, name) == 0)
            return true;
    return false;
}

static int add_log(void *context, uint32_t folder, const char *name)
{
    struct paths *paths = context;
    char *path;
    if (!is_log(name) || has_name(paths, paths->earlier, name))
        return 0;
    if (efg_array_grow(&paths->path, (uint64_t)paths->count, 1, sizeof *paths->path))
        return -ENOMEM;
    int length = folder == EFG_NONE ? asprintf(&path, "%s/logs/%s", paths->dir, name)
                                    : asprintf(&path, "%s/logs/%u/%s", paths->dir, folder, name);
    if (length < 0)
        return -ENOMEM;
    paths->path[paths->count++] = path;
    return 0;
}

/* The logs of one place. Returns 0 or -errno. */
static int find_logs_in(const char *dir, struct paths *paths)
{
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof(folder), "%s/logs", dir) >= (int)sizeof(folder))
        return -ENAMETOOLONG;
    paths->dir = dir;
    paths->earlier = paths->count;
    return efg_fan_list(folder, 1, add_log, paths);
}

/* The logs of a job. Returns 0, or -errno of its folder if there are none. */
static int find_logs(const struct efg_local *local, struct paths *paths)
{
    int error = find_logs_in(local->dir, paths);
    for (uint32_t place = 1; place <= local->count && error != -ENOMEM; place++)
        if (efg_local_folder(local, place) && find_logs_in(efg_local_folder(local, place), paths) == -ENOMEM)
            error = -ENOMEM;
    return paths->count && error != -ENOMEM ? 0 : error;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_there(const char *dir, const char *name)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) &&
           efg_below_is_there(path, 1);
}

/* --- saying what happens --- */

static void show_progress(int done, int all)
{
    fprintf(stderr, "\r%d of %d logs%s", done, all, done == all ? "\n" : "");
}

/* The name of a file is whatever somebody has called it. */
static void show_warning(const char *path, const char *what)
{
    char *name = strdup(path);
    fprintf(stderr, "efgtrace trace: %s is left out: %s\n", name ? efg_clean(name) : "a log", what);
    free(name);
}

static void tell_clocks(const struct efg_run_skew *skew)
{
    char text[EFG_COLUMNS];
    efg_summary_skew(skew, text, sizeof(text));
    if (*text)
        fprintf(stderr, "efgtrace trace: clocks of hosts are %s\n", text);
}

/* What lies on other nodes has to be brought here by the user. */
static void tell_away(const struct efg_local *local)
{
    char dir[PATH_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < local->count; i++) {
        const struct efg_local_node *node = &local->nodes[i];
        if (!node->is_away || ++count > MOST_TOLD)
            continue;
        fprintf(stderr, "efgtrace trace: what host %s has of the job is not seen from here; there, type: ",
                efg_clean(node->host));
        efg_clean(node->folder);
        fprintf(stderr, "cp -rn %s/logs %s/pieces %s\n", node->folder, node->folder,
                realpath(local->dir, dir) ? dir : local->dir);
    }
    if (count > MOST_TOLD)
        fprintf(stderr, "efgtrace trace: and %u other hosts, which %s/" EFG_LOCAL " lists\n",
                count - MOST_TOLD, local->dir);
}

static int complain_no_logs(const char *dir, int error)
{
    if (!is_folder(dir))
        return complain("cannot read", dir, errno ? strerror(errno) : "it is not a folder");
    if (is_there(dir, "traces.otf2"))
        return complain("nothing to do in", dir,
                        "its logs are gone, because its trace is complete: traces.otf2");
    if (is_there(dir, "run.efg"))
        return complain(
            "nothing to do in", dir,
            "nothing was recorded that could be a trace; `efgtrace report` says what the job did");
    if (error == -ENOENT || error == 0)
        return complain("cannot read", dir, "it has no logs/*.log: is it the output folder of a run?");
    return complain("cannot read the logs of", dir, strerror(-error));
}

static int complain_exists(const char *dir)
{
    if (is_there(dir, "traces.otf2"))
        return complain("will not overwrite", dir,
                        "it already has a trace, traces.otf2; open that, or write another one "
                        "with -o DIR2");
    return complain("will not overwrite", dir,
                    "it has a part of a trace: the job is writing it right now, or was killed "
                    "while it did so. When the job is over, remove traces.part, traces and traces.def "
                    "there, or write with -o DIR2");
}

static int explain(int error, const char *dir, const char *output)
{
    switch (error) {
    case -EEXIST:
        return complain_exists(output);
    case -EBADMSG:
        return complain("cannot use", dir, "none of its logs can be read");
    case -EIO:
        return complain("cannot write", output,
                        "no permission, or no space on the disk? Nothing was left behind");
    default:
        return complain("cannot convert", dir, strerror(-error));
    }
}

/* --- the command --- */

static int convert(const char *dir, const char *output, const struct paths *paths)
{
    struct efg_run_skew skew;
    int rc = efg_otf2_convert(output, paths->path, paths->count, isatty(STDERR_FILENO) ? show_progress : NULL,
                              show_warning, &skew);
    if (rc)
        return explain(rc, dir, output);
    tell_clocks(&skew);
    printf("%s/traces.otf2\n", output);
    return EFG_EXIT_OK;
}

/* What there is of both; a job that traces nothing has no logs. */
static int write_both(const struct efg_local *local, const char *output, const struct paths *paths)
{
    int joined = efg_pieces_join("trace", local, output), code = EFG_EXIT_OK;
    if (joined > 0)
        printf("%s/run.efg\n", output);
    if (paths->count)
        code = convert(local->dir, output, paths);
    return joined < 0 ? EFG_EXIT_FAILED : code;
}

static int trace(const struct efg_local *local, const char *output)
{
    struct paths paths = {0};
    const char *dir = local->dir;
    errno = 0;
    int error = find_logs(local, &paths), code;
    tell_away(local);
    if ((error || paths.count == 0) && !efg_pieces_count(dir)) {
        code = complain_no_logs(dir, error);
    } else {
        error = efg_below_make_folder(output, 0);
        if (error && !is_folder(output))
            code = complain("cannot make", output, strerror(-error));
        else
            code = write_both(local, output, &paths);
        if (!error)
            efg_below_remove_folder(output, 0); /* if there is nothing in it */
    }
    free_paths(&paths);
    return code;
}

/* DIR2/traces.otf2 means DIR2: readers know the trace by that name, so there is no other. */
static void strip_name(char *output)
{
    static const char name[] = "/traces.otf2";
    size_t length = strlen(output), end = sizeof(name) - 1;
    if (length > end && strcmp(output + length - end, name) == 0)
        output[length - end] = '\0';
    for (length = strlen(output); length > 1 && output[length - 1] == '/'; length--)
        output[length - 1] = '\0';
}

int efg_cmd_trace(int argc, char **argv)
{
    const char *given = NULL;
    const struct efg_option options[] = {{"output", 'o', .text = &given}, {0}};
    int code = efg_options_take("trace", options, help, 1, argc, argv);
    if (code < 0)
        code = efg_options_place("trace", given);
    if (code >= 0)
        return code;
    if (!*argv[optind])
        return efg_options_complain_folders("trace", 0);
    strip_name(argv[optind]);
    if (given)
        strip_name((char *)given); /* of argv, too */
    struct efg_local local;
    if (efg_local_read(&local, argv[optind]))
        return complain("cannot read", argv[optind], "not enough memory");
    code = trace(&local, given ? given : argv[optind]);
    efg_local_fini(&local);
    return code;
}
