/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An address in DWARF. Two steps narrow the search, each over a sorted table of ranges:
 * address -> unit (from the first entry of each unit only) -> function (all functions of
 * that unit, walked when its first address is asked for). Below the function the scopes
 * that hold the address are followed down; the inlined ones among them are the frames.
 *
 * Why not dwarf_getscopes and .debug_aranges: clang writes no .debug_aranges and puts
 * functions inside namespaces, where dwarf_getscopes does not look; and it walks
 * the whole unit for each address.
 *
 * Invariant: entries of a unit are visited in ascending order, so that a damaged file
 * cannot make a walk go in circles; nesting is bounded too.
 *
 * Source: DWARF 5, sections 3.3.8 (inlined instances), 2.17 (ranges), 6.2 (lines).
 */
#include <dwarf.h>
#include <setjmp.h>
#include <stdlib.h>

#include "base/array.h"
#include "parts.h"

#define NESTING_MAX 128
#define OVERLAP_MAX 64 /* ranges before the nearest that may hold an address too */

struct range {
    uint64_t low, high; /* [low, high) */
    size_t unit;
    Dwarf_Die die; /* the function */
};

struct ranges {
    struct range *item; /* by low, once sorted */
    size_t count;
};

struct unit {
    Dwarf_Die die;
    struct ranges functions;
    bool walked;
};

struct efg_dwarf_index {
    struct unit *units;
    size_t unit_count;
    struct ranges ranges; /* of the units */
    bool is_broken;       /* there was no memory: it is not asked any more */
};

/* --- without memory --- */

/* Else libdw ends the process. It must not go on, either: so it is left to where it was called. */
static _Thread_local jmp_buf *way_out;

static _Noreturn void leave_libdw(void)
{
    longjmp(*way_out, 1);
}

/* --- tables of ranges --- */

static void add_range(struct ranges *ranges, struct range range)
{
    if (range.low < range.high && !efg_array_grow(&ranges->item, ranges->count, 1, sizeof *ranges->item))
        ranges->item[ranges->count++] = range;
}

/* All ranges of the entry DIE. Returns how many there are. */
static int add_ranges_of(struct ranges *ranges, Dwarf_Die *die, size_t unit)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    int count = 0;
    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        add_range(ranges, (struct range){low, high, unit, *die});
        count++;
    }
    return count;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->high < y->high) - (x->high > y->high); /* the smallest comes last */
}

static void sort_ranges(struct ranges *ranges)
{
    if (ranges->count)
        qsort(ranges->item, ranges->count, sizeof *ranges->item, compare_ranges);
}

static struct range *find_range(const struct ranges *ranges, uint64_t address)
{
    size_t low = 0, high = ranges->count; /* the first one above the address */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->item[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i > 0 && low - i < OVERLAP_MAX; i--) {
        if (address < ranges->item[i - 1].high)
            return &ranges->item[i - 1];
    }
    return NULL;
}

/* --- walking --- */

/* The next entry beside DIE, which must come later in the file. */
static bool next_beside(Dwarf_Die *die)
{
    Dwarf_Die next;
    if (dwarf_siblingof(die, &next) != 0 || next.addr <= die->addr)
        return false;
    *die = next;
    return true;
}

static bool holds_functions(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module;
}

/* All functions below PARENT; those inside functions too (Fortran's "contains"). */
static void add_functions(struct ranges *ranges, Dwarf_Die *parent, size_t unit, int nesting)
{
    Dwarf_Die die;
    if (nesting > NESTING_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            add_ranges_of(ranges, &die, unit);
        if (holds_functions(tag))
            add_functions(ranges, &die, unit, nesting + 1);
    } while (next_beside(&die));
}

static void walk_unit(struct unit *unit, size_t number)
{
    add_functions(&unit->functions, &unit->die, number, 0);
    sort_ranges(&unit->functions);
    unit->walked = true;
}

/* A unit that says nothing of its ranges has those of its functions. */
static void index_unit(struct efg_dwarf_index *index, Dwarf_Die *die)
{
    size_t number = index->unit_count;
    dwarf_new_oom_handler(dwarf_cu_getdwarf(die->cu), leave_libdw);
    if (efg_array_grow(&index->units, number, 1, sizeof *index->units))
        return;
    struct unit *unit = &index->units[index->unit_count++];
    *unit = (struct unit){.die = *die};
    if (add_ranges_of(&index->ranges, die, number))
        return;
    walk_unit(unit, number);
    for (size_t i = 0; i < unit->functions.count; i++)
        add_range(&index->ranges, unit->functions.item[i]);
}

static void index_units(struct efg_dwarf_index *index, Dwarf *dwarf)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
        if (type == DW_UT_skeleton && split.addr) /* the rest is in a .dwo file */
            index_unit(index, &split);
        else if (type == DW_UT_compile || type == DW_UT_skeleton)
            index_unit(index, &die);
    }
    sort_ranges(&index->ranges);
}

