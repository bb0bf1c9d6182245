#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run the programs of MPICH's test suite bare and traced, and compare.

Each program that ends bare, passing or not, is run adaptively, with samples as often as can be,
many small windows and saves all the time, and in full, with everything told apart that can be.
Both must give the exit code and the output (lines in any order) of the bare run, and what they
wrote must be readable. When one does not, it is run three times more, and so is the bare one: a
program that does not always pass, or always print the same, by itself shows nothing.

What was found is kept in DIR/results.jsonl, a line a program; those that are there are not run
again, so that it can be done in parts, also at the same time, each of other folders. A folder is
one of the suite's, with all below it.

Last line: "N passed, N failed": of the runs that can be compared, those that are the same or known
to differ (tests/conformance/exceptions), and the others.

usage: suite.py [--again] [--table FILE] DIR [FOLDER[/PROGRAM]...]
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import session

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get('BUILD', 'build'))
TOOL = os.path.join(BUILD, 'efgtrace')
# Not there: impls (what MPICH has inside), ft (its extensions), perf (is about time), basic and
# ckpoint (no tests).
FOLDERS = ('attr pt2pt part coll comm datatype topo rma threads init errhan group info mpi_t errors '
           'f77 f90 f08 cxx spawn io').split()
MPICH = 'mpich' in os.environ.get('MPICC', '')
LAUNCHER = ['mpiexec.mpich'] if MPICH else ['mpirun', '--oversubscribe']
ENVIRONMENT = {
    'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
    'OMPI_MCA_rmaps_base_oversubscribe': '1',   # also what is spawned
    'OMPI_MCA_osc': '^ucx',                     # Debian leaves pt2pt out: a job of one rank has no windows
    'OMPI_MCA_orte_base_help_aggregate': '0',   # what is said at the end depends on time otherwise
    'MPIR_CVAR_POLLS_BEFORE_YIELD': '1',        # MPICH waits busily, and there are fewer cores than ranks
}
BARE_LIMIT = 60  # seconds
MEMORY = 4       # GB; programs that need more are left out
MORE = 3         # runs after a difference

MODES = {
    'adaptive': {'INTERVAL': '1ms', 'STABLE': '1', 'ITERATIONS': '2', 'WINDOWS': '100', 'SAVE': '1ms'},
    'full': {'MODE': 'full', 'SIGNATURE': 'path,size,partner,communicator', 'LOG_LIMIT': '16M'},
}


# --- what there is to run ---

class Case:
    """A line of a testlist."""

    def __init__(self, folder, words):
        self.folder, self.program = folder, words[0]
        self.ranks = int(words[1]) if len(words) > 1 else 2
        self.args, self.env, self.fails, self.memory = [], {}, False, 0.0
        for key, _, value in (word.partition('=') for word in words[2:]):
            if key == 'arg':
                self.args.append(value)
            elif key == 'env':
                self.env.update([value.split('=', 1)])
            elif key == 'mem':
                self.memory = float(value)
            elif key == 'resultTest':
                self.fails = True  # is to end with an exit code

    @property
    def name(self):
        return f'{self.folder}/{self.program}'

    @property
    def key(self):
        return ' '.join([self.name, str(self.ranks), *self.args,
                         *(f'{name}={value}' for name, value in self.env.items())])


def cases(suite, folder):
    """Those of the testlist of FOLDER and of the folders that it names, each once."""
    try:
        with open(f'{suite}/{folder}/testlist', encoding='ascii') as lines:
            words = [line.split('#')[0].split() for line in lines]
    except FileNotFoundError:
        return
    for words in filter(None, words):
        if os.path.isdir(f'{suite}/{folder}/{words[0]}'):
            yield from cases(suite, f'{folder}/{words[0]}')
        elif re.fullmatch(r'[\w.-]+', words[0]):
            yield Case(folder, words)


def chosen(suite, wanted):
    found = {}
    for what in wanted:
        is_folder = os.path.isdir(f'{suite}/{what}')
        for case in cases(suite, what if is_folder else os.path.dirname(what)):
            if is_folder or case.name == what:
                found.setdefault(case.key, case)
    return found.values()


# --- running ---

Ran = collections.namedtuple('Ran', 'code output ours seconds')


def normal(text, code):
    """Lines in any order, without the names of processes and hosts, addresses and times of
    messages, which no two runs share; ours apart. Of a job that fails, what it says, but neither
    how often nor with which numbers, which may be those of memory that nobody has written; and not
    what Open MPI says, which comes twice, or not at all, as its processes are killed meanwhile."""
    text = re.sub(r'0x[0-9a-f]+|\[[\w.-]+:\d+\]|\[\[?\d+,\d+\]?(,\d+\])?|\bpid \d+', '#', text, flags=re.I)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    ours = [line for line in lines if 'efgtrace' in line]
    lines = [line for line in lines if line not in ours]
    if code:
        text = re.sub(r'^(#.*|-{70,}\n(.*\n)*?-{70,})\n', '', '\n'.join([*lines, '']), flags=re.M)
        lines = set(re.sub(r'-?\d+', '#', text).splitlines())
    return sorted(lines), ours


