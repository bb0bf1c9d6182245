/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds out which ranks are traced. Blocks of 1, 2, 4 ... neighbouring ranks are counted, and the first
 * rank of a block that is here knows the count:
 *
 *     [a, a + b)  and  [a + b, a + 2b)   make   [a, a + 2b)
 *        head  <-- who is here ---  head
 *
 * Each head finds the other one on the board, in a look or two where all are here. So a rank
 * looks up 2 log2 n others at most, if not many are missing. The result goes back the way it
 * came.
 *
 * Why messages on MPI_COMM_WORLD do not get into those of the program: both ends have said that
 * they come here, from inside MPI_Init. A message is received before its receiver's program
 * can ask for any, and each names its sender, whose first one to this receiver it is.
 */
#include "census.h"

#include <errno.h>
#include <stdlib.h>

#include "board.h"
#include "summons.h"

#define TAG 31997
#define CANDIDATES 3 /* to lead, where nobody is sure to be here */

/* Static: what a rank has no memory for, the others would wait for. */
static unsigned char here[EFG_RANKS_MOST / 8];
static int members[EFG_RANKS_MOST];

/* --- the count --- */

struct round {
    int begin, middle, end; /* two blocks, the second of which may be empty */
};

static struct round round_of(int rank, int step, int size)
{
    int begin = rank & ~(2 * step - 1);
    int middle = begin + step < size ? begin + step : size;
    return (struct round){begin, middle, middle + step < size ? middle + step : size};
}

/* The first of these ranks that is here, or -1. */
static int head_of(int begin, int end)
{
    for (int i = begin; i < end; i++)
        if (efg_board_read(i) == EFG_NOTICE_SURE)
            return i;
    return -1;
}

/* All of HERE that covers [BEGIN, END): blocks begin at multiples of their size, but small ones
 * share a byte. */
static void send_part(int to, int begin, int end)
{
    PMPI_Send(here + begin / 8, (end + 7) / 8 - begin / 8, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static void receive_part(int from, int begin, int end)
{
    int first = begin / 8, bytes = (end + 7) / 8 - first;
    unsigned char shared = here[first];
    PMPI_Recv(here + first, bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    here[first] |= shared;
}

/* Leaves in HERE all that are. The first of all asks those that may be. */
static void count(int rank, int size)
{
    int below[32], depth = 0, above = -1;
    efg_ranks_add(here, rank);
    for (int step = 1; step < size && above < 0; step *= 2) {
        struct round r = round_of(rank, step, size);
        bool is_second = rank >= r.middle;
        int other = is_second ? head_of(r.begin, r.middle) : head_of(r.middle, r.end);
        if (other < 0)
            continue;
        if (is_second) {
            send_part(other, r.middle, r.end);
            above = other;
        } else {
            receive_part(other, r.middle, r.end);
            below[depth++] = other;
        }
    }
    if (above >= 0)
        receive_part(above, 0, size);
    else
        efg_summons_call(rank, size, here);
    while (depth--)
        send_part(below[depth], 0, size);
}

/* Another library has this rank in its hands. Returns 0, or -ENOENT if no others are here. */
static int find_others(int rank, int size)
{
    int sure = head_of(0, size), tried = 0;
    if (sure >= 0)
        return efg_summons_follow(sure, rank, size, here) > 0 ? 0 : -ENOENT;
    for (int i = 0; i < rank; i++) {
        if (efg_board_read(i) != EFG_NOTICE_PERHAPS)
            continue;
        int answer = efg_summons_follow(i, rank, size, here);
        if (answer)
            return answer > 0 ? 0 : -ENOENT;
        if (++tried == CANDIDATES)
            return -ENOENT;
    }
    efg_ranks_add(here, rank);
    efg_summons_call(rank, size, here);
    return 0;
}

/* --- the communicator --- */

static void list_members(struct efg_census *c, int rank)
{
    c->count = 0;
    for (int i = 0; i < c->size; i++) {
        if (i == rank)
            c->place = c->count;
        if (efg_ranks_has(here, i))
            members[c->count++] = i;
    }
    c->member = c->count < c->size ? members : NULL;
}

/* Asks nothing of those who are not here. */
static int make_group(struct efg_census *c)
{
    MPI_Group world, group;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_incl(world, c->count, c->member, &group);
    int error = PMPI_Comm_create_group(MPI_COMM_WORLD, group, TAG, &c->comm);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return error;
}

static int make_comm(struct efg_census *c)
{
    int error = c->member ? make_group(c) : PMPI_Comm_dup(MPI_COMM_WORLD, &c->comm);
    return error == MPI_SUCCESS ? 0 : -EIO;
}

/* --- */

/* Several programs in one job, where the launcher says so to all of them. */
static bool is_several(void)
{
    static const char *const names[] = {"OMPI_NUM_APP_CTX", "SLURM_HET_SIZE", "SLURM_PACK_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *number = getenv(names[i]);
        if (number && atoi(number) > 1)
            return true;
    }
    return false;
}

/* Whether RANK speaks for its program: the first rank of each, where Open MPI says how many each has; all
 * ranks elsewhere. */
static bool is_speaker(int rank)
{
    const char *counts = getenv("OMPI_APP_CTX_NUM_PROCS"), *at = counts;
    char *end;
    for (long first = 0, count; at; at = end, first += count) {
        count = strtol(at, &end, 10);
        if (end == at || first >= rank)
            return first == rank;
    }
    return true;
}

/* Nothing can be known of the others: all that are started together are taken to be here. */
static int believe(struct efg_census *c, int rank, const char **why)
{
    if (is_several()) {
        if (is_speaker(rank))
            *why = "several programs run in this job, and its launcher cannot tell which of them "
                   "are traced: this one is not";
        return -ENOTSUP;
    }
    c->place = rank;
    c->count = c->size;
    return make_comm(c);
}

int efg_census_take(struct efg_census *c, const char **why)
{
    int rank;
    *why = NULL;
    *c = (struct efg_census){.comm = MPI_COMM_NULL};
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &c->size);
    enum efg_notice own = c->size > 1 ? efg_board_own() : EFG_NOTICE_NONE;
    if (own == EFG_NOTICE_NONE || c->size > EFG_RANKS_MOST)
        return believe(c, rank, why);
    if (own == EFG_NOTICE_SURE)
        count(rank, c->size);
    else if (find_others(rank, c->size) != 0) {
        *why = "another library starts MPI, and which ranks come back from it is not known in "
               "time: this rank is not traced";
        return -ENOTSUP;
    }
    list_members(c, rank);
    return make_comm(c);
}

int efg_census_place(const struct efg_census *c, uint32_t rank)
{
    if (!c->member)
        return rank < (uint32_t)c->size ? (int)rank : -1;
    int low = 0, high = c->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if ((uint32_t)c->member[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->count && (uint32_t)c->member[low] == rank ? low : -1;
}

uint32_t efg_census_rank(const struct efg_census *c, int place)
{
    return (uint32_t)(c->member ? c->member[place] : place);
}
