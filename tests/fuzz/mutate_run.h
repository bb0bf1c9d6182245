/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EFG_MUTATE_RUN_H
#define EFG_MUTATE_RUN_H

#include <stddef.h>
#include <stdint.h>

/* Where the run file at the beginning of BYTES ends, as its header says; SIZE if it says what
 * cannot be. */
size_t run_size(const uint8_t *bytes, size_t size);

#endif
