/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the loops in the machine code of a function. A function is read from its first to its last byte.
 * Blocks begin where jumps lead to, and behind jumps; an edge leads from each block to where it may go on:
 *
 *     bytes -> jumps and calls -> blocks and edges -> positions of blocks -> positions of calls
 *
 * An indirect jump, the only one of its function, is that of a switch: it leads to all blocks
 * that nothing else leads to. With several of them nothing is known.
 *
 * Compilers put what hardly ever runs elsewhere, with unwind information of its own. A jump to where the
 * stack pointer is not as at an entry leads to such a piece, or back from it; others leave the function.
 *
 * The bytes are copied by a system call, which fails where the process may not read them.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "code.h"

#include "callpath.h"
#include "cfi.h"

#ifdef __x86_64__

#include <Zydis/Zydis.h>
#include <errno.h>
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
#define MOST_PIECES 8      /* of one */
#define MOST_CALLS 0x10000 /* that are remembered */

enum what { JUMP, BRANCH, SWITCH, END, CALL }; /* BRANCH goes on behind it, too; END does not */

/* Where the code does something else than to go on with the next instruction. */
struct turn {
    uint32_t at, behind; /* offset of the instruction, and of the next one */
    enum what what;
    uintptr_t to; /* JUMP, BRANCH: address; 0: none */
};

struct piece {
    uintptr_t start;
    uint32_t size, at; /* offset of its bytes in those of the function */
};

struct function {
    const struct efg_module *module;
    struct piece pieces[MOST_PIECES]; /* the first one begins with the entry */
    uint32_t piece_count;
    uint32_t size; /* of all, each with a HALT behind it */
    uint8_t *bytes;
    struct turn *turns;
    uint32_t turn_count, switches;
    uint32_t *begins; /* offsets of the blocks, rising */
    uint32_t count;   /* of them */
    uint32_t *first, *targets;
    struct efg_position *position;
};

static uint32_t functions;       /* that were looked at */
static struct efg_map positions; /* of calls, by module and offset of their last byte */
static uint64_t held;
static __thread uint64_t spent __attribute__((tls_model("initial-exec")));

static void function_fini(struct function *f)
{
    free(f->bytes);
    free(f->turns);
    free(f->begins);
    free(f->first);
    free(f->targets);
    free(f->position);
}

/* --- pieces --- */

#define HALT 0xf4 /* nothing goes on from one piece to the next */

static uint32_t offset_of(const struct function *f, uintptr_t address)
{
    for (uint32_t i = 0; i < f->piece_count; i++)
        if (address - f->pieces[i].start < f->pieces[i].size)
            return f->pieces[i].at + (uint32_t)(address - f->pieces[i].start);
    return UINT32_MAX;
}

static uintptr_t address_of(const struct function *f, uint32_t offset)
{
    uint32_t i = f->piece_count - 1;

    while (offset < f->pieces[i].at)
        i--;
    return f->pieces[i].start + (offset - f->pieces[i].at);
}

/* The stack pointer at ADDRESS is as a caller leaves it, or not known: in a stub of the linker. */
static bool is_entry(const struct function *f, uintptr_t address)
{
    struct efg_rule rule = efg_cfi_rule(efg_modules_frame_info(f->module), address);

    return rule.cfa == EFG_CFA_UNKNOWN || (rule.cfa == EFG_CFA_RSP && rule.cfa_offset == 8);
}

static int copy_piece(struct function *f, const struct piece *piece)
{
    uint8_t *bytes = realloc(f->bytes, f->size + piece->size + 1);
    struct iovec to, from = {(void *)piece->start, piece->size};

    if (!bytes)
        return -ENOMEM;
    f->bytes = bytes;
    to = (struct iovec){bytes + f->size, piece->size};
    bytes[f->size + piece->size] = HALT;
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)piece->size ? 0 : -1;
}

/* The piece that ADDRESS is in. */
static int add_piece(struct function *f, uintptr_t address)
{
    unw_proc_info_t info;

    if (f->piece_count == MOST_PIECES ||
        unw_get_proc_info_by_ip(unw_local_addr_space, address, &info, NULL) != 0 || address < info.start_ip ||
        address >= info.end_ip || info.end_ip - info.start_ip > MOST_BYTES - f->size)
        return -ENOTSUP;
    struct piece piece = {info.start_ip, (uint32_t)(info.end_ip - info.start_ip), f->size};
    if (copy_piece(f, &piece))
        return -ENOTSUP;
    f->pieces[f->piece_count++] = piece;
    f->size += piece.size + 1;
    return 0;
}

