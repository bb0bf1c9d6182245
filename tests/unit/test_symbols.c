/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This program resolves places in itself: as it is, stripped, with its debug
 * information in a file beside it, and damaged in many ways.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/symbols/script.h"
#include "files/symbols/symbols.h"

static char folder[] = "/tmp/efg_symbols_XXXXXX";
static char self[4096];
static uint64_t base; /* load address of this program */

static int note_base(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uint64_t *)data = info->dlpi_addr;
    return 1; /* the program comes first */
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_non_null(realpath("/proc/self/exe", self));
    dl_iterate_phdr(note_base, &base);
    return 0;
}

static int shell(const char *command)
{
    char line[9000];
    snprintf(line, sizeof line, "cd %s && { %s; } 2>/dev/null", folder, command);
    return system(line);
}

static int tear_down(void **state)
{
    (void)state;
    return shell("rm -rf ./* .debug") || rmdir(folder);
}

/* --- places to be resolved --- */

static volatile int sink; /* keeps calls from becoming jumps */

/* Where it was called from, as a call path has it: inside the call. */
static __attribute__((noinline)) uint64_t here(void)
{
    sink++;
    return (uint64_t)(uintptr_t)__builtin_return_address(0) - 1 - base;
}

static inline __attribute__((always_inline)) uint64_t inlined_deep(void)
{
    uint64_t place = here(); /* line of "deep" */
    sink++;
    return place;
}
enum { DEEP_LINE = __LINE__ - 4 };

static inline __attribute__((always_inline)) uint64_t inlined_once(void)
{
    return inlined_deep(); /* line of "once" */
}
enum { ONCE_LINE = __LINE__ - 2 };

static __attribute__((noinline)) uint64_t static_function(int *line)
{
    *line = __LINE__ + 1;
    uint64_t place = here();
    sink++;
    return place;
}

static __attribute__((noinline)) uint64_t outer_function(int *line)
{
    *line = __LINE__ + 1;
    uint64_t place = inlined_once();
    sink++;
    return place;
}

static void assert_frame(const struct efg_symbol *frame, const char *function, int line)
{
    assert_string_equal(frame->function, function);
    assert_non_null(strstr(frame->file, "test_symbols.c"));
    assert_int_equal(frame->line, line);
    assert_true(frame->first_line > 0 && frame->first_line <= frame->line);
}

/* --- tests --- */

static void test_static_function(void **state)
{
    (void)state;
    struct efg_symbols *symbols = efg_symbols_new();
    const struct efg_symbol *frames, *again;
    int line;
    uint64_t place = static_function(&line);
    assert_int_equal(efg_symbols_find(symbols, self, place, &frames), 1);
    assert_frame(frames, "static_function", line);
    assert_int_equal(efg_symbols_find(symbols, self, place, &again), 1);
    assert_ptr_equal(frames, again);
    efg_symbols_free(symbols);
}

static void test_inlined_functions(void **state)
{
    (void)state;
    struct efg_symbols *symbols = efg_symbols_new();
    const struct efg_symbol *frames;
    int line;
    uint64_t place = outer_function(&line);
    assert_int_equal(efg_symbols_find(symbols, self, place, &frames), 3);
    assert_frame(&frames[0], "inlined_deep", DEEP_LINE);
    assert_frame(&frames[1], "inlined_once", ONCE_LINE);
    assert_frame(&frames[2], "outer_function", line);
    efg_symbols_free(symbols);
}

static int make_copy(const char *commands, char *name, size_t size)
{
    char line[4600];
    snprintf(name, size, "%s/copy", folder);
    snprintf(line, sizeof line, "rm -rf ./* .debug; cp %s copy && %s", self, commands);
    return shell(line);
}

static void expect_in_copy(const char *commands, const char *function, int with_line)
{
    struct efg_symbols *symbols = efg_symbols_new();
    const struct efg_symbol *frames;
    char name[64];
    int line;
    uint64_t place = static_function(&line);
    if (make_copy(commands, name, sizeof name)) {
        efg_symbols_free(symbols);
        skip(); /* no binutils */
    }
    assert_int_equal(efg_symbols_find(symbols, name, place, &frames), 1);
    assert_string_equal(frames->function, function);
    assert_int_equal(frames->line, with_line ? line : 0);
    efg_symbols_free(symbols);
}

static void test_symbol_table_only(void **state)
{
    (void)state;
    expect_in_copy("strip --strip-debug copy", "static_function", 0);
}

