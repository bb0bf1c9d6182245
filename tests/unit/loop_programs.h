/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that are nothing but loops around MPI calls, each hard for a rule that looks for the
 * main loop in its own way. A program gives the events of one rank, with call paths and times;
 * they are the same each time. Each is made for 4 ranks.
 */
#ifndef EFG_LOOP_PROGRAMS_H
#define EFG_LOOP_PROGRAMS_H

#include <stdint.h>

#define LOOP_PROGRAM_RANKS 4

enum loop_event_flag {
    LOOP_EVENT_WORLD = 1 << 0,     /* collective on a communicator as large as the world */
    LOOP_EVENT_UNORDERED = 1 << 1, /* its order is a matter of timing */
    LOOP_EVENT_GROUP = 1 << 5,     /* collective of some of the ranks */
    LOOP_EVENT_POLL = 1 << 7,      /* a poll that found nothing */
};

struct loop_event {
    uint16_t call;          /* which MPI function */
    uint8_t flags;          /* enum loop_event_flag */
    uint32_t depth;         /* frames */
    const uint64_t *frames; /* call sites, outermost first; valid during the call only */
    uint64_t compute;       /* ns since the last event */
    uint64_t inside;        /* ns in the call */
};

/* What is done with an event. */
typedef void loop_event_take(void *to, const struct loop_event *event);

struct loop_run; /* of a rank */

struct loop_program {
    const char *name;
    void (*run)(struct loop_run *run);
    uint32_t right;   /* iterations of the main loop, as a reader of the program would say */
    uint32_t coarser; /* of a loop around it that would do as well; 0: none */
};

extern const struct loop_program LOOP_PROGRAMS[];
extern const uint32_t LOOP_PROGRAM_COUNT;

/* Gives all events of RANK to TAKE, in their order. */
void loop_program_run(const struct loop_program *program, uint32_t rank, loop_event_take *take,
                      void *to);

#endif
