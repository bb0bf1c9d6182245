/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preloaded library: every function of calls.def, as MPI_X and as PMPI_X (Open MPI's
 * Fortran libraries call the latter), in front of the real one.
 *
 * It lives in every process that the job starts, the shells too, and so refers to nothing but
 * libc: the real functions are looked up at their first call, by PMPI_X, and no object of
 * libmpi (MPI_COMM_WORLD is the address of one) is named here. All of the tracer is in
 * libefgtrace-runtime.so, which MPI_Init or the first session loads. Until then, and after
 * MPI_Finalize, `hooks` is NULL and a wrapper is one load and one branch in front of the real
 * function.
 *
 * MPI libraries call MPI from inside (Open MPI's I/O does), and so does the tracer: an MPI call
 * within an MPI call passes untouched. The thread remembers the frame of the outermost
 * wrapper rather than a counter: the stack grows down, so a call is inside that one only if its
 * own frame lies below. A longjmp or a C++ exception out of a call leaves a frame that the
 * next call from the same depth or above finds stale. On a stack of another coroutine the
 * comparison may be wrong either way: a call is missed, or counted in spite of being
 * inside. The tracer's own calls are always found, since they run on the stack of the call
 * that they belong to.
 */
#define _GNU_SOURCE /* dladdr, dl_iterate_phdr */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files/launcher.h"
#include "runtime/call.h"
#if !EFG_MPI_4 && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

/* gcc clears a structure of this size with `rep stos`, which takes longer to start than all the
 * rest of a wrapper (12 ns, measured); tuned like this it uses plain vector stores, or memset
 * for a larger one. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("tune=skylake")
_Static_assert(sizeof(struct efg_call) <= 272, "a call is cleared by vector stores");
#endif

#define EXPORT __attribute__((visibility("default")))
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define RUNTIME_LIBRARY "libefgtrace-runtime.so"

static _Atomic(const struct efg_hooks *) hooks; /* NULL, or those beside it */
static struct efg_hooks own_hooks;

/* Frame of the outermost wrapper that this thread is in, or NULL. */
static __thread void *outermost __attribute__((tls_model("initial-exec")));

static int is_inside(const void *frame)
{
    return (uintptr_t)frame < (uintptr_t)outermost;
}

/* --- The real functions --- */

static _Atomic(void *) real_functions[EFG_CALLS];

static int find_libmpi(struct dl_phdr_info *module, size_t size, void *name)
{
    const char *slash = strrchr(module->dlpi_name, '/');
    (void)size;
    const char *base = slash ? slash + 1 : module->dlpi_name;
    if ((strncmp(base, "libmpi.so", 9) != 0 && strncmp(base, "libmpich.so", 11) != 0) ||
        strlen(module->dlpi_name) >= PATH_MAX)
        return 0;
    strcpy(name, module->dlpi_name);
    return 1;
}

/* Where libmpi was loaded late and into a scope of its own, as Python loads its extensions, it
 * is not "next" for us. */
static void *lookup_in_libmpi(const char *symbol)
{
    char name[PATH_MAX];
    if (!dl_iterate_phdr(find_libmpi, name))
        return NULL;
    void *library = dlopen(name, RTLD_NOLOAD | RTLD_LAZY);
    return library ? dlsym(library, symbol) : NULL;
}

static __attribute__((noinline, cold)) void *lookup(int id, const char *symbol)
{
    void *function = dlsym(RTLD_NEXT, symbol);
    if (!function)
        function = lookup_in_libmpi(symbol);
    if (!function) /* stubs for serial programs have no profiling names */
        function = dlsym(RTLD_NEXT, symbol + 1);
    if (!function) {
        dprintf(STDERR_FILENO,
                "efgtrace: the program calls %s, but no MPI library is loaded that has it\n",
                symbol + 1);
        abort();
    }
    atomic_store_explicit(&real_functions[id], function, memory_order_relaxed);
    return function;
}

static inline void *real_function(int id, const char *symbol)
{
    void *function = atomic_load_explicit(&real_functions[id], memory_order_relaxed);
    return UNLIKELY(!function) ? lookup(id, symbol) : function;
}

/*
 * A function under its name in libmpi, its parameters those of the table. Where handles are
 * numbers, here they have the size of pointers: so a program of a library whose handles are
 * pointers, into which this is preloaded by mistake, gets them through unharmed, and runs
 * untraced. (In registers and on the stack an int has as much room as a pointer.) Where they
 * are pointers, mpi.h checks the table.
 */
#ifdef OPEN_MPI
#define FUNCTION(prefix, name) prefix##name
#define PROFILED(prefix, name) __typeof__(prefix##name) P##prefix##name
#define DEFINE(prefix, name, parameters) EXPORT int prefix##name parameters
#else
#define FUNCTION(prefix, name) own_##name
#define PROFILED(prefix, name) __typeof__(own_##name) own_P##name __asm__("P" #prefix #name)
#define DEFINE(prefix, name, parameters) \
    EXPORT int FUNCTION(prefix, name)    \
    parameters __asm__(#prefix #name);   \
    int FUNCTION(prefix, name) parameters
#define MPI_Comm uintptr_t
#define MPI_Datatype uintptr_t
#define MPI_Errhandler uintptr_t
#define MPI_File uintptr_t
#define MPI_Group uintptr_t
#define MPI_Info uintptr_t
#define MPI_Message uintptr_t
#define MPI_Op uintptr_t
#define MPI_Request uintptr_t
#define MPI_Win uintptr_t
#pragma GCC diagnostic ignored "-Wincompatible-pointer-types" /* MPI_Comm * is uintptr_t * */
#pragma GCC diagnostic ignored "-Wint-conversion"             /* MPI_File is a pointer */
#endif

/* PMPI_X is MPI_X under another name. */
#define ALIAS(prefix, name) EXPORT PROFILED(prefix, name) __attribute__((alias(#prefix #name)));

#define REAL(prefix, name) \
    ((__typeof__(&FUNCTION(prefix, name)))real_function(EFG_CALL_##name, "P" #prefix #name))

/* --- The wrappers of the table --- */

/*
 * The first structure exists for the arguments only, which name c.statuses; nothing of it is
 * left after compilation. The compiler fills the second only where there are hooks.
 */
#define WRAPPER(prefix, id_, shape_, parameters, arguments, ...)                          \
    DEFINE(prefix, id_, parameters)                                                       \
    {                                                                                     \
        __typeof__(&FUNCTION(prefix, id_)) real = REAL(prefix, id_);                      \
        const struct efg_hooks *run = atomic_load_explicit(&hooks, memory_order_acquire); \
        if (!run || is_inside(__builtin_frame_address(0))) {                              \
            struct efg_call c __attribute__((unused)) = {__VA_ARGS__};                    \
            return real arguments;                                                        \
        }                                                                                 \
        outermost = __builtin_frame_address(0);                                           \
        struct efg_call c = {.id = EFG_CALL_##id_,                                        \
                             .shape = EFG_SHAPE_##shape_,                                 \
                             .frame = outermost,                                          \
                             __VA_ARGS__};                                                \
        int wants_leave = run->enter(&c);                                                 \
        int result = real arguments;                                                      \
        if (wants_leave)                                                                  \
            run->leave(&c, result);                                                       \
        outermost = NULL;                                                                 \
        return result;                                                                    \
    }                                                                                     \
    ALIAS(prefix, id_)

#define CALL(id, class_, shape, ...) WRAPPER(MPI_, id, shape, __VA_ARGS__)
#if EFG_MPI_4
#define CALLX(id, class_, shape, ...) WRAPPER(MPI_, id, shape, __VA_ARGS__)
#else
#define CALLX(id, class_, shape, ...) WRAPPER(MPIX_, id, shape, __VA_ARGS__)
#endif
#define OWN(id, class_, shape)
#define LEFT_OUT(id, reason)
#include "calls.def"

/* --- The tracer's life --- */

static enum { NOT_YET, RUNNING, OVER } stage;
static int is_of_sessions; /* it runs since a communicator was made without MPI_Init */
static atomic_int users; /* calls of MPI_Init and MPI_Session_init, less those that end them */
static const struct efg_runtime *runtime;
static pid_t owner;           /* the process that started the tracer: not a forked child */
static char folder[PATH_MAX]; /* that we were loaded from, with its last slash */

/* A relative path in LD_PRELOAD is good only until the program changes its directory, so this
 * is a constructor too. */
__attribute__((constructor)) static void find_folder(void)
{
    Dl_info self;
    if (*folder || !dladdr(&hooks, &self) || !self.dli_fname)
        return;
    char path[PATH_MAX];
    const char *name = self.dli_fname;
    if (*name != '/') {
        if (!realpath(name, path))
            return;
        name = path;
    }
    const char *slash = strrchr(name, '/');
    if (slash && slash + 1 - name < PATH_MAX)
        memcpy(folder, name, (size_t)(slash + 1 - name)); /* the rest is zeros */
}

static void say_untraced(const char *why)
{
    dprintf(STDERR_FILENO, "efgtrace: %s; this process runs untraced\n", why);
}

static int is_switched_off(void)
{
    const char *mode = getenv("EFGTRACE_MODE");
    return mode && strcasecmp(mode, "off") == 0;
}

/* Handles are pointers in Open MPI, and numbers in MPICH and what is made of it. */
#ifdef OPEN_MPI
#define BUILT_FOR "Open MPI"
static const char *const libraries[] = {"Open MPI", NULL};
#else
#define BUILT_FOR "MPICH"
static const char *const libraries[] = {"MPICH", "MVAPICH", "Intel(R) MPI", NULL};
#endif

/* The library of FUNCTION is of the kind that the table was compiled for. */
static int is_our_kind(const void *function)
{
    Dl_info module;
    static char version[1 << 14]; /* of any library: MPICH wants 8192, Open MPI 256 */
    int length;
    if (!dladdr(function, &module) || !module.dli_fname)
        return 0;
    void *library = dlopen(module.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    __typeof__(&MPI_Get_library_version) get =
        library ? (__typeof__(get))dlsym(library, "PMPI_Get_library_version") : NULL;
    if (!get || get(version, &length) != MPI_SUCCESS)
        return 0;
    for (size_t i = 0; libraries[i]; i++)
        if (strstr(version, libraries[i]))
            return 1;
    return 0;
}

static const struct efg_runtime *load_runtime(void)
{
    char path[PATH_MAX + sizeof RUNTIME_LIBRARY];
    find_folder();
    snprintf(path, sizeof path, "%s%s", folder, RUNTIME_LIBRARY);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *symbol = library ? dlsym(library, EFG_RUNTIME_SYMBOL) : NULL;
    if (!symbol)
        say_untraced(dlerror());
    return symbol;
}

/* Before MPI_Init, whose real one is INIT. Once: a second MPI_Init is the application's error,
 * and libmpi's to report. */
static void prepare(const void *init)
{
    static int is_done;
    if (is_done++ || is_switched_off())
        return;
    if (!is_our_kind(init)) {
        if (efg_launcher_is_first()) /* it is the same on all ranks */
            say_untraced("the program's MPI library is not " BUILT_FOR
                         ", which this efgtrace was built for");
        return;
    }
    const struct efg_runtime *loaded = load_runtime();
    if (loaded && loaded->prepare())
        runtime = loaded;
}

static void start(const MPI_Comm *comm)
{
    const struct efg_hooks *run = runtime && stage == NOT_YET ? runtime->start(comm) : NULL;
    if (!run)
        return;
    is_of_sessions = comm != NULL;
    owner = getpid();
    stage = RUNNING;
    own_hooks = *run;
    atomic_store_explicit(&hooks, &own_hooks, memory_order_release);
}

/* True once, for the one that ends the tracer; no call is seen from here on. */
static int stop(void)
{
    if (stage != RUNNING || getpid() != owner)
        return 0;
    stage = OVER;
    atomic_store_explicit(&hooks, NULL, memory_order_release);
    return 1;
}

/* The latest moment there is: atexit functions and C++ destructors may still call MPI_Finalize.
 */
__attribute__((destructor)) static void leave(void)
{
    if (stop())
        runtime->leave();
}

/* MPI is going to end for the program, or one of the parts of it that have begun it. */
static void end(int is_world)
{
    int others = atomic_fetch_sub(&users, 1) - 1;
    if ((is_of_sessions ? others == 0 : is_world) && stop())
        runtime->finish();
}

DEFINE(MPI_, Init, (int *argc, char ***argv))
{
    __typeof__(&FUNCTION(MPI_, Init)) real = REAL(MPI_, Init);
    if (is_inside(__builtin_frame_address(0)))
        return real(argc, argv);
    outermost = __builtin_frame_address(0);
    prepare((const void *)real);
    int result = real(argc, argv);
    if (result == MPI_SUCCESS) {
        atomic_fetch_add(&users, 1);
        start(NULL);
    }
    outermost = NULL;
    return result;
}
ALIAS(MPI_, Init)

DEFINE(MPI_, Init_thread, (int *argc, char ***argv, int required, int *provided))
{
    __typeof__(&FUNCTION(MPI_, Init_thread)) real = REAL(MPI_, Init_thread);
    if (is_inside(__builtin_frame_address(0)))
        return real(argc, argv, required, provided);
    outermost = __builtin_frame_address(0);
    prepare((const void *)real);
    int result = real(argc, argv, required, provided);
    if (result == MPI_SUCCESS) {
        atomic_fetch_add(&users, 1);
        start(NULL);
    }
    outermost = NULL;
    return result;
}
ALIAS(MPI_, Init_thread)

DEFINE(MPI_, Finalize, (void))
{
    __typeof__(&FUNCTION(MPI_, Finalize)) real = REAL(MPI_, Finalize);
    if (is_inside(__builtin_frame_address(0)))
        return real();
    outermost = __builtin_frame_address(0);
    end(1);
    int result = real();
    outermost = NULL;
    return result;
}
ALIAS(MPI_, Finalize)

DEFINE(MPI_, Abort, (MPI_Comm comm, int errorcode))
{
    __typeof__(&FUNCTION(MPI_, Abort)) real = REAL(MPI_, Abort);
    leave();
    return real(comm, errorcode);
}
ALIAS(MPI_, Abort)

/* --- Sessions --- */

/*
 * A session begins in one process, and the tracer cannot wait for the others there. So it
 * starts when all of them make their first communicator together: without one there is nobody
 * to send anything to. What was called before that is not seen.
 */
#if EFG_MPI_4
DEFINE(MPI_, Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session *session))
{
    __typeof__(&FUNCTION(MPI_, Session_init)) real = REAL(MPI_, Session_init);
    if (is_inside(__builtin_frame_address(0)))
        return real(info, handler, session);
    outermost = __builtin_frame_address(0);
    prepare((const void *)real);
    int result = real(info, handler, session);
    if (result == MPI_SUCCESS)
        atomic_fetch_add(&users, 1);
    outermost = NULL;
    return result;
}
ALIAS(MPI_, Session_init)

DEFINE(MPI_, Session_finalize, (MPI_Session * session))
{
    __typeof__(&FUNCTION(MPI_, Session_finalize)) real = REAL(MPI_, Session_finalize);
    if (is_inside(__builtin_frame_address(0)))
        return real(session);
    outermost = __builtin_frame_address(0);
    end(0);
    int result = real(session);
    outermost = NULL;
    return result;
}
ALIAS(MPI_, Session_finalize)

DEFINE(MPI_, Comm_create_from_group,
       (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler,
        MPI_Comm *newcomm))
{
    __typeof__(&FUNCTION(MPI_, Comm_create_from_group)) real =
        REAL(MPI_, Comm_create_from_group);
    if (is_inside(__builtin_frame_address(0)))
        return real(group, tag, info, handler, newcomm);
    const struct efg_hooks *run = atomic_load_explicit(&hooks, memory_order_acquire);
    outermost = __builtin_frame_address(0);
    struct efg_call c = {.id = EFG_CALL_Comm_create_from_group,
                         .shape = EFG_SHAPE_COMM_NEW,
                         .op = EFG_COLL_CREATE_HANDLE,
                         .frame = outermost,
                         .newcomm = newcomm};
    int wants_leave = run && run->enter(&c);
    int result = real(group, tag, info, handler, newcomm);
    if (wants_leave)
        run->leave(&c, result);
    else if (!run && result == MPI_SUCCESS)
        start(newcomm);
    outermost = NULL;
    return result;
}
ALIAS(MPI_, Comm_create_from_group)
#endif

/* --- MPI_Pcontrol --- */

#define REGION_NAME 64

/* The kernel reads the eight bytes at WORD, unless that is NULL, before it finds that the first
 * argument is wrong. */
static int is_readable(const void *word)
{
    if (!word)
        return 0;
    int saved = errno;
    int readable = syscall(SYS_rt_sigprocmask, ~0, word, NULL, 8) == 0 || errno != EFAULT;
    errno = saved;
    return readable;
}

/*
 * Copies the name that an application may or may not have passed after the level:
 * MPI_Pcontrol(1) is common, and then there is nothing but what the register held. A name is
 * readable, ends, and is made of printable characters. Returns NAME or NULL.
 */
static const char *copy_name(char name[REGION_NAME], const char *from)
{
    for (int i = 0; i < REGION_NAME; i++) {
        const char *word = (const char *)((uintptr_t)(from + i) & ~(uintptr_t)7);
        if ((i == 0 || from + i == word) && !is_readable(word))
            return NULL;
        name[i] = from[i];
        if (!from[i])
            return i ? name : NULL;
        if (!isascii((unsigned char)from[i]) || !isprint((unsigned char)from[i]))
            return NULL;
    }
    return NULL;
}

/* The Fortran binding has no second argument. */
static int is_fortran_binding(const void *caller)
{
    Dl_info module;
    const char *slash = dladdr(caller, &module) ? strrchr(module.dli_fname, '/') : NULL;
    return slash && strncmp(slash, "/libmpi_", 8) == 0;
}

DEFINE(MPI_, Pcontrol, (const int level, ...))
{
    __typeof__(&FUNCTION(MPI_, Pcontrol)) real = REAL(MPI_, Pcontrol);
    if (!atomic_load_explicit(&hooks, memory_order_acquire) ||
        is_inside(__builtin_frame_address(0)))
        return real(level);
    outermost = __builtin_frame_address(0);
    char buffer[REGION_NAME];
    const char *name = NULL;
    if ((level == 1 || level == -1) && !is_fortran_binding(__builtin_return_address(0))) {
        va_list more;
        va_start(more, level);
        name = copy_name(buffer, va_arg(more, const char *));
        va_end(more);
    }
    runtime->control(level, name);
    int result = real(level);
    outermost = NULL;
    return result;
}
ALIAS(MPI_, Pcontrol)
