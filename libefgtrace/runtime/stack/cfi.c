/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads how a frame leads to its caller's, as compilers describe it for exceptions. The table of
 * .eh_frame_hdr leads to the frame description (FDE) of a function, and that to the common part (CIE).
 * Both are programs for a little machine: its state is one row of rules, each step goes on to a higher
 * address, and the row at PC is what was asked for. The row kept here has the CFA, rbp and the return
 * address; rules of other registers are stepped over, as no CFA that is understood needs them.
 *
 * Only the encodings that compilers use on x86-64 are read, and of expressions only the two
 * of a realigned stack: "what is at rbp + n" (CFA) and "at rbp + n" (rbp). All else makes
 * the rule unknown, never wrong.
 *
 * Source: DWARF 5, 6.4; Linux Standard Base, Core, 10.6 (.eh_frame, .eh_frame_hdr).
 */
#include "cfi.h"

#include <stdbool.h>
#include <string.h>

#define PCREL_SDATA4 0x1b
#define DATAREL_SDATA4 0x3b
#define UDATA4 0x03

enum { RBP = 6, RSP = 7, RETURN_ADDRESS = 16 };     /* DWARF numbers */
enum { OP_DEREF = 0x06, OP_BREG_RBP = 0x70 + RBP }; /* of expressions */
enum { MOST_REMEMBERED = 8 };

struct reader {
    const uint8_t *at, *end;
    bool is_bad; /* read past the end, or something that is not understood */
};

struct row {
    enum { CFA_REGISTER, CFA_SAVED, CFA_OTHER } cfa;
    uint64_t cfa_register;
    int64_t cfa_offset;
    struct saved {
        enum { SAME, AT_CFA, AT_RBP, UNDEFINED, OTHER } where;
        int64_t offset;
    } rbp, return_address, rsp;
};

struct program {
    uintptr_t begin; /* address of the function */
    uintptr_t pc;
    uint64_t code_align;
    int64_t data_align;
    struct row row, first; /* now; as the CIE left it */
    struct row remembered[MOST_REMEMBERED];
    int remembered_count;
};

/* --- Bytes --- */

static uint64_t get(struct reader *r, unsigned size)
{
    uint64_t value = 0;
    if ((uint64_t)(r->end - r->at) < size) {
        r->is_bad = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, size);
    r->at += size;
    return value;
}

static uint64_t get_leb(struct reader *r, bool is_signed)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = get(r, 1);
        value |= shift < 64 ? (byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && shift < 64 && byte & 0x40)
        value |= ~0ull << shift;
    return value;
}

static uint64_t get_unsigned(struct reader *r)
{
    return get_leb(r, false);
}

static int64_t get_signed(struct reader *r)
{
    return (int64_t)get_leb(r, true);
}

static struct reader get_block(struct reader *r)
{
    uint64_t size = get_unsigned(r);
    if (size > (uint64_t)(r->end - r->at)) {
        r->is_bad = true;
        size = 0;
    }
    struct reader block = {r->at, r->at + size, r->is_bad};
    r->at += size;
    return block;
}

