/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plug-in: how large messages are, for each communicator: how many calls have sent so many bytes, by powers
 * of two. What a rank gives to a collective counts as sent.
 *
 *     efgtrace run --plugins sizes ./app
 */
#include <efgtrace-plugin.h>
#include <pthread.h>
#include <stdio.h>

#define MOST 64 /* communicators; those that come later are counted in the last one */
#define BINS 64 /* bin b: 2^b to 2^(b+1) - 1 bytes */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static struct histogram {
    uint64_t identity;
    uint32_t id, size;
    uint64_t calls, bytes, bin[BINS];
} histograms[MOST];
static uint32_t count;

static struct histogram *find(const struct efgtrace_comm *comm)
{
    uint32_t i = 0;

    while (i < count && histograms[i].identity != comm->identity)
        i++;
    if (i == MOST)
        return &histograms[MOST - 1];
    if (i == count)
        histograms[count++] =
            (struct histogram){.identity = comm->identity, .id = comm->id, .size = comm->size};
    return &histograms[i];
}

static void pos(const struct efgtrace_event *event)
{
    uint64_t bytes = event->sent.bytes;

    if (event->comm.id == EFGTRACE_NONE || !bytes)
        return;
    pthread_mutex_lock(&lock);
    struct histogram *h = find(&event->comm);
    h->calls++;
    h->bytes += bytes;
    h->bin[63 - __builtin_clzll(bytes)]++;
    pthread_mutex_unlock(&lock);
}

static void put_histogram(const struct efgtrace_host *host, const struct histogram *h)
{
    char line[160];

    for (int b = 0; b < BINS; b++) {
        if (!h->bin[b])
            continue;
        snprintf(line, sizeof line, "%016llx,%u,%u,%llu,%llu\n", (unsigned long long)h->identity, h->id,
                 h->size, 1ull << b, (unsigned long long)h->bin[b]);
        host->section(line);
    }
}

static void finalize(const struct efgtrace_host *host)
{
    char name[80];

    host->section("communicator,id,ranks,bytes from,calls\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct histogram *h = &histograms[i];
        snprintf(name, sizeof name, "communicator of %u ranks (%04x): mean size of a message", h->size,
                 (unsigned)(h->identity & 0xffff));
        if (i < 8)
            host->number(name, "B", h->bytes / h->calls);
        put_histogram(host, h);
    }
}

EFGTRACE_PLUGIN = {.version = EFGTRACE_PLUGIN_VERSION, .pos = pos, .finalize = finalize};
