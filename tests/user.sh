#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What programs say that are made with efgtrace.h, efgtrace.f90 or efgtrace.py: the loop that they mark is the
# main loop, their regions are in the graph; bare, nothing comes of it.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/user.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

user=$root/libefgtrace/user
sources=$root/tests/user
cd "$work" || exit 2
$MPICC -g -O1 -I"$user" "$sources/marked.c" -o marked || exit 2

# marked NAME ITERATIONS PLACE COMMAND...: it prints what it prints bare, the main loop has so many iterations,
# each begins at or behind this PLACE, ten of them are in the trace, and nothing else but those of an earlier loop, and the
# region is in the graph
marked() {
    local name=$1 iterations=$2 place=$3
    shift 3
    ranks 4 "$@" >bare || verdict "$name: bare" "exit code $?"
    rm -rf out
    traced out "$@"
    same "$name: the output is as bare" "$(cat bare)" "$(cat traced.out)"
    contains "$name: the main loop" "$(grep '^Main loop' out/summary.txt)" ", $iterations iterations;"
    has "$name: where an iteration begins" "$place" out/summary.txt
    sed -n '/^Traced/,/^Messages/p' out/summary.txt >recorded
    verdict "$name: ten iterations" "$(grep -qE '^(Traced|  ).* 10 iterations, number' recorded || cat recorded)"
    all=$(grep -oE '(Traced|and) +[0-9]+ iterations?' recorded | awk '{n += $2} END {print n}')
    verdict "$name: the checker accepts the trace" \
        "$(faults out/traces.otf2 --min-matched 0.98 --iterations "$all" | head -n 2)"
    "$tool" graph -f json -o graph.json out
    has "$name: the region" '"sweeps"' graph.json
}

in_full && marked "no mark" 100 "behind MPI_Allreduce" ./marked none
marked "a mark in the outer loop" 100 "at efgtrace_iteration  marked.c:45 main" ./marked step
in_full && marked "a mark in the inner loop" 3000 "at efgtrace_iteration  marked.c:22 tick" ./marked sweep

if command -v "$MPIFORT" >/dev/null; then
    $MPIFORT -g -O1 -J "$work" "$user/efgtrace.f90" "$sources/marked.f90" -o marked_f || exit 2
    marked "Fortran" 3000 "at efgtrace_iteration  marked.f90:23 marked" ./marked_f
    $MPIFORT -g -O1 -J "$work" "$user/efgtrace.f90" "$sources/asks.f90" -o asks_f || exit 2
else
    skip "Fortran" "no $MPIFORT"
fi
if has_mpi4py; then
    PYTHONPATH=$user
    export PYTHONPATH
    marked "Python" 6000 "at efgtrace_iteration  marked.py:14 " "$python" "$sources/marked.py"
else
    skip "Python" "no mpi4py for $mpi"
fi

# asked_by NAME SELECT WINDOWS COMMAND...: windows of so many iterations, a pattern, are what COMMAND asked for, the
# same ones on all ranks, with all of their messages
asked_by() {
    local name=$1 select=$2 windows=$3
    shift 3
    rm -rf out
    traced out --select "$select" -n 3 "$@"
    same "$name: the output" "done 3000" "$(cat traced.out)"
    has "$name: the summary says it" " iterations, asked for by the program" out/summary.txt
    got=$("$python" "$root/tests/asked.py" out/traces.otf2 2>&1)
    verdict "$name: windows" "$(case $got in $windows) ;; *) echo "expected $windows, got $got" ;; esac)"
    verdict "$name: the checker accepts the trace" "$(faults out/traces.otf2 --min-matched 1.0 | head -n 2)"
    has "$name: on all ranks" "numbered alike True" checked
}

# asked NAME SELECT WINDOWS ARGUMENTS...: the same of asks ARGUMENTS
asked() {
    local name=$1 select=$2 windows=$3
    shift 3
    asked_by "$name" "$select" "$windows" ./asks 3000 "$@"
}

$MPICC -g -O1 -I"$user" "$sources/asks.c" -o asks || exit 2
asked "all ask, twice" first "5 7" all 1500 5 all 2500 7
in_full && asked "nothing else is recorded" asked "5 7" all 1500 5 all 2500 7
in_full && asked "before the loop" asked 6 all 0 6
in_full && asked "one of them asks" first 4 one 500 4
in_full && asked "one after the other" asked "[4-7]" uneven 1500 4
in_full && asked "beside others" first,spread,slow 5 all 1500 5
! in_full || [ ! -x asks_f ] || asked_by "Fortran asks" asked 4 ./asks_f
! in_full || ! has_mpi4py || asked_by "Python asks" asked 4 "$python" "$sources/asks.py"
if in_full; then
    rm -rf out
    traced out --select asked ./asks 3000
    has "nobody asks: nothing is recorded" "the program has not asked for iterations" out/summary.txt
    rm -rf out
    traced out --select asked ./asks 3000 all 3000 5
    has "too late" "1 times, 1 in vain" out/summary.txt
fi

# regions NAME: the iterations in the trace hold the regions, each with what is called in it
regions() {
    verdict "regions, $1" "$("$python" "$root/tests/regions.py" out/traces.otf2 2>&1 | head -n 20)"
    verdict "regions, $1: the checker accepts the trace" "$(faults out/traces.otf2 --min-matched 1.0 | head -n 2)"
}

$MPICC -g -O1 -I"$user" "$sources/regions.c" -o regions || exit 2
rm -rf out
traced out ./regions
same "regions: the output" "1.000" "$(cat traced.out)"
regions "ten in a row"
if in_full; then
    rm -rf out
    traced out --select spread,slow ./regions
    regions "of the whole run"
    rm -rf out
    ranks 4 "$tool" run -o out ./regions killed >killed.out 2>&1
    "$tool" trace out >said 2>&1
    regions "of a job that was killed"
fi

$MPICC -g -O1 -pthread -I"$user" "$sources/misuse.c" -o misuse || exit 2
ranks 4 ./misuse >bare || verdict "misuse: bare" "exit code $?"
rm -rf out
traced out ./misuse
same "misuse: the output is as bare" "$(cat bare)" "$(cat traced.out)"
has "misuse: the main loop" "each begins at efgtrace_iteration" out/summary.txt
verdict "misuse: the checker accepts the trace" "$(faults out/traces.otf2 --min-matched 0.98 | head -n 2)"
for program in marked asks misuse; do
    verdict "$program needs no library of ours" "$(ldd ./$program | grep efgtrace)"
done

DESTDIR=$work/installed make -s -C "$root" BUILD="$build" PREFIX=/opt install
echo 'int main(void) { efgtrace_iteration(); efgtrace_begin("a"); efgtrace_end("a"); efgtrace_record(3); return 0; }' >body
flags=$(PKG_CONFIG_PATH=installed/opt/lib/pkgconfig pkg-config --define-variable=prefix="$work/installed/opt" \
    --cflags efgtrace)
for compiler in "cc -std=c99 -pedantic -x c" "c++ -x c++"; do
    (echo '#include "efgtrace.h"'; cat body) >body.c
    why=$($compiler $flags -Wall -Wextra -Werror body.c -o body.out 2>&1 && ./body.out || echo "exit code $?")
    verdict "installed, with ${compiler%% *}, without MPI" "$why"
done
DESTDIR=$work/installed make -s -C "$root" BUILD="$build" PREFIX=/opt uninstall
verdict "uninstalled: nothing is left" "$(find installed -type f)"

finish
