/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths are an array with the number of the path as index: they are numbered from 1 in the
 * order of their first appearance. A file that says otherwise, or names a path that it does not
 * have, is refused.
 */
#include "recording.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PATHS (1u << 24)
#define MOST_FRAMES 4096

static void *checked(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void resize_paths(struct recording *r, uint32_t count)
{
    r->paths = checked(realloc(r->paths, count * sizeof *r->paths));
    memset(r->paths + r->path_count, 0, (count - r->path_count) * sizeof *r->paths);
    r->path_count = count;
}

void recording_add(struct recording *r, const struct recorded_event *event)
{
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 1024;
        r->events = checked(realloc(r->events, r->room * sizeof *r->events));
    }
    r->events[r->count++] = *event;
}

struct recorded_path *recording_define(struct recording *r, uint32_t id, uint64_t hash, uint32_t depth)
{
    if (id >= MOST_PATHS || !depth || depth > MOST_FRAMES)
        return NULL;
    if (id >= r->path_count)
        resize_paths(r, id + 1);
    struct recorded_path *path = &r->paths[id];
    if (path->depth)
        return NULL;
    *path = (struct recorded_path){hash, depth, checked(calloc(depth, sizeof *path->keys))};
    return path;
}

void recording_fini(struct recording *r)
{
    for (uint32_t i = 0; i < r->path_count; i++)
        free(r->paths[i].keys);
    free(r->paths);
    free(r->events);
}

/* ---- from files ---- */

static int read_frames(struct recorded_path *path, const char *text)
{
    for (uint32_t i = path->depth; i > 0; i--) {
        unsigned module;
        unsigned long long offset;
        int length;
        if (sscanf(text, " %u:%llx%n", &module, &offset, &length) < 2)
            return -1;
        path->keys[i - 1] = RECORDING_KEY(module, offset);
        text += length;
    }
    return 0;
}

static int read_path(struct recording *r, const char *line)
{
    unsigned id, depth;
    unsigned long long hash;
    int length;

    if (sscanf(line, "%u %llx %u%n", &id, &hash, &depth, &length) < 3)
        return -1;
    struct recorded_path *path = recording_define(r, id, hash, depth);
    return path ? read_frames(path, line + length) : -1;
}

static int read_paths(struct recording *r, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    int failed = 0;

    while (!failed && getline(&line, &room, file) > 0)
        failed = read_path(r, line);
    free(line);
    return failed;
}

static int read_events(struct recording *r, FILE *file)
{
    struct recorded_event event;

    while (fread(&event, sizeof event, 1, file) == 1) {
        if (event.path >= r->path_count || !r->paths[event.path].depth || event.leave < event.enter)
            return -1;
        recording_add(r, &event);
    }
    return r->count ? 0 : -1;
}

static int read_file(struct recording *r, const char *base, const char *suffix,
                     int (*read)(struct recording *r, FILE *file))
{
    char name[4096];

    snprintf(name, sizeof name, "%s%s", base, suffix);
    FILE *file = fopen(name, "r");
    int failed = file ? read(r, file) : -1;
    if (file)
        fclose(file);
    if (failed)
        fprintf(stderr, "replay: cannot read %s\n", name);
    return failed;
}

int recording_read(struct recording *r, const char *base)
{
    memset(r, 0, sizeof *r);
    if (!read_file(r, base, ".pt", read_paths) && !read_file(r, base, ".ev", read_events))
        return 0;
    recording_fini(r);
    return -1;
}

/* ---- to files ---- */

static int write_paths(const struct recording *r, FILE *file)
{
    for (uint32_t id = 0; id < r->path_count; id++) {
        const struct recorded_path *p = &r->paths[id];
        if (!p->depth)
            continue;
        fprintf(file, "%" PRIu32 " %" PRIx64 " %" PRIu32, id, p->hash, p->depth);
        for (uint32_t i = p->depth; i > 0; i--)
            fprintf(file, " %" PRIu32 ":%" PRIx64, RECORDING_MODULE(p->keys[i - 1]),
                    RECORDING_OFFSET(p->keys[i - 1]));
        fputc('\n', file);
    }
    return ferror(file);
}

static int write_events(const struct recording *r, FILE *file)
{
    return fwrite(r->events, sizeof *r->events, r->count, file) != r->count;
}

static int write_file(const struct recording *r, const char *base, const char *suffix,
                      int (*write)(const struct recording *r, FILE *file))
{
    char name[4096];

    snprintf(name, sizeof name, "%s%s", base, suffix);
    FILE *file = fopen(name, "w");
    int failed = file ? write(r, file) : -1;
    if (file)
        failed |= fclose(file);
    if (failed)
        fprintf(stderr, "record: cannot write %s\n", name);
    return failed ? -1 : 0;
}

int recording_write(const struct recording *r, const char *base)
{
    return write_file(r, base, ".pt", write_paths) || write_file(r, base, ".ev", write_events) ? -1 : 0;
}

/* ---- from a program ---- */

struct maker {
    struct recording *recording;
    uint64_t now;
};

static uint64_t hash_frames(const struct loop_event *event)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < event->depth; i++)
        hash = efg_hash_mix(hash, event->frames[i]);
    return hash;
}

static uint32_t find_path(struct recording *r, const struct loop_event *event)
{
    uint64_t hash = hash_frames(event);
    uint32_t id = 1;

    while (id < r->path_count && r->paths[id].hash != hash)
        id++;
    if (id < r->path_count)
        return id;
    struct recorded_path *path = checked(recording_define(r, id, hash, event->depth));
    memcpy(path->keys, event->frames, event->depth * sizeof *event->frames);
    return id;
}

static void take(void *to, const struct loop_event *event)
{
    struct maker *maker = to;
    struct recorded_event e = {
        .path = find_path(maker->recording, event), .call = event->call, .flags = event->flags};

    e.enter = maker->now + event->compute;
    e.leave = maker->now = e.enter + event->inside;
    recording_add(maker->recording, &e);
}

void recording_make(struct recording *r, const struct loop_program *program, uint32_t rank)
{
    struct maker maker = {.recording = r};

    memset(r, 0, sizeof *r);
    resize_paths(r, 1); /* there is none with number 0 */
    loop_program_run(program, rank, take, &maker);
}
