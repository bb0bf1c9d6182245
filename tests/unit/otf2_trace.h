/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A folder with logs, the trace that is made of them, and whether that is right, as
 * tests/lib/check_trace.py tells, and with CHECK_TRACE=/path/of/another that one, too.
 */
#ifndef EFG_TEST_OTF2_TRACE_H
#define EFG_TEST_OTF2_TRACE_H

#include <stdint.h>

extern char trace_dir[64];
extern char trace_warnings[4096]; /* "1.0.log: what it was\n" ... */

/* Set-up and tear-down: an empty trace_dir, and none. */
int trace_make_dir(void **state);
int trace_remove_dir(void **state);

/* Convert the logs of RANKS ranks, thread 0; as efg_otf2_convert. */
int trace_convert(int ranks);

/* Run a command; %1$s is trace_dir, %2$s the other argument. */
int trace_run(const char *format, const char *argument);

/* Definitions and references are right: of traces of a part of a job. */
void trace_expect_readable(void);
/* All is right as far as tools can tell; OPTIONS for check_trace.py. */
void trace_expect_valid(const char *options);
/* The report of check_trace.py has TEXT. */
void trace_expect_in_report(const char *text);
/* Enter, Leave, On and Off of a location, a line each: "100 Enter main\n". */
void trace_expect_events(uint64_t location, const char *expected);
/* Enter and Leave are balanced. */
void trace_expect_balanced(uint64_t location);

#endif