static int32_t int_at(const uint8_t *at)
{
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* --- Rules --- */

/* Does the expression consist of "rbp + *OFFSET" and then, if IS_DEREF, "what is there"? */
static bool is_rbp_plus(struct reader expression, bool is_deref, int64_t *offset)
{
    bool is_plain = get(&expression, 1) == OP_BREG_RBP;
    *offset = get_signed(&expression);
    if (is_deref)
        is_plain &= get(&expression, 1) == OP_DEREF;
    return is_plain && !expression.is_bad && expression.at == expression.end;
}

static struct saved *rule_of(struct row *row, uint64_t reg)
{
    return reg == RBP              ? &row->rbp
           : reg == RSP            ? &row->rsp
           : reg == RETURN_ADDRESS ? &row->return_address
                                   : NULL;
}

static void set(struct program *p, uint64_t reg, int where, int64_t offset)
{
    struct saved *rule = rule_of(&p->row, reg);
    if (rule)
        *rule = (struct saved){where, offset};
}

static void restore(struct program *p, uint64_t reg)
{
    struct saved *rule = rule_of(&p->row, reg);
    if (rule)
        *rule = *rule_of(&p->first, reg);
}

static void set_expression(struct program *p, uint64_t reg, struct reader expression)
{
    int64_t offset;
    bool is_plain = is_rbp_plus(expression, false, &offset);
    set(p, reg, is_plain ? AT_RBP : OTHER, offset);
}

static void set_cfa_expression(struct program *p, struct reader expression)
{
    p->row.cfa = is_rbp_plus(expression, true, &p->row.cfa_offset) ? CFA_SAVED : CFA_OTHER;
}

static void set_cfa(struct program *p, uint64_t reg, int64_t offset)
{
    p->row.cfa = CFA_REGISTER;
    p->row.cfa_register = reg;
    p->row.cfa_offset = offset;
}

/* --- The machine --- */

static void remember(struct program *p, struct reader *r)
{
    if (p->remembered_count < MOST_REMEMBERED)
        p->remembered[p->remembered_count++] = p->row;
    else
        r->is_bad = true;
}

static void recall(struct program *p, struct reader *r)
{
    if (p->remembered_count > 0)
        p->row = p->remembered[--p->remembered_count];
    else
        r->is_bad = true;
}

/* The instructions that say where a register is saved, but for the short forms. */
static void run_register(struct program *p, uint8_t op, struct reader *r)
{
    uint64_t reg = get_unsigned(r);
    switch (op) {
    case 0x05: /* offset_extended */
        set(p, reg, AT_CFA, (int64_t)get_unsigned(r) * p->data_align);
        break;
    case 0x06: /* restore_extended */
        restore(p, reg);
        break;
    case 0x07: /* undefined */
        set(p, reg, UNDEFINED, 0);
        break;
    case 0x08: /* same_value */
        set(p, reg, SAME, 0);
        break;
    case 0x09: /* register */
    case 0x14: /* val_offset */
        get_unsigned(r);
        set(p, reg, OTHER, 0);
        break;
    case 0x10: /* expression */
        set_expression(p, reg, get_block(r));
        break;
    case 0x11: /* offset_extended_sf */
        set(p, reg, AT_CFA, get_signed(r) * p->data_align);
        break;
    case 0x15: /* val_offset_sf */
        get_signed(r);
        set(p, reg, OTHER, 0);
        break;
    case 0x16: /* val_expression */
        get_block(r);
        set(p, reg, OTHER, 0);
        break;
    default:
        r->is_bad = true;
    }
}

static void run_other(struct program *p, uint8_t op, struct reader *r)
{
    uint64_t reg;
    switch (op) {
    case 0x00: /* nop */
        break;
    case 0x0a:
        remember(p, r);
        break;
    case 0x0b:
        recall(p, r);
        break;
    case 0x0c: /* def_cfa */
        reg = get_unsigned(r);
        set_cfa(p, reg, (int64_t)get_unsigned(r));
        break;
    case 0x0d: /* def_cfa_register */
        set_cfa(p, get_unsigned(r), p->row.cfa_offset);
        break;
    case 0x0e: /* def_cfa_offset */
        p->row.cfa_offset = (int64_t)get_unsigned(r);
        break;
    case 0x0f:
        set_cfa_expression(p, get_block(r));
        break;
    case 0x12: /* def_cfa_sf */
        reg = get_unsigned(r);
        set_cfa(p, reg, get_signed(r) * p->data_align);
        break;
    case 0x13: /* def_cfa_offset_sf */
        p->row.cfa_offset = get_signed(r) * p->data_align;
        break;
    case 0x2e: /* GNU_args_size: for landing pads only */
        get_unsigned(r);
        break;
    default:
        run_register(p, op, r);
    }
}

/* By how much instruction OP advances the address, or 0. */
static uint64_t advance(uint8_t op, struct reader *r)
{
    if (op >> 6 == 1)
        return op & 0x3f;
    return op == 0x02 ? get(r, 1) : op == 0x03 ? get(r, 2) : op == 0x04 ? get(r, 4) : 0;
}

/* Run the instructions up to the row at p->pc. */
static void run(struct program *p, struct reader *r)
{
    uintptr_t at = p->begin;
    while (r->at < r->end && !r->is_bad) {
        uint8_t op = (uint8_t)get(r, 1);
        if (op >> 6 == 2) {
            set(p, op & 0x3f, AT_CFA, (int64_t)get_unsigned(r) * p->data_align);
        } else if (op >> 6 == 3) {
            restore(p, op & 0x3f);
        } else if (op >> 6 == 1 || (op >= 0x02 && op <= 0x04)) {
            at += advance(op, r) * p->code_align;
            if (at > p->pc)
                return;
        } else {
            run_other(p, op, r);
        }
    }
}

/* --- Where the programs are --- */

static struct reader entry_at(const uint8_t *at)
{
    uint32_t size = (uint32_t)int_at(at);
    struct reader r = {at + 4, at + 4 + (size == UINT32_MAX ? 0 : size), size == UINT32_MAX};
    return r;
}

/* The augmentation: TEXT says what DATA holds. Bad unless code pointers are of the usual form;
 * 'S' marks the frame of a signal handler, which no call has made. */
static bool is_usual(const char *text, struct reader data)
{
    static const uint8_t sizes[8] = {8, 0, 2, 4, 8, 0, 0, 0};
    int encoding = 0;

    for (text++; *text && !data.is_bad; text++) {
        if (*text == 'R')
            encoding = (int)get(&data, 1);
        else if (*text == 'L')
            get(&data, 1);
        else if (*text == 'P')
            get(&data, sizes[get(&data, 1) & 7]);
        else
            return false;
    }
    return !data.is_bad && encoding == PCREL_SDATA4;
}

static void run_common(struct program *p, struct reader *r)
{
    uint64_t is_fde = get(r, 4), version = get(r, 1);
    const char *text = (const char *)r->at;

    r->at += strnlen(text, (size_t)(r->end - r->at));
    get(r, 1);
    p->code_align = get_unsigned(r);
    p->data_align = get_signed(r);
    uint64_t return_register = version == 1 ? get(r, 1) : get_unsigned(r);
    if (is_fde || (version != 1 && version != 3) || return_register != RETURN_ADDRESS || text[0] != 'z' ||
        !is_usual(text, get_block(r))) {
        r->is_bad = true;
        return;
    }
    struct program first = *p;
    first.pc = UINTPTR_MAX; /* all of it */
    run(&first, r);
    p->row = p->first = first.row;
}

/* The description of the last function that begins at PC or before; NULL when there is none. */
static const uint8_t *find_description(const uint8_t *header, uintptr_t pc)
{
    if (!header || header[0] != 1 || header[1] != PCREL_SDATA4 || header[2] != UDATA4 ||
        header[3] != DATAREL_SDATA4)
        return NULL;
    const uint8_t *table = header + 12;
    uint32_t low = 0, high = (uint32_t)int_at(header + 8); /* below LOW: at PC or before */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)header + (uintptr_t)(intptr_t)int_at(table + 8 * middle) <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? header + int_at(table + 8 * (low - 1) + 4) : NULL;
}

