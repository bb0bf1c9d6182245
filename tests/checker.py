#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether lib/check_trace.py finds what is wrong with a trace: with each of those that are broken on purpose
(lib/broken_traces.py), with archives that are damaged, and nothing in those that are right.

usage: checker.py [--few] [OTHER]

--few: one broken trace for each check, and some of the others. OTHER: a second checker, which is to find nothing that
ours does not

Works in the current folder. Prints a line for each verdict: name, tab, what is wrong with it."""
import functools
import json
import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib')
sys.path.insert(0, LIB)
import check_trace
import trace_checks
from broken_traces import BROKEN, RIGHT
from make_trace import Trace

CHECKER = os.path.join(LIB, 'check_trace.py')


def verdict(name, why=''):
    print(f'{name}\t{" ".join(str(why).split())}', flush=True)


def forked(function):
    """The exit code of FUNCTION in a process of its own, whose output goes to ./out."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    out = os.open('out', os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    sys.stdout = open(1, 'w', closefd=False)
    try:
        code = function() or 0
        sys.stdout.flush()
        os._exit(code)
    except BaseException as error:
        os.write(2, f'{type(error).__name__}: {error}'.encode())
        os._exit(99)


def output():
    with open('out', encoding='utf-8', errors='replace') as file:
        return file.read()


def write(break_it, folder):
    def write_it():
        trace = Trace()
        break_it(trace)
        trace.write(folder)
    shutil.rmtree(folder, ignore_errors=True)
    return forked(write_it)


def ours(*arguments):
    """Exit code, and the checks that fail."""
    code = forked(lambda: check_trace.check(check_trace.parse(['--json', *arguments])))
    return code, failing(output())


def ours_in_child(*arguments):
    """The same where the library may die of it."""
    code = forked(lambda: check_trace.in_child(check_trace.parse(['--json', *arguments])))
    return code, failing(output())


def others(other, *arguments):
    """The same of the other checker, which finds in a fork of this process what it imports."""
    def run():
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sys.argv = [other, '--json', *arguments]
        try:
            exec(compiled(other), {'__name__': '__main__', '__file__': other})
        except SystemExit as end:
            return end.code
        return 0
    code = forked(run)
    return code, failing(output())


@functools.cache
def compiled(path):
    with open(path, encoding='utf-8') as file:
        return compile(file.read(), path, 'exec')


def failing(text):
    try:
        checks = json.loads(text)['checks']
    except (ValueError, KeyError):
        return set()
    return {name for name, check in checks.items() if not check['ok']}


# --- traces that are broken ---

def is_found(name, check, options, break_it, other):
    if write(break_it, 'trace') != 0:
        verdict(f'{check}: {name}', f'it is not written: {output()}')
        return
    code, found = ours(*options, 'trace/traces.otf2')
    why = '' if code == 1 and check in found else f'exit code {code}, found by {found or "none"}: {output()[-200:]}'
    if other and not why:
        its_code, its = others(other, *options, 'trace/traces.otf2')
        why = f'the other checker finds {its - found}' if its_code and its - found else ''
    verdict(f'{check}: {name}', why)


def is_right(name, _, options, break_it, other):
    if write(break_it, 'trace') != 0:
        verdict(f'right: {name}', f'it is not written: {output()}')
        return
    code, found = ours(*options, 'trace/traces.otf2')
    why = f'exit code {code}: {found}' if code else ''
    if other and not why:
        its_code, its = others(other, *options, 'trace/traces.otf2')
        why = f'the other checker finds {its}' if its_code else ''
    verdict(f'right: {name}', why)


def all_are_tried():
    trace_of = {check for _, check, _, _ in BROKEN}
    checks = {check.__name__[len('check_'):] for check in trace_checks.CHECKS}
    verdict('each check has a trace that it finds', ' '.join(checks ^ trace_of))


# --- archives that are damaged ---

def cut(path, size):
    os.truncate(path, size if size >= 0 else os.path.getsize(path) + size)


def fill(path):
    with open(path, 'wb') as file:
        file.write(bytes(range(255, 0, -1)) * 20)


def pipe(path):
    os.remove(path)
    os.mkfifo(path)


