#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong programs get the same verdict with efgtrace as without.

Each wrong program runs bare and traced, adaptively and in full. Its verdict is how it ends (the
exit code of the launcher), what MPI says is wrong, and what the program prints. Errors are fatal,
or returned, or told to a handler: these are programs of their own. With several runs, what a traced
one leaves behind must be readable, too.

Some programs end in one way or another, as time will have it. If they do so bare, it is not the
verdicts that must be the same, but how often each comes: a difference counts if chance would make
one like it less than once in a thousand times (Fisher's exact test). Where one run each is made,
a traced one that differs is repeated, with as many bare ones.

Prints a line "ok NAME" or "FAIL NAME: why" each, and last "N passed, N failed". With --table FILE
also the verdicts, as a table.

usage: wrong.py [--runs N] [--every] [--share N] [--jobs N] [--table FILE] --build BUILD --work WORK [NAME...]
WORK has program and fortran, made of the sources beside this file. --runs: of each, bare and in
each mode (default 1, in one of the modes). Each program has one of the handlers, or with --every
all. --share: only every N-th program. NAME: of programs, "truncated"; with all handlers, in both modes.
"""
import argparse
import collections
import concurrent.futures
import itertools
import math
import os
import re
import shutil
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'accidents')]
import accidents
import session

LIMIT = 40  # seconds
AGAIN = 4    # runs more, where one differs
LEAST = 0.001
LOST = 'util/show_help.c'  # Open MPI's launcher often says this instead of what MPI had to say
TRIES = 20
LAUNCHER = os.environ.get('MPIRUN', 'mpirun --oversubscribe').split()
ENVIRONMENT = {'OMPI_MCA_mpi_yield_when_idle': '1', 'OMPI_MCA_orte_base_help_aggregate': '0',
               'OMPI_MCA_osc': '^ucx'}
MODES = {
    'adaptive': {'INTERVAL': '1ms', 'STABLE': '1', 'ITERATIONS': '2', 'WINDOWS': '100', 'SAVE': '1ms'},
    'full': {'MODE': 'full', 'SIGNATURE': 'path,size,partner,communicator'},
}
# MODE of PROGRAM is known to differ, and why.
KNOWN = {
    ('request started twice', 'adaptive'):
        'the message is lost, and the program waits for ever, if MPI makes any progress between the two; '
        'an MPI_Iprobe there has the same effect bare, and so have the rounds in which ranks agree',
    ('request started twice', 'full'):
        'whether it waits for ever is a matter of chance: bare, it did in 1 of 20 runs, traced in 5 of 20',
    **{('spawn with a freed info', mode):
       'MPI has given the memory of the info back: what is there by then depends on who has asked for memory '
       'since, and efgtrace has' for mode in MODES},
}
# What these print depends on who comes first: only how they end is compared.
RACES = {'race of two senders', 'race of two puts', 'test taken for wait'}
# What MPI says is wrong; not who says it, how often and with which numbers.
SAYS = re.compile(r'\*\*\* (An error occurred.*|MPI_ERR.*|on .*|The .*)|(Signal: .*)|(Fatal error in .*)|'
                  r'(Abort\(.*)')

Verdict = collections.namedtuple('Verdict', 'code says prints')
Case = collections.namedtuple('Case', 'program name handler')


# --- running ---

def verdict_of(code, output, errors):
    says = [next(filter(None, found)).strip() for found in SAYS.findall(errors)]
    prints = sorted(output.splitlines())
    if code:  # ranks are ended where they are: one of them may not have printed it yet
        prints = sorted({re.sub(r'^rank \d+: ', '', line) for line in prints})
    return Verdict(code, tuple(sorted({re.sub(r'0x[0-9a-f]+|\d+', '#', line) for line in says})), tuple(prints))


def run(work, case, before=()):
    for _ in range(TRIES):
        code, output, errors = session.run([*LAUNCHER, '-np', '2', *before, f'{work}/{case.program}',
                                            case.name, case.handler],
                                           LIMIT, cwd=work, env=dict(os.environ, **ENVIRONMENT))
        if LOST not in errors:
            break
    verdict = verdict_of(code, output, errors)
    return verdict._replace(prints=()) if case.name in RACES else verdict


def traced(options, case, mode, number):
    """The verdict, and what is wrong with what is left behind."""
    output = f'{options.work}/output/{number}'
    settings = dict(MODES[mode], SUMMARY='off', OUTPUT=f'{output}/run')
    os.makedirs(output)
    verdict = run(options.work, case, [
        'env', f'LD_PRELOAD={options.build}/libefgtrace.so',
        *(f'EFGTRACE_{key}={value}' for key, value in settings.items())])
    wrong = ''
    if options.runs > 1 and os.path.isdir(f'{output}/run'):
        _, wrong = accidents.read_folder(f'{options.build}/efgtrace', f'{output}/run')
    shutil.rmtree(output)
    return verdict, wrong


# --- comparing ---

def chance(a, n, b, m):
    """Of a difference at least as large as that of A in N runs and B in M, if both are alike."""
    def weight(k):
        return math.comb(n, k) * math.comb(m, a + b - k)
    these = range(max(0, a + b - m), min(n, a + b) + 1)
    return sum(weight(k) for k in these if weight(k) <= weight(a)) / math.comb(n + m, a + b)


def tell(verdict):
    return f'code {verdict.code}; {"; ".join(verdict.says) or "-"}; {"; ".join(verdict.prints) or "-"}'


def difference(bare, ran):
    """Between two lists of verdicts."""
    of_bare, of_ran = collections.Counter(bare), collections.Counter(ran)
    for verdict in {**of_bare, **of_ran}:
        before, now = of_bare[verdict], of_ran[verdict]
        certain = len(of_bare) == 1 and before / len(bare) != now / len(ran)
        if certain or chance(before, len(bare), now, len(ran)) < LEAST:
            return f'{now} of {len(ran)}, bare {before} of {len(bare)}: {tell(verdict)}'
    return ''


class Trial:
    """The runs of a CASE, and what they say."""

    def __init__(self, options, case, modes, first):
        self.options, self.case, self.number = options, case, first  # of folders
        self.bare, self.ran, self.unread = [], {mode: [] for mode in modes}, ''

    def repeat(self, runs, modes):
        for _ in range(runs):
            self.bare.append(run(self.options.work, self.case))
            for mode in modes:
                self.number += 1
                verdict, wrong = traced(self.options, self.case, mode, f'{self.number}')
                self.ran[mode].append(verdict)
                self.unread = self.unread or wrong and f'{mode}: {wrong}'

    def differing(self):
        return [mode for mode, ran in self.ran.items() if difference(self.bare, ran)]

    def why(self):
        return '; '.join([f'{mode}: {difference(self.bare, self.ran[mode])}' for mode in self.differing()] +
                         [self.unread] * bool(self.unread))


def examine(trial):
    trial.repeat(trial.options.runs, trial.ran)
    differing = trial.differing()
    if differing and trial.options.runs < AGAIN:
        trial.repeat(AGAIN, differing)
    return trial


# --- all of them ---

def cases(work):
    for program, handlers in ('program', ('fatal', 'return', 'handler')), ('fortran', ('fatal', 'return')):
        if not os.path.exists(f'{work}/{program}'):
            continue
        names = subprocess.run([f'{work}/{program}'], capture_output=True, text=True, check=True).stdout
        for name in names.splitlines():
            for handler in handlers:
                yield Case(program, name, handler)


def chosen(options):
    """Each case with its modes. Programs take turns with handlers, and in the short form with modes."""
    for number, (name, group) in enumerate(itertools.groupby(cases(options.work), lambda case: case.name)):
        group = list(group)
        if options.names and name not in options.names or number % options.share:
            continue
        modes = tuple(mode for mode in MODES if (name, mode) not in KNOWN)
        if not modes:
            continue
        if not options.every and not options.names:
            group = [group[number % len(group)]]
        if options.runs == 1 and not options.names:
            modes = (modes[number // 3 % len(modes)],)
        yield from ((case, modes) for case in group)


def end_of(code):
    return accidents.end_of(code)


def what_it_is(verdict):
    """The first error that MPI names, or the program."""
    return re.findall(r'MPI_ERR_\w+|Signal: [\w ]+|function was called \w+',
                      ' '.join(verdict.says + verdict.prints))[:1]


def cell(verdicts):
    """What came how often."""
    counts = collections.Counter((end_of(verdict.code), *what_it_is(verdict)) for verdict in verdicts)
    return '<br>'.join(', '.join(what) + (f' ({count})' if len(counts) > 1 else '')
                       for what, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def write_table(trials, options):
    with open(options.table, 'w', encoding='utf-8') as out:
        out.write('How wrong programs end, bare and traced, and the first error that MPI names; where they do\n'
                  'not always end in the same way, how often in which. '
                  f'{options.runs} runs of each:\n`tests/wrong.sh --runs {options.runs} --table '
                  'tests/accidents/wrong.md`.\n\n'
                  '| program | errors | bare | adaptive | full | same |\n|---|---|---|---|---|---|\n')
        for trial in trials:
            cells = [cell(trial.bare), *(cell(trial.ran.get(mode, ())) for mode in MODES)]
            out.write('| ' + ' | '.join([trial.case.name, trial.case.handler, *cells,
                                         'no' if trial.why() else 'yes']) + ' |\n')
        out.write('\nNot run, because it is known to differ:\n\n')
        out.write(''.join(f'- `{name}`, {mode}: {why}\n' for (name, mode), why in KNOWN.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--build', required=True)
    parser.add_argument('--work', required=True)
    parser.add_argument('--runs', type=int, default=1, help='of each program, bare and in each mode')
    parser.add_argument('--every', action='store_true', help='each program with each handler')
    parser.add_argument('--share', type=int, default=1, help='only every so manieth program')
    parser.add_argument('--jobs', type=int, default=3 * (os.cpu_count() or 1), help='so many at a time')
    parser.add_argument('--table', help='write the verdicts to this file')
    parser.add_argument('names', nargs='*', help='of programs (default: all)')
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    sound = run(options.work, Case('program', 'nothing', 'fatal'))
    if sound != Verdict(0, (), ('rank 0: ends', 'rank 1: ends')):
        sys.exit(f'wrong: the program does not run as it is: {tell(sound)}')
    trials = [Trial(options, case, modes, 1000000 * i) for i, (case, modes) in enumerate(chosen(options))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for trial in pool.map(examine, trials):
            why = trial.why()
            failed += bool(why)
            print(f'FAIL {trial.case.name}, {trial.case.handler}: {why}' if why
                  else f'ok {trial.case.name}, {trial.case.handler}', flush=True)
    if options.table:
        write_table(trials, options)
    print(f'{len(trials) - failed} passed, {failed} failed')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
