/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places of calls in functions of which compilers make several pieces: what hardly ever runs is elsewhere,
 * with unwind information of its own; and the last call is a jump.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "runtime/stack/callpath.h"
#include "runtime/stack/code.h"

#ifdef __x86_64__

enum { OFTEN, SELDOM, OTHER_OFTEN, OTHER_SELDOM, ONCE, CALLS };
static uint32_t paths[CALLS];

void note(int call);
void goes_round(int rounds);
void other_goes_round(int rounds);
void goes_on(int rounds);

__attribute__((noinline)) void note(int call)
{
    uint64_t hash;
    paths[call] = efg_callpath_find(__builtin_frame_address(0), &hash);
}

#define BEGIN(name)           \
    name ": .cfi_startproc\n" \
         "    push %rbx\n"    \
         "    .cfi_def_cfa_offset 16\n    .cfi_offset rbx, -16\n"

/* Leaves its loop to the piece that is elsewhere, which leads back. */
#define GOES_ROUND(name, often, seldom)                                         \
    BEGIN(name)                                                                 \
    "    mov %edi, %ebx\n"                                                      \
    "0:  mov $" #often ", %edi\n    call note\n"                                \
    "    dec %ebx\n    jnz 1f\n"                                                \
    "    pop %rbx\n    .cfi_def_cfa_offset 8\n    ret\n    .cfi_endproc\n"      \
    ".pushsection .text.unlikely, \"ax\", @progbits\n"                          \
    "    .cfi_startproc\n    .cfi_def_cfa_offset 16\n"                          \
    "    .cfi_offset rbx, -16\n    nop\n"                                       \
    "1:  mov $" #seldom ", %edi\n    call note\n    jmp 0b\n    .cfi_endproc\n" \
    ".popsection\n"

__asm__(".text\n" GOES_ROUND("goes_round", 0, 1) GOES_ROUND("other_goes_round", 2, 3)
            BEGIN("goes_on") "    mov %edi, %ebx\n    mov $4, %edi\n    call note\n"
                             "    mov %ebx, %edi\n    pop %rbx\n    .cfi_def_cfa_offset 8\n"
                             "    jmp goes_round\n    .cfi_endproc\n");

static struct efg_position position_of(int call)
{
    assert_int_not_equal(paths[call], 0);
    return efg_code_position(paths[call], efg_callpath_get(paths[call]).depth - 1);
}

static uint32_t loop_of(int call)
{
    return efg_place_loop(position_of(call).place);
}

static void a_loop_in_two_pieces(void **state)
{
    (void)state;
    goes_round(3);
    assert_true(loop_of(OFTEN) > EFG_PLACE_NO_LOOP);
    assert_int_equal(loop_of(SELDOM), loop_of(OFTEN));
}

static void left_between_the_pieces(void **state)
{
    (void)state;
    goes_round(3);
    uint32_t often = position_of(OFTEN).leg, seldom = position_of(SELDOM).leg;
    assert_true(often > 0 && often < seldom);
    assert_int_equal(efg_leg_exits_before(often), 0);
    assert_int_equal(efg_leg_exits_before(seldom), 1);
    assert_int_equal(efg_leg_exits_behind(seldom), 0);
}

/* What is asked for first is in the piece that is elsewhere. */
static void from_the_piece_elsewhere(void **state)
{
    (void)state;
    other_goes_round(3);
    assert_true(loop_of(OTHER_SELDOM) > EFG_PLACE_NO_LOOP);
    assert_int_equal(loop_of(OTHER_OFTEN), loop_of(OTHER_SELDOM));
}

/* Its own loop is no loop of the one before. */
static void another_function_goes_on(void **state)
{
    (void)state;
    goes_on(3);
    assert_int_equal(loop_of(ONCE), EFG_PLACE_NO_LOOP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_in_two_pieces),
        cmocka_unit_test(left_between_the_pieces),
        cmocka_unit_test(from_the_piece_elsewhere),
        cmocka_unit_test(another_function_goes_on),
    };

    return efg_callpath_init(EFG_CALLPATH_DEPTH, false, NULL) ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
