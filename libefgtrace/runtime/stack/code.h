/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code: which loops in the machine code of its function a call is in (core/flow/place.h), and which of
 * them have few rounds (core/flow/few.h). A function is analysed when it is first asked for, and the
 * result is remembered.
 *
 * Machine code is known on x86-64, of functions with unwind information, up to 256 kB; not where an
 * indirect jump may lead anywhere (interpreters, several large switches).
 *
 * Source of the decoder: Zydis, https://zydis.re
 */
#ifndef EFG_CODE_H
#define EFG_CODE_H

#include "core/flow/few.h"
#include "modules.h"

enum efg_code_new { /* a function that was not asked for yet: */
    EFG_CODE_LOOK,  /* it is analysed */
    EFG_CODE_LEAVE, /* nothing is known of it */
};

/* The position of the call whose last byte is at OFFSET of MODULE; in the first round of FIRSTS loops
 * around it: where it is without these. */
struct efg_position efg_code_position(const struct efg_module *module, uint64_t offset, unsigned firsts,
                                      enum efg_code_new is_new);

/* Loops around it that have few rounds, and its position, of a call on a new call path. Half of what can be
 * remembered is left to the functions that the main loop depends on: then nothing is known. */
struct efg_few efg_code_few(const struct efg_module *module, uint64_t offset, struct efg_position *position);

/* A variable of a function: a register that it saves for its caller, or a word of its stack. */
enum efg_code_base {
    EFG_CODE_RBX,
    EFG_CODE_RBP,
    EFG_CODE_R12,
    EFG_CODE_R13,
    EFG_CODE_R14,
    EFG_CODE_R15,
    EFG_CODE_STACK, /* at rsp + offset */
    EFG_CODE_FRAME, /* at rbp + offset */
};

struct efg_code_variable {
    enum efg_code_base base;
    int32_t offset;
};

/* The one that is named VARIABLE (struct efg_few); its lower 32 bits count. */
struct efg_code_variable efg_code_variable(uint64_t variable);

/* ns that this thread has spent on analysing functions so far. */
uint64_t efg_code_time(void);

#endif
