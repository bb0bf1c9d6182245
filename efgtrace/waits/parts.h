/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the analysis of waiting share.
 *
 *     read.c    a trace -> all of it
 *     waits.c   the steps; names
 *     take.c    items -> calls, messages, collectives
 *     wait.c    until when a call waits, and for which other one
 *     meet.c    collectives -> who waits for whom
 *     access.c  one-sided communication -> epochs
 *     epochs.c  epochs -> who waits for whom
 *     sum.c     sums
 *     links.c   which calls of other locations a call depends on
 *     cause.c   what made others late
 *     path.c    the critical path
 *     ideal.c   how long it takes if messages need no time
 */
#ifndef EFG_WAITS_PARTS_H
#define EFG_WAITS_PARTS_H

#include "base/buffer.h"
#include "recorded/pairs.h"
#include "waits.h"

/* More calls are not looked at: they would take two gigabytes. */
#define EFG_WAITS_MOST 20000000

struct efg_waits_call {
    uint64_t since;     /* when the call before it ended, or the window began */
    uint64_t begin, end;
    uint64_t until;     /* it waits so long; 0: it does not */
    uint32_t site;
    uint32_t location;
    uint32_t iteration; /* index; EFG_NONE: in none */
    uint32_t by;        /* the call whose begin it waits for; EFG_NONE: not known */
    uint32_t object; /* EFG_NONE: of none */
    uint64_t moved;  /* bytes */
    uint16_t window;
    uint8_t kind; /* enum efg_wait */
    bool is_poll;    /* polls that found nothing */
    bool is_counted; /* in the time of the location */
};

enum efg_waits_trait { /* of a site: what its function is */
    EFG_TRAIT_PLAIN,
    EFG_TRAIT_SOME,      /* ends when the first of its requests is complete */
    EFG_TRAIT_PROBE,     /* what it has found is received next */
    EFG_TRAIT_NEIGHBOUR, /* collective, but not of all */
    EFG_TRAIT_FENCE,
    EFG_TRAIT_START, /* of an epoch, of MPI_Win_start or MPI_Win_post */
    EFG_TRAIT_COMPLETE,
    EFG_TRAIT_POST,
    EFG_TRAIT_WAIT,
};

enum efg_waits_link { EFG_LINK_RECEIVE, EFG_LINK_SEND, EFG_LINK_MEETING };

struct efg_waits_edge {
    uint32_t call;
    uint32_t other; /* RECEIVE: the call that sends; SEND: that receives; MEETING: index of the part */
    uint32_t link;  /* enum efg_waits_link */
};

struct efg_waits_meeting { /* a member's part in a collective */
    uint64_t context;      /* number << 1 | is a window */
    uint64_t begin;        /* of the call BEGUN: calls have numbers in the order of a rank's threads */
    uint32_t window;       /* of the trace */
    uint32_t number;       /* among those of its context and window */
    uint32_t rank, place;  /* place: what orders a scan */
    uint32_t begun, done;  /* calls */
    uint32_t meeting, root, size;
    uint32_t first; /* of all parts of the same collective, which are SIZE; EFG_NONE: not matched */
};

struct efg_waits_access { /* a call has to do with what a rank has of an RMA window */
    uint64_t begin;           /* of the call */
    uint32_t win, window;     /* of MPI; of the trace */
    uint32_t origin, target;  /* ranks: who uses it, whose it is */
    uint32_t call;
    uint8_t act;       /* enum efg_recorded_act */
    bool is_exposure;  /* MPI_Win_post and MPI_Win_wait: the call is the target's */
};

/* From start to complete, post to wait, or lock to unlock, of an origin and a target. */
struct efg_waits_epoch {
    enum { EFG_EPOCH_ACCESS, EFG_EPOCH_EXPOSURE, EFG_EPOCH_LOCK, EFG_EPOCH_LOCK_EXCLUSIVE } kind;
    uint32_t win, window, origin, target;
    uint32_t begun, ended; /* calls; EFG_NONE: not in the trace */
    uint64_t end;          /* of a lock's last call, UINT64_MAX: not in the trace; of others 0 */
    uint32_t first, count; /* accesses, all of it */
};