struct efg_dwarf_index *efg_dwarf_index_new(Dwarf *dwarf)
{
    struct efg_dwarf_index *index = calloc(1, sizeof *index);
    jmp_buf here;
    if (!index)
        return NULL;
    dwarf_new_oom_handler(dwarf, leave_libdw);
    way_out = &here;
    if (setjmp(here) == 0)
        index_units(index, dwarf);
    else
        index->is_broken = true;
    return index;
}

void efg_dwarf_index_free(struct efg_dwarf_index *index)
{
    for (size_t i = 0; index && i < index->unit_count; i++)
        free(index->units[i].functions.item);
    if (index) {
        free(index->units);
        free(index->ranges.item);
    }
    free(index);
}

/* --- scopes --- */

struct chain { /* the function, then what is inlined into it, outermost first */
    Dwarf_Die die[EFG_INLINE_MAX + 1];
    int count;
};

static bool has_addresses(Dwarf_Die *die)
{
    return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

static bool follow(struct chain *chain, Dwarf_Die *scope, uint64_t address, int nesting);

/* Whether ADDRESS was found in DIE or, where DIE says nothing of its addresses, below it. */
static bool follow_into(struct chain *chain, Dwarf_Die *die, uint64_t address, int nesting)
{
    int tag = dwarf_tag(die);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
        tag != DW_TAG_catch_block)
        return false;
    if (!has_addresses(die))
        return tag == DW_TAG_lexical_block && follow(chain, die, address, nesting + 1);
    if (dwarf_haspc(die, address) <= 0)
        return false;
    if (tag == DW_TAG_inlined_subroutine && chain->count <= EFG_INLINE_MAX)
        chain->die[chain->count++] = *die;
    follow(chain, die, address, nesting + 1);
    return true;
}

static bool follow(struct chain *chain, Dwarf_Die *scope, uint64_t address, int nesting)
{
    Dwarf_Die die;
    if (nesting > NESTING_MAX || dwarf_child(scope, &die) != 0)
        return false;
    do {
        if (follow_into(chain, &die, address, nesting))
            return true;
    } while (next_beside(&die));
    return false;
}

/* --- frames --- */

static const char *text_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static struct efg_dwarf_frame describe(Dwarf_Die *die)
{
    struct efg_dwarf_frame frame = {.function = text_of(die, DW_AT_name),
                                    .linkage = text_of(die, DW_AT_linkage_name)};
    if (!frame.linkage)
        frame.linkage = text_of(die, DW_AT_MIPS_linkage_name);
    if (dwarf_decl_line(die, &frame.first_line) != 0)
        frame.first_line = 0;
    return frame;
}

/* Where the code that was inlined as DIE was called. */
static void locate_call(struct efg_dwarf_frame *frame, Dwarf_Die *die, Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    Dwarf_Word line, file;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) == 0)
        frame->line = (int)line;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) == 0 &&
        dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count)
        frame->file = dwarf_filesrc(files, file, NULL, NULL);
}

static void locate_address(struct efg_dwarf_frame *frame, Dwarf_Die *unit, uint64_t address)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    if (!line)
        return;
    frame->file = dwarf_linesrc(line, NULL, NULL);
    if (dwarf_lineno(line, &frame->line) != 0)
        frame->line = 0;
}

static int find(struct efg_dwarf_index *index, uint64_t address, struct efg_dwarf_frame *frames)
{
    struct chain chain = {.count = 0};
    struct range *found = find_range(&index->ranges, address);
    if (!found)
        return 0;
    struct unit *unit = &index->units[found->unit];
    if (!unit->walked)
        walk_unit(unit, found->unit);
    struct range *function = find_range(&unit->functions, address);
    if (function) {
        chain.die[chain.count++] = function->die;
        follow(&chain, &function->die, address, 0);
    }
    frames[0] = (struct efg_dwarf_frame){0};
    for (int i = 0; i < chain.count; i++) {
        Dwarf_Die *die = &chain.die[chain.count - 1 - i];
        frames[i] = describe(die);
        if (i)
            locate_call(&frames[i], die + 1, &unit->die);
    }
    locate_address(&frames[0], &unit->die, address);
    const char *folder = text_of(&unit->die, DW_AT_comp_dir);
    for (int i = 0; i < chain.count || i < 1; i++)
        frames[i].folder = folder;
    return chain.count ? chain.count : frames[0].file != NULL;
}

int efg_dwarf_find(struct efg_dwarf_index *index, uint64_t address, struct efg_dwarf_frame *frames)
{
    jmp_buf here;
    if (index->is_broken)
        return 0;
    way_out = &here;
    if (setjmp(here) == 0)
        return find(index, address, frames);
    index->is_broken = true;
    return 0;
}
