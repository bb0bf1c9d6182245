/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OTF2 from window logs. One location is written from one log. The steps, by all
 * ranks in parallel (1 and 3, each for its own logs; 2 and 4 on rank 0) or by one
 * process for all logs, one after the other:
 *
 *   1. efg_otf2_scan     what the log needs defined      -> bytes that can be sent
 *   2. efg_otf2_unify    all of these, into global ids   -> a map per log, bytes
 *   3. efg_otf2_events   write the events of a log with its map
 *   4. efg_otf2_define   write the global definitions
 *
 * In an archive that goes around these steps, "all" being all processes that write it:
 *
 *     efg_otf2_make (rank 0)       a folder of its own for it, with nothing from an earlier one;
 *                                  all wait for that
 *     efg_otf2_open (all)
 *     set collectives (all)        OTF2_MPI_Archive_SetCollectiveCallbacks, or in a single
 *                                  process OTF2_Archive_SetSerialCollectiveCallbacks
 *     efg_otf2_open_files (all)
 *     efg_otf2_events              for each log, by who has it
 *     efg_otf2_absent (rank 0)     locations of ranks that have no log
 *     efg_otf2_close_files (all)
 *     efg_otf2_define (rank 0)
 *     efg_otf2_close (all)
 *     efg_otf2_publish (rank 0)    when all have done so: from that folder to its final place
 *
 * After -EIO anywhere (a full disk) all must leave the archive as it is, neither closing nor
 * writing it: OTF2 3.0 would overrun its buffers. What is on disk is then not a trace:
 * efg_otf2_remove.
 *
 * Times in the trace are ns since its first moment; its ClockProperties say when that was, in
 * ns since 1970.
 */
#ifndef EFG_OTF2_H
#define EFG_OTF2_H

#include <otf2/otf2.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "files/log/log.h"
#include "files/match/strays.h"
#include "files/run/runfile.h"
#include "files/symbols/symbols.h"

#define EFG_OTF2_RESOLUTION 1000000000u /* ticks of the trace per second */

/* How the trace calls the reason KEPT (enum efg_kept), "slow"; NULL if it has no name. */
const char *efg_otf2_kept(uint32_t kept);

/* Append to OUT what LOG needs defined, and what is used in it but for STRAYS (NULL: none are known). Returns
 * 0 or -ENOMEM. */
int efg_otf2_scan(const struct efg_log_view *log, const struct efg_strays *strays, struct efg_buffer *out);

struct efg_otf2_unifier;

struct efg_otf2_unifier *efg_otf2_unifier_new(struct efg_symbols *symbols);
void efg_otf2_unifier_free(struct efg_otf2_unifier *u);

/* The loop of PHASE has this NAME, before the first scan; others have that of the function that makes the
 * calls which logs say. Returns 0 or -ENOMEM. */
int efg_otf2_name_phase(struct efg_otf2_unifier *u, uint32_t phase, const char *name);

/* Add the result of a scan. Call in ascending order of rank and thread. Returns the
 * log's index, or -EBADMSG, -ENOMEM. */
int efg_otf2_unify(struct efg_otf2_unifier *u, const void *scan, size_t size);

/* After all were added: the communicators, windows and files that take most time, to the objects of RUN.
 * Returns 0 or -ENOMEM. */
int efg_otf2_say_usage(struct efg_otf2_unifier *u, struct efg_run *run);

/* After all were added: append the map of log INDEX to OUT. Returns 0 or -ENOMEM. */
int efg_otf2_map(struct efg_otf2_unifier *u, int index, struct efg_buffer *out);

/* What a function of MODULE without a name is called in a trace: "pw.x+0x143e0", where it begins. */
void efg_otf2_nameless(struct efg_symbols *symbols, const char *module, uint64_t offset, char *text,
                       size_t size);

/* What was written of a log. MARKS: events that a trace of all calls would not have: where iterations
 * begin and end, and functions that are left and entered again there. CALLS: without polls that found
 * nothing. */
struct efg_otf2_count {
    uint64_t events, marks, calls;
    uint64_t team;    /* events of other threads of OpenMP, each of which has a location */
    uint32_t workers; /* how many these are */
};

/* Write the events of LOG but STRAYS, with its map, and its own definitions to its location of
 * the ARCHIVE (whose files are open). *COUNT: how many. Returns 0, -EBADMSG, -EIO; the
 * location is there in any case but the last. */
int efg_otf2_events(OTF2_Archive *archive, const struct efg_log_view *log, const void *map, size_t size,
                    const struct efg_strays *strays, struct efg_otf2_count *count);

