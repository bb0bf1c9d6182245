/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before and after MPI_Init: the configuration, the folder of the output, and the common time
 * of all ranks. Here, inside MPI_Init, the ranks may wait for one another.
 */
#define _GNU_SOURCE
#include "start.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/launcher.h"
#include "files/disk/below.h"
#include "files/disk/fan.h"
#include "runtime/base/clock.h"
#include "runtime/base/memory.h"
#include "runtime/base/signals.h"
#include "runtime/census/board.h"
#include "runtime/count/count.h"
#include "runtime/hybrid/hybrid.h"
#include "runtime/mpi/ask.h"
#include "runtime/plugin/plugin.h"
#include "runtime/process/job.h"
#include "runtime/process/processor.h"
#include "runtime/process/notes.h"
#include "runtime/process/program.h"
#include "runtime/record/spawn.h"
#include "runtime/stack/expected.h"
#include "runtime/watch/last.h"
#include "runtime/watch/live.h"
#include "runtime/watch/rounds.h"
#include "runtime/watch/save.h"
#include "runtime/watch/threads.h"
#include "runtime/watch/tracer.h"
#include "scratch.h"
#include "sessions.h"
#include "spawned.h"
#include "spool.h"

#define MOST_NAMES 1000 /* DIR, DIR.2, ... */
#define FIRST_TURN 2000 /* ms that other ranks let the first one speak */
#define TURN 125        /* and one of them the one before it */
#define MOST_TURNS 8
#define ENDING 10 /* s that a launcher has for the end of the job, once it has begun with that */

extern char **environ;

static struct efg_job *const job = &efg_job;

static const char *no_counter; /* why the processor's counter cannot be the clock, or NULL */

/* A launcher that ends the job wakes the ranks by SIGCONT, and sends SIGTERM later, after a second in Open
 * MPI: so somebody has spoken, and who is woken waits for the end. */
static void wait_for_turn(int turn)
{
    int ms = FIRST_TURN + (turn < MOST_TURNS ? turn : MOST_TURNS) * TURN, woken;
    struct timespec rest = {ms / 1000, ms % 1000 * 1000000L};
    sigset_t waking;
    sigemptyset(&waking);
    sigaddset(&waking, SIGCONT);
    pthread_sigmask(SIG_BLOCK, &waking, NULL);
    do
        woken = sigtimedwait(&waking, NULL, &rest);
    while (woken < 0 && errno == EINTR);
    if (woken == SIGCONT)
        sleep(ENDING);
}

/* A launcher ends the job with the first rank that ends. Mostly the configuration is wrong on
 * all of them: so the first one speaks, and others only if they live long enough. */
static void refuse(const char *message)
{
    int turn = efg_launcher_rank();
    if (turn)
        wait_for_turn(turn);
    fprintf(stderr,
            "efgtrace: %s\nefgtrace: nothing was started; `efgtrace check` explains "
            "the configuration\n",
            message);
    efg_board_give_up(2);
    exit(2);
}

/* Where jobs leave records, none is ended. Who has set something wrong is told so; what is wrong in the
 * machine's file is nothing to users. */
static void complain(const char *message)
{
    if (efg_launcher_is_first() && strncmp(message, EFG_CONF_SYSTEM, strlen(EFG_CONF_SYSTEM)) != 0)
        fprintf(stderr, "efgtrace: %s; the job runs untraced\n", message);
}

bool efg_start_prepare(const struct efg_front *front)
{
    char message[1024];
    if (efg_conf_load(&job->conf, environ, message, sizeof message) != 0) {
        if (!front->is_site())
            refuse(message);
        complain(message);
        return false;
    }
    if (*job->conf.when.region)
        job->conf.signature |= EFG_DIM_REGION;
    if (job->conf.mode == EFG_MODE_OFF || (job->conf.is_record && efg_spool_excludes(job->conf.exclude)))
        return false;
    efg_ask_begin(front);
    job->passing = front->passing;
    job->at_hand = front->at_hand;
    job->bypass = front->bypass;
    no_counter = job->conf.clock == EFG_CLOCK_SYSTEM ? "" : efg_clock_begin();
    return true;
}

/* --- the configuration --- */

/* Set of the keys, by their numbers, whose values differ. */
static uint64_t differences(const struct efg_conf *one, const struct efg_conf *other)
{
    static char a[EFG_CONF_TEXT], b[EFG_CONF_TEXT];
    uint64_t differing = 0;
    const struct efg_key *keys = efg_conf_keys();
    for (uint32_t i = 0; keys[i].name; i++) {
        efg_conf_show(one, keys[i].name, a, sizeof a);
        efg_conf_show(other, keys[i].name, b, sizeof b);
        if (strcmp(a, b) != 0)
            differing |= UINT64_C(1) << i;
    }
    return differing;
}

