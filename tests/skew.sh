#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# No receive before its send, where a clock was wrong in the middle of the run. Ranks 2 and 3 are
# taken for those of another host,
#
#     by `efgtrace trace`   in logs of runs on this host that were bent: as if the clock had been
#                           late 300 s away from its comparisons
#     by MPI_Finalize       in runs whose host names and clocks are bent (tests/skew/bent.c)
#
# and the clock is corrected from the messages. Where messages cross the beginning of the window,
# and clocks are right, nothing is.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/skew.sh           environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
logs=$root/tests/skew/logs.py
export EFGTRACE_CLOCK=system # what tests/skew/bent.c bends
cd "$work" || exit 2

$MPICC -g -O1 "$root/tests/programs/stencil2d.c" -o stencil2d -lm &&
    $MPICC -g "$root/tests/skew/oneway.c" -o oneway &&
    $MPICC -g -O1 -shared -fPIC "$root/tests/skew/bent.c" -o bent.so -ldl || exit 1

# traced NAME VARIABLE=VALUE... -- COMMAND...
traced() {
    local name=$1 variables=()
    shift
    while [ "$1" != -- ]; do variables+=("$1") && shift; done
    shift
    timeout 200 $MPIRUN -np 4 env "${variables[@]}" "$tool" run -o "$name" --keep-logs \
        "$@" >out 2>err </dev/null
}

# Steps of 15 ms.
steps=(--interval 20ms --skip 20 ./stencil2d 140 15000)
ran_well="0 ok stencil2d: 140 steps"

# bent NAME LATE2 LATE3 [RUN]: the logs of a run, bent by so many ns
bent() {
    cp -r "${4:-run}" "$1" && rm -r "$1"/traces* && "$python" "$logs" bend "$@"
}

