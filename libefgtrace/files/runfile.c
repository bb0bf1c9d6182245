/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run file as a whole. What can be wrong with a file is asked in the order in
 * which the answer helps most: is it one of ours; of this version; as long as it says;
 * undamaged; and only then what is in it. So a file that was cut short is called that,
 * and not damaged.
 *
 * Invariant: what is written appears under its name all at once, or not at all.
 */
#include "runfile_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC_SIZE 8
#define SIZE_AT 12 /* where the size of the file is */
#define HEADER_SIZE 20
#define CRC_SIZE 4

/* --- writing --- */

static void put_block(struct efg_buffer *out, struct efg_buffer *block)
{
    efg_buffer_number(out, block->size);
    efg_buffer_put(out, block->data, block->size);
    out->failed |= block->failed;
    block->size = 0; /* used again */
}

static void put_size(struct efg_buffer *out)
{
    struct efg_buffer size = {0};
    efg_buffer_u64(&size, out->size + CRC_SIZE);
    out->failed |= size.failed;
    if (!out->failed)
        memcpy(out->data + SIZE_AT, size.data, size.size);
    efg_buffer_fini(&size);
}

static void put_run(struct efg_buffer *out, const struct efg_run *run)
{
    struct efg_buffer block = {0};
    efg_buffer_put(out, EFG_RUN_MAGIC, MAGIC_SIZE);
    efg_buffer_u32(out, EFG_RUN_VERSION);
    efg_buffer_u64(out, 0); /* see put_size */
    efg_runfile_put_facts(&block, run);
    put_block(out, &block);
    efg_buffer_number(out, run->rank_count);
    for (uint32_t i = 0; i < run->rank_count; i++) {
        efg_runfile_put_rank(&block, &run->ranks[i]);
        put_block(out, &block);
    }
    efg_runfile_put_sites(&block, run);
    put_block(out, &block);
    efg_buffer_fini(&block);
    put_size(out);
    efg_buffer_u32(out, efg_crc32(0, out->data, out->size));
}

static int write_all(int file, const unsigned char *data, size_t size)
{
    while (size) {
        ssize_t done = write(file, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -errno;
        data += done;
        size -= (size_t)done;
    }
    return 0;
}

static int write_file(const char *path, const struct efg_buffer *bytes)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return -errno;
    int error = write_all(file, bytes->data, bytes->size);
    if (!error && fsync(file) && errno != EINVAL) /* EINVAL: nothing to be synced there */
        error = -errno;
    if (close(file) && !error)
        error = -errno;
    return error;
}

int efg_runfile_write(const struct efg_run *run, const char *path)
{
    char beside[PATH_MAX];
    struct efg_buffer bytes = {0};
    if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
        return -ENAMETOOLONG;
    put_run(&bytes, run);
    int error = bytes.failed ? -ENOMEM : write_file(beside, &bytes);
    if (!error && rename(beside, path))
        error = -errno;
    if (error && error != -ENOMEM)
        unlink(beside);
    efg_buffer_fini(&bytes);
    return error;
}

/* --- reading --- */

/* Says what is wrong with PATH, and returns ERROR. */
#define COMPLAIN(error, ...) (snprintf(message, size, __VA_ARGS__), (error))

