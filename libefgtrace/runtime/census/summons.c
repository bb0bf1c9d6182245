/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asks ranks whether they are here, with a time limit. Two-phase commit over the name service of MPI,
 * which needs nobody else to be in a call:
 *
 *     leader    call ->                      list, then decided ->
 *     others            -> yes, if they see it in time          wait without limit
 *
 * Who has said yes waits for the decision, which comes: the leader is here and has a deadline
 * of its own. Who sees no call in time has said nothing, and is on no list. So there is no
 * moment in which one counts on another who has gone.
 *
 * The followers' patience is shorter than the leader's: so who has to try several leaders, as
 * the first ones never come, is on time for the next.
 */
#include "summons.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "board.h"

#define CALL_PATIENCE 2000000000u /* ns for a call to come */
#define YES_PATIENCE 3000000000u  /* ns for an answer to come */
#define SHORTEST 100000           /* ns between looks, at first */
#define LONGEST 20000000          /* and at most */
#define PIECE 100                 /* bytes of a set in one name: twice as many digits */
#define NAME 400

/* --- names --- */

static void name_it(char name[NAME], const char *what, int leader, int number)
{
    snprintf(name, NAME, "efgtrace.%.300s.%s.%d.%d", efg_board_job(), what, leader, number);
}

static void publish(const char *what, int leader, int number, const char *text)
{
    char name[NAME];
    name_it(name, what, leader, number);
    PMPI_Publish_name(name, MPI_INFO_NULL, text);
}

static bool look_up(const char *what, int leader, int number, char text[MPI_MAX_PORT_NAME])
{
    char name[NAME];
    name_it(name, what, leader, number);
    return PMPI_Lookup_name(name, MPI_INFO_NULL, text) == MPI_SUCCESS;
}

/* --- waiting --- */

struct wait {
    uint64_t end; /* ns; 0: none */
    long pause;
};

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static struct wait wait_for(uint64_t patience)
{
    return (struct wait){patience ? now() + patience : 0, SHORTEST};
}

/* After a pause: whether it is worth another look. */
static bool goes_on(struct wait *wait)
{
    struct timespec pause = {0, wait->pause};
    if (wait->end && now() >= wait->end)
        return false;
    nanosleep(&pause, NULL);
    wait->pause = 2 * wait->pause < LONGEST ? 2 * wait->pause : LONGEST;
    return true;
}

static bool await(const char *what, int leader, int number, uint64_t patience)
{
    char text[MPI_MAX_PORT_NAME];
    struct wait wait = wait_for(patience);
    bool is_there;
    while (!(is_there = look_up(what, leader, number, text)) && goes_on(&wait))
        ;
    return is_there;
}

/* --- sets --- */

static void publish_set(int leader, int size, const unsigned char *set)
{
    char text[2 * PIECE + 1];
    int bytes = (size + 7) / 8;
    for (int piece = 0; piece * PIECE < bytes; piece++) {
        for (int i = 0; i < PIECE && piece * PIECE + i < bytes; i++)
            sprintf(text + 2 * i, "%02x", set[piece * PIECE + i]);
        publish("list", leader, piece, text);
    }
}

/* Returns whether all of it is there. */
static bool look_up_set(int leader, int size, unsigned char *set)
{
    char text[MPI_MAX_PORT_NAME];
    int bytes = (size + 7) / 8;
    for (int piece = 0; piece * PIECE < bytes; piece++) {
        if (!look_up("list", leader, piece, text))
            return false;
        for (int i = 0; i < PIECE && piece * PIECE + i < bytes; i++)
            if (sscanf(text + 2 * i, "%2hhx", &set[piece * PIECE + i]) != 1)
                return false;
    }
    return true;
}

/* --- the parts --- */

/* One look at all that have not answered; returns how many these still are. */
static int collect(int leader, int size, unsigned char *asked, unsigned char *here)
{
    char text[MPI_MAX_PORT_NAME];
    int left = 0;
    for (int i = 0; i < size; i++) {
        if (!efg_ranks_has(asked, i) || efg_ranks_has(here, i))
            continue;
        if (look_up("yes", leader, i, text))
            efg_ranks_add(here, i);
        else
            left++;
    }
    return left;
}

static void call(int leader, int size, unsigned char *here)
{
    static unsigned char asked[EFG_RANKS_MOST / 8];
    struct wait wait = wait_for(YES_PATIENCE);
    int some = 0;
    for (int i = 0; i < size; i++)
        if (!efg_ranks_has(here, i) && efg_board_read(i) == EFG_NOTICE_PERHAPS) {
            efg_ranks_add(asked, i);
            some++;
        }
    if (!some)
        return;
    publish("call", leader, 0, "efgtrace");
    while (collect(leader, size, asked, here) && goes_on(&wait))
        ;
    publish_set(leader, size, here);
    publish("decided", leader, 0, "efgtrace");
}

static int follow(int leader, int rank, int size, unsigned char *here)
{
    if (!await("call", leader, 0, CALL_PATIENCE))
        return 0;
    publish("yes", leader, rank, "efgtrace");
    await("decided", leader, 0, 0);
    return look_up_set(leader, size, here) && efg_ranks_has(here, rank) ? 1 : -1;
}

/* --- */

/* A name that is not there is an error of MPI, which would end the job. */
static struct handlers {
    MPI_Errhandler world, self;
} begin_quiet(void)
{
    struct handlers old;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &old.world);
    PMPI_Comm_get_errhandler(MPI_COMM_SELF, &old.self);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    return old;
}

static void end_quiet(struct handlers *old)
{
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, old->world);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, old->self);
    PMPI_Errhandler_free(&old->world);
    PMPI_Errhandler_free(&old->self);
}

void efg_summons_call(int leader, int size, unsigned char *here)
{
    struct handlers old = begin_quiet();
    call(leader, size, here);
    end_quiet(&old);
}

int efg_summons_follow(int leader, int rank, int size, unsigned char *here)
{
    struct handlers old = begin_quiet();
    int answer = follow(leader, rank, size, here);
    end_quiet(&old);
    return answer;
}
