/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Summary: about twenty lines that say what a run did, how its main loop was found and
 * what was recorded of it. Rank 0 prints it at the end, summary.txt keeps it, `efgtrace report`
 * begins with it.
 *
 * It also has what the summary and the tool share: the rank that represents the run, names of
 * nodes and loops, lines and numbers for people.
 */
#ifndef EFG_SUMMARY_H
#define EFG_SUMMARY_H

#include <stdbool.h>

#include "base/buffer.h"
#include "core/loop/looptree.h"
#include "files/run/runfile.h"

/* Append the summary of RUN, in plain text of at most 100 columns, to OUT. */
void efg_summary_write(struct efg_buffer *out, const struct efg_run *run);

/* --- what represents the run --- */

/* ns of the run, from the first rank's start to the last one's end. */
uint64_t efg_summary_duration(const struct efg_run *run);

/* ns that the library has cost a rank, in MPI_Init and MPI_Finalize too; *SHARE of the run. */
double efg_summary_cost(const struct efg_run *run, double *share);

/* How often the main loop went round, where watching has paused: "about 61", "about 54 to 62"; "": not
 * known. */
void efg_summary_estimate(const struct efg_run *run, char text[64]);

/* Percent of the time in which calls were watched: 100, unless watching has paused. */
double efg_summary_watched(const struct efg_run *run);

/* The loop tree of GRAPH, whose paths are those of RUN. MAIN is its main loop, of function 0
 * for none. Returns 0, or -ENOMEM (the tree is then empty). */
int efg_summary_tree(struct efg_looptree *tree, const struct efg_run *run, const struct efg_graph *graph,
                     const struct efg_run_loop *main);

/* That one of LOOP in such a tree, or EFG_NONE. */
uint32_t efg_summary_loop(const struct efg_looptree *tree, const struct efg_run *run,
                          const struct efg_graph *graph, const struct efg_run_loop *loop);

/* --- the main loop and its windows (main.c) --- */

/* Append what is known of the main loop, or why there is none; and what was recorded of it. */
void efg_summary_main(struct efg_buffer *out, const struct efg_run *run);
void efg_summary_windows(struct efg_buffer *out, const struct efg_run *run);

/* Why WINDOW was recorded: "first", "spread", "slow", "asked for", "when", as the trace says it. */
const char *efg_summary_why(const struct efg_run_window *window);

/* Whether NODE is in LOOP of TREE, or in a loop inside of it. */
bool efg_summary_is_in(const struct efg_looptree *tree, uint32_t node, uint32_t loop);

/* What LOOP of GRAPH and its TREE is called: that of its function. */
void efg_summary_loop_name(const struct efg_run *run, const struct efg_graph *graph,
                           const struct efg_looptree *tree, const struct efg_run_loop *loop, char *text,
                           size_t size);

/* Whether loops A and B are one loop of a function that is called from two places. */
bool efg_summary_is_same_code(const struct efg_run *run, const struct efg_graph *graph,
                              const struct efg_run_loop *a, const struct efg_run_loop *b);

/* The same of PHASE of THREAD; where another one has that name, too, who calls it: "step < relax"; if that
 * does not tell them apart, at which line: "step < solver.c:120 relax". */
void efg_summary_phase_name(const struct efg_run *run, const struct efg_run_thread *thread,
                            const struct efg_looptree *tree, const struct efg_run_phase *phase, char *text,
                            size_t size);

/* Append the phases of the run, a line each, if there are several: all, or at most MOST, those with the most
 * time. */
void efg_summary_phases(struct efg_buffer *out, const struct efg_run *run, uint32_t most);

/* Iterations that were recorded of a phase. */
uint64_t efg_summary_phase_recorded(const struct efg_run_thread *thread, const struct efg_run_phase *phase);

/* Append what plug-ins have said, at most MOST lines. */
void efg_summary_openmp(struct efg_buffer *out, const struct efg_totals *totals);
void efg_summary_counters(struct efg_buffer *out, const struct efg_totals *totals);
void efg_summary_plugins(struct efg_buffer *out, const struct efg_run *run, uint32_t most);

/* What to set for the recorded iterations to stand for the run, a clause; "" if all of that was set. */
#define EFG_SUMMARY_APART 0.10 /* what an iteration may take more or less than the mean of all */
const char *efg_summary_advice(const struct efg_run *run);

/* --- where it ran --- */

