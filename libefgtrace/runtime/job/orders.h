/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Orders: brings together at the end what the threads of this process kept of the order of their
 * calls.
 */
#ifndef EFG_ORDERS_H
#define EFG_ORDERS_H

#include "files/run/runfile.h"

/* No more events. Append the section of this rank's sequence to OUT, which is empty, and fill
 * in ORDER; nothing if none is kept. What was not kept is noted. The threads' memory for it is
 * then free. */
void efg_orders_end(struct efg_buffer *out, struct efg_run_order *order);

#endif
