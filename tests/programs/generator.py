#!/usr/bin/python3
"""A generator makes the steps, and who asks for them has observers. It leaves with each step, so its loop is none.

1000 steps: Sendrecv around the ring; Barrier in each 5th; an observer has two Allreduce in each 4th. True
iterations: ITERATIONS (1000). Usage: generator.py [ITERATIONS [MICROSECONDS]]

programs.sh: steps=500 iterations=500
"""
import array
import sys

sys.dont_write_bytecode = True
from program import MPI, compute, end, expect, iterations, rank, size, world


def steps():
    step = 0
    while True:
        got = array.array('i', [-1])
        world.Sendrecv(array.array('i', [step]), (rank + 1) % size, recvbuf=got, source=(rank - 1) % size)
        expect(got[0] == step, 'message around the ring')
        compute()
        if step % 5 == 0:
            world.Barrier()
        yield step
        step += 1


def observe(step):
    for factor in 1, 2:
        total = array.array('i', [0])
        world.Allreduce(array.array('i', [factor * rank]), total, op=MPI.SUM)
        expect(total[0] == factor * size * (size - 1) // 2, 'sum over the ranks')


def drive(observers):
    for step in steps():
        for observer in observers:
            if step % 4 == 0:
                observer(step)
        if step >= iterations - 1:
            break


drive([observe])
end()