static struct efg_rule to_rule(const struct row *row)
{
    struct efg_rule unknown = {.cfa = EFG_CFA_UNKNOWN}, rule = {.rbp = EFG_RBP_SAME};
    const struct saved *rbp = &row->rbp, *back = &row->return_address;

    if (back->where == UNDEFINED)
        return (struct efg_rule){.cfa = EFG_CFA_NONE};
    if (back->where != AT_CFA || back->offset != -8 || row->rsp.where != SAME)
        return unknown;
    if (row->cfa == CFA_SAVED)
        rule.cfa = EFG_CFA_SAVED;
    else if (row->cfa == CFA_REGISTER && row->cfa_register == RSP)
        rule.cfa = EFG_CFA_RSP;
    else if (row->cfa == CFA_REGISTER && row->cfa_register == RBP)
        rule.cfa = EFG_CFA_RBP;
    if (rbp->where == AT_CFA)
        rule.rbp = EFG_RBP_AT_CFA;
    else if (rbp->where == AT_RBP)
        rule.rbp = EFG_RBP_AT_RBP;
    else if (rbp->where != SAME)
        return unknown;
    rule.cfa_offset = (int32_t)row->cfa_offset;
    rule.rbp_offset = (int16_t)rbp->offset;
    return rule.cfa_offset == row->cfa_offset && rule.rbp_offset == rbp->offset ? rule : unknown;
}

/* The bytes are read where the loader mapped them, which no sanitizer knows about. */
struct efg_rule efg_cfi_rule(const uint8_t *header, uintptr_t pc)
{
    struct efg_rule unknown = {.cfa = EFG_CFA_UNKNOWN};
    const uint8_t *description = find_description(header, pc);
    if (!description)
        return unknown;
    struct reader r = entry_at(description);
    const uint8_t *common_at = r.at;
    struct reader common = entry_at(common_at - get(&r, 4));
    struct program p = {.pc = pc};

    p.begin = (uintptr_t)r.at + (uintptr_t)(intptr_t)int_at(r.at);
    get(&r, 4);
    if (pc - p.begin >= get(&r, 4))
        return unknown;
    run_common(&p, &common);
    get_block(&r); /* for exceptions */
    if (common.is_bad || r.is_bad)
        return unknown;
    run(&p, &r);
    return r.is_bad ? unknown : to_rule(&p.row);
}
