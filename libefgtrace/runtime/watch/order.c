/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the order of a thread's calls until MPI_Finalize. A segment is written when it is handed out, in
 * the middle of a call of the application, but that takes 50,000 events that nothing predicts, or more.
 * Then it is not mixed: that would take longer than the application should wait.
 */
#include "order.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "files/disk/below.h"
#include "files/disk/fan.h"
#include "files/log/log.h"
#include "runtime/base/memory.h"

#define MEMORY ((size_t)1700 << 10)   /* of a sequence: 64k pairs */
#define PART 8                        /* ... but no more than one part in so many of the budget */
#define MOST_DONE ((size_t)256 << 10) /* bytes of segments in memory ... */
#define WORST_DONE ((size_t)1 << 20)  /* ... where they cannot be written */

/* --- the file --- */

static unsigned below(const struct efg_order *o)
{
    return EFG_BELOW_OWN + efg_fan_below(o->path);
}

/* The segments that are done, behind those in the file. What is left of an earlier attempt that
 * failed lies behind, and is written over. Returns 0 or -errno. */
static int spill(struct efg_order *o)
{
    if (!o->path || !efg_log_may_have(o->in_file + o->done.size))
        return o->path ? -EFBIG : -ENOENT;
    int file = efg_below_open(o->path, below(o), O_WRONLY | O_CREAT);
    if (file < 0)
        return file;
    int error = efg_write_all(file, o->done.data, o->done.size, o->in_file);
    if (close(file) != 0 && !error)
        error = -errno;
    if (!error) {
        o->in_file += o->done.size;
        o->done.size = 0;
    }
    return error;
}

/* --- segments --- */

static int keep(void *context, const struct efg_sequence_segment *segment)
{
    struct efg_order *o = context;
    size_t before = o->done.size;
    int saved = errno;

    if (efg_sequence_put(&o->done, segment, o->is_ending ? EFG_SEQUENCE_MIX_PAIRS : 0) < 0)
        o->error = -ENOMEM;
    else if (!o->is_ending && o->done.size > MOST_DONE)
        o->error = o->done.size > WORST_DONE ? spill(o) : (spill(o), 0);
    if (o->error) {
        o->done.size = before;
        o->done.failed = false;
    }
    errno = saved;
    return o->error;
}

void efg_order_begin(struct efg_order *o, uint32_t thread, const char *path)
{
    uint64_t part = efg_memory.limit / PART / (thread + 1);

    *o = (struct efg_order){.path = path ? strdup(path) : NULL};
    o->is_on = efg_sequence_init(&o->sequence, part < MEMORY ? (size_t)part : MEMORY, keep, o) == 0;
    o->error = o->is_on ? 0 : -ENOMEM;
    efg_order_settle(o);
}

void efg_order_settle(struct efg_order *o)
{
    uint64_t now = o->is_on ? efg_sequence_memory(&o->sequence) + o->done.room : 0;

    for (uint32_t i = 0; i < o->table_count; i++)
        now += o->tables[i].count * sizeof *o->tables[i].node;
    efg_memory_settle(&o->held, now);
}

/* --- the graph changes --- */

static void give_up(struct efg_order *o, int error)
{
    efg_sequence_fini(&o->sequence);
    efg_buffer_fini(&o->done);
    o->is_on = false;
    o->error = error;
}

static int add_table(struct efg_order *o, const uint32_t *new_id, uint32_t count)
{
    uint32_t *node = malloc((count + 1) * sizeof *node);
    if (!node || efg_array_grow(&o->tables, o->table_count, 1, sizeof *o->tables)) {
        free(node);
        return -ENOMEM;
    }
    memcpy(node, new_id, count * sizeof *node);
    o->tables[o->table_count++] = (struct efg_sequence_table){node, count};
    return 0;
}

void efg_order_rename(struct efg_order *o, const uint32_t *new_id, uint32_t count)
{
    if (!o->is_on)
        return;
    for (uint32_t i = 0; i < o->table_count; i++)
        for (uint32_t k = 0; k < o->tables[i].count; k++)
            o->tables[i].node[k] = new_id[o->tables[i].node[k]];
    if (add_table(o, new_id, count) == 0)
        efg_sequence_break(&o->sequence, o->table_count);
    else
        give_up(o, -ENOMEM); /* nobody could tell any longer what the numbers mean */
    efg_order_settle(o);
}

/* --- a look at it --- */

static int put_plain(void *out, const struct efg_sequence_segment *segment)
{
    return efg_sequence_put(out, segment, 0) < 0;
}

uint64_t efg_order_peek(const struct efg_order *o, struct efg_buffer *out)
{
    struct efg_sequence copy;

    if (!o->is_on)
        return 0;
    efg_buffer_put(out, o->done.data, o->done.size);
    if (efg_sequence_copy(&copy, &o->sequence, put_plain, out) != 0) {
        out->failed = true;
        return 0;
    }
    efg_sequence_close(&copy);
    uint64_t kept = copy.kept;
    efg_sequence_fini(&copy);
    return kept;
}

/* --- the end --- */

static int read_back(const struct efg_order *o, struct efg_buffer *out)
{
    int file = efg_below_open(o->path, below(o), O_RDONLY);
    unsigned char *to = efg_buffer_extend(out, o->in_file);
    int error = file < 0 ? file : !to ? -ENOMEM : efg_read_all(file, to, o->in_file, 0);

    if (file >= 0)
        close(file);
    return error;
}

uint64_t efg_order_end(struct efg_order *o, struct efg_buffer *out)
{
    if (!o->is_on)
        return 0;
    o->is_on = false;
    o->is_ending = true;
    efg_sequence_close(&o->sequence);
    int error = o->in_file ? read_back(o, out) : 0;
    if (o->in_file)
        efg_below_remove(o->path, below(o));
    efg_buffer_put(out, o->done.data, o->done.size);
    if (!error && !out->failed)
        return o->sequence.kept;
    o->error = error ? error : -ENOMEM;
    efg_buffer_fini(out);
    return 0;
}

void efg_order_fini(struct efg_order *o)
{
    efg_sequence_fini(&o->sequence);
    efg_buffer_fini(&o->done);
    for (uint32_t i = 0; i < o->table_count; i++)
        free(o->tables[i].node);
    free(o->tables);
    free(o->path);
    efg_memory_settle(&o->held, 0);
    *o = (struct efg_order){false};
}
