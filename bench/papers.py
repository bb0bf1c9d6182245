#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tables and figures of the papers that efgtrace follows, for programs that are at hand: bundled kernels,
LAMMPS and icoFoam. Writes README.md and pictures to a folder. `make papers` runs it.

usage: bench/papers.py [-o DIR] [PROGRAM...]
    -o DIR    where to (default bench/papers)
    PROGRAM   stencil, sweep, multigrid, amr; or one of `bench/apps.sh list` (default: the kernels, lammps and icofoam)

environment: BUILD  where the build is (default build); RANKS  how many (default 4); ICOFOAM_STEPS (default 100)

What the papers have is beside only where it can be cited from what is public of them: their abstracts."""
import argparse
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / os.environ.get('BUILD', 'build') / 'efgtrace'
RANKS = os.environ.get('RANKS', '4')
KERNELS = {'stencil': ('tests/programs/stencil2d.c', ['2000', '200']), 'sweep': ('bench/kernels/sweep.c', []),
           'multigrid': ('bench/kernels/multigrid.c', []), 'amr': ('bench/kernels/amr.c', [])}
STEPS = [100, 200, 400, 800, 1600, 3200, 6400]
FULL = 'path,size,partner'
COUNTERS = ['instructions,cycles', 'task-clock,page-faults']  # those of the kernel where the processor has none
COLOURS = ['#4477aa', '#e05a6d', '#228833', '#aa3377', '#2898be', '#9c8c14']


def run(command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, check=False, **options)
    if done.returncode:
        raise SystemExit(f'papers.py: {" ".join(map(str, command))}: exit code {done.returncode}\n{done.stderr[-2000:]}')
    return done.stdout


def compiled(name, work):
    source, arguments = KERNELS[name]
    program = work / name
    if not program.exists():
        run([os.environ.get('MPICC', 'mpicc'), '-g', '-O2', '-o', program, ROOT / source, '-lm'])
    return program, arguments


def traced(name, work, folder, *keys, arguments=None):
    """The folder of a run of the program, with these keys."""
    prefix = [TOOL, 'run', '-o', folder, '--summary', 'off', *keys]
    if name in KERNELS:
        program, usual = compiled(name, work)
        run(['mpirun', '-np', RANKS, '--oversubscribe', *prefix, program, *(arguments or usual)])
    else:
        case = work / 'case'
        shutil.rmtree(case, ignore_errors=True)
        run([ROOT / 'bench/apps.sh', 'run', name, case, *prefix])
    return folder


def trace_bytes(folder):
    files = [folder / 'traces.otf2', folder / 'traces.def', *(folder / 'traces').glob('*')]
    return sum(file.stat().st_size for file in files if file.exists())


def report(folder):
    return json.loads(run([TOOL, 'report', '--json', folder]))


def table(head, rows):
    return ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head),
            *('| ' + ' | '.join(map(str, row)) + ' |' for row in rows), '']


def text(lines):
    return ['```', *lines, '```', '']


def plot(path, settings, series):
    """A picture by gnuplot; SERIES: {title: [(x, y)]}."""
    script = ["set terminal svg noenhanced size 640,400 font 'sans-serif,12' background 'white'", f"set output '{path}'",
              'set border 3', 'set tics nomirror', "set grid lc rgb '#dddddd'", 'set key outside right top', *settings]
    for i, points in enumerate(series.values()):
        script += [f'$d{i} << END', *(f'{x} {y}' for x, y in points), 'END']
    script.append('plot ' + ', '.join(f"$d{i} using 1:2 with linespoints lw 2 pt 7 ps .4 lc rgb '{COLOURS[i % len(COLOURS)]}' title '{title}'"
                                      for i, title in enumerate(series)))
    subprocess.run(['gnuplot'], input='\n'.join(script) + '\n', text=True, check=True)


# --- the parts of the document ---

def signatures(runs):
    """Nodes and edges by what tells calls apart: Fuerlinger and Skinner 2010, figure 4."""
    words = ['none', 'size', 'partner', 'path', 'path,size', 'path,partner', 'path,size,partner']
    rows = []
    for name, folders in runs.items():
        lines = run([TOOL, 'report', '--signatures', folders['full']]).splitlines()
        found = {line.split()[-1]: line.split()[:2] for line in lines if line[:1] == ' ' and line.split()[0].isdigit()}
        rows.append([name] + ['{} / {}'.format(*found[word]) if word in found else '' for word in words])
    return ['## Nodes and edges by signature', '',
            'After Fürlinger and Skinner 2010, figure 4: nodes / edges of the graph of all ranks, by what tells calls apart besides',
            'the function. `efgtrace report --signatures`.', '', *table(['program', *words], rows)]


def compression(runs):
    """Full traces against graphs with the same information: Aguilar, Fuerlinger, Laure 2014, tables 1 and 2."""
    rows = []
    for name, folders in runs.items():
        full, graph = report(folders['full']), folders['full'] / 'run.efg'
        nodes, edges = len(full['graph']['nodes']), len(full['graph']['edges'])
        calls, size = full['overview']['calls'], trace_bytes(folders['full'])
        rows.append([name, calls, nodes, edges, f'{calls / nodes:.0f}', f'{edges / nodes:.2f}', size, graph.stat().st_size,
                     f'{size / graph.stat().st_size:.0f}x'])
    return ['## Compression', '',
            f'After Aguilar, Fürlinger and Laure 2014, tables 1 and 2: the graph with sizes and partners (`signature = {FULL}`) and the',
            'order of all calls, from which the sequence of each rank is rebuilt (`efgtrace expand`), against the OTF2 trace of the',
            'same run. run.efg has no time of a single call; the trace has all. The paper reports "compression ratios up to 119x"',
            'for the NERSC-8/Trinity suite (its abstract, doi:10.1007/978-3-319-09873-9_1).', '',
            *table(['program', 'calls', 'nodes', 'edges', 'calls a node', 'edges a node', 'OTF2 bytes', 'run.efg bytes', 'ratio'], rows)]


def reduction(runs):
    """Ten iterations against all: 2015, table 2."""
    rows = []
    for name, folders in runs.items():
        some, all_of = report(folders['ten']), trace_bytes(folders['plain'])
        recorded, size = some['overview']['recorded'], trace_bytes(folders['ten'])
        main = next((loop for loop in some['loops'] if loop['is_main']), None)
        rows.append([name, main['repetitions'] if main else '', recorded['iterations'] // max(1, some['overview']['ranks']), all_of, size,
                     f'{all_of / size:.0f}x' if size else ''])
    return ['## Ten iterations', '',
            'After Aguilar, Fürlinger and Laure 2015: the trace of ten iterations of the main loop, found while the program runs,',
            'against the trace of all of it. The paper\'s own sizes are not known here.', '',
            *table(['program', 'iterations', 'recorded, a rank', 'full trace, bytes', 'this trace, bytes', 'ratio'], rows)]


def representative(runs):
    """Shares of the time, of the run and in what was recorded: 2015, table 3."""
    rows = []
    for name, folders in runs.items():
        found = report(folders['ten'])['representative']
        for row in [r for r in found['rows'] if r['kind'] == 'site' and r['share']]:
            row['order'] = row['share']['run'] or 0
        sites = sorted((r for r in found['rows'] if 'order' in r), key=lambda r: -r['order'])[:3]
        for i, row in enumerate(sites):
            rows.append([name if not i else '', row['label'].replace('|', ' '), *(f"{100 * row['share'][w]:.1f}%" for w in ('run', 'recorded')),
                         found['verdict'] if not i else ''])
    return ['## Representativeness', '',
            'After 2015, table 3: the share of the time of the call sites with the most of it, in the run and in the recorded',
            'iterations, and what `efgtrace report` says of the whole. On a machine with fewer cores than ranks, times scatter.', '',
            *table(['program', 'call site', 'run', 'recorded', 'stands for the run'], rows)]


def readable():
    """The first of COUNTERS that can be read here, or ''; and what check says of those before it."""
    said = ''
    for names in COUNTERS:
        lines = run([TOOL, 'check'], env={**os.environ, 'EFGTRACE_COUNTERS': names}).splitlines()
        at = next(i for i, line in enumerate(lines) if 'here: ' in line)
        if 'none of them' not in lines[at]:
            return names, said
        said = lines[at + 1].split(': ', 1)[1].strip()
    return '', said


def counted(runs):
    """What was counted in an iteration, of all and of those recorded: 2015, table 3."""
    names, said = readable()
    rows = []
    for name, folders in runs.items():
        totals = report(folders['counted']).get('counters', {}).get('totals', []) if names else []
        for row in [r for r in totals if r['iterations'] and r['recorded']]:
            of_all, of_recorded = row['in_iterations'] / row['iterations'], row['in_recorded'] / row['recorded']
            rows.append([name, row['name'], f'{of_all:.4g}', f'{of_recorded:.4g}', f'{100 * (of_recorded / of_all - 1):+.1f}%' if of_all else ''])
    return ['## Counters', '', 'After 2015, table 3: what was counted in an iteration of a rank (key `counters`; ns of `task-clock`), on average over the run',
            'and in the recorded iterations. Waiting that spins is in `task-clock`. ' + (f'Instructions and cycles could not be counted: {said}.' if said else ''), '',
            *table(['program', 'counter', 'of all', 'recorded', 'difference'], rows)]


def halos(runs):
    """Whom ranks send to, relative to themselves: VIPACT."""
    rows = []
    for name, folders in runs.items():
        partners = {}
        for node in json.loads(run([TOOL, 'graph', '-f', 'json', folders['full']]))['nodes']:
            if node['partner'] and 'send' in node['call'].lower():
                sums = partners.setdefault(node['partner'], [0, 0])
                sums[0] += node['count']
                sums[1] += node['bytes']
        for partner, (count, amount) in sorted(partners.items(), key=lambda p: -p[1][1])[:6]:
            rows.append([name, partner, count, amount])
    return ['## Halos', '', 'After VIPACT: whom ranks send to, as steps on their Cartesian grid or as a distance of ranks, from the graph with partners; the six',
            'with the most bytes (of Sendrecv both ways). Drawn as grids they are in the page, `efgtrace report -o page.html`.', '',
            *table(['program', 'partner', 'calls', 'bytes'], rows)]


def loops(runs):
    """The trees of loops, and (A+B)[n]: 2015; Grosclaude, figures 2 to 4."""
    lines = ['## Loops', '', 'After 2015 (trees of loops) and Grosclaude, figures 2 to 4 (`(A+B)[n]`): the loops that were found, with how often they ran,',
             'and the whole run of rank 0 as nested repetitions (the first lines of `efgtrace profile`).', '']
    for name, folders in runs.items():
        found = report(folders['ten'])['loops']
        lines += [f'### {name}', ''] + text([f"{'  ' * loop['depth']}[{loop['repetitions']}]{' *' if loop['is_main'] else ''} {loop['label']}" for loop in found[:12]])
        lines += text(line[:110] for line in run([TOOL, 'profile', folders['plain']]).splitlines()[:14])
    return lines


def growth(runs, out):
    """Nodes over the time of the run: 2015."""
    series = {}
    for name, folders in runs.items():
        curve = report(folders['ten']).get('curve') or {'points': []}
        points = [(time / 1e9, nodes) for time, _, nodes, _ in curve['points']]
        if len(points) > 1:
            series[name] = [(time / points[-1][0], nodes) for time, nodes in points]
    plot(out / 'growth.svg', ["set xlabel 'share of the run'", "set ylabel 'nodes'", 'set logscale x', 'set yrange [0:*]'], series)
    return ['## Growth of the graph', '', 'After 2015: nodes of a rank while the program runs; the main loop is known long before the end.', '',
            '![nodes over the run](growth.svg)', '']


def steps(work, out):
    """Size against the number of steps: 2014, figures 5 and 6."""
    rows, series = [], {'OTF2 trace': [], 'run.efg': []}
    for count in STEPS:
        folder = traced('stencil', work, work / f'steps.{count}', '--mode', 'full', '--signature', FULL, arguments=[str(count), '10'])
        sizes = trace_bytes(folder), (folder / 'run.efg').stat().st_size
        rows.append([count, *sizes])
        for points, size in zip(series.values(), sizes):
            points.append((count, size))
    plot(out / 'steps.svg', ["set xlabel 'steps'", "set ylabel 'bytes'", 'set logscale xy'], series)
    return ['## Size against steps', '', 'After 2014, figures 5 and 6: stencil, with more and more steps. The graph does not grow with the length of the run; what',
            'grows in run.efg, the series of its iterations and samples, is bounded.', '',
            *table(['steps', 'OTF2 bytes', 'run.efg bytes'], rows), '![size against steps](steps.svg)', '']


def picture(runs, out):
    name = next(iter(runs))
    run([TOOL, 'graph', '-o', out / 'graph.svg', runs[name]['ten']])
    return ['## The graph', '', f'After 2010: the event flow graph of {name}, merged over the ranks (`efgtrace graph`, drawn by Graphviz). Rings and',
            'the tree of callers, as VIPACT draws them, are in the page: `efgtrace report -o page.html`.', '', f'![the graph of {name}](graph.svg)', '']


def main():
    for word in ('', '_CONFIRM'):  # mpirun refuses root unless told twice
        os.environ.setdefault('OMPI_ALLOW_RUN_AS_ROOT' + word, '1')
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('-o', type=Path, default=ROOT / 'bench/papers')
    parser.add_argument('programs', nargs='*', default=[*KERNELS, 'lammps', 'icofoam'])
    os.environ.setdefault('ICOFOAM_STEPS', '100')
    asked = parser.parse_args()
    names, _ = readable()
    asked.o.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='efgtrace-papers.') as name:
        work, runs = Path(name), {}
        for program in asked.programs:
            print(f'papers: {program}', flush=True)
            runs[program] = {'full': traced(program, work, work / f'{program}.full', '--mode', 'full', '--signature', FULL),
                             'plain': traced(program, work, work / f'{program}.plain', '--mode', 'full'),
                             'ten': traced(program, work, work / f'{program}.ten')}
            if names:
                runs[program]['counted'] = traced(program, work, work / f'{program}.counted', '--counters', names)
        lines = ['# Figures of the papers, by efgtrace', '',
                 f'Made by `make papers` (bench/papers.py): {RANKS} ranks, {os.cpu_count()} cores, load average {os.getloadavg()[1]:.0f}. Counts and sizes are the same in each run of a program',
                 'but for what chance does to it; times are those of the machine.', '',
                 *signatures(runs), *picture(runs, asked.o), *compression(runs), *steps(work, asked.o), *reduction(runs), *representative(runs),
                 *counted(runs), *halos(runs), *growth(runs, asked.o), *loops(runs)]
        (asked.o / 'README.md').write_text('\n'.join(lines), encoding='utf-8')


if __name__ == '__main__':
    main()
