/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the turns in the machine code of a function, from its first to its last byte, and what they
 * tell of its calls:
 *
 *     bytes -> jumps and calls -> blocks -> positions of calls      (core/flow/blocks.h)
 *
 * An indirect jump, the only one of its function, is that of a switch. With several of them nothing is known.
 *
 * Compilers put what hardly ever runs elsewhere, with unwind information of its own. A jump to where the
 * stack pointer is not as at an entry leads to such a piece, or back from it; others leave the function.
 *
 * The bytes are copied by a system call, which fails where the process may not read them.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "code.h"

#ifdef __x86_64__

#include <Zydis/Zydis.h>
#include <errno.h>
#include <libunwind.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/none.h"
#include "cfi.h"
#include "core/flow/blocks.h"
#include "runtime/base/clock.h"
#include "runtime/base/memory.h"

#define MOST_BYTES 0x40000 /* of a function */
#define MOST_PIECES 8      /* of one */
#define MOST_CALLS 0x10000 /* that are remembered */

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
    struct efg_turn *turns;
    uintptr_t *to; /* addresses that they lead to; 0: none */
    struct efg_note *notes;
    uint32_t turn_count, note_count, switches;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct efg_map positions; /* of calls, by module and offset of their last byte */
static struct efg_map few;       /* of those in such loops, number of FOUND, from 1; likewise */
static struct efg_few *found;
static uint32_t found_count;
static uint64_t held;
static __thread uint64_t spent __attribute__((tls_model("initial-exec")));

static void function_fini(struct function *f)
{
    free(f->bytes);
    free(f->turns);
    free(f->to);
    free(f->notes);
}

/* --- pieces --- */

#define HALT 0xf4 /* nothing goes on from one piece to the next */

static uint32_t offset_of(const struct function *f, uintptr_t address)
{
    for (uint32_t i = 0; i < f->piece_count; i++)
        if (address - f->pieces[i].start < f->pieces[i].size)
            return f->pieces[i].at + (uint32_t)(address - f->pieces[i].start);
    return EFG_NONE;
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

/* False where the code just goes on. */
static bool is_turn(const ZydisDecodedInstruction *i, enum efg_turn_kind *kind)
{
    switch (i->meta.category) {
    case ZYDIS_CATEGORY_CALL:
        *kind = EFG_TURN_CALL;
        return true;
    case ZYDIS_CATEGORY_COND_BR:
        *kind = EFG_TURN_BRANCH;
        return true;
    case ZYDIS_CATEGORY_UNCOND_BR:
        *kind = i->raw.imm[0].is_relative ? EFG_TURN_JUMP : EFG_TURN_SWITCH;
        return true;
    default:
        *kind = i->mnemonic == ZYDIS_MNEMONIC_HLT ? EFG_TURN_HALT : EFG_TURN_END;
        return i->meta.category == ZYDIS_CATEGORY_RET || i->mnemonic == ZYDIS_MNEMONIC_UD2 ||
               i->mnemonic == ZYDIS_MNEMONIC_HLT;
    }
}

/* The turn of instruction I at the offset AT, and where it leads to: an address, or 0. */
static uintptr_t add_turn(struct function *f, const ZydisDecodedInstruction *i, uint32_t at,
                          enum efg_turn_kind kind)
{
    bool is_jump = kind != EFG_TURN_CALL && i->raw.imm[0].is_relative;
    uintptr_t to = is_jump ? address_of(f, at) + i->length + i->raw.imm[0].value.u : 0;

    f->to[f->turn_count] = to;
    f->turns[f->turn_count++] = (struct efg_turn){at, at + i->length, kind, EFG_NONE};
    f->switches += kind == EFG_TURN_SWITCH;
    return to;
}

/* --- what counts rounds --- */

/* Where OPERAND is, as struct efg_few names it: its base, from 1, and offset; 0: elsewhere. */
static uint64_t variable_of(const ZydisDecodedOperand *operand)
{
    static const ZydisRegister saved[] = {
        [EFG_CODE_RBX] = ZYDIS_REGISTER_RBX, [EFG_CODE_RBP] = ZYDIS_REGISTER_RBP,
        [EFG_CODE_R12] = ZYDIS_REGISTER_R12, [EFG_CODE_R13] = ZYDIS_REGISTER_R13,
        [EFG_CODE_R14] = ZYDIS_REGISTER_R14, [EFG_CODE_R15] = ZYDIS_REGISTER_R15};
    uint64_t offset = 0;
    unsigned base = EFG_CODE_STACK;

    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        ZydisRegister whole =
            ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value);
        for (base = 0; base < EFG_CODE_STACK && saved[base] != whole;)
            base++;
        if (base == EFG_CODE_STACK)
            return 0;
    } else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.index == ZYDIS_REGISTER_NONE &&
               operand->mem.type == ZYDIS_MEMOP_TYPE_MEM) {
        if (operand->mem.base == ZYDIS_REGISTER_RBP)
            base = EFG_CODE_FRAME;
        else if (operand->mem.base != ZYDIS_REGISTER_RSP)
            return 0;
        offset = (uint32_t)operand->mem.disp.value;
    } else {
        return 0;
    }
    return offset << 32 | (base + 1);
}

