/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call frame information, as far as it says how an x86-64 frame leads to that of its caller: where
 * the return address is and where the caller's rbp. It is read from the .eh_frame that is
 * loaded with every module, the same that C++ exceptions are unwound with.
 */
#ifndef EFG_CFI_H
#define EFG_CFI_H

#include <stdint.h>

/* The canonical frame address (CFA) is rsp of the caller, behind the return address. */
enum efg_cfa {
    EFG_CFA_UNKNOWN, /* no information, or of a kind that is not understood here */
    EFG_CFA_NONE,    /* nobody called: the stack ends here */
    EFG_CFA_RSP,     /* rsp + offset */
    EFG_CFA_RBP,     /* rbp + offset */
    EFG_CFA_SAVED,   /* what memory at rbp + offset holds: the stack was realigned */
};

enum efg_rbp {
    EFG_RBP_SAME,   /* not changed by this function */
    EFG_RBP_AT_CFA, /* saved at CFA + offset */
    EFG_RBP_AT_RBP, /* saved at rbp + offset */
};

/* Eight bytes, so that it is a value of efg_map. The return address is at CFA - 8. */
struct efg_rule {
    int32_t cfa_offset;
    int16_t rbp_offset;
    uint8_t cfa, rbp; /* enum efg_cfa, enum efg_rbp */
};

/* The rule at PC, in the module whose .eh_frame_hdr is at HEADER (NULL: it has none). The result
 * is right or EFG_CFA_UNKNOWN; signal frames are unknown. */
struct efg_rule efg_cfi_rule(const uint8_t *header, uintptr_t pc);

#endif
