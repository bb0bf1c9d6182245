/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Board: what the process manager stores for the processes of a job. Each traced rank pins a
 * notice there before MPI begins; MPI_Init itself makes it readable for all ranks;
 * a rank that is not traced has none. So no rank waits for another, and all read
 * the same.
 *
 * With Open MPI it is the job's data in PMIx, with MPICH the key-value space of hydra. Other
 * process managers have no board that we know.
 */
#ifndef EFG_BOARD_H
#define EFG_BOARD_H

/* What a rank says about itself. */
enum efg_notice {
    EFG_NOTICE_NONE,    /* nothing: it is not traced */
    EFG_NOTICE_PERHAPS, /* it will be traced, if another library lets it return from MPI_Init */
    EFG_NOTICE_SURE,    /* MPI itself returns to us */
};

/* Before MPI begins: set this rank's notice. May be called again, when more is
 * known. */
void efg_board_say(enum efg_notice notice);

/* MPI is about to hand the data of this process to PMIx: pin the notice with these functions of
 * PMIx (PMIx_Put, PMIx_Get). */
void efg_board_pin(void *put, void *get);

/* This process is going to exit with CODE before MPI begins: the others must not wait for it.
 * Some process managers notice that themselves. */
void efg_board_give_up(int code);

/* From here on MPI has begun. What this rank has pinned; NONE if there is no board. */
enum efg_notice efg_board_own(void);

/* The notice of RANK of MPI_COMM_WORLD, if this rank has pinned one. */
enum efg_notice efg_board_read(int rank);

/* The process manager's name for this job, different from those of its other jobs. */
const char *efg_board_job(void);

#endif