DAMAGED = [
    ('no anchor', lambda: os.remove('copy/traces.otf2')),
    ('an anchor that is cut short', lambda: cut('copy/traces.otf2', 40)),
    ('an empty anchor', lambda: cut('copy/traces.otf2', 0)),
    ('no definitions', lambda: os.remove('copy/traces.def')),
    ('definitions that are cut short', lambda: cut('copy/traces.def', -100)),
    ('other definitions', lambda: fill('copy/traces.def')),
    ('no folder', lambda: shutil.rmtree('copy/traces')),
    ('events that are cut short', lambda: cut('copy/traces/1.evt', -100)),
    ('an empty file of events', lambda: cut('copy/traces/1.evt', 0)),
    ('other events', lambda: fill('copy/traces/1.evt')),
    ('an empty file of clock offsets', lambda: cut('copy/traces/1.def', 0)),
]


def copy():
    shutil.rmtree('copy', ignore_errors=True)
    shutil.copytree('trace', 'copy')


def as_command(*arguments):
    return subprocess.run([sys.executable, CHECKER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding='utf-8', check=False, timeout=60)


def is_unreadable(name, damage):
    copy()
    damage()
    code, _ = ours_in_child('copy/traces.otf2')
    verdict(f'damaged: {name}', '' if code == 2 and 'check_trace: cannot read' in output() else
            f'exit code {code}: {output()[-200:]}')


def lost_events(other):
    """A location has none, its definition says that it has some."""
    copy()
    os.remove('copy/traces/1.evt')
    code, found = ours_in_child('copy/traces.otf2')
    its = others(other, 'copy/traces.otf2')[1] if other else set()
    verdict('damaged: no file of events', '' if code == 1 and 'definitions' in found and its <= found else
            f'exit code {code}: {found}, the other: {its}')


def last_event():
    """OTF2 reads what happens to be in memory behind a file that ends in an event: nothing, or events once more."""
    copy()
    cut('copy/traces/1.evt', -2)
    code, found = ours_in_child('copy/traces.otf2')
    verdict('damaged: the last event is cut short', '' if code == 2 or code == 1 and 'definitions' in found else
            f'exit code {code}: {found or output()}')


def ends_in_time():
    copy()
    pipe('copy/traces/1.evt')
    begin = time.monotonic()
    done = as_command('--timeout', '1', 'copy/traces.otf2')
    verdict('damaged: reading hangs', '' if done.returncode == 2 and 'it took 1 s' in done.stderr else
            f'exit code {done.returncode} after {time.monotonic() - begin:.1f} s: {done.stderr}')


def dies():
    """As the library may."""
    def crash(_):
        os.abort()
    real, check_trace.check = check_trace.check, crash
    code, _ = ours_in_child('trace/traces.otf2')
    check_trace.check = real
    verdict('damaged: the library crashes', '' if code == 2 and 'the library died of SIGABRT' in output() else
            f'exit code {code}: {output()}')


# --- as a command ---

def speaks():
    done = as_command('--full', '--iterations', '4', 'trace/traces.otf2')
    lines = done.stdout.splitlines()
    verdict('it says a line for each check, and last the sum', '' if done.returncode == 0 and len(lines) == 9 and
            lines[-1] == '8 passed, 0 failed' and all(line.startswith('ok ') for line in lines[:-1]) else done.stdout)
    done = as_command('--iterations', '5', 'trace/traces.otf2')
    verdict('and what is wrong', '' if done.returncode == 1 and done.stdout.splitlines()[-2:] == [
        'FAIL iterations   least 4, most 4, numbered alike True | faults 3, first: rank 0 has 4 iterations, not 5',
        '7 passed, 1 failed'] else done.stdout)
    done = as_command('--json', 'trace/traces.otf2')
    verdict('or as JSON', '' if done.returncode == 0 and json.loads(done.stdout)['passed'] == 8 else done.stdout)
    verdict('a wrong option', '' if as_command('--wrong').returncode == 2 else 'it is taken')


def main(few, other=None):
    all_are_tried()
    for one in {one[1]: one for one in BROKEN}.values() if few else BROKEN:
        is_found(*one, other)
    for one in RIGHT[::8] if few else RIGHT:
        is_right(*one, other)
    if write(lambda trace: None, 'trace') != 0:
        sys.exit(output())
    for one in DAMAGED[::4] if few else DAMAGED:
        is_unreadable(*one)
    lost_events(other)
    last_event()
    ends_in_time()
    dies()
    speaks()


if __name__ == '__main__':
    main('--few' in sys.argv, *[argument for argument in sys.argv[1:] if argument not in ('', '--few')])
