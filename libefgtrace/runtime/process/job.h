/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job as this process knows it: which rank it is of which job, how that is configured, where
 * its output goes. Filled in when MPI begins (runtime/job/start.c), and then the same for all
 * threads until MPI ends.
 */
#ifndef EFG_JOB_H
#define EFG_JOB_H

#include <mpi.h>
#include <stdbool.h>

#include "files/conf/conf.h"
#include "files/run/runfile.h"
#include "runtime/census/census.h"
#include "runtime/node/clocks.h"
#include "runtime/node/nodes.h"
#include "runtime/node/topology.h"

#define EFG_PATH 4200        /* bytes, for a name in the folder */
#define EFG_JOB_LONGEST 4000 /* bytes of the absolute name of a folder, so that one in it has room */

struct efg_job {
    struct efg_conf conf;
    int rank, size;         /* of the world */
    struct efg_census here; /* the ranks of the world that are traced */
    uint64_t start;         /* ticks */
    uint64_t init;          /* ns that MPI_Init took longer */
    struct efg_run_processor processor; /* at the start */
    struct efg_nodes nodes; /* from the start to the finish */
    struct efg_moment sync; /* the start, on the common time line */
    struct efg_run_place place;
    char cores[EFG_TOPOLOGY_TEXT]; /* of the place */
    char folder[4096],             /* of the output, "" if there is none */
        local[4096],               /* of logs and pieces on this node meanwhile, "" if there is none */
        application[256], host[256];
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING]; /* its name and version */
    char *openmp;                             /* parallel regions at the end, as in efg_run_rank; or NULL */
    char *said, *sections;                    /* by plug-ins at the end, as in efg_run_rank; or NULL */
    MPI_Comm comm;                            /* private: of all ranks that are here, as in HERE */
    MPI_Comm self;       /* MPI_COMM_SELF, or a private one of this rank alone */
    struct efg_passing *(*passing)(void); /* of struct efg_front, as the next two */
    struct efg_at_hand *(*at_hand)(void);
    bool (*bypass)(bool on);
    bool may_pass_polls; /* nobody but the tracer sees calls */
    bool is_of_sessions; /* there is no MPI_COMM_WORLD */
};

extern struct efg_job efg_job;

/* By how much the common time line is ahead of the ticks of this process: ns, as ticks are. */
static inline uint64_t efg_job_base(void)
{
    return efg_job.sync.sync.realtime - efg_job.sync.sync.ticks;
}

/* Whether this rank is the first one that is here: it does what is done once for the job. */
static inline bool efg_job_is_first(void)
{
    return efg_job.here.place == 0;
}

/* Name of the file of thread number THREAD of this rank, with what it has. */
#define EFG_JOB_LOG "log"
#define EFG_JOB_ORDER "order"
#define EFG_JOB_PIECE "efg"
void efg_job_path(uint32_t thread, const char *what, char path[EFG_PATH]);
/* The same at the end, if it is kept: in the folder of the output. */
void efg_job_last_path(uint32_t thread, const char *what, char path[EFG_PATH]);

#endif
