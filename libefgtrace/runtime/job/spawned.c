/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes which other jobs this one spawned, or was spawned by.
 * That there is a trace of the other world is known by its folder: the makers look for it when they
 * end, and the made ones have been told the name of theirs. Each world leaves in its folder what it
 * has sent to and received from others; the one that ends later finds that of the other, and compares.
 *
 *     worlds.txt: a line for each other world: its key, then messages to it and messages from it, each
 *                 as their number and the sum of the hashes of their channels
 */
#include "spawned.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/plural.h"
#include "files/disk/below.h"
#include "folder.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/record/spawn.h"
#include "runtime/record/worlds.h"

#define NONE (UINT32_MAX + UINT64_C(1)) /* above all keys */

static const struct efg_job *const job = &efg_job;

/* --- who made us --- */

static MPI_Comm find_parent(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    if (!job->is_of_sessions)
        PMPI_Comm_get_parent(&parent);
    return parent;
}

/* Asked for at the start: the program may disconnect, and then there was nobody. */
static bool is_spawned(void)
{
    static enum { UNKNOWN, NO, YES } answer;
    if (answer == UNKNOWN)
        answer = find_parent() == MPI_COMM_NULL ? NO : YES;
    return answer == YES;
}

/* The key of this world and its maker, and then the folder; NULL if it is not known. */
static const char *told(void)
{
    const char *value = getenv(EFG_SPAWN_MAKER);
    return value && is_spawned() && strspn(value, "0123456789abcdef") == 8 && value[8] == '/' ? value : NULL;
}

static uint32_t maker_key(void)
{
    return told() ? (uint32_t)strtoul(told(), NULL, 16) : 0;
}

const char *efg_spawned_maker(void)
{
    return told() ? told() + 8 : "";
}

void efg_spawned_begin(void)
{
    if (maker_key())
        efg_worlds_meet(find_parent(), maker_key());
}

/* --- messages with other worlds --- */

struct compared {
    uint64_t matched, all; /* with worlds whose folder says what they have */
    uint64_t unknown;      /* with others */
    bool differ;           /* as many, but not the same */
};

/* What all ranks together know of the world with KEY, on the first one; this one may know nothing. */
static struct efg_world sum_up(uint32_t key)
{
    const struct efg_world *mine = efg_worlds_from(key);
    struct efg_world none = {.key = key}, all = none;
    _Static_assert(sizeof none.messages == 4 * sizeof(uint64_t), "four words");
    PMPI_Reduce(mine && mine->key == key ? mine->messages : none.messages, all.messages, 4, MPI_UINT64_T,
                MPI_SUM, 0, job->comm);
    return all;
}

/* All worlds, on the first rank, as far as there is memory. Returns how many; 0 on others. */
static uint32_t gather(struct efg_world **worlds)
{
    uint32_t count = 0;
    for (uint64_t key = 0;; key++) {
        const struct efg_world *next = efg_worlds_from(key);
        key = next ? next->key : NONE;
        PMPI_Allreduce(MPI_IN_PLACE, &key, 1, MPI_UINT64_T, MPI_MIN, job->comm);
        if (key == NONE)
            return count;
        struct efg_world world = sum_up((uint32_t)key);
        if (efg_job_is_first() && efg_array_grow(worlds, count, 1, sizeof world) == 0)
            (*worlds)[count++] = world;
    }
}

static void write_worlds(const struct efg_world *worlds, uint32_t count)
{
    struct efg_buffer text = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct efg_flight *there = &worlds[i].messages[EFG_WAY_THERE],
                                *back = &worlds[i].messages[EFG_WAY_BACK];
        efg_buffer_print(&text, "%08" PRIx32 " %" PRId64 " %016" PRIx64 " %" PRId64 " %016" PRIx64 "\n",
                         worlds[i].key, there->count, there->sum, back->count, back->sum);
    }
    if (count && !text.failed)
        efg_folder_write("worlds.txt", &text);
    efg_buffer_fini(&text);
}

static FILE *open_worlds(const char *folder)
{
    char path[EFG_PATH];
    snprintf(path, sizeof path, "%.4000s/worlds.txt", folder);
    int found = efg_below_open(path, EFG_BELOW_OWN + 1, O_RDONLY);
    FILE *file = found < 0 ? NULL : fdopen(found, "r");
    if (found >= 0 && !file)
        close(found);
    return file;
}

static bool read_world(FILE *file, struct efg_world *world)
{
    struct efg_flight *there = &world->messages[EFG_WAY_THERE], *back = &world->messages[EFG_WAY_BACK];
    return fscanf(file, "%8" SCNx32 " %" SCNd64 " %" SCNx64 " %" SCNd64 " %" SCNx64, &world->key,
                  &there->count, &there->sum, &back->count, &back->sum) == 5;
}

