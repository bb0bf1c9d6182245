/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Has the processes that MPI_Comm_spawn makes traced, too. A launcher gives spawned processes its own
 * environment, not that of the processes that ask for them. What it adds is in the info of the call, under
 * the key "env" of Open MPI 4, "PMIX_ENVAR" of Open MPI 5: lines NAME=VALUE, 255 bytes in all. The name of
 * the folder harms nobody, so it is always there, as far as it fits. LD_PRELOAD and the settings are there if
 *
 *   - nothing but this library is preloaded here: else the others would get to processes that
 *     they were not meant for
 *   - the program is a file that can be looked into, and the runtime of a sanitizer is not
 *     named in it, which has to be loaded before us and would end the process
 *   - everything fits, since half of the settings would be wrong
 *
 * In front of the folder's name is the key by which both worlds know each other (worlds.h).
 *
 * Invariant: if anything of this is not so, the call gets what the application passed.
 *
 * Source: MPI_Comm_spawn(3) of Open MPI 4.1 and 5.0, whose launcher complains about the old key.
 */
#define _GNU_SOURCE /* memmem */
#include "spawn.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "runtime/mpi/comms.h"
#include "worlds.h"

#define MAKER EFG_SPAWN_MAKER
#define LIBRARY "/libefgtrace.so"
#define MOST 1000 /* programs in a call */

extern char **environ;

static const char *folder = "";
static uint32_t run;       /* number of this one */
static unsigned processes; /* made by calls whose root is this rank; atomic */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct efg_map calls; /* hash of a communicator -> how many have spawned over it */

static bool is_root(const struct efg_call *c)
{
    const struct efg_comm *comm = efg_comms_known(c->comm);
    return comm && comm->rank == c->root;
}

void efg_spawn_begin(const char *own, uint32_t number)
{
    folder = own;
    run = number;
}

static int spawns(const struct efg_call *c)
{
    return c->id == EFG_CALL_Comm_spawn || c->id == EFG_CALL_Comm_spawn_multiple;
}

/* All that spawn together find the same key, and nobody else: by their communicator, and how often
 * it was used for that. 0 if there is none. IS_OVER: the call has returned. */
static uint32_t key_of(const struct efg_call *c, bool is_over)
{
    const struct efg_comm *comm = efg_comms_known(c->comm);
    if (!comm || comm->is_foreign)
        return 0;
    uint64_t hash = efg_hash_mix(run, comm->identity);
    if (comm->kind == EFG_COMM_SELF)
        hash = efg_hash_mix(hash, comm->world_rank);
    pthread_mutex_lock(&lock);
    uint64_t *count = efg_map_put(&calls, hash);
    hash = count ? efg_hash_mix(hash, *count) : 0;
    if (count && is_over)
        ++*count;
    pthread_mutex_unlock(&lock);
    return (uint32_t)hash;
}

/* --- what they are told --- */

#if defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 4

#define ENVIRONMENT (OMPI_MAJOR_VERSION == 4 ? "env" : "PMIX_ENVAR") /* the key */

static __thread struct {
    MPI_Info *info; /* in place of those of the call */
    int count;
    char maker[sizeof MAKER + 9]; /* the variable, up to the folder */
} made;

static void forget(void)
{
    for (int i = 0; i < made.count; i++)
        PMPI_Info_free(&made.info[i]);
    free(made.info);
    made.info = NULL;
    made.count = 0;
}

static bool names_sanitizer(const void *content, size_t size)
{
    return memmem(content, size, "libasan.so", 10) || memmem(content, size, "libclang_rt.asan", 16);
}

/* COMMAND is a file that is known to bear a library before all others. */
static bool is_harmless(const char *command)
{
    struct stat status;
    int file = command && strchr(command, '/') ? open(command, O_RDONLY | O_CLOEXEC) : -1;
    bool is_file = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    size_t size = is_file ? (size_t)status.st_size : 0;
    void *content = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    bool harmless = content != MAP_FAILED && !names_sanitizer(content, size);
    if (content != MAP_FAILED)
        munmap(content, size);
    if (file >= 0)
        close(file);
    return harmless;
}

/* What is preloaded here, if it is this library alone and by its full name; else NULL. */
static const char *find_preloaded(void)
{
    const char *all = getenv("LD_PRELOAD");
    size_t length = all ? strlen(all) : 0, end = strlen(LIBRARY);
    return length > end && *all == '/' && !strpbrk(all, ": \n") && strcmp(all + length - end, LIBRARY) == 0
               ? all
               : NULL;
}