static void test_stripped(void **state)
{
    (void)state;
    expect_in_copy("strip copy", "?", 0);
}

static void test_debug_file(void **state)
{
    (void)state;
    expect_in_copy("objcopy --only-keep-debug copy copy.debug && strip copy && "
                   "objcopy --add-gnu-debuglink=copy.debug copy",
                   "static_function", 1);
    expect_in_copy("objcopy --only-keep-debug copy copy.debug && strip copy && "
                   "objcopy --add-gnu-debuglink=copy.debug copy && mkdir .debug && "
                   "mv copy.debug .debug",
                   "static_function", 1);
    expect_in_copy("objcopy -R .note.gnu.build-id copy; "
                   "objcopy --only-keep-debug copy copy.debug && strip copy && "
                   "objcopy --add-gnu-debuglink=copy.debug copy",
                   "static_function", 1);
}

/* A debug file of another build lies about every line. */
static void test_wrong_debug_file(void **state)
{
    (void)state;
    expect_in_copy("objcopy -R .note.gnu.build-id copy; "
                   "objcopy --only-keep-debug copy copy.debug && strip copy && "
                   "objcopy --add-gnu-debuglink=copy.debug copy && echo >> copy.debug",
                   "?", 0);
}

static void test_compressed(void **state)
{
    (void)state;
    expect_in_copy("objcopy --compress-debug-sections copy", "static_function", 1);
}

/* A library that is stripped still exports its functions. */
static void test_dynamic_symbols(void **state)
{
    (void)state;
    Dl_info info;
    struct efg_symbols *symbols = efg_symbols_new();
    const struct efg_symbol *frames;
    void *place = dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests");
    char commands[4400], name[64];
    assert_true(place && dladdr(place, &info));
    snprintf(commands, sizeof commands, "cp %s copy && strip copy", info.dli_fname);
    if (make_copy(commands, name, sizeof name))
        skip();
    uint64_t offset = (uint64_t)((char *)place - (char *)info.dli_fbase) + 4;
    assert_int_equal(efg_symbols_find(symbols, name, offset, &frames), 1);
    assert_string_equal(frames->function, "_cmocka_run_group_tests");
    efg_symbols_free(symbols);
}

static void expect_unknown(const char *name)
{
    struct efg_symbols *symbols = efg_symbols_new();
    const struct efg_symbol *frames;
    assert_int_equal(efg_symbols_find(symbols, name, 0x1234, &frames), 1);
    assert_string_equal(frames->function, "?");
    assert_string_equal(frames->file, "");
    assert_int_equal(frames->line, 0);
    efg_symbols_free(symbols);
}

static void test_unreadable(void **state)
{
    (void)state;
    expect_unknown("/nonexistent/library.so");
    expect_unknown("");
    expect_unknown("[vdso]");
    expect_unknown("/tmp");
    expect_unknown("/dev/zero");
    expect_unknown("/etc/passwd");
    expect_unknown("/dev/null");
}

static void test_no_resolver(void **state)
{
    const struct efg_symbol *frames;
    (void)state;
    assert_int_equal(efg_symbols_find(NULL, "/bin/true", 0x1234, &frames), 1);
    assert_string_equal(frames->function, "?");
    assert_string_equal(frames->file, "");
}

static void test_outside(void **state)
{
    (void)state;
    struct efg_symbols *symbols = efg_symbols_new();
    const struct efg_symbol *frames;
    for (uint64_t shift = 0; shift < 64; shift++)
        assert_true(efg_symbols_find(symbols, self, UINT64_MAX >> shift, &frames) >= 1);
    efg_symbols_free(symbols);
}

/* --- damaged files --- */

