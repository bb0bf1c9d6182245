/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded in front of libefgtrace.so: what our libraries ask of the system fails when it is
 * told to. Their calls are told apart from all others by the address that they return to, and
 * are counted.
 *
 *     MISHAP:
 *       memory  malloc, calloc, realloc, aligned_alloc, strdup and mmap
 *       files   open, openat, fopen, fdopen, fdopendir, mkdirat, write, pwrite, fwrite, fflush,
 *               fsync, posix_fallocate, ftruncate, renameat, unlinkat, faccessat, fchmod, close
 *               and fclose
 *       clock   clock_gettime, of the time of day only
 *     MISHAP_AT: which of these calls; 1 is the first.
 *     MISHAP_HOW:
 *       once    that call alone fails
 *       on      that one and all that follow
 *       kill    SIGKILL
 *       slow    that one and all that follow take 20 ms, as on a file system far away
 *       forth   from that one on the clock is an hour further
 *       back    from that one on the clock is an hour behind
 *     MISHAP_ERROR: errno of files (default ENOSPC).
 *     MISHAP_RANK: on this rank alone (default: all).
 *     MISHAP_COUNT: a file, to which a line "RANK CALLS" of each rank is appended at the end.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define HERE __builtin_return_address(0)
#define MOST 8

enum kind { NONE, MEMORY, FILES, CLOCK };
enum how { ONCE, ON, KILL, SLOW, FORTH, BACK, HOWS };

static enum kind kind;
static unsigned long calls, at;
static enum how how;
static int error = ENOSPC;

/* Where our libraries lie; the runtime comes with MPI_Init, so they are looked for again when
 * the number of loaded objects has changed. */
static struct {
    uintptr_t from, to;
} ranges[MOST];
static int range_count;
static unsigned long long loaded;

static int look(struct dl_phdr_info *module, size_t size, void *unused)
{
    int is_one = strstr(module->dlpi_name, "/libefgtrace") != NULL;
    (void)size, (void)unused;
    loaded = module->dlpi_adds;
    for (int i = 0; is_one && range_count < MOST && i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_LOAD && module->dlpi_phdr[i].p_flags & PF_X) {
            ranges[range_count].from = module->dlpi_addr + module->dlpi_phdr[i].p_vaddr;
            ranges[range_count].to = ranges[range_count].from + module->dlpi_phdr[i].p_memsz;
            range_count++;
        }
    return 0;
}

static int peek(struct dl_phdr_info *module, size_t size, void *adds)
{
    (void)size;
    *(unsigned long long *)adds = module->dlpi_adds;
    return 1;
}

static int is_ours(const void *from)
{
    static __thread int looks; /* the search may ask for memory */
    unsigned long long adds = 0;

    if (looks)
        return 0;
    looks = 1;
    dl_iterate_phdr(peek, &adds);
    if (adds != loaded) {
        range_count = 0;
        dl_iterate_phdr(look, NULL);
    }
    looks = 0;
    for (int i = 0; i < range_count; i++)
        if ((uintptr_t)from >= ranges[i].from && (uintptr_t)from < ranges[i].to)
            return 1;
    return 0;
}

/* Whether it happens to a call of that kind, which returns to FROM. */
static int happens(enum kind of, const void *from)
{
    if (kind != of || !is_ours(from))
        return 0;
    unsigned long number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return at && (how == ONCE || how == KILL ? number == at : number >= at);
}

static int fails(enum kind of, const void *from)
{
    if (!happens(of, from))
        return 0;
    if (how == KILL)
        kill(getpid(), SIGKILL);
    if (how == SLOW) {
        usleep(20000);
        return 0;
    }
    errno = of == MEMORY ? ENOMEM : error;
    return 1;
}

/* The place of WORD among so many WORDS; 0 if it is NULL or none of them. */
static int find(const char *word, const char *const *words, int count)
{
    while (word && --count > 0 && strcmp(word, words[count]) != 0)
        ;
    return word ? count : 0;
}

/* As the launcher says it, of Open MPI or MPICH. */
static const char *own_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank ? rank : getenv("PMI_RANK");
}

__attribute__((constructor)) static void begin(void)
{
    static const char *const kinds[] = {"", "memory", "files", "clock"};
    static const char *const hows[HOWS] = {"once", "on", "kill", "slow", "forth", "back"};
    const char *what = getenv("MISHAP"), *number = getenv("MISHAP_AT");
    const char *code = getenv("MISHAP_ERROR"), *only = getenv("MISHAP_RANK");
    const char *rank = own_rank();

    if (!what || !rank)
        return;
    kind = (enum kind)find(what, kinds, CLOCK + 1);
    how = (enum how)find(getenv("MISHAP_HOW"), hows, HOWS);
    at = number && (!only || !strcmp(only, rank)) ? strtoul(number, NULL, 10) : 0;
    error = code ? atoi(code) : ENOSPC;
}

