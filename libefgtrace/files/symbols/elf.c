/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ELF files for the resolver: the file itself, its debug file, its symbol table.
 *
 * A debug file is looked for where gdb does: by build id below /usr/lib/debug/.build-id;
 * by the name in .gnu_debuglink beside the file, in .debug/ beside it, and below
 * /usr/lib/debug. It must have the same build id, or the checksum that the link
 * names if there is no build id. By hand and not by libdwfl, which may ask a server on
 * the network (debuginfod), and that for each rank of a job; only where it is asked for, a server is asked.
 *
 * Files are mapped and their descriptors closed: an application at its end may have few
 * descriptors left, and hundreds of modules.
 */
#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "parts.h"

#define DEBUG_FOLDER EFG_DEBUG_FOLDER

/* --- files --- */

/* Returns -1 for what is no regular file. */
static int open_regular(const char *path)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && (fstat(file, &facts) || !S_ISREG(facts.st_mode))) {
        close(file);
        return -1;
    }
    return file;
}

/* Whether ELF has debug information, not only an unwind table. */
static bool has_debug_info(Elf *elf)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
            return header.sh_type != SHT_NOBITS;
    }
    return false;
}

/* Map PATH. *DWARF is set when there is debug information in it, and it is wanted. */
static Elf *map(const char *path, bool wants_dwarf, Dwarf **dwarf)
{
    int file = open_regular(path);
    *dwarf = NULL;
    if (file < 0)
        return NULL;
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    if (elf && elf_kind(elf) != ELF_K_ELF) {
        elf_end(elf);
        elf = NULL;
    }
    if (elf && wants_dwarf && has_debug_info(elf))
        *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (elf)
        elf_cntl(elf, ELF_C_FDREAD);
    close(file);
    return elf;
}

/* --- debug files --- */

static bool has_build_id(Elf *elf, const void *id, ssize_t size)
{
    const void *other;
    return dwelf_elf_gnu_build_id(elf, &other) == size && !memcmp(id, other, (size_t)size);
}

static bool has_checksum(Elf *elf, uint32_t checksum)
{
    size_t size;
    char *bytes = elf_rawfile(elf, &size);
    return bytes && efg_crc32(0, bytes, size) == checksum;
}

/* Take PATH as the debug file of FILE if it is the right one. */
static bool try_debug_file(struct efg_elf *file, const char *path, GElf_Word checksum)
{
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(file->elf, &id);
    Elf *elf = map(path, file->wants_dwarf, &file->dwarf);
    if (elf && (size > 0 ? has_build_id(elf, id, size) : has_checksum(elf, checksum))) {
        file->debug_elf = elf;
        return true;
    }
    dwarf_end(file->dwarf);
    elf_end(elf);
    file->dwarf = NULL;
    return false;
}

void efg_elf_debug_name(const struct efg_elf *file, char name[EFG_DEBUG_NAME])
{
    const unsigned char *id;
    ssize_t size = dwelf_elf_gnu_build_id(file->elf, (const void **)&id);
    *name = '\0';
    if (size < 2 || size > 64)
        return;
    size_t at = (size_t)sprintf(name, ".build-id/");
    for (ssize_t i = 0; i < size; i++)
        at += (size_t)sprintf(name + at, i == 0 ? "%02x/" : "%02x", id[i]);
    strcpy(name + at, ".debug");
}

static bool find_by_build_id(struct efg_elf *file, const char *folder)
{
    char name[EFG_DEBUG_NAME], path[PATH_MAX];
    efg_elf_debug_name(file, name);
    if (!*name || strlen(folder) > PATH_MAX - EFG_DEBUG_NAME - 1)
        return false;
    sprintf(path, "%s/%s", folder, name);
    return try_debug_file(file, path, 0);
}

/* By build id, by the name of the link, or by that of the file. */
static void find_in_folder(struct efg_elf *file, const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/');
    char candidate[PATH_MAX];
    GElf_Word checksum = 0;
    const char *link = dwelf_elf_gnu_debuglink(file->elf, &checksum);
    if (find_by_build_id(file, folder))
        return;
    snprintf(candidate, sizeof candidate, "%s/%s", folder, link && !strchr(link, '/') ? link : "");
    if (link && try_debug_file(file, candidate, checksum))
        return;
    snprintf(candidate, sizeof candidate, "%s/%s.debug", folder, slash ? slash + 1 : path);
    try_debug_file(file, candidate, checksum);
}

/* By libdebuginfod, where it is installed; it caches what it gets. */
static void find_at_servers(struct efg_elf *file)
{
    const void *id;
    ssize_t size = dwelf_elf_gnu_build_id(file->elf, &id);
    const char *servers = getenv("DEBUGINFOD_URLS");
    if (size <= 0 || !servers || !*servers)
        return;
    void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY);
    file->servers_said = library ? 0 : -ENOSYS;
    if (!library)
        return;
    void *(*begin)(void) = (void *(*)(void))dlsym(library, "debuginfod_begin");
    int (*find)(void *, const void *, int, char **) =
        (int (*)(void *, const void *, int, char **))dlsym(library, "debuginfod_find_debuginfo");
    void (*end)(void *) = (void (*)(void *))dlsym(library, "debuginfod_end");
    void *client = begin && find && end ? begin() : NULL;
    char *path = NULL;
    int found = client ? find(client, id, (int)size, &path) : -ENOSYS;
    if (found < 0)
        file->servers_said = found;
    if (found >= 0) {
        close(found);
        file->servers_said = try_debug_file(file, path, 0) ? 0 : -ENOENT;
        free(path);
    }
    if (client)
        end(client);
}

