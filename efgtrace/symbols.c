/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace symbols: names for the functions of a run that had none, from debug files that came later.
 *
 * What a run knows stays, whatever is found now. A module that has changed since is not asked: its offsets
 * may be those of other functions. The run file is replaced at once, or not; the trace stays as it is, and a
 * copy of it has the names.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/options.h"
#include "files/disk/below.h"
#include "files/otf2/otf2.h"
#include "files/run/runfile.h"
#include "files/symbols/script.h"
#include "files/symbols/symbols.h"
#include "recorded/copy.h"
#include "symbols_lack.h"

struct work {
    struct efg_run run;
    char path[PATH_MAX];             /* of the run file */
    struct efg_symbols *found, *all; /* what is found now; with what was known before */
    bool *is_changed;                /* by module */
    uint32_t *nameless;              /* by module: places without a name that was looked for */
    uint32_t named, places;          /* that have names now and had none; all */
    struct name {
        char *from;
        const char *to;
    } * names; /* of regions of the trace */
    uint32_t name_count;
};

/* --- what is known --- */

static bool has_name(const struct efg_symbol *frames, int count)
{
    return strcmp(frames[count - 1].function, "?") != 0;
}

static int keep_site(struct work *w, const struct efg_run_site *site)
{
    struct efg_symbol *old = calloc(site->symbol_count + 1, sizeof *old);
    const struct efg_symbol *now;
    int error = old ? 0 : -ENOMEM;
    for (uint32_t i = 0; old && i < site->symbol_count; i++)
        old[i] = (struct efg_symbol){.function = site->symbols[i].function,
                                     .file = site->symbols[i].file,
                                     .line = site->symbols[i].line};
    int count = efg_symbols_find(w->found, site->module, site->offset, &now);
    bool is_better = has_name(now, count) && (now[0].file[0] || !site->symbols[0].file[0]);
    if (!error && !is_better)
        error = efg_symbols_know(w->all, site->module, site->offset, old, (int)site->symbol_count);
    free(old);
    return error;
}

/* Those that were written after the run began; a script has no file of its own. */
static void find_changed(struct work *w)
{
    const struct efg_run_names *names = &w->run.common.names;
    for (uint32_t i = 0; i < names->module_count; i++) {
        struct stat facts;
        w->is_changed[i] = !efg_script_is(names->modules[i]) && !stat(names->modules[i], &facts) &&
                           (uint64_t)facts.st_mtim.tv_sec > w->run.common.totals.start / 1000000000;
        if (w->is_changed[i])
            fprintf(stderr, "efgtrace symbols: %s has changed since the run: it is not asked for names\n",
                    names->modules[i]);
    }
}

static int keep_all(struct work *w)
{
    static const struct efg_symbol nobody = {.function = "?", .file = ""};
    const struct efg_run_names *names = &w->run.common.names;
    int error = 0;
    for (uint32_t i = 0; i < w->run.site_count && !error; i++)
        error = keep_site(w, &w->run.sites[i]);
    for (uint32_t i = 0; i < names->path_count && !error; i++)
        for (uint32_t k = 0; k < names->paths[i].depth && !error; k++) {
            const struct efg_frame *frame = &names->paths[i].frames[k];
            if (w->is_changed[frame->module])
                error = efg_symbols_know(w->all, names->modules[frame->module], frame->offset, &nobody, 1);
        }
    return error;
}

/* --- what is new --- */

static int add_name(struct work *w, const char *from, const char *to)
{
    struct name *names = realloc(w->names, (w->name_count + 1) * sizeof *names);
    char *copy = strdup(from);
    w->names = names ? names : w->names;
    if (!names || !copy) {
        free(copy);
        return -ENOMEM;
    }
    names[w->name_count++] = (struct name){copy, to};
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->from, ((const struct name *)b)->from);
}

