/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a label has besides the innermost frame, as efg_run.apart has it: 0 for none; a frame, as
 * efg_summary_frame counts them, 1 or more, by its name; or a frame of the call path, by its offset.
 */
#ifndef EFG_SUMMARY_NAMES_H
#define EFG_SUMMARY_NAMES_H

#define EFG_APART_OFFSET 0x80

#endif