static void find_by_link(struct efg_elf *file, const char *path)
{
    static const char *const patterns[] = {"%s/%s", "%s/.debug/%s", DEBUG_FOLDER "%s/%s"};
    char folder[PATH_MAX], candidate[2 * PATH_MAX];
    GElf_Word checksum;
    const char *name = dwelf_elf_gnu_debuglink(file->elf, &checksum);
    if (!name || !*name || strchr(name, '/') || !realpath(path, folder))
        return;
    *strrchr(folder, '/') = '\0';
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        int length = snprintf(candidate, sizeof candidate, patterns[i], folder, name);
        if (length < PATH_MAX && try_debug_file(file, candidate, checksum))
            return;
    }
}

void efg_elf_open(struct efg_elf *file, const char *path, bool wants_dwarf, const char *folder,
                  bool asks_servers)
{
    *file = (struct efg_elf){.wants_dwarf = wants_dwarf};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return;
    file->elf = map(path, wants_dwarf, &file->dwarf);
    if (!file->elf || file->dwarf)
        return;
    if (folder)
        find_in_folder(file, path, folder);
    if (!file->debug_elf && !find_by_build_id(file, DEBUG_FOLDER))
        find_by_link(file, path);
    if (!file->debug_elf && asks_servers)
        find_at_servers(file);
}

void efg_elf_close(struct efg_elf *file)
{
    dwarf_end(file->dwarf);
    elf_end(file->debug_elf);
    elf_end(file->elf);
    memset(file, 0, sizeof *file);
}

/* --- symbol tables --- */

static int compare_functions(const void *a, const void *b)
{
    const struct efg_function *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/* The section of TYPE, its header in *HEADER. */
static Elf_Scn *section_of(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    while (elf && (section = elf_nextscn(elf, section))) {
        if (gelf_getshdr(section, header) && header->sh_type == type)
            return section;
    }
    return NULL;
}

bool efg_elf_is_bare(const struct efg_elf *file)
{
    GElf_Shdr header;
    return file->elf && !file->debug_elf && !file->dwarf && !section_of(file->elf, SHT_SYMTAB, &header);
}

static bool is_function(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

static bool read_functions(struct efg_function_table *table, Elf *elf, GElf_Word type)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Scn *section = section_of(elf, type, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    size_t count = data ? data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
    table->functions = count && count < INT_MAX ? malloc(count * sizeof *table->functions) : NULL;
    for (size_t i = 0; table->functions && i < count; i++) {
        const char *name = gelf_getsym(data, (int)i, &symbol) && is_function(&symbol)
                               ? elf_strptr(elf, header.sh_link, symbol.st_name)
                               : NULL;
        if (name && *name)
            table->functions[table->count++] =
                (struct efg_function){symbol.st_value, symbol.st_value + symbol.st_size, name};
    }
    if (table->count)
        qsort(table->functions, table->count, sizeof *table->functions, compare_functions);
    else
        free(table->functions);
    return table->count > 0;
}

void efg_elf_functions(struct efg_function_table *table, const struct efg_elf *file)
{
    memset(table, 0, sizeof *table);
    if (!read_functions(table, file->elf, SHT_SYMTAB) &&
        !read_functions(table, file->debug_elf, SHT_SYMTAB) && !read_functions(table, file->elf, SHT_DYNSYM))
        table->functions = NULL;
}

/* The segment of the table that finds unwind information: where it is in memory, and its bytes. */
static const unsigned char *find_unwind_table(Elf *elf, uint64_t *place, size_t *length)
{
    size_t count = 0, size = 0;
    const char *bytes = elf ? elf_rawfile(elf, &size) : NULL;
    GElf_Phdr segment;
    if (!bytes || elf_getphdrnum(elf, &count))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_GNU_EH_FRAME &&
            segment.p_offset <= size && segment.p_filesz <= size - segment.p_offset) {
            *place = segment.p_vaddr;
            *length = segment.p_filesz;
            return (const unsigned char *)bytes + segment.p_offset;
        }
    return NULL;
}

static int32_t get_i32(const unsigned char *at)
{
    int32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Rows of where a function begins and where its unwind information is, by rising addresses, as linkers write
 * them: four bytes each, relative to the table. Source: Linux Standard Base, .eh_frame_hdr. */
uint64_t efg_elf_start(const struct efg_elf *file, uint64_t address)
{
    static const unsigned char usual[] = {1, 0x1b, 0x03, 0x3b}; /* version, encodings */
    uint64_t place = 0, start = address;
    size_t length = 0, low = 0, high;
    const unsigned char *table = find_unwind_table(file->elf, &place, &length);
    if (!table || length < 12 || memcmp(table, usual, sizeof usual))
        return address;
    high = (uint32_t)get_i32(table + 8);
    high = high < (length - 12) / 8 ? high : (length - 12) / 8;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t begin = place + (uint64_t)(int64_t)get_i32(table + 12 + 8 * middle);
        if (begin <= address) {
            start = begin;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return start;
}

/* Symbols written in assembler often have no size: they reach to the next one. */
const char *efg_elf_name(const struct efg_function_table *table, uint64_t address)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->functions[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i > 0 && table->functions[i - 1].low == table->functions[low - 1].low; i--) {
        const struct efg_function *f = &table->functions[i - 1];
        if (address < f->high || f->high == f->low)
            return f->name;
    }
    return NULL;
}
