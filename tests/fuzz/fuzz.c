/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory is counted by the allocator of the sanitizer, which calls us for each block: so that
 * of libraries counts, too.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/symbols/parts.h"

/* Those of the sanitizers' allocator_interface.h, which GCC does not install. */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *block);
void __sanitizer_print_stack_trace(void);
void __sanitizer_set_report_fd(void *file);

static int64_t held, allowed = INT64_MAX; /* bytes */
static int report = STDERR_FILENO;

void fuzz_expect(int is_so, const char *expected)
{
    if (is_so)
        return;
    allowed = INT64_MAX;
    dprintf(report, "==%d== ERROR: fuzz: expected %s\n", (int)getpid(), expected);
    __sanitizer_print_stack_trace();
    abort();
}

/* --- memory --- */

static void count_allocated(const volatile void *block, size_t size)
{
    (void)block;
    held += (int64_t)size;
    if (held <= allowed)
        return;
    char what[128];
    snprintf(what, sizeof what, "at most %lld bytes at a time, not %lld, the last block of %zu",
             (long long)allowed, (long long)held, size);
    fuzz_expect(0, what);
}

static void count_freed(const volatile void *block)
{
    held -= block ? (int64_t)__sanitizer_get_allocated_size(block) : 0;
}

void fuzz_allow(size_t base, size_t factor, size_t size)
{
    static int is_counting;
    if (!is_counting)
        is_counting = __sanitizer_install_malloc_and_free_hooks(count_allocated, count_freed);
    fuzz_expect(is_counting, "memory that can be counted");
    held = 0;
    allowed = (int64_t)(base + factor * size);
}

void fuzz_done(void)
{
    allowed = INT64_MAX;
}

/* --- files --- */

static char folder[64];

void fuzz_empty(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s%s", folder, *name ? "/" : "", name);
    DIR *files = opendir(path);
    for (struct dirent *entry; files && (entry = readdir(files));) {
        char below[PATH_MAX];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(below, sizeof below, "%s%s%s", name, *name ? "/" : "", entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, below);
        if (unlink(path)) {
            fuzz_empty(below);
            rmdir(path);
        }
    }
    if (files)
        closedir(files);
}

static void remove_folder(void)
{
    fuzz_empty("");
    rmdir(folder);
}

const char *fuzz_folder(void)
{
    if (*folder)
        return folder;
    strcpy(folder, access("/dev/shm", W_OK) ? "/tmp/efgtrace-fuzz.XXXXXX" : "/dev/shm/efgtrace-fuzz.XXXXXX");
    fuzz_expect(mkdtemp(folder) != NULL, "a folder to write to");
    atexit(remove_folder);
    return folder;
}

const char *fuzz_write(const char *name, const void *bytes, size_t size)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    fuzz_expect(file && fwrite(bytes, 1, size, file) == size && !fclose(file), "a file that can be written");
    return path;
}

/* --- other files --- */

/* Paths of modules lead to files that are not the fuzzer's: none is found. */
void __wrap_efg_elf_open(struct efg_elf *file, const char *path, int wants_dwarf);
void __wrap_efg_elf_open(struct efg_elf *file, const char *path, int wants_dwarf)
{
    (void)path;
    (void)wants_dwarf;
    *file = (struct efg_elf){0};
}

/* --- other processes --- */

/* Some seconds, where the user of a large trace has a minute. */
unsigned __real_alarm(unsigned seconds);
unsigned __wrap_alarm(unsigned seconds);
unsigned __wrap_alarm(unsigned seconds)
{
    return __real_alarm(seconds ? 4 : 0);
}

/* --- what is printed --- */

/* What sanitizers and fuzz_expect say goes where it went before. */
static void __attribute__((constructor)) keep_report(void)
{
    report = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    __sanitizer_set_report_fd((void *)(intptr_t)report);
}

const char *fuzz_printed(size_t *size)
{
    static int kept = -1;
    static char *text;
    if (kept < 0) {
        kept = memfd_create("printed", MFD_CLOEXEC);
        dup2(kept, STDOUT_FILENO);
        dup2(kept, STDERR_FILENO);
    }
    fflush(stdout);
    *size = (size_t)lseek(kept, 0, SEEK_CUR);
    text = realloc(text, *size + 1);
    fuzz_expect(text && pread(kept, text, *size, 0) == (ssize_t)*size, "what was printed");
    text[*size] = '\0';
    fuzz_expect(!ftruncate(kept, 0) && !lseek(kept, 0, SEEK_SET), "an empty file");
    return text;
}
