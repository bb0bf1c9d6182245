/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One pass over a log that writes its events (step 3).
 *
 *     otf2_events     windows, iterations, calls; hands the rest to
 *     otf2_messages   point to point and collectives
 *     otf2_objects    one-sided and MPI-IO
 *     otf2_metrics    what was counted
 *     otf2_team       what threads of OpenMP did
 *     otf2_entries    the map: what the log's ids stand for
 */
#ifndef EFG_OTF2_PASS_H
#define EFG_OTF2_PASS_H

#include <stdbool.h>

#include "base/counters.h"
#include "parts.h"

#define EFG_OTF2_LEAD 16 /* ns that what a call found may be before its end */

struct efg_otf2_route {
    uint32_t name;         /* a string; EFG_NONE for no path */
    uint32_t site;         /* EFG_NONE if not known */
    uint32_t start, count; /* in functions */
};

struct efg_otf2_pass {
    struct efg_log_reader reader;
    struct efg_reader map;
    uint64_t first, last; /* ns since 1970, of the trace */
    struct efg_log_clock clock;
    uint64_t count;     /* words of the log */
    struct efg_map ids; /* item << 32 | id in the log -> id in the trace; PATH: in paths; REGION: id in the
                           log of the one around it << 32 | region */
    struct efg_otf2_route *paths;
    uint32_t path_count;
    struct efg_otf2_frame *functions;
    uint32_t function_count;
    struct efg_otf2_stack stack;
    struct efg_strays_ahead strays;
    bool has_begun;    /* a window has begun */
    int in_collective; /* its begin was written */
    uint64_t entered;  /* the present call, in ticks of the log */
    struct {
        uint32_t class, count;                            /* count: of its counters; 0: nothing was counted */
        uint32_t known;                                   /* of the present call, so many of them are */
        uint64_t value[EFG_COUNTERS], more[EFG_COUNTERS]; /* when it began, in it */
    } counted;
    uint64_t to_leave; /* records that come at the time at which their call is left; 0: not known */
};

/* --- the map --- */

void efg_otf2_read_head(struct efg_otf2_pass *p);
/* Take the next entry of the map if R is a definition that has one. */
void efg_otf2_define_record(struct efg_otf2_pass *p, const struct efg_record *r);
/* What the log's ID stands for; returns whether it is known. */
bool efg_otf2_find(const struct efg_otf2_pass *p, enum efg_otf2_item item, uint32_t id, uint32_t *found);
/* The function that has the loop of PHASE, a string; EFG_NONE: not known. What was recorded before the phase
 * was agreed on comes before its definition. */
void efg_otf2_find_phase(struct efg_otf2_pass *p, uint32_t phase, uint32_t *loop);
/* All that was taken of it. */
void efg_otf2_forget(struct efg_otf2_pass *p);
/* The user's region ID of the log, and those around it, outermost first, to REGIONS; returns how many. */
#define EFG_OTF2_NESTED 64 /* at most; of more the outermost are left out */
uint32_t efg_otf2_find_regions(const struct efg_otf2_pass *p, uint32_t id, uint32_t regions[EFG_OTF2_NESTED]);

/* --- threads of OpenMP --- */

/* As the map has it. */
struct efg_otf2_team efg_otf2_read_team(struct efg_reader *map);
/* Write the locations of all of them: the log is read again for each. Returns 0 or -EIO. */
int efg_otf2_write_team(OTF2_Archive *archive, const struct efg_otf2_pass *main,
                        struct efg_otf2_count *count);

/* --- records; what is not defined is dropped --- */

OTF2_ErrorCode efg_otf2_write_message(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time);
OTF2_ErrorCode efg_otf2_write_collective(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time);
OTF2_ErrorCode efg_otf2_write_rma(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time);
OTF2_ErrorCode efg_otf2_write_io(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time);
/* As OTF2 calls it. */
OTF2_CollectiveOp efg_otf2_operation(uint16_t collective);
/* Whether the collective of kind BEGIN, just read, is to be written; remembers it. */
bool efg_otf2_begin_collective(struct efg_otf2_pass *p, uint16_t begin, uint16_t end);
/* Whether the begin before this end was written; there is none any more. */
bool efg_otf2_end_collective(struct efg_otf2_pass *p, uint16_t begin);

#endif
