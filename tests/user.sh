#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What programs say that are made with efgtrace.h, efgtrace.f90 or efgtrace.py: the loop that they mark is the
# main loop, their regions are in the graph; bare, nothing comes of it.
#
# usage: tests/user.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

user=$root/libefgtrace/user
sources=$root/tests/user
cd "$work" || exit 2
$MPICC -g -O1 -I"$user" "$sources/marked.c" -o marked || exit 2

# marked NAME ITERATIONS PLACE COMMAND...: it prints what it prints bare, the main loop has so many iterations,
# each begins at this PLACE, ten of them are in the trace, and nothing else but those of an earlier loop, and the
# region is in the graph
marked() {
    local name=$1 iterations=$2 place=$3
    shift 3
    ranks 4 "$@" >bare || verdict "$name: bare" "exit code $?"
    rm -rf out
    traced out --signature path,region "$@"
    same "$name: the output is as bare" "$(cat bare)" "$(cat traced.out)"
    contains "$name: the main loop" "$(grep '^Main loop' out/summary.txt)" ", $iterations iterations;"
    has "$name: where an iteration begins" "each begins at $place" out/summary.txt
    sed -n '/^Traced/,/^Messages/p' out/summary.txt >recorded
    verdict "$name: ten iterations" "$(grep -qE '^(Traced|  ).* 10 iterations, number' recorded || cat recorded)"
    all=$(grep -oE '(Traced|and) +[0-9]+ iterations' recorded | awk '{n += $2} END {print n}')
    verdict "$name: the checker accepts the trace" \
        "$(faults out/traces.otf2 --min-matched 0.98 --iterations "$all" | head -n 2)"
    has "$name: the region" "[sweeps]" out/summary.txt
}

marked "no mark" 100 MPI_Allreduce ./marked none
marked "a mark in the outer loop" 100 "efgtrace_iteration  marked.c:44 main" ./marked step
marked "a mark in the inner loop" 3000 "efgtrace_iteration  marked.c:21 tick [sweeps]" ./marked sweep

if command -v "$MPIFORT" >/dev/null; then
    $MPIFORT -g -O1 -J "$work" "$user/efgtrace.f90" "$sources/marked.f90" -o marked_f || exit 2
    marked "Fortran" 3000 "efgtrace_iteration" ./marked_f
else
    skip "Fortran" "no $MPIFORT"
fi
if has_mpi4py; then
    PYTHONPATH=$user
    export PYTHONPATH
    marked "Python" 6000 "efgtrace_iteration" "$python" "$sources/marked.py"
else
    skip "Python" "no mpi4py for $mpi"
fi

DESTDIR=$work/installed make -s -C "$root" BUILD="$build" PREFIX=/opt install
echo 'int main(void) { efgtrace_iteration(); efgtrace_begin("a"); efgtrace_end("a"); return 0; }' >body
flags=$(PKG_CONFIG_PATH=installed/opt/lib/pkgconfig pkg-config --define-variable=prefix="$work/installed/opt" \
    --cflags efgtrace)
for compiler in "cc -std=c99 -pedantic -x c" "c++ -x c++"; do
    (echo '#include "efgtrace.h"'; cat body) >body.c
    why=$($compiler $flags -Wall -Wextra -Werror body.c -o body.out 2>&1 && ./body.out || echo "exit code $?")
    verdict "installed, with ${compiler%% *}, without MPI" "$why"
done

finish
