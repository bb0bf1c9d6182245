/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of the tool in a fuzz target, and what they print.
 */
#ifndef EFG_FUZZ_PRINTED_H
#define EFG_FUZZ_PRINTED_H

#include <stddef.h>

/* What may be printed: text that a terminal may be given, JSON that can be read, a page whose
 * data are no markup. */
void fuzz_expect_text(const char *text, size_t size);
void fuzz_expect_json(const char *text, size_t size);
void fuzz_expect_page(const char *text, size_t size);

#define FUZZ_DIR "DIR" /* stands for the folder of the target */
#define FUZZ_WORDS 7

struct fuzz_command {
    int (*call)(int argc, char **argv);
    const char *argv[FUZZ_WORDS];
    void (*expect)(const char *text, size_t size);
};

/* Call COMMAND and see what it prints; messages are text. Returns its exit code. It may take as
 * much memory as fuzz_allow says. */
int fuzz_call(const struct fuzz_command *command, size_t base, size_t factor, size_t size);

#endif
