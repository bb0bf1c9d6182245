/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and writing all of it: goes on after signals, and where a call has taken only a part.
 */
#ifndef EFG_IO_H
#define EFG_IO_H

#include <stddef.h>
#include <stdint.h>

#define EFG_IO_NEXT UINT64_MAX /* as a place to write to: behind what was written; any pipe */

/* Write SIZE bytes to place AT of FILE. Returns 0 or -errno. */
int efg_write_all(int file, const void *data, size_t size, uint64_t at);

/* Read SIZE bytes from place AT of FILE. Returns 0 or -errno; -EIO where the file is shorter. */
int efg_read_all(int file, void *data, size_t size, uint64_t at);

#endif
