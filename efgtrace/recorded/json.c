/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communication matrix of the recorded iterations as JSON.
 */
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static uint32_t bin_of(uint64_t bytes)
{
    uint32_t bin = bytes ? 63 - (uint32_t)__builtin_clzll(bytes) : 0;
    return bin < EFG_BINS ? bin : EFG_BINS - 1;
}

static int add(struct efg_recorded_matrix *m, const struct efg_recorded_message *message)
{
    struct efg_recorded_cell cell = {message->from, message->to, 0, 0}, *cells;
    uint64_t index = efg_map_number(&m->index, (uint64_t)message->from << 32 | message->to);
    if (index == m->cells.size / sizeof cell)
        efg_buffer_put(&m->cells, &cell, sizeof cell);
    if (index == UINT64_MAX || m->cells.failed)
        return -ENOMEM;
    cells = (struct efg_recorded_cell *)m->cells.data;
    cells[index].count++;
    cells[index].bytes += message->bytes;
    m->sizes[bin_of(message->bytes)]++;
    return 0;
}

static int by_ranks(const void *a, const void *b)
{
    const struct efg_recorded_cell *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

void efg_recorded_matrix_json(struct efg_buffer *out, struct efg_recorded_matrix *m, uint32_t ranks)
{
    struct efg_recorded_cell *cell = (struct efg_recorded_cell *)m->cells.data;
    if (m->index.count)
        qsort(cell, m->index.count, sizeof *cell, by_ranks);
    efg_buffer_print(out, "{\"sizes\":[");
    for (uint32_t i = 0; i < EFG_BINS; i++)
        efg_buffer_print(out, "%s%" PRIu64, i ? "," : "", m->sizes[i]);
    efg_buffer_print(out, "],\"matrix\":[");
    for (uint32_t i = 0; i < m->index.count; i++)
        efg_buffer_print(out, "%s[%u,%u,%" PRIu64 ",%" PRIu64 "]", i ? "," : "", cell[i].from, cell[i].to,
                         cell[i].count, cell[i].bytes);
    efg_buffer_print(out, "],\"ranks\":%u}", ranks);
}

int efg_recorded_matrix_take(struct efg_recorded_matrix *matrix, const struct efg_recorded_item *item)
{
    return item->kind == EFG_RECORDED_MESSAGE && item->message.is_send ? add(matrix, &item->message) : 0;
}

void efg_recorded_matrix_fini(struct efg_recorded_matrix *matrix)
{
    efg_map_fini(&matrix->index);
    efg_buffer_fini(&matrix->cells);
}
