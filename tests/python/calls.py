"""Calls MPI in all the ways that Python has, and writes to FILE how often it did, from which functions and lines, as
Python itself says it: {"count": N, "path": [[function, line], ...]}, innermost first, of its own file only.

usage: calls.py mpi4py|LIBRARY FILE [STEPS]        LIBRARY: that of MPI, called by ctypes
"""
import contextlib
import functools
import json
import sys
import threading

import single


def begin(library):
    """MPI_Barrier alone, as a function without a frame of Python; and what ends MPI."""
    if library == 'mpi4py':
        from mpi4py import MPI
        return MPI.COMM_SELF.Barrier, lambda: None
    return single.begin(library)


barrier, end = begin(sys.argv[1])
steps = int(sys.argv[3]) if len(sys.argv) > 3 else 50
counts = {}
lock = threading.Lock()


def here():
    """The barrier, for a call by who called this."""
    frame, path = sys._getframe(1), []
    while frame:
        if frame.f_code.co_filename == __file__:
            path.append((getattr(frame.f_code, 'co_qualname', frame.f_code.co_name), frame.f_lineno))
        frame = frame.f_back
    with lock:
        counts[tuple(path)] = counts.get(tuple(path), 0) + 1
    return barrier


class Solver:
    def two(self):
        here()()
        here()()

    def values(self, n):
        for i in range(n):
            here()()
            yield i

    @contextlib.contextmanager
    def scope(self):
        here()()
        yield
        here()()

    @property
    def norm(self):
        return here()()

    def __call__(self, depth):
        if depth:
            self(depth - 1)
            return self(depth - 1)
        return here()()


def größe():
    return here()()


def exceptions():
    try:
        here()()
        raise KeyError
    except KeyError:
        here()()
    finally:
        here()()


def callbacks():
    sorted([2, 1], key=lambda value: here()() or value)
    list(map(functools.partial(lambda a, b: here()(), 1), [1]))
    [here()() for _ in range(2)]
    sum(here()() or 0 for _ in range(2))


def far():
    # Lines far from each other, and statements of several lines.





























































    here()()
    return max(0,
               here()() or 0,
               1)


def step(solver):
    solver.two()
    for _ in solver.values(2):
        here()()
    with solver.scope():
        here()()
    solver.norm
    solver(2)
    größe()
    exceptions()
    callbacks()
    far()


def threads(count):
    def work():
        for _ in range(5):
            here()()
    for _ in range(count):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()


def main():
    solver = Solver()
    for _ in range(steps):
        step(solver)
    threads(2)


main()
with open(sys.argv[2], 'w') as file:
    json.dump([{'count': count, 'path': path} for path, count in counts.items()], file)
end()
print('done', sum(counts.values()))
