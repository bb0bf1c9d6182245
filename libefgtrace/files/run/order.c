/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of the calls, as bytes and back: the sequence of a rank, and which ranks have the
 * same one. The segments in it are read when they are gone through (expand.h).
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* --- a sequence --- */

static void put_thread(struct efg_buffer *out, const struct efg_run_sequence_thread *thread)
{
    efg_buffer_number(out, thread->events);
    efg_buffer_number(out, thread->table_count);
    for (uint32_t i = 0; i < thread->table_count; i++) {
        efg_buffer_number(out, thread->tables[i].count);
        for (uint32_t k = 0; k < thread->tables[i].count; k++)
            efg_buffer_number(out, thread->tables[i].node[k]);
    }
    efg_buffer_number(out, thread->size);
    efg_buffer_put(out, thread->segments, thread->size);
}

void efg_runfile_put_sequence(struct efg_buffer *out, uint32_t rank, const struct efg_run_sequence *sequence,
                              struct efg_run_order *order)
{
    size_t begin = efg_section_begin(out, EFG_SECTION_SEQUENCE, rank);
    efg_buffer_number(out, sequence->thread_count);
    for (uint32_t i = 0; i < sequence->thread_count; i++)
        put_thread(out, &sequence->threads[i]);
    efg_section_end(out, begin);
    if (out->failed)
        return;
    const unsigned char *payload = out->data + begin + EFG_SECTION_HEADER;
    order->size = out->size - begin - EFG_SECTION_HEADER;
    for (int i = 0; i < 2; i++)
        order->hash[i] = efg_hash_bytes((uint64_t)i, payload, order->size);
}

static void get_table(struct efg_input *in, struct efg_sequence_table *table)
{
    table->node = efg_input_array(in, 1, sizeof *table->node, &table->count);
    for (uint32_t i = 0; i < table->count; i++)
        table->node[i] = efg_input_32(in);
}

static void get_thread(struct efg_input *in, struct efg_run_sequence_thread *thread)
{
    thread->events = efg_input_number(in);
    thread->tables = efg_input_array(in, 1, sizeof *thread->tables, &thread->table_count);
    for (uint32_t i = 0; i < thread->table_count && !in->reader.failed; i++)
        get_table(in, &thread->tables[i]);
    thread->size = efg_reader_count(&in->reader, 1);
    thread->segments = efg_reader_take(&in->reader, thread->size);
    if (!thread->segments)
        thread->size = 0;
}

int efg_run_get_sequence(struct efg_run_sequence *sequence, unsigned char *bytes, size_t size)
{
    struct efg_input in = efg_input(bytes + EFG_SECTION_HEADER, size - EFG_SECTION_HEADER);
    memset(sequence, 0, sizeof *sequence);
    sequence->bytes = bytes;
    sequence->threads =
        efg_input_array(&in, EFG_LEAST_SEQUENCE, sizeof *sequence->threads, &sequence->thread_count);
    for (uint32_t i = 0; i < sequence->thread_count && !in.reader.failed; i++)
        get_thread(&in, &sequence->threads[i]);
    int error = efg_input_outcome(&in);
    if (error)
        efg_run_sequence_fini(sequence);
    return error;
}

/* --- which ranks have which --- */

void efg_run_put_orders(struct efg_buffer *out, const struct efg_run_common *common)
{
    efg_buffer_number(out, common->order_count);
    for (uint32_t i = 0; i < common->order_count; i++) {
        const struct efg_run_order *order = &common->orders[i];
        efg_buffer_u64(out, order->hash[0]);
        efg_buffer_u64(out, order->hash[1]);
        efg_buffer_number(out, order->size);
        efg_ranklist_put(out, &order->ranks);
    }
}

static void get_order(struct efg_input *in, struct efg_run_order *order)
{
    order->hash[0] = efg_reader_u64(&in->reader);
    order->hash[1] = efg_reader_u64(&in->reader);
    order->size = efg_input_number(in);
    if (efg_ranklist_get(&in->reader, &order->ranks))
        in->no_memory = in->reader.failed = true;
    efg_input_expect(in, order->ranks.range_count > 0);
}

int efg_run_get_orders(struct efg_run_common *common, const void *bytes, size_t size)
{
    struct efg_input in = efg_input(bytes, size);
    common->orders = efg_input_array(&in, EFG_LEAST_ORDER, sizeof *common->orders, &common->order_count);
    for (uint32_t i = 0; i < common->order_count && !in.reader.failed; i++)
        get_order(&in, &common->orders[i]);
    return efg_input_outcome(&in);
}
