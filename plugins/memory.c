/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plug-in: how much memory of the node is free after each MPI call, by node of the event flow graph. Says the
 * least of all and where that was; the section has a line for each node.
 *
 *     efgtrace run --plugins memory ./app
 *
 * Cost: a system call (sysinfo) for each MPI call, about 1 us.
 */
#include <efgtrace-plugin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

struct node { /* of a thread */
    const char *function;
    uint64_t hash, calls, least;
    double sum;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static struct node *nodes;
static uint32_t count;
static uint64_t least = UINT64_MAX;
static struct efgtrace_event least_at;

static uint64_t free_memory(void)
{
    struct sysinfo info;

    return sysinfo(&info) == 0 ? (uint64_t)(info.freeram + info.bufferram) * info.mem_unit : 0;
}

/* That of EVENT, or NULL without memory. A program has few, and the last ones are looked at first. */
static struct node *find(const struct efgtrace_event *event)
{
    for (uint32_t i = count; i-- > 0;)
        if (nodes[i].hash == event->node_hash)
            return &nodes[i];
    struct node *more = realloc(nodes, (count + 1) * sizeof *nodes);
    if (!more)
        return NULL;
    nodes = more;
    nodes[count] = (struct node){.function = event->function, .hash = event->node_hash, .least = UINT64_MAX};
    return &nodes[count++];
}

static void pos(const struct efgtrace_event *event)
{
    uint64_t bytes = free_memory();

    if (event->node == EFGTRACE_NONE)
        return;
    pthread_mutex_lock(&lock);
    struct node *node = find(event);
    if (node) {
        node->calls++;
        node->sum += (double)bytes;
        node->least = bytes < node->least ? bytes : node->least;
    }
    if (bytes < least) {
        least = bytes;
        least_at = *event;
    }
    pthread_mutex_unlock(&lock);
}

static void finalize(const struct efgtrace_host *host)
{
    char line[160];

    if (!count)
        return;
    host->number("least free memory", "B", least);
    snprintf(line, sizeof line, "memory is least after %s%s", least_at.function,
             least_at.iteration == EFGTRACE_NO_ITERATION ? "" : ", in the main loop");
    host->line(line);
    host->section("node,function,calls,least free,mean free\n");
    for (uint32_t i = 0; i < count; i++) {
        snprintf(line, sizeof line, "%016llx,%s,%llu,%llu,%.0f\n", (unsigned long long)nodes[i].hash,
                 nodes[i].function, (unsigned long long)nodes[i].calls, (unsigned long long)nodes[i].least,
                 nodes[i].sum / (double)nodes[i].calls);
        host->section(line);
    }
}

EFGTRACE_PLUGIN = {.version = EFGTRACE_PLUGIN_VERSION, .pos = pos, .finalize = finalize};
