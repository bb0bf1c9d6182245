/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before and after MPI_Init: the configuration, the folder of the output, and the common time
 * of all ranks. Here, inside MPI_Init, the ranks may wait for one another.
 */
#define _GNU_SOURCE
#include "runtime/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/ask.h"
#include "runtime/callpath.h"
#include "runtime/clock.h"
#include "runtime/memory.h"
#include "runtime/save.h"
#include "runtime/sessions.h"

#define MOST_NAMES 1000 /* DIR, DIR.2, ... */

extern char **environ;

static struct efg_process *const p = &efg_process;

/* Before MPI_Init the rank is known from the launcher only; then one process speaks. */
static int speaks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value)
            return atoi(value) == 0;
    }
    return 1;
}

static const char *no_counter; /* why the processor's counter cannot be the clock, or NULL */

static int prepare(const struct efg_front *front)
{
    char message[1024];
    if (efg_conf_load(&p->conf, environ, message, sizeof message) != 0) {
        if (speaks())
            fprintf(stderr,
                    "efgtrace: %s\nefgtrace: nothing was started; `efgtrace check` explains "
                    "the configuration\n",
                    message);
        else
            sleep(1); /* a launcher ends the job with the first rank that ends: let it speak */
        exit(2);
    }
    if (p->conf.mode == EFG_MODE_OFF)
        return 0;
    efg_ask_begin(front);
    no_counter = p->conf.clock == EFG_CLOCK_SYSTEM ? "" : efg_clock_begin();
    return 1;
}

/* --- the folder --- */

/* Make FOLDER and what is above it. Returns 0 or -errno; -EEXIST if it was there. */
static int make_folder(const char *folder)
{
    char part[4096];
    snprintf(part, sizeof part, "%s", folder);
    for (char *at = part + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(part, 0777);
        *at = '/';
    }
    return mkdir(part, 0777) == 0 ? 0 : -errno;
}

static void default_name(char *name, size_t size)
{
    const char *job = getenv("SLURM_JOB_ID");
    char now[32];
    time_t seconds = time(NULL);
    struct tm local;

    strftime(now, sizeof now, "%Y%m%d-%H%M%S", localtime_r(&seconds, &local));
    snprintf(name, size, "efgtrace.%.200s.%.64s", p->application, job && *job ? job : now);
}

/* A folder that was not there before: an existing one is never written into. */
static int make_output(void)
{
    char wanted[4000], made[4096], here[4096];
    int error = -EEXIST;

    if (p->conf.output[0])
        snprintf(wanted, sizeof wanted, "%.3999s", p->conf.output);
    else
        default_name(wanted, sizeof wanted);
    size_t length = strlen(wanted);
    while (length > 1 && wanted[length - 1] == '/')
        wanted[--length] = '\0';
    for (int i = 1; i <= MOST_NAMES && error == -EEXIST; i++) {
        if (i == 1)
            snprintf(made, sizeof made, "%s", wanted);
        else
            snprintf(made, sizeof made, "%s.%d", wanted, i);
        error = make_folder(made);
    }
    if (error) {
        efg_tracer_note("cannot make the folder %s: %s; nothing is kept of this run "
                        "(choose another one with EFGTRACE_OUTPUT)",
                        made, strerror(-error));
        return error;
    }
    if (strcmp(made, wanted) != 0 && p->conf.output[0])
        fprintf(stderr, "efgtrace: %s exists and is left alone; the output goes to %s\n",
                wanted, made);
    if (made[0] == '/' || !getcwd(here, sizeof here))
        snprintf(p->folder, sizeof p->folder, "%s", made);
    else
        snprintf(p->folder, sizeof p->folder, "%.2000s/%.2000s", here, made);
    snprintf(made, sizeof made, "%.4000s/logs", p->folder);
    error = mkdir(made, 0777) == 0 ? 0 : -errno;
    return error ? error : efg_save_begin();
}

/* Rank 0 makes it, all are told; a rank that cannot see it keeps no log. */
static int share_output(void)
{
    char logs[EFG_PATH];
    int error = p->rank == 0 ? make_output() : 0;

    PMPI_Bcast(&error, 1, MPI_INT, 0, p->comm);
    if (error)
        return error;
    PMPI_Bcast(p->folder, sizeof p->folder, MPI_CHAR, 0, p->comm);
    snprintf(logs, sizeof logs, "%.4000s/logs", p->folder);
    if (access(logs, W_OK | X_OK) != 0) {
        efg_tracer_note("cannot write to %s: %s; this rank records nothing", logs,
                        strerror(errno));
        p->folder[0] = '\0';
    }
    return 0;
}

