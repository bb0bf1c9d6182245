/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of the run file, between its own .c files:
 *
 *     runfile.c   the file, read            write.c     the file, written
 *     input.c     sections and numbers      common.c    names, groups, sites
 *     rank.c      a rank                    shape.c     nodes and edges of a group
 *     data.c      in memory                 lookup.c    questions to it
 *     series.c    iterations                traffic.c   what was sent
 *     fields.c    facts                     order.c     sequences
 *     phases.c    phases                positions.c  where calls are in loops
 */
#ifndef EFG_RUNFILE_PARTS_H
#define EFG_RUNFILE_PARTS_H

#include <stdbool.h>

#include "runfile.h"

/* A section: kind u32, number u32, size of the payload u64, CRC-32 of these and of it, payload.
 * Sections of kinds that are not known are passed over. */
enum efg_section_kind {
    EFG_SECTION_FILLER,   /* nothing; without a checksum */
    EFG_SECTION_RUN,      /* facts of the run */
    EFG_SECTION_NAMES,    /* calls, modules, call paths, regions */
    EFG_SECTION_GROUPS,   /* which ranks have which graph */
    EFG_SECTION_TOTALS,   /* sums over all ranks */
    EFG_SECTION_SITES,    /* call paths in the source */
    EFG_SECTION_RANK,     /* what the rank NUMBER measured */
    EFG_SECTION_SEQUENCE, /* the order of the calls of the rank NUMBER and others */
    EFG_SECTION_ORDERS,   /* which ranks have which sequence */
    EFG_SECTION_POSITIONS, /* where calls are in the loops of their functions; may be missing */
    EFG_SECTION_KINDS
};
#define EFG_SECTION_HEADER 20

struct efg_section {
    uint32_t kind, number, crc;
    uint64_t size;
};

/* Begin a section at the end of OUT, for its payload to be put; end it. BEGIN returns where it
 * is. */
size_t efg_section_begin(struct efg_buffer *out, enum efg_section_kind kind, uint32_t number);
void efg_section_end(struct efg_buffer *out, size_t begin);

/* The header of a section, from EFG_SECTION_HEADER bytes; whether the section with this HEADER
 * and payload is as it was written. */
struct efg_section efg_section_get(const unsigned char *header);
bool efg_section_is_whole(const unsigned char *header, const void *payload, uint64_t size);

/* --- reading: like efg_reader, and without memory, too, every further value is 0 --- */

struct efg_input {
    struct efg_reader reader;
    bool no_memory;
};

struct efg_input efg_input(const void *bytes, size_t size);
/* 0 if all bytes were read and all was well; -EBADMSG, -ENOMEM. */
int efg_input_outcome(const struct efg_input *in);
void efg_input_expect(struct efg_input *in, bool condition);
uint64_t efg_input_number(struct efg_input *in);
uint32_t efg_input_to(struct efg_input *in, uint64_t most); /* at MOST, < 2^32 */
uint32_t efg_input_32(struct efg_input *in);
uint64_t efg_input_signed(struct efg_input *in); /* zigzag coded, modulo 2^64 */
/* An array of as many things of SIZE as the next number says, each of LEAST bytes in the file
 * or more; *COUNT of them, all zero. */
void *efg_input_array(struct efg_input *in, size_t least, size_t size, uint32_t *count);

char *efg_input_string(struct efg_input *in);

/* MEMORY, which is there, or else the input has failed for want of it. */
void *efg_input_need(struct efg_input *in, void *memory);

/* DIFFERENCE, modulo 2^64, zigzag coded. */
void efg_run_put_signed(struct efg_buffer *out, uint64_t difference);

/* --- payloads --- */

void efg_run_put_facts(struct efg_buffer *out, const struct efg_run *run);
void efg_run_put_orders(struct efg_buffer *out, const struct efg_run_common *common);
void efg_run_put_common(struct efg_buffer *out,
                        const struct efg_run_common *common); /* sections */
