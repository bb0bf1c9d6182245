/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Has graphviz (dot) draw the graph. dot reads the graph from a file without a name and writes the picture
 * into a pipe: so no side waits for the other. It is started without a shell, and nothing of the graph is
 * in its arguments. Where its layout of layers fails ("lost n7 n8 edge"), it is asked for one by springs.
 */
#define _GNU_SOURCE
#include "render.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/complain.h"

#define CHUNK 65536

extern char **environ;

/* A file that holds the graph, to be read from its beginning; NULL, errno says why. */
static FILE *file_of(const struct efg_buffer *dot)
{
    FILE *file = tmpfile();
    if (!file)
        return NULL;
    if (fwrite(dot->data, 1, dot->size, file) == dot->size && !fflush(file) && !fseek(file, 0, SEEK_SET))
        return file;
    int error = errno;
    fclose(file);
    errno = error;
    return NULL;
}

/* Start dot between two descriptors. Returns 0, or the number of the error. */
static int start(pid_t *pid, const char *layout, const char *format, int from, int to)
{
    char option[16], engine[16];
    char *arguments[] = {(char[]){"dot"}, option, engine, NULL};
    posix_spawn_file_actions_t actions;
    snprintf(option, sizeof option, "-T%s", format);
    snprintf(engine, sizeof engine, "-K%s", layout);
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!error)
        error = posix_spawnp(pid, "dot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* All that comes out of the pipe. */
static void drain(int from, struct efg_buffer *picture)
{
    unsigned char chunk[CHUNK];
    for (;;) {
        ssize_t size = read(from, chunk, sizeof chunk);
        if (size > 0)
            efg_buffer_put(picture, chunk, (size_t)size);
        else if (size == 0 || errno != EINTR)
            return;
    }
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

static int complain(const char *command, const char *format, int error)
{
    if (error == ENOENT)
        fprintf(stderr,
                "efgtrace %s: --format %s needs the program dot of Graphviz, which is not "
                "found: install it (Debian: apt install graphviz), or take --format dot or "
                "json\n",
                command, format);
    else
        fprintf(stderr, "efgtrace %s: --format %s: dot cannot be started: %s\n", command, format,
                strerror(error));
    return EFG_TOLD;
}

/* Append the picture in LAYOUT. Returns 0; -EIO if dot failed; EFG_TOLD. */
static int draw(const char *command, FILE *file, const char *layout, const char *format,
                struct efg_buffer *picture)
{
    pid_t pid = -1;
    int ends[2] = {-1, -1}, error = 0;
    size_t before = picture->size;
    if (fseek(file, 0, SEEK_SET) || pipe2(ends, O_CLOEXEC))
        error = errno;
    if (!error)
        error = start(&pid, layout, format, fileno(file), ends[1]);
    if (ends[1] >= 0)
        close(ends[1]);
    if (!error)
        drain(ends[0], picture);
    if (ends[0] >= 0)
        close(ends[0]);
    if (error)
        return complain(command, format, error);
    if (!wait_for(pid) && picture->size > before)
        return 0;
    picture->size = before;
    return -EIO;
}

int efg_render(const char *command, const struct efg_buffer *dot, const char *format,
               struct efg_buffer *picture)
{
    FILE *file = file_of(dot);
    if (!file)
        return complain(command, format, errno);
    int error = draw(command, file, "dot", format, picture);
    if (error == -EIO) {
        error = draw(command, file, "fdp", format, picture);
        fprintf(stderr,
                error
                    ? "efgtrace %s: dot has drawn nothing; --format dot writes what it was given\n"
                    : "efgtrace %s: dot could not lay it out from above to below; it is drawn as fdp does\n",
                command);
    }
    fclose(file);
    return error ? EFG_TOLD : 0;
}
