/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of nodes, pivots and loops, from what the symbols say, and without them from
 * module and offset.
 *
 * The function that holds a loop: all its calls' paths are followed from the outermost
 * frame inwards, inlined frames being frames as well. As long as all are in the same function,
 * it may be the one; as long as they also go on from the same line, the next
 * frame is looked at. Where they part is the body of the loop. That may be in a function which the loop
 * calls in each round: if the machine code says that it has no loop, the loop is that of the function around
 * it which has one.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/map.h"
#include "core/flow/place.h"
#include "core/graph/detail.h"
#include "core/graph/partner.h"
#include "files/symbols/name.h"
#include "names.h"
#include "summary.h"

/* --- places --- */

#define OPENMP "(OpenMP)"

const char *efg_summary_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Where the last two scopes of a name begin that is END long; a type that is returned is before them. */
static size_t last_scopes(const char *name, size_t end)
{
    int depth = 0, scopes = 0;
    for (size_t i = end; i > 1; i--) {
        depth += name[i - 1] == '>' || name[i - 1] == ')';
        depth -= name[i - 1] == '<' || name[i - 1] == '(';
        if (depth <= 0 && name[i - 1] == ':' && name[i - 2] == ':' && ++scopes == 2)
            return i;
        if (depth <= 0 && name[i - 1] == ' ' && (i < 9 || strncmp(name + i - 9, "operator", 8)))
            return i;
    }
    return 0;
}

/* A procedure of a Fortran module, as gfortran names it: "__solver_MOD_step" is "solver::step". */
static bool put_fortran(char *text, size_t size, const char *name)
{
    const char *middle = strncmp(name, "__", 2) ? NULL : strstr(name, "_MOD_");
    if (middle)
        snprintf(text, size, "%.*s::%s", (int)(middle - name - 2), name + 2, middle + 5);
    return middle != NULL;
}

/* What compilers add to the names of parts of functions and of copies, ".isra.0", ".constprop.0", goes; a
 * parallel region of OpenMP is called so. */
static void put_part(char *text, size_t size, bool is_parallel)
{
    static const char *const added[] = {".isra.",     ".constprop.", ".part.",       ".cold",
                                        ".lto_priv.", "._omp_fn.",   ".omp_outlined"};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        char *point = strstr(text, added[i]);
        if (point > text)
            *point = '\0';
    }
    size_t used = strlen(text);
    if (is_parallel && used < size)
        snprintf(text + used, size - used, " %s", OPENMP);
}

/* Names are that long at most: of longer ones, what is in their templates is left away, then the middle. */
enum { NAME_HEAD = 36, NAME_TAIL = 20, NAME_SHOWN = NAME_HEAD + 3 + NAME_TAIL };

/* The longest <...> of TEXT that is in no other one, without its ends. Returns how long it is. */
static size_t longest_template(const char *text, size_t *begin)
{
    size_t most = 0, start = 0;
    int depth = 0;
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '<' && !depth++)
            start = i + 1;
        if (text[i] == '>' && depth && !--depth && i - start > most) {
            most = i - start;
            *begin = start;
        }
    }
    return most;
}

static void shorten(char *text)
{
    size_t length = strlen(text), begin = 0, most;
    while (length > NAME_SHOWN && (most = longest_template(text, &begin)) > 3) {
        memcpy(text + begin, "...", 3);
        memmove(text + begin + 3, text + begin + most, length + 1 - begin - most);
        length -= most - 3;
    }
    if (length <= NAME_SHOWN)
        return;
    memcpy(text + NAME_HEAD, "...", 3);
    memmove(text + NAME_HEAD + 3, text + length - NAME_TAIL, NAME_TAIL + 1);
}

static bool is_openmp(const char *name)
{
    return strstr(name, "_omp_fn") || strstr(name, "omp_outlined");
}

void efg_summary_stem(char *text, size_t size, const char *name)
{
    if (!put_fortran(text, size, name))
        snprintf(text, size, "%s", name);
    put_part(text, size, is_openmp(name));
}