static unsigned char *load(size_t *size)
{
    FILE *file = fopen(self, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*size);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static void resolve_some(const unsigned char *data, size_t size)
{
    struct efg_symbols *symbols = efg_symbols_new();
    const struct efg_symbol *frames;
    char name[64];
    int line;
    snprintf(name, sizeof name, "%s/damaged", folder);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
    uint64_t place = static_function(&line);
    for (uint64_t offset = place & ~UINT64_C(0xfff); offset < (place | 0xfff); offset += 64) {
        int count = efg_symbols_find(symbols, name, offset, &frames);
        for (int i = 0; i < count; i++)
            assert_true(strlen(frames[i].function) + strlen(frames[i].file) > 0);
    }
    efg_symbols_free(symbols);
    unlink(name);
}

static void test_damaged(void **state)
{
    (void)state;
    size_t size;
    unsigned char *data = load(&size), *copy = malloc(size);
    srand(1);
    for (int round = 0; round < 60; round++) {
        memcpy(copy, data, size);
        for (int i = 0; i < 1 << round % 12; i++)
            copy[(size_t)rand() % size] ^= (unsigned char)(1 << rand() % 8);
        memcpy(copy, data, 4); /* else it is no ELF file at all */
        resolve_some(copy, size);
        resolve_some(data, (size_t)rand() % size);
        memcpy(copy, data, size);
        for (int i = 0; i < 4; i++) /* the headers of program and sections */
            copy[round % 2 ? (size_t)rand() % 64 : size - 1 - (size_t)rand() % 2048] ^= 0xff;
        memcpy(copy, data, 4);
        resolve_some(copy, size);
    }
    free(data);
    free(copy);
}

/* --- scripts --- */

static void test_script(void **state)
{
    (void)state;
    char name[EFG_SCRIPT_NAME], function[16];
    const struct efg_symbol *frames;
    const char *file;
    uint32_t line;
    struct efg_symbols *symbols = efg_symbols_new();

    efg_script_name(name, sizeof name, "Solver.step", 41, "/home/me/a:b/halo.py");
    assert_true(efg_script_is(name));
    assert_int_equal(efg_symbols_find(symbols, name, 44, &frames), 1);
    assert_string_equal(frames->function, "Solver.step");
    assert_string_equal(frames->file, "/home/me/a:b/halo.py");
    assert_int_equal(frames->line, 44);
    assert_int_equal(frames->first_line, 41);
    assert_int_equal(efg_symbols_find(symbols, "python:broken", 1, &frames), 1);
    assert_string_equal(frames->function, "?");
    efg_symbols_free(symbols);

    assert_true(efg_script_read("python:a_long_name_of_a_function:1:<string>", function, sizeof function,
                                &line, &file));
    assert_string_equal(function, "a_long_name_of_");
    assert_string_equal(file, "<string>");
    assert_false(efg_script_read("/usr/bin/python:1:x", function, sizeof function, &line, &file));
}

static void test_script_hash(void **state)
{
    (void)state;
    uint64_t hash = efg_script_hash("python:f:1:/a/x.py");
    assert_true(hash == efg_script_hash("python:f:1:/b/c/x.py"));
    assert_true(hash != efg_script_hash("python:f:1:/a/y.py"));
    assert_true(hash != efg_script_hash("python:f:2:/a/x.py"));
    assert_true(hash != efg_script_hash("python:g:1:/a/x.py"));
}

/* --- without memory --- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true /* they have memory of their own, or end the process */
#else
#define IS_SANITIZED false
#endif

#define BLOCK 1024
#define MOST_BLOCKS 400

/* All memory but so many BLOCKS. */
static void use_up(unsigned blocks)
{
    static void *left[MOST_BLOCKS];
    struct rlimit none = {1 << 20, 1 << 20};

    for (unsigned i = 0; i < blocks; i++)
        left[i] = malloc(BLOCK);
    setrlimit(RLIMIT_DATA, &none);
    for (size_t size = 1 << 20; size >= 16; size /= 2)
        while (malloc(size))
            ;
    for (unsigned i = 0; i < blocks; i++)
        free(left[i]);
}

/* Ends well if it goes on. */
static _Noreturn void resolve_within(unsigned blocks)
{
    const struct efg_symbol *frames;
    int line;
    uint64_t place = static_function(&line);
    struct efg_symbols *symbols = efg_symbols_new();

    use_up(blocks);
    efg_symbols_find(symbols, self, place, &frames);
    efg_symbols_find(symbols, self, place, &frames);
    efg_symbols_free(symbols);
    _exit(0);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (unsigned blocks = 0; blocks < MOST_BLOCKS && !IS_SANITIZED; blocks += 1 + blocks / 8) {
        int status;
        pid_t child = fork();
        if (child == 0)
            resolve_within(blocks);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script),
        cmocka_unit_test(test_script_hash),
        cmocka_unit_test(test_static_function),
        cmocka_unit_test(test_inlined_functions),
        cmocka_unit_test(test_symbol_table_only),
        cmocka_unit_test(test_stripped),
        cmocka_unit_test(test_debug_file),
        cmocka_unit_test(test_wrong_debug_file),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_dynamic_symbols),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_no_resolver),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
