/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tracer's life, from the moment when MPI has begun until it is about to end.
 *
 * Another library may define MPI_Init, and do in it what it likes before and after PMPI_Init;
 * some never return from there on ranks that they keep for themselves. So what counts is the
 * innermost call: the tracer begins when that one has returned, and ends when MPI itself
 * is called to end, after any library in between has finished its work with the other
 * ranks. A library that does not end MPI by PMPI_Finalize is not seen here: then MPI
 * itself tells us, through an attribute of MPI_COMM_SELF (struct efg_runtime, watch).
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "idle.h"
#include "kind.h"
#include "site.h"
#include "wrap.h"

int __cxa_atexit(void (*function)(void *), void *argument, void *dso_handle);

static _Atomic enum stage { NOT_YET, RUNNING, OVER } stage;
static bool is_of_sessions; /* it runs since a communicator was made without MPI_Init */
static atomic_int users;    /* calls of MPI_Init and MPI_Session_init, less those that end them */
static const struct efg_runtime *runtime;
static pid_t owner;           /* the process that started the tracer: not a forked child */
static const void *initiator; /* an address in the module that calls MPI_Init */

/* Of the thread: what the outermost call is for was done within it; the tracer itself calls. */
static __thread bool is_done_here __attribute__((tls_model("initial-exec")));
static __thread bool is_tracer __attribute__((tls_model("initial-exec")));

static bool is_switched_off(void)
{
    const char *mode = getenv("EFGTRACE_MODE");
    return mode && strcasecmp(mode, "off") == 0;
}

static void *look_up(const char *symbol)
{
    return efg_wrap_look_up(symbol, initiator);
}

/* Until calls are traced, the tracer asks for itself. */
static int named(void)
{
    return efg_wrap_run() ? efg_wrap_outermost.named : EFG_PMPI;
}

static struct efg_passing *passing(void)
{
    return &efg_wrap_outermost.passing;
}

static struct efg_at_hand *at_hand(void)
{
    return &efg_wrap_outermost.at_hand;
}

static const struct efg_front front = {look_up, named, passing, at_hand, efg_wrap_bypass, efg_site_is_on};

/* A function of MPI itself: nobody else has a reason to define it. */
static void *find_get_version(void)
{
    return look_up("PMPI_Get_library_version");
}

/* FUNCTION is in MPI itself, not in a library between it and us. */
static bool is_of_mpi(const void *function)
{
    Dl_info its, mpi;
    return !dladdr(find_get_version(), &mpi) || !dladdr(function, &its) || its.dli_fbase == mpi.dli_fbase;
}

/* Nobody else begins and ends MPI for the program. */
static bool is_alone(void)
{
    return is_of_mpi(look_up("MPI_Init")) && is_of_mpi(look_up("MPI_Init_thread")) &&
           is_of_mpi(look_up("MPI_Finalize"));
}

/* True once, for the one that ends the tracer; no call is seen from here on. */
static bool stop(void)
{
    enum stage expected = RUNNING;

    if (getpid() != owner || !atomic_compare_exchange_strong(&stage, &expected, OVER))
        return false;
    atomic_store_explicit(&efg_wrap_hooks.are_there, false, memory_order_release);
    return true;
}

/* The process ends, or MPI has ended, and nobody has told. */
static void leave(void)
{
    if (stop())
        runtime->leave();
}

static void leave_at_last(void *nothing)
{
    (void)nothing;
    leave();
    efg_idle_end();
}

/*
 * The latest moment there is: functions given to atexit, C++ destructors and those of libraries may still
 * call MPI_Finalize. A destructor of ours would be too early: libraries that are initialised before us, and
 * those that are loaded later, may end after us. All of them end in one function that the C library
 * registers when it is about to call main, which also calls what libraries have given to atexit. What is
 * registered before that, and for no library, comes behind it: when we are loaded, or when the constructor
 * of another library begins MPI before that.
 */
__attribute__((constructor)) static void expect_end(void)
{
    static bool is_done;

    if (!is_done)
        is_done = __cxa_atexit(leave_at_last, NULL, NULL) == 0;
}

