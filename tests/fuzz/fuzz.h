/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzzing: what a target and its surroundings share. A target is one function, which a fuzzer or
 * replay.c calls with the bytes of a file:
 *
 *     int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
 *
 * What it may not do ends the process: what sanitizers find, and what fuzz_expect and
 * fuzz_allow say. How long it may take is the fuzzer's business (run.sh).
 */
#ifndef EFG_FUZZ_H
#define EFG_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The folder that the target may write to, made with the first call; it goes at the end. */
const char *fuzz_folder(void);

/* Make the file NAME in it, of these bytes. Returns its path, which is valid until the next. */
const char *fuzz_write(const char *name, const void *bytes, size_t size);

/* Remove all that is in the folder NAME of it. */
void fuzz_empty(const char *name);

/* From now until fuzz_done, all that is allocated and not freed is at most BASE + FACTOR * SIZE
 * bytes, at every moment, whoever allocates it. */
void fuzz_allow(size_t base, size_t factor, size_t size);
void fuzz_done(void);

/* End the process with what was EXPECTED if it is not so. */
void fuzz_expect(int is_so, const char *expected);

/* From now on, what is printed is kept. Returns what was printed since the last call, a string
 * of *SIZE bytes, valid until the next. */
const char *fuzz_printed(size_t *size);

#endif
