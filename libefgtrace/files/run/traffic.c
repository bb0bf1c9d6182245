/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a thread sent, as bytes and back: lists of amounts, each as the difference to the one
 * before. Partners begin at the own rank, so that ranks that do the same have nearly the same
 * bytes.
 */
#include "parts.h"

static void put_amount(struct efg_buffer *out, struct efg_traffic_amount amount,
                       struct efg_traffic_amount before)
{
    efg_run_put_signed(out, amount.count - before.count);
    efg_run_put_signed(out, amount.bytes - before.bytes);
}

static struct efg_traffic_amount get_amount(struct efg_input *in, struct efg_traffic_amount before)
{
    before.count += efg_input_signed(in);
    before.bytes += efg_input_signed(in);
    return before;
}

/* The first key is given relative to FIRST, the others relative to the one before. */
static void put_items(struct efg_buffer *out, const struct efg_run_items *items, uint32_t first)
{
    struct efg_traffic_item before = {.key = first};
    efg_buffer_number(out, items->count);
    for (uint32_t i = 0; i < items->count; i++) {
        const struct efg_traffic_item *item = &items->item[i];
        efg_run_put_signed(out, (uint64_t)item->key - before.key);
        put_amount(out, item->all, before.all);
        put_amount(out, item->recorded, before.recorded);
        before = *item;
    }
}

/* Keys are at MOST. */
static void get_items(struct efg_input *in, struct efg_run_items *items, uint32_t first, uint32_t most)
{
    struct efg_traffic_item before = {.key = first};
    items->item = efg_input_array(in, EFG_LEAST_ITEM, sizeof *items->item, &items->count);
    for (uint32_t i = 0; i < items->count && !in->reader.failed; i++) {
        uint64_t key = before.key + efg_input_signed(in);
        efg_input_expect(in, key <= most && (i == 0 || key > before.key));
        before.key = (uint32_t)key;
        before.all = get_amount(in, before.all);
        before.recorded = get_amount(in, before.recorded);
        items->item[i] = before;
    }
}

void efg_thread_put_traffic(struct efg_buffer *out, const struct efg_run_traffic *traffic, uint32_t rank)
{
    put_items(out, &traffic->partners, rank);
    put_items(out, &traffic->sends, 0);
    put_items(out, &traffic->collectives, 0);
}

void efg_thread_get_traffic(struct efg_input *in, struct efg_run_traffic *traffic, uint32_t rank)
{
    get_items(in, &traffic->partners, rank, EFG_TRAFFIC_OTHERS);
    get_items(in, &traffic->sends, 0, EFG_TRAFFIC_SIZES - 1);
    get_items(in, &traffic->collectives, 0, EFG_TRAFFIC_SIZES - 1);
}
