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

#ifdef __x86_64__

enum { OFTEN, SELDOM, OTHER_OFTEN, OTHER_SELDOM, ONCE, STAGE, CALLS };
#define ROUNDS 64
static uint32_t paths[CALLS], rounds[ROUNDS], round_count;

void note(int call);
void goes_round(int rounds);
void other_goes_round(int rounds);
void goes_on(int rounds);

__attribute__((noinline)) void note(int call)
{
    uint64_t hash;
    paths[call] = efg_callpath_find(__builtin_frame_address(0), &hash);
    assert_int_equal(hash, efg_callpath_get(paths[call]).hash);
    rounds[round_count++ % ROUNDS] = paths[call];
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
    return efg_callpath_position(paths[call], efg_callpath_get(paths[call]).depth - 1);
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

/* --- first rounds --- */

/* A loop of STEPS rounds, as a compiler leaves it: what is in it is BODY. */
#define STEPS(name, body)                                                                       \
    ".globl " name "\n" name ": .cfi_startproc\n"                                               \
    "    push %rbp\n    .cfi_def_cfa_offset 16\n    .cfi_offset rbp, -16\n"                     \
    "    push %rbx\n    .cfi_def_cfa_offset 24\n    .cfi_offset rbx, -24\n"                     \
    "    sub $24, %rsp\n    .cfi_def_cfa_offset 48\n"                                           \
    "    mov %edi, %ebp\n0:\n" body "    dec %ebp\n    jnz 0b\n"                                \
    "    add $24, %rsp\n    .cfi_def_cfa_offset 24\n    pop %rbx\n    .cfi_def_cfa_offset 16\n" \
    "    pop %rbp\n    .cfi_def_cfa_offset 8\n    ret\n    .cfi_endproc\n"
#define CALL "    mov $5, %edi\n    call pass_on\n"

__asm__(
    ".text\n" STEPS("counts_up",
                    "    mov $1, %ebx\n1:\n" CALL "    add $1, %ebx\n    cmp $4, %ebx\n    jne 1b\n")
        STEPS("adds_first", "    xor %ebx, %ebx\n1:  add $1, %ebx\n" CALL "    cmp $3, %ebx\n    jne 1b\n")
            STEPS("counts_down", "    mov $3, %ebx\n1:\n" CALL "    dec %ebx\n    jnz 1b\n")
                STEPS("in_the_stack", "    movl $0, 8(%rsp)\n    jmp 2f\n1:\n" CALL
                                      "    addl $1, 8(%rsp)\n2:  cmpl $2, 8(%rsp)\n    jle 1b\n")
                    STEPS("of_64_bits", "    mov $8, %ebx\n1:\n" CALL
                                        "    lea 8(%rbx), %rbx\n    cmp $32, %rbx\n    jne 1b\n")
                        STEPS("too_many", "    xor %ebx, %ebx\n1:\n" CALL
                                          "    add $1, %ebx\n    cmp $12, %ebx\n    jne 1b\n")
                            STEPS("ends_elsewhere",
                                  "    xor %ebx, %ebx\n1:\n" CALL "    cmp $3, %ebx\n    jne 2f\n    nop\n"
                                  "2:  inc %ebx\n    mov $12, %eax\n    cmp %eax, %ebx\n    jne 1b\n")
                                STEPS("now_and_then",
                                      "    xor %ebx, %ebx\n1:  test $1, %bpl\n    jz 2f\n" CALL
                                      "2:  inc %ebx\n    cmp $3, %ebx\n    jne 1b\n")
                                    STEPS("from_anywhere", "    mov %ebp, %ebx\n    and $3, %ebx\n1:\n" CALL
                                                           "    add $1, %ebx\n    cmp $4, %ebx\n    jle 1b\n")
                                        STEPS("is_changed",
                                              "    xor %ebx, %ebx\n1:\n" CALL
                                              "    test %ebp, %ebp\n    jnz 2f\n    mov $1, %ebx\n"
                                              "2:  add $1, %ebx\n    cmp $3, %ebx\n    jl 1b\n"));

void counts_up(int steps);
void adds_first(int steps);
void counts_down(int steps);
void in_the_stack(int steps);
void of_64_bits(int steps);
void too_many(int steps);
void ends_elsewhere(int steps);
void now_and_then(int steps);
void from_anywhere(int steps);
void is_changed(int steps);
void pass_on(int call);

/* Registers are saved here, if at all. */
__attribute__((noinline)) void pass_on(int call)
{
    __asm__ volatile("" ::: "rbx", "r12");
    note(call);
    __asm__ volatile("" ::: "rbx", "r12");
}

/* The call of pass_on: others are above it, in loops of this test, too. */
enum { PASSED_ON = 1 };

static unsigned firsts_of(uint32_t path)
{
    return efg_frame_firsts(efg_callpath_get(path).frames[PASSED_ON].offset);
}

static uint32_t place_of(uint32_t path)
{
    return efg_place_loop(efg_callpath_position(path, efg_callpath_get(path).depth - 1 - PASSED_ON).place);
}

/* The first call of each step has a path of its own, that of the first step included; all others have one. */
static void in_the_first_round(void **state)
{
    static void (*const functions[])(int) = {counts_up, adds_first, counts_down, in_the_stack, of_64_bits};

    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        round_count = 0;
        functions[i](4);
        assert_int_equal(round_count, 12);
        assert_int_not_equal(rounds[0], rounds[1]);
        for (uint32_t k = 3; k < round_count; k++) {
            assert_int_equal(rounds[k], rounds[k % 3 ? 4 : 3]);
            assert_int_equal(firsts_of(rounds[k]), k % 3 == 0);
        }
        uint32_t steps = place_of(rounds[3]);
        assert_true(steps > EFG_PLACE_NO_LOOP);
    }
}

static void in_no_round(void **state)
{
    static void (*const functions[])(int) = {too_many, ends_elsewhere, now_and_then, from_anywhere,
                                             is_changed};

    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        round_count = 0;
        functions[i](4);
        for (uint32_t k = 0; k < round_count && k < ROUNDS; k++)
            assert_int_equal(firsts_of(rounds[k]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_first_round),       cmocka_unit_test(in_no_round),
        cmocka_unit_test(a_loop_in_two_pieces),     cmocka_unit_test(left_between_the_pieces),
        cmocka_unit_test(from_the_piece_elsewhere), cmocka_unit_test(another_function_goes_on),
    };

    return efg_callpath_init(EFG_CALLPATH_DEPTH, false, NULL) ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