/* --- nodes --- */

/* One clock for all ranks of a node, if all of them can read it. */
static void choose_clock(void)
{
    struct efg_clock clock = {0};
    int lacks = no_counter != NULL;
    if (lacks && p->conf.clock == EFG_CLOCK_TSC)
        efg_tracer_note("clock tsc: %s; the system's clock is taken", no_counter);
    PMPI_Allreduce(MPI_IN_PLACE, &lacks, 1, MPI_INT, MPI_MAX, p->nodes.node);
    if (lacks)
        return;
    if (p->nodes.leaders != MPI_COMM_NULL)
        clock = efg_clock_measure();
    efg_nodes_share(&p->nodes, &clock, sizeof clock);
    efg_clock = clock;
}

/* Which ranks share a node, what time it is there, and where on it they are. */
static int share_node(void)
{
    if (efg_nodes_init(&p->nodes, p->comm) != 0)
        return -1;
    choose_clock();
    efg_topology_find(&p->nodes, &p->place, p->cores);
    efg_clocks_compare(&p->nodes, NULL, &p->sync);
    p->start = efg_clock_ticks();
    return 0;
}

/* --- */

static void identify(void)
{
    int length;

    PMPI_Comm_rank(p->comm, &p->rank);
    PMPI_Comm_size(p->comm, &p->size);
    PMPI_Get_library_version(p->mpi, &length);
    p->mpi[strcspn(p->mpi, ",\n")] = '\0';
    gethostname(p->host, sizeof p->host - 1);
    snprintf(p->application, sizeof p->application, "%s", program_invocation_short_name);
}

static int has_threads(void)
{
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

/* The private communicators. Returns 0, or -1 if nothing can be traced (yet). */
static int take_world(const MPI_Comm *comm)
{
    if (comm)
        return efg_sessions_begin(*comm);
    p->self = MPI_COMM_SELF;
    return PMPI_Comm_dup(MPI_COMM_WORLD, &p->comm) == MPI_SUCCESS ? 0 : -1;
}

static const struct efg_hooks *start(const MPI_Comm *comm)
{
    static const struct efg_hooks hooks = {efg_tracer_enter, efg_tracer_leave};
    uint64_t begin = efg_clock_ticks();

    if (take_world(comm) != 0)
        return NULL;
    identify();
    efg_memory.limit = p->conf.memory;
    if (share_output() != 0 || share_node() != 0) {
        efg_sessions_end();
        return NULL;
    }
    int threads = p->is_of_sessions || has_threads();
    int ready = efg_callpath_init((unsigned)p->conf.depth) == 0 &&
                efg_comms_init(comm ? p->comm : MPI_COMM_WORLD, p->self, threads) == 0 &&
                efg_steer_init() == 0;
    if (comm)
        efg_comms_add(*comm, NULL);
    efg_epoch = p->conf.mode == EFG_MODE_FULL; /* odd: a window is open, for all of the run */
    efg_tracer_init_threads();
    ready = ready && efg_tracer_thread();
    PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, p->comm);
    if (ready)
        efg_cost_calibrate(&hooks);
    else
        efg_tracer_note("no memory at the start: the job runs untraced");
    if (!ready)
        efg_sessions_end();
    p->init = efg_clock_ticks() - begin;
    return ready ? &hooks : NULL;
}

static void (*told)(void);

static int tell(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    told();
    return MPI_SUCCESS;
}

/* Attributes of MPI_COMM_SELF are the first that MPI takes down, and all else works then. */
static void watch(void (*end)(void))
{
    int key;

    told = end;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &key, NULL) != MPI_SUCCESS)
        return;
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    PMPI_Comm_free_keyval(&key); /* when the attribute has gone */
}

__attribute__((visibility("default"))) extern const struct efg_runtime efg_runtime;
const struct efg_runtime efg_runtime = {
    .prepare = prepare,
    .start = start,
    .watch = watch,
    .finish = efg_finish_run,
    .leave = efg_finish_leave,
    .control = efg_tracer_control,
};