/* Of one place, which has no name yet. */
static int look_at(struct work *w, const struct efg_frame *frame)
{
    const struct efg_symbol *frames;
    const char *module = w->run.common.names.modules[frame->module];
    uint64_t offset = efg_frame_place(frame->offset);
    char text[PATH_MAX];
    int count = efg_symbols_find(w->all, module, offset, &frames);
    if (!has_name(frames, count)) {
        w->nameless[frame->module] += !w->is_changed[frame->module];
        return 0;
    }
    w->named++;
    efg_otf2_nameless(w->all, module, offset, text, sizeof text);
    return add_name(w, text, frames[count - 1].function);
}

/* A place is counted once for each call path that it is in. */
static int find_new(struct work *w)
{
    const struct efg_run_names *names = &w->run.common.names;
    struct efg_map seen = {0};
    int error = 0;
    for (uint32_t i = 0; i < names->path_count && !error; i++)
        for (uint32_t k = 0; k < names->paths[i].depth && !error; k++) {
            const struct efg_frame *frame = &names->paths[i].frames[k];
            const char *module = names->modules[frame->module];
            uint64_t known = seen.count, *place = efg_map_put(&seen, efg_frame_place(frame->offset) ^
                                                                         (uint64_t)frame->module << 48);
            if (!place)
                error = -ENOMEM;
            if (error || seen.count == known)
                continue;
            w->places++;
            if (!efg_run_site(&w->run, module, frame->offset))
                error = look_at(w, frame);
        }
    efg_map_fini(&seen);
    if (w->name_count)
        qsort(w->names, w->name_count, sizeof *w->names, compare_names);
    return error;
}

/* --- the run file --- */

/* Ranks and sequences, as they are. */
static int copy_sections(const struct efg_run *run, const struct efg_run_entry *entries, uint32_t count,
                         struct efg_buffer *out)
{
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *bytes = malloc(entries[i].size + 1);
        if (!bytes)
            return -ENOMEM;
        ssize_t got = pread(run->file - 1, bytes, entries[i].size, (off_t)entries[i].offset);
        if (got == (ssize_t)entries[i].size)
            efg_buffer_put(out, bytes, entries[i].size);
        free(bytes);
        if (got != (ssize_t)entries[i].size)
            return got < 0 ? -errno : -EBADMSG;
    }
    return out->failed ? -ENOMEM : 0;
}

static int write_run(struct work *w)
{
    struct efg_buffer sections = {0}, all = {0};
    struct efg_run *run = &w->run;
    int error = copy_sections(run, run->ranks, run->rank_count, &sections);
    if (!error)
        error = copy_sections(run, run->sequences, run->sequence_count, &sections);
    if (!error)
        error = efg_run_resolve(run, w->all);
    if (!error) {
        efg_runfile_put_all(&all, run, &sections);
        error = all.failed ? -ENOMEM : efg_runfile_replace(w->path, 0, &all);
    }
    efg_buffer_fini(&sections);
    efg_buffer_fini(&all);
    return error;
}

/* --- the trace --- */

static const char *rename_region(const void *data, const char *text)
{
    const struct work *w = data;
    struct name key = {(char *)text, NULL}, *found = NULL;
    if (w->name_count)
        found = bsearch(&key, w->names, w->name_count, sizeof key, compare_names);
    return found ? found->to : text;
}

/* To OUTPUT, or beside the trace. */
static int write_trace(struct work *w, const char *output)
{
    struct efg_recorded_metrics names = {.rename = rename_region, .data = w};
    char folder[PATH_MAX + 16], from[PATH_MAX], message[1024] = "";
    snprintf(from, sizeof from, "%s", w->path);
    *strrchr(from, '/') = '\0';
    snprintf(folder, sizeof folder, "%s/named", from);
    output = output ? output : folder;
    free(w->run.output);
    w->run.output = strdup(from);
    int error = w->run.output ? efg_below_make_folder(output, 0) : -ENOMEM;
    bool was_made = !error;
    if (!error || error == -EEXIST)
        error = efg_recorded_copy(&w->run, output, &names, message, sizeof message);
    if (!error) {
        printf("%s/traces.otf2 is a copy of the trace with these names\n", output);
        return 0;
    }
    if (was_made)
        efg_below_remove_folder(output, 0);
    if (*message)
        return efg_complain("symbols", message);
    fprintf(stderr, "efgtrace symbols: %s: %s\n", output,
            error == -EEXIST
                ? "there is a trace already, and it is left as it is: name another folder by --output"
                : strerror(-error));
    return EFG_TOLD;
}

