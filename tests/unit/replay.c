/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define INTERVAL (100 * MS)

void replay_init(struct replay *replay, enum efg_level level)
{
    memset(replay, 0, sizeof *replay);
    replay->random = 1;
    replay->scale = 1;
    replay->next_sample = INTERVAL;
    if (efg_graph_init(&replay->graph, NULL, 0))
        abort();
    replay->finder = efg_pivot_finder_new(&replay->graph, level);
    if (!replay->finder)
        abort();
}

void replay_fini(struct replay *replay)
{
    efg_pivot_finder_free(replay->finder);
    efg_graph_fini(&replay->graph);
}

void replay_iteration(struct replay *replay)
{
    replay->begins = 1;
}

uint32_t replay_below(struct replay *replay, uint32_t n)
{
    replay->random = efg_hash_mix(replay->random, 1);
    return (uint32_t)(replay->random % n);
}

uint64_t replay_about(struct replay *replay, uint64_t n)
{
    return n - n / 10 + (n < 5 ? 0 : replay_below(replay, (uint32_t)(n / 5)));
}

static void adopt(struct replay *replay, const struct efg_pivot *pivot)
{
    if (pivot->kind == replay->pivot.kind && pivot->id == replay->pivot.id)
        return;
    replay->pivot = *pivot;
    efg_graph_mark_pivot(&replay->graph, pivot->kind, pivot->id);
    replay->accepted_at = replay->iterations;
    replay->accepted_time = replay->now;
    replay->visits = 0;
    replay->accepted++;
}

static void sample(struct replay *replay)
{
    struct efg_pivot pivot;

    replay->next_sample = replay->now + efg_pivot_pause(replay->now, INTERVAL);
    if (efg_pivot_sample(replay->finder, replay->now, &pivot))
        adopt(replay, &pivot);
    if (replay->pivot.kind && efg_pivot_is_silent(replay->finder, replay->now)) {
        efg_pivot_restart(replay->finder, replay->now);
        efg_graph_mark_pivot(&replay->graph, EFG_PIVOT_NONE, 0);
        replay->pivot.kind = EFG_PIVOT_NONE;
        replay->restarts++;
    }
}

static void write_event(struct replay *replay, const struct efg_event *event, uint32_t flags)
{
    fprintf(replay->record, "%u %.1f %.1f %s%s%s%s%s\n", event->signature.path,
            (double)event->enter / US, (double)event->leave / US,
            flags & REPLAY_WORLD ? "w" : "", flags & REPLAY_UNORDERED ? "u" : "",
            flags & REPLAY_POLL ? "p" : "", replay->begins ? "i" : "",
            flags || replay->begins ? "" : "-");
}

static void feed(struct replay *replay, const struct efg_event *event, uint32_t flags)
{
    if (replay->record)
        write_event(replay, event, flags);
    replay->iterations += (uint64_t)replay->begins;
    replay->begins = 0;
    replay->now = event->leave;
    if (flags & REPLAY_POLL)
        efg_graph_poll(&replay->graph, event);
    else
        replay->visits += (uint64_t)efg_graph_step(&replay->graph, event);
    if (replay->now >= replay->next_sample)
        sample(replay);
}

void replay_event(struct replay *replay, uint32_t path, uint64_t compute, uint64_t call,
                  uint32_t flags)
{
    uint64_t enter = replay->now + replay_about(replay, compute);
    struct efg_event event = {.signature = {.call = 1, .path = path},
                              .path_hash = path,
                              .enter = enter,
                              .leave = enter + replay_about(replay, call),
                              .flags = flags & (REPLAY_WORLD | REPLAY_UNORDERED)};

    feed(replay, &event, flags);
}

double replay_rate(const struct replay *replay)
{
    uint64_t iterations = replay->iterations - replay->accepted_at;

    return replay->pivot.kind && iterations ? (double)replay->visits / (double)iterations : 0;
}

uint64_t replay_visits(const struct replay *replay)
{
    return efg_pivot_visits(&replay->graph, replay->pivot.kind, replay->pivot.id);
}

/* ---- text ---- */

static void parse_comment(struct replay *replay, const char *line)
{
    unsigned long long number;

    if (!strcmp(line, "# relative\n"))
        replay->relative = 1;
    if (sscanf(line, "# iterations %llu", &number) == 1)
        replay->expected = number;
    if (sscanf(line, "# scale %llu", &number) == 1)
        replay->scale = (double)number;
}

static int parse(struct replay *replay, const char *line)
{
    struct efg_event event = {.signature = {.call = 1}};
    double enter, leave;
    char flags[8] = "";

    if (line[0] == '#')
        parse_comment(replay, line);
    if (line[0] == '#' || line[0] == '\n')
        return 0;
    if (sscanf(line, "%u %lf %lf %7s", &event.signature.path, &enter, &leave, flags) < 3)
        return -1;
    event.path_hash = event.signature.path;
    event.enter = (replay->relative ? replay->now : 0) + (uint64_t)(enter * US * replay->scale);
    event.leave = (replay->relative ? event.enter : 0) + (uint64_t)(leave * US * replay->scale);
    event.flags = (strchr(flags, 'w') ? EFG_NODE_WORLD : 0u) |
                  (strchr(flags, 'u') ? EFG_NODE_UNORDERED : 0u);
    if (strchr(flags, 'i'))
        replay_iteration(replay);
    feed(replay, &event, event.flags | (strchr(flags, 'p') ? REPLAY_POLL : 0));
    return 0;
}

int replay_file(struct replay *replay, const char *name)
{
    char path[256], line[256];
    const char *slash = strrchr(__FILE__, '/');
    int folder = slash ? (int)(slash - __FILE__) : 0, failed = 0;

    snprintf(path, sizeof path, "%.*s/sequences/%s", folder, __FILE__, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    while (!failed && fgets(line, sizeof line, file))
        failed = parse(replay, line);
    fclose(file);
    return failed;
}
