#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Messages of a trace as readers take them: the k-th send of a channel (communicator, source,
destination, tag) is that of the k-th receive. For programs without intercommunicators and threads.

pairs.py TRACE      how many pairs there are, how many of them have two lengths, and, where both ends are in
                    iterations, in how many iterations after its send a message is received: the least and the most
"""
import sys
from collections import defaultdict

import otf2
from otf2.events import Leave, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiRecv, MpiSend, ParameterUnsignedInt

channels = defaultdict(lambda: ([], []))    # (bytes, iteration) of sends and of receives
iteration = defaultdict(lambda: None)       # by rank; None outside of them
posted = {}                                 # iteration and place of receives under way

with otf2.reader.open(sys.argv[1]) as trace:
    for place, (location, event) in enumerate(trace.events):
        rank = int(location.group.name.rsplit(' ', 1)[1])
        now = place, iteration[rank]
        if isinstance(event, ParameterUnsignedInt):
            iteration[rank] = event.value
        elif isinstance(event, Leave) and event.region.region_role == otf2.RegionRole.LOOP:
            iteration[rank] = None
        elif isinstance(event, (MpiSend, MpiIsend)):
            channel = event.communicator.name, rank, event.receiver, event.msg_tag
            channels[channel][0].append((*now, event.msg_length))
        elif isinstance(event, MpiIrecvRequest):
            posted[rank, event.request_id] = now
        elif isinstance(event, (MpiRecv, MpiIrecv)):
            if isinstance(event, MpiIrecv):
                now = posted.pop((rank, event.request_id), now)
            channel = event.communicator.name, event.sender, rank, event.msg_tag
            channels[channel][1].append((*now, event.msg_length))

pairs = [pair for both in channels.values() for pair in zip(*map(sorted, both))]
after = [receive[1] - send[1] for send, receive in pairs if None not in (send[1], receive[1])]
print(len(pairs), sum(send[2] != receive[2] for send, receive in pairs),
      *(min(after), max(after)) if after else ())
