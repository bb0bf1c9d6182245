/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command-line tool: finds the command in a table and calls it.
 *
 * Invariant: what could not be written to standard output makes the exit code at least 1.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "run/executable.h"

struct command {
    const char *name;
    const char *help;
    int (*call)(int argc, char **argv);
};

static const struct command commands[] = {
    {"run", "run a program with efgtrace preloaded", efg_cmd_run},
    {"report", "say what a run did: loops, calls, times", efg_cmd_report},
    {"graph", "draw the event flow graph, or write it for other programs", efg_cmd_graph},
    {"export", "write the recorded iterations for Perfetto, chrome://tracing", efg_cmd_export},
    {"expand", "write all calls of the run in order", efg_cmd_expand},
    {"profile", "write what the ranks did as a program: loops and mean times", efg_cmd_profile},
    {"compare", "say how two runs differ", efg_cmd_compare},
    {"index", "put many runs into one index", efg_cmd_index},
    {"history", "say how the runs of an index went over time, and what changed", efg_cmd_history},
    {"trace", "write the OTF2 trace of a job that was killed or is still running", efg_cmd_trace},
    {"symbols", "add names of functions, from debug files, to a run that exists", efg_cmd_symbols},
    {"top", "show what the ranks of a running job are doing", efg_cmd_top},
    {"stuck", "say whether a running job hangs, and on which rank it depends", efg_cmd_stuck},
    {"check", "explain the configuration, and say whether it is right", efg_cmd_check},
    {0},
};

static void print_help(FILE *out)
{
    fputs("Usage: efgtrace COMMAND [ARG...]\n\n"
          "Traces a few iterations of the main loop of an MPI program.\n\n",
          out);
    for (const struct command *c = commands; c->name; c++)
        fprintf(out, "  %-8s %s\n", c->name, c->help);
    fputs("\n"
          "  help COMMAND, COMMAND --help   describe a command\n"
          "  -h, --help                     this text\n"
          "  -V, --version                  the version\n\n"
          "For example: mpirun -np 4 efgtrace run ./application\n"
          "Exit code: 0 done, 1 failed, 2 wrong usage; run: that of the program.\n"
          "Manual: efgtrace(1), efgtrace.conf(5), libefgtrace(7).\n",
          out);
}

static const struct command *find_command(const char *name)
{
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

/* Or is meant to be one, which is not there. */
static bool is_program(const char *name)
{
    int file = efg_executable_open(name);
    bool is_there = file >= 0;

    if (is_there)
        close(file);
    return is_there || strchr(name, '/');
}

/* At the end of a line that has begun. */
static void list_commands(FILE *out)
{
    for (const struct command *c = commands; c->name; c++)
        fprintf(out, "%s%s", c == commands ? "; there are " : ", ", c->name);
    fputs("; see `efgtrace --help`\n", out);
}

static int complain(const char *name)
{
    struct efg_nearest nearest = {.word = name};

    if (name[0] == '-') {
        efg_nearest_offer(&nearest, "--help");
        efg_nearest_offer(&nearest, "--version");
    }
    for (const struct command *c = commands; c->name; c++)
        efg_nearest_offer(&nearest, c->name);
    fprintf(stderr, "efgtrace: there is no %s \"%s\"", name[0] == '-' ? "option" : "command", name);
    if (name[0] != '-' && is_program(name))
        fprintf(stderr, "; to run the program: efgtrace run %s\n", name);
    else if (nearest.best)
        fprintf(stderr, "; did you mean \"%s\"?\n", nearest.best);
    else if (name[0] == '-')
        fputs("; see `efgtrace --help`\n", stderr);
    else
        list_commands(stderr);
    return EFG_EXIT_USAGE;
}

static int help_on(const char *name)
{
    const struct command *command = find_command(name);
    char help[] = "--help";

    if (!command)
        return complain(name);
    return command->call(2, (char *[]){(char *)command->name, help, NULL});
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EFG_EXIT_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 && argc > 2)
        return help_on(argv[2]);
    if (strcmp(argv[1], "help") == 0 || is_one_of(argv[1], "--help", "-h")) {
        print_help(stdout);
        return EFG_EXIT_OK;
    }
    if (is_one_of(argv[1], "--version", "-V")) {
        puts("efgtrace " EFG_VERSION);
        return EFG_EXIT_OK;
    }

    const struct command *command = find_command(argv[1]);
    return command ? command->call(argc - 1, argv + 1) : complain(argv[1]);
}

int main(int argc, char **argv)
{
    int code = dispatch(argc, argv);

    return efg_output_end() && !code ? EFG_EXIT_FAILED : code;
}