def run(suite, case, limit, settings=()):
    command = [*LAUNCHER, '-np', str(case.ranks)]
    for name, value in settings:
        command += ['-genv', name, value] if MPICH else ['-x', f'{name}={value}']
    environment = dict(os.environ, **ENVIRONMENT, **case.env)
    begin = time.monotonic()
    code, text, _ = session.run([*command, f'./{case.program}', *case.args], limit, env=environment,
                                cwd=f'{suite}/{case.folder}', stderr=subprocess.STDOUT)
    return Ran(code, *normal(text, code), limit if code == 'hangs' else time.monotonic() - begin)


def passes(case, ran):
    if case.fails:
        return ran.code not in (0, 'hangs')
    return ran.code == 0 and any(line.lower() == 'no errors' for line in ran.output)


def read(output):
    """What is wrong with what was written: '' or a line."""
    folders = [f'{output}/{name}' for name in sorted(os.listdir(output))]
    for folder in folders:
        if not os.path.exists(f'{folder}/run.efg'):  # ended without MPI_Finalize
            subprocess.run([TOOL, 'trace', folder], capture_output=True, check=False)
        if os.path.exists(f'{folder}/run.efg'):
            for command in (TOOL, 'report', folder), (TOOL, 'expand', '--to', '100000', folder):
                done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      text=True, errors='replace', timeout=300, check=False)
                if done.returncode:
                    return f'{command[1]}: {(done.stderr.splitlines() or [done.returncode])[-1]}'
        if os.path.exists(f'{folder}/traces.otf2'):
            done = subprocess.run(['otf2-print', '--silent', '-Werror', f'{folder}/traces.otf2'],
                                  capture_output=True, text=True, errors='replace', timeout=300,
                                  check=False)
            if done.returncode or done.stderr.strip():
                return f'otf2-print: {(done.stderr.splitlines() or [done.returncode])[0]}'
    return '' if folders else 'nothing was written'


def traced(suite, case, mode, limit, output):
    shutil.rmtree(output, ignore_errors=True)
    os.mkdir(output)
    settings = [('LD_PRELOAD', f'{BUILD}/libefgtrace.so'), ('EFGTRACE_SUMMARY', 'off'),
                ('EFGTRACE_OUTPUT', f'{output}/run')]
    settings += [(f'EFGTRACE_{key}', value) for key, value in MODES[mode].items()]
    return run(suite, case, limit, settings)


def difference(bare, ran):
    if ran.code != bare.code:
        return f'exit code {ran.code}, not {bare.code}: {"; ".join(ran.output[:6])}'
    if ran.output != bare.output:
        lines = collections.Counter(ran.output)
        lines.subtract(bare.output)
        return 'output: ' + '; '.join(f'{"+" if count > 0 else "-"}{line}'
                                      for line, count in lines.items() if count)
    return ''


def compare(suite, case, bare, mode, output):
    """The result of MODE: {} or what is different, in how many runs, and whether bare runs are
    always the same."""
    limit = 3 * bare.seconds + BARE_LIMIT
    ran = traced(suite, case, mode, limit, output)
    result = {}
    if ran.ours:
        result['said'] = ran.ours[:3]
    differs = difference(bare, ran)
    if not differs:
        unread = read(output)
        return dict(result, unread=unread) if unread else result
    again = [difference(bare, traced(suite, case, mode, limit, output)) for _ in range(MORE)]
    bares = [run(suite, case, BARE_LIMIT) for _ in range(MORE)]
    by_itself = [one for one in bares  # other output is no excuse for another exit code
                 if one.code != bare.code or ran.code == bare.code and one.output != bare.output]
    return dict(result, differs=differs, times=1 + sum(map(bool, again)), runs=1 + MORE,
                bare=len(by_itself))


def examine(suite, case, output):
    result = {'key': case.key, 'folder': case.folder, 'program': case.name}
    if not os.access(f'{suite}/{case.folder}/{case.program}', os.X_OK):
        return dict(result, bare='not built')
    if case.memory > MEMORY:
        return dict(result, bare='too large')
    bare = run(suite, case, BARE_LIMIT)
    result['seconds'] = round(bare.seconds, 1)
    if bare.code == 'hangs':
        return dict(result, bare='hangs')
    result['bare'] = 'passes' if passes(case, bare) else 'fails'
    for mode in MODES:
        result[mode] = compare(suite, case, bare, mode, output)
    return result


# --- what was found ---

def load(path):
    """The last result of each."""
    try:
        with open(path, encoding='utf-8') as lines:
            return {result['key']: result for result in map(json.loads, lines)}
    except FileNotFoundError:
        return {}


def exceptions():
    """PROGRAM: reason."""
    with open(f'{ROOT}/tests/conformance/exceptions', encoding='utf-8') as lines:
        lines = [line.rstrip() for line in lines if line.strip() and not line.startswith('#')]
    return dict(line.split(None, 1) for line in lines)