# checked NAME [OPTION...]: every message matched, none early; with OPTIONs of the checker, if
# there are none --iterations 10
checked() {
    [ $# -gt 1 ] || set -- "$1" --iterations 10
    verdict "$1: the trace is right, all messages matched" \
        "$(faults "$1/traces.otf2" --min-matched 1.0 "${@:2}" | head -n 2)"
    grep -q 'clock violations 0,' "$work/checked"
    same "$1: no message is received before it is sent" 0 $?
}

# --- efgtrace trace ---

# converts NAME: to a trace; what is said is in ./said; the logs stay as they are
converts() {
    cat "$1"/logs/* | cksum >before
    "$tool" trace "$1" >out 2>said
    same "$1: a trace" "0 $1/traces.otf2" "$? $(cat out)"
    same "$1: the logs are as they were" "$(cat before)" "$(cat "$1"/logs/* | cksum)"
}

traced run -- "${steps[@]}"
same "run: runs" "$ran_well" "$? $(cat out)"
same "run: no receive before its send" 0 "$("$python" "$logs" count run)"

bent right 0 0
converts right
same "right: nothing to be said" "" "$(cat said)"
checked right

# late NAME LATE [RUN OPTION...]: ranks 2 and 3 are late by so many ns, and that is put right
late() {
    bent "$1" "$2" "$2" "${3:-run}"
    early=$("$python" "$logs" count "$1")
    verdict "$1: receives before their sends, in the logs" "$([ "$early" -gt 0 ] || echo "$early")"
    converts "$1"
    same "$1: it is said" 1 \
        "$(grep -Ec "clocks of hosts are off by .* or more, [1-9].* receives .*: corrected, 0 left$" said)"
    checked "$1" "${@:4}"
}

# By less than half a step, by more, and by more than the window.
for late in 3000000 $(in_full && echo -3000000 12000000 400000000); do
    late late.$late $late
done

if ! in_full; then
    :
elif has_lammps; then
    sed "s/^run.*/run 500/" /usr/share/lammps/examples/melt/in.melt >in.melt
    traced lammps -- --interval 10ms lmp -in in.melt -log none
    same "lammps: runs" 0 $?
    late lammps.1000000 1000000 lammps --min-matched 1.0
    late lammps.-1000000 -1000000 lammps --min-matched 1.0
else
    skip lammps "there is none for $mpi"
fi

# Without a comparison at the end.
bent killed 3000000 3000000
for log in killed/logs/*; do
    dd if=/dev/zero of="$log" bs=8 seek=7 count=2 conv=notrunc 2>/dev/null # sync[1]
done
converts killed
same "killed: it is said" 1 "$(grep -Ec 'clocks of hosts .*: corrected, 0 left$' said)"
checked killed

if in_full; then
    # Ranks of one host that are not of one mind.
    bent torn 3000000 -3000000
    converts torn
    same "torn: it is said" 1 "$(grep -c ' in doubt: ' said)"

    # Clocks of two rates: to and fro, messages tell the opposite.
    cp -r run drift && rm -r drift/traces* && "$python" "$logs" drift drift
    converts drift
    same "drift: it is said" 1 "$(grep -Ec ': contradictory, [1-9][0-9]* left$' said)"
fi

# --- MPI_Finalize ---

# bent_run NAME LATE2 LATE3 WANTED [VARIABLE=VALUE...]: what the summary is to say of the clocks. Where the
# machine was too busy to compare them, the corrections of two windows may differ: once more.
bent_run() {
    for _ in 1 2 3; do
        rm -rf "$1"
        traced "$1" LD_PRELOAD="$work/bent.so" LATE2="$2" LATE3="$3" "${@:5}" -- "${steps[@]}"
        ran="$? $(cat out)"
        [ "$(clock_error "$1")" -gt 100000 ] || break
    done
    same "$1: runs" "$ran_well" "$ran"
    same "$1: two hosts" 1 "$(grep -c ', 4 ranks on 2 hosts, ' "$1/summary.txt")"
    verdict "$1: the summary says it" "$(grep -Eq "$4" "$1/summary.txt" ||
        echo "no '$4' in: $(grep -A 1 Clocks "$1/summary.txt" | tr '\n' ' ')")"
}

# Once with two windows.
for late in $(in_full && echo 1000000) -1000000; do
    name=run.late.$late
    bent_run $name $late $late '^ +off by .* or more, [1-9][0-9]* receives .*: corrected, 0 left$' \
        EFGTRACE_WINDOWS=$((late > 0 ? 1 : 2))
    checked $name --iterations $((late > 0 ? 10 : 20))
    same "$name: the logs are right as well" 0 "$("$python" "$logs" count $name)"
    "$tool" report $name >said
    same "$name: and the report says it" 1 "$(grep -c 'receives before their sends: corrected' said)"
done
if in_full; then
    bent_run run.torn 1000000 -1000000 'in doubt: [1-9][0-9]* receives? before'
    early=$("$python" "$logs" count run.torn)
    verdict "run.torn: receives stay before their sends" "$([ "$early" -gt 0 ] || echo "$early")"

    # What rank 2 has moved it has to move back. Hosts have a clock each, whatever happens.
    bent_run run.refused 1000000 1000000 'receives .*: not corrected, [1-9][0-9]* left$' REFUSE=3
    early=$("$python" "$logs" count run.refused)
    verdict "run.refused: receives stay before their sends" "$([ "$early" -gt 0 ] || echo "$early")"
    same "run.refused: the logs are as they were" 2 "$("$python" "$logs" clocks run.refused)"
fi

# corrected DIR: what is said of clocks that were put right, but for what their comparison may have missed
corrected() {
    awk -v worst="$(clock_error "$1")" 'BEGIN { unit["s"] = 1e9; unit["ms"] = 1e6; unit["us"] = 1e3; unit["ns"] = 1 }
        /corrected/ && !(/^ +off by .*: corrected, 0 left$/ && $3 * unit[$4] <= worst)' "$1/summary.txt"
}

# Messages one way, under way when the window began; clocks are right.
for way in $(in_full && echo 1) -1; do
    name=oneway.$way
    traced $name LD_PRELOAD="$work/bent.so" -- --interval 20ms --skip 5 ./oneway 120 5000 $way
    same "$name: runs" "0 ok oneway: 120 iterations" "$? $(cat out)"
    pairs=$("$python" "$root/tests/pairs.py" $name/traces.otf2)
    same "$name: pairs, of two lengths, iterations between" "0 1 1" "${pairs#* }"
    verdict "$name: those that were under way are among them" "$([ "${pairs%% *}" -ge 30 ] || echo "$pairs")"
    same "$name: no clock is put right" "" "$(corrected $name)"
done

finish
