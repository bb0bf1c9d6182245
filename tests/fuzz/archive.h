/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run with its trace as one file, for a fuzzer: parts one after the other, each of
 *
 *     1 byte   which file, see archive.c
 *     3 bytes  size, little endian; all that is there if that is less
 *     ...      what is in the file
 */
#ifndef EFG_FUZZ_ARCHIVE_H
#define EFG_FUZZ_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#define ARCHIVE_HEAD 4
#define ARCHIVE_RUN 0 /* the run file */

/* Bytes of the part at the beginning of BYTES, its head included; 0: there is none. */
size_t archive_part(const uint8_t *bytes, size_t size);

/* Make its files in the folder of the target, in place of what is there. */
void archive_unpack(const uint8_t *bytes, size_t size);

#endif