def is_different(result, mode):
    found = result.get(mode, {})
    return 'unread' in found or 'differs' in found and not found['bare']


def is_steady(result):
    """It ended, and bare runs are always the same."""
    return result['bare'] in ('passes', 'fails') and not any(result[mode].get('bare') for mode in MODES)


def describe(result):
    for mode in MODES:
        found = result.get(mode, {})
        if 'differs' in found:
            by_itself = f'; bare {found["bare"]} of {MORE}' if found['bare'] else ''
            yield f'{mode}, {found["times"]} of {found["runs"]} runs{by_itself}: {found["differs"]}'
        if 'unread' in found:
            yield f'{mode}: {found["unread"]}'


def count(results, excepted):
    """A line of the table."""
    bare = collections.Counter(result['bare'] for result in results)
    steady = [result for result in results if is_steady(result)]
    same = [sum(not is_different(result, mode) for result in steady) for mode in MODES]
    return [len(results), bare['not built'] + bare['too large'], bare['passes'], bare['fails'],
            bare['hangs'], bare['passes'] + bare['fails'] - len(steady), *same,
            sum(result['program'] in excepted and any(is_different(result, mode) for mode in MODES)
                for result in steady)]


def versions(suite):
    with open(f'{suite}/version.m4', encoding='utf-8') as text:
        mpich = re.search(r'VERSION_m4[^0-9]*([\w.]+)', text.read()).group(1)
    said = [subprocess.run(command, capture_output=True, text=True, check=True).stdout
            for command in ([TOOL, '--version'], [LAUNCHER[0], '--version'])]
    name, version = ('MPICH', r'Version: +(\S+)') if MPICH else ('Open MPI', r'\(Open MPI\) (\S+)')
    return (f'{time.strftime("%Y-%m-%d")}: {said[0].strip()}, {name} {re.search(version, said[1]).group(1)}, '
            f'the test suite of mpich {mpich}.\n\n'
            'Of the runs that the lists of each folder name, those are left out whose program does not\n'
            'build with this MPI or needs much memory, and there is nothing to compare when it hangs bare,\n'
            'without efgtrace. Of those that pass bare, or fail, some do not always, or print something\n'
            'else each time. All others should give the same exit code and output when they are traced.\n\n')


def write_table(results, path, suite):
    excepted, by_folder = exceptions(), collections.defaultdict(list)
    for result in results.values():
        top = result['folder'].split('/')[0]
        by_folder[top].append(result)
    head = ['folder', 'runs', 'left out', 'pass bare', 'fail', 'hang', 'not always',
            'same adaptive', 'same full', 'exceptions']
    rows = [[folder, *count(by_folder[folder], excepted)] for folder in FOLDERS if folder in by_folder]
    rows.append(['all', *(sum(column) for column in list(zip(*rows))[1:])])
    with open(path, 'w', encoding='utf-8') as out:
        out.write(versions(suite))
        out.write(''.join(f'| {" | ".join(map(str, row))} |\n'
                          for row in [head, ['---'] + ['---:'] * (len(head) - 1), *rows]))
        listed = [result for result in results.values()
                  if any(is_different(result, mode) for mode in MODES)]
        if listed:
            out.write('\nDifferent:\n\n')
        for result in listed:
            why = excepted.get(result['program'])
            out.write(f'- `{result["key"]}`: {why or " ".join(describe(result))}\n')
        left = [case.key for case in chosen(suite, FOLDERS) if case.key not in results]
        if left:
            out.write(f'\nNot run: {", ".join(f"`{key}`" for key in left)}\n')


def verdict(results):
    """The last line, and the exit code."""
    excepted = exceptions()
    failed = [result['program'] not in excepted and any(is_different(result, mode) for mode in MODES)
              for result in results]
    passed = sum(is_steady(result) and not has_failed for result, has_failed in zip(results, failed))
    print(f'{passed} passed, {sum(failed)} failed')
    return 1 if any(failed) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('dir', help='where the suite is built, as DIR/mpi')
    parser.add_argument('what', nargs='*', help='folders or programs (default: all)')
    parser.add_argument('--again', action='store_true', help='those that were run already, too')
    parser.add_argument('--table', help='write the sums of all results to this file')
    options = parser.parse_args()

    suite, kept = f'{options.dir}/mpi', f'{options.dir}/results.jsonl'
    results, output = load(kept), os.path.abspath(f'{options.dir}/output.{os.getpid()}')
    cases_chosen = chosen(suite, options.what or FOLDERS)
    for case in cases_chosen:
        if case.key in results and not options.again:
            continue
        result = examine(suite, case, output)
        results[case.key] = result
        with open(kept, 'a', encoding='utf-8') as out:
            out.write(json.dumps(result) + '\n')
        for line in describe(result):
            print(f'{case.key}: {line}', flush=True)
    shutil.rmtree(output, ignore_errors=True)
    results = load(kept)
    if options.table:
        write_table(results, options.table, suite)
    sys.exit(verdict([results[case.key] for case in cases_chosen]))


if __name__ == '__main__':
    main()