void efg_summary_brief(char *text, size_t size, const char *name)
{
    size_t end = efg_name_end(name), begin = last_scopes(name, end);
    if (!put_fortran(text, size, name))
        snprintf(text, size, "%.*s", (int)(end - begin), name + begin);
    put_part(text, size, is_openmp(name));
    shorten(text);
}

uint64_t efg_summary_name_key(const char *name)
{
    return efg_hash_bytes(0, name, strlen(name));
}

static bool is_in_word(const char *text, size_t at)
{
    return at && isalnum((unsigned char)text[at - 1]) && isalnum((unsigned char)text[at]);
}

/* Where the argument begins that the letter AT of ARGUMENTS, "(int, double)", is in. */
static size_t begin_of_argument(const char *arguments, size_t at)
{
    size_t begin = 1;
    int depth = 0;
    for (size_t i = 0; i < at && arguments[i]; i++) {
        depth += arguments[i] == '(' || arguments[i] == '<';
        depth -= arguments[i] == ')' || arguments[i] == '>';
        if (arguments[i] == ',' && depth == 1)
            begin = i + 2;
    }
    return begin;
}

/* Where it ends; the last one, and what is behind it, with all that there is. */
static size_t end_of_argument(const char *arguments, size_t at)
{
    int depth = 0;
    for (size_t i = 0; arguments[i]; i++) {
        depth += arguments[i] == '(' || arguments[i] == '<';
        depth -= arguments[i] == ')' || arguments[i] == '>';
        if (arguments[i] == ',' && depth == 1 && i > at)
            return i;
    }
    return strlen(arguments);
}

/* Of functions that differ in their arguments, "Foam::reduce(double&, ...)": those from BEGIN to END, which
 * are places in its STEM. Returns false if these are too long. */
static bool put_arguments(char *text, size_t size, const char *name, const char *stem, size_t begin,
                          size_t end)
{
    enum { MOST = 60 };
    char brief[EFG_NAME_SHORT];
    const char *arguments = stem + efg_name_end(stem);
    size_t before = (size_t)(arguments - stem);
    if (begin < before || *arguments != '(')
        return false;
    size_t from = begin_of_argument(arguments, begin - before), to = end_of_argument(arguments, end - before);
    if (to < from || to - from > MOST)
        return false;
    efg_summary_brief(brief, sizeof brief, name);
    snprintf(text, size, "%s(%s%.*s%s", brief, from > 1 ? "..., " : "", (int)(to - from), arguments + from,
             arguments[to] ? ", ...)" : "");
    return true;
}

/* Of a name, what is between BEGIN and END, and some more; of the rest, both ends. No word is cut. */
static void put_difference(char *text, size_t size, const char *stem, size_t begin, size_t end)
{
    enum { HEAD = 16, TAIL = 20, AROUND = 4, MOST = 120 };
    size_t length = strlen(stem), head = HEAD < length ? HEAD : length;
    size_t tail = length > TAIL ? length - TAIL : 0;
    begin = begin > AROUND ? begin - AROUND : 0;
    end = end + AROUND < length ? end + AROUND : length;
    if (end - begin > MOST)
        end = begin + MOST;
    while (is_in_word(stem, begin))
        begin--;
    while (is_in_word(stem, end))
        end++;
    while (is_in_word(stem, head))
        head++;
    while (is_in_word(stem, tail))
        tail++;
    begin = begin > head + 3 ? begin : 0;
    end = end + 3 < tail ? end : length;
    snprintf(text, size, "%.*s%s%.*s%s%s", begin ? (int)head : 0, stem, begin ? "..." : "",
             (int)(end - begin), stem + begin, end < length ? "..." : "", end < length ? stem + tail : "");
}

/* NAME, which differs from others as run->alike says. */
static void put_alike(char *text, size_t size, const char *name, uint64_t shown)
{
    char stem[EFG_NAME_MOST];
    efg_summary_stem(stem, sizeof stem, name);
    if (!put_arguments(text, size, name, stem, shown >> 32, shown & UINT16_MAX))
        put_difference(text, size, stem, shown >> 32, shown >> 16 & UINT16_MAX);
}

