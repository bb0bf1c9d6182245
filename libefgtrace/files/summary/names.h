/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a label has besides the innermost frame, as efg_run.apart has it: 0 for none; a frame, as
 * efg_summary_frame counts them, 1 or more, by its name; or a frame of the call path, by its offset.
 */
#ifndef EFG_SUMMARY_NAMES_H
#define EFG_SUMMARY_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "files/run/runfile.h"

#define EFG_APART_OFFSET 0x80

#define EFG_NAME_MOST 1024 /* of the name of a function that is looked at */
#define EFG_NAME_SHORT 256 /* of one that is shown */
#define EFG_PLACE 480      /* of functions that are around one another: files and lines, too */

/* NAME as it fits a line, if no other one looks like it then; all of it, without what compilers add to it;
 * and what finds it in run->alike. */
void efg_summary_brief(char *text, size_t size, const char *name);
void efg_summary_stem(char *text, size_t size, const char *name);
uint64_t efg_summary_name_key(const char *name);

#define INNER "(inner" /* how it begins that a loop is inside of one with the same name */

/* Without the module, in parentheses, behind it. */
void efg_summary_strip_module(char *text);

/* NUMBER, 0 for none, goes to the end of TEXT: " #2". If there is no room, for the end of it. */
void efg_summary_number(char *text, size_t size, uint32_t number);

/* How far the functions of a call path were counted, from the innermost one on: all zero at first. */
struct efg_outwards {
    uint32_t frame; /* of the path */
    uint32_t index; /* of the innermost function there */
};

/* efg_summary_frame, of a function that is no further in than the last one that was asked for with AT. */
bool efg_summary_outwards(const struct efg_run *run, const struct efg_node *node, struct efg_outwards *at,
                          uint32_t index, char *text, size_t size);

/* How many functions of the call path of NODE have the same name, from INDEX outwards, as in recursion; the
 * last one that was asked for with AT is no further out. */
uint32_t efg_summary_times(const struct efg_run *run, const struct efg_node *node, struct efg_outwards at,
                           uint32_t index);

/* At which frame, as efg_summary_frame counts them, WHICH of the call path is. */
uint32_t efg_summary_level(const struct efg_run *run, uint32_t path, unsigned char which);

/* Of the frame that has function LEVEL of the call path of NODE, in its module; 0: there is none. */
uint64_t efg_summary_offset(const struct efg_run *run, const struct efg_node *node, uint32_t level);

/* Names FRAME as calls in call trees are named (core/graph/calltree.h). */
static inline uint64_t efg_summary_key(const struct efg_frame *frame)
{
    return efg_hash_mix(frame->module, frame->offset);
}

#endif
