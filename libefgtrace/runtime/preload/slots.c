/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An object says where its slots are in its relocations (System V ABI, Dynamic Linking): those of calls by
 * way of its procedure linkage table (DT_JMPREL), and those that the code reads itself (DT_RELA, GLOB_DAT),
 * by which programs made with -fno-plt call, and others know the address of a function. So the latter are
 * left alone in an object that has the former for functions of MPI: what &MPI_Send is must not change.
 *
 * Slots are collected first, then written, both while the loader holds its lock (dl_iterate_phdr), and only
 * if no object has come or gone in between: so none is written to whose object is gone. What protection their
 * pages have is asked of the kernel, just before; a page that is only read is made writable, and read-only
 * again. A slot is changed by one instruction, if it still holds what it did when it was collected: who calls
 * meanwhile calls one or the other.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "slots.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define IN_TABLE R_X86_64_JUMP_SLOT
#define READ R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define IN_TABLE R_AARCH64_JUMP_SLOT
#define READ R_AARCH64_GLOB_DAT
#endif

#define MOST 2048 /* slots; what is beyond is left alone */
#define TRIES 8   /* objects come and go all the time */

struct slot {
    uintptr_t *at;
    uintptr_t from, to;   /* what it held, and is to hold while it is set */
    bool is_set, is_here; /* the object is still there */
};
static struct slot slots[MOST];
static size_t count;

/* The objects that there were when the slots were collected. */
static unsigned long long loaded, unloaded;

#ifdef IN_TABLE

/* --- an object --- */

struct object {
    const struct dl_phdr_info *info;
    const ElfW(Rela) * table, *read; /* its relocations; NULL: none */
    size_t in_table, in_read;        /* how many of them */
    const ElfW(Sym) * symbols;
    const char *names;
};

/* BYTES from ADDRESS on are in a part of OBJECT that has the FLAGS. */
static bool holds(const struct object *o, uintptr_t address, size_t bytes, unsigned flags)
{
    for (int i = 0; i < o->info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &o->info->dlpi_phdr[i];
        uintptr_t begin = o->info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (part->p_flags & flags) == flags && address >= begin &&
            address - begin <= part->p_memsz && bytes <= part->p_memsz - (address - begin))
            return true;
    }
    return false;
}

/* Some loaders leave addresses in the dynamic section as they are in the file. */
static uintptr_t relocated(const struct object *o, uintptr_t address)
{
    return address < o->info->dlpi_addr ? address + o->info->dlpi_addr : address;
}

/* Returns false if there are none, or they are not as we know them. */
static bool find_tables(struct object *o)
{
    const ElfW(Dyn) *entry = NULL;
    uintptr_t value[DT_JMPREL + 1] = {0};

    for (int i = 0; i < o->info->dlpi_phnum; i++)
        if (o->info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(o->info->dlpi_addr + o->info->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag > 0 && entry->d_tag <= DT_JMPREL)
            value[entry->d_tag] = entry->d_un.d_val;
    if (value[DT_JMPREL] && value[DT_PLTREL] == DT_RELA) {
        o->table = (const void *)relocated(o, value[DT_JMPREL]);
        o->in_table = value[DT_PLTRELSZ] / sizeof *o->table;
    }
    if (value[DT_RELA] && value[DT_RELAENT] == sizeof *o->read) {
        o->read = (const void *)relocated(o, value[DT_RELA]);
        o->in_read = value[DT_RELASZ] / sizeof *o->read;
    }
    o->symbols = (const void *)relocated(o, value[DT_SYMTAB]);
    o->names = (const void *)relocated(o, value[DT_STRTAB]);
    return value[DT_SYMTAB] && value[DT_STRTAB] && value[DT_SYMENT] == sizeof *o->symbols &&
           holds(o, (uintptr_t)o->symbols, 1, PF_R) && holds(o, (uintptr_t)o->names, 1, PF_R) &&
           (!o->table || holds(o, (uintptr_t)o->table, o->in_table * sizeof *o->table, PF_R)) &&
           (!o->read || holds(o, (uintptr_t)o->read, o->in_read * sizeof *o->read, PF_R));
}

static bool is_of_mpi(const struct object *o, const ElfW(Rela) * relocation)
{
    const char *name = o->names + o->symbols[ELF64_R_SYM(relocation->r_info)].st_name;

    name += *name == 'P';
    return strncmp(name, "MPI", 3) == 0;
}

/* --- collecting --- */

/* What is done with each slot, which holds VALUE. */
typedef void seen(uintptr_t *at, uintptr_t value, void *data);

static void visit(const struct object *o, const ElfW(Rela) * table, size_t relocations, unsigned type,
                  seen *see, void *data)
{
    for (size_t i = 0; i < relocations; i++) {
        uintptr_t at = o->info->dlpi_addr + table[i].r_offset;
        if (ELF64_R_TYPE(table[i].r_info) == type && at % sizeof(uintptr_t) == 0 &&
            holds(o, at, sizeof(uintptr_t), PF_W))
            see((uintptr_t *)at, __atomic_load_n((uintptr_t *)at, __ATOMIC_RELAXED), data);
    }
}

static bool calls_by_table(const struct object *o)
{
    for (size_t i = 0; i < o->in_table; i++)
        if (ELF64_R_TYPE(o->table[i].r_info) == IN_TABLE && is_of_mpi(o, &o->table[i]))
            return true;
    return false;
}

struct visitor {
    seen *see;
    void *data;
    bool collects;
};

static int visit_object(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct visitor *v = data;
    struct object o = {.info = info};

    if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
        return -1; /* a loader that does not say when objects come and go */
    loaded = info->dlpi_adds;
    unloaded = info->dlpi_subs;
    if (!find_tables(&o))
        return 0;
    visit(&o, o.table, o.in_table, IN_TABLE, v->see, v->data);
    size_t before = count;
    visit(&o, o.read, o.in_read, READ, v->see, v->data);
    if (v->collects && count > before && calls_by_table(&o))
        count = before;
    return 0;
}

static void collect(uintptr_t *at, uintptr_t value, void *data)
{
    uintptr_t (*const *next)(uintptr_t) = data, to = (*next)(value);

    if (to && to != value && count < MOST)
        slots[count++] = (struct slot){.at = at, .from = value, .to = to, .is_here = true};
}

static void find_again(uintptr_t *at, uintptr_t value, void *data)
{
    (void)data;
    for (size_t i = 0; i < count; i++)
        if (slots[i].at == at)
            slots[i].is_here = value == slots[i].to;
}

/* --- writing --- */

/* The memory from BEGIN to END has this PROTECTION, as in /proc/self/maps. */
static void write_range(uintptr_t begin, uintptr_t end, const char *protection, bool sets)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = end, last = begin;

    for (size_t i = 0; i < count; i++) {
        uintptr_t at = (uintptr_t)slots[i].at;
        if (slots[i].is_here && slots[i].is_set != sets && at >= begin && at < end) {
            first = at < first ? at : first;
            last = at > last ? at : last;
        }
    }
    if (first > last || protection[0] != 'r' || protection[3] != 'p')
        return;
    first -= first % page;
    size_t bytes = last - first - (last - first) % page + page;
    bool is_writable = protection[1] == 'w';
    if (!is_writable && (protection[2] != '-' || mprotect((void *)first, bytes, PROT_READ | PROT_WRITE) != 0))
        return;
    for (size_t i = 0; i < count; i++) {
        struct slot *s = &slots[i];
        uintptr_t was = sets ? s->from : s->to;
        if (s->is_here && s->is_set != sets && (uintptr_t)s->at >= begin && (uintptr_t)s->at < end) {
            bool is_done = __atomic_compare_exchange_n(s->at, &was, sets ? s->to : s->from, false,
                                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED);
            s->is_set = sets && is_done;
        }
    }
    if (!is_writable)
        mprotect((void *)first, bytes, PROT_READ);
}

