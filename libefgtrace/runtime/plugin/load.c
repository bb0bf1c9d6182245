/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads plug-ins as the configuration names them: a file, if there is a slash in its name, or one of ours. A
 * job goes on without one that cannot be loaded.
 */
#define _GNU_SOURCE /* dladdr */
#include "plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "guard.h"
#include "late.h"
#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "said.h"
#include "progress.h"

#define OURS "efgtrace-plugins" /* the folder of ours, beside this library */
#define PATIENCE 10             /* s */
#define NEVER 1000000           /* s: more is not waited for */

struct efg_plugins efg_plugins;

static char *wanted; /* what is in the list points into this */

/* What is wrong with NAME is mostly wrong on all ranks. */
static __attribute__((format(printf, 2, 3))) void complain(const char *name, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (efg_job_is_first() ? efg_note : efg_note_silently)("plug-in %s %s; the job goes on without it", name,
                                                        text);
}

/* --- one --- */

static void find_file(const char *name, char path[PATH_MAX])
{
    Dl_info self;
    const char *slash = dladdr(&efg_plugins, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;

    if (strchr(name, '/') || !slash)
        snprintf(path, PATH_MAX, "%s", name);
    else
        snprintf(path, PATH_MAX, "%.*s/" OURS "/%s.so", (int)(slash - self.dli_fname), self.dli_fname, name);
}

/* What NAME exports, or NULL, and it is said why. */
static const struct efgtrace_plugin *load(const char *name)
{
    char path[PATH_MAX];

    find_file(name, path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct efgtrace_plugin *is = library ? dlsym(library, "efgtrace_plugin") : NULL;
    if (!library)
        complain(name, "cannot be loaded: %s", dlerror());
    else if (!is)
        complain(name, "is no plug-in: it has no efgtrace_plugin (efgtrace-plugin.h)");
    else if (is->version != EFGTRACE_PLUGIN_VERSION)
        complain(
            name,
            "is made for version %u of efgtrace-plugin.h, this efgtrace has version %d: compile it again",
            is->version, EFGTRACE_PLUGIN_VERSION);
    return is && is->version == EFGTRACE_PLUGIN_VERSION ? is : NULL;
}

/* Cuts folder and ".so" off NAME. */
static char *shorten(char *name)
{
    char *slash = strrchr(name, '/'), *first = slash ? slash + 1 : name;
    size_t length = strlen(first);

    if (length > 3 && strcmp(first + length - 3, ".so") == 0)
        first[length - 3] = '\0';
    return first;
}

struct beginning {
    struct efgtrace_start start;
    const char *wrong;
};

static void call_init(const struct efg_plugin *plugin, const void *data)
{
    struct beginning *beginning = (struct beginning *)(uintptr_t)data;

    beginning->wrong = plugin->is->init(&beginning->start);
}

/* Returns whether it has begun. */
static bool let_begin(struct efg_plugin *plugin, const char *options)
{
    struct efg_guard *guard = efg_guard_of(efg_self);
    struct beginning b = {.start = {.size = sizeof b.start,
                                    .version = EFGTRACE_PLUGIN_VERSION,
                                    .options = options,
                                    .rank = efg_job.rank,
                                    .ranks = efg_job.size,
                                    .host = &efg_plugins_host}};

    plugin->patience = PATIENCE * EFG_CLOCK_TICKS_PER_SECOND;
    if (guard && plugin->is->init)
        efg_guard_call(guard, plugin, "init", "", call_init, &b);
    if (b.wrong)
        complain(plugin->name, "does not begin: %s", b.wrong);
    if (b.start.patience)
        plugin->patience = (b.start.patience < NEVER ? b.start.patience : NEVER) * EFG_CLOCK_TICKS_PER_SECOND;
    plugin->kinds = b.start.kinds ? b.start.kinds : ~0u;
    return guard && !b.wrong && !plugin->is_out;
}

static bool is_loaded(const struct efgtrace_plugin *is)
{
    for (unsigned i = 0; i < efg_plugins.count; i++)
        if (efg_plugins.list[i].is == is)
            return true;
    return false;
}

/* TEXT is "NAME[:OPTIONS]". */
static void add(char *text)
{
    char *options = strchr(text, ':');
    struct efg_plugin *plugin = &efg_plugins.list[efg_plugins.count];

    if (options)
        *options++ = '\0';
    const struct efgtrace_plugin *is = load(text);
    if (is && is_loaded(is))
        complain(text, "is named twice: the second one is passed over");
    else if (is && efg_plugins.count == EFG_PLUGINS_MOST)
        complain(text, "is one too many: there may be %d", EFG_PLUGINS_MOST);
    else if (is) {
        *plugin = (struct efg_plugin){.name = shorten(text), .is = is};
        efg_plugins.count += let_begin(plugin, options ? options : "");
    }
}

/* --- all --- */

static char *trim(char *text)
{
    text += strspn(text, " \t");
    for (size_t end = strlen(text); end && strchr(" \t", text[end - 1]); end--)
        text[end - 1] = '\0';
    return text;
}

const struct efg_hooks *efg_plugins_begin(const struct efg_hooks *hooks)
{
    static const struct efg_hooks ours = {.enter = efg_plugins_enter, .leave = efg_plugins_leave};

    if (!efg_job.conf.plugins[0] || !(wanted = strdup(efg_job.conf.plugins)))
        return hooks;
    efg_plugins_next = hooks;
    efg_guard_begin();
    efg_late_begin();
    for (char *rest = wanted, *one; (one = strsep(&rest, ","));)
        if (*(one = trim(one)))
            add(one);
    if (efg_plugins.count)
        return &ours;
    efg_late_end();
    efg_guard_end();
    return hooks;
}

static void call_finalize(const struct efg_plugin *plugin, const void *host)
{
    plugin->is->finalize(host);
}

void efg_plugins_end(void)
{
    struct efg_guard *guard = efg_plugins.count && !efg_guard_is_left() ? efg_guard_of(efg_self) : NULL;
    struct efg_progress steps = efg_progress_end();

    if (guard && efg_late_wait()) {
        efg_progress_tell(guard, &steps);
        for (unsigned i = 0; i < efg_plugins.count; i++) {
            efg_said_begin(&efg_plugins.list[i]);
            if (efg_plugins.list[i].is->finalize)
                efg_guard_call(guard, &efg_plugins.list[i], "finalize", "", call_finalize, &efg_plugins_host);
        }
    }
    if (efg_plugins.count) {
        efg_said_end();
        efg_late_end();
        efg_guard_end();
    }
}
