/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walks up the stack. From a frame to its caller's: the rule of its return address says where that frame
 * ends (the CFA), below which its return address is, and where it has saved rbp.
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
 * Words that only say who has called main are left out: main has one caller, and where the words before
 * them are the same, it has not returned.
 *
 * A word lies in a frame that the words before it have shown to be there, so that it
 * can be read whatever has become of the stack of the walk before.
 *
 * The induction knows of the frames below no more than where it has come to (struct efg_place):
 * two walks at the same place have the same rule, and read the same word next. So a walk is
 * first tried from place to place by the steps that walks before it made (steps.h), whichever
 * they were.
 */
#define _GNU_SOURCE /* mincore */
#include "walk.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "cfi.h"
#include "modules.h"

#ifdef __x86_64__
#define IS_SUPPORTED 1
#else
#define IS_SUPPORTED 0
#endif

#define PAGE 4096     /* the smallest there is on x86-64 */
#define MOST_ENTRY 64 /* bytes of the code that a program begins with */

static struct efg_rule look_up(uintptr_t pc, bool *is_lasting)
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
    bool is_lasting;

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
static bool is_there(struct efg_walk *walk, const uintptr_t *at)
{
    uintptr_t page = (uintptr_t)at & ~(uintptr_t)(PAGE - 1);
    unsigned char is_in_core;

    if (page != walk->page && mincore((void *)page, 1, &is_in_core) == 0)
        walk->page = page;
    return page == walk->page;
}

/* Stack slots of other functions, which a sanitizer takes for its own. */
__attribute__((no_sanitize("address"))) static uintptr_t take(struct efg_walk *walk, const uintptr_t *at)
{
    if (walk->is_astray || !is_there(walk, at)) {
        walk->is_astray = true;
        return 0;
    }
    walk->word[walk->word_count++] = (struct efg_word){at, *at};
    return *at;
}

static uintptr_t take_rbp(struct efg_walk *walk, struct efg_place *place)
{
    if (!place->rbp)
        place->rbp = take(walk, place->rbp_at);
    return place->rbp;
}

static uintptr_t take_cfa(struct efg_walk *walk, struct efg_place *place, struct efg_rule rule)
{
    uintptr_t offset = (uintptr_t)(intptr_t)rule.cfa_offset;
    if (rule.cfa == EFG_CFA_RSP)
        return place->rsp + offset;
    uintptr_t at = take_rbp(walk, place) + offset;
    return rule.cfa == EFG_CFA_RBP ? at : take(walk, (const uintptr_t *)at);
}

static void find_rbp(struct efg_walk *walk, struct efg_place *place, struct efg_rule rule, uintptr_t cfa)
{
    if (rule.rbp == EFG_RBP_SAME)
        return;
    uintptr_t from = rule.rbp == EFG_RBP_AT_CFA ? cfa : take_rbp(walk, place);
    place->rbp_at = (const uintptr_t *)(from + (uintptr_t)(intptr_t)rule.rbp_offset);
    place->rbp = 0;
}

/* The walk has come to ADDRESS, which returns to a function with this RSP. */
static void arrive(struct efg_walk *walk, struct efg_place *place, uintptr_t address, uintptr_t rsp)
{
    place->address = address;
    place->rsp = rsp;
    walk->place[walk->count] = *place;
    walk->words_before[walk->count] = walk->word_count;
    walk->address[walk->count++] = (void *)address;
}

/* Go on to the caller. Returns 1, 0 at the end of the stack, -ENOENT when this is not understood; a
 * stack that does not grow is one: there is something between the frames. */
static int step(struct efg_walk *walk, struct efg_place *place)
{
    struct efg_rule rule = rule_at(walk, place->address - 1);
    if (rule.cfa == EFG_CFA_UNKNOWN)
        return -ENOENT;
    if (rule.cfa == EFG_CFA_NONE)
        return 0;
    uintptr_t cfa = take_cfa(walk, place, rule);
    if (cfa <= place->rsp || cfa % sizeof cfa != 0)
        return -ENOENT;
    find_rbp(walk, place, rule, cfa);
    uintptr_t address = take(walk, (const uintptr_t *)cfa - 1);
    if (walk->is_astray)
        return -ENOENT;
    if (!address)
        return 0;
    arrive(walk, place, address, cfa);
    return 1;
}