/* All events of LOG, and then the records that NEXT gives until it returns NULL: calls that are
 * made up while they are written. Otherwise the same. */
int efg_otf2_stream(OTF2_Archive *archive, const struct efg_log_view *log, const void *map, size_t size,
                    const struct efg_record *(*next)(void *context), void *context,
                    struct efg_otf2_count *count);

/* Write the global definitions; EVENTS[i] = number of events of log i. COMPLETE: 0 if
 * messages may miss their partner. */
int efg_otf2_define(struct efg_otf2_unifier *u, OTF2_Archive *archive, const uint64_t *events, bool complete);

/* Write empty locations for the ranks that have no log, so that readers find all of them.
 * Returns 0, -ENOMEM, -EIO. */
int efg_otf2_absent(struct efg_otf2_unifier *u, OTF2_Archive *archive);

/* Write what a location has of definitions of its own; LENGTH of the trace in ns. Returns 0 or
 * -EIO. */
int efg_otf2_write_local(OTF2_Archive *archive, uint64_t location, uint64_t length);

/* Location id of a log. */
uint64_t efg_otf2_location(const struct efg_log_header *header);
/* Threads of OpenMP have no log: in their location's id, above the rank, is this and their number in the
 * team, from 1. */
#define EFG_OTF2_WORKER 0x10000u

/* Keep the OTF2 library from printing what went wrong, in this process. */
void efg_otf2_be_quiet(void);

/*
 * OTF2 writes by name, and follows links. So the archive is written in a new folder that belongs
 * to nobody else, DIR/traces.part, which is kept open: a link that somebody puts into DIR
 * has no effect. The last BELOW names of DIR itself must not be links
 * (below.h). MAKE and PUBLISH return 0 or -errno.
 */
int efg_otf2_make(const char *dir, unsigned below);
int efg_otf2_publish(const char *dir, unsigned below);

/* The archive DIR/traces.otf2 of a job of so many RANKS (0: not known), to be written; one at a time. NULL if
 * OTF2 refuses. Close it with efg_otf2_close. */
OTF2_Archive *efg_otf2_open(const char *dir, unsigned below, uint32_t ranks);
/* What readers show first: which program it is of, on how many RANKS, and what of it: IS_FULL, in mode full;
 * then IS_WHOLE if all logs go to the end of the run. Returns 0 or -EIO. */
int efg_otf2_describe(OTF2_Archive *archive, const char *application, uint32_t ranks, bool is_full,
                      bool is_whole);
/* Files of events and of locations' own definitions; collective. Return 0 or -EIO. */
int efg_otf2_open_files(OTF2_Archive *archive);
int efg_otf2_close_files(OTF2_Archive *archive);

/* Write what is left; collective. Returns 0, or -EIO if anything since efg_otf2_open has
 * failed, even if it was not reported at the time. */
int efg_otf2_close(OTF2_Archive *archive);

/* Whether files of BYTES bytes may claim that their job had RANKS ranks, each of which gets its
 * place in a trace: one for each byte, but 4096 in any case. */
bool efg_otf2_believes(uint64_t ranks, uint64_t bytes);

/* Whether there is an archive DIR/traces.otf2, or a part of one. */
bool efg_otf2_is_there(const char *dir);

/* Remove the archive DIR/traces.otf2, complete or not: one that could not be finished, or the
 * snapshot that `efgtrace trace` took of a job that is now about to write its own. */
void efg_otf2_remove(const char *dir, unsigned below);

/*
 * All of it in one process: write DIR/traces.otf2 from the COUNT logs PATHS (in any order).
 * PROGRESS (may be NULL) is called with logs done and to do. Refuses (-EEXIST) when
 * the archive already exists. Returns 0 or -errno; what could not be read is reported through
 * WARN (may be NULL) and left out.
 * Clocks by which messages were received before they were sent are corrected, and SKEW is
 * filled with what was found; the logs are not changed.
 */
int efg_otf2_convert(const char *dir, char *const *paths, int count, void (*progress)(int done, int all),
                     void (*warn)(const char *path, const char *what), struct efg_run_skew *skew);

/*
 * Write DIR/traces.otf2 from the sequences of RUN, for the ranks marked in IS_WANTED by index;
 * all others are empty. The order of the calls is that of the run, their times are rebuilt
 * (rebuild.h), and there are no messages; the trace says so. Returns 0 or -errno as above; MESSAGE
 * is then what is wrong with RUN, or "".
 */
int efg_otf2_rebuild(const char *dir, const struct efg_run *run, const char *is_wanted, char *message,
                     size_t size);

#endif
