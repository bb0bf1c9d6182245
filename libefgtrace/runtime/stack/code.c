/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A function is read from its first to its last byte. Blocks begin where jumps lead to, and
 * behind jumps; an edge leads from each block to where it may go on:
 *
 *     bytes -> jumps and calls -> blocks and edges -> places of blocks -> places of calls
 *
 * An indirect jump, the only one of its function, is that of a switch: it leads to all blocks
 * that nothing else leads to. With several of them nothing is known.
 *
 * The bytes are copied by a system call, which fails where the process may not read them.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "code.h"

#include "callpath.h"

#ifdef __x86_64__

#include <Zydis/Zydis.h>
#include <libunwind.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "modules.h"
#include "runtime/base/clock.h"
#include "runtime/base/memory.h"

#define MOST_BYTES 0x40000 /* of a function */
#define MOST_CALLS 0x10000 /* that are remembered */

enum what { JUMP, BRANCH, SWITCH, END, CALL }; /* BRANCH goes on behind it, too; END does not */

/* Where the code does something else than to go on with the next instruction. */
struct turn {
    uint32_t at, behind; /* offset of the instruction, and of the next one */
    uint32_t to;         /* JUMP, BRANCH: offset; UINT32_MAX: out of the function */
    enum what what;
};

struct function {
    uintptr_t start;
    uint32_t size;
    uint8_t *bytes;
    struct turn *turns;
    uint32_t turn_count, switches;
    uint32_t *begins; /* offsets of the blocks, rising */
    uint32_t count;   /* of them */
    uint32_t *first, *targets;
    efg_place *place;
};

static struct efg_map places; /* of calls, by module and offset of their last byte */
static uint64_t held;
static __thread uint64_t spent __attribute__((tls_model("initial-exec")));

static void function_fini(struct function *f)
{
    free(f->bytes);
    free(f->turns);
    free(f->begins);
    free(f->first);
    free(f->targets);
    free(f->place);
}

/* --- bytes --- */

static int find_function(struct function *f, uintptr_t address)
{
    unw_proc_info_t info;

    if (unw_get_proc_info_by_ip(unw_local_addr_space, address, &info, NULL) != 0 || address < info.start_ip ||
        address >= info.end_ip || info.end_ip - info.start_ip > MOST_BYTES)
        return -1;
    f->start = info.start_ip;
    f->size = (uint32_t)(info.end_ip - info.start_ip);
    return 0;
}

static int copy_bytes(struct function *f)
{
    f->bytes = malloc(f->size);
    struct iovec to = {f->bytes, f->size}, from = {(void *)f->start, f->size};
    return f->bytes && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)f->size ? 0 : -1;
}

/* --- jumps and calls --- */

/* 0 where the code just goes on. */
static int is_turn(const struct function *f, const ZydisDecodedInstruction *i, uint32_t at, struct turn *turn)
{
    int is_direct = i->raw.imm[0].is_relative;
    uint64_t to = at + i->length + (is_direct ? i->raw.imm[0].value.u : 0);

    *turn = (struct turn){at, at + i->length, UINT32_MAX, END};
    switch (i->meta.category) {
    case ZYDIS_CATEGORY_CALL:
        turn->what = CALL;
        return 1;
    case ZYDIS_CATEGORY_COND_BR:
        turn->what = BRANCH;
        break;
    case ZYDIS_CATEGORY_UNCOND_BR:
        turn->what = is_direct ? JUMP : SWITCH;
        break;
    default:
        return i->meta.category == ZYDIS_CATEGORY_RET || i->mnemonic == ZYDIS_MNEMONIC_UD2 ||
               i->mnemonic == ZYDIS_MNEMONIC_HLT;
    }
    if (is_direct && to < f->size)
        turn->to = (uint32_t)to;
    return 1;
}

static int decode(struct function *f)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction i;

    f->turns = malloc((f->size + 1ul) * sizeof *f->turns); /* most of it is never touched */
    if (!f->turns ||
        !ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
        return -1;
    for (uint32_t at = 0; at < f->size; at += i.length) {
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, f->bytes + at, f->size - at, &i)))
            return -1; /* it is no code */
        if (is_turn(f, &i, at, &f->turns[f->turn_count]))
            f->switches += f->turns[f->turn_count++].what == SWITCH;
    }
    return 0;
}

/* --- blocks and edges --- */

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static int find_blocks(struct function *f)
{
    uint32_t count = 0, kept = 1;

    f->begins = malloc((2ul * f->turn_count + 1) * sizeof *f->begins);
    if (!f->begins)
        return -1;
    f->begins[count++] = 0;
    for (uint32_t i = 0; i < f->turn_count; i++) {
        const struct turn *t = &f->turns[i];
        if (t->what != CALL && t->behind < f->size)
            f->begins[count++] = t->behind;
        if (t->to != UINT32_MAX)
            f->begins[count++] = t->to;
    }
    qsort(f->begins, count, sizeof *f->begins, compare);
    for (uint32_t i = 1; i < count; i++)
        if (f->begins[i] != f->begins[kept - 1])
            f->begins[kept++] = f->begins[i];
    f->count = kept;
    return 0;
}

