/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a label has besides the innermost frame, as efg_run.apart has it: 0 for none; a frame, as
 * efg_summary_frame counts them, 1 or more, by its name; or a frame of the call path, by its offset.
 */
#ifndef EFG_SUMMARY_NAMES_H
#define EFG_SUMMARY_NAMES_H

#include <stdint.h>

#include "files/run/runfile.h"

#define EFG_APART_OFFSET 0x80

/* At which frame, as efg_summary_frame counts them, WHICH of the call path is. */
uint32_t efg_summary_level(const struct efg_run *run, uint32_t path, unsigned char which);

#endif
