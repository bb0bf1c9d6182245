/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of lines say for ranges of instructions how far their line is from the one before. There are three
 * forms: that of 3.9 and of 3.10 (in CPython, Objects/lnotab_notes.txt) and that of later versions
 * (Objects/locations.md).
 */
#define _GNU_SOURCE /* mincore */
#include "pycode.h"

#include <string.h>
#include <sys/mman.h>

#include "files/symbols/script.h"

#define PAGE 4096
#define MOST_TEXT 4096 /* characters of a name that is believed to be one */

static const struct efg_pylayout *layout;
static struct efg_pytypes types;
static bool is_trusted; /* what is read is what it should be: addresses are not looked up any more; atomic */

void efg_pycode_init(const struct efg_pylayout *of, const struct efg_pytypes *with)
{
    layout = of;
    types = *with;
}

void efg_pycode_trust(void)
{
    __atomic_store_n(&is_trusted, true, __ATOMIC_RELAXED);
}

/* --- memory --- */

bool efg_pycode_is_there(uintptr_t address)
{
    unsigned char is_in_core;

    if (__atomic_load_n(&is_trusted, __ATOMIC_RELAXED))
        return true;
    return address >= PAGE && mincore((void *)(address & ~(uintptr_t)(PAGE - 1)), 1, &is_in_core) == 0;
}

/* Memory of others, which a sanitizer may take for its own. */
__attribute__((no_sanitize("address"))) uintptr_t efg_pycode_word(uintptr_t address)
{
    return *(const volatile uintptr_t *)address;
}

__attribute__((no_sanitize("address"))) unsigned char efg_pycode_byte(uintptr_t address)
{
    return *(const volatile unsigned char *)address;
}

static uint32_t half_at(uintptr_t address)
{
    uint32_t value = 0;
    for (int i = 3; i >= 0; i--)
        value = value << 8 | efg_pycode_byte(address + (uintptr_t)i);
    return value;
}

static bool has_type(uintptr_t object, uintptr_t type)
{
    return object % sizeof object == 0 && efg_pycode_is_there(object + EFG_PY_TYPE) &&
           efg_pycode_word(object + EFG_PY_TYPE) == type;
}

bool efg_pycode_is_code(uintptr_t address)
{
    return has_type(address, types.code);
}

/* --- text --- */

/* The characters of a str, one after the other. */
struct text {
    uintptr_t at;
    size_t count;
    unsigned width; /* bytes of a character */
};

static struct text text_of(uintptr_t object)
{
    uint32_t state = half_at(object + EFG_PY_STATE);

    if (!(state & EFG_PY_COMPACT))
        return (struct text){0};
    uintptr_t at = object + (state & EFG_PY_ASCII ? layout->ascii : layout->compact);
    return (struct text){at, efg_pycode_word(object + EFG_PY_LENGTH), EFG_PY_KIND(state)};
}

static uint32_t character(const struct text *text, size_t i)
{
    uint32_t value = 0;
    for (unsigned k = text->width; k > 0; k--)
        value = value << 8 | efg_pycode_byte(text->at + i * text->width + k - 1);
    return value;
}

