/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plug-in of Slurm, libefgtrace-spank.so: `srun --efgtrace[=KEY=VALUE,...]`, also of sbatch and salloc,
 * and what a machine preloads without being asked, the arguments of the plug-in in plugstack.conf: site=on,
 * and where.
 *
 * Slurm loads it into srun, which checks the option before anything is started; into slurmstepd, which starts
 * the processes of a step on each node: there it adds to their environment what `efgtrace run` would; and
 * into slurmd, whose log has what is wrong with the arguments.
 *
 * Invariant: once a job has begun, nothing that goes wrong here stops it.
 *
 * Source: spank(7).
 */
#define _GNU_SOURCE
#include "spank.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "files/conf/conf.h"

#define WHERE "option --efgtrace"
#define MACHINE "plugstack.conf"
#define PLACE 4096 /* bytes of a path */

SPANK_PLUGIN(efgtrace, 1)

static struct efg_conf asked; /* what --efgtrace says */
static struct efg_conf machine;
static bool is_asked;

/* --- KEY=VALUE, ... --- */

static bool begins_setting(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    return length && text[length] == '=';
}

/* How long the KEY=VALUE is with which TEXT begins. What follows a comma belongs to it, unless that is the
 * next one: select=first,slow,iterations=5. */
static size_t length_of(const char *text)
{
    size_t length = strcspn(text, ",");

    while (text[length] && !begins_setting(text + length + 1))
        length += 1 + strcspn(text + length + 1, ",");
    return length;
}

static int take_one(struct efg_conf *conf, const char *text, size_t length, const char *where, char *message,
                    size_t size)
{
    char setting[EFG_CONF_TEXT + 64];

    snprintf(setting, sizeof setting, "%.*s", (int)length, text);
    if (length >= sizeof setting || !begins_setting(setting)) {
        snprintf(message, size,
                 "%s: \"%.200s\" is no KEY=VALUE; expected keys of efgtrace.conf(5): "
                 "iterations=20,mode=full",
                 where, setting);
        return -1;
    }
    char *equals = strchr(setting, '=');
    *equals = '\0';
    return efg_conf_set(conf, setting, equals + 1, where, message, size);
}

/* Returns 0, or not, with MESSAGE filled. */
static int take(struct efg_conf *conf, const char *text, const char *where, char *message, size_t size)
{
    int error = 0;

    for (size_t length; *text && !error; text += length + (text[length] == ',')) {
        length = length_of(text);
        error = take_one(conf, text, length, where, message, size);
    }
    return error ? error : efg_conf_check(conf, message, size);
}

/* --- the option --- */

static int take_option(int value, const char *text, int is_remote)
{
    char message[512];

    (void)value;
    is_asked = true;
    efg_conf_default(&asked);
    if (!text || take(&asked, text, WHERE, message, sizeof message) == 0)
        return ESPANK_SUCCESS;
    if (!is_remote)
        slurm_error("efgtrace: %s", message);
    return ESPANK_ERROR;
}

static struct spank_option option = {
    "efgtrace",
    "KEY=VALUE,...",
    "trace the main loop of MPI programs; with keys of efgtrace.conf(5): iterations=20,output=trace",
    2,
    0,
    take_option};

/* Records only: whoever wants more for all jobs has /etc/efgtrace.conf, which users can read. */
static int take_argument(const char *text, char *message, size_t size)
{
    static const char *const keys[] = {"site=", "spool=", "exclude="};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(text, keys[i], strlen(keys[i])) == 0)
            return take(&machine, text, MACHINE, message, size);
    snprintf(message, size, MACHINE ": \"%.200s\": expected site=on, spool=DIR or exclude=PATTERN,...", text);
    return -1;
}

/* If one is wrong, none counts: the log of each node has it, users are not bothered. */
static void take_arguments(int count, char **arguments)
{
    char message[512];
    bool is_wrong = false;

    efg_conf_default(&machine);
    for (int i = 0; i < count; i++) {
        if (take_argument(arguments[i], message, sizeof message) == 0)
            continue;
        is_wrong = true;
        if (spank_context() == S_CTX_SLURMD)
            slurm_error("efgtrace: %s; no job leaves a record", message);
    }
    if (is_wrong)
        efg_conf_default(&machine);
}

int slurm_spank_init(spank_t spank, int count, char **arguments)
{
    take_arguments(count, arguments);
    if (spank_context() == S_CTX_SLURMD || spank_context() == S_CTX_JOB_SCRIPT)
        return ESPANK_SUCCESS;
    return spank_option_register(spank, &option);
}

/* --- the environment of the processes --- */

/* The keys that CONF has from WHERE. */
static void pass(spank_t spank, const struct efg_conf *conf, const char *where, int does_override)
{
    char variable[64], value[EFG_CONF_TEXT];

    for (const struct efg_key *key = efg_conf_keys(); key->name; key++) {
        if (strcmp(efg_conf_source(conf, key->name), where) != 0)
            continue;
        efg_conf_variable(key->name, variable, sizeof variable);
        efg_conf_show(conf, key->name, value, sizeof value);
        spank_setenv(spank, variable, value, does_override);
    }
}

/* The library NAME beside this one comes first, but for the runtime of AddressSanitizer. */
static void preload(spank_t spank, const char *name)
{
    char others[4 * PLACE] = "", all[5 * PLACE + 64], path[PLACE];
    Dl_info here;

    if (!dladdr(&option, &here) || !strchr(here.dli_fname, '/'))
        return;
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(here.dli_fname, '/') - here.dli_fname),
             here.dli_fname, name);
    spank_err_t error = spank_getenv(spank, "LD_PRELOAD", others, sizeof others);
    if ((error && error != ESPANK_ENV_NOEXIST) || strpbrk(path, " :") || strstr(others, path))
        return;
    bool is_last = strstr(others, "asan");
    snprintf(all, sizeof all, "%s%s%s", is_last ? others : path, *others ? ":" : "", is_last ? path : others);
    spank_setenv(spank, "LD_PRELOAD", all, 1);
}

static bool is_off(spank_t spank)
{
    char mode[8];
    return spank_getenv(spank, "EFGTRACE_MODE", mode, sizeof mode) == ESPANK_SUCCESS && !strcmp(mode, "off");
}

int slurm_spank_user_init(spank_t spank, int count, char **arguments)
{
    (void)count;
    (void)arguments;
    if (!is_asked && !machine.site)
        return ESPANK_SUCCESS;
    if (is_asked) { /* whoever asks wants more than a record */
        spank_setenv(spank, "EFGTRACE_SITE", "off", 1);
        pass(spank, &asked, WHERE, 1);
    } else {
        pass(spank, &machine, MACHINE, 0);
    }
    if (is_off(spank))
        return ESPANK_SUCCESS;
    if (is_asked && asked.openmp)
        preload(spank, "libefgtrace-openmp.so");
    preload(spank, "libefgtrace.so");
    return ESPANK_SUCCESS;
}
