#!/usr/bin/python3
"""A message around the ring, in Python: MPI is loaded late, with MPI_THREAD_MULTIPLE.

1000 steps: isend to the right and recv from the left (pickled), wait, compute, Allreduce of a
buffer. True iterations: ITERATIONS (1000). Usage: ring.py [ITERATIONS [MICROSECONDS]]

programs.sh: steps=500 iterations=500 graph=yes
"""
import array
import sys

sys.dont_write_bytecode = True
from program import MPI, compute, end, expect, iterations, rank, size, world

total = array.array('i', [0])
for step in range(iterations):
    request = world.isend({'step': step, 'rank': rank}, dest=(rank + 1) % size, tag=1)
    got = world.recv(source=(rank - 1) % size, tag=1)
    request.wait()
    expect(got == {'step': step, 'rank': (rank - 1) % size}, 'message around the ring')
    compute()
    world.Allreduce(array.array('i', [rank]), total, op=MPI.SUM)
    expect(total[0] == size * (size - 1) // 2, 'sum over the ranks')

end()
