#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Traces as other tools know them: communicators and windows have the names that the program gave them, and
# parents, also those that were made before the window and are used in none; Cartesian topologies; and all of
# this is in a copy, in the summary and in the report.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
$MPICC -g -O1 "$root/tests/otf2/named.c" -o "$work/named" || exit 2
cd "$work" || exit 2

# defined DIR: what the trace says of communicators, grids and windows, by name
defined() {
    "$python" - "$root/tests/lib" "$1/traces.otf2" <<'END' 2>&1
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import read_trace
trace = read_trace.Trace(sys.argv[2])
name = lambda kind, number: trace.name(trace[kind][number][1]) if number in trace[kind] else '-'
for comm, (_, text, _, parent, _) in trace['Comm'].items():
    print('communicator', trace.name(text) or '-', 'of', name('Comm', parent) or '?')
for topology, (_, text, comm, dimensions) in trace['CartTopology'].items():
    sizes = [trace['CartDimension'][one][2:] for one in dimensions]
    places = [place for one, _, place in trace['CartCoordinate'] if one == topology]
    print('grid', name('Comm', comm) or '-', sizes, places)
for _, text, comm, _ in trace['RmaWin'].values():
    print('window', trace.name(text), 'of', name('Comm', comm))
END
}

expected="communicator - of row
communicator - of row
communicator MPI_COMM_SELF of -
communicator MPI_COMM_WORLD of -
communicator base of MPI_COMM_WORLD
communicator plane of base
communicator row of plane
communicator row of plane
grid - [[2, 0]] [[0], [1]]
grid - [[2, 0]] [[0], [1]]
grid plane [[2, 1], [2, 0]] [[0, 0], [0, 1], [1, 0], [1, 1]]
grid row [[2, 0]] [[0], [1]]
grid row [[2, 0]] [[0], [1]]
window halo of plane"

windowed window -- ./named 2000
traced full -m full -- ./named 50
for mode in window full; do
    verdict "$mode: names, parents, grids" "$(diff <(defined $mode | sort) <(echo "$expected") | head -n 5)"
done
accepted "window" window/traces.otf2 --iterations 10
accepted "full" full/traces.otf2 --full
"$tool" export -f otf2 -o copy window >out 2>err
verdict "a copy has them, too" "$(diff <(defined copy | sort) <(echo "$expected") | head -n 5)"
"$tool" report window >report
has "the report names communicators" "plane (Comm 3), 4 ranks" report
has "and windows" "halo (Win 0), 4 ranks" report
# Which ones took the most time is made by a load, too.
same "so does the summary, the first three" \
    "$(sed -n '/^Communicators, RMA/,/^$/s/.*  \(.*\), [0-9]* ranks$/\1/p' report | head -n 3)" \
    "$(sed -n '/^Calls /,/ more: /s/^  *\(.*\): [0-9.]* [mun]*s a rank.*/\1/p' window/summary.txt)"
finish
