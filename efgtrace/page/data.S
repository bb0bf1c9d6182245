/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page of the report, as assemble.sh has made it: page.c.
 */
        .section .rodata

        .macro  embed name, file
        .global \name, \name\()_end
        .hidden \name, \name\()_end
\name\():
        .incbin "\file"
\name\()_end:
        .endm

        embed   efg_page_head, PAGE_HEAD
        embed   efg_page_tail, PAGE_TAIL

        .section .note.GNU-stack, "", %progbits