struct efg_code_variable efg_code_variable(uint64_t variable)
{
    return (struct efg_code_variable){(enum efg_code_base)((uint32_t)variable - 1),
                                      (int32_t)(variable >> 32)};
}

/* What LEA, at the address AT, writes: a sum. */
static struct efg_note sum_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operand,
                              uintptr_t at)
{
    const ZydisDecodedOperandMem *sum = &operand[1].mem;
    ZydisRegister own = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand[0].reg.value);
    const ZydisDecodedOperand base = {.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = sum->base};

    if (sum->index != ZYDIS_REGISTER_NONE)
        return (struct efg_note){.kind = EFG_NOTE_CHANGE};
    if (sum->base == own)
        return (struct efg_note){.kind = EFG_NOTE_ADD, .number = sum->disp.value};
    if (sum->base == ZYDIS_REGISTER_RIP)
        return (struct efg_note){.kind = EFG_NOTE_SET,
                                 .number = (int64_t)(at + i->length + (uint64_t)sum->disp.value)};
    uint64_t other = sum->base == ZYDIS_REGISTER_NONE ? 0 : variable_of(&base);
    return (struct efg_note){
        .kind = other ? EFG_NOTE_SET : EFG_NOTE_CHANGE, .other = other, .number = sum->disp.value};
}

