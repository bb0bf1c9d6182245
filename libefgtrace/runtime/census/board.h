/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Board: what the process manager keeps for the processes of a job. Each traced rank pins a
 * notice there before MPI begins; MPI_Init itself sees to it that all ranks can read it from
 * then on, and a rank that is not traced has none. So nobody waits for anybody, and all read
 * the same.
 *
 * With Open MPI it is the job's data in PMIx, with MPICH the key-value space of hydra. Other
 * process managers have no board that we know.
 */
#ifndef EFG_BOARD_H
#define EFG_BOARD_H

/* What a rank says of itself. */
enum efg_notice {
    EFG_NOTICE_NONE,    /* nothing: it is not traced */
    EFG_NOTICE_PERHAPS, /* it is going to be, if another library lets it out of MPI_Init */
    EFG_NOTICE_SURE,    /* MPI itself returns to us */
};

/* Before MPI is called to begin: what this rank's notice is to be. May be said again, when
 * more is known. */
void efg_board_say(enum efg_notice notice);

/* MPI is about to hand the data of this process to PMIx: pin the notice by these functions of
 * PMIx (PMIx_Put, PMIx_Get). */
void efg_board_pin(void *put, void *get);

/* Before MPI is called to begin, this process is going to exit with CODE: the others are not to
 * wait for it. Some process managers see that for themselves. */
void efg_board_give_up(int code);

/* From here on MPI has begun. What this rank has pinned; NONE if there is no board. */
enum efg_notice efg_board_own(void);

/* The notice of RANK of MPI_COMM_WORLD, if this rank has pinned one. */
enum efg_notice efg_board_read(int rank);

/* What the process manager calls this job; no other job of it has that name. */
const char *efg_board_job(void);

#endif
