#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What a call costs, in instructions of ours, is what was kept (bench/kept.tsv), or at most 3% more. callgrind counts
# them, so the load of the machine does not matter; another compiler would make other ones, and another clock takes
# more of them (clock.h): 908 instead of 442 for MPI_Sendrecv with kvm-clock.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

kept=$(sed -n 's/^gcc\t//p' bench/kept.tsv)
compiler=$(gcc --version | head -n 1)
clock=$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>&1)
if ! command -v valgrind >/dev/null; then
    skip "instructions per call" "no valgrind"
elif [ "$mpi" != "Open MPI" ] || [ "$compiler" != "$kept" ]; then
    skip "instructions per call" "they were kept for Open MPI and $kept; this is $mpi and $compiler"
elif [ "$clock" != tsc ]; then
    skip "instructions per call" "they were kept where the processor's counter is the clock; here it is $clock, which takes more"
else
    mkdir -p "$work/build/bench"
    ln -s "$tool" "$work/build/efgtrace"
    $MPICC -std=gnu11 -O2 -g bench/calls.c -o "$work/build/bench/calls" || exit 2
    grep -v '^gcc' bench/kept.tsv | while read -r call state most; do
        echo "$call, $state	$most	$("$python" -B - "$work/build" "$call" "$state" <<'END' 2>&1 | tail -n 1
import sys
from pathlib import Path
sys.path.insert(0, "bench")
from instructions import count, states
build, call, state = sys.argv[1:]
print(round(count(Path(build), call, states(Path(build))[state])[1]))
END
)"
    done >"$work/counted"
    while IFS='	' read -r what most own; do
        verdict "$what: $own instructions, $most kept" "$([ "$own" -le $((most + most * 3 / 100)) ] 2>&1 ||
            echo "$own: if they buy something, say in bench/README.md what, and keep them in bench/kept.tsv")"
    done <"$work/counted"
    same "all of them" "$(grep -vc '^gcc' bench/kept.tsv)" "$(wc -l <"$work/counted")"
fi

finish
