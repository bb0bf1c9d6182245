/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One OTF2 archive: what every archive of ours needs set.
 *
 * Without memory callbacks OTF2 takes 128 MiB for each location. Ours give a buffer a
 * few chunks and then none: OTF2 then flushes what it has, and asks again. It gets the same ones, as
 * new memory takes longer than what is written to it. There is no record of that flush, because it did
 * not happen while the application ran.
 *
 * OTF2 goes by names, so it is given one that leads to a descriptor of ours: of what is in a
 * folder of our own, which nobody else can come into, only we change the names.
 */
#include "parts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/plural.h"
#include "files/disk/below.h"

#define MOST_CHUNKS 2                         /* of a buffer of events; definitions are kept whole */
#define FEW_RANKS 50000                       /* a list of so many takes half of the next, at most */
#define FEW_DEFINITIONS ((uint64_t)512 << 10) /* bytes */

struct chunks { /* of one buffer */
    unsigned count, room;
    unsigned there; /* the first ones, which have memory; COUNT of them are in use */
    struct {
        void *memory;
        uint64_t size;
    } chunk[];
};

static struct chunks *grown(struct chunks *c)
{
    if (c && c->count < c->room)
        return c;
    unsigned room = c ? 2 * c->room : MOST_CHUNKS;
    struct chunks *larger = realloc(c, sizeof *c + room * sizeof *c->chunk);
    if (!larger)
        return NULL;
    larger->room = room;
    if (!c)
        larger->count = larger->there = 0;
    return larger;
}

/* Those that are not in use. */
static void free_unused(struct chunks *c)
{
    while (c->there > c->count)
        free(c->chunk[--c->there].memory);
}

static void *take(struct chunks *c, uint64_t size)
{
    if (c->there == c->count || c->chunk[c->count].size != size) {
        free_unused(c);
        c->chunk[c->count].memory = malloc(size);
        c->chunk[c->count].size = size;
        if (!c->chunk[c->count].memory)
            return NULL;
        c->there++;
    }
    return c->chunk[c->count++].memory;
}

static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t size)
{
    struct chunks *c = *buffer;
    (void)data;
    (void)location;
    if (type == OTF2_FILETYPE_EVENTS && c && c->count >= MOST_CHUNKS)
        return NULL;
    c = grown(c);
    if (!c)
        return NULL;
    *buffer = c;
    return take(c, size);
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool final)
{
    struct chunks *c = *buffer;
    (void)data;
    (void)type;
    (void)location;
    if (!c)
        return;
    c->count = 0;
    if (final) {
        free_unused(c);
        free(c);
        *buffer = NULL;
    }
}

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *writer,
                            bool final)
{
    (void)data;
    (void)type;
    (void)location;
    (void)writer;
    (void) final;
    return OTF2_FLUSH;
}

static bool has_failed; /* since an archive was opened; one is open at a time */

/* OTF2 would print; we return what failed, and whoever called says it. Some it only prints, and
 * succeeds: a file whose end could not be written when it was closed. */
static OTF2_ErrorCode keep_quiet(void *data, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list values)
{
    (void)data;
    (void)file;
    (void)line;
    (void)function;
    (void)format;
    (void)values;
    has_failed |= code > OTF2_SUCCESS;
    return code;
}

/* --- its place --- */

#define ROOM (PATH_MAX + 64)
#define PART "traces.part"

static const char *const parts[] = {"traces", "traces.def", "traces.otf2"}; /* in this order */

static int held = -1; /* the folder that the archive is written in */

static void let_go(void)
{
    if (held >= 0)
        close(held);
    held = -1;
}

static void name(char path[ROOM], const char *dir, const char *part)
{
    snprintf(path, ROOM, "%s/%s", dir, part);
}

bool efg_otf2_is_there(const char *dir)
{
    char path[ROOM];
    bool is_there = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        name(path, dir, parts[i]);
        is_there |= efg_below_is_there(path, 1);
    }
    name(path, dir, PART);
    return is_there || efg_below_is_there(path, 1);
}

void efg_otf2_remove(const char *dir, unsigned below)
{
    char path[ROOM];
    name(path, dir, PART "/traces");
    efg_below_remove_all(path, below + 2);
    name(path, dir, PART);
    efg_below_remove_all(path, below + 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        name(path, dir, parts[i]);
        efg_below_remove_all(path, below + 1);
    }
}

int efg_otf2_make(const char *dir, unsigned below)
{
    char path[ROOM];
    efg_otf2_remove(dir, below);
    name(path, dir, PART);
    return efg_below_make_private(path, below + 1);
}

