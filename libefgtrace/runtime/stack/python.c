/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the chain of frames:
 *
 *     PyThreadState -> (_PyCFrame ->) frame -> frame -> ... -> NULL        innermost first
 *
 * A word can safely be read if the ones before it have not changed: a state that is the thread's own is
 * there, so is the frame that it says is running, and each that this one will return to.
 */
#define _GNU_SOURCE
#include "python.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h"
#include "pycode.h"
#include "pylayout.h"
#include "pyrounds.h"

typedef void *
get_state(void); /* PyGILState_GetThisThreadState: of the C API since ever; reads a thread's key */

static struct {
    get_state *state;
    const struct efg_pylayout *layout; /* NULL: not understood; atomic */
    const struct efg_module *module;   /* with the interpreter in it */
    const char *version;
    bool is_proven; /* all that was read once was as it should be */
    bool is_missed; /* it has called MPI, and its frames were not understood */
} python;

static const struct efg_pylayout *layout_now(void)
{
    return __atomic_load_n(&python.layout, __ATOMIC_ACQUIRE);
}

/* --- which interpreter --- */

static uintptr_t find(const char *symbol)
{
    return (uintptr_t)dlsym(RTLD_DEFAULT, symbol);
}

static const struct efg_pylayout *layout_of(const char *version)
{
    long minor = strncmp(version, "3.", 2) == 0 ? strtol(version + 2, NULL, 10) : 0;
    return minor >= EFG_PY_FIRST && minor <= EFG_PY_LAST ? &efg_pylayouts[minor - EFG_PY_FIRST] : NULL;
}

void efg_python_init(void)
{
    struct efg_pytypes types = {find("PyCode_Type"), find("PyUnicode_Type"), find("PyBytes_Type")};
    const char *(*version)(void) = (const char *(*)(void))find("Py_GetVersion");

    python.state = (get_state *)find("PyGILState_GetThisThreadState");
    if (!version || !python.state || sizeof(void *) != 8)
        return;
    python.version = version();
    python.module = efg_modules_find((uintptr_t)python.state);
    const struct efg_pylayout *layout = layout_of(python.version);
    if (!layout || !types.code || !types.text || !types.bytes)
        return;
    efg_pycode_init(layout, &types);
    efg_pyrounds_init(&(struct efg_pyrounds_types){find("PyListIter_Type"), find("PyTupleIter_Type"),
                                                   find("PyRangeIter_Type"), find("PyEnum_Type"),
                                                   find("PyZip_Type")});
    python.layout = layout;
}

static bool is_in(uintptr_t address)
{
    return python.module && address >= python.module->start && address < python.module->end;
}

bool efg_python_is_at(uintptr_t address)
{
    if (!is_in(address))
        return false;
    bool is_understood = layout_now() != NULL;
    if (!is_understood)
        python.is_missed = true;
    return is_understood;
}

/* --- its frames --- */

struct reading {
    struct efg_word *word;
    uint32_t count;
    bool failed;
};

/* The word at ADDRESS, which what was read depends on. */
static uintptr_t take(struct reading *r, uintptr_t address)
{
    uintptr_t value = 0;

    if (r->failed || address % sizeof value || !efg_pycode_is_there(address)) {
        r->failed = true;
        return 0;
    }
    value = efg_pycode_word(address);
    r->word[r->count++] = (struct efg_word){(const uintptr_t *)address, value};
    return value;
}

/* Whether the frame at ADDRESS is one of a function. */
static bool is_function(const struct efg_pylayout *l, uintptr_t address)
{
    return !l->owner || efg_pycode_byte(address + l->owner) != EFG_PY_NO_FUNCTION;
}

/* The frame at ADDRESS to P, if it is one of a function. Returns that of its caller. */
static uintptr_t read_frame(struct reading *r, const struct efg_pylayout *l, struct efg_python *p,
                            uintptr_t address)
{
    uintptr_t code = take(r, address + l->code), at = take(r, address + l->at);
    uintptr_t previous = take(r, address + l->previous);

    if (r->failed || !is_function(l, address))
        return previous;
    if (!efg_pycode_is_code(code))
        r->failed = true;
    else
        p->frame[p->count++] = (struct efg_python_frame){code, l->is_index ? (uint32_t)at : at};
    return previous;
}

/* Whether what was read can be true, so that the layout is. */
static bool prove(const struct efg_python *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (!efg_pycode_is_sound(p->frame[i].code))
            return false;
    return p->count > 0 && efg_pycode_line(p->frame[0].code, p->frame[0].at) > 0;
}

static void settle(struct efg_python *p, bool failed)
{
    if (!failed && !python.is_proven && p->count) {
        python.is_proven = prove(p);
        failed = !python.is_proven;
    }
    if (python.is_proven)
        efg_pycode_trust();
    if (failed) {
        __atomic_store_n(&python.layout, NULL, __ATOMIC_RELEASE);
        p->count = 0;
    }
    if (!p->count) /* none, where there never was one: they may have been looked for in the wrong place */
        python.is_missed |= failed || !python.is_proven;
}

uint32_t efg_python_read(struct efg_python *p, struct efg_word *word)
{
    const struct efg_pylayout *l = layout_now();
    struct reading r = {.word = word};

    p->count = 0;
    if (!l || !p->state)
        return 0;
    word[r.count++] = (struct efg_word){&p->state, p->state};
    uintptr_t frame = take(&r, p->state + l->state_frame);
    if (l->between_frame >= 0)
        frame = take(&r, frame + (uintptr_t)l->between_frame);
    while (frame && !r.failed && p->count < EFG_PYTHON_DEPTH && r.count + 3 <= EFG_PYTHON_WORDS)
        frame = read_frame(&r, l, p, frame);
    settle(p, r.failed);
    return p->count ? r.count : 0;
}

/* Where the evaluation stack of the frame at ADDRESS begins. */
static uintptr_t stack_of(const struct efg_pylayout *l, uintptr_t address)
{
    if (!l->locals)
        return efg_pycode_word(address + l->stack);
    uint32_t locals = (uint32_t)efg_pycode_word(efg_pycode_word(address + l->code) + l->locals);
    return address + l->stack + locals * sizeof(uintptr_t);
}

unsigned efg_python_firsts(const struct efg_python *p, uint32_t function, uint32_t slot, unsigned most)
{
    const struct efg_pylayout *l = layout_now();
    unsigned firsts = 0;

    if (!l || !python.is_proven || !p->state)
        return 0;
    uintptr_t frame = efg_pycode_word(p->state + l->state_frame);
    if (l->between_frame >= 0)
        frame = efg_pycode_word(frame + (uintptr_t)l->between_frame);
    for (;; frame = efg_pycode_word(frame + l->previous)) {
        if (!frame)
            return 0;
        if (is_function(l, frame) && function-- == 0)
            break;
    }
    uintptr_t stack = stack_of(l, frame);
    while (firsts < most && efg_pyrounds_is_first(efg_pycode_word(stack + (slot - firsts) * sizeof stack)))
        firsts++;
    return firsts;
}

void efg_python_update(struct efg_python *p)
{
    p->state = (uintptr_t)python.state();
}

const char *efg_python_missed(void)
{
    return python.is_missed && !(python.is_proven && layout_now()) ? python.version : NULL;
}