/* The block that is at, or around, the offset AT. */
static uint32_t block_of(const struct function *f, uint32_t at)
{
    uint32_t from = 0, to = f->count;

    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (f->begins[middle] <= at)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* The turn that ends each block, or NULL where it goes on with the next one. */
static const struct turn *end_of(const struct function *f, uint32_t block, uint32_t *next)
{
    uint32_t end = block + 1 < f->count ? f->begins[block + 1] : f->size;
    const struct turn *last = NULL;

    for (; *next < f->turn_count && f->turns[*next].at < end; ++*next)
        if (f->turns[*next].what != CALL)
            last = &f->turns[*next];
    return last;
}

static uint32_t add_orphans(const struct function *f, const uint8_t *is_target, uint32_t count)
{
    for (uint32_t b = 1; b < f->count; b++)
        if (!is_target[b])
            f->targets[count++] = b;
    return count;
}

static uint32_t add_edges(const struct function *f, const struct turn *end, uint32_t block,
                          const uint8_t *is_target, uint32_t count)
{
    if (end && end->to != UINT32_MAX)
        f->targets[count++] = block_of(f, end->to);
    if (end && end->what == SWITCH)
        count = add_orphans(f, is_target, count);
    if ((!end || end->what == BRANCH) && block + 1 < f->count)
        f->targets[count++] = block + 1;
    return count;
}

/* Twice: the second time it is known what nothing leads to. */
static void find_edges(struct function *f, uint8_t *is_target)
{
    for (int time = 0; time < 2; time++) {
        uint32_t count = 0, next = 0;
        for (uint32_t b = 0; b < f->count; b++) {
            const struct turn *end = end_of(f, b, &next);
            f->first[b] = count;
            if (time || !end || end->what != SWITCH)
                count = add_edges(f, end, b, is_target, count);
        }
        f->first[f->count] = count;
        for (uint32_t i = 0; i < count; i++)
            is_target[f->targets[i]] = 1;
    }
}

static int find_places(struct function *f)
{
    uint8_t *is_target = calloc(f->count, 1);
    int error = -1;

    f->first = malloc((f->count + 1ul) * sizeof *f->first);
    f->targets = malloc(3ul * f->count * sizeof *f->targets);
    f->place = malloc(f->count * sizeof *f->place);
    if (is_target && f->first && f->targets && f->place) {
        find_edges(f, is_target);
        error = efg_place_find(&(struct efg_digraph){f->count, f->first, f->targets}, f->place);
    }
    free(is_target);
    return error;
}

/* --- places of calls --- */

static uint64_t key_of(const struct efg_module *module, uint64_t offset)
{
    return efg_hash_mix(module->hash, offset);
}

static void remember(const struct efg_module *module, uint64_t offset, efg_place place)
{
    uint64_t *slot = efg_map_is_full(&places) && !efg_memory_may_remember(efg_map_memory(&places))
                         ? NULL
                         : efg_map_put(&places, key_of(module, offset));
    if (slot)
        *slot = place;
}

static void remember_calls(const struct function *f, const struct efg_module *module)
{
    for (uint32_t i = 0; i < f->turn_count && places.count < MOST_CALLS; i++)
        if (f->turns[i].what == CALL)
            remember(module, f->start + f->turns[i].behind - 1 - module->base,
                     f->place[block_of(f, f->turns[i].at)]);
}

static void look_at(const struct efg_module *module, uintptr_t address)
{
    struct function f = {0};

    if (find_function(&f, address) == 0 && copy_bytes(&f) == 0 && decode(&f) == 0 && f.switches < 2 &&
        find_blocks(&f) == 0 && find_places(&f) == 0)
        remember_calls(&f, module);
    function_fini(&f);
}

static efg_place place_of(const struct efg_module *module, uint64_t offset)
{
    const uint64_t *known = efg_map_find(&places, key_of(module, offset));

    if (known)
        return (efg_place)*known;
    if (places.count >= MOST_CALLS || efg_modules_find(module->base + offset) != module) /* it was unloaded */
        return EFG_PLACE_UNKNOWN;
    uint64_t begin = efg_clock_cpu();
    look_at(module, module->base + offset);
    known = efg_map_find(&places, key_of(module, offset));
    if (!known)
        remember(module, offset, EFG_PLACE_UNKNOWN);
    efg_memory_settle(&held, efg_map_memory(&places));
    spent += efg_clock_cpu() - begin;
    return known ? (efg_place)*known : EFG_PLACE_UNKNOWN;
}

efg_place efg_code_place(uint32_t path, uint32_t frame)
{
    struct efg_path p = path ? efg_callpath_get(path) : (struct efg_path){0};

    if (frame >= p.depth)
        return EFG_PLACE_UNKNOWN;
    const struct efg_frame *f = &p.frames[p.depth - 1 - frame];
    return place_of(efg_modules_get(f->module), f->offset);
}

uint64_t efg_code_time(void)
{
    return spent;
}

#else

efg_place efg_code_place(uint32_t path, uint32_t frame)
{
    (void)path;
    (void)frame;
    return EFG_PLACE_UNKNOWN;
}

uint64_t efg_code_time(void)
{
    return 0;
}

#endif