struct efg_waits_span { /* an iteration or a window of a location */
    uint32_t location;
    uint32_t iteration; /* index; EFG_NONE: it is a window */
    uint64_t begin, end;
    uint32_t window, first, count; /* of a window: its number and calls */
};

struct efg_waits_work {
    const struct efg_recorded *recorded;
    struct efg_waits_call *calls;
    uint32_t call_count;
    uint8_t *traits; /* enum efg_waits_trait */
    uint32_t trait_count;
    struct efg_recorded_pairs pairs;
    struct efg_map open;           /* message whose other end is to come -> begun << 32 | done */
    struct efg_map iteration;      /* key -> index */
    struct efg_buffer spans;       /* struct efg_waits_span */
    struct efg_buffer edges;       /* struct efg_waits_edge; linked: by call */
    struct efg_buffer meetings;    /* struct efg_waits_meeting; matched: by collective and rank */
    struct efg_buffer accesses;    /* struct efg_waits_access */
    uint32_t *first_edge;          /* by call, and one more */
    struct efg_map place;          /* location << 32 | site -> index */
};


/* Nothing is known: WHY, a sentence without a full stop. What was kept is freed. */
void efg_waits_give_up(struct efg_waits *waits, const char *why);

/* CALL waits for the begin of BY, if that is yet to come. */
void efg_waits_wait(struct efg_waits_work *w, uint32_t call, enum efg_wait kind, uint32_t by);
/* RECEIVE was completed: that is what probes and polls just before it have waited for, too. */
void efg_waits_explain(struct efg_waits_work *w, uint32_t receive, uint32_t by);
/* All messages are known: polls one after the other, with no other call in between, waited for the same. */
void efg_waits_explain_polls(struct efg_waits_work *w);

/* CALL has to do with OTHER. */
void efg_waits_put_edge(struct efg_waits_work *w, uint32_t call, uint32_t other, enum efg_waits_link link);

static inline uint64_t efg_waits_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* How long it waits. */
uint64_t efg_waits_of(const struct efg_waits_call *call);
uint8_t efg_waits_trait(const struct efg_waits_work *w, uint32_t call);

/* The collectives that were taken: what their calls wait for. */
void efg_waits_meet(struct efg_waits *waits);
/* CALL, the last one of its location, has done this. Returns 0 or -ENOMEM. */
int efg_waits_access(struct efg_waits *waits, const struct efg_recorded_access *access);
/* The accesses that were taken are sorted, and told as EPOCHS (struct efg_waits_epoch): those of a pair of
 * ranks one after the other, the origin's first. Returns 0 or -ENOMEM. */
int efg_waits_find_epochs(struct efg_waits_work *w, struct efg_buffer *epochs);
/* What their calls wait for. */
int efg_waits_meet_epochs(struct efg_waits *waits);
/* The sums in WAITS. Returns 0 or -ENOMEM. */
int efg_waits_sum_up(struct efg_waits *waits);
/* What is sorted is sorted: indices of places and iterations are of no use any more. */
void efg_waits_sort(struct efg_waits *waits);
/* The calls of SITE on a location; EFG_NONE: what follows its last call. NULL without memory. */
struct efg_waits_place *efg_waits_place(struct efg_waits *waits, uint32_t location, uint32_t site);

/* Edges by call, those of collectives included. Returns 0 or -ENOMEM. */
int efg_waits_link(struct efg_waits_work *w);
/* The part of RANK in the collective that PART is one of; NULL if it has none. */
const struct efg_waits_meeting *efg_waits_part(const struct efg_waits_work *w, uint32_t part, uint32_t rank);
/* Whether CALL is the first one of its location and window. */
bool efg_waits_is_first(const struct efg_waits *waits, uint32_t call);

/* Each returns 0 or -ENOMEM. */
int efg_waits_find_causes(struct efg_waits *waits);
int efg_waits_find_path(struct efg_waits *waits);
int efg_waits_find_ideal(struct efg_waits *waits);

#endif
