/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace that is read, to be exported and shown. The OTF2 library, which was not made for such
 * files, reads it in a process of its own, and may crash there or come to no end: what our code
 * does wrong there is told apart from that by where it happens.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive.h"
#include "cli/commands.h"
#include "fuzz.h"
#include "printed.h"

#define MEGABYTE (1 << 20)
#define MOST_FRAMES 64

/* Those of the sanitizers' interfaces, which GCC does not install. */
void __sanitizer_symbolize_pc(void *pc, const char *format, char *text, size_t size);
void __sanitizer_set_death_callback(void (*callback)(void));
void __sanitizer_print_stack_trace(void);

static int *is_ours; /* shared by both processes: what is wrong there is our fault */

/* Whose fault it is: of the first frame that is no part of a sanitizer, which says no files. To
 * look that up takes long, so it is not done of what handles a signal: all before libc. */
static int blame(int is_signal)
{
    void *frames[MOST_FRAMES];
    char file[256];
    Dl_info own, module = {.dli_fname = ""};
    int count = backtrace(frames, MOST_FRAMES);
    dladdr((void *)blame, &own);
    for (int i = 0; i < count; i++) {
        if (!dladdr(frames[i], &module) || module.dli_fbase != own.dli_fbase)
            is_signal = 0;
        if (is_signal)
            continue;
        if (strstr(module.dli_fname, "/libopen-trace-format2"))
            return 0;
        __sanitizer_symbolize_pc((char *)frames[i] - 1, "%s", file, sizeof file);
        if (strstr(file, ".c") && !strstr(file, "fuzz_traces.c"))
            return 1;
    }
    return 1;
}

/* Before the report is made, which takes its time. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    alarm(0);
}

static void tell(int is_signal)
{
    alarm(0);
    *is_ours |= blame(is_signal);
    if (*is_ours)
        __sanitizer_print_stack_trace();
}

static void die(void)
{
    tell(0);
}

static void crash(int number)
{
    tell(1);
    signal(number, SIG_DFL);
    raise(number);
}

static void enter_child(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], crash);
    signal(SIGALRM, SIG_DFL);
    __sanitizer_set_death_callback(die);
    fuzz_done(); /* what OTF2 takes is its own business */
}

static void begin(void)
{
    void *frame;
    is_ours = mmap(NULL, sizeof *is_ours, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fuzz_expect(is_ours != MAP_FAILED, "memory to share");
    backtrace(&frame, 1); /* it allocates when it is called first */
    pthread_atfork(NULL, NULL, enter_child);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct fuzz_command commands[] = {
        {efg_cmd_export, {"export", FUZZ_DIR}, fuzz_expect_json},
        {efg_cmd_export, {"export", "-f", "json", FUZZ_DIR}, fuzz_expect_json},
        {efg_cmd_report, {"report", FUZZ_DIR, "--html", "-o", "-"}, fuzz_expect_page},
    };
    if (!is_ours)
        begin();
    archive_unpack(bytes, size);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        int code = fuzz_call(&commands[i], 16 * MEGABYTE, 2000, size);
        fuzz_expect(!*is_ours, "what reads a trace to do nothing wrong");
        if (code && !i)
            break; /* the others say the same */
    }
    return 0;
}
