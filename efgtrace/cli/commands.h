/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The commands of the tool, one file each. A command gets its own arguments, argv[0] is its
 * name; it answers --help on standard output, and complains on standard error, every line
 * beginning with "efgtrace NAME: ".
 */
#ifndef EFG_COMMANDS_H
#define EFG_COMMANDS_H

/* Exit codes. `run` ends with those of the application, or 126 and 127 as a shell does. */
enum efg_exit {
    EFG_EXIT_OK = 0,
    EFG_EXIT_FAILED = 1, /* could not be done */
    EFG_EXIT_USAGE = 2,  /* wrong command, option or configuration */
};

int efg_cmd_run(int argc, char **argv);
int efg_cmd_report(int argc, char **argv);
int efg_cmd_graph(int argc, char **argv);
int efg_cmd_export(int argc, char **argv);
int efg_cmd_expand(int argc, char **argv);
int efg_cmd_profile(int argc, char **argv);
int efg_cmd_compare(int argc, char **argv);
int efg_cmd_index(int argc, char **argv);
int efg_cmd_history(int argc, char **argv);
int efg_cmd_trace(int argc, char **argv);
int efg_cmd_symbols(int argc, char **argv);
int efg_cmd_top(int argc, char **argv);
int efg_cmd_stuck(int argc, char **argv);
int efg_cmd_check(int argc, char **argv);

#endif