/* Returns as step() does. */
static int walk_anew(struct efg_walk *walk, const uintptr_t *frame, uint32_t limit)
{
    struct efg_place place = {.rbp_at = frame};
    int found = 1;

    walk->count = walk->word_count = 0;
    walk->is_astray = false;
    walk->page = 0;
    walk->is_lasting = true;
    arrive(walk, &place, take(walk, frame + 1), (uintptr_t)(frame + 2));
    while (found > 0 && walk->count < limit)
        found = step(walk, &place);
    return found;
}

/* --- The same ways again --- */

/* Returns 0 when the walk has come to its end by steps that are known; else -ENOENT. */
__attribute__((no_sanitize("address"))) static int walk_again(struct efg_walk *walk, const uintptr_t *frame,
                                                              uint32_t limit)
{
    struct efg_steps *steps = &walk->steps;
    struct efg_word *word = walk->word;
    uint32_t count = 0;

    if (!steps->room)
        return -ENOENT;
    uint32_t at = efg_steps_next(steps, EFG_STEPS_BEGIN, (uintptr_t)frame);
    while (at >= EFG_STEPS_FIRST && count < limit) {
        const struct efg_step *step = &steps->step[at];
        uintptr_t value = *step->at;
        *word++ = (struct efg_word){step->at, value};
        walk->address[count] = (void *)value;
        count += value ? step->is_return : 0;
        at = efg_steps_next(steps, at, value);
    }
    walk->count = count;
    walk->word_count = (uint32_t)(word - walk->word);
    walk->is_lasting = true;
    return at == EFG_STEPS_END || count == limit ? 0 : -ENOENT;
}

/* Keep the steps of this walk; HAS_ENDED: it has come to the end of the stack. */
static void learn(struct efg_walk *walk, const uintptr_t *frame, bool has_ended)
{
    struct efg_steps *steps = &walk->steps;
    uint32_t at = EFG_STEPS_BEGIN, words = 0;
    uintptr_t value = (uintptr_t)frame;

    if (efg_steps_make_room(steps, walk->word_count + 1) != 0)
        return;
    for (uint32_t i = 0; i <= walk->count; i++) { /* to the return address I */
        uint32_t end = i < walk->count ? walk->words_before[i] : walk->word_count;
        const struct efg_place *place = i > 0 ? &walk->place[i - 1] : NULL;
        for (; words < end; words++, place = NULL) {
            const struct efg_step new = {.at = walk->word[words].at, .is_return = words + 1 == end};
            uint32_t next = efg_steps_next(steps, at, value);
            if (!next)
                next = efg_steps_link(steps, at, value, efg_steps_state(steps, &new, place));
            if (next < EFG_STEPS_FIRST)
                return;
            at = next;
            value = walk->word[words].value;
        }
    }
    if (has_ended)
        efg_steps_link(steps, at, value, EFG_STEPS_END);
}

/* --- The start of the program --- */

static const struct efg_module *module_of(const struct efg_walk *walk, uint32_t i)
{
    return efg_modules_find((uintptr_t)walk->address[i] - 1);
}

/* Main is what the C library has called, whose first function the beginning of the program has called. */
static void find_start(struct efg_walk *walk)
{
    uint32_t word = walk->word_count, i = walk->count - 1;

    if (walk->count < 3 || (uintptr_t)walk->address[i] - getauxval(AT_ENTRY) > MOST_ENTRY)
        return;
    const struct efg_module *library = module_of(walk, i - 1);
    while (i > 1 && module_of(walk, i - 1) == library)
        i--;
    while (word > 1 && walk->word[word - 1].value != (uintptr_t)walk->address[i])
        word--;
    walk->start = walk->word[word - 1].at;
}

static void leave_out_start(struct efg_walk *walk)
{
    uint32_t count = 1;

    if (!walk->start)
        find_start(walk);
    while (count < walk->word_count && walk->word[count].at != walk->start)
        count++;
    walk->word_count = count;
}

int efg_walk(struct efg_walk *walk, const uintptr_t *frame, uint32_t limit)
{
    if (!IS_SUPPORTED)
        return -ENOTSUP;
    if (walk_again(walk, frame, limit) != 0) {
        int found = walk_anew(walk, frame, limit);
        if (found < 0)
            return found;
        if (walk->is_lasting)
            learn(walk, frame, found == 0);
    }
    leave_out_start(walk);
    return 0;
}

void efg_walk_forget(struct efg_walk *walk)
{
    efg_map_fini(&walk->rules);
    efg_steps_fini(&walk->steps);
}

uint64_t efg_walk_memory(const struct efg_walk *walk)
{
    return efg_map_memory(&walk->rules) + efg_steps_memory(&walk->steps);
}
