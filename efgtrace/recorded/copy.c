/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies a trace: another process reads one archive and writes the other, as the OTF2 library hangs or
 * crashes on some damaged files. Events come first, because definitions say how many there are. What is wrong
 * with the trace that is read goes through a pipe; if the other one cannot be written, the process only ends.
 */
#include "copy.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "parts.h"

typedef struct efg_recorded_copying Copying;

enum { DONE, UNREADABLE, UNWRITABLE, NO_MEMORY }; /* how the process ends */

static void end_with(const Copying *c, const char *fault) __attribute__((noreturn));

/* Which of the two it was: what is written fails while it is read. */
static void end_with(const Copying *c, const char *fault)
{
    if (c->has_failed)
        _exit(UNWRITABLE);
    efg_write_all(c->pipe, fault, strlen(fault), EFG_IO_NEXT);
    _exit(UNREADABLE);
}

/* --- one archive and the other --- */

static void copy_location(Copying *c, OTF2_Reader *reader, const struct efg_recorded_place *place,
                          const OTF2_EvtReaderCallbacks *callbacks)
{
    c->copied = c->extra = c->calls = 0;
    c->depth = c->sample = c->sample_count = 0;
    c->writer = OTF2_Archive_GetEvtWriter(c->archive, place->id);
    c->has_failed |= !c->writer;
    if (c->has_failed || (place->events && efg_recorded_read_events(reader, place->id, callbacks, c)))
        end_with(c, "its events are damaged");
    if (c->copied != place->events)
        end_with(c, "it has events that this program does not write");
    uint64_t *added = efg_map_put(&c->added, place->id);
    if (!added)
        _exit(NO_MEMORY);
    *added = c->extra;
    c->has_failed |= OTF2_Archive_CloseEvtWriter(c->archive, c->writer) != OTF2_SUCCESS ||
                     efg_otf2_write_local(c->archive, place->id, c->definitions.length);
}

static void copy_events(Copying *c, OTF2_Reader *reader)
{
    OTF2_EvtReaderCallbacks *callbacks = efg_recorded_copy_callbacks();
    if (!callbacks || efg_recorded_open_events(reader, &c->definitions))
        end_with(c, "its events are damaged");
    c->has_failed |= efg_otf2_open_files(c->archive) != 0;
    for (c->location = 0; c->location < c->definitions.place_count; c->location++)
        copy_location(c, reader, &c->definitions.place[c->location], callbacks);
    c->has_failed |= efg_otf2_close_files(c->archive) != 0;
}

/* What is said of the trace as a whole. */
static void copy_properties(Copying *c, OTF2_Reader *reader)
{
    uint32_t count = 0;
    char **names = NULL, *value = NULL;
    if (OTF2_Reader_GetCreator(reader, &value) == OTF2_SUCCESS && *value)
        c->has_failed |= OTF2_Archive_SetCreator(c->archive, value) != OTF2_SUCCESS;
    if (OTF2_Reader_GetMachineName(reader, &value) == OTF2_SUCCESS && *value)
        c->has_failed |= OTF2_Archive_SetMachineName(c->archive, value) != OTF2_SUCCESS;
    if (OTF2_Reader_GetDescription(reader, &value) == OTF2_SUCCESS && *value)
        c->has_failed |= OTF2_Archive_SetDescription(c->archive, value) != OTF2_SUCCESS;
    if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS)
        count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS)
            c->has_failed |= OTF2_Archive_SetProperty(c->archive, names[i], value, true) != OTF2_SUCCESS;
}

/* A reader of its own: the first one has read its definitions. */
static OTF2_Reader *open_reader(const Copying *c, const char *from)
{
    char text[512];
    OTF2_Reader *reader = efg_recorded_open(from, text, sizeof text);
    if (!reader)
        end_with(c, text);
    return reader;
}

static void copy(Copying *c, const char *from, const char *to) __attribute__((noreturn));

/* After a failure the archive stays open: OTF2 cannot close it. */
static void copy(Copying *c, const char *from, const char *to)
{
    alarm(EFG_RECORDED_PATIENCE);
    efg_otf2_be_quiet();
    OTF2_Reader *reader = open_reader(c, from);
    const char *fault = efg_recorded_define(&c->definitions, reader);
    if (fault)
        end_with(c, fault);
    c->archive = efg_otf2_open(to, 0, 0);
    c->has_failed = !c->archive || OTF2_Archive_SetSerialCollectiveCallbacks(c->archive) != OTF2_SUCCESS;
    if (!c->has_failed) {
        copy_properties(c, reader);
        copy_events(c, reader);
        fault = efg_recorded_copy_definitions(c, open_reader(c, from));
    }
    if (fault || c->has_failed)
        end_with(c, fault);
    _exit(efg_otf2_close(c->archive) ? UNWRITABLE : DONE);
}

/* --- the process that does so --- */

/* What it has said, to MESSAGE. */
static void hear(int pipe, char *message, size_t size)
{
    size_t length = (size_t)snprintf(message, size, "the trace cannot be read: ");
    ssize_t got = 1;
    while (length + 1 < size && got) {
        got = read(pipe, message + length, size - 1 - length);
        if (got < 0 && errno != EINTR)
            break;
        length += got > 0 ? (size_t)got : 0;
    }
    message[length] = '\0';
}

/* Returns 0 or what efg_recorded_copy does. */
static int outcome(int status, char *message, size_t size)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == DONE)
        return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == UNREADABLE)
        return -EBADMSG;
    if (WIFEXITED(status))
        return WEXITSTATUS(status) == UNWRITABLE ? -EIO : -ENOMEM;
    snprintf(message, size, "the trace cannot be read: it is damaged, the OTF2 library %s",
             WTERMSIG(status) == SIGALRM ? "comes to no end" : "crashed");
    return -EBADMSG;
}

static int copy_apart(Copying *c, const char *from, const char *to, char *message, size_t size)
{
    int ends[2], status = 0;
    if (pipe(ends))
        return -errno;
    pid_t child = fork();
    if (!child) {
        close(ends[0]);
        c->pipe = ends[1];
        copy(c, from, to);
    }
    int error = child < 0 ? -errno : 0;
    close(ends[1]);
    if (!error)
        hear(ends[0], message, size);
    close(ends[0]);
    while (!error && waitpid(child, &status, 0) < 0)
        error = errno == EINTR ? 0 : -errno;
    return error ? error : outcome(status, message, size);
}

int efg_recorded_copy(const struct efg_run *run, const char *dir, const struct efg_recorded_metrics *metrics,
                      char *message, size_t size)
{
    Copying c = {.metrics = metrics};
    if (efg_otf2_is_there(dir))
        return -EEXIST;
    int error = efg_otf2_make(dir, 0) ? -EIO : copy_apart(&c, run->output, dir, message, size);
    if (!error)
        error = efg_otf2_publish(dir, 0) ? -EIO : 0;
    if (error)
        efg_otf2_remove(dir, 0);
    return error;
}