/* Append what there is to say about ranks that share cores, and about clocks of several hosts. */
void efg_summary_binding(struct efg_buffer *out, const struct efg_run *run);
void efg_summary_processor(struct efg_buffer *out, const struct efg_run *run);
/* " (47.5 to 56.2%)", of ranks: how long they had no processor; "" where it is the same for all. */
void efg_summary_unserved(char text[48], const struct efg_totals *totals);
/* How long ranks may have waited in MPI calls, and which one computes longest. Why they wait is known only
 * when the trace is read (efgtrace/waits). */
void efg_summary_waiting(struct efg_buffer *out, const struct efg_totals *totals);
void efg_summary_clocks(struct efg_buffer *out, const struct efg_run *run);

/* What the messages told of the clocks, and what was done: "off by 3 us or more in the window,
 * 5 receives before their sends: corrected", "" for nothing. */
void efg_summary_skew(const struct efg_run_skew *skew, char *text, size_t size);

/* Cores of a host and which of them its COUNT ranks are bound to: "; 8 cores, bound to 0 | 1";
 * "" if that is not known. */
void efg_summary_host(const struct efg_run_place *places, uint32_t count, char *text, size_t size);

/* --- the cut that the windows make --- */

/* Whether all ranks that recorded the window recorded the same iterations. */
bool efg_summary_is_aligned(const struct efg_run_cut *cut);

/* Append a warning if too many messages miss one of their ends. */
void efg_summary_warning(struct efg_buffer *out, const struct efg_run *run);

/* Append what is known of it: the iterations, the messages. */
void efg_summary_alignment(struct efg_buffer *out, const struct efg_run *run);
void efg_summary_messages(struct efg_buffer *out, const struct efg_run *run);
void efg_summary_moved(struct efg_buffer *out, const struct efg_totals *totals); /* one-sided, MPI-IO */
/* Time, calls and bytes of communicators, RMA windows and files, MOST of them. */
void efg_summary_objects(struct efg_buffer *out, const struct efg_run *run, uint32_t most);

/* What was not told apart for want of memory, of a set of enum efg_drop: "sizes, partners"; ""
 * for nothing. */
void efg_summary_dropped(uint64_t dropped, char *text, size_t size);

/* --- functions without names --- */

/* The module that is stripped, so that many functions have no name; "": none were looked up; NULL: they have
 * names. Names must be known: after efg_run_resolve. */
const char *efg_summary_nameless(const struct efg_run *run);

/* Append what there is to do about it. */
void efg_summary_nameless_put(struct efg_buffer *out, const struct efg_run *run);

/* --- names, one line each, plain ASCII --- */

/* Find what labels of call sites need to differ: "MPI_Waitall  waitRequests < PCG::scalarSolve". Without it
 * they are the innermost frames. Names must be known: after efg_run_resolve. Returns 0 or -ENOMEM. */
int efg_summary_tell_apart(struct efg_run *run);

/* A node: "MPI_Send  solver.c:120 exchange", and what else is in its signature:
 * "[assembly, 8192 B, rank +1, world]". */
void efg_summary_node(const struct efg_run *run, const struct efg_node *node, char *text, size_t size);

/* Where a node is, without its call: "solver.c:120 exchange", "" if it has no path; with the frames around it
 * that tell it apart. */
void efg_summary_place(const struct efg_run *run, const struct efg_node *node, char *text, size_t size);

/* Function INDEX of its call path, innermost first, inlined ones included, in the same way.
 * Returns false if there is none. */
bool efg_summary_frame(const struct efg_run *run, const struct efg_node *node, uint32_t index, char *text,
                       size_t size);

/* What DIMENSION (not the path) says of a node, if it is part of the signature: "8192 B" or
 * ">= 4.10 kB", "rank +1", "world", "assembly"; "" if it says nothing. */
void efg_summary_dimension(const struct efg_run *run, const struct efg_node *node,
                           enum efg_dimension dimension, char *text, size_t size);

/* What delimits iterations: "MPI_Recv  a.c:3 f", "the call of step  a.c:66 main"; "" for nothing. */
void efg_summary_pivot(const struct efg_run *run, const struct efg_graph *graph,
                       const struct efg_run_pivot *pivot, char *text, size_t size);

/* The node that iterations begin with in the trace: the one that mostly follows PIVOT, which is one; EFG_NONE
 * if they begin with the pivot itself. *IS_ALWAYS: 19 of 20 of them, at least, begin with it. */
uint32_t efg_summary_begin(const struct efg_graph *graph, const struct efg_run_pivot *pivot, bool *is_always);

