#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# How well the recorded iterations stand for the run: every figure against the trace as python3-otf2
# reads it and the graph (representative.py); the graph against a trace of the whole run; the
# sentence for windows that stand for the run, that do not, and where it cannot be told. So for a
# stencil, nested loops, a master and its workers, and LAMMPS.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/representative.sh     environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
compile stencil2d nested_solver master_worker phases threads slow || exit 2
# Optimised, it would have two copies of its loop, with call sites of their own.
$MPICC -g -O0 "$root/tests/recorded/drifting.c" -o "$programs/drifting" -lm || exit 2
$MPICC -g -O1 "$root/tests/recorded/pairwise.c" -o "$programs/pairwise" -lm || exit 2
cd "$work" || exit 2

# section DIR: that part of the report
section() {
    "$tool" report --all "$1" | sed -n '/^How well/,/^$/p' | sed 1,2d
}

# one_line DIR: the whole of it in one line, to look for sentences
one_line() {
    section "$1" | tr '\n' ' '
}

# --- the figures ---

traced stencil --windows 2 -- "$programs/stencil2d"
in_full && traced nested --interval 20ms -- "$programs/nested_solver"
traced drifting -- "$programs/drifting"
in_full && traced apart -- "$programs/pairwise" # where both of a pair counted iterations, the graph has two loops
in_full && agrees apart representative.py apart
covers() {
    "$tool" export -f json "$1" | "$python" -c '
import json, sys
said = json.load(sys.stdin)["representative"]["iterations"]
assert said["coverage"] > 0.5, said'
}
in_full && verdict "loops side by side: all of it counts" "$(covers apart 2>&1 | tail -n 1)"
traced slow --select first,slow -- "$programs/slow" 600 100
agrees slow representative.py slow
has "slow ones are left out" "because they were slow" <(section slow)
if in_full; then
    traced only --select slow -- "$programs/slow" 600 100
    contains "only slow ones" "$(one_line only)" "stand for the run: but for slow ones, there are fewer than three"
fi
traced full --mode full -- "$programs/stencil2d" 200 500
agrees stencil representative.py stencil
contains "two windows: all iterations of both" "$(one_line stencil)" "20 iterations of "
in_full && agrees nested representative.py nested
in_full && contains "an inner loop has a row" "$said" "1 of loops"
agrees full representative.py full --full

if in_full; then
    traced master -- "$programs/master_worker" 4000
    # All three, or the slowest one alone where the others are far ahead of it, by what else the machine does.
    owners=$(sed -n 's/.*iterations.* on \([13]\) of 4 ranks$/\1/p' master/summary.txt)
    contains "the workers alone have iterations" "$("$tool" export -f json master | tr -d ' \n')" "\"ranks\":${owners:-3},"
    agrees master representative.py master
    traced master.full --mode full -- "$programs/master_worker" 500 100
    agrees master.full representative.py master.full --full
fi

# lammps DIR STEPS OPTION...
lammps() {
    local folder=$1 steps=$2
    shift 2
    LAMMPS_STEPS=$steps "$root/bench/apps.sh" run lammps "$work/case" \
        "$tool" run -o "$work/$folder" --summary off "$@" >"$work/traced.out" 2>&1 ||
        verdict "$folder: the run" "exit code $?: $(tail -n 3 "$work/traced.out")"
}
if ! in_full; then
    :
elif has_lammps; then
    lammps lammps 2000
    agrees lammps representative.py lammps
    lammps lammps.full 60 --mode full
    agrees lammps.full representative.py lammps.full --full
else
    skip "LAMMPS" "there is none for $mpi"
fi

# --- windows that do not stand for the run ---

agrees drifting representative.py drifting
section drifting >text
contains "the sentence says no" "$(one_line drifting)" "The recorded iterations do not stand for the run: "
has "the bytes of a call differ, and are marked" " B ! " <(sed 's/kB !/ B !/' text)
"$tool" export -f json drifting | "$python" -c '
import json, sys
rows = {row["label"]: row for row in json.load(sys.stdin)["representative"]["rows"]}
[send] = [row["bytes"] for label, row in rows.items() if label.startswith("MPI_Isend")]
assert send == {"run": 1792, "recorded": 1024, "error": 0, "differs": True}, send
[wait] = [row["calls"] for label, row in rows.items() if label.startswith("MPI_Barrier")]
assert wait["recorded"] == 0 and wait["differs"], wait' 2>err
verdict "three quarters of its messages have 1 kB, so all those recorded" "$(tail -n 1 err)"

if in_full; then
    traced phases -- "$programs/phases"
    contains "a loop that is a third of the run" "$(one_line phases)" "do not stand for the run: "
fi

# --- where it cannot be told ---

contains "a trace of the whole run" "$(one_line full)" "The trace is of the whole run."
traced graph --mode graph -- "$programs/stencil2d" 50 100
contains "no trace" "$(one_line graph)" "stand for the run: there is no trace"
traced two --iterations 2 -- "$programs/stencil2d"
contains "two iterations" "$(one_line two)" "stand for the run: there are fewer than three"
cp -r stencil damaged && truncate -s -10 damaged/traces/1.evt
contains "a damaged trace" "$(one_line damaged)" "its file traces/1.evt is cut short."
"$tool" report damaged >text 2>err
same "the rest of the report is there" "0 1" "$? $(grep -c '^Size of the graph over the run' text)"

# --- threads ---

if in_full; then
    traced threads -- "$programs/threads"
    contains "threads without iterations of their own" "$(one_line threads)" " threads recorded no iterations of their own."
fi

for dir in stencil $(in_full && echo nested threads) drifting damaged; do section $dir; done >text
verdict "nothing is cut, plain ASCII" "$(awk '/\.\.\.$/' text | head -n 1)$(LC_ALL=C grep -m 1 '[^ -~]' text)"

finish