static int read_all(int file, unsigned char *data, size_t size)
{
    while (size) {
        ssize_t done = read(file, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done ? -errno : -EIO; /* shorter than it just was */
        data += done;
        size -= (size_t)done;
    }
    return 0;
}

static int load(int file, unsigned char **data, size_t *length)
{
    struct stat facts;
    if (fstat(file, &facts))
        return -errno;
    if (!S_ISREG(facts.st_mode))
        return S_ISDIR(facts.st_mode) ? -EISDIR : -EINVAL;
    *length = (size_t)facts.st_size;
    *data = malloc(*length + 1);
    return *data ? read_all(file, *data, *length) : -ENOMEM;
}

static int check_header(const unsigned char *data, size_t length, const char *path,
                        char *message, size_t size)
{
    struct efg_reader in = efg_reader(data, length);
    const void *magic = efg_reader_take(&in, MAGIC_SIZE);
    uint32_t version = efg_reader_u32(&in);
    uint64_t whole = efg_reader_u64(&in);
    if (!length)
        return COMPLAIN(-EBADMSG, "%s is empty: the job ended before it was written", path);
    if (memcmp(data, EFG_RUN_MAGIC, length < MAGIC_SIZE ? length : MAGIC_SIZE))
        return COMPLAIN(
            -EBADMSG, "%s is no run file of efgtrace: it does not begin with \"efgrun\"", path);
    if (magic && length >= SIZE_AT && version != EFG_RUN_VERSION)
        return COMPLAIN(
            -EBADMSG,
            "%s is of version %u, this efgtrace reads version %u; use the efgtrace that "
            "wrote it",
            path, version, EFG_RUN_VERSION);
    if (in.failed || length < whole)
        return COMPLAIN(-EBADMSG, "%s is cut short: %zu bytes of %llu are there; copy it again",
                        path, length,
                        in.failed ? HEADER_SIZE + CRC_SIZE : (unsigned long long)whole);
    if (length > whole || whole < HEADER_SIZE + CRC_SIZE)
        return COMPLAIN(-EBADMSG, "%s is damaged: it has %zu bytes, %llu were expected", path,
                        length, (unsigned long long)whole);
    return 0;
}

static int check_sum(const unsigned char *data, size_t length, const char *path, char *message,
                     size_t size)
{
    struct efg_reader in = efg_reader(data + length - CRC_SIZE, CRC_SIZE);
    uint32_t expected = efg_reader_u32(&in);
    uint32_t found = efg_crc32(0, data, length - CRC_SIZE);
    if (found != expected)
        return COMPLAIN(-EBADMSG,
                        "%s is damaged: its checksum is %08x, %08x was expected; copy it again",
                        path, found, expected);
    return 0;
}

static const void *take_block(struct efg_reader *in, size_t *size)
{
    *size = efg_reader_count(in, 1);
    return efg_reader_take(in, *size);
}

static int get_ranks(struct efg_run *run, struct efg_reader *in)
{
    size_t size, count = efg_reader_count(in, EFG_LEAST_RANK);
    run->ranks = count ? calloc(count, sizeof *run->ranks) : NULL;
    if (count && !run->ranks)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct efg_run_rank *rank = &run->ranks[i];
        const void *block = take_block(in, &size);
        int error = block ? efg_runfile_get_rank(rank, block, size) : -EBADMSG;
        if (error)
            return error;
        run->rank_count++;
        if (i && rank->rank <= rank[-1].rank)
            return -EBADMSG;
    }
    return 0;
}

/* *PART then says what was being read. */
static int get_run(struct efg_run *run, struct efg_reader *in, const char **part)
{
    size_t size;
    *part = "the facts of the run";
    const void *block = take_block(in, &size);
    int error = block ? efg_runfile_get_facts(run, block, size) : -EBADMSG;
    if (error)
        return error;
    *part = "the data of a rank";
    error = get_ranks(run, in);
    if (error)
        return error;
    *part = "the table of source lines";
    block = take_block(in, &size);
    error = block ? efg_runfile_get_sites(run, block, size) : -EBADMSG;
    if (!error && in->at != in->size)
        error = -EBADMSG;
    return error;
}

static int parse(struct efg_run *run, const unsigned char *data, size_t length,
                 const char *path, char *message, size_t size)
{
    const char *part;
    int error = check_header(data, length, path, message, size);
    if (!error)
        error = check_sum(data, length, path, message, size);
    if (error)
        return error;
    struct efg_reader in = efg_reader(data, length - CRC_SIZE);
    efg_reader_take(&in, HEADER_SIZE);
    error = get_run(run, &in, &part);
    if (error == -ENOMEM)
        return COMPLAIN(error, "%s: no memory to read it", path);
    if (error)
        return COMPLAIN(error, "%s is damaged: %s, before byte %zu, make no sense", path, part,
                        in.at);
    return 0;
}

int efg_runfile_read(struct efg_run *run, const char *path, char *message, size_t size)
{
    unsigned char *data = NULL;
    size_t length = 0;
    memset(run, 0, sizeof *run);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = file < 0 ? -errno : load(file, &data, &length);
    if (error)
        snprintf(message, size, "cannot read %s: %s", path, strerror(-error));
    else
        error = parse(run, data, length, path, message, size);
    if (error)
        efg_run_fini(run);
    if (file >= 0)
        close(file);
    free(data);
    return error;
}
