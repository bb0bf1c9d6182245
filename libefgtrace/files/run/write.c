/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run file, written by several processes: rank sections first, each process at its own
 * place, then what belongs to the run, then the header; until then the file begins with a mark
 * and has another name. A process that sees another file system finds no such file, or one
 * without the mark.
 *
 *     header, 24 bytes | sections of one node | filler | of the next node | ... | of the run
 *
 * Invariant: what is written appears under its name all at once, or not at all.
 */
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "files/disk/below.h"

#define MARK "efgnew\r\n"
#define MAGIC_SIZE 8
#define ROOM (PATH_MAX + 64) /* for a path with names below a folder */

void efg_runfile_put_filler(struct efg_buffer *out, uint64_t offset)
{
    uint64_t behind = offset % EFG_RUN_ALIGN;
    if (!behind)
        return;
    uint64_t missing = EFG_RUN_ALIGN - behind;
    if (missing < EFG_SECTION_HEADER)
        missing += EFG_RUN_ALIGN;
    size_t begin = efg_section_begin(out, EFG_SECTION_FILLER, 0);
    void *zeros = efg_buffer_extend(out, missing - EFG_SECTION_HEADER);
    if (zeros)
        memset(zeros, 0, missing - EFG_SECTION_HEADER);
    efg_section_end(out, begin);
}

/* --- files --- */

static int name_beside(char *beside, size_t size, const char *path)
{
    return snprintf(beside, size, "%s.new", path) < (int)size ? 0 : -ENAMETOOLONG;
}

/* Some file systems say only now that there was no room. */
static int close_whole(int file, int error)
{
    if (!error && fsync(file) && errno != EINVAL) /* EINVAL: nothing to be synced there */
        error = -errno;
    if (close(file) && !error)
        error = -errno;
    return error;
}

/* A new file BESIDE, open for writing, or -errno. What an earlier attempt left is in the way,
 * and removed. */
static int make(const char *beside, unsigned below)
{
    efg_below_remove(beside, below);
    return efg_below_open(beside, below, O_WRONLY | O_CREAT | O_EXCL);
}

static void put_mark(struct efg_buffer *out, uint64_t mark)
{
    efg_buffer_put(out, MARK, MAGIC_SIZE);
    efg_buffer_u64(out, mark);
    efg_buffer_u64(out, 0);
}

static bool has_mark(int file, uint64_t mark)
{
    unsigned char found[EFG_RUN_SECTIONS];
    struct efg_buffer expected = {0};
    put_mark(&expected, mark);
    bool same = !expected.failed && pread(file, found, sizeof found, 0) == (ssize_t)sizeof found &&
                !memcmp(found, expected.data, sizeof found);
    efg_buffer_fini(&expected);
    return same;
}

int efg_runfile_create(const char *path, unsigned below, uint64_t mark)
{
    char beside[ROOM];
    struct efg_buffer bytes = {0};
    int error = name_beside(beside, sizeof beside, path);
    int file = error ? error : make(beside, below);
    if (file < 0)
        return file;
    put_mark(&bytes, mark);
    error = bytes.failed ? -ENOMEM : efg_write_all(file, bytes.data, bytes.size, 0);
    efg_buffer_fini(&bytes);
    return close_whole(file, error);
}

int efg_runfile_put(const char *path, unsigned below, uint64_t mark, uint64_t offset, const void *sections,
                    size_t size)
{
    char beside[ROOM];
    int error = name_beside(beside, sizeof beside, path);
    int file = error ? error : efg_below_open(beside, below, O_RDWR);
    if (file < 0)
        return file;
    error = has_mark(file, mark) ? efg_write_all(file, sections, size, offset) : -ESTALE;
    return close_whole(file, error);
}

void efg_runfile_abandon(const char *path, unsigned below)
{
    char beside[ROOM];
    if (!name_beside(beside, sizeof beside, path))
        efg_below_remove(beside, below);
}

/* --- the end --- */

static void put_run(struct efg_buffer *out, const struct efg_run *run)
{
    size_t begin = efg_section_begin(out, EFG_SECTION_RUN, 0);
    efg_run_put_facts(out, run);
    efg_section_end(out, begin);
    efg_run_put_common(out, &run->common);
    begin = efg_section_begin(out, EFG_SECTION_SITES, 0);
    efg_run_put_sites(out, run);
    efg_section_end(out, begin);
}

static void put_header(struct efg_buffer *out, uint64_t size)
{
    efg_buffer_put(out, EFG_RUN_MAGIC, MAGIC_SIZE);
    efg_buffer_u32(out, EFG_RUN_VERSION);
    efg_buffer_u64(out, size);
    efg_buffer_u32(out, out->failed ? 0 : efg_crc32(0, out->data, out->size));
}

static int write_end(const char *beside, unsigned below, uint64_t end, const struct efg_buffer *sections)
{
    struct efg_buffer header = {0};
    int file = efg_below_open(beside, below, O_WRONLY);
    if (file < 0)
        return file;
    put_header(&header, end + sections->size);
    int error = header.failed ? -ENOMEM : efg_write_all(file, sections->data, sections->size, end);
    if (!error)
        error = efg_write_all(file, header.data, header.size, 0);
    efg_buffer_fini(&header);
    return close_whole(file, error);
}

int efg_runfile_finish(const struct efg_run *run, const char *path, unsigned below, uint64_t end)
{
    char beside[ROOM];
    struct efg_buffer sections = {0};
    int error = name_beside(beside, sizeof beside, path);
    put_run(&sections, run);
    if (!error)
        error = sections.failed ? -ENOMEM : write_end(beside, below, end, &sections);
    if (!error)
        error = efg_below_rename(beside, below, path, below);
    efg_buffer_fini(&sections);
    return error;
}

/* --- all at once --- */

void efg_runfile_put_all(struct efg_buffer *out, const struct efg_run *run, const struct efg_buffer *sections)
{
    struct efg_buffer header = {0};
    efg_buffer_extend(out, EFG_RUN_SECTIONS);
    efg_buffer_put(out, sections->data, sections->size);
    put_run(out, run);
    put_header(&header, out->size);
    out->failed |= sections->failed | header.failed;
    if (!out->failed)
        memcpy(out->data, header.data, EFG_RUN_SECTIONS);
    efg_buffer_fini(&header);
}

int efg_runfile_replace(const char *path, unsigned below, const struct efg_buffer *bytes)
{
    char beside[ROOM];
    int error = name_beside(beside, sizeof beside, path);
    int file = error ? error : make(beside, below);
    if (file < 0)
        return file;
    error = efg_write_all(file, bytes->data, bytes->size, 0);
    if (close(file) && !error)
        error = -errno;
    if (!error)
        error = efg_below_rename(beside, below, path, below);
    if (error)
        efg_below_remove(beside, below);
    return error;
}
