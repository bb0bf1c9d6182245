/* SPDX-License-Identifier: BSD-3-Clause */
#include "firsts.h"

#include <string.h>

#include "cfi.h"
#include "code.h"
#include "modules.h"
#include "saved.h"

/* The outermost of its loops is entered at ENTRY. */
static void add(struct efg_firsts_search *s, struct efg_first first, struct efg_position position,
                struct efg_position entry)
{
    struct efg_firsts *f = &s->firsts;

    if (first.most && !s->is_in_loop && !efg_place_is_looping(entry.place))
        first.most--;
    s->is_in_loop = s->is_in_loop || efg_place_is_looping(position.place);
    if (!first.most)
        return;
    if (f->count == EFG_FIRSTS_FRAMES)
        memmove(f->of, f->of + 1, --f->count * sizeof *f->of);
    f->of[f->count++] = first;
}

void efg_firsts_add_python(struct efg_firsts_search *search, uint32_t frame, uint32_t function,
                           const struct efg_pycall *call)
{
    uint32_t most = call->for_count;
    struct efg_first first = {frame, function, most, .is_python = true, .slot = call->slot};

    add(search, first, call->position, most ? call->entry[most - 1] : call->position);
}

void efg_firsts_add(struct efg_firsts_search *search, uint32_t frame, uint32_t caller,
                    struct efg_position position, const struct efg_few *few)
{
    struct efg_first first = {frame, caller, few->count, .few = *few};

    add(search, first, position, few->count ? few->loop[few->count - 1].entry : position);
}

/* --- where rounds are counted --- */

static bool has_frame_pointer(const void *address)
{
    const struct efg_module *m = efg_modules_find((uintptr_t)address - 1);

    return m && efg_cfi_rule(efg_modules_frame_info(m), (uintptr_t)address - 1).cfa == EFG_CFA_RBP;
}

static const void *locate(const struct efg_saved *saved, uint64_t variable, const void *address)
{
    struct efg_code_variable v = efg_code_variable(variable);

    if (v.base < EFG_CODE_STACK)
        return saved->at[v.base];
    if (!saved->rsp || (v.base == EFG_CODE_FRAME && !has_frame_pointer(address)))
        return NULL;
    return (const void *)((v.base == EFG_CODE_STACK ? saved->rsp : saved->rbp) +
                          (uintptr_t)(intptr_t)v.offset);
}

uint32_t efg_firsts_locate(const struct efg_firsts *firsts, const uintptr_t *frame,
                           const struct efg_walk *walk, struct efg_memo_round *rounds)
{
    struct efg_saved saved[EFG_FIRSTS_FRAMES];
    uint32_t number[EFG_FIRSTS_FRAMES], count = 0;

    for (uint32_t i = 0; i < firsts->count; i++)
        number[i] = firsts->of[i].caller;
    efg_saved_find(frame, walk->address, number, firsts->count, saved);
    for (uint32_t i = 0; i < firsts->count; i++)
        for (uint32_t k = 0; k < firsts->of[i].most; k++) {
            const struct efg_few_loop *loop = &firsts->of[i].few.loop[k];
            const void *address = walk->address[number[i]];
            struct efg_memo_round *round = &rounds[count++];
            *round = (struct efg_memo_round){.at = locate(&saved[i], loop->variable, address),
                                             .first = loop->first};
            if (loop->other && !(round->other = locate(&saved[i], loop->other, address)))
                round->at = NULL;
        }
    return count;
}

/* --- now --- */

/* A word of another function, which a sanitizer takes for its own. */
__attribute__((no_sanitize("address", "alignment"))) static uint32_t word_at(const void *at)
{
    return *(const volatile uint32_t *)at;
}

static bool is_first(const struct efg_memo_round *round)
{
    return round->at && word_at(round->at) == round->first + (round->other ? word_at(round->other) : 0);
}

uint32_t efg_firsts_now(const struct efg_firsts *firsts, const struct efg_python *python,
                        const struct efg_memo_round *rounds, uint32_t count)
{
    uint32_t now = 0, next = 0;

    for (uint32_t i = 0; i < firsts->count; i++) {
        const struct efg_first *f = &firsts->of[i];
        uint32_t loops = 0;
        if (f->is_python) {
            loops = efg_python_firsts(python, f->caller, f->slot, f->most);
        } else if (next + f->most <= count) {
            while (loops < f->most && is_first(&rounds[next + loops]))
                loops++;
            next += f->most;
        }
        now |= loops << 2 * i;
    }
    return now;
}

void efg_firsts_mark(const struct efg_firsts *firsts, uint32_t now, struct efg_frame *frames)
{
    for (uint32_t i = 0; i < firsts->count; i++)
        frames[firsts->of[i].frame].offset |= (uint64_t)(now >> 2 * i & 3) << EFG_FRAME_FIRST_SHIFT;
}
