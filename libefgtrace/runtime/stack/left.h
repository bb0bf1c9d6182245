/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that were left: by longjmp, or by an exception in C++. Nobody tells who was in them.
 */
#ifndef EFG_LEFT_H
#define EFG_LEFT_H

#include <stdbool.h>

/* Whether it is known that FRAME, which was the __builtin_frame_address(0) of a function of this thread, in
 * the module of the address CODE, is of none that is running now: the stack, unwound, leads past it, or
 * to another function there. It takes microseconds. */
bool efg_left(const void *frame, const void *code);

#endif
