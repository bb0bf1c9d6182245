/*
 * Plug-ins that do what they must not, in the pos of the 50th call: the option says what. With -DVERSION=N
 * one of another version.
 */
#include <cstdlib>
#include <cstring>
#include <efgtrace-plugin.h>
#include <mpi.h>
#include <stdexcept>
#include <unistd.h>

#ifndef VERSION
#define VERSION EFGTRACE_PLUGIN_VERSION
#endif

static const char *what;
static int *nowhere;

static const char *init(struct efgtrace_start *start)
{
    what = start->options;
    start->patience = 1;
    return strcmp(what, "refuse") == 0 ? "it does not want to" : NULL;
}

static void misbehave()
{
    int flag;

    if (strcmp(what, "crash") == 0)
        *nowhere = 1;
    else if (strcmp(what, "abort") == 0)
        abort();
    else if (strcmp(what, "throw") == 0)
        throw std::runtime_error("from a plug-in");
    else if (strcmp(what, "block") == 0)
        pause();
    else if (strcmp(what, "mpi") == 0)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    else if (strcmp(what, "exit") == 0)
        exit(7);
}

static void pos(const struct efgtrace_event *)
{
    static int calls;

    if (++calls == 50)
        misbehave();
}

EFGTRACE_PLUGIN = {VERSION, init, nullptr, pos, nullptr, nullptr, nullptr, nullptr};
