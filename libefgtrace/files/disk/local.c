/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and writes DIR/local, and moves files. A copy is made beside its name, and gets it when it is whole.
 */
#include "local.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "below.h"

#define HEAD "efgtrace local 1\n"
#define MOST ((size_t)64 << 20) /* bytes of the file: more is damage */
#define PART 65536              /* bytes that are copied at once */

void efg_local_put_head(struct efg_buffer *out)
{
    efg_buffer_print(out, HEAD);
}

void efg_local_put(struct efg_buffer *out, const char *host, const char *folder)
{
    efg_buffer_print(out, "%s %s\n", host, folder);
}

/* --- reading --- */

/* The text of the file, to be freed, and whose it is; NULL: there is none. */
static char *read_text(const char *dir, uid_t *owner)
{
    char path[PATH_MAX];
    struct stat facts = {0};
    char *text = NULL;

    if (snprintf(path, sizeof path, "%s/" EFG_LOCAL, dir) >= (int)sizeof path)
        return NULL;
    int file = efg_below_open(path, 1, O_RDONLY);
    if (file < 0)
        return NULL;
    bool is_file = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && (size_t)facts.st_size <= MOST;
    size_t size = is_file ? (size_t)facts.st_size : 0;
    if (is_file && (text = calloc(1, size + 1)) && efg_read_all(file, text, size, 0) != 0) {
        free(text);
        text = NULL;
    }
    close(file);
    *owner = facts.st_uid;
    return text;
}

/* Whether the node's folder is there, and that of OWNER. */
static bool is_seen(const struct efg_local_node *node, uid_t owner)
{
    struct stat facts;

    return lstat(node->folder, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == owner;
}

/* A line that has no host and no absolute name is none. */
static int add_line(struct efg_local *local, const char *line, uid_t owner)
{
    char here[HOST_NAME_MAX + 1] = "";
    const char *blank = strchr(line, ' ');

    if (!blank || blank == line || blank[1] != '/')
        return 0;
    if (efg_array_grow(&local->nodes, local->count, 1, sizeof *local->nodes))
        return -ENOMEM;
    struct efg_local_node *node = &local->nodes[local->count++];
    *node =
        (struct efg_local_node){.host = strndup(line, (size_t)(blank - line)), .folder = strdup(blank + 1)};
    if (!node->host || !node->folder)
        return -ENOMEM;
    gethostname(here, sizeof here - 1);
    node->is_seen = is_seen(node, owner);
    node->is_away = !node->is_seen && strcmp(here, node->host) != 0;
    return 0;
}

int efg_local_read(struct efg_local *local, const char *dir)
{
    uid_t owner;
    char *rest, *text = read_text(dir, &owner);
    int error = 0;

    *local = (struct efg_local){.dir = dir};
    rest = text && strncmp(text, HEAD, strlen(HEAD)) == 0 ? text + strlen(HEAD) : NULL;
    for (char *line = rest ? strsep(&rest, "\n") : NULL; line && !error; line = strsep(&rest, "\n"))
        error = add_line(local, line, owner);
    free(text);
    if (error)
        efg_local_fini(local);
    return error;
}

void efg_local_fini(struct efg_local *local)
{
    for (uint32_t i = 0; i < local->count; i++) {
        free(local->nodes[i].host);
        free(local->nodes[i].folder);
    }
    free(local->nodes);
    *local = (struct efg_local){.dir = local->dir};
}

const char *efg_local_folder(const struct efg_local *local, uint32_t place)
{
    if (place == 0)
        return local->dir;
    return place <= local->count && local->nodes[place - 1].is_seen ? local->nodes[place - 1].folder : NULL;
}

/* --- moving --- */

static int copy_bytes(int from, int to)
{
    char part[PART];
    ssize_t got;
    int error = 0;

    while (!error && (got = read(from, part, sizeof part)) != 0)
        if (got > 0)
            error = efg_write_all(to, part, (size_t)got, EFG_IO_NEXT);
        else if (errno != EINTR)
            error = -errno;
    return error;
}

/* To the new file TO. */
static int copy(int from, const char *to, unsigned below)
{
    efg_below_remove(to, below);
    int file = efg_below_open(to, below, O_WRONLY | O_CREAT | O_EXCL);
    if (file < 0)
        return file;
    int error = copy_bytes(from, file);
    if (close(file) != 0 && !error)
        error = -errno;
    return error;
}

static int move_by_copy(const char *from, unsigned below_from, const char *to, unsigned below_to)
{
    char beside[PATH_MAX];

    if (snprintf(beside, sizeof beside, "%s.new", to) >= (int)sizeof beside)
        return -ENAMETOOLONG;
    int file = efg_below_open(from, below_from, O_RDONLY);
    if (file < 0)
        return file;
    int error = copy(file, beside, below_to);
    close(file);
    if (!error)
        error = efg_below_rename(beside, below_to, to, below_to);
    if (error)
        efg_below_remove(beside, below_to);
    return error ? error : efg_below_remove(from, below_from);
}

int efg_local_move(const char *from, unsigned below_from, const char *to, unsigned below_to)
{
    int error = efg_below_rename(from, below_from, to, below_to);

    return error == -EXDEV ? move_by_copy(from, below_from, to, below_to) : error;
}