/* NAME as it fits a line: "LAMMPS_NS::CommBrick::exchange(int)" is "CommBrick::exchange". */
void efg_summary_short(const struct efg_run *run, char *text, size_t size, const char *name)
{
    const uint64_t *shown = run->alike.count ? efg_map_find(&run->alike, efg_summary_name_key(name)) : NULL;
    if (shown)
        put_alike(text, size, name, *shown);
    else
        efg_summary_brief(text, size, name);
}

/* Which rounds of loops around it a call was made in, if it has a call path of its own there. */
static const char *rounds_text(unsigned firsts)
{
    static const char *const texts[] = {"", " in round 1", " in round 1 of 2 loops",
                                        " in round 1 of 3 loops"};

    return texts[firsts < 4 ? firsts : 0];
}

static void put_symbol(const struct efg_run *run, char *text, size_t size,
                       const struct efg_run_symbol *symbol, const char *module, unsigned firsts)
{
    char function[EFG_NAME_SHORT];
    const char *rounds = rounds_text(firsts);
    efg_summary_short(run, function, sizeof function, symbol->function);
    if (symbol->line)
        snprintf(text, size, "%s:%u %s%s", efg_summary_last_part(symbol->file), symbol->line, function,
                 rounds);
    else
        snprintf(text, size, "%s%s (%s)", function, rounds, efg_summary_last_part(module));
}

void efg_summary_address(char *text, size_t size, const char *module, uint64_t offset)
{
    if (offset)
        snprintf(text, size, "%s+0x%llx%s", efg_summary_last_part(module),
                 (unsigned long long)efg_frame_place(offset), rounds_text(efg_frame_firsts(offset)));
    else
        snprintf(text, size, "%s", efg_summary_last_part(module));
}

/* What tells efgtrace of iterations for a program (libefgtrace/user): its caller is what people look for. */
static bool is_user_interface(const struct efg_run_symbol *symbol)
{
    const char *file = symbol->line ? efg_summary_last_part(symbol->file) : "";
    return !strcmp(file, "efgtrace.f90") || !strcmp(file, "efgtrace.py");
}

/* Function INDEX of those that are inlined there, innermost first, without the user interface. Returns how
 * many there are, 1 if it is not known. */
static uint32_t put_frame(const struct efg_run *run, const struct efg_frame *frame, uint32_t index,
                          char *text, size_t size)
{
    const char *module = efg_run_module(run, frame->module);
    const struct efg_run_site *site = efg_run_site(run, module, frame->offset);
    uint32_t count = 0;
    if (!site || !site->symbol_count) {
        if (!index)
            efg_summary_address(text, size, module, frame->offset);
        return 1;
    }
    for (uint32_t i = 0; i < site->symbol_count; i++)
        if (!is_user_interface(&site->symbols[i]) && count++ == index)
            put_symbol(run, text, size, &site->symbols[i], module,
                       i + 1 == site->symbol_count ? efg_frame_firsts(frame->offset) : 0);
    return count;
}

bool efg_summary_outwards(const struct efg_run *run, const struct efg_node *node, struct efg_outwards *at,
                          uint32_t index, char *text, size_t size)
{
    const struct efg_run_path *path = efg_run_path(run, node->signature.path);
    if (size)
        *text = '\0';
    for (; path && at->frame < path->depth; at->frame++) {
        uint32_t count = put_frame(run, &path->frames[at->frame], index - at->index, text, size);
        if (index - at->index < count)
            return true;
        at->index += count;
    }
    return false;
}

bool efg_summary_frame(const struct efg_run *run, const struct efg_node *node, uint32_t index, char *text,
                       size_t size)
{
    struct efg_outwards at = {0};
    return efg_summary_outwards(run, node, &at, index, text, size);
}

uint32_t efg_summary_level(const struct efg_run *run, uint32_t path, unsigned char which)
{
    const struct efg_run_path *frames = efg_run_path(run, path);
    uint32_t index = which & ~(unsigned)EFG_APART_OFFSET, level = 0;
    if (!(which & EFG_APART_OFFSET))
        return index;
    for (uint32_t i = 0; frames && i < index && i < frames->depth; i++)
        level += put_frame(run, &frames->frames[i], UINT32_MAX, NULL, 0);
    return level;
}