/* Before MPI_Init, which CALLER calls. Once: a second MPI_Init is the application's error, and
 * libmpi's to report. */
static void prepare(const void *caller)
{
    static int is_done;
    efg_idle_over();
    expect_end();
    if (is_done++ || is_switched_off())
        return;
    initiator = caller;
    const struct efg_runtime *loaded = efg_kind_load(find_get_version());
    if (!loaded || !loaded->prepare(&front))
        return;
    efg_wrap_constants = loaded->constants;
    runtime = loaded;
}

static void finish(void)
{
    if (!stop())
        return;
    is_tracer = true;
    runtime->finish();
    is_tracer = false;
}

static void start(const MPI_Comm *comm)
{
    if (!runtime || stage != NOT_YET)
        return;
    is_tracer = true;
    const struct efg_hooks *run = runtime->start(comm);
    is_tracer = false;
    if (!run)
        return;
    is_of_sessions = comm != NULL;
    owner = getpid();
    stage = RUNNING;
    efg_wrap_hooks.run = *run;
    efg_wrap_hooks.is_left = runtime->is_left;
    if (!comm && !is_alone())
        runtime->watch(finish);
    atomic_store_explicit(&efg_wrap_hooks.are_there, true, memory_order_release);
}

/* MPI is going to end for the program, or one of the parts of it that have begun it. */
static void end(bool is_world)
{
    int others = atomic_fetch_sub(&users, 1) - 1;
    if (is_of_sessions ? others == 0 : is_world)
        finish();
}

/* --- The functions that begin and end MPI --- */

/* Where a wrapper is. */
struct place {
    void *frame;
    const void *caller;
    int named; /* EFG_MPI or EFG_PMPI */
};

/* MPI_NAME and PMPI_NAME, each of which does CALL with what is next for it. */
#define BY_HAND(name, parameters, call)      \
    BY_HAND_AS(MPI_, name, parameters, call) \
    BY_HAND_AS(PMPI_, name, parameters, call)
