# SPDX-License-Identifier: BSD-3-Clause
"""What a Python program may tell efgtrace; efgtrace.h says what each function does.

    import efgtrace
    for step in range(steps):
        efgtrace.iteration()
        with efgtrace.region("solve"):
            ...

Where efgtrace was not preloaded, nothing happens.
"""
import contextlib
import ctypes

__all__ = ["begin", "end", "iteration", "record", "region"]

_tell = getattr(ctypes.PyDLL(None), "efgtrace_user", lambda what, name, iterations: None)
_END, _ITERATION, _BEGIN, _RECORD = -1, 0, 1, 2


def iteration():
    """An iteration of the main loop begins."""
    _tell(_ITERATION, None, ctypes.c_ulong(0))


def begin(name):
    """The region NAME begins: 1 to 63 printable ASCII characters."""
    _tell(_BEGIN, name.encode(), ctypes.c_ulong(0))


def end(name):
    """The region NAME ends."""
    _tell(_END, name.encode(), ctypes.c_ulong(0))


def record(iterations):
    """Record the next ITERATIONS of the main loop, on all ranks the same ones."""
    if iterations > 0:
        _tell(_RECORD, None, ctypes.c_ulong(iterations))


@contextlib.contextmanager
def region(name):
    """All that is done within is in the region NAME."""
    begin(name)
    try:
        yield
    finally:
        end(name)