uint64_t efg_summary_offset(const struct efg_run *run, const struct efg_node *node, uint32_t level)
{
    const struct efg_run_path *path = efg_run_path(run, node->signature.path);
    uint32_t count = 0;
    for (uint32_t i = 0; path && i < path->depth; i++) {
        count += put_frame(run, &path->frames[i], UINT32_MAX, NULL, 0);
        if (level < count)
            return efg_frame_place(path->frames[i].offset);
    }
    return 0;
}

void efg_summary_strip_module(char *text)
{
    size_t length = strlen(text);
    char *open = length && text[length - 1] == ')' ? strrchr(text, '(') : NULL;
    bool is_module = open && strcmp(open, OPENMP) && strncmp(open, INNER, strlen(INNER));
    if (open > text && open[-1] == ' ' && is_module)
        open[-1] = '\0';
}

uint32_t efg_summary_times(const struct efg_run *run, const struct efg_node *node, struct efg_outwards at,
                           uint32_t index)
{
    char first[EFG_PLACE], next[EFG_PLACE];
    uint32_t times = 1;
    efg_summary_outwards(run, node, &at, index, first, sizeof first);
    while (efg_summary_outwards(run, node, &at, index + times, next, sizeof next) && !strcmp(first, next))
        times++;
    return times;
}

/* " < PCG::scalarSolve", " < 7 x descend", or with the offset of the call, " < PCG::scalarSolve@0x5fe4a3";
 * the own offset only, if it is the innermost frame. */
static void put_apart(const struct efg_run *run, const struct efg_node *node, unsigned char which, char *text,
                      size_t size)
{
    const struct efg_run_path *path = efg_run_path(run, node->signature.path);
    uint32_t index = which & ~(unsigned)EFG_APART_OFFSET;
    size_t used = (size_t)snprintf(text, size, " < ");
    if (!(which & EFG_APART_OFFSET)) {
        struct efg_outwards at = {0};
        efg_summary_outwards(run, node, &at, index, text + used, size - used);
        uint32_t times = efg_summary_times(run, node, at, index);
        if (times > 1) {
            used += (size_t)snprintf(text + used, size - used, "%u x ", times);
            efg_summary_outwards(run, node, &at, index, text + used, size - used);
        }
    } else if (index < path->depth) {
        if (index)
            put_frame(run, &path->frames[index], 0, text + used, size - used);
        else
            *text = '\0';
    }
    efg_summary_strip_module(text);
    used = strlen(text);
    if (which & EFG_APART_OFFSET && index < path->depth && !strstr(text, "+0x"))
        snprintf(text + used, size - used, "@0x%llx",
                 (unsigned long long)efg_frame_place(path->frames[index].offset));
}

/* An offset of the frame that is last in TEXT goes to that. */
static void add_apart(char *text, size_t size, const char *more)
{
    const char *offset = strstr(more, "@0x");
    size_t used = strlen(text), name = offset ? (size_t)(offset - more) : 0;
    if (name && name < used && !strncmp(text + used - name, more, name))
        more = offset;
    snprintf(text + used, size - used, "%s", more);
}

/* What tells the node apart from others. */
static void put_outer(const struct efg_run *run, const struct efg_node *node, char *text, size_t size)
{
    uint32_t path = node->signature.path;
    const unsigned char *apart =
        run->apart && path && path <= run->common.names.path_count ? run->apart[path - 1] : NULL;
    for (int i = 0; apart && i < EFG_APART && apart[i]; i++) {
        char more[EFG_PLACE];
        efg_summary_strip_module(text);
        put_apart(run, node, apart[i], more, sizeof more);
        add_apart(text, size, more);
    }
}

void efg_summary_number(char *text, size_t size, uint32_t number)
{
    enum { MOST = 16 };
    if (!number)
        return;
    efg_summary_strip_module(text);
    size_t used = strlen(text);
    used = used + MOST < size ? used : size - MOST;
    snprintf(text + used, size - used, " #%u", number);
}

