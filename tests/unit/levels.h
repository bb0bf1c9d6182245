/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many call paths from little code: EFG_LEVEL(NAME, NEXT, POWER) is a function of ten call sites of
 * NEXT, of which the digit of its argument at POWER (1, 10, 100 ...) takes one. Functions of
 * three such levels have a thousand paths. Each call is other code, so that compilers leave
 * it at its place.
 */
#ifndef EFG_TEST_LEVELS_H
#define EFG_TEST_LEVELS_H

#define EFG_SITE(next, digit, number)                     \
    case digit:                                           \
        (next)(number);                                   \
        __asm__ volatile("# %0" ::"i"(digit) : "memory"); \
        break;
#define EFG_LEVEL(name, next, power)                            \
    static __attribute__((noinline)) void name(unsigned number) \
    {                                                           \
        switch (number / (power) % 10) {                        \
            EFG_SITE(next, 0, number)                           \
            EFG_SITE(next, 1, number)                           \
            EFG_SITE(next, 2, number)                           \
            EFG_SITE(next, 3, number)                           \
            EFG_SITE(next, 4, number)                           \
            EFG_SITE(next, 5, number)                           \
            EFG_SITE(next, 6, number)                           \
            EFG_SITE(next, 7, number)                           \
            EFG_SITE(next, 8, number)                           \
            EFG_SITE(next, 9, number)                           \
        }                                                       \
    }

#endif
