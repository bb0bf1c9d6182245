/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations. Only those are told in which more than one rank takes part, after the call that
 * completed them.
 */
#include "parts.h"

static enum efg_recorded_meeting meeting_of(OTF2_CollectiveOp operation)
{
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return EFG_MEETING_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return EFG_MEETING_ONE_TO_ALL;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return EFG_MEETING_ALL_TO_ONE;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return EFG_MEETING_SCAN;
    default:
        return EFG_MEETING_ALL;
    }
}

void efg_recorded_meet(struct efg_recorded_reading *r, OTF2_CollectiveOp operation, uint32_t context,
                       bool is_window, uint32_t root, uint64_t begun)
{
    const struct efg_recorded_definitions *d = &r->definitions;
    uint32_t comm = is_window ? efg_recorded_win(d, context) : context;
    struct efg_recorded_collective c = {.context = context,
                                        .meeting = meeting_of(operation),
                                        .size = efg_recorded_size(d, comm),
                                        .is_window = is_window,
                                        .begun = begun,
                                        .done = efg_recorded_present(r)};
    c.root = c.meeting == EFG_MEETING_SCAN ? efg_recorded_own(d, comm, r->rank)
                                           : efg_recorded_peer(d, comm, r->rank, root);
    struct efg_recorded_item item = {.kind = EFG_RECORDED_COLLECTIVE, .collective = c};
    if (c.size > 1)
        efg_recorded_put_behind(r, &item);
}
