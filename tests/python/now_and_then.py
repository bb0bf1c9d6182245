# SPDX-License-Identifier: BSD-3-Clause
"""A loop in which more calls are made now and then, with MPI by ctypes.

usage: now_and_then.py LIBRARY STEPS        LIBRARY: that of MPI
"""
import sys
import time

import single

barrier, end = single.begin(sys.argv[1])


def step():
    barrier()
    barrier()


def output():
    for _ in range(6):
        barrier()


i = 0
while i < int(sys.argv[2]):
    step()
    time.sleep(0.0002)
    if i % 10 == 0:
        output()
    i += 1
end()