void efg_run_put_positions(struct efg_buffer *out, const struct efg_run_names *names);
void efg_run_put_sites(struct efg_buffer *out, const struct efg_run *run);

/* Each fills its part, from all bytes of a payload. Returns 0, -EBADMSG, -ENOMEM; what was
 * filled in until then is to be freed all the same. Groups and positions need the names. */
int efg_run_get_facts(struct efg_run *run, const void *bytes, size_t size);
int efg_run_get_names(struct efg_run_names *names, const void *bytes, size_t size);
int efg_run_get_groups(struct efg_run_common *common, const void *bytes, size_t size);
int efg_run_get_orders(struct efg_run_common *common, const void *bytes, size_t size);
int efg_run_get_common(struct efg_run_common *common, const void *bytes, size_t size);
int efg_run_get_positions(struct efg_run_names *names, const void *bytes, size_t size);
int efg_run_get_sites(struct efg_run *run, const void *bytes, size_t size);

/* The same for a sequence, which takes BYTES over: a whole section of SIZE, its header
 * included. */
int efg_run_get_sequence(struct efg_run_sequence *sequence, unsigned char *bytes, size_t size);

/* The nodes and edges of RANK as the shape of GROUP, and the paths that they need: ids of
 * RANK's own names. Returns 0 or -ENOMEM. */
int efg_run_shape_put(struct efg_run_group *group, const struct efg_run_rank *rank);

/* Give RANK the nodes and edges of GROUP, nothing measured, if these are of so many THREADS.
 * Returns 0, -EBADMSG, -ENOMEM. */
int efg_run_shape_get(const struct efg_run_group *group, struct efg_run_rank *rank,
                      uint32_t threads);

/* Fill in the phases of the threads of RANK, from its text. Returns 0, -EBADMSG, -ENOMEM. */
int efg_run_phases_read(struct efg_run_rank *rank);

/* The facts of a rank, at the beginning of its payload. */
void efg_rank_put_facts(struct efg_buffer *out, const struct efg_run_rank *rank);
int efg_rank_get_facts(struct efg_reader *in, struct efg_run_rank *rank);

/* The series of a THREAD whose sums of iterations are there; and what it sent, a thread of
 * RANK.
 */
void efg_thread_put_series(struct efg_buffer *out, const struct efg_run_thread *thread);
void efg_thread_get_series(struct efg_input *in, struct efg_run_thread *thread);
void efg_thread_put_traffic(struct efg_buffer *out, const struct efg_run_traffic *traffic,
                            uint32_t rank);
void efg_thread_get_traffic(struct efg_input *in, struct efg_run_traffic *traffic,
                            uint32_t rank);

/* Frames of a path: as they may be shared, they are not bounded by the size of the file. */
#define EFG_MOST_FRAMES 128 /* the most that the key "depth" can be */

/*
 * The fewest bytes that a thing takes in the file: with efg_reader_count they bound what is
 * allocated by the size of the file. The test checks them against what is written.
 */
enum efg_run_least {
    EFG_LEAST_CALL = 3,
    EFG_LEAST_PATH = 10,
    EFG_LEAST_FRAME = 2,
    EFG_LEAST_MODULE = 1,
    EFG_LEAST_REGION = 2,
    EFG_LEAST_POSITION = 7,
    EFG_LEAST_GROUP = 7,
    EFG_LEAST_ORDER = 21,
    EFG_LEAST_SEQUENCE = 3, /* of a thread */
    EFG_LEAST_THREAD = 33,  /* in the section of a rank */
    EFG_LEAST_NODE = 15,
    EFG_LEAST_EDGE = 2,
    EFG_LEAST_POINT = 4,
    EFG_LEAST_WINDOW = 9,
    EFG_LEAST_ITERATION = 4,
    EFG_LEAST_ITEM = 5,
    EFG_LEAST_CUT = 9,
    EFG_LEAST_OBJECT = 7,
    EFG_LEAST_SITE = 3,
    EFG_LEAST_SYMBOL = 3,
};

#endif
