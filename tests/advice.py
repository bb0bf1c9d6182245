#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the hints of a summary do what they say: the program is run again with each of them.

usage: advice.py LAUNCH... -- KEY=VALUE... -- PROGRAM...

LAUNCH starts so many ranks under `efgtrace run`; the KEYs are those of the first run, as EFGTRACE_KEY. Works in the
current folder. Prints a line for each verdict: hint, tab, what is wrong with it."""
import os
import re
import subprocess
import sys


class Summary:
    """What is said of a run."""

    def __init__(self, launch, keys, program):
        environment = dict(os.environ, **{f'EFGTRACE_{key.upper()}': value for key, value in keys.items()})
        done = subprocess.run([*launch, *program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=300, check=False, encoding='utf-8', errors='replace')
        self.code, self.text = done.returncode, done.stderr
        said = re.sub(r'\n {13}(?=\S)', '\n  ', self.text)      # an entry, and what goes on below it
        self.entry = {name: text for name, text in re.findall(r'^(\S[\w ]{0,11}?) {2,}(.*(?:\n  .*)*)', said, re.M)}

    def has(self, name, pattern):
        return re.search(pattern, self.entry.get(name, ''))

    def loop(self):
        """Place of the main loop, how often it goes round, and how it is selected."""
        found = self.has('Main loop', r'^(in .*), (\d+) iterations')
        chosen = self.has('Main loop', r'EFGTRACE_LOOP=(\w+) selects it again')
        return (found[1], int(found[2]), chosen and chosen[1]) if found else (None, 0, None)

    def numbers(self):
        """Of the iterations that are in the trace."""
        traced = self.has('Traced', r'^(\d+) iterations?,[^\n]*((?:\n  (?:number )?\d[^\n]*)+)')
        return [int(number) for number in re.findall(r'\d+', re.sub(', from.*', '', traced[2]))] if traced else []


# --- what a hint promises ---

def again(first, second, __):
    # Where it is, is said more or less closely, by what else there is; the word that selects it is its own.
    # One that was asked for need not be asked for again.
    (_, times, word), (_, wanted, hint) = second.loop(), first.loop()
    return '' if times == wanted and word in (hint, None) else f'{second.loop()} instead of {first.loop()}'


def anyway(_, second, hint):
    place, times = hint['place'], int(hint['times'])
    found = second.loop()
    return '' if found[0] and place in found[0] and found[1] == times else f'{found[:2]} instead of {(place, times)}'


def phase(_, second, hint):
    return '' if second.loop()[0] == hint['place'] else f"{second.loop()} instead of {hint['place']}"


def level(_, second, hint):
    wanted, (place, times, _) = (hint['place'], int(hint['times'])), second.loop()
    # Where it is, is said more or less closely, by what else there is.
    if not place or times != wanted[1]:
        return f'{(place, times)} instead of {wanted}'
    is_recorded = second.has('Traced', r'^10 iterations,|^all of the run')
    return '' if is_recorded or times < 100 else second.entry.get('Traced', 'nothing is traced')


def spread(_, second, __):
    numbers, known = second.numbers(), second.has('Main loop', r'the last (\d+) take')
    if second.has('Traced', 'EFGTRACE_SELECT=spread'):
        return 'the same hint again'
    known = int(known[1]) if known else second.loop()[1]
    return '' if numbers and max(numbers) - min(numbers) > 0.4 * known else f'{numbers}, of the last {known}'


def accuracy(_, second, __):
    if second.has('Traced', 'EFGTRACE_'):
        return 'a hint again'
    return '' if second.has('Accuracy', 'points or less') else second.entry.get('Accuracy', 'nothing is said of it')


def found(_, second, __):
    return '' if second.loop()[0] else second.entry.get('Main loop', 'no main loop')


def traced(_, second, __):
    return '' if second.has('Traced', r'^(\d+ iterations|all of the run)') else second.entry.get('Traced', '')


HINTS = (
    (r'EFGTRACE_(?P<key>LOOP)=(?P<value>\w+) selects it again', again),
    (r'in (?P<place>.*), went round (?P<times>\d+) times.*\n  EFGTRACE_(?P<key>LOOP)=(?P<value>\w+) selects it anyway',
     anyway),
    (r'EFGTRACE_(?P<key>LOOP)=(?P<value>\w+) selects that one, (?P<place>in .*)', phase),
    (r'EFGTRACE_(?P<key>LEVEL)=(?P<value>\w+) +selects the (?P<times>\d+) x in (?P<place>.*)', level),
    (r'EFGTRACE_(?P<key>SELECT)=(?P<value>spread) takes', spread),
    (r'EFGTRACE_(?P<key>ACCURACY)=(?P<value>2%) records', accuracy),
    (r'EFGTRACE_(?P<key>SIGNATURE)=(?P<value>none) takes', found),
    (r'shorter EFGTRACE_(?P<key>INTERVAL) than', found),
    (r'EFGTRACE_(?P<key>MODE)=(?P<value>adaptive|full) traces', traced),
)


def follow(launch, keys, program, depth):
    first = Summary(launch, keys, program)
    if first.code:
        print(f'{keys}\texit code {first.code}: {first.text[-200:]!r}', flush=True)
        return
    for pattern, holds in HINTS:
        for hint in re.finditer(pattern, '\n'.join(first.entry.values())):
            said = hint.groupdict()
            key, value = said['key'].lower(), said.get('value') or '1ms'
            more = dict(keys, **{key: value})
            second = Summary(launch, more, program)
            why = holds(first, second, said)
            name = ' '.join(f'{name}={text}' for name, text in more.items())
            print(name, ' '.join(why.split()), sep='\t', flush=True)
            if depth and key in ('level', 'mode') and not why:
                follow(launch, more, program, depth - 1)


def main(arguments):
    first = arguments.index('--')
    second = arguments.index('--', first + 1)
    keys = dict(one.split('=', 1) for one in arguments[first + 1:second])
    follow(arguments[:first], keys, arguments[second + 1:], 1)


if __name__ == '__main__':
    main(sys.argv[1:])
