/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A launcher gives spawned processes its own environment, not that of the processes that ask
 * for them. What it adds is in the info of the call, under the key "env" of Open MPI 4: lines
 * NAME=VALUE, 255 bytes in all. The name of the folder harms nobody, so it is always there, as
 * far as it fits. LD_PRELOAD and the settings are there if
 *
 *   - nothing but this library is preloaded here: else the others would get to processes that
 *     they were not meant for
 *   - the program is a file that can be looked into, and the runtime of a sanitizer is not
 *     named in it, which has to be loaded before us and would end the process
 *   - everything fits, since half of the settings would be wrong
 *
 * Invariant: if anything of this is not so, the call gets what the application passed.
 *
 * Source: MPI_Comm_spawn(3) of Open MPI 4.1.
 */
#define _GNU_SOURCE /* memmem */
#include "spawn.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/mpi/comms.h"

#define MAKER EFG_SPAWN_MAKER
#define LIBRARY "/libefgtrace.so"
#define MOST 1000 /* programs in a call */

extern char **environ;

static const char *folder = "";
static unsigned processes; /* made by calls whose root is this rank; atomic */

static int is_root(const struct efg_call *c)
{
    const struct efg_comm *comm = efg_comms_known(c->comm);
    return comm && comm->rank == c->root;
}

void efg_spawn_begin(const char *own)
{
    folder = own;
}

/* --- what they are told --- */

#if defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION == 4

static __thread struct {
    MPI_Info *info; /* in place of those of the call */
    int count;
} made;

static void forget(void)
{
    for (int i = 0; i < made.count; i++)
        PMPI_Info_free(&made.info[i]);
    free(made.info);
    made.info = NULL;
    made.count = 0;
}

static int names_sanitizer(const void *content, size_t size)
{
    return memmem(content, size, "libasan.so", 10) || memmem(content, size, "libclang_rt.asan", 16);
}

/* COMMAND is a file that is known to bear a library before all others. */
static int is_harmless(const char *command)
{
    struct stat status;
    int file = command && strchr(command, '/') ? open(command, O_RDONLY | O_CLOEXEC) : -1;
    int is_file = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    size_t size = is_file ? (size_t)status.st_size : 0;
    void *content = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    int harmless = content != MAP_FAILED && !names_sanitizer(content, size);
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
static int is_setting(const char *variable)
{
    return strncmp(variable, "EFGTRACE_", 9) == 0 && strncmp(variable, MAKER "=", 15) != 0 &&
           strncmp(variable, "EFGTRACE_OUTPUT=", 16) != 0;
}

/* It means the same in another folder, and in a list of lines. */
static int is_portable(const char *variable)
{
    return !strchr(variable, '\n') && (strncmp(variable, "EFGTRACE_CONF=", 14) != 0 || variable[14] == '/');
}

/* Append to TEXT, which has room for SIZE bytes. Returns 0 if there is too little. */
static int append(char *text, size_t size, const char *name, const char *value)
{
    size_t used = strlen(text);
    return (size_t)snprintf(text + used, size - used, "%s%s%s", used ? "\n" : "", name, value) < size - used;
}

static int append_settings(char *text, size_t size, const char *library)
{
    int fits = append(text, size, "LD_PRELOAD=", library);
    for (char **variable = environ; fits && *variable; variable++)
        if (is_setting(*variable))
            fits = is_portable(*variable) && append(text, size, *variable, "");
    return fits;
}

/* Add to TEXT what processes of COMMAND are told. Returns 0 if nothing fits. */
static int append_environment(char *text, size_t size, const char *command)
{
    const char *library = find_preloaded();
    if (strchr(folder, '\n') || !append(text, size, MAKER "=", folder))
        return 0;
    size_t length = strlen(text);
    if (library && is_harmless(command) && !append_settings(text, size, library))
        text[length] = '\0';
    return 1;
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
        PMPI_Info_get(copy, "env", sizeof text - 1, text, &has_some);
    if (copy != MPI_INFO_NULL &&
        (!append_environment(text, sizeof text, command) || PMPI_Info_set(copy, "env", text) != MPI_SUCCESS))
        PMPI_Info_free(&copy); /* is MPI_INFO_NULL then */
    return copy;
}

/* Copies of all infos of the call. Returns 0 if one cannot be made. */
static int make_infos(const struct efg_call *c)
{
    made.info = calloc((size_t)c->count, sizeof *made.info);
    while (made.info && made.count < c->count) {
        MPI_Info copy = add_environment(c->infos[made.count], c->commands[made.count]);
        if (copy == MPI_INFO_NULL)
            return 0;
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
    if (!c->infos || !is_root(c))
        return;
    PMPI_Comm_remote_size(*c->newcomm, &count);
    __atomic_add_fetch(&processes, (unsigned)count, __ATOMIC_RELAXED);
}

unsigned efg_spawn_count(void)
{
    return __atomic_load_n(&processes, __ATOMIC_RELAXED);
}
