#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the OTF2 trace of an MPI program is right: what must hold, whatever wrote it.

It shares no code with efgtrace. Read with the lower layer of python3-otf2 (read_trace.py), which applies the
tables and clock offsets of the locations; the checks are in trace_checks.py:

timestamps   increase on a location, but that a metric has that of its event; all lie within the ClockProperties
regions      each Leave is that of the last Enter, none is left over, all regions are defined; records of
             messages, requests and collectives lie in a call of MPI
messages     by channel (communicator, the two ranks, tag), in the order of posting, each send has its receive,
             of the same size, not before it. --full: all have; else as large a part as --min-matched, and the
             first receives of a channel may be of sends before the recording. Both ends are members of the
             communicator
requests     what is completed, tested or cancelled was started on that location, as what it is, and is not
             under way twice; --full: all that is started ends
collectives  begin and end are pairs; the members of a communicator, and no others, have equally many, of the
             same kind and operation, in one order, with one root, which is one of them
onoff        MeasurementOnOff comes in pairs OFF, ON with nothing between, so at one depth of calls
definitions  ids are unique and defined before they are used; one clock with a real time; one list of the ranks,
             which are processes called "MPI Rank N" on hosts; members of groups are ranks, once each;
             communicators have groups of members, and parents before them; a Cartesian topology has a place
             for each rank of its communicator; the paradigm MPI, and it is that of all functions MPI_*;
             locations have as many events as they say
iterations   all ranks enter the region of role LOOP called "iteration" equally often (so often:
             --iterations), and one of its attributes of type UINT64, if it has any, numbers them alike

Prints a line for each check, and last "N passed, M failed"; or with --json one object.
Exit code: 0 all is right, 1 a check failed, 2 the trace cannot be read.
"""
import argparse
import os
import signal
import sys

sys.dont_write_bytecode = True      # the source tree stays as it is


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('trace', metavar='ARCHIVE/traces.otf2')
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    parser.add_argument('--full', action='store_true', help='the trace is of all of the run')
    parser.add_argument('--min-matched', type=float, default=1.0, metavar='F',
                        help='part of the messages that has both ends (default %(default)s)')
    parser.add_argument('--iterations', type=int, metavar='N', help='how many iterations each rank has')
    parser.add_argument('--timeout', type=int, default=50, metavar='SECONDS',
                        help='for reading the trace, which may hang if it is damaged (default %(default)s)')
    return parser.parse_args(arguments)


def check(options):
    """Read and check, as a process of its own, and say the outcome."""
    signal.alarm(options.timeout)   # ends this process, even in the library
    import gc
    gc.disable()                    # all that is read is kept
    import read_trace
    import trace_checks
    checks = trace_checks.run(read_trace.Trace(options.trace), options)
    failed = sum(bool(one.faults) for one in checks)
    if options.json:
        import json
        print(json.dumps({'checks': {one.name: one.as_json() for one in checks},
                          'passed': len(checks) - failed, 'failed': failed}, indent=1))
    else:
        print(*checks, f'{len(checks) - failed} passed, {failed} failed', sep='\n')
    return int(failed > 0)


def in_child(options):
    """The exit code of check(). The library crashes or hangs on some damaged files: the child dies of it."""
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        if os.WIFEXITED(status):
            return os.WEXITSTATUS(status)
        return cannot(options, f'it took {options.timeout} s' if os.WTERMSIG(status) == signal.SIGALRM else
                      f'the library died of {signal.Signals(os.WTERMSIG(status)).name}')
    code = 2
    try:
        code = check(options)
        sys.stdout.flush()
    except BaseException as error:
        code = cannot(options, f'{type(error).__name__}: {error}')
    os._exit(code)


def cannot(options, why):
    print(f'check_trace: cannot read {options.trace}: {why}', file=sys.stderr, flush=True)
    return 2


if __name__ == '__main__':
    sys.exit(in_child(parse()))
