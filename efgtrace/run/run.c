/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace run: become the application, with the library preloaded.
 *
 * The tool replaces itself by the application (execvp), so that arguments, input, output,
 * signals and exit code are the application's without any help. What it adds is
 * in the environment: LD_PRELOAD and one EFGTRACE_<KEY> per option.
 *
 * Invariant: nothing is started unless the whole configuration is right.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/launcher.h"
#include "base/nearest.h"
#include "base/started.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "files/conf/conf.h"
#include "preload.h"

extern char **environ;

#define HELP (-1)

/* A launcher ends the job with the first rank that ends: the others let the one speak. */
static int complain(const char *message)
{
    if (efg_launcher_is_first())
        fprintf(stderr, "efgtrace run: %s\n", message);
    else
        sleep(1);
    return EFG_EXIT_USAGE;
}

/* --- options --- */

static void print_option(struct efg_buffer *out, const struct efg_key *key)
{
    char option[80];
    bool is_switch = key->type == EFG_KEY_SWITCH;
    int width = snprintf(option, sizeof(option), "%s%s%s--%s %s%s%s", key->option ? "-" : "    ",
                         key->option ? key->option : "", key->option ? ", " : "", key->name,
                         is_switch ? "[" : "", key->value, is_switch ? "]" : "");

    efg_buffer_print(out, "  %-22s%s %s", option, width > 22 ? "\n                        " : "", key->help);
    if (*key->fallback)
        efg_buffer_print(out, " (%s)", key->fallback);
    efg_buffer_print(out, "\n");
}

static int print_help(void)
{
    struct efg_buffer out = {0};
    efg_buffer_print(&out, "%s",
                     "Usage: efgtrace run [OPTION...] [--] COMMAND [ARG...]\n\n"
                     "Runs COMMAND with libefgtrace.so preloaded. Under a launcher it stands in front of "
                     "the\n"
                     "application: mpirun -np 4 efgtrace run -n 20 ./application\n\n"
                     "The options are the keys of efgtrace.conf(5), --KEY VALUE or --KEY=VALUE, and\n"
                     "override files and environment. An option [on|off] alone means on. In brackets: the\n"
                     "default.\n\n");
    for (const struct efg_key *key = efg_conf_keys(); key->name; key++)
        print_option(&out, key);
    efg_buffer_print(&out, "%s",
                     "  -h, --help             this text\n\n"
                     "Exit code: that of COMMAND; 2 wrong usage or configuration, 1 the library is not\n"
                     "found, 127 COMMAND is not found, 126 COMMAND cannot be run.\n");
    char *text = efg_buffer_text(&out);
    if (text)
        efg_options_help(text);
    free(text);
    return EFG_EXIT_OK;
}

static int complain_option(const char *name, const char *dashes)
{
    struct efg_nearest nearest = {.word = name};

    for (const struct efg_key *key = efg_conf_keys(); key->name; key++)
        efg_nearest_offer(&nearest, key->name);
    efg_nearest_offer(&nearest, "help");
    fprintf(stderr, "efgtrace run: there is no option \"%s%s\"; ", dashes, name);
    if (nearest.best)
        fprintf(stderr, "did you mean \"--%s\"?\n", nearest.best);
    else
        fputs("see `efgtrace run --help`\n", stderr);
    return EFG_EXIT_USAGE;
}

/* Check VALUE and put it into the environment. */
static int set_option(const struct efg_key *key, const char *option, const char *value)
{
    struct efg_conf scratch;
    char where[64], variable[64], message[512];

    snprintf(where, sizeof(where), "option %s", option);
    efg_conf_default(&scratch);
    if (efg_conf_set(&scratch, key->name, value, where, message, sizeof(message)) != 0)
        return complain(message);
    efg_conf_variable(key->name, variable, sizeof(variable));
    return setenv(variable, value, 1) == 0 ? 0 : complain("no memory");
}

/* An option without a value in its own word: *NEXT is the word behind it, or NULL.
 * Returns how many words were taken, 0 after a complaint. */
static int set_apart(const struct efg_key *key, const char *option, const char *next)
{
    char message[160];

    if (key->type == EFG_KEY_SWITCH) {
        bool given = option[1] == '-' && next && (!strcmp(next, "on") || !strcmp(next, "off"));
        return set_option(key, option, given ? next : "on") ? 0 : 1 + given;
    }
    if (next)
        return set_option(key, option, next) ? 0 : 2;
    snprintf(message, sizeof(message), "option %s: the value is missing; expected %s %s", option, option,
             key->value);
    complain(message);
    return 0;
}