void efg_summary_place(const struct efg_run *run, const struct efg_node *node, char *text, size_t size)
{
    const uint64_t *twin =
        run->twins.count && node->signature.path ? efg_map_find(&run->twins, node->signature.path) : NULL;
    efg_summary_frame(run, node, 0, text, size);
    put_outer(run, node, text, size);
    efg_summary_number(text, size, twin ? (uint32_t)*twin : 0);
}

/* --- nodes and pivots --- */

/* "grid (+1, 0)" */
static void put_steps(char *text, size_t size, const int *steps, int dims)
{
    size_t used = (size_t)snprintf(text, size, "grid (");

    for (int d = 0; d < dims && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, steps[d] ? "%+d%s" : "%d%s", steps[d],
                                 d + 1 < dims ? ", " : ")");
}

/* Relative to the own rank: on a grid, or modulo the size of the communicator. */
static void put_partner(char *text, size_t size, int32_t partner)
{
    int steps[EFG_GRID_DIMS], dims = efg_partner_steps(partner, steps);

    if (dims)
        put_steps(text, size, steps, dims);
    else if (partner == EFG_PARTNER_ANY)
        snprintf(text, size, "any rank");
    else if (partner == EFG_PARTNER_NOBODY)
        snprintf(text, size, "no rank");
    else
        snprintf(text, size, "rank %+d", partner > 0 ? partner - 1 : partner);
}

static void put_comm(char *text, size_t size, uint32_t class)
{
    uint32_t ranks = class & 0xfffffff;
    switch (class >> 28) {
    case EFG_COMM_WORLD:
        snprintf(text, size, "world");
        break;
    case EFG_COMM_SELF:
        snprintf(text, size, "self");
        break;
    default:
        snprintf(text, size, "%s of %u", class >> 28 == EFG_COMM_INTER ? "intercomm" : "comm", ranks);
    }
}

static void put_region(char *text, size_t size, const struct efg_run *run, uint32_t region)
{
    const char *name = efg_run_region_name(run, region);
    if (name)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "region %08x", region);
}

void efg_summary_dimension(const struct efg_run *run, const struct efg_node *node,
                           enum efg_dimension dimension, char *text, size_t size)
{
    const struct efg_signature *s = &node->signature;
    if (size)
        *text = '\0';
    if (dimension & (EFG_DIM_SIZE | EFG_DIM_SIZE_CLASS) && s->size) {
        if (run->dimensions & EFG_DIM_SIZE && !(run->common.totals.dropped & EFG_DROP_SIZE))
            snprintf(text, size, "%llu B", (unsigned long long)s->size);
        else
            efg_format_size_class(text, size, s->size);
    }
    if (dimension == EFG_DIM_ELEMENT && s->element)
        snprintf(text, size, "elements of %u B", s->element);
    if (dimension == EFG_DIM_ADDRESS && s->buffer)
        snprintf(text, size, "buffer %u", s->buffer);
    if (dimension == EFG_DIM_PARTNER && s->partner)
        put_partner(text, size, s->partner);
    if (dimension == EFG_DIM_COMM && s->comm)
        put_comm(text, size, s->comm);
    if (dimension == EFG_DIM_REGION && s->region)
        put_region(text, size, run, s->region);
}

/* What else makes the node one of its own: " [assembly, 8192 B, rank +1]". */
static void put_dimensions(const struct efg_run *run, const struct efg_node *node, char *text, size_t size)
{
    static const enum efg_dimension order[] = {EFG_DIM_REGION,  EFG_DIM_SIZE,    EFG_DIM_ELEMENT,
                                               EFG_DIM_ADDRESS, EFG_DIM_PARTNER, EFG_DIM_COMM};
    size_t used = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        char part[80];
        efg_summary_dimension(run, node, order[i], part, sizeof part);
        if (*part && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : " [", part);
    }
    if (used && used < size)
        snprintf(text + used, size - used, "]");
}

void efg_summary_node(const struct efg_run *run, const struct efg_node *node, char *text, size_t size)
{
    char place[EFG_PLACE], more[256] = "";
    if (node->flags & EFG_NODE_OVERFLOW) {
        snprintf(text, size, "(all further calls)");
        return;
    }
    efg_summary_place(run, node, place, sizeof place);
    put_dimensions(run, node, more, sizeof more);
    snprintf(text, size, "%s%s%s%s", efg_run_call_name(run, node->signature.call), *place ? "  " : "", place,
             more);
}