/* A setting of this process that holds for the others, too. */
static bool is_setting(const char *variable)
{
    return strncmp(variable, "EFGTRACE_", 9) == 0 && strncmp(variable, MAKER "=", 15) != 0 &&
           strncmp(variable, "EFGTRACE_OUTPUT=", 16) != 0;
}

/* It means the same in another folder, and in a list of lines. */
static bool is_portable(const char *variable)
{
    return !strchr(variable, '\n') && (strncmp(variable, "EFGTRACE_CONF=", 14) != 0 || variable[14] == '/');
}

/* Append to TEXT, which has room for SIZE bytes. Returns false if there is too little. */
static bool append(char *text, size_t size, const char *name, const char *value)
{
    size_t used = strlen(text);
    return (size_t)snprintf(text + used, size - used, "%s%s%s", used ? "\n" : "", name, value) < size - used;
}

static bool append_settings(char *text, size_t size, const char *library)
{
    bool fits = append(text, size, "LD_PRELOAD=", library);
    for (char **variable = environ; fits && *variable; variable++)
        if (is_setting(*variable))
            fits = is_portable(*variable) && append(text, size, *variable, "");
    return fits;
}

/* Add to TEXT what processes of COMMAND are told. Returns false if nothing fits. */
static bool append_environment(char *text, size_t size, const char *command)
{
    const char *library = find_preloaded();
    if (strchr(folder, '\n') || !append(text, size, made.maker, folder))
        return false;
    size_t length = strlen(text);
    if (library && is_harmless(command) && !append_settings(text, size, library))
        text[length] = '\0';
    return true;
}

/* A copy of INFO with what processes of COMMAND are told besides, or MPI_INFO_NULL. */
static MPI_Info add_environment(MPI_Info info, const char *command)
{
    char text[MPI_MAX_INFO_VAL] = "";
    MPI_Info copy = MPI_INFO_NULL;
    int has_some = 0;
    if (!info)
        return MPI_INFO_NULL;
    if (info == MPI_INFO_NULL)
        PMPI_Info_create(&copy);
    else if (PMPI_Info_dup(info, &copy) == MPI_SUCCESS)
        PMPI_Info_get(copy, ENVIRONMENT, sizeof text - 1, text, &has_some);
    if (copy != MPI_INFO_NULL && (!append_environment(text, sizeof text, command) ||
                                  PMPI_Info_set(copy, ENVIRONMENT, text) != MPI_SUCCESS))
        PMPI_Info_free(&copy); /* is MPI_INFO_NULL then */
    return copy;
}

/* Copies of all infos of the call. Returns false if one cannot be made. */
static bool make_infos(const struct efg_call *c)
{
    made.info = calloc((size_t)c->count, sizeof *made.info);
    while (made.info && made.count < c->count) {
        MPI_Info copy = add_environment(c->infos[made.count], c->commands[made.count]);
        if (copy == MPI_INFO_NULL)
            return false;
        made.info[made.count++] = copy;
    }
    return made.info != NULL;
}

/* Only the root's arguments mean anything. If they are wrong, that is for the call to find. */
void efg_spawn_enter(struct efg_call *c)
{
    MPI_Errhandler handler;
    forget();
    if (!c->infos || !c->commands || c->count < 1 || c->count > MOST || !*folder || !is_root(c))
        return;
    snprintf(made.maker, sizeof made.maker, MAKER "=%08x", key_of(c, false));
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (make_infos(c))
        c->infos = made.info;
    else
        forget();
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    PMPI_Errhandler_free(&handler);
}

#else /* nothing is known that would tell them */

static void forget(void)
{
}

void efg_spawn_enter(struct efg_call *c)
{
    (void)c;
}

#endif

void efg_spawn_leave(const struct efg_call *c)
{
    int count = 0;
    forget();
    if (!spawns(c) || !c->newcomm || *c->newcomm == MPI_COMM_NULL)
        return;
    uint32_t key = key_of(c, true);
    if (key)
        efg_worlds_meet(*c->newcomm, key);
    if (!is_root(c))
        return;
    PMPI_Comm_remote_size(*c->newcomm, &count);
    __atomic_add_fetch(&processes, (unsigned)count, __ATOMIC_RELAXED);
}

unsigned efg_spawn_count(void)
{
    return __atomic_load_n(&processes, __ATOMIC_RELAXED);
}
