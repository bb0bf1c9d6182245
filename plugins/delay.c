/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plug-in: makes faults. It delays calls of a function on a rank, to see what comes of that.
 *
 *     efgtrace run --plugins 'delay:call=MPI_Send rank=1 us=10000' ./app
 *
 *     call=NAME     of which function (all)      iterations=N   only in the first N of the main loop
 *     rank=N        on which rank (all)          every=N        only each Nth of these calls (1)
 *     us=N          how long, microseconds (1000)
 */
#include <efgtrace-plugin.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char call[64];
static struct option {
    const char *name;
    uint64_t value;
} options[] = {{"rank", UINT64_MAX}, {"us", 1000}, {"every", 1}, {"iterations", UINT64_MAX}};
enum { RANK, US, EVERY, ITERATIONS, OPTIONS };
static uint64_t seen, delayed; /* atomic */
static char wrong[200];

static const char *complain(const char *word)
{
    snprintf(wrong, sizeof wrong,
             "\"%.60s\": expected call=NAME, rank=N, us=N, every=N (from 1) or iterations=N", word);
    return wrong;
}

/* WORD is "name=value". Returns whether it is right. */
static int take(const char *word, const char *value)
{
    char *end;

    if (strncmp(word, "call=", 5) == 0 && *value)
        return snprintf(call, sizeof call, "%s", value) < (int)sizeof call;
    for (int i = 0; i < OPTIONS; i++) {
        if (strncmp(word, options[i].name, (size_t)(value - 1 - word)) != 0 ||
            options[i].name[value - 1 - word] != '\0')
            continue;
        options[i].value = strtoull(value, &end, 10);
        return *value >= '0' && *value <= '9' && !*end;
    }
    return 0;
}

static const char *init(struct efgtrace_start *start)
{
    char *text = strdup(start->options), *rest = text, *word;
    const char *is_wrong = NULL;

    while (!is_wrong && (word = strsep(&rest, " "))) {
        const char *equals = strchr(word, '=');
        if (*word && (!equals || !take(word, equals + 1)))
            is_wrong = complain(word);
    }
    free(text);
    if (!options[EVERY].value)
        is_wrong = complain("every=0");
    if (options[RANK].value != UINT64_MAX && options[RANK].value != (uint64_t)start->rank)
        options[US].value = 0;
    start->patience = (unsigned)(options[US].value / 1000000) + 10;
    return is_wrong;
}

static void pre(const struct efgtrace_event *event)
{
    struct timespec left = {(time_t)(options[US].value / 1000000),
                            (long)(options[US].value % 1000000 * 1000)};
    uint64_t most = options[ITERATIONS].value;

    if (!options[US].value || (*call && strcmp(event->function, call) != 0))
        return;
    if (most != UINT64_MAX && (event->iteration == EFGTRACE_NO_ITERATION || event->iteration >= most))
        return;
    if (__atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED) % options[EVERY].value)
        return;
    __atomic_fetch_add(&delayed, 1, __ATOMIC_RELAXED);
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

static void finalize(const struct efgtrace_host *host)
{
    host->number("delayed calls", "", delayed);
}

EFGTRACE_PLUGIN = {.version = EFGTRACE_PLUGIN_VERSION, .init = init, .pre = pre, .finalize = finalize};