/* C in UTF-8; what is no character or would break a line is "?". Returns how many bytes. */
static size_t encode(uint32_t c, char *out)
{
    if (c < 0x20 || c == 0x7f || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        c = '?';
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(first[more] | c >> 6 * more);
    for (int i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return (size_t)more + 1;
}

/* The str OBJECT, as far as it has room. */
static void copy_text(uintptr_t object, char *out, size_t size)
{
    struct text text = text_of(object);
    size_t used = 0;
    for (size_t i = 0; i < text.count && used + 5 <= size; i++)
        used += encode(character(&text, i), out + used);
    out[used] = '\0';
}

static bool is_text(uintptr_t object)
{
    if (!has_type(object, types.text) || !efg_pycode_is_there(object + EFG_PY_STATE))
        return false;
    struct text text = text_of(object);
    return text.count > 0 && text.count <= MOST_TEXT &&
           (text.width == 1 || text.width == 2 || text.width == 4) &&
           efg_pycode_is_there(text.at + text.count * text.width - 1);
}

void efg_pycode_name(uintptr_t code, char *name, size_t size)
{
    char function[256], file[2048];

    copy_text(efg_pycode_word(code + layout->name), function, sizeof function);
    copy_text(efg_pycode_word(code + layout->file), file, sizeof file);
    for (char *colon = function; (colon = strchr(colon, ':'));)
        *colon = ' ';
    efg_script_name(name, size, function, half_at(code + layout->first_line), file);
}

/* --- lines --- */

static unsigned next(struct efg_pylines *l)
{
    return l->at < l->end ? efg_pycode_byte(l->at++) : 0;
}

static uint32_t known(int64_t line)
{
    return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* The last range has no end. */
static void next_3_9(struct efg_pylines *l)
{
    l->line = known(l->sum);
    l->to = l->at < l->end ? l->to + next(l) : UINTPTR_MAX;
    l->sum += (signed char)next(l);
}

static void next_3_10(struct efg_pylines *l)
{
    l->to += next(l);
    int change = (signed char)next(l);
    l->sum += change == -128 ? 0 : change;
    l->line = change == -128 ? 0 : known(l->sum);
}

/* A number of 6 bits a byte, low ones first, and the sign in its lowest bit. */
static int64_t next_signed(struct efg_pylines *l)
{
    uint64_t value = 0;
    unsigned byte = 0x40;
    for (int shift = 0; byte & 0x40 && shift < 60; shift += 6) {
        byte = next(l);
        value |= (uint64_t)(byte & 0x3f) << shift;
    }
    return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* Kinds of entries; 10, 11, 12: a line 0, 1, 2 further; others: the same line. */
enum { NO_COLUMN = 13, LONG = 14, NONE = 15 };

static void next_3_11(struct efg_pylines *l)
{
    unsigned head = next(l), kind = head >> 3 & 15;
    if (kind == NO_COLUMN || kind == LONG)
        l->sum += next_signed(l);
    else if (kind >= 10 && kind < NO_COLUMN)
        l->sum += kind - 10;
    l->to += ((head & 7) + 1) * 2;
    l->line = kind == NONE ? 0 : known(l->sum);
    while (l->at < l->end && !(efg_pycode_byte(l->at) & 0x80))
        l->at++;
}

static bool is_3_9(void)
{
    return layout == &efg_pylayouts[0];
}

struct efg_pylines efg_pycode_lines(uintptr_t code)
{
    uintptr_t table = efg_pycode_word(code + layout->lines) + EFG_PY_BYTES;
    uintptr_t size = efg_pycode_word(table - EFG_PY_BYTES + EFG_PY_LENGTH);

    return (struct efg_pylines){
        .at = table, .end = table + size, .sum = (int32_t)half_at(code + layout->first_line)};
}

bool efg_pycode_next_line(struct efg_pylines *l)
{
    bool is_any = l->at < l->end || (is_3_9() && l->to < UINTPTR_MAX);

    if (is_any && is_3_9())
        next_3_9(l);
    else if (is_any && layout->is_index)
        next_3_10(l);
    else if (is_any)
        next_3_11(l);
    return is_any;
}

static uintptr_t offset_of(uintptr_t code, uintptr_t at)
{
    return is_3_9() ? at : layout->is_index ? 2 * at : at - code - layout->instructions;
}

uint32_t efg_pycode_unit(uintptr_t code, uintptr_t at)
{
    return (uint32_t)(offset_of(code, at) / 2);
}

uint32_t efg_pycode_line(uintptr_t code, uintptr_t at)
{
    struct efg_pylines lines = efg_pycode_lines(code);
    uintptr_t offset = offset_of(code, at);

    while (efg_pycode_next_line(&lines))
        if (lines.to > offset)
            return lines.line;
    return 0;
}

struct efg_pyunits efg_pycode_units(uintptr_t code)
{
    uintptr_t bytes = layout->bytes ? efg_pycode_word(code + layout->bytes) : 0;

    if (layout->bytes)
        return has_type(bytes, types.bytes)
                   ? (struct efg_pyunits){bytes + EFG_PY_BYTES, efg_pycode_word(bytes + EFG_PY_LENGTH) / 2}
                   : (struct efg_pyunits){0};
    return (struct efg_pyunits){code + layout->instructions, efg_pycode_word(code + EFG_PY_LENGTH)};
}

const struct efg_pylayout *efg_pycode_layout(void)
{
    return layout;
}

bool efg_pycode_is_sound(uintptr_t code)
{
    return is_text(efg_pycode_word(code + layout->name)) && is_text(efg_pycode_word(code + layout->file)) &&
           has_type(efg_pycode_word(code + layout->lines), types.bytes);
}
