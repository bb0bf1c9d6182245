/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Site: whether the machine wants a record of each job, as far as that is known before the configuration is
 * read. Then nobody has asked for efgtrace, and nothing is said of what goes wrong.
 */
#ifndef EFG_SITE_H
#define EFG_SITE_H

#include <stdbool.h>

/* The key site is on, in the environment or else in the machine's file. */
bool efg_site_is_on(void);

#endif
