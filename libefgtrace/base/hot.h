/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions on the path of an event. The linker puts them next to one another: between two calls
 * a program fills the caches with other things, and then they are read again, line by line and
 * page by page. (A tenth of the cost of a call, when 8 MB were written before it.)
 */
#ifndef EFG_HOT_H
#define EFG_HOT_H

#define EFG_HOT __attribute__((hot))

/* On that path, too: inlined, whatever the compiler thinks of its size. */
#define EFG_INLINE static inline __attribute__((always_inline))

/* Variables of the process that all calls read, likewise. */
#define EFG_HOT_DATA __attribute__((section("efg_hot")))

/* How these are declared: they are of this library, so that no table is asked where they are. */
#define EFG_HOT_EXTERN extern __attribute__((visibility("hidden")))

/* gcc keeps POINTER in a register, rather than to compute it again where it is used, or from another one. */
#define EFG_KEEP(pointer) __asm__("" : "+r"(pointer))

#endif
