/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds libefgtrace.so, and adds it to LD_PRELOAD. Preloading rests on the dynamic linker: it loads what
 * LD_PRELOAD names before the program's own libraries. It splits the variable at blanks and colons and
 * knows no way to quote them; it is not there in static programs, and ignores the variable in programs
 * that run with more rights than their user has. The runtime of AddressSanitizer wants to be in front of
 * all others; it defines no MPI function, so that we come second.
 *
 * Source: ld.so(8).
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "preload.h"
#include "executable.h"

#define NAME "libefgtrace.so"
#define OPENMP "libefgtrace-openmp.so"

static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, R_OK) == 0;
}

/* The folder of the tool itself, links resolved. */
static int find_folder(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);

    if (length <= 0)
        return -ENOENT;
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    return 0;
}

/* LIBRARY has room for PATH_MAX bytes. */
static int accept_file(const char *path, char *library, size_t size)
{
    char real[PATH_MAX];

    if (!is_file(path) || !realpath(path, real) || strlen(real) >= size)
        return -ENOENT;
    strcpy(library, real);
    return 0;
}

int efg_preload_find(char *library, size_t size, char *message, size_t room)
{
    static const char *const places[] = {"", "/../lib", "/../lib64", "/../lib/efgtrace", NULL};
    const char *told = getenv("EFGTRACE_LIBRARY");
    char folder[PATH_MAX], path[PATH_MAX + 64];

    if (told && *told) {
        if (accept_file(told, library, size) == 0)
            return 0;
        snprintf(message, room, "environment variable EFGTRACE_LIBRARY: %s: not a readable file", told);
        return -ENOENT;
    }
    if (find_folder(folder, sizeof(folder)) != 0)
        strcpy(folder, ".");
    for (int i = 0; places[i]; i++) {
        snprintf(path, sizeof(path), "%s%s/%s", folder, places[i], NAME);
        if (accept_file(path, library, size) == 0)
            return 0;
    }
    snprintf(message, room,
             NAME " is neither in %s nor in %s/../lib, lib64 or lib/efgtrace; "
                  "set EFGTRACE_LIBRARY to the file",
             folder, folder);
    return -ENOENT;
}

/* The runtime of AddressSanitizer that has to come first: the one that is among the OTHERS that
 * are preloaded, or that PROGRAM is linked with; "" for none. */
static void find_first(const char *others, const char *program, char *name, size_t size)
{
    for (size_t length; *others; others += length + (others[length] != '\0')) {
        length = strcspn(others, " :");
        snprintf(name, size, "%.*s", (int)length, others);
        if (efg_executable_is_asan(name))
            return;
    }
    efg_executable_asan(program, name, size);
    if (strpbrk(name, " :"))
        *name = '\0';
}

int efg_preload_set(const char *library, const char *program, char *message, size_t room)
{
    const char *told = getenv("LD_PRELOAD"), *others = told ? told : "";
    char first[PATH_MAX];

    if (strpbrk(library, " :")) {
        snprintf(message, room,
                 "%s: LD_PRELOAD cannot hold a path that contains a blank or a colon; "
                 "move the library, or set EFGTRACE_LIBRARY to a link to it whose folder has none",
                 library);
        return -EINVAL;
    }
    find_first(others, program, first, sizeof(first));
    size_t size = strlen(first) + strlen(library) + strlen(others) + 3;
    char *all = malloc(size);
    int error = !all;

    if (all) {
        snprintf(all, size, "%s%s%s%s%s", first, *first ? ":" : "", library, *others ? ":" : "", others);
        error = setenv("LD_PRELOAD", all, 1);
    }
    if (error)
        snprintf(message, room, "LD_PRELOAD cannot be set: no memory");
    free(all);
    return error ? -ENOMEM : 0;
}

int efg_preload_openmp(const char *library, const char *program, char *message, size_t room)
{
    char path[PATH_MAX + 64];

    snprintf(path, sizeof path, "%.*s/" OPENMP, (int)(strrchr(library, '/') - library), library);
    if (is_file(path))
        return efg_preload_set(path, program, message, room);
    snprintf(message, room, "openmp = on: " OPENMP " is not beside %s", library);
    return -ENOENT;
}

/* 1: an ELF file of 64 bits that asks for no dynamic linker. */
static bool is_static(int file)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;

    if (pread(file, &header, sizeof(header), 0) != sizeof(header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_phentsize != sizeof(segment))
        return false;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        off_t at = header.e_phoff + i * sizeof(segment);
        if (pread(file, &segment, sizeof(segment), at) != sizeof(segment) || segment.p_type == PT_INTERP)
            return false;
    }
    return true;
}

/* 1: it runs with other rights than its user's. */
static bool is_privileged(int file)
{
    struct stat status;

    if (fstat(file, &status) != 0)
        return false;
    return ((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
           ((status.st_mode & S_ISGID) && status.st_gid != getgid()) ||
           fgetxattr(file, "security.capability", NULL, 0) > 0;
}

const char *efg_preload_obstacle(const char *program)
{
    int file = efg_executable_open(program);
    const char *obstacle = NULL;

    if (file < 0)
        return NULL;
    if (is_privileged(file))
        obstacle = "is setuid, setgid or has capabilities";
    else if (is_static(file))
        obstacle = "is statically linked";
    close(file);
    return obstacle;
}