#define BY_HAND_AS(prefix, name, parameters, call)                                                     \
    DEFINE(prefix, name, parameters)                                                                   \
    {                                                                                                  \
        __typeof__(&prefix##name) next = NEXT(prefix, name);                                           \
        struct place here = {__builtin_frame_address(0), __builtin_return_address(0), NAMED_##prefix}; \
        return call;                                                                                   \
    }

/* Returns whether this is the outermost call. */
static bool enter(struct place here)
{
    if (efg_wrap_is_inside(here.frame))
        return false;
    efg_wrap_enter(here.frame, here.named);
    is_done_here = false;
    return true;
}

static void go(bool is_outermost)
{
    if (is_outermost)
        efg_wrap_leave();
}

/* The call has returned RESULT: the innermost one does so first. */
static bool is_innermost(int result)
{
    if (result != MPI_SUCCESS || is_done_here || is_tracer)
        return false;
    is_done_here = true;
    return true;
}

/* The NEXT definition ends MPI without calling us again. */
static bool is_last(struct place here, const void *next)
{
    return !is_tracer && (here.named == EFG_PMPI || is_of_mpi(next));
}

/* Another library may put it off to a later call. */
static bool has_begun(void)
{
    int flag = 0;
    int (*ask)(int *) = (int (*)(int *))look_up("PMPI_Initialized");
    return ask && ask(&flag) == MPI_SUCCESS && flag;
}

static void begin_world(int result)
{
    if (!is_innermost(result) || !has_begun())
        return;
    atomic_fetch_add(&users, 1);
    start(NULL);
}

/* Before NEXT is called to begin MPI. */
static void say(struct place here, const void *next)
{
    if (runtime && stage == NOT_YET && !is_tracer)
        runtime->say(is_last(here, next));
}

void efg_wrap_pin(void *put, void *get)
{
    if (runtime && stage == NOT_YET)
        runtime->pin(put, get);
}

static int init(struct place here, int (*next)(int *, char ***), int *argc, char ***argv)
{
    bool is_outermost = enter(here);
    prepare(here.caller);
    say(here, (const void *)next);
    int result = next(argc, argv);
    begin_world(result);
    go(is_outermost);
    return result;
}
BY_HAND(Init, (int *argc, char ***argv), init(here, next, argc, argv))

static int init_thread(struct place here, int (*next)(int *, char ***, int, int *), int *argc, char ***argv,
                       int required, int *provided)
{
    bool is_outermost = enter(here);
    prepare(here.caller);
    say(here, (const void *)next);
    int result = next(argc, argv, required, provided);
    begin_world(result);
    go(is_outermost);
    return result;
}
BY_HAND(Init_thread, (int *argc, char ***argv, int required, int *provided),
        init_thread(here, next, argc, argv, required, provided))

static int finalize(struct place here, int (*next)(void))
{
    bool is_outermost = enter(here);
    if (is_last(here, (const void *)next))
        end(true);
    int result = next();
    if (is_outermost && !is_of_sessions)
        leave(); /* nobody has told that MPI ended */
    go(is_outermost);
    return result;
}
BY_HAND(Finalize, (void), finalize(here, next))

BY_HAND(Abort, (MPI_Comm comm, int code), ((void)here, leave(), next(comm, code)))

/* --- Sessions --- */

/*
 * A session begins in one process, and the tracer cannot wait for the others there. So it
 * starts when all of them make their first communicator together: without one there is nobody
 * to send anything to. What was called before that is not seen.
 */
static int session_init(struct place here, int (*next)(MPI_Info, MPI_Errhandler, MPI_Session *),
                        MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    bool is_outermost = enter(here);
    prepare(here.caller);
    say(here, (const void *)next);
    int result = next(info, handler, session);
    if (is_innermost(result))
        atomic_fetch_add(&users, 1);
    go(is_outermost);
    return result;
}
BY_HAND(Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session *session),
        session_init(here, next, info, handler, session))

static int session_finalize(struct place here, int (*next)(MPI_Session *), MPI_Session *session)
{
    bool is_outermost = enter(here);
    if (is_last(here, (const void *)next)) {
        is_done_here = 1;
        end(0);
    }
    int result = next(session);
    if (is_innermost(result))
        end(0); /* nobody has told; the tracer's own session goes on until then */
    go(is_outermost);
    return result;
}
BY_HAND(Session_finalize, (MPI_Session * session), session_finalize(here, next, session))

static int create_from_group(struct place here,
                             int (*next)(MPI_Group, const char *, MPI_Info, MPI_Errhandler, MPI_Comm *),
                             MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler,
                             MPI_Comm *newcomm)
{
    bool is_outermost = enter(here);
    const struct efg_hooks *run = is_outermost ? efg_wrap_run() : NULL;
    struct efg_call c = {.id = EFG_CALL_Comm_create_from_group,
                         .shape = EFG_SHAPE_COMM_NEW,
                         .op = EFG_COLL_CREATE_HANDLE,
                         .thread = efg_wrap_outermost.at_hand.thread,
                         .frame = here.frame,
                         .newcomm = newcomm};
    bool wants_leave = run && run->enter(&c);
    int result = next(group, tag, info, handler, newcomm);
    if (wants_leave)
        run->leave(&c, result);
    else if (!run && is_innermost(result))
        start(newcomm);
    go(is_outermost);
    return result;
}
BY_HAND(Comm_create_from_group,
        (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *newcomm),
        create_from_group(here, next, group, tag, info, handler, newcomm))

void efg_wrap_control(int level, const char *name, const uintptr_t *frame)
{
    runtime->control(level, name, frame);
}

void efg_wrap_region(int level, const char *name, const uintptr_t *frame)
{
    runtime->region(level, name, frame);
}

void efg_wrap_record(uint64_t iterations)
{
    runtime->record(iterations);
}

void efg_wrap_openmp(int what, const struct efg_openmp_sums *sums, const uintptr_t *frame)
{
    runtime->openmp(what, sums, frame);
}
