/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of functions, as people know them: without their arguments.
 */
#ifndef EFG_NAME_H
#define EFG_NAME_H

#include <stddef.h>

/* How long the name of FUNCTION is, which is demangled: "N::f(int)" has 4. */
size_t efg_name_end(const char *function);

#endif
