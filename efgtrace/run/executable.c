/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that is about to be started: its file, and which runtime of AddressSanitizer it is
 * linked with. That runtime ends the process if it is not the first library of all. It is found
 * among the needed ones of an ELF file; of a script, among those of its interpreter.
 *
 * Source: execve(2), elf(5).
 */
#include "executable.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_executable(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

int efg_executable_open(const char *program)
{
    const char *folders = getenv("PATH");
    char path[PATH_MAX];

    if (strchr(program, '/'))
        return open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    for (folders = folders ? folders : "/bin:/usr/bin"; folders; folders = strchr(folders, ':')) {
        folders += *folders == ':';
        int length = strcspn(folders, ":");
        snprintf(path, sizeof(path), "%.*s%s%s", length, folders, length ? "/" : "./", program);
        if (is_executable(path))
            return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    }
    return -1;
}

/* --- scripts --- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The interpreter of the script in FILE, open; -1 if it is none. "env NAME" stands for NAME. */
static int open_interpreter(int file)
{
    char line[PATH_MAX];
    char *save, *word, *next;
    ssize_t length = pread(file, line, sizeof(line) - 1, 0);

    if (length < 2 || memcmp(line, "#!", 2) != 0)
        return -1;
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    word = strtok_r(line + 2, " \t\r", &save);
    if (!word)
        return -1;
    next = strtok_r(NULL, " \t\r", &save);
    bool is_env = strcmp(base_of(word), "env") == 0 && next && *next != '-';
    return efg_executable_open(is_env ? next : word);
}

/* --- libraries --- */

bool efg_executable_is_asan(const char *library)
{
    const char *base = base_of(library);
    return strncmp(base, "libasan.so", 10) == 0 || strncmp(base, "libclang_rt.asan", 16) == 0;
}

/* Among the needed libraries that SECTION, of dynamic linking, names. */
static void look_in(Elf *elf, Elf_Scn *section, char *name, size_t size)
{
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;

    if (!data || !gelf_getshdr(section, &header))
        return;
    for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *needed =
            entry.d_tag == DT_NEEDED ? elf_strptr(elf, header.sh_link, entry.d_un.d_val) : NULL;
        if (needed && efg_executable_is_asan(needed))
            snprintf(name, size, "%s", needed);
    }
}

static void look_at(int file, char *name, size_t size)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while (elf && elf_kind(elf) == ELF_K_ELF && (section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
            look_in(elf, section, name, size);
    elf_end(elf);
}

void efg_executable_asan(const char *program, char *name, size_t size)
{
    int file = efg_executable_open(program);
    int interpreter = file >= 0 ? open_interpreter(file) : -1;

    *name = '\0';
    if (file >= 0)
        look_at(interpreter >= 0 ? interpreter : file, name, size);
    if (interpreter >= 0)
        close(interpreter);
    if (file >= 0)
        close(file);
}
