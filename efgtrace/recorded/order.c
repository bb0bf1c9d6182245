/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers the messages of each channel in the order in which they began. Readers of OTF2 pair the sends
 * and receives of a channel in the order in which they were begun, not completed. So messages wait in a
 * queue, in that order, until it is known what becomes of them.
 */
#include <string.h>

#include "base/array.h"
#include "parts.h"

struct channel { /* a key */
    uint32_t from, to, comm, tag, is_send;
};

/* Messages that were taken are behind the head; they go when they are more than the others. */
static int make_room(struct efg_recorded_queue *q)
{
    if (q->head > q->count) {
        memmove(q->waiting, q->waiting + q->head, q->count * sizeof *q->waiting);
        q->first += q->head;
        q->head = 0;
    }
    return efg_array_grow(&q->waiting, q->head + q->count, 1, sizeof *q->waiting);
}

void efg_recorded_post(struct efg_recorded_order *order, struct efg_recorded_message message, bool is_open,
                       uint64_t request)
{
    struct efg_recorded_queue *q = message.is_send ? &order->sends : &order->receives;
    if (make_room(q)) {
        order->failed = true;
        return;
    }
    uint64_t number = q->first + q->head + q->count;
    q->waiting[q->head + q->count++] =
        (struct efg_recorded_waiting){message, is_open ? EFG_WAITING_OPEN : EFG_WAITING_READY};
    if (!is_open)
        return;
    uint64_t *value = efg_map_put(&order->requests, request);
    if (value)
        *value = number << 1 | message.is_send;
    else
        order->failed = true;
}

/* What waits for the request, which is over now; NULL if nothing does. */
static struct efg_recorded_waiting *end_request(struct efg_recorded_order *order, uint64_t request)
{
    const uint64_t *value = efg_map_find(&order->requests, request);
    if (!value)
        return NULL;
    struct efg_recorded_queue *q = *value & 1 ? &order->sends : &order->receives;
    uint64_t number = *value >> 1;
    efg_map_remove(&order->requests, request);
    return &q->waiting[number - q->first];
}

void efg_recorded_complete(struct efg_recorded_order *order, uint64_t request, uint64_t call,
                           const struct efg_recorded_message *message)
{
    struct efg_recorded_waiting *w = end_request(order, request);
    if (!w && message)
        efg_recorded_post(order, *message, false, 0);
    if (!w)
        return;
    uint64_t begun = w->message.begun;
    if (message && !w->message.is_send)
        w->message = *message;
    w->message.begun = begun;
    w->message.done = call;
    w->state = message || w->message.is_send ? EFG_WAITING_READY : EFG_WAITING_DROPPED;
}

void efg_recorded_cancel(struct efg_recorded_order *order, uint64_t request)
{
    struct efg_recorded_waiting *w = end_request(order, request);
    if (w)
        w->state = EFG_WAITING_DROPPED;
}

static void settle(struct efg_recorded_queue *q)
{
    for (uint32_t i = q->head; i < q->head + q->count; i++) {
        struct efg_recorded_waiting *w = &q->waiting[i];
        if (w->state == EFG_WAITING_OPEN)
            w->state = w->message.is_send ? EFG_WAITING_READY : EFG_WAITING_DROPPED;
    }
}

void efg_recorded_settle(struct efg_recorded_order *order)
{
    settle(&order->sends);
    settle(&order->receives);
    efg_map_fini(&order->requests);
    order->requests = (struct efg_map){0};
}

static void number(struct efg_recorded_order *order, struct efg_recorded_message *m)
{
    struct channel key = {m->from, m->to, m->comm, m->tag, m->is_send};
    uint32_t row = efg_otf2_intern(&order->channels, &key, sizeof key);
    if (row == EFG_NONE)
        order->failed = true;
    else
        m->number = order->channels.rows[row].value++;
}

static bool take(struct efg_recorded_queue *q, struct efg_recorded_message *message)
{
    while (q->count && q->waiting[q->head].state != EFG_WAITING_OPEN) {
        const struct efg_recorded_waiting *w = &q->waiting[q->head++];
        q->count--;
        *message = w->message;
        if (w->state == EFG_WAITING_READY)
            return true;
    }
    return false;
}

bool efg_recorded_take(struct efg_recorded_order *order, struct efg_recorded_message *message)
{
    if (!take(&order->sends, message) && !take(&order->receives, message))
        return false;
    number(order, message);
    return !order->failed;
}