/* An address: "pw.x+0x17feb5". */
void efg_summary_address(char *text, size_t size, const char *module, uint64_t offset);

/* The function that contains a loop: the innermost one that all its calls have in common,
 * reached by the same path. If it has no name, the innermost address that all have in
 * common, "pw.x+0x17feb5"; "" if there is none. */
void efg_summary_function(const struct efg_run *run, const struct efg_graph *graph,
                          const struct efg_looptree *tree, uint32_t loop, char *text, size_t size);

/* The function NAME, without scopes beyond the last two and without arguments:
 * "LAMMPS_NS::CommBrick::exchange(int)" is "CommBrick::exchange". The middle of long names is left away.
 * Where others of the run would then be the same, what they differ in stays. */
void efg_summary_short(const struct efg_run *run, char *text, size_t size, const char *name);

/* A loop: where it is, and the MPI functions that take most of its time: "in solver.c:120 solve: Waitall,
 * Allreduce"; with who calls it, where that tells it apart. No two loops of TREE have the same label. */
void efg_summary_loop_label(const struct efg_run *run, const struct efg_graph *graph,
                            const struct efg_looptree *tree, uint32_t loop, char *text, size_t size);

/* 0 for start-up code of the C library, which symbol tables name too. */
bool efg_summary_is_worth_naming(const char *function);

/* --- text --- */

#define EFG_COLUMNS 100 /* of what is broken between words; rows of tables may be longer */

/* Lines are broken to fit into WIDTH columns from now on, if that is less; 0: EFG_COLUMNS again. */
void efg_summary_narrow(int width);

/* How many of its columns a line has behind the first USED. */
int efg_summary_room(int used);

/* Append a line, however long; what is not printable ASCII becomes '?'. */
void efg_summary_line(struct efg_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The columns of the terminal that FILE is, by COLUMNS or as it says; 0: it is none, or that is not known. */
#define EFG_NARROWEST 40
int efg_summary_width(int file);

/* Append TEXT, in WIDTH columns: those of a table that is wider move together, names at the end of its rows
 * are without their middle, and what still has no room goes on below, as other lines do. */
void efg_summary_fit(struct efg_buffer *out, const struct efg_buffer *text, int width);

/* Of a PATH what is behind the last '/', in it; all of it, if that is nothing. */
const char *efg_summary_last_part(const char *path);

/* Append HEAD and TEXT, in lines that are broken between words and begin below each other; behind a head of
 * 13 columns, two columns further in. */
void efg_summary_wrap(struct efg_buffer *out, const char *head, const char *text);

/* The same of what FORMAT makes: the first 13 columns are the head. */
void efg_summary_tell(struct efg_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What is known of how accurate spread iterations are, where the key accuracy asks for that: a sentence
 * without its full stop, of the rank where they are most inaccurate; else "". */
void efg_summary_accuracy(char *text, size_t size, const struct efg_totals *totals);

/* Append TEXT, the notes of a rank, as a line each that begins with HEAD. */
void efg_summary_notes(struct efg_buffer *out, const char *head, const char *text);

/* Append the table of loops, the main one marked with '*': all, or only those that matter
 * (1% of the time or around the main loop, at most MOST). SKIPPED (may be NULL): how many are
 * left out. */
void efg_summary_loops(struct efg_buffer *out, const struct efg_run *run, uint32_t most, uint32_t *skipped);

/* Durations and amounts for people: "1.25 s", "12.4 MB" (1 MB = 10^6 bytes), "1.25 million". */
void efg_format_ns(char *text, size_t size, uint64_t ns);
void efg_format_bytes(char *text, size_t size, uint64_t bytes);
/* The smallest size of a class from 1 on, which begins at a power of two: ">= 4.10 kB". */
void efg_format_size_class(char *text, size_t size, uint64_t class);
void efg_format_counted(char *text, size_t size, const char *name, double value); /* by this counter */
void efg_format_count(char *text, size_t size, double count);
/* "12 to 21", or "12" where both are the same. They return its length, as snprintf. */
size_t efg_format_range(char *text, size_t size, uint64_t least, uint64_t most);
size_t efg_format_between(char *text, size_t size, const char *least, const char *most);

/* So many DIGITS, or all those before the point; never as 1e+02. */
void efg_format_digits(char *text, size_t size, double value, int digits);
/* A share with two digits, "43%", "0.52%"; "over 99%" where it is not all, "under 0.001%". */
void efg_format_percent(char *text, size_t size, double percent);

/* 100 x part / whole, 0 of nothing. */
double efg_percent(double part, double whole);

#endif