static void note_differences(uint64_t keys, int place)
{
    char names[400] = "";
    for (uint32_t i = 0, used = 0; i < EFG_CONF_KEYS; i++)
        if (keys >> i & 1)
            used += (uint32_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                       efg_conf_keys()[i].name);
    efg_note("rank %u is configured differently (%s): the configuration here holds for all",
             efg_census_rank(&job->here, place), names);
}

/* What the ranks do together, they do in the same way: that of the first one. */
static void share_conf(void)
{
    static struct efg_conf first;
    int place;
    first = job->conf;
    PMPI_Bcast(&first, sizeof first, MPI_BYTE, 0, job->comm);
    uint64_t own = differences(&first, &job->conf), all = 0;
    job->conf = first;
    place = own ? job->here.place : job->here.count;
    PMPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_BOR, 0, job->comm);
    PMPI_Reduce(efg_job_is_first() ? MPI_IN_PLACE : &place, &place, 1, MPI_INT, MPI_MIN, 0, job->comm);
    if (efg_job_is_first() && all)
        note_differences(all, place);
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
        efg_below_make_folder(part, 0);
        *at = '/';
    }
    return efg_below_make_folder(part, 0);
}

static void default_name(char *name, size_t size)
{
    const char *id = getenv("SLURM_JOB_ID");
    char now[32];
    time_t seconds = time(NULL);
    struct tm local;

    strftime(now, sizeof now, "%Y%m%d-%H%M%S", localtime_r(&seconds, &local));
    snprintf(name, size, "efgtrace.%.200s.%.64s", job->application, id && *id ? id : now);
}

/* The absolute name of MADE to job->folder: a program may change its directory. Returns 0 or
 * -errno. */
static int name_folder(const char *made)
{
    char here[4096];
    int length;

    if (made[0] == '/' || !getcwd(here, sizeof here))
        length = snprintf(job->folder, sizeof job->folder, "%s", made);
    else
        length = snprintf(job->folder, sizeof job->folder, "%s/%s", here, made);
    return length > EFG_JOB_LONGEST ? -ENAMETOOLONG : 0;
}

/* A folder that was not there before: an existing one is never written into. Returns 0 or
 * -errno, with what it is in MADE. */
static int make_new(const char *wanted, char made[4096])
{
    int error = -EEXIST;

    for (int i = 1; i <= MOST_NAMES && error == -EEXIST; i++) {
        if (i == 1)
            snprintf(made, 4096, "%s", wanted);
        else
            snprintf(made, 4096, "%s.%d", wanted, i);
        error = name_folder(made);
        if (!error)
            error = make_folder(made);
    }
    return error;
}

/* What lies in the folder from the start. Returns 0 or -errno. */
static int make_parts(void)
{
    char logs[EFG_PATH];

    if (efg_conf_is_brief(&job->conf))
        return 0;
    snprintf(logs, sizeof logs, "%.4000s/logs", job->folder);
    int error = efg_fan_make(logs, EFG_BELOW_OWN + 1, (uint32_t)job->size);
    if (!error)
        error = efg_live_make_folder();
    return error ? error : efg_save_begin();
}

static int make_output(void)
{
    char wanted[4000], made[4096];
    const char *maker = efg_spawned_maker();

    if (job->conf.is_record) {
        int error = efg_spool_make(maker);
        return error ? error : make_parts();
    }
    if (*maker)
        snprintf(wanted, sizeof wanted, "%.3900s.spawned", maker);
    else if (job->conf.output[0])
        snprintf(wanted, sizeof wanted, "%.3999s", job->conf.output);
    else
        default_name(wanted, sizeof wanted);
    size_t length = strlen(wanted);
    while (length > 1 && wanted[length - 1] == '/')
        wanted[--length] = '\0';
    int error = make_new(wanted, made);
    if (!error && strcmp(made, wanted) != 0 && job->conf.output[0] && !*maker)
        fprintf(stderr, "efgtrace: %s exists and is left alone; the output goes to %s\n", wanted, made);
    if (!error)
        error = make_parts();
    if (error)
        efg_note("cannot make the folder %.3000s: %s; nothing is kept of this run "
                 "(choose another one with EFGTRACE_OUTPUT)",
                 made, strerror(-error));
    return error;
}

/* The first rank makes it, all are told; a rank that cannot see it keeps no log. */
static int share_output(void)
{
    char logs[EFG_PATH];
    int error = efg_job_is_first() ? make_output() : 0;
    int told[] = {error, (int)(efg_clock_realtime() / 1000)};

    PMPI_Bcast(told, 2, MPI_INT, 0, job->comm);
    efg_spawn_begin(job->folder, (uint32_t)told[1]);
    error = told[0];
    if (error)
        return error;
    if (efg_conf_is_brief(&job->conf))
        return 0; /* the first rank writes all of it, others see no folder */
    PMPI_Bcast(job->folder, sizeof job->folder, MPI_CHAR, 0, job->comm);
    snprintf(logs, sizeof logs, "%.4000s/logs", job->folder);
    error = efg_below_check_writable(logs, EFG_BELOW_OWN + 1);
    if (error) {
        efg_note("cannot write to %s: %s; this rank records nothing", logs, strerror(-error));
        job->folder[0] = '\0';
    }
    return 0;
}