/* What I, at the address AT, does with the variable that its first operand is. */
static struct efg_note note_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operand,
                               uintptr_t at)
{
    bool has_two = i->operand_count_visible > 1;
    bool is_number = has_two && operand[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    bool is_itself = has_two && operand[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                     operand[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                     operand[1].reg.value == operand[0].reg.value;
    uint64_t other = has_two && operand[1].size >= 32 ? variable_of(&operand[1]) : 0;
    int64_t number = is_number ? operand[1].imm.value.s : 0;
    struct efg_note note = {.kind = EFG_NOTE_CHANGE, .number = number};

    if (operand->size < 32)
        return note;
    if (i->mnemonic == ZYDIS_MNEMONIC_MOV && (is_number || other))
        note = (struct efg_note){.kind = EFG_NOTE_SET, .number = number, .other = other};
    else if (i->mnemonic == ZYDIS_MNEMONIC_XOR && is_itself)
        note.kind = EFG_NOTE_SET;
    else if (i->mnemonic == ZYDIS_MNEMONIC_CMP && (is_number || other))
        note = (struct efg_note){.kind = EFG_NOTE_COMPARE, .number = number, .other = other};
    else if (i->mnemonic == ZYDIS_MNEMONIC_TEST && is_itself)
        note.kind = EFG_NOTE_COMPARE;
    else if (i->mnemonic == ZYDIS_MNEMONIC_ADD && is_number)
        note.kind = EFG_NOTE_ADD;
    else if (i->mnemonic == ZYDIS_MNEMONIC_SUB && is_number)
        note = (struct efg_note){.kind = EFG_NOTE_ADD, .number = -number};
    else if (i->mnemonic == ZYDIS_MNEMONIC_INC || i->mnemonic == ZYDIS_MNEMONIC_DEC)
        note = (struct efg_note){.kind = EFG_NOTE_ADD, .number = i->mnemonic == ZYDIS_MNEMONIC_INC ? 1 : -1};
    else if (i->mnemonic == ZYDIS_MNEMONIC_LEA)
        note = sum_of(i, operand, at);
    return note;
}

/* Others, as vector instructions, are not worth a second look. */
static bool may_count(const ZydisDecodedInstruction *i)
{
    return i->operand_count_visible &&
           (i->meta.category == ZYDIS_CATEGORY_BINARY || i->meta.category == ZYDIS_CATEGORY_DATAXFER ||
            i->meta.category == ZYDIS_CATEGORY_LOGICAL || i->meta.category == ZYDIS_CATEGORY_MISC ||
            i->meta.category == ZYDIS_CATEGORY_CMOV || i->meta.category == ZYDIS_CATEGORY_SHIFT ||
            i->meta.category == ZYDIS_CATEGORY_CONVERT || i->meta.category == ZYDIS_CATEGORY_SETCC);
}

static int put_note(struct function *f, struct efg_note note, uint64_t variable)
{
    if (efg_array_grow(&f->notes, f->note_count, 1, sizeof *f->notes))
        return -ENOMEM;
    note.variable = variable;
    note.turn = f->turn_count;
    f->notes[f->note_count++] = note;
    return 0;
}

/* A note of what I, at the offset AT, does with a variable; two of them, if it compares two. Returns 0, or
 * -ENOMEM. */
static int add_note(struct function *f, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operand,
                    uint32_t at)
{
    uint64_t variable = i->operand_count_visible ? variable_of(operand) : 0;
    bool is_written = variable && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    bool is_compared = i->mnemonic == ZYDIS_MNEMONIC_CMP || i->mnemonic == ZYDIS_MNEMONIC_TEST;

    if (!variable || (!is_written && !is_compared) || i->mnemonic == ZYDIS_MNEMONIC_POP) /* the caller's */
        return 0;
    struct efg_note note = note_of(i, operand, address_of(f, at)), back = note;
    if (!is_written && note.kind != EFG_NOTE_COMPARE)
        return 0;
    back.other = variable;
    if (put_note(f, note, variable) ||
        (note.kind == EFG_NOTE_COMPARE && note.other && put_note(f, back, note.other)))
        return -ENOMEM;
    f->to[f->turn_count] = 0;
    f->turns[f->turn_count++] = (struct efg_turn){at, at + i->length, EFG_TURN_NOTE, EFG_NONE};
    return 0;
}

/* Most of it is never touched. */
static int reserve_turns(struct function *f, uint32_t more)
{
    struct efg_turn *turns = realloc(f->turns, (f->turn_count + more) * sizeof *turns);
    f->turns = turns ? turns : f->turns;
    uintptr_t *to = realloc(f->to, (f->turn_count + more) * sizeof *to);
    f->to = to ? to : f->to;
    return turns && to ? 0 : -ENOMEM;
}

/* Its turns are added, and the pieces that it leads to. */
static int decode_piece(struct function *f, const ZydisDecoder *decoder, struct piece piece)
{
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderContext context;
    enum efg_turn_kind kind;
    uint32_t end = piece.at + piece.size + 1;

    if (reserve_turns(f, piece.size + 1))
        return -ENOMEM;
    for (uint32_t at = piece.at; at < end; at += i.length) {
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, &context, f->bytes + at, end - at, &i)))
            return -ENOTSUP; /* it is no code */
        bool is = is_turn(&i, &kind);
        uintptr_t to = is ? add_turn(f, &i, at, kind) : 0;
        if (to && offset_of(f, to) == EFG_NONE && !is_entry(f, to) && add_piece(f, to))
            return -ENOTSUP;
        if (!is && may_count(&i) &&
            ZYAN_SUCCESS(ZydisDecoderDecodeOperands(decoder, &context, &i, operand, i.operand_count)) &&
            add_note(f, &i, operand, at))
            return -ENOMEM;
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
    for (uint32_t i = 0; i < f->turn_count; i++) /* all pieces are known */
        f->turns[i].to = f->to[i] ? offset_of(f, f->to[i]) : EFG_NONE;
    return 0;
}

/* --- positions of calls --- */

static uint64_t key_of(const struct efg_module *module, uint64_t offset)
{
    return efg_hash_mix(module->hash, offset);
}

/* The leg of a call that has one is kept beside its place and order. */
static uint64_t leg_key_of(const struct efg_module *module, uint64_t offset)
{
    return key_of(module, ~offset);
}

static void put(uint64_t key, uint64_t value)
{
    uint64_t *slot = efg_map_is_full(&positions) && !efg_memory_may_remember(efg_map_memory(&positions))
                         ? NULL
                         : efg_map_put(&positions, key);
    if (slot)
        *slot = value;
}

static void remember(const struct efg_module *module, uint64_t offset, struct efg_position position)
{
    put(key_of(module, offset), (uint64_t)position.order << 32 | position.place);
    if (position.leg)
        put(leg_key_of(module, offset), position.leg);
}

/* The loops of few rounds that call number CALL is in. */
static void remember_few(const struct function *f, struct efg_noted *noted, uint32_t call, uint64_t offset,
                         uint32_t number)
{
    struct efg_few loops = efg_few_find(noted, call);

    if (!loops.count || efg_array_grow(&found, found_count, 1, sizeof *found))
        return;
    for (uint32_t i = 0; i < loops.count; i++)
        loops.loop[i].entry = efg_position_in(loops.loop[i].entry, number);
    found[found_count++] = loops;
    uint64_t *slot = efg_map_put(&few, key_of(f->module, offset));
    if (slot)
        *slot = found_count;
}

static void remember_calls(const struct function *f, const struct efg_position *position,
                           const uint32_t *order)
{
    uint32_t number = efg_order_number(key_of(f->module, f->pieces[0].start - f->module->base));
    struct efg_noted noted = {f->turns, position, order, f->turn_count, f->notes, f->note_count, {0}};

    for (uint32_t i = 0; i < f->turn_count && positions.count < MOST_CALLS; i++) {
        if (f->turns[i].kind != EFG_TURN_CALL)
            continue;
        uint64_t offset =
            address_of(f, f->turns[i].at) + f->turns[i].behind - f->turns[i].at - 1 - f->module->base;
        remember(f->module, offset, efg_position_in(position[i], number));
        remember_few(f, &noted, i, offset, number);
    }
}

static void find_calls(const struct function *f)
{
    struct efg_position *position = malloc((f->turn_count + 1ul) * sizeof *position);

    uint32_t *order = malloc((f->turn_count + 1ul) * sizeof *order);

    if (position && order && efg_blocks_find(f->turns, f->turn_count, f->size, position, order) == 0)
        remember_calls(f, position, order);
    free(position);
    free(order);
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
    if (!failed && entry && f.switches < 2)
        find_calls(&f);
    function_fini(&f);
}

/* Under the lock; NULL if it IS_NEW and not to be looked at. */
static const uint64_t *look_up(const struct efg_module *module, uint64_t offset, enum efg_code_new is_new)
{
    const uint64_t *known = efg_map_find(&positions, key_of(module, offset));

    if (!known && is_new == EFG_CODE_LOOK && positions.count < MOST_CALLS &&
        efg_modules_find(module->base + offset) == module) { /* it was not unloaded */
        uint64_t begin = efg_clock_cpu();
        look_at(module, module->base + offset);
        known = efg_map_find(&positions, key_of(module, offset));
        if (!known)
            remember(module, offset, (struct efg_position){0});
        efg_memory_settle(&held,
                          efg_map_memory(&positions) + efg_map_memory(&few) + found_count * sizeof *found);
        spent += efg_clock_cpu() - begin;
    }
    return known;
}

static struct efg_position position_of(const struct efg_module *module, uint64_t offset,
                                       enum efg_code_new is_new)
{
    const uint64_t *known = look_up(module, offset, is_new),
                   *leg = efg_map_find(&positions, leg_key_of(module, offset));

    return known ? (struct efg_position){.place = (efg_place)*known,
                                         .order = (uint32_t)(*known >> 32),
                                         .leg = leg ? (uint32_t)*leg : 0}
                 : (struct efg_position){0};
}

static struct efg_few few_of(const struct efg_module *module, uint64_t offset, enum efg_code_new is_new)
{
    const uint64_t *known =
        look_up(module, offset, is_new) ? efg_map_find(&few, key_of(module, offset)) : NULL;

    return known ? found[*known - 1] : (struct efg_few){0};
}

struct efg_few efg_code_few(const struct efg_module *module, uint64_t offset, struct efg_position *position)
{
    struct efg_few loops = {0};

    *position = (struct efg_position){0};
    pthread_mutex_lock(&lock);
    if (positions.count < MOST_CALLS / 2) {
        *position = position_of(module, offset, EFG_CODE_LOOK);
        loops = few_of(module, offset, EFG_CODE_LOOK);
    }
    pthread_mutex_unlock(&lock);
    return loops;
}

struct efg_position efg_code_position(const struct efg_module *module, uint64_t offset, unsigned firsts,
                                      enum efg_code_new is_new)
{
    struct efg_position position = {0};

    pthread_mutex_lock(&lock);
    struct efg_few loops = firsts ? few_of(module, offset, is_new) : (struct efg_few){0};
    if (!firsts)
        position = position_of(module, offset, is_new);
    else if (firsts <= loops.count)
        position = loops.loop[firsts - 1].entry;
    pthread_mutex_unlock(&lock);
    return position;
}

#else

static __thread uint64_t spent __attribute__((tls_model("initial-exec")));

struct efg_few efg_code_few(const struct efg_module *module, uint64_t offset, struct efg_position *position)
{
    (void)module;
    (void)offset;
    *position = (struct efg_position){0};
    return (struct efg_few){0};
}

struct efg_position efg_code_position(const struct efg_module *module, uint64_t offset, unsigned firsts,
                                      enum efg_code_new is_new)
{
    (void)module;
    (void)offset;
    (void)firsts;
    (void)is_new;
    return (struct efg_position){0};
}

struct efg_code_variable efg_code_variable(uint64_t variable)
{
    (void)variable;
    return (struct efg_code_variable){0};
}

#endif

uint64_t efg_code_time(void)
{
    return spent;
}