__attribute__((destructor)) static void end(void)
{
    const char *name = getenv("MISHAP_COUNT");
    int file = name && kind ? open(name, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file >= 0)
        dprintf(file, "%s %lu\n", own_rank(), calls);
}

/* --- memory --- */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size)
{
    return kind == MEMORY && fails(MEMORY, HERE) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return kind == MEMORY && fails(MEMORY, HERE) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return kind == MEMORY && fails(MEMORY, HERE) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(MEMORY, HERE) ? NULL : __libc_memalign(alignment, size);
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fails(MEMORY, HERE) ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* --- functions of libc, by their next definition --- */

#define NEXT(name, ...)                                    \
    static __typeof__(&name) real;                         \
    if (!real)                                             \
        real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    return real(__VA_ARGS__)

#define IN_FRONT_OF(type, name, failure, parameters, ...) \
    type name parameters                                  \
    {                                                     \
        if (fails(FILES, HERE))                           \
            return failure;                               \
        NEXT(name, __VA_ARGS__);                          \
    }

void *mmap(void *wish, size_t size, int protection, int flags, int file, off_t offset)
{
    if (fails(MEMORY, HERE))
        return MAP_FAILED;
    NEXT(mmap, wish, size, protection, flags, file, offset);
}

static int read_clock(clockid_t clock, struct timespec *time)
{
    NEXT(clock_gettime, clock, time);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int result = read_clock(clock, time);
    if (clock == CLOCK_REALTIME && happens(CLOCK, HERE))
        time->tv_sec += how == BACK ? -3600 : 3600;
    return result;
}

static mode_t mode_of(int flags, va_list rest)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

static int open_or_fail(const void *from, int at, const char *path, int flags, mode_t mode)
{
    if (fails(FILES, from))
        return -1;
    NEXT(openat, at, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_or_fail(HERE, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_or_fail(HERE, AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_or_fail(HERE, at, path, flags, mode);
}

IN_FRONT_OF(FILE *, fopen, NULL, (const char *path, const char *mode), path, mode)
IN_FRONT_OF(FILE *, fopen64, NULL, (const char *path, const char *mode), path, mode)
IN_FRONT_OF(int, mkdirat, -1, (int at, const char *path, mode_t mode), at, path, mode)
IN_FRONT_OF(ssize_t, write, -1, (int file, const void *data, size_t size), file, data, size)
IN_FRONT_OF(ssize_t, pwrite, -1, (int file, const void *data, size_t size, off_t to), file, data, size, to)
IN_FRONT_OF(ssize_t, pwrite64, -1, (int file, const void *data, size_t size, off_t to), file, data, size, to)
IN_FRONT_OF(size_t, fwrite, 0, (const void *data, size_t size, size_t count, FILE *file), data, size, count,
            file)
IN_FRONT_OF(int, posix_fallocate, error, (int file, off_t from, off_t size), file, from, size)
IN_FRONT_OF(int, posix_fallocate64, error, (int file, off_t from, off_t size), file, from, size)
IN_FRONT_OF(int, ftruncate, -1, (int file, off_t size), file, size)
IN_FRONT_OF(int, renameat, -1, (int here, const char *from, int there, const char *to), here, from, there, to)
IN_FRONT_OF(int, unlinkat, -1, (int at, const char *path, int flags), at, path, flags)
IN_FRONT_OF(int, faccessat, -1, (int at, const char *path, int mode, int flags), at, path, mode, flags)
IN_FRONT_OF(int, fchmod, -1, (int file, mode_t mode), file, mode)
IN_FRONT_OF(FILE *, fdopen, NULL, (int file, const char *mode), file, mode)
IN_FRONT_OF(DIR *, fdopendir, NULL, (int file), file)
IN_FRONT_OF(int, fflush, EOF, (FILE * file), file)
IN_FRONT_OF(int, fsync, -1, (int file), file)

/* The file is closed all the same. */
#define CLOSE(name, failure, type)                             \
    int name(type file)                                        \
    {                                                          \
        int has_failed = fails(FILES, HERE), code = errno;     \
        static __typeof__(&name) real;                         \
        if (!real)                                             \
            real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
        int result = real(file);                               \
        if (has_failed)                                        \
            errno = code;                                      \
        return has_failed ? failure : result;                  \
    }
CLOSE(close, -1, int)
CLOSE(fclose, EOF, FILE *)
