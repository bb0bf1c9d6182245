# SPDX-License-Identifier: BSD-3-Clause
"""A master deals out tasks of different size, one at a time, to whoever has finished one.

usage: pyfarm.py [TASKS]

The main loop are the tasks: all on the master, its own on each worker.
"""
import sys

import numpy as np
from say import say_loops
from mpi4py import MPI

comm = MPI.COMM_WORLD
tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 6000
done = 0
if comm.rank == 0:
    status, sent, total = MPI.Status(), 0, 0.0
    for worker in range(1, comm.size):
        comm.send(sent, worker)
        sent += 1
    while done < tasks:
        total += comm.recv(source=MPI.ANY_SOURCE, status=status)
        done += 1
        comm.send(sent if sent < tasks else None, status.source)
        sent += 1
    print("total", round(total, 3))
else:
    while True:
        task = comm.recv(source=0)
        if task is None:
            break
        a = np.random.default_rng(task).standard_normal((60, 60))
        comm.send(float(np.linalg.norm(a @ a) % 1), 0)
        done += 1
say_loops(done)
