# SPDX-License-Identifier: BSD-3-Clause
"""Steps that do nothing but go through a few parts, with MPI by ctypes: no call tells of a step.

usage: rounds.py LIBRARY STEPS KIND        LIBRARY: that of MPI; KIND: of what the loop over the parts goes through
"""
import contextlib
import sys
import time

import single

barrier, end = single.begin(sys.argv[1])
kind = sys.argv[3]
kinds = {
    "tuple": lambda: (1, 2),
    "list": lambda: [1, 2, 3],
    "range": lambda: range(3),
    "enumerate": lambda: enumerate([1, 2]),
    "zip": lambda: zip((1, 2), [3, 4, 5]),
    "generator": lambda: (part for part in (1, 2)),
}


def exchange():
    barrier()
    barrier()


def work():
    time.sleep(0.0002)


def within():
    """What `with` leaves in the stack is below the iterator."""
    with contextlib.nullcontext():
        for _ in 1, 2:
            exchange()
            work()


def once():
    """A loop that ends in its first round; and one whose iterator is gone when the call comes."""
    for _ in 1, 2, 3:
        exchange()
        break
    for _ in (1, 2), (3, 4):
        exchange()
    exchange()
    work()


for step in range(int(sys.argv[2])):
    if kind in ("within", "once"):
        globals()[kind]()
        continue
    for part in kinds[kind]():
        exchange()
        work()
end()
print("done")