/* The function and line of a frame, of those that are inlined there the innermost; the one that
 * the frame around it calls is the outermost. */
static void put_call(const struct efg_run *run, const struct efg_frame *frame, const struct efg_frame *inside,
                     char *text, size_t size)
{
    const char *module = efg_run_module(run, inside->module);
    const struct efg_run_site *site = efg_run_site(run, module, inside->offset);
    char place[256], called[EFG_NAME_SHORT];
    put_frame(run, frame, 0, place, sizeof place);
    if (site && site->symbol_count)
        efg_summary_short(run, called, sizeof called, site->symbols[site->symbol_count - 1].function);
    else
        efg_summary_address(called, sizeof called, module, 0);
    snprintf(text, size, "the call of %s  %s", called, place);
}

void efg_summary_pivot(const struct efg_run *run, const struct efg_graph *graph,
                       const struct efg_run_pivot *pivot, char *text, size_t size)
{
    const struct efg_node *node = pivot->node < graph->node_count ? &graph->nodes[pivot->node] : NULL;
    const struct efg_run_path *path = node ? efg_run_path(run, node->signature.path) : NULL;
    *text = '\0';
    if (!node || pivot->kind == EFG_PIVOT_NONE)
        return;
    if (pivot->kind == EFG_PIVOT_SITE && path && pivot->depth && pivot->depth < path->depth) {
        const struct efg_frame *inside = &path->frames[path->depth - 1 - pivot->depth];
        put_call(run, inside + 1, inside, text, size);
        return;
    }
    efg_summary_node(run, node, text, size);
}

uint32_t efg_summary_begin(const struct efg_graph *graph, const struct efg_run_pivot *pivot, bool *is_always)
{
    uint64_t all = 0, most = 0;
    uint32_t first = EFG_NONE;
    *is_always = true;
    if (graph->nodes[pivot->node].flags & (EFG_NODE_STARTS | EFG_NODE_MARK))
        return EFG_NONE;
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        const struct efg_edge *edge = &graph->edges[i];
        if (edge->from != pivot->node)
            continue;
        all += edge->visits;
        if (edge->visits > most) {
            most = edge->visits;
            first = edge->to;
        }
    }
    *is_always = all - most <= all / 20;
    return first;
}

/* --- loops --- */

struct place {            /* a frame, or an inlined one in it */
    const char *function; /* NULL: not known */
    const char *module, *file;
    uint64_t offset; /* 0 where file and line say it better */
    uint32_t line;
    efg_place loops; /* of its function that it is in */
};

/* The place LEVEL frames in from the outermost one of PATH. Returns false beyond the innermost. */
static bool place_at(const struct efg_run *run, const struct efg_run_path *path, uint32_t level,
                     struct place *place)
{
    for (uint32_t i = path->depth; i-- > 0;) {
        const struct efg_frame *frame = &path->frames[i];
        const char *module = efg_run_module(run, frame->module);
        const struct efg_run_site *site = efg_run_site(run, module, frame->offset);
        uint32_t count = site && site->symbol_count ? site->symbol_count : 1;
        if (level >= count) {
            level -= count;
            continue;
        }
        *place = (struct place){.module = module,
                                .file = "",
                                .offset = frame->offset,
                                .loops = efg_run_position(&run->common.names, frame).place};
        if (site && site->symbol_count) {
            const struct efg_run_symbol *symbol = &site->symbols[count - 1 - level];
            place->function = symbol->function;
            place->file = symbol->file;
            place->line = symbol->line;
            place->offset = level + 1 < count ? 0 : frame->offset;
        }
        return true;
    }
    return false;
}

static bool is_same_function(const struct place *a, const struct place *b)
{
    return a->function && b->function && !strcmp(a->module, b->module) && !strcmp(a->function, b->function);
}

static bool is_same_place(const struct place *a, const struct place *b)
{
    return !strcmp(a->module, b->module) && a->offset == b->offset && a->line == b->line &&
           !strcmp(a->file, b->file);
}