/* --- jumps and calls --- */

/* 0 where the code just goes on. */
static bool is_turn(const struct function *f, const ZydisDecodedInstruction *i, uint32_t at,
                    struct turn *turn)
{
    bool is_direct = i->raw.imm[0].is_relative;

    *turn = (struct turn){at, at + i->length, END, 0};
    switch (i->meta.category) {
    case ZYDIS_CATEGORY_CALL:
        turn->what = CALL;
        return true;
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
    if (is_direct)
        turn->to = address_of(f, at) + i->length + i->raw.imm[0].value.u;
    return true;
}

/* Its turns are added, and the pieces that it leads to. */
static int decode_piece(struct function *f, const ZydisDecoder *decoder, struct piece piece)
{
    ZydisDecodedInstruction i;
    uint32_t end = piece.at + piece.size + 1;
    /* Most of it is never touched. */
    struct turn *turns = realloc(f->turns, (f->turn_count + piece.size + 1ul) * sizeof *turns);

    if (!turns)
        return -ENOMEM;
    f->turns = turns;
    for (uint32_t at = piece.at; at < end; at += i.length) {
        struct turn *turn = &turns[f->turn_count];
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, f->bytes + at, end - at, &i)))
            return -ENOTSUP; /* it is no code */
        if (!is_turn(f, &i, at, turn))
            continue;
        f->turn_count++;
        f->switches += turn->what == SWITCH;
        if (turn->to && offset_of(f, turn->to) == UINT32_MAX && !is_entry(f, turn->to) &&
            add_piece(f, turn->to))
            return -ENOTSUP;
    }
    return 0;
}

static int decode(struct function *f, uintptr_t address)
{
    ZydisDecoder decoder;

    if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
        add_piece(f, address))
        return -ENOTSUP;
    for (uint32_t i = 0; i < f->piece_count; i++)
        if (decode_piece(f, &decoder, f->pieces[i]))
            return -ENOTSUP;
    return 0;
}

/* --- blocks and edges --- */

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Where TURN leads to; UINT32_MAX: out of the function. */
static uint32_t target_of(const struct function *f, const struct turn *turn)
{
    return turn->to ? offset_of(f, turn->to) : UINT32_MAX;
}

/* Behind a piece. */
static bool is_halt(const struct function *f, uint32_t offset)
{
    uint32_t i = 0;

    while (i < f->piece_count && f->pieces[i].at + f->pieces[i].size != offset)
        i++;
    return i < f->piece_count;
}