/* A hexadecimal number at *TEXT, which is moved behind it and the character after it. */
static uintptr_t number(const char **text)
{
    uintptr_t value = 0;
    int digit;

    for (; (digit = **text >= 'a' ? **text - 'a' + 10 : **text - '0') >= 0 && digit < 16; ++*text)
        value = value * 16 + (uintptr_t)digit;
    ++*text;
    return value;
}

static void write_line(const char *line, bool sets)
{
    uintptr_t begin = number(&line), end = number(&line);

    write_range(begin, end, line, sets);
}

/* What follows the first bytes of a line is a name, which is not of interest. */
#define LINE 48

static void write_all(int maps, bool sets)
{
    char text[4096], line[LINE + 1] = {0};
    ssize_t size;
    size_t length = 0;

    while ((size = read(maps, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < size; i++) {
            if (text[i] == '\n') {
                write_line(line, sets);
                length = 0;
                memset(line, 0, sizeof line);
            } else if (length < LINE) {
                line[length++] = text[i];
            }
        }
}

/* Objects are still those that they were when slots were collected. */
struct change {
    bool sets, is_done;
};

static int write_if_same(struct dl_phdr_info *info, size_t size, void *data)
{
    struct change *change = data;
    int maps;

    (void)size;
    if (info->dlpi_adds != loaded || info->dlpi_subs != unloaded)
        return 1;
    maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps < 0)
        return 1;
    write_all(maps, change->sets);
    close(maps);
    change->is_done = true;
    return 1;
}

static bool write_slots(bool sets)
{
    struct change change = {.sets = sets};

    dl_iterate_phdr(write_if_same, &change);
    return change.is_done;
}

/* --- all of it --- */

static void forget_unset(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (slots[i].is_set)
            slots[kept++] = slots[i];
    count = kept;
}

size_t efg_slots_set(uintptr_t (*next)(uintptr_t function))
{
    struct visitor v = {collect, &next, true};
    int saved = errno;

    if (!efg_slots_reset())
        return 0;
    if (dl_iterate_phdr(visit_object, &v) == 0 && count)
        write_slots(true);
    forget_unset();
    errno = saved;
    return count;
}

/* As a rule objects are the same. If not, those are looked for that are still there. */
static bool reset(void)
{
    struct visitor v = {find_again, NULL, false};

    if (write_slots(false))
        return true;
    for (size_t i = 0; i < count; i++)
        slots[i].is_here = false;
    return dl_iterate_phdr(visit_object, &v) == 0 && write_slots(false);
}

static void forget_gone(void)
{
    for (size_t i = 0; i < count; i++)
        slots[i].is_set &= slots[i].is_here;
    forget_unset();
}

bool efg_slots_reset(void)
{
    int saved = errno;
    bool is_done = !count;

    for (int i = 0; i < TRIES && !is_done; i++)
        is_done = reset();
    if (is_done)
        forget_gone();
    errno = saved;
    return !count;
}

#else

size_t efg_slots_set(uintptr_t (*next)(uintptr_t function))
{
    (void)next;
    return 0;
}

bool efg_slots_reset(void)
{
    return true;
}

#endif
