/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The call path that is expected, inline: of nearly all calls nothing else of callpath.h is needed.
 */
#ifndef EFG_EXPECTED_H
#define EFG_EXPECTED_H

#include "base/hot.h"
#include "callpath.h"
#include "memo.h"
#include "modules.h"

/* Of a thread: all that a call touches whose path is the expected one. All zero before the first one. */
struct efg_callpath_mine {
    uint64_t generation; /* of modules, that the rest holds for */
    struct efg_memo_hand hand;
};

/* That of the calling thread, for as long as it lives. */
struct efg_callpath_mine *efg_callpath_mine(void);

/* What is expected after the last call, if a walk from FRAME would be the same now; NULL if not, or if that
 * cannot be asked at once. Whoever uses its path says so by the other one: then what came after it is
 * expected next. */
EFG_INLINE struct efg_memo_entry *efg_callpath_expected(const struct efg_callpath_mine *mine,
                                                        const uintptr_t *frame)
{
    struct efg_memo_entry *e = mine->hand.expected.last;

    if (__builtin_expect(mine->generation != efg_modules_generation(), 0))
        return NULL;
    if (__builtin_expect(!e, 0))
        return NULL;
    return efg_memo_is_whole(e, frame) ? e : NULL;
}

EFG_INLINE void efg_callpath_turn(struct efg_callpath_mine *mine, struct efg_memo_entry *e)
{
    efg_memo_turn(&mine->hand, e);
}

#endif