static int find_blocks(struct function *f)
{
    uint32_t count = 0, kept = 1;

    f->begins = malloc((2ul * f->turn_count + 1) * sizeof *f->begins);
    if (!f->begins)
        return -ENOMEM;
    f->begins[count++] = 0;
    for (uint32_t i = 0; i < f->turn_count; i++) {
        const struct turn *t = &f->turns[i];
        if (t->what != CALL && t->behind < f->size && !is_halt(f, t->behind))
            f->begins[count++] = t->behind;
        uint32_t target = target_of(f, t);
        if (target != UINT32_MAX)
            f->begins[count++] = target;
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

/* The turn that ends each block, or NULL where it goes on with the next one. A HALT is in the last block of
 * its piece. */
static const struct turn *end_of(const struct function *f, uint32_t block, uint32_t *next)
{
    uint32_t end = block + 1 < f->count ? f->begins[block + 1] : f->size;
    const struct turn *last = NULL;

    for (; *next < f->turn_count && f->turns[*next].at < end; ++*next)
        if (!last && f->turns[*next].what != CALL)
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
    uint32_t target = end ? target_of(f, end) : UINT32_MAX;

    if (target != UINT32_MAX)
        f->targets[count++] = block_of(f, target);
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

static int find_positions(struct function *f)
{
    uint8_t *is_target = calloc(f->count, 1);
    int error = -ENOMEM;

    f->first = malloc((f->count + 1ul) * sizeof *f->first);
    f->targets = malloc(3ul * f->count * sizeof *f->targets);
    f->position = malloc(f->count * sizeof *f->position);
    if (is_target && f->first && f->targets && f->position) {
        find_edges(f, is_target);
        error = efg_place_find(&(struct efg_digraph){f->count, f->first, f->targets}, f->position);
    }
    free(is_target);
    return error;
}

/* --- positions of calls --- */

static uint64_t key_of(const struct efg_module *module, uint64_t offset)
{
    return efg_hash_mix(module->hash, offset);
}

static void remember(const struct efg_module *module, uint64_t offset, struct efg_position position)
{
    uint64_t *slot = efg_map_is_full(&positions) && !efg_memory_may_remember(efg_map_memory(&positions))
                         ? NULL
                         : efg_map_put(&positions, key_of(module, offset));
    if (slot)
        *slot = (uint64_t)position.order << 32 | position.place;
}

/* With the number of the function in its order, if there is room for both. */
static struct efg_position position_in(const struct function *f, uint32_t block)
{
    struct efg_position position = f->position[block];
    bool is_small = position.order >> EFG_ORDER_BITS == 0 && functions >> (32 - EFG_ORDER_BITS) == 0;

    if (position.order)
        position.order = is_small ? functions << EFG_ORDER_BITS | position.order : 0;
    return position;
}

static void remember_calls(const struct function *f)
{
    functions++;
    for (uint32_t i = 0; i < f->turn_count && positions.count < MOST_CALLS; i++)
        if (f->turns[i].what == CALL)
            remember(f->module,
                     address_of(f, f->turns[i].at) + f->turns[i].behind - f->turns[i].at - 1 -
                         f->module->base,
                     position_in(f, block_of(f, f->turns[i].at)));
}

/* 0 if there is none. */
static uintptr_t entry_of(const struct function *f)
{
    for (uint32_t i = 0; i < f->piece_count; i++)
        if (is_entry(f, f->pieces[i].start))
            return f->pieces[i].start;
    return 0;
}

static void look_at(const struct efg_module *module, uintptr_t address)
{
    struct function f = {.module = module};
    int failed = decode(&f, address);
    uintptr_t entry = entry_of(&f);

    if (!failed && entry && entry != f.pieces[0].start) {
        function_fini(&f);
        f = (struct function){.module = module};
        failed = decode(&f, entry);
    }
    if (!failed && entry && f.switches < 2 && find_blocks(&f) == 0 && find_positions(&f) == 0)
        remember_calls(&f);
    function_fini(&f);
}

static struct efg_position position_of(const struct efg_module *module, uint64_t offset)
{
    const uint64_t *known = efg_map_find(&positions, key_of(module, offset));
    const struct efg_position unknown = {EFG_PLACE_UNKNOWN, 0};

    if (!known && !module->is_script && positions.count < MOST_CALLS &&
        efg_modules_find(module->base + offset) == module) { /* it was not unloaded */
        uint64_t begin = efg_clock_cpu();
        look_at(module, module->base + offset);
        known = efg_map_find(&positions, key_of(module, offset));
        if (!known)
            remember(module, offset, unknown);
        efg_memory_settle(&held, efg_map_memory(&positions));
        spent += efg_clock_cpu() - begin;
    }
    return known ? (struct efg_position){(efg_place)*known, (uint32_t)(*known >> 32)} : unknown;
}

struct efg_position efg_code_position(uint32_t path, uint32_t frame)
{
    struct efg_path p = path ? efg_callpath_get(path) : (struct efg_path){0};

    if (frame >= p.depth)
        return (struct efg_position){EFG_PLACE_UNKNOWN, 0};
    const struct efg_frame *f = &p.frames[p.depth - 1 - frame];
    return position_of(efg_modules_get(f->module), f->offset);
}

uint64_t efg_code_time(void)
{
    return spent;
}

#else

struct efg_position efg_code_position(uint32_t path, uint32_t frame)
{
    (void)path;
    (void)frame;
    return (struct efg_position){EFG_PLACE_UNKNOWN, 0};
}

uint64_t efg_code_time(void)
{
    return 0;
}

#endif