/* --- nodes --- */

/* One clock for all ranks of a node, if all of them can read it. */
static void choose_clock(void)
{
    struct efg_clock clock = {0};
    int lacks = no_counter != NULL;
    if (lacks && job->conf.clock == EFG_CLOCK_TSC)
        efg_note("clock tsc: %s; the system's clock is used", no_counter);
    PMPI_Allreduce(MPI_IN_PLACE, &lacks, 1, MPI_INT, MPI_MAX, job->nodes.node);
    if (lacks)
        return;
    if (job->nodes.leaders != MPI_COMM_NULL)
        clock = efg_clock_measure();
    efg_nodes_share(&job->nodes, &clock, sizeof clock);
    efg_clock = clock;
}

/* Which ranks share a node, what time it is there, and where on it they are. */
static int share_node(void)
{
    if (efg_nodes_init(&job->nodes, job->comm) != 0)
        return -EIO;
    choose_clock();
    efg_topology_find(&job->nodes, &job->place, job->cores);
    efg_clocks_compare(&job->nodes, NULL, &job->sync);
    job->start = efg_clock_ticks();
    return 0;
}

/* --- */

static void identify(void)
{
    int length;

    PMPI_Get_library_version(job->mpi, &length);
    job->mpi[strcspn(job->mpi, ",\n")] = '\0';
    gethostname(job->host, sizeof job->host - 1);
    efg_program_name(job->application, sizeof job->application);
}

static bool has_threads(void)
{
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

/* The private communicators. Returns 0, or -errno if nothing can be traced (yet). */
static int take_world(const MPI_Comm *comm)
{
    if (comm)
        return efg_sessions_begin(*comm);
    const char *why;
    job->self = MPI_COMM_SELF;
    PMPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &job->size);
    int error = efg_census_take(&job->here, &why);
    job->comm = job->here.comm;
    if (error && why)
        efg_note("%s", why);
    return error;
}

/* There is a record from now on, however the job ends. */
static void begin_saving(void)
{
    efg_last_begin();
    if (efg_conf_is_brief(&job->conf) && job->conf.save && job->folder[0])
        efg_save(efg_threads_self(), efg_clock_ticks());
}

static struct efg_callpath_mine *path_at_hand(void)
{
    _Static_assert(sizeof(struct efg_callpath_mine) <= sizeof job->at_hand()->room, "it has room there");
    return (struct efg_callpath_mine *)job->at_hand()->room;
}

static const struct efg_hooks *begin(const MPI_Comm *comm)
{
    const struct efg_hooks *hooks;
    uint64_t entered = efg_clock_ticks();

    if (take_world(comm) != 0)
        return NULL;
    identify();
    share_conf();
    efg_memory.limit = job->conf.memory;
    efg_fan_begin();
    if (share_output() != 0 || share_node() != 0) {
        efg_sessions_end();
        return NULL;
    }
    efg_scratch_begin();
    bool threads = job->is_of_sessions || has_threads();
    int ready = efg_callpath_init((unsigned)job->conf.depth, job->conf.python, path_at_hand) == 0 &&
                efg_comms_init(comm ? job->comm : MPI_COMM_WORLD, job->self, &job->here, threads) == 0 &&
                efg_rounds_init() == 0;
    if (comm)
        efg_comms_add(*comm, NULL);
    if (ready)
        efg_spawned_begin();
    efg_epoch = job->conf.mode == EFG_MODE_FULL; /* odd: a window is open, for all of the run */
    efg_live_begin();
    hooks = efg_tracer_hooks(job->conf.live);
    efg_threads_begin();
    ready = ready && efg_threads_self();
    PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, job->comm);
    if (ready)
        efg_threads_calibrate(hooks);
    else
        efg_note("no memory at the start: the job runs untraced");
    if (!ready)
        efg_sessions_end();
    else
        begin_saving();
    job->processor = efg_processor_now();
    job->init = efg_clock_ticks() - entered;
    efg_hybrid_begin();
    if (!ready)
        return NULL;
    hooks = efg_plugins_begin(efg_count_begin(hooks));
    job->may_pass_polls = hooks->found != NULL;
    return hooks;
}

const struct efg_hooks *efg_start_run(const MPI_Comm *comm)
{
    struct efg_signals signals;

    efg_signals_hold(&signals);
    const struct efg_hooks *hooks = begin(comm);
    efg_signals_release(&signals);
    return hooks;
}