/* --KEY VALUE, --KEY=VALUE */
static int take_long(char *word, const char *next)
{
    char *equals = strchr(word, '=');

    if (equals)
        *equals = '\0';

    const struct efg_key *key = efg_conf_find(word + 2);
    if (!key) {
        complain_option(word + 2, "--");
        return 0;
    }
    if (equals)
        return set_option(key, word, equals + 1) ? 0 : 1;
    return set_apart(key, word, next);
}

/* -k VALUE, -kVALUE */
static int take_short(const char *word, const char *next)
{
    char option[3] = {'-', word[1], '\0'};

    for (const struct efg_key *key = efg_conf_keys(); key->name; key++) {
        if (!key->option || key->option[0] != word[1])
            continue;
        if (!word[2])
            return set_apart(key, option, next);
        if (key->type != EFG_KEY_SWITCH)
            return set_option(key, option, word + 2) ? 0 : 1;
    }
    complain_option(word + 1, "-");
    return 0;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Take the options. Returns the index of COMMAND in argv, HELP, or 0 after a complaint. */
static int take_options(int argc, char **argv)
{
    int i = 1, taken;

    while (i < argc && argv[i][0] == '-' && argv[i][1]) {
        if (is_help(argv[i]))
            return HELP;
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (argv[i][1] == '-')
            taken = take_long(argv[i], argv[i + 1]);
        else
            taken = take_short(argv[i], argv[i + 1]);
        if (!taken)
            return 0;
        i += taken;
    }
    if (i < argc)
        return i;
    complain("which program? Usage: efgtrace run [OPTION...] [--] COMMAND [ARG...]");
    return 0;
}

/* --- the program --- */

static void warn_of_obstacle(const char *program)
{
    const char *obstacle = efg_launcher_is_first() ? efg_preload_obstacle(program) : NULL;

    if (obstacle)
        fprintf(stderr,
                "efgtrace run: warning: %s %s: no library can be preloaded into it, "
                "it will run untraced\n",
                program, obstacle);
}

/* The library says at the end of this process if nothing was traced: for one rank, and not where nothing
 * else would be said either. */
static void ask_for_word(const struct efg_conf *conf)
{
    char process[16];

    if (!conf->summary || conf->mode == EFG_MODE_OFF || !efg_launcher_is_first())
        return;
    snprintf(process, sizeof(process), "%d", (int)getpid());
    setenv(EFG_STARTED, process, 1);
}

/* As a shell says it: 127 not found, 126 found and no use. */
static int complain_program(const char *program, int error)
{
    char message[PATH_MAX + 128];
    bool is_there = strchr(program, '/') && access(program, F_OK) == 0;

    if (error == ENOENT && is_there) {
        snprintf(message, sizeof(message), "%s: the interpreter that it names is not found", program);
        complain(message);
        return 126;
    }
    snprintf(message, sizeof(message), "%s: cannot be started: %s", program,
             error == ENOENT ? "not found" : strerror(error));
    complain(message);
    return error == ENOENT ? 127 : 126;
}

int efg_cmd_run(int argc, char **argv)
{
    struct efg_conf conf;
    char message[PATH_MAX + 256], library[PATH_MAX];

    if (getenv("EFGTRACE_SITE")) /* whoever runs efgtrace wants more than a record */
        setenv("EFGTRACE_SITE", "off", 1);
    int first = take_options(argc, argv);

    if (first == HELP)
        return print_help();
    if (!first)
        return EFG_EXIT_USAGE;
    if (efg_conf_load(&conf, environ, message, sizeof(message)) != 0)
        return complain(message);
    if (conf.site && !getenv("EFGTRACE_SITE"))
        setenv("EFGTRACE_SITE", "off", 1);
    if (efg_preload_find(library, sizeof(library), message, sizeof(message)) != 0 ||
        (conf.openmp && efg_preload_openmp(library, argv[first], message, sizeof(message)) != 0) ||
        efg_preload_set(library, argv[first], message, sizeof(message)) != 0) {
        complain(message);
        return EFG_EXIT_FAILED;
    }
    warn_of_obstacle(argv[first]);
    ask_for_word(&conf);
    execvp(argv[first], argv + first);
    return complain_program(argv[first], errno);
}