/* What the world with that FOLDER has of each of WORLDS, of which there are COUNT, to OTHERS. */
static void read_worlds(const char *folder, const struct efg_world *worlds, uint32_t count,
                        struct efg_world *others)
{
    FILE *file = open_worlds(folder);
    struct efg_world world;
    while (file && read_world(file, &world))
        for (uint32_t i = 0; i < count; i++)
            if (worlds[i].key == world.key)
                others[i] = world;
    if (file)
        fclose(file);
}

/* The folder of the I-th world that this one has spawned, from 1 on; whether there is one. */
static bool find_made(char folder[EFG_PATH], int i)
{
    snprintf(folder, EFG_PATH, i == 1 ? "%.4000s.spawned" : "%.4000s.spawned.%d", job->folder, i);
    return *job->folder && efg_below_is_there(folder, 0);
}

/* The same of all worlds that are known by their folders. */
static void read_others(const struct efg_world *worlds, uint32_t count, struct efg_world *others)
{
    char folder[EFG_PATH];
    if (*efg_spawned_maker())
        read_worlds(efg_spawned_maker(), worlds, count, others);
    for (int i = 1; find_made(folder, i); i++)
        read_worlds(folder, worlds, count, others);
}

/* What was sent, and what was received of that. */
static void compare(struct compared *c, struct efg_flight sent, struct efg_flight received)
{
    bool is_less = sent.count < received.count;
    c->matched += (uint64_t)(is_less ? sent.count : received.count);
    c->all += (uint64_t)(is_less ? received.count : sent.count);
    c->differ |= sent.count == received.count && sent.sum != received.sum;
}

static void compare_with(struct compared *c, const struct efg_world *world, const struct efg_world *other)
{
    const struct efg_flight *own = world->messages, *its = other->messages;
    if (other->key) {
        compare(c, own[EFG_WAY_THERE], its[EFG_WAY_BACK]);
        compare(c, its[EFG_WAY_THERE], own[EFG_WAY_BACK]);
    } else {
        c->unknown += (uint64_t)(own[EFG_WAY_THERE].count + own[EFG_WAY_BACK].count);
    }
}

static void note_compared(const struct compared *c, const char *whom)
{
    if (c->all)
        efg_note_silently("%llu of %llu message%s with %s matched%s", (unsigned long long)c->matched,
                          (unsigned long long)c->all, efg_plural(c->all), whom,
                          c->differ ? ", but they are not the same there" : "");
    if (c->unknown)
        efg_note_silently("%llu message%s with %s: their summary, if there is one, says how many matched",
                          (unsigned long long)c->unknown, efg_plural(c->unknown), whom);
}

static void note_messages(void)
{
    struct efg_world *worlds = NULL;
    struct compared made = {0}, maker = {0};
    uint32_t count = gather(&worlds);
    struct efg_world *others = calloc(count + 1, sizeof *others);
    write_worlds(worlds, count);
    if (count && others)
        read_others(worlds, count, others);
    for (uint32_t i = 0; others && i < count; i++)
        compare_with(worlds[i].key == maker_key() ? &maker : &made, &worlds[i], &others[i]);
    note_compared(&made, "spawned processes");
    note_compared(&maker, "those that spawned this program");
    free(others);
    free(worlds);
}

/* --- the summary --- */

static void note_made(void)
{
    char folder[EFG_PATH], more[48] = "";
    unsigned count = efg_spawn_count();
    int folders = 0;
    if (!count)
        return;
    const char *noun = count == 1 ? "process" : "processes", *verb = count == 1 ? "is" : "are";
    while (find_made(folder, folders + 1))
        folders++;
    if (folders == 2)
        snprintf(more, sizeof more, " and .spawned.2");
    else if (folders > 2)
        snprintf(more, sizeof more, " and .spawned.2 to .spawned.%d", folders);
    if (folders)
        efg_note_silently("%u spawned %s %s traced in %.200s.spawned%s", count, noun, verb, job->folder,
                          more);
    else
        efg_note_silently("%u spawned %s %s not traced", count, noun, verb);
}

static void note_maker(void)
{
    const char *maker = efg_spawned_maker();
    if (!efg_job_is_first() || !is_spawned())
        return;
    if (*maker)
        efg_note_silently("spawned by the program in %.200s", maker);
    else
        efg_note_silently("spawned by another program, whose folder is not known");
}

void efg_spawned_note(void)
{
    note_made();
    note_maker();
    note_messages();
}