int efg_otf2_publish(const char *dir, unsigned below)
{
    char from[ROOM], to[ROOM];
    int error = 0;
    name(from, dir, PART "/traces");
    efg_below_protect(from, below + 2); /* OTF2 has made it as the umask is */
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !error; i++) {
        snprintf(from, sizeof from, "%s/" PART "/%s", dir, parts[i]);
        name(to, dir, parts[i]);
        error = efg_below_rename(from, below + 2, to, below + 1);
    }
    name(from, dir, PART);
    return error ? error : efg_below_remove_folder(from, below + 1);
}

/* --- the library --- */

/* Settings that every archive of ours needs: flush and memory callbacks. */
static int prepare(OTF2_Archive *archive)
{
    static const OTF2_FlushCallbacks flushing = {.otf2_pre_flush = flush};
    static const OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate, .otf2_free_all = free_all};
    if (OTF2_Archive_SetFlushCallbacks(archive, &flushing, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL) != OTF2_SUCCESS)
        return -EIO;
    return 0;
}

void efg_otf2_be_quiet(void)
{
    OTF2_Error_RegisterCallback(keep_quiet, NULL);
}

/* A definition fits a chunk, and OTF2 clears what is left of the last one. */
static uint64_t definitions_for(uint32_t ranks)
{
    return ranks && ranks <= FEW_RANKS ? FEW_DEFINITIONS : OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT;
}

OTF2_Archive *efg_otf2_open(const char *dir, unsigned below, uint32_t ranks)
{
    char path[ROOM];
    name(path, dir, PART);
    let_go();
    held = efg_below_hold(path, below + 1);
    if (held < 0)
        return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", held);
    efg_otf2_be_quiet();
    has_failed = false;
    OTF2_Archive *archive =
        OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN, definitions_for(ranks),
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive && prepare(archive) == 0)
        return archive;
    if (archive)
        OTF2_Archive_Close(archive);
    return NULL;
}

int efg_otf2_describe(OTF2_Archive *archive, const char *application, uint32_t ranks, bool is_full,
                      bool is_whole)
{
    const char *what = !is_full   ? "some iterations of its main loop"
                       : is_whole ? "the whole run"
                                  : "the run, up to where its logs end";
    char text[512];
    snprintf(text, sizeof text, "%.300s on %u rank%s: %s", application && *application ? application : "?",
             ranks, efg_plural(ranks), what);
    return OTF2_Archive_SetDescription(archive, text) == OTF2_SUCCESS ? 0 : -EIO;
}

int efg_otf2_open_files(OTF2_Archive *archive)
{
    if (OTF2_Archive_OpenEvtFiles(archive) != OTF2_SUCCESS ||
        OTF2_Archive_OpenDefFiles(archive) != OTF2_SUCCESS)
        return -EIO;
    return 0;
}

int efg_otf2_close_files(OTF2_Archive *archive)
{
    if (OTF2_Archive_CloseEvtFiles(archive) != OTF2_SUCCESS ||
        OTF2_Archive_CloseDefFiles(archive) != OTF2_SUCCESS)
        return -EIO;
    return 0;
}

int efg_otf2_close(OTF2_Archive *archive)
{
    int error = OTF2_Archive_Close(archive) != OTF2_SUCCESS || has_failed ? -EIO : 0;
    let_go();
    return error;
}

uint64_t efg_otf2_location(const struct efg_log_header *header)
{
    return (uint64_t)header->thread << 32 | header->rank;
}

/* Times are common already, so the offsets are none; but readers want two, at different
 * times. */
int efg_otf2_write_local(OTF2_Archive *archive, uint64_t location, uint64_t length)
{
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location);
    if (!writer)
        return -EIO;
    if (OTF2_DefWriter_WriteClockOffset(writer, 0, 0, 0.0) != OTF2_SUCCESS ||
        OTF2_DefWriter_WriteClockOffset(writer, length ? length : 1, 0, 0.0) != OTF2_SUCCESS ||
        OTF2_Archive_CloseDefWriter(archive, writer) != OTF2_SUCCESS)
        return -EIO;
    return 0;
}

int efg_otf2_absent(struct efg_otf2_unifier *u, OTF2_Archive *archive)
{
    struct efg_otf2_cast cast;
    uint64_t first, last, *events = calloc((size_t)u->log_count + 1, sizeof *events);
    bool failed = !events || efg_otf2_cast(u, events, &cast) != 0;
    free(events);
    if (failed)
        return -ENOMEM;
    efg_otf2_span(u, &first, &last);
    for (uint32_t i = 0; i < cast.thread_count && !failed; i++)
        if (!cast.threads[i].has_log) {
            OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, cast.threads[i].location);
            failed = !writer || OTF2_Archive_CloseEvtWriter(archive, writer) != OTF2_SUCCESS ||
                     efg_otf2_write_local(archive, cast.threads[i].location, last - first) != 0;
        }
    efg_otf2_cast_fini(&cast);
    return failed ? -EIO : 0;
}