/* Symbol tables name the start-up code of the C library too: what nobody looks for. */
bool efg_summary_is_worth_naming(const char *function)
{
    return strcmp(function, "?") && strcmp(function, "_start") && strncmp(function, "__libc_start", 12);
}

struct common {         /* what the calls of a loop have in common at one level */
    struct place place; /* of the first one */
    bool any, function, all;
    bool nameless;                /* in one module, and no function is known */
    bool is_looping, is_straight; /* all are in loops of their functions, or none is */
};

/* What starts a program has no loop that anybody looks for. */
static bool is_looping(const struct place *place)
{
    return efg_place_is_looping(place->loops) &&
           (!place->function || efg_summary_is_worth_naming(place->function));
}

static void compare_at(const struct efg_run *run, const struct efg_node *node, uint32_t level,
                       struct common *common)
{
    const struct efg_run_path *path = efg_run_path(run, node->signature.path);
    struct place place;
    if (!path || !place_at(run, path, level, &place)) {
        common->function = common->all = common->nameless = common->is_looping = common->is_straight = false;
    } else if (!common->any) {
        *common = (struct common){place,
                                  true,
                                  place.function,
                                  true,
                                  !place.function,
                                  is_looping(&place),
                                  efg_place_is_straight(place.loops)};
    } else {
        common->is_looping &= is_looping(&place);
        common->is_straight &= efg_place_is_straight(place.loops);
        common->nameless &= !place.function && !strcmp(place.module, common->place.module);
        common->function &= is_same_function(&place, &common->place);
        common->all &= is_same_place(&place, &common->place);
    }
}

/* Levels down to the call in the function of LOOP, which all that it does may have in common. */
static uint32_t levels_down_to(const struct efg_run *run, const struct efg_graph *graph,
                               const struct efg_looptree *tree, uint32_t loop)
{
    const struct efg_loop *of = &tree->loops[loop];
    const struct efg_run_path *path = efg_run_path(run, graph->nodes[of->header].signature.path);
    uint64_t hash = tree->root;
    uint32_t levels = 0;
    for (uint32_t i = path ? path->depth : 0; i-- > 0;) {
        const struct efg_frame *frame = &path->frames[i];
        const struct efg_run_site *site =
            efg_run_site(run, efg_run_module(run, frame->module), frame->offset);
        levels += site && site->symbol_count ? site->symbol_count : 1;
        if (hash == of->function)
            return levels;
        hash = efg_hash_mix(hash, efg_summary_key(frame));
    }
    return UINT32_MAX;
}

void efg_summary_function(const struct efg_run *run, const struct efg_graph *graph,
                          const struct efg_looptree *tree, uint32_t loop, char *text, size_t size)
{
    struct common common = {.all = true};
    struct place unnamed = {0};
    const char *function = NULL;
    bool is_found = false; /* a loop of the code, around all that is further in */
    uint32_t levels = levels_down_to(run, graph, tree, loop);
    for (uint32_t level = 0; common.all && level < levels; level++) {
        common = (struct common){.function = true, .all = true};
        for (uint32_t v = 0; v < graph->node_count; v++) {
            if (tree->loop_of[v] != EFG_NONE && efg_looptree_is_inside(tree, tree->loop_of[v], loop))
                compare_at(run, &graph->nodes[v], level, &common);
        }
        if (!common.any)
            break;
        if (is_found && common.is_straight)
            continue;
        is_found = common.is_looping;
        if (common.function) {
            function = common.place.function;
            unnamed = (struct place){0}; /* that was further out: in the start-up code */
        } else if (common.all && !common.place.function) {
            unnamed = common.place;
        } else if (common.nameless && (!unnamed.module || strcmp(unnamed.module, common.place.module))) {
            unnamed = (struct place){.module = common.place.module};
        }
    }
    if (function && efg_summary_is_worth_naming(function))
        efg_summary_short(run, text, size, function);
    else if (unnamed.module)
        efg_summary_address(text, size, unnamed.module, unnamed.offset);
    else
        efg_summary_short(run, text, size, "");
}
