/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording: the MPI calls of one rank, with their call paths and times, in memory. Two files
 * hold it, which record.c makes of the log of a run in mode full:
 *
 *     r.RANK.ev   the calls in their order, struct recorded_event each, little endian
 *     r.RANK.pt   the call paths, one a line, HASH and OFFSET in hex:
 *
 *         PATH HASH DEPTH MODULE:OFFSET MODULE:OFFSET ...    innermost frame first
 *
 * Hashes of paths, and modules, agree between the ranks of a recording.
 */
#ifndef LOOPS_RECORDING_H
#define LOOPS_RECORDING_H

#include <stdint.h>

#include "loop_programs.h"

struct recorded_event {
    uint32_t path;
    uint16_t call;
    uint8_t flags; /* enum loop_event_flag */
    uint8_t zero;
    uint64_t enter, leave; /* ns */
};

struct recorded_path {
    uint64_t hash;
    uint32_t depth;
    uint64_t *keys; /* of the frames, outermost first */
};

struct recording {
    struct recorded_event *events;
    uint64_t count, room;
    struct recorded_path *paths; /* by number; those that are missing have no frame */
    uint32_t path_count;
};

/* Reads BASE.ev and BASE.pt. Returns 0, or -1 with a word on standard error. */
int recording_read(struct recording *recording, const char *base);

/* Writes BASE.ev and BASE.pt. Returns 0, or -1 with a word on standard error. */
int recording_write(const struct recording *recording, const char *base);

/* What PROGRAM does on RANK. */
void recording_make(struct recording *recording, const struct loop_program *program,
                    uint32_t rank);

void recording_fini(struct recording *recording);

/* To make one by hand: all zero to begin with. */
void recording_add(struct recording *recording, const struct recorded_event *event);

/* Path ID has DEPTH frames, at least one, all zero until the caller fills in their keys.
 * Returns NULL if ID is out of bounds or there is such a path already. */
struct recorded_path *recording_define(struct recording *recording, uint32_t id, uint64_t hash,
                                       uint32_t depth);

/* Key of the frame at OFFSET of MODULE; and back. */
#define RECORDING_KEY(module, offset) ((uint64_t)(module) << 48 | (offset))
#define RECORDING_MODULE(key) ((uint32_t)((key) >> 48))
#define RECORDING_OFFSET(key) ((key)&0xffffffffffffu)

#endif
