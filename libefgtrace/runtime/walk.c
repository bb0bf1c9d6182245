/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a frame to its caller's: the rule of its return address says where that frame ends (the
 * CFA), below which its return address is, and where it has saved rbp.
 *
 * What the walk depends on, by induction from the innermost frame. Where FRAME is the same, the
 * first return address is at the same place. Where the return address of a frame has the same
 * value and is at the same place, its caller has the same rule and begins at the same place:
 * its rsp is the CFA of the frame. The next return address then is at the same place
 *     if the rule counts from rsp, as frames of a fixed size do;
 *     if it counts from rbp (alloca, variable arrays, aligned stacks) and rbp is the same;
 *     if it reads the CFA from memory at rbp + n, and rbp and that memory are the same.
 * So these are the words to compare: return addresses, rbp where it is made use of, and
 * memory that holds a CFA. rbp is compared at the place where the frames below have
 * saved it. Where no rule asks for it, it is not compared: it mostly holds a variable.
 *
 * A word lies in a frame that the words before it have shown to be there, so that it
 * can be read whatever has become of the stack of the walk before.
 */
#define _GNU_SOURCE /* mincore */
#include "runtime/walk.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime/cfi.h"
#include "runtime/modules.h"

#ifdef __x86_64__
#define IS_SUPPORTED 1
#else
#define IS_SUPPORTED 0
#endif

#define PAGE 4096 /* the smallest there is on x86-64 */

/* Where the walk is: in the function that its last address returns to. */
struct place {
    uintptr_t rsp;
    const uintptr_t *rbp_at; /* where the frames below have saved rbp */
    int is_rbp_known;        /* it is among the words */
};

static struct efg_rule look_up(uintptr_t pc, int *is_lasting)
{
    struct efg_rule unknown = {.cfa = EFG_CFA_UNKNOWN};
    struct efg_module *module = efg_modules_find(pc);

    *is_lasting = module && efg_modules_watch(module) == 0;
    return module ? efg_cfi_rule(efg_modules_frame_info(module), pc) : unknown;
}

static struct efg_rule rule_at(struct efg_walk *walk, uintptr_t pc)
{
    uint64_t *known = efg_map_find(&walk->rules, pc);
    struct efg_rule rule;
    int is_lasting;

    _Static_assert(sizeof rule == sizeof *known, "a rule is a value of the map");
    if (known) {
        memcpy(&rule, known, sizeof rule);
        return rule;
    }
    rule = look_up(pc, &is_lasting);
    walk->is_lasting &= is_lasting;
    known = is_lasting ? efg_map_put(&walk->rules, pc) : NULL;
    if (known)
        memcpy(known, &rule, sizeof rule);
    return rule;
}

/* Unwind information may be wrong, in hand-written code above all: no word is read where
 * nothing is mapped. */
static int is_there(struct efg_walk *walk, const uintptr_t *at)
{
    uintptr_t page = (uintptr_t)at & ~(uintptr_t)(PAGE - 1);
    unsigned char is_in_core;

    if (page != walk->page && mincore((void *)page, 1, &is_in_core) == 0)
        walk->page = page;
    return page == walk->page;
}

/* Stack slots of other functions, which a sanitizer takes for its own. */
__attribute__((no_sanitize("address"))) static uintptr_t take(struct efg_walk *walk,
                                                              const uintptr_t *at)
{
    if (walk->is_astray || !is_there(walk, at)) {
        walk->is_astray = 1;
        return 0;
    }
    walk->word[walk->word_count++] = (struct efg_word){at, *at};
    return *at;
}

__attribute__((no_sanitize("address"))) static uintptr_t take_rbp(struct efg_walk *walk,
                                                                  struct place *place)
{
    if (place->is_rbp_known && !walk->is_astray)
        return *place->rbp_at;
    place->is_rbp_known = 1;
    return take(walk, place->rbp_at);
}

static uintptr_t take_cfa(struct efg_walk *walk, struct place *place, struct efg_rule rule)
{
    uintptr_t offset = (uintptr_t)(intptr_t)rule.cfa_offset;
    if (rule.cfa == EFG_CFA_RSP)
        return place->rsp + offset;
    uintptr_t at = take_rbp(walk, place) + offset;
    return rule.cfa == EFG_CFA_RBP ? at : take(walk, (const uintptr_t *)at);
}

static void find_rbp(struct efg_walk *walk, struct place *place, struct efg_rule rule,
                     uintptr_t cfa)
{
    if (rule.rbp == EFG_RBP_SAME)
        return;
    uintptr_t from = rule.rbp == EFG_RBP_AT_CFA ? cfa : take_rbp(walk, place);
    place->rbp_at = (const uintptr_t *)(from + (uintptr_t)(intptr_t)rule.rbp_offset);
    place->is_rbp_known = 0;
}

/* Go on to the caller. Returns 1, 0 at the end of the stack, -1 when this is not understood; a
 * stack that does not grow is one: there is something between the frames. */
static int step(struct efg_walk *walk, struct place *place)
{
    struct efg_rule rule = rule_at(walk, (uintptr_t)walk->address[walk->count - 1] - 1);
    if (rule.cfa == EFG_CFA_UNKNOWN)
        return -1;
    if (rule.cfa == EFG_CFA_NONE)
        return 0;
    uintptr_t cfa = take_cfa(walk, place, rule);
    if (cfa <= place->rsp || cfa % sizeof cfa != 0)
        return -1;
    find_rbp(walk, place, rule, cfa);
    uintptr_t address = take(walk, (const uintptr_t *)cfa - 1);
    if (walk->is_astray)
        return -1;
    if (!address)
        return 0;
    walk->address[walk->count++] = (void *)address;
    place->rsp = cfa;
    return 1;
}

int efg_walk(struct efg_walk *walk, const uintptr_t *frame, uint32_t limit)
{
    struct place place = {.rsp = (uintptr_t)(frame + 2), .rbp_at = frame};
    int found = 1;

    if (!IS_SUPPORTED)
        return -1;
    walk->word_count = 0;
    walk->is_astray = 0;
    walk->page = 0;
    walk->address[0] = (void *)take(walk, frame + 1);
    walk->count = 1;
    walk->is_lasting = 1;
    while (found > 0 && walk->count < limit)
        found = step(walk, &place);
    return found < 0 ? -1 : 0;
}

void efg_walk_forget(struct efg_walk *walk)
{
    efg_map_fini(&walk->rules);
}
