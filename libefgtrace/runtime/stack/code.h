/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code: which loops in the code of its function a call is in (core/flow/place.h): of Python by its lines
 * (pyflow.h), else in the machine code. A function is analysed when it is first asked for, and the result
 * is remembered.
 *
 * Machine code is known on x86-64, of functions with unwind information, up to 256 kB; not where an indirect
 * jump may lead anywhere (interpreters, several large switches).
 *
 * Source of the decoder: Zydis, https://zydis.re
 */
#ifndef EFG_CODE_H
#define EFG_CODE_H

#include "core/flow/place.h"

/* The position of the call in frame number FRAME, from the outermost one on, of the call path PATH
 * (callpath.h). One thread at a time. */
struct efg_position efg_code_position(uint32_t path, uint32_t frame);

/* ns that this thread has spent on analysing functions so far. */
uint64_t efg_code_time(void);

#endif
