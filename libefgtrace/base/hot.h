/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions on the way of an event. The linker puts them beside one another: between two calls
 * a program fills the caches with other things, and then they are read again, line by line and
 * page by page. (A tenth of what a call costs when 8 MB were written to before it.)
 */
#ifndef EFG_HOT_H
#define EFG_HOT_H

#define EFG_HOT __attribute__((hot))

/* Variables of the process that all calls read, likewise. */
#define EFG_HOT_DATA __attribute__((section("efg_hot")))

#endif