/* --- the command --- */

static int open_run(struct work *w, const char *dir)
{
    char message[PATH_MAX + 256];
    struct stat facts;
    bool is_folder = !stat(dir, &facts) && S_ISDIR(facts.st_mode);
    snprintf(w->path, sizeof w->path, is_folder ? "%s/run.efg" : strchr(dir, '/') ? "%s" : "./%s", dir);
    if (!efg_runfile_open(&w->run, w->path, 0, message, sizeof message))
        return 0;
    return efg_complain("symbols", message);
}

static int prepare(struct work *w, const char *debug)
{
    w->found = efg_symbols_new();
    w->all = efg_symbols_new();
    w->is_changed = calloc(w->run.common.names.module_count + 1, sizeof *w->is_changed);
    w->nameless = calloc(w->run.common.names.module_count + 1, sizeof *w->nameless);
    if (!w->found || !w->all || !w->is_changed || !w->nameless)
        return -ENOMEM;
    efg_symbols_look_further(w->found, debug);
    efg_symbols_look_further(w->all, debug);
    find_changed(w);
    int error = keep_all(w);
    return error ? error : find_new(w);
}

static int add_symbols(struct work *w, const char *debug, const char *output, const char *dir)
{
    bool has_trace = w->run.trace_events > 0;
    int error = prepare(w, debug);
    if (!error && w->named)
        error = write_run(w);
    if (error) {
        fprintf(stderr, "efgtrace symbols: %s: %s; it is as it was\n", w->path, strerror(-error));
        return EFG_TOLD;
    }
    printf("%s: %u of %u places have names that had none%s\n", w->path, w->named, w->places,
           w->named ? "" : "; it stays as it is");
    efg_symbols_tell_lacks(w->all, &w->run, w->nameless, debug, dir);
    return w->named && has_trace ? write_trace(w, output) : 0;
}

static const char *const help[] = {
    "Usage: efgtrace symbols [OPTION...] DIR\n\n"
    "Adds names to the functions of the run that wrote DIR, where programs or libraries are\n"
    "stripped: from debug files that were installed since. They are looked for as gdb does:\n"
    "by build id below /usr/lib/debug, beside the file; and at the servers of DEBUGINFOD_URLS,\n"
    "if libdebuginfod is installed. What has a name keeps it. DIR/run.efg is replaced; the\n"
    "trace stays as it is, and a copy of it has the names.\n\n"
    "  -d, --debug FOLDER   look for debug files in FOLDER first: FOLDER/.build-id/ab/cdef.debug,\n"
    "                       the name that the file gives, or that of the file with .debug\n"
    "  -o, --output DIR2    the folder of the copy of the trace; default: DIR/named\n"
    "  -h, --help           this text\n\n"
    "Where none is found for a stripped file, it is said what was looked for, and how to get it.\n"
    "Exit code: 0 done, 1 failed, 2 wrong usage.\n",
    NULL,
};

int efg_cmd_symbols(int argc, char **argv)
{
    const char *debug = NULL, *output = NULL;
    const struct efg_option options[] = {
        {"debug", 'd', .text = &debug}, {"output", 'o', .text = &output}, {0}};
    int code = efg_options_take("symbols", options, help, 1, argc, argv);
    if (code < 0)
        code = efg_options_place("symbols", output);
    if (code >= 0)
        return code;
    struct stat facts;
    if (debug && (stat(debug, &facts) || !S_ISDIR(facts.st_mode)))
        return efg_options_complain("symbols", "--debug wants a folder, not", debug);
    struct work w = {0};
    if (open_run(&w, argv[optind]))
        return EFG_EXIT_FAILED;
    int failed = add_symbols(&w, debug, output, argv[optind]);
    for (uint32_t i = 0; i < w.name_count; i++)
        free(w.names[i].from);
    free(w.names);
    free(w.is_changed);
    free(w.nameless);
    efg_symbols_free(w.found);
    efg_symbols_free(w.all);
    efg_run_fini(&w.run);
    return failed ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}
